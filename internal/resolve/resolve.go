package resolve

import (
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/resolve/model"
)

// Options are what a resolver knows besides the universe. All may be left out.
type Options struct {
	Human    *Overrides   // rulings of people, from overrides/human.csv
	Assisted *Overrides   // rulings proposed by a model and checked, from overrides/model.csv
	Model    *model.Model // for the lines that no rule decides; nil for none
	History  *History     // whom funders have paid, for the model
	Off      []Rule       // rules that failed their gate and do not run
}

// Resolver runs the rules. It holds no state between calls and is safe for
// concurrent use; an answer depends only on the tuple, the universe and the
// options.
type Resolver struct {
	u   *Universe
	opt Options
	off [grant.Model + 1]bool

	model uint64 // digest of the model, 0 for none
}

// New makes a resolver over a universe.
func New(u *Universe, opt Options) *Resolver {
	r := &Resolver{u: u, opt: opt}
	for _, rule := range opt.Off {
		r.off[rule] = true
	}
	if opt.Model != nil {
		r.model = opt.Model.Digest()
	}
	return r
}

// Universe is the set of organizations the resolver looks in.
func (r *Resolver) Universe() *Universe { return r.u }

// Funders lists, in order, the funders that some ruling is about. Lines of all
// others can be answered without asking who filed them, unless the answer is
// the filer or open.
func (r *Resolver) Funders() []ein.EIN {
	list := append(r.opt.Human.Funders(), r.opt.Assisted.Funders()...)
	slices.Sort(list)
	return slices.Compact(list)
}

// Resolve answers for a tuple as far as the funder does not matter. n is the
// parsed name of the tuple. The caller keeps persons and placeholders away.
func (r *Resolver) Resolve(t *Tuple, n *orgname.Name) Match {
	return r.resolve(&query{t: t, n: n})
}

// ForFunder adapts the answer for a tuple to the funder that filed it: an
// override for this funder's lines applies; the funder's own EIN, typed where
// the recipient's belongs, counts as none; no rule but filed may find the funder
// itself; and the model may think of whom the funder has paid before. funderKX is the key of the funder's name.
func (r *Resolver) ForFunder(t *Tuple, n *orgname.Name, m Match, funder ein.EIN, funderKX string) Match {
	if funder == ein.None {
		return m
	}
	if row := r.opt.Human.find(t, n, funder); row != nil && row.funder != ein.None && row.ein != funder {
		return row.match()
	}
	if m.Rule == None || m.Rule > OverrideLLM {
		if row := r.opt.Assisted.find(t, n, funder); row != nil && row.funder != ein.None && row.ein != funder && !m.Barred {
			return row.match()
		}
	}
	switch {
	case m.EIN == funder && !(m.Rule == Filed && n.KX != "" && n.KX == funderKX):
		return r.resolve(&query{t: t, n: n, barred: funder, funder: funder})
	case r.Open(m) && !foreign(t) && n.KX != "" && r.remembers(n, funder):
		return r.recall(&query{t: t, n: n, barred: funder, funder: funder}, m)
	}
	return m
}

// Blind answers for a line whose filed EIN is hidden, as though its funder had
// filed no EINs at all: what the line itself taught the universe must not help
// to find it. With absent set, the organization of that EIN is taken out of the
// universe, which shows what the rules do with a recipient nobody knows.
func (r *Resolver) Blind(t *Tuple, n *orgname.Name, funder, absent ein.EIN) Match {
	line := *t
	line.Filed = ein.None
	return r.resolve(&query{t: &line, n: n, barred: funder, funder: funder, without: funder, absent: absent})
}

// Considers reports whether an organization is among the candidates of a line
// that is asked for blindly: what is not can be found by no model.
func (r *Resolver) Considers(t *Tuple, n *orgname.Name, funder, truth ein.EIN) bool {
	q := blindQuery(&Label{Tuple: *t, Name: n, Funder: funder}, ein.None)
	s := r.u.searches.get(len(r.u.details.k2))
	defer r.u.searches.pool.Put(s)
	r.candidates(q, s, r.aliases(q))
	for i := range s.found {
		if r.u.orgs[r.u.details.orgOf(s.found[i].name)].EIN == truth {
			return true
		}
	}
	return false
}

// Knows reports whether an organization would be in the universe had a funder
// filed no EINs.
func (r *Resolver) Knows(e, funder ein.EIN) bool {
	i, ok := r.u.position(e)
	return ok && !r.gone(&query{without: funder}, uint32(i))
}

