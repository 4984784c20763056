package resolve

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// Cuts of the rules that compare words. A rarity of 4 is a word that fewer
// than one name in fifty has.
const (
	rareWord       = 4
	addressOverlap = 0.55
	minFuzzy       = 8
)

// hardConflicts are the conflicts between two names that no rule overlooks
// unless the names are equal.
const hardConflicts = orgname.Num | orgname.Dir | orgname.Inst | orgname.Aff

// nameBorneInState reports whether some organization in the line's state bears
// its name.
func (r *Resolver) nameBorneInState(q *query) bool {
	for _, e := range inState(r.u.names.find(q.n.KX), q.state) {
		if !r.excluded(q, e.id) {
			return true
		}
	}
	return false
}

// fuzzy finds the organization in the ZIP whose key is one edit away.
func (r *Resolver) fuzzy(q *query, traits *orgname.Traits) ein.EIN {
	n, d := q.n, &r.u.index
	var p soleOrg
	for _, t := range tenantsAt(d.zips, uint64(q.zip)) {
		if !oneEdit(n.KX, d.kx[t.id]) || r.excluded(q, t.id) {
			continue
		}
		if other := d.traits(t.id); traits.Conflicts(&other)&hardConflicts == 0 {
			p.add(&r.u.orgs[t.id], false)
		}
	}
	return p.one(q.zip)
}

// address finds the organization at the line's street address with most of the
// weight of its name in common, or the only one there by its initials.
func (r *Resolver) address(q *query, traits *orgname.Traits, words *lineWords, tenants []tenant) ein.EIN {
	n, d := q.n, &r.u.index
	var p soleOrg
	for _, t := range tenants {
		if r.excluded(q, t.id) {
			continue
		}
		overlap, _ := d.compare(words, t.id)
		if len(tenants) == 1 && len(n.KX) >= 3 && n.KX == (orgname.Name{K2: d.k2[t.id]}).KA() {
			return r.u.orgs[t.id].EIN
		}
		if overlap < addressOverlap {
			continue
		}
		if other := d.traits(t.id); traits.Conflicts(&other) == 0 {
			p.add(&r.u.orgs[t.id], false)
		}
	}
	return p.one(q.zip)
}

// sameNameByPlace tells organizations of one name in one state apart by ZIP,
// else by city.
func (r *Resolver) sameNameByPlace(q *query) ein.EIN {
	t, n, state, zip := q.t, q.n, q.state, q.zip
	if state == 0 {
		return ein.None
	}
	entries := inState(r.u.names.find(n.KX), state)
	if len(entries) == 0 {
		return ein.None
	}
	d := &r.u.index
	only := func(is func(id uint32) bool) ein.EIN {
		var p soleOrg
		for i := range entries {
			e := &entries[i]
			if !is(e.id) || r.excluded(q, e.id) {
				continue
			}
			if o := &r.u.orgs[e.id]; !(e.alias && isAffiliate(n, o)) {
				p.add(o, e.alias)
			}
		}
		return p.one(q.zip)
	}
	if zip != 0 {
		if e := only(func(id uint32) bool { return d.zipOf[id] == zip || d.moved[id] && r.u.orgs[id].inZIP(zip) }); e != ein.None {
			return e
		}
	}
	city := cityPlace(t.City)
	if city == 0 {
		return ein.None
	}
	return only(func(id uint32) bool {
		return d.cities[id] == city && d.stateOf[id] == state || d.moved[id] && r.u.orgs[id].hadCity(city, state)
	})
}

// inZIP reports whether any address of the organization is in a ZIP.
func (o *Org) inZIP(zip uint32) bool {
	if zipCode(o.ZIP5) == zip {
		return true
	}
	for i := range o.Others {
		if zipCode(o.Others[i].ZIP5) == zip {
			return true
		}
	}
	return false
}

// hadCity reports whether an address of the organization besides its own is in
// a city.
func (o *Org) hadCity(city uint64, state stateCode) bool {
	for i := range o.Others {
		if l := &o.Others[i]; codeOf(l.State) == state && cityPlace(l.City) == city {
			return true
		}
	}
	return false
}

// reordered finds the only organization in the ZIP whose name has the same
// words in another order.
func (r *Resolver) reordered(q *query) ein.EIN {
	n, d := q.n, &r.u.index
	var p soleOrg
	bag := ""
	for _, t := range tenantsAt(d.zips, uint64(q.zip)) {
		if len(d.kx[t.id]) != len(n.KX) || d.kx[t.id] == n.KX {
			continue
		}
		if bag == "" {
			bag = n.KB()
		}
		if (orgname.Name{K2: d.k2[t.id]}).KB() == bag && !r.excluded(q, t.id) {
			p.add(&r.u.orgs[t.id], false)
		}
	}
	return p.one(q.zip)
}

// street finds the only active organization at the line's street address, if
// the names share a word of weight.
func (r *Resolver) street(q *query, traits *orgname.Traits, words *lineWords, tenants []tenant) ein.EIN {
	d := &r.u.index
	alone := -1
	for _, t := range tenants {
		if !r.u.orgs[t.id].Active || r.excluded(q, t.id) {
			continue
		}
		if alone >= 0 {
			return ein.None
		}
		alone = int(t.id)
	}
	if alone < 0 {
		return ein.None
	}
	id := uint32(alone)
	if _, rarest := d.compare(words, id); rarest < rareWord {
		return ein.None
	}
	if other := d.traits(id); traits.Conflicts(&other)&hardConflicts != 0 {
		return ein.None
	}
	return r.u.orgs[id].EIN
}
