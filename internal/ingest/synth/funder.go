package synth

// Funders are numbered by size. What kind one is goes by its number in a
// fixed pattern rather than by chance, so that the shares hold in small
// worlds too.
var funderKinds = func() [128]class {
	var t [128]class
	i := 0
	put := func(n int, c class) {
		for range n {
			t[i*77%128] = c
			i++
		}
	}
	put(58, familyFoundation)
	put(7, corporateFoundation)
	put(8, bankTrust)
	put(8, scholarshipFund)
	put(3, operatingFoundation)
	put(6, communityFoundation)
	put(6, unitedFund)
	put(18, regranter)
	put(11, supporter)
	put(3, faithFund)
	return t
}()

func funderClass(r int) class {
	switch r {
	case 0, 3, 10:
		return donorAdvised
	case 1:
		return corporateFoundation
	case 2, 7:
		return communityFoundation
	case 4, 6, 9, 12, 13:
		return familyFoundation
	case 5, 11:
		return regranter
	case 8:
		return unitedFund
	}
	if r%701 == 700 {
		return donorAdvised
	}
	return funderKinds[r%128]
}

// files990PF reports whether funders of this class are private foundations.
func (c class) files990PF() bool {
	switch c {
	case familyFoundation, corporateFoundation, bankTrust, scholarshipFund, operatingFoundation:
		return true
	}
	return false
}

// funder puts funder r together.
func (w *world) funder(r int, e *entity) {
	key := sub(w.seed, 'F', r)
	*e = entity{id: idFunder + r, key: key, ein: w.ein(idFunder + r), rank: r, base: -1, class: funderClass(r),
		core: e.core[:0], old: e.old[:0], alias: e.alias[:0], street: e.street[:0]}
	e.slot = scale(sub(key, 'S', 0), len(w.slots))
	n := namer{r: rng{sub(key, 'n', 0)}}
	n.sur = n.r.of(surnames)
	n.firm = n.r.of(firms)
	if e.class == supporter {
		w.supporter(e, key)
	}
	w.locate(e)
	n.zip = e.zip
	e.section = "03"
	e.listed = true
	switch e.class {
	case communityFoundation:
		e.field = causeCommunity
	case unitedFund:
		e.field = fieldIndex("T70")
	case scholarshipFund:
		e.field = causeScholar
	case faithFund:
		e.field = fieldIndex("X20")
	case regranter:
		e.field = generalFields[n.r.n(len(generalFields))]
	case supporter:
	default:
		e.field = causeFound
	}
	n.field = e.field
	if e.class == familyFoundation || e.class == operatingFoundation || e.class == bankTrust {
		e.surname = n.sur
	}
	if e.class != supporter {
		t := classTemplates[e.class]
		e.core = n.expand(e.core, t[n.r.n(len(t))])
	}
	w.finish(e, &n)
	// A year's own expenses beside the grants.
	e.money = 13*one + n.r.n(3*one)
	if !e.class.files990PF() {
		e.money += 4 * one
	}
	e.money += log2(uint64(w.planned(r)+1)) / 2
}

// supporter names a fund-raising body after an organization of its area.
func (w *world) supporter(e *entity, key uint64) {
	var b entity
	q := zipf(sub(key, 'b', 0), max(w.orgs/len(w.slots), 1), 1)
	i := min(q*len(w.slots)+e.slot, w.orgs-1)
	w.org(i, &b)
	if b.class == church || b.class == government || b.class == familyFoundation || b.base >= 0 {
		e.class = regranter
		return
	}
	e.base = i
	e.slot = b.slot
	e.field = b.field
	if odds(sub(key, 'b', 1), 2500) {
		e.core = append(append(e.core, "Friends of "...), b.core...)
		return
	}
	e.core = append(append(e.core, b.core...), " Foundation"...)
}