// query is one tuple on its way through the rules, with what several of them
// look at.
type query struct {
	t       *Tuple
	n       *orgname.Name
	barred  ein.EIN // a rule that finds it has found nothing: the funder's own
	funder  ein.EIN // whose line it is, where that is to count
	without ein.EIN // a funder whose statements do not count
	absent  ein.EIN // an organization that is taken for unknown

	state  stateCode
	zip    uint32
	careOf bool   // the address is someone else's
	street string // key of the street, empty when it says nothing

	watched bool   // what it meets is to be remembered
	met     uint64 // digest of the candidates, where it came to these
}

// prepare reads the place of the line.
func (q *query) prepare() {
	q.state = lineState(q.t, q.n)
	zip5, _ := place.ZIP5(q.t.ZIP, q.state.String())
	q.zip = zipCode(zip5)
	// A line in care of a bank or an accountant has their address.
	q.careOf = q.n.CareOf || orgname.IsCareOf(q.t.Street)
}

// prepareStreet reads the street, which few lines come to need.
func (q *query) prepareStreet() {
	if !q.careOf && q.zip != 0 {
		q.street = orgname.StreetKey(q.t.Street)
	}
}

// resolve runs the rules in their order of execution.
func (r *Resolver) resolve(q *query) Match {
	t, n := q.t, q.n
	if row := r.opt.Human.find(t, n, ein.None); row != nil && (row.none || row.ein != q.barred) {
		return row.match()
	}
	q.prepare()
	named := ein.None // what the name says
	if !foreign(t) {
		named = r.byName(q)
	}
	if t.Filed != q.barred && r.u.prefixes.Has(t.Filed) {
		if !r.off[OverrideKeyError] {
			if e := r.meant(q, named); e != ein.None && e != q.barred {
				return found(OverrideKeyError, e)
			}
		}
		return found(Filed, t.Filed)
	}
	if named != ein.None && named != q.barred && !r.off[Name] && !r.atHome(q, named) {
		return found(Name, named)
	}
	if foreign(t) || n.KX == "" {
		return r.assisted(q)
	}
	return r.byEvidence(q)
}

// assisted looks for a ruling that a model proposed.
func (r *Resolver) assisted(q *query) Match {
	if row := r.opt.Assisted.find(q.t, q.n, ein.None); row != nil && (row.none || row.ein != q.barred) {
		return row.match()
	}
	return Match{}
}

// gone reports whether an organization does not exist for this query.
func (r *Resolver) gone(q *query, id uint32) bool {
	if q.without == ein.None && q.absent == ein.None {
		return false
	}
	o := &r.u.orgs[id]
	if o.EIN == q.absent {
		return true
	}
	return q.without != ein.None && o.Sources == FiledOnly && !r.u.registry.believed(o.EIN, q.without, r.u.details.kx[id])
}

// foreign reports whether the line has a foreign address; the rules that
// compare names and places are for US lines.
func foreign(t *Tuple) bool { return t.Country != "" }

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
	return ein.None
}

// atHome reports whether the line's very address, where the bearer of its name
// is not, is that of an organization whose name goes on where the line's ends:
// the chapter of a federation, more likely than the one that calls itself after
// the whole.
func (r *Resolver) atHome(q *query, bearer ein.EIN) bool {
	if len(q.n.KX) < minFuzzy || !r.away(q, bearer) {
		return false
	}
	for _, t := range r.tenants(q) {
		if kx := r.u.details.kx[t.id]; len(kx) > len(q.n.KX) && strings.HasPrefix(kx, q.n.KX) && !r.gone(q, t.id) {
			return true
		}
	}
	return false
}

// away reports whether an organization is not known to be in the line's ZIP.
func (r *Resolver) away(q *query, e ein.EIN) bool {
	i, ok := r.u.position(e)
	return ok && q.zip != 0 && !r.u.orgs[i].inZIP(q.zip)
}

// tenants are the organizations at the line's address, unless they are so many
// that it says nothing.
func (r *Resolver) tenants(q *query) []tenant {
	if q.prepareStreet(); q.street == "" {
		return nil
	}
	list := at(r.u.details.streets, streetPlace(q.zip, q.street))
	if len(list) > maxTenants {
		return nil
	}
	return list
}

// lineState is the state of the line's address, else the one its name ends in.
func lineState(t *Tuple, n *orgname.Name) stateCode {
	if st, ok := place.State(t.State); ok {
		return codeOf(st)
	}
	return codeOf(n.State)
}

