package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"grantgraph/internal/meaning"
	"grantgraph/internal/serve/search/words"
	"grantgraph/internal/stem"
)

const (
	nearest  = 1_000 // organizations nearest in meaning
	anyWords = 150   // matches by some of the words whose cosine is computed
	maxFused = 200   // nearest organizations whose words are scored

	// What hybrid search adds to the cosine. An organization that has nearly all of the words answers better than one that only
	// means something similar. One that has some of them need not. Among equals the prominent organization comes first.
	fuseWords      = 0.25
	nearlyAll      = 0.8 // share of the question from which its words count
	fuseProminence = 0.15

	// A match is strong from strongCosine up, and no match below weakCosine.
	strongCosine = 0.42
	weakCosine   = 0.12

	nearCity = 0.1 // added for an organization in the city asked for
	farAway  = 0.2 // subtracted for an organization outside the state asked for
)

type meaningSearch struct {
	x       *Index
	vector  meaning.Vector
	cosines map[uint32]float32
	states  []string
	city    string
	best    map[uint32]found
}

// byMeaning searches by meaning and, if hybrid, by names and words too.
func (x *Index) byMeaning(ctx context.Context, q string, within []uint64, hybrid bool, names []found, set []uint64) (list []found, hits int, err error) {
	asked, states, city := SplitPlace(q)
	near := within
	if len(states) > 0 {
		near = x.inState(within, states...)
	}
	m := &meaningSearch{x: x, vector: x.model.Query(asked), cosines: map[uint32]float32{}, states: states, city: city, best: make(map[uint32]found, nearest)}
	var docs []uint32
	for _, h := range x.vectors.Nearest(ctx, &m.vector, near, nearest) {
		if int(h.Doc) < len(x.orgs) {
			docs = append(docs, h.Doc)
			m.cosines[h.Doc] = h.Cosine
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	if hybrid {
		err = m.merge(ctx, q, within, names, docs[:min(len(docs), maxFused)])
	} else {
		for _, org := range docs {
			if c := m.cosine(org); c >= weakCosine {
				m.best[org] = byCosine(org, c, 1-strongCosine)
			}
		}
	}
	if err != nil {
		return nil, 0, err
	}
	for org, f := range m.best {
		put(set, org)
		list = append(list, f)
	}
	return list, len(m.best), nil
}

// cosine is how near an organization is to the question in meaning and place.
func (m *meaningSearch) cosine(org uint32) float32 {
	c := m.cosines[org]
	if _, in := m.x.texts(&m.x.orgs[org]); m.city != "" && strings.EqualFold(string(in), m.city) {
		c += nearCity
	}
	if m.x.elsewhere(org, m.states) {
		c -= farAway
	}
	return c
}

// fuse adds a match of hybrid search with the score of its words. As in text mode, an organization
// outside the places asked for is a weak match.
func (m *meaningSearch) fuse(org uint32, s words.Score) {
	c := m.cosine(org) + fuseWords*max(0, s.Share-nearlyAll)/(1-nearlyAll)
	if c < weakCosine {
		return
	}
	p := m.x.prominence(org)
	f := byCosine(org, c+fuseProminence*p, 1-strongCosine+fuseWords+fuseProminence)
	if m.x.elsewhere(org, m.states) {
		f.class, f.score = weak, f.score/2
	} else if s.Name > 0 && s.Share >= leastKnownShare && p >= leastKnown && m.cosines[org] >= leastKnownCosine {
		f.known = p * s.Share
	}
	m.best[org] = f
}

func (x *Index) prominence(org uint32) float32 {
	if e := x.openEngine(); e != nil {
		return e.Prominence(org)
	}
	return 0
}

// merge is hybrid search: it merges the nearest organizations by meaning with the matches by name
// and words. A good match by name alone stays where text mode has it.
func (m *meaningSearch) merge(ctx context.Context, q string, within []uint64, names []found, docs []uint32) (err error) {
	x := m.x
	// The search by words scores docs. It also returns, as more, organizations that have rare words but rank low by meaning.
	for _, h := range names {
		docs = append(docs, h.org)
	}
	scores := make([]words.Score, len(docs))
	var more []words.Score
	if x.words != nil {
		question := x.words.Parse(q)
		rank := func(s words.Score) float32 { return s.Share + s.Name + x.prominence(s.Org) }
		if more, scores, err = x.words.Any(ctx, &question, within, anyWords, words.Effort{Read: 5_000, Rescued: anyWords}, rank, docs); err != nil {
			return err
		}
	}
	for _, h := range x.vectors.Nearest(ctx, &m.vector, x.without(m.cosines, names, more), len(names)+len(more)) {
		m.cosines[h.Doc] = h.Cosine
	}
	for org := range m.cosines {
		if int(org) < len(x.orgs) {
			m.fuse(org, words.Score{})
		}
	}
	for i, org := range docs {
		m.fuse(org, scores[i])
	}
	for _, s := range more {
		if int(s.Org) < len(x.orgs) {
			m.fuse(s.Org, s)
		}
	}
	// A person who types a name wants that organization, even if the name says little.
	for _, f := range names {
		if f.class > weak && f.better(m.best[f.org]) < 0 {
			m.best[f.org] = f
		}
	}
	return nil
}

// without is the set of the matches by name and words that have no cosine yet.
func (x *Index) without(cosines map[uint32]float32, names []found, more []words.Score) []uint64 {
	set := make([]uint64, (len(x.orgs)+63)/64)
	add := func(org uint32) {
		if _, ok := cosines[org]; !ok {
			put(set, org)
		}
	}
	for _, h := range names {
		add(h.org)
	}
	for _, s := range more {
		add(s.Org)
	}
	return set
}

// byCosine is a match by meaning; the best is at most room above the strong limit.
func byCosine(org uint32, c, room float32) found {
	if c >= strongCosine {
		return found{org: org, class: strong, score: strong.scaled((c - strongCosine) / room), order: c}
	}
	return found{org: org, class: weak, score: weak.scaled(0.5 + 0.5*(c-weakCosine)/(strongCosine-weakCosine)), order: c}
}

// Near is an organization similar in meaning to another.
type Near struct {
	Org    uint32
	Cosine float32
}

// NearestTo lists the organizations most similar in meaning to org, nearest first, without org. It
// is empty if there are no vectors or org has no document.
func (x *Index) NearestTo(org uint32, k int) []Near {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed || x.vectors == nil || int(org) >= len(x.orgs) || k <= 0 {
		return nil
	}
	v := x.vectors.Vector(org)
	var list []Near
	for _, h := range x.vectors.Nearest(context.Background(), &v, nil, min(k, nearest)+1) {
		if h.Doc != org && int(h.Doc) < len(x.orgs) && len(list) < k {
			list = append(list, Near{Org: h.Doc, Cosine: h.Cosine})
		}
	}
	return list
}

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
