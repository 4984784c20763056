package resolve

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
)

// Cuts of the rules that compare words. A rarity of 4 is a word that fewer
// than one name in fifty has.
const (
	rareWord       = 4
	addressOverlap = 0.55
	strangeOverlap = 0.2
	minFuzzy       = 8
)

// hard are the conflicts between two names that no rule overlooks unless the
// names are equal.
const hard = orgname.Num | orgname.Dir | orgname.Inst | orgname.Aff

// byEvidence runs the rules for a line whose name is not unique, or not quite an
// organization's: they ask what other filers meant by it, or for agreement of
// place as well.
func (r *Resolver) byEvidence(q *query) Match {
	n, d := q.n, &r.u.details
	fires := func(rule Rule, e ein.EIN) bool { return e != ein.None && e != q.barred && !r.off[rule] }

	traits := orgname.TraitsOf(n.K2)
	known := r.aliases(q)
	if e := r.dominant(q, known); fires(RegistryDominant, e) && !r.strange(&traits, e) {
		return found(RegistryDominant, e)
	}
	// A name that some organization in the state bears is not misspelled.
	if q.zip != 0 && len(n.KX) >= minFuzzy && !r.borne(q) {
		if e := r.fuzzy(q, &traits); fires(Fuzzy, e) {
			return found(Fuzzy, e)
		}
	}
	if m := r.assisted(q); m != (Match{}) {
		return m
	}
	if e := r.registered(q, known); fires(Registry, e) && !r.strange(&traits, e) {
		return found(Registry, e)
	}
	tenants := r.tenants(q)
	var words phrase
	if q.street != "" {
		words = d.phrase(n.K2)
	}
	if !q.careOf {
		if e := r.address(q, &traits, &words, tenants); fires(Address, e) {
			return found(Address, e)
		}
		if e := r.exact(q); fires(ZIP, e) {
			return found(ZIP, e)
		}
		if q.zip != 0 {
			if e := r.reordered(q); fires(ZIP, e) {
				return found(ZIP, e)
			}
		}
		if e := r.street(q, &traits, &words, tenants); fires(Street, e) {
			return found(Street, e)
		}
	}
	if !r.models() {
		return Match{}
	}
	return r.byModel(q, known)
}

// models reports whether the model is asked at all.
func (r *Resolver) models() bool { return r.opt.Model != nil && !r.off[grant.Model] }

// borne reports whether some organization in the line's state bears its name.
func (r *Resolver) borne(q *query) bool {
	for _, e := range inState(r.u.names.find(q.n.KX), q.state) {
		if !r.gone(q, e.id) {
			return true
		}
	}
	return false
}

// fuzzy finds the organization in the ZIP whose key is one edit away.
func (r *Resolver) fuzzy(q *query, traits *orgname.Traits) ein.EIN {
	n, d := q.n, &r.u.details
	var p pick
	for _, t := range at(d.zips, uint64(q.zip)) {
		if !oneEdit(n.KX, d.kx[t.id]) || r.gone(q, t.id) {
			continue
		}
		if other := d.traits(t.id); traits.Conflicts(&other)&hard == 0 {
			p.add(&r.u.orgs[t.id], false)
		}
	}
	return p.one(q.zip)
}

// address finds the organization at the line's street address with most of the
// weight of its name in common, or the only one there by its initials.
func (r *Resolver) address(q *query, traits *orgname.Traits, words *phrase, tenants []tenant) ein.EIN {
	n, d := q.n, &r.u.details
	var p pick
	for _, t := range tenants {
		if r.gone(q, t.id) {
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

// exact tells organizations of one name in one state apart by ZIP, else by
// city.
func (r *Resolver) exact(q *query) ein.EIN {
	t, n, state, zip := q.t, q.n, q.state, q.zip
	if state == 0 {
		return ein.None
	}
	entries := inState(r.u.names.find(n.KX), state)
	if len(entries) == 0 {
		return ein.None
	}
	d := &r.u.details
	only := func(is func(id uint32) bool) ein.EIN {
		var p pick
		for i := range entries {
			e := &entries[i]
			if !is(e.id) || r.gone(q, e.id) {
				continue
			}
			if o := &r.u.orgs[e.id]; !(e.alias && satellite(n, o)) {
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
	n, d := q.n, &r.u.details
	var p pick
	bag := ""
	for _, t := range at(d.zips, uint64(q.zip)) {
		if len(d.kx[t.id]) != len(n.KX) || d.kx[t.id] == n.KX {
			continue
		}
		if bag == "" {
			bag = n.KB()
		}
		if (orgname.Name{K2: d.k2[t.id]}).KB() == bag && !r.gone(q, t.id) {
			p.add(&r.u.orgs[t.id], false)
		}
	}
	return p.one(q.zip)
}

// street finds the only active organization at the line's street address, if
// the names share a word of weight.
func (r *Resolver) street(q *query, traits *orgname.Traits, words *phrase, tenants []tenant) ein.EIN {
	d := &r.u.details
	alone := -1
	for _, t := range tenants {
		if !r.u.orgs[t.id].Active || r.gone(q, t.id) {
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
	if other := d.traits(id); traits.Conflicts(&other)&hard != 0 {
		return ein.None
	}
	return r.u.orgs[id].EIN
}

// meant finds the organization whose EIN the filer mistyped: the one that the
// name, the name and the place, or nearly all other filers lead to, one slip away
// from what was filed, unless what was filed is an organization the line could
// mean.
func (r *Resolver) meant(q *query, named ein.EIN) ein.EIN {
	t, n := q.t, q.n
	if foreign(t) || n.KX == "" {
		return ein.None
	}
	if named == ein.None {
		named = r.exact(q)
	}
	if named == ein.None {
		named = r.intended(q)
	}
	if named == ein.None || !ein.OneSlip(t.Filed, named) {
		return ein.None
	}
	i, ok := r.u.position(t.Filed)
	if !ok {
		return named
	}
	d := &r.u.details
	words := d.phrase(n.K2)
	overlap, rarest := d.compare(&words, uint32(i))
	if rarest >= rareWord {
		return ein.None
	}
	if codeOf(r.u.orgs[i].State) == q.state && overlap >= strangeOverlap {
		return ein.None
	}
	return named
}

// intended finds the EIN that filers nearly always state for the line's name, if
// it is one slip away from what the line states.
func (r *Resolver) intended(q *query) ein.EIN {
	known := r.aliases(q)
	if !slices.ContainsFunc(known, func(a alias) bool { return ein.OneSlip(q.t.Filed, a.ein) }) {
		return ein.None
	}
	e := r.dominating(q, known)
	if traits := orgname.TraitsOf(q.n.K2); e != ein.None && r.strange(&traits, e) {
		return ein.None
	}
	return e
}
