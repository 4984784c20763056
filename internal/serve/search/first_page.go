package search

import (
	"cmp"
	"slices"

	"grantgraph/internal/stem"
)

// The first page of hybrid search has places for organizations that everybody knows
// in the field, and only one for the chapters of a family.
const (
	pageLength  = 10
	maxSpread   = 30 // results among which chapters are looked for
	knownFrom   = 5  // results that come before the well-known organizations
	knownPlaces = 2

	// An organization as prominent as leastKnown is well known. It fits if its name has a word of the
	// question, its texts have that share of it, and its meaning is that near.
	leastKnown       = 0.3
	leastKnownShare  = 0.3
	leastKnownCosine = 0.36

	leastAlike = 0.8 // cosine of two chapters of one family
)

// spread arranges the beginning of a list. It leaves alone what precedes the first result that was not found by name, and
// results of another class. No result is added or lost, and the order does not depend on how many results are shown.
func (x *Index) spread(q string, list []found) {
	from := 0
	for from < len(list) && list[from].named {
		from++
	}
	to := from
	for to < len(list) && list[to].class == list[from].class && !list[to].named {
		to++
	}
	part := list[from:to]
	placeKnown(part, max(0, knownFrom-from))
	x.deferChapters(q, part[:min(len(part), maxSpread)], max(0, pageLength-from))
	for i := 1; i < len(part); i++ {
		part[i].score = min(part[i].score, part[i-1].score)
	}
}

// placeKnown moves the best-known organizations that fit up to place at.
func placeKnown(list []found, at int) {
	var best []int
	for i := range list {
		if list[i].known > 0 {
			best = append(best, i)
		}
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(list[b].known, list[a].known) })
	best = best[:min(len(best), knownPlaces)]
	slices.Sort(best)
	for _, i := range best {
		if i > at {
			f := list[i]
			copy(list[at+1:i+1], list[at:i])
			list[at] = f
			at++
		}
	}
}

// deferChapters gives the chapters of a family one place on the first page: that of the best, for the most prominent. The
// others follow after the page. A question that names the family asks for its chapters, so they stay.
func (x *Index) deferChapters(q string, list []found, page int) {
	var asked []string
	for w := range stem.Words(q) {
		asked = append(asked, stem.Of(w))
	}
	families := make([][2]string, len(list))
	var first, others []int
	for i := range list {
		families[i] = x.family(list[i].org)
		leader := -1
		if f := families[i]; f[1] != "" && !(slices.Contains(asked, f[0]) && slices.Contains(asked, f[1])) {
			leader = slices.IndexFunc(first, func(j int) bool { return families[j] == f && x.alike(list[i].org, list[j].org) })
		}
		if leader < 0 {
			first = append(first, i)
			continue
		}
		others = append(others, i)
		if j := first[leader]; x.prominence(list[i].org) > x.prominence(list[j].org) {
			list[i], list[j] = list[j], list[i]
		}
	}
	if len(others) == 0 {
		return
	}
	rest := slices.Concat(first[min(page, len(first)):], others)
	slices.Sort(rest)
	old := slices.Clone(list)
	for to, i := range slices.Concat(first[:min(page, len(first))], rest) {
		list[to] = old[i]
	}
}

// family is the first two stems of a name without small words; the second may be empty.
func (x *Index) family(org uint32) (f [2]string) {
	n := 0
	for w := range stem.Words(string(x.nameOf(org))) {
		if len(w) > 3 && n < len(f) {
			f[n] = stem.Of(w)
			n++
		}
	}
	return f
}

// alike reports whether two organizations say nearly the same of themselves.
func (x *Index) alike(a, b uint32) bool {
	v, w := x.vectors.Vector(a), x.vectors.Vector(b)
	return v.Dot(&w) >= leastAlike
}
