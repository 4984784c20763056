package resolve

import (
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// byName is the name rule: the key of the name, else that of an alias, belongs
// to exactly one organization in the line's state. A line without a state must
// be unique in the country and say enough to be a name.
func (r *Resolver) byName(q *query) ein.EIN {
	n := q.n
	if e := r.unique(q, n.KX, false); e != ein.None {
		return e
	}
	for _, a := range n.Aliases {
		kx := orgname.Key(a)
		if len(kx) < minAlias || kx == n.KX {
			continue
		}
		if e := r.unique(q, kx, true); e != ein.None {
			return e
		}
	}
	if n.Sponsor != "" {
		return r.sponsor(q)
	}
	return r.handler(q)
}

// sponsor finds who holds the money for the project that a line names. Sponsors
// are paid at the places of their projects, so one that is not in the state may
// be the only one of its name in the country.
func (r *Resolver) sponsor(q *query) ein.EIN {
	s := orgname.Parse(q.n.Sponsor)
	if len(s.KX) < minAlias {
		return ein.None
	}
	by := *q
	by.n = &s
	if e := r.unique(&by, s.KX, false); e != ein.None {
		return e
	}
	if len(s.KX) < minNational || strings.IndexByte(s.K2, ' ') < 0 {
		return ein.None
	}
	var p soleOrg
	for _, e := range r.u.names.find(s.KX) {
		if !e.alias && !r.excluded(q, e.id) {
			p.add(r.u, e.id, false)
		}
	}
	return r.sole(&by, &p)
}

// handler finds the organization in care of which a line is, where that is who
// was paid: the body that the line names is nowhere to be found in a state whose
// register is loaded, and the handler is the only one of its name there, in the
// line's ZIP. A private foundation handles no one's money but its own.
func (r *Resolver) handler(q *query) ein.EIN {
	if q.n.Handler == "" || q.n.KX == "" || q.zip == 0 || !r.u.covered[q.state] || r.nameKnown(q) {
		return ein.None
	}
	s := orgname.Parse(q.n.Handler)
	if len(s.KX) < minNational || strings.IndexByte(s.K2, ' ') < 0 {
		return ein.None
	}
	by := *q
	by.n = &s
	e := r.unique(&by, s.KX, false)
	if i, ok := r.u.position(e); ok && r.isInZIP(uint32(i), q.zip) && !privateFoundation(r.u.orgs[i].Foundation) && r.u.index.kx[i] == s.KX {
		return e
	}
	return ein.None
}

// privateFoundation reads the register's code for the kind of foundation.
func privateFoundation(code string) bool { return code == "02" || code == "03" || code == "04" }

// chapterAtAddress reports whether the line's very address, where the bearer of its name
// is not, is that of an organization whose name goes on where the line's ends:
// the chapter of a federation, more likely than the one that calls itself after
// the whole.
func (r *Resolver) chapterAtAddress(q *query, bearer ein.EIN) bool {
	if len(q.n.KX) < minFuzzy || !r.notInZIP(q, bearer) {
		return false
	}
	for _, t := range r.tenants(q) {
		if kx := r.u.index.kx[t.id]; len(kx) > len(q.n.KX) && strings.HasPrefix(kx, q.n.KX) && !r.excluded(q, t.id) {
			return true
		}
	}
	return false
}

// notInZIP reports whether an organization is not known to be in the line's ZIP.
func (r *Resolver) notInZIP(q *query, e ein.EIN) bool {
	i, ok := r.u.position(e)
	return ok && q.zip != 0 && !r.isInZIP(uint32(i), q.zip)
}

// unique finds the one organization with the key, or none.
func (r *Resolver) unique(q *query, kx string, viaAlias bool) ein.EIN {
	n, entries := q.n, r.u.names.find(kx)
	if q.state != 0 {
		entries = inState(entries, q.state)
	} else if len(kx) < minNational || viaAlias || strings.IndexByte(n.K2, ' ') < 0 {
		return ein.None
	}
	var p soleOrg
	for _, e := range entries {
		if (e.alias || viaAlias) && r.isAffiliate(n, e.id) || r.excluded(q, e.id) {
			continue
		}
		if p.add(r.u, e.id, e.alias); p.many[0] {
			return ein.None
		}
	}
	return r.sole(q, &p)
}

// minNational is how many letters a name needs to be looked for in the whole
// country.
const minNational = 10

// soleOrg finds the one organization among candidates. The active go before the
// inactive, and those whose own name it is before those that are also known by
// it, such as a trust for the benefit of a university. The chapters of a group
// that bear the name of its central organization stand behind that one.
type soleOrg struct {
	found [4]uint32   // the first of its rank, or the central one of its group, counted from 1
	many  [4]bool     // there are others
	zips  [4][]uint32 // where chapters of found are
}

func (p *soleOrg) add(u *Universe, id uint32, alias bool) {
	facts := u.index.facts
	i, o := 0, &facts[id]
	if o.is(inactive) {
		i = 2
	}
	if alias {
		i++
	}
	if p.found[i] == 0 || p.found[i] == id+1 {
		p.found[i] = id + 1
		return
	}
	first := p.found[i] - 1
	f := &facts[first]
	if !o.is(grouped) || f.is(central) && o.is(central) || u.orgs[first].Group != u.orgs[id].Group {
		p.many[i] = true
		return
	}
	if o.is(central) {
		p.found[i], o = id+1, f
	}
	p.zips[i] = append(p.zips[i], o.zip)
}

// sole is the EIN of the only candidate for a line, None when there is none or
// several. What chapters bear as well as their central organization is the
// central one's where that is, or where some filer has said so; elsewhere the
// line may mean any of them.
func (r *Resolver) sole(q *query, p *soleOrg) ein.EIN {
	for i, found := range p.found {
		if found == 0 {
			continue
		}
		if id := found - 1; !p.many[i] && (p.zips[i] == nil || r.centerMeant(q, id, p.zips[i])) {
			return r.u.eins[id]
		}
		return ein.None
	}
	return ein.None
}

// centerMeant reports whether a name that chapters in some ZIPs bear as well
// means their central organization.
func (r *Resolver) centerMeant(q *query, id uint32, chapters []uint32) bool {
	switch o := &r.u.index.facts[id]; {
	case !o.is(central):
		return false
	case q.zip != 0 && o.zip == q.zip:
		return true
	}
	return !slices.Contains(chapters, q.zip) && slices.ContainsFunc(r.einCounts(q), func(a einCount) bool { return a.ein == r.u.eins[id] })
}

// grouped reports whether the organization is covered by a group exemption.
func (o *Org) grouped() bool { return strings.Trim(o.Group, "0") != "" }

// central reports whether a group exemption is the organization's own.
func (o *Org) central() bool { return o.Affiliation == "6" || o.Affiliation == "8" }

// isAffiliate reports whether the organization, met through another name of it or
// of the line, is by its own name a club, fund or union around the institution
// the line names.
func (r *Resolver) isAffiliate(n *orgname.Name, id uint32) bool {
	line := n.Traits()
	return r.u.index.isBodyAt(&line, id)
}
