package resolve

import (
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
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
func (r *Resolver) byEvidence(t *Tuple, n *orgname.Name, barred ein.EIN) Match {
	state := lineState(t, n)
	zip5, _ := place.ZIP5(t.ZIP, state.String())
	zip := zipCode(zip5)
	d := &r.u.details
	fires := func(e ein.EIN) bool { return e != ein.None && e != barred }

	traits := orgname.TraitsOf(n.K2)
	known := r.aliases(n)
	if e := r.dominant(n, known, state); fires(e) && !r.strange(&traits, e) {
		return found(RegistryDominant, e)
	}
	// A name that some organization in the state bears is not misspelled.
	if zip != 0 && len(n.KX) >= minFuzzy && len(inState(r.u.names.find(n.KX), state)) == 0 {
		if e := r.fuzzy(n, &traits, zip); fires(e) {
			return found(Fuzzy, e)
		}
	}
	if e := r.registered(n, known, state); fires(e) && !r.strange(&traits, e) {
		return found(Registry, e)
	}
	// A line in care of a bank or an accountant has their address.
	if n.CareOf || orgname.IsCareOf(t.Street) {
		return Match{}
	}
	var tenants []tenant
	var words phrase
	if key := orgname.StreetKey(t.Street); key != "" && zip != 0 {
		if tenants = at(d.streets, streetPlace(zip, key)); len(tenants) > maxTenants {
			tenants = nil
		}
		words = d.phrase(n.K2)
	}
	if e := r.address(n, &traits, &words, tenants); fires(e) {
		return found(Address, e)
	}
	if e := r.exact(t, n, state, zip); fires(e) {
		return found(ZIP, e)
	}
	if zip != 0 {
		if e := r.reordered(n, zip); fires(e) {
			return found(ZIP, e)
		}
	}
	if e := r.street(&traits, &words, tenants); fires(e) {
		return found(Street, e)
	}
	return Match{}
}

// fuzzy finds the organization in the ZIP whose key is one edit away.
func (r *Resolver) fuzzy(n *orgname.Name, traits *orgname.Traits, zip uint32) ein.EIN {
	d := &r.u.details
	var p pick
	for _, t := range at(d.zips, uint64(zip)) {
		if !oneEdit(n.KX, d.kx[t.id]) {
			continue
		}
		if other := orgname.TraitsOf(d.k2[t.id]); traits.Conflicts(&other)&hard == 0 {
			p.add(&r.u.orgs[t.id])
		}
	}
	return p.one()
}

// address finds the organization at the line's street address with most of the
// weight of its name in common, or the only one there by its initials.
func (r *Resolver) address(n *orgname.Name, traits *orgname.Traits, words *phrase, tenants []tenant) ein.EIN {
	d := &r.u.details
	var p pick
	for _, t := range tenants {
		overlap, _ := d.compare(words, t.id)
		if len(tenants) == 1 && len(n.KX) >= 3 && n.KX == (orgname.Name{K2: d.k2[t.id]}).KA() {
			return r.u.orgs[t.id].EIN
		}
		if overlap < addressOverlap {
			continue
		}
		if other := orgname.TraitsOf(d.k2[t.id]); traits.Conflicts(&other) == 0 {
			p.add(&r.u.orgs[t.id])
		}
	}
	return p.one()
}

// exact tells organizations of one name in one state apart by ZIP, else by
// city.
func (r *Resolver) exact(t *Tuple, n *orgname.Name, state stateCode, zip uint32) ein.EIN {
	if state == 0 {
		return ein.None
	}
	entries := inState(r.u.names.find(n.KX), state)
	if len(entries) == 0 {
		return ein.None
	}
	only := func(is func(e *nameEntry, o *Org) bool) ein.EIN {
		var p pick
		for i := range entries {
			e := &entries[i]
			if o := &r.u.orgs[e.id]; is(e, o) && !(e.alias && satellite(n, o)) {
				p.add(o)
			}
		}
		return p.one()
	}
	if zip != 0 {
		if e := only(func(_ *nameEntry, o *Org) bool { return o.inZIP(zip) }); e != ein.None {
			return e
		}
	}
	city := cityPlace(t.City)
	if city == 0 {
		return ein.None
	}
	return only(func(e *nameEntry, o *Org) bool {
		return r.u.details.cities[e.id] == city && codeOf(o.State) == state || o.hadCity(city, state)
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
func (r *Resolver) reordered(n *orgname.Name, zip uint32) ein.EIN {
	d := &r.u.details
	var p pick
	bag := ""
	for _, t := range at(d.zips, uint64(zip)) {
		if len(d.kx[t.id]) != len(n.KX) || d.kx[t.id] == n.KX {
			continue
		}
		if bag == "" {
			bag = n.KB()
		}
		if (orgname.Name{K2: d.k2[t.id]}).KB() == bag {
			p.add(&r.u.orgs[t.id])
		}
	}
	return p.one()
}

// street finds the only active organization at the line's street address, if
// the names share a word of weight.
func (r *Resolver) street(traits *orgname.Traits, words *phrase, tenants []tenant) ein.EIN {
	d := &r.u.details
	alone := -1
	for _, t := range tenants {
		if !r.u.orgs[t.id].Active {
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
	if other := orgname.TraitsOf(d.k2[id]); traits.Conflicts(&other)&hard != 0 {
		return ein.None
	}
	return r.u.orgs[id].EIN
}

// meant finds the organization whose EIN the filer mistyped: the one that the
// name, or the name and the place, leads to, one slip away from what was filed,
// unless what was filed is an organization the line could mean.
func (r *Resolver) meant(t *Tuple, n *orgname.Name, named ein.EIN) ein.EIN {
	if foreign(t) || n.KX == "" {
		return ein.None
	}
	if named == ein.None {
		state := lineState(t, n)
		zip5, _ := place.ZIP5(t.ZIP, state.String())
		named = r.exact(t, n, state, zipCode(zip5))
	}
	if named == ein.None || !oneSlip(t.Filed, named) {
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
	if r.u.orgs[i].State == lineState(t, n).String() && overlap >= strangeOverlap {
		return ein.None
	}
	return named
}
