package synth

// Funders are numbered by size. What kind one is goes by its number in a fixed pattern rather than by chance,
// so that the shares hold in small worlds too.
var funderKinds = func() (t [128]class) {
	i := 0
	for _, kind := range []struct {
		class class
		n     int
	}{
		{familyFoundation, 58}, {corporateFoundation, 7}, {bankTrust, 8}, {scholarshipFund, 8}, {operatingFoundation, 3},
		{communityFoundation, 6}, {unitedFund, 6}, {regranter, 18}, {supporter, 11}, {faithFund, 3},
	} {
		for range kind.n {
			t[i*77%128] = kind.class
			i++
		}
	}
	return t
}()

// largestFunders are the classes of the first funders.
var largestFunders = [...]class{donorAdvised, corporateFoundation, communityFoundation, donorAdvised, familyFoundation, regranter, familyFoundation,
	communityFoundation, unitedFund, familyFoundation, donorAdvised, regranter, familyFoundation, familyFoundation}

func funderClass(r int) class {
	switch {
	case r < len(largestFunders):
		return largestFunders[r]
	case r%701 == 700:
		return donorAdvised
	}
	return funderKinds[r%128]
}

func (w *world) funder(r int, e *entity) {
	key := sub(w.seed, 'F', r)
	w.become(e, entity{id: idFunder + r, key: key, rank: r, class: funderClass(r), slot: scale(sub(key, 'S', 0), len(w.slots)), listed: true})
	n := newNamer(sub(key, 'n', 0), nil)
	n.firm = n.r.of(firms)
	if e.class == supporter {
		w.supporter(e, key)
	}
	w.locate(e)
	n.zip = e.zip
	w.nameByClass(e, &n)
	w.finish(e, &n)
	// A year's own expenses beside the grants.
	e.money = 13*one + n.r.n(3*one)
	if !e.class.is(privateFoundation) {
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
	if standsAlone(&b) || b.base >= 0 {
		e.class = regranter
		return
	}
	e.base = i
	e.slot = b.slot
	e.field = b.field
	if odds(sub(key, 'b', 1), 2500) {
		e.core = join(e.core, "Friends of ", b.core)
		return
	}
	e.core = join(e.core, b.core, " Foundation")
}