// unique finds the one organization with the key, or none.
func (r *Resolver) unique(q *query, kx string, viaAlias bool) ein.EIN {
	n, entries := q.n, r.u.names.find(kx)
	if q.state != 0 {
		entries = inState(entries, q.state)
	} else if len(kx) < 10 || viaAlias || strings.IndexByte(n.K2, ' ') < 0 {
		return ein.None
	}
	var p pick
	for _, e := range entries {
		o := &r.u.orgs[e.id]
		if (e.alias || viaAlias) && satellite(n, o) || r.gone(q, e.id) {
			continue
		}
		if p.add(o, e.alias); p.many[0] {
			return ein.None
		}
	}
	return p.one(q.zip)
}

// pick finds the one organization among candidates. The active go before the
// inactive, and those whose own name it is before those that are also known by
// it, such as a trust for the benefit of a university. The chapters of a group
// that bear the name of its central organization stand behind that one.
type pick struct {
	found [4]*Org     // the first of its rank, or the central one of its group
	many  [4]bool     // there are others
	zips  [4][]uint32 // where chapters of found are
}

func (p *pick) add(o *Org, alias bool) {
	i := 0
	if !o.Active {
		i = 2
	}
	if alias {
		i++
	}
	f := p.found[i]
	switch {
	case f == nil || f == o:
		p.found[i] = o
	case f.Group != o.Group || !o.grouped() || f.central() == o.central() && o.central():
		p.many[i] = true
	default:
		if o.central() {
			p.found[i], o = o, f
		}
		p.zips[i] = append(p.zips[i], zipCode(o.ZIP5))
	}
}

// one is the EIN of the only candidate for a line in a ZIP, None when there is
// none or several. Where a chapter is and its central organization is not, the
// line may mean either.
func (p *pick) one(zip uint32) ein.EIN {
	for i, o := range p.found {
		if o == nil {
			continue
		}
		if p.many[i] || p.zips[i] != nil && (!o.central() || slices.Contains(p.zips[i], zip) && zipCode(o.ZIP5) != zip) {
			return ein.None
		}
		return o.EIN
	}
	return ein.None
}

// grouped reports whether the organization is covered by a group exemption.
func (o *Org) grouped() bool { return strings.Trim(o.Group, "0") != "" }

// central reports whether a group exemption is the organization's own.
func (o *Org) central() bool { return o.Affiliation == "6" || o.Affiliation == "8" }

// satellite reports whether the organization, met through another name of it or
// of the line, is by its own name a club, fund or union around the institution
// the line names.
func satellite(n *orgname.Name, o *Org) bool {
	return orgname.Conflicts(*n, orgname.Parse(o.Name))&orgname.Inst != 0
}

// FiledNameConflict reports whether the line states an EIN whose organization
// is known under names that have nothing in common with the line's: no word, no
// initials, neither key within the other. Such a line keeps its EIN; the build
// counts it.
func (r *Resolver) FiledNameConflict(t *Tuple, n *orgname.Name) bool {
	if t.Filed == ein.None || n.KX == "" {
		return false
	}
	o, ok := r.u.Lookup(t.Filed)
	if !ok {
		return false
	}
	if alike(n, o.Name) {
		return false
	}
	for _, a := range o.Aliases {
		if alike(n, a) {
			return false
		}
	}
	return true
}

func alike(n *orgname.Name, other string) bool {
	m := orgname.Parse(other)
	if related(n.K2, n.KX, m.K2, m.KX) || n.KA() == m.KX || m.KA() == n.KX {
		return true
	}
	for _, a := range n.Aliases {
		if p := orgname.Parse(a); related(p.K2, p.KX, m.K2, m.KX) {
			return true
		}
	}
	for _, a := range m.Aliases {
		if p := orgname.Parse(a); related(n.K2, n.KX, p.K2, p.KX) {
			return true
		}
	}
	return false
}

// related reports whether two names have a word of some weight or their letters
// in common.
func related(k2a, kxa, k2b, kxb string) bool {
	if kxa == "" || kxb == "" {
		return true
	}
	if strings.Contains(kxa, kxb) || strings.Contains(kxb, kxa) {
		return true
	}
	for w := range strings.FieldsSeq(k2a) {
		if len(w) < 3 || commonWord(w) {
			continue
		}
		for v := range strings.FieldsSeq(k2b) {
			if w == v {
				return true
			}
		}
	}
	return false
}

// commonWord reports whether a word is so usual in names that sharing it says
// nothing.
func commonWord(w string) bool {
	switch w {
	case "FOUNDATION", "ASSOCIATION", "CENTER", "COMMUNITY", "SERVICES", "SERVICE", "FUND", "TRUST",
		"AMERICAN", "NATIONAL", "SOCIETY", "ORGANIZATION", "COUNCIL", "CLUB", "GROUP", "PROGRAM", "PROJECT":
		return true
	}
	return false
}
