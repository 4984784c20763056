package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/place"
	"grantgraph/internal/serve/search/words"
)

// Mode is how a question is understood.
type Mode string

const (
	Text     Mode = "text"     // by names and by words
	Semantic Mode = "semantic" // by meaning
	Hybrid   Mode = "hybrid"   // by both
)

// Ask is a question.
type Ask struct {
	Text   string
	Mode   Mode
	Within []uint64 // the organizations that are looked for, a bit for each number; nil for all
	State  string   // two letters; only organizations there are found; empty for anywhere
	Limit  int      // best results wanted, at most MaxLimit; 0 and less mean 10
}

// MaxLimit bounds the results of a question.
const MaxLimit = 10_000

// Answer is what was found.
type Answer struct {
	Mode    Mode     // that was served: Text where there are no vectors
	Hits    int      // organizations that match in all
	Results []Result // best first; none is before one of a better class
}

// Bounds and weights of the modes.
const (
	enough   = 20    // matches from which weak ones are not looked for
	maxWeak  = 100   // weak matches by words
	nearest  = 1_000 // organizations that mean about the same
	maxNames = 200   // matches by name
	anyWords = 150   // matches by some of the words that are compared by meaning
	maxFused = 200   // nearest organizations whose words are looked at

	// What the best names and texts count beside the cosine.
	fuseName = 0.6
	fuseText = 0.1

	// Cosines with a question: from which a match is strong, and below which
	// it is none.
	strongCosine = 0.42
	weakCosine   = 0.12

	nearCity = 0.1 // added for an organization in the city asked for
	farAway  = 0.2 // taken off for one that is in another state than the one asked for
)

// found is an organization on its way into an answer.
type found struct {
	org   uint32
	class class
	score float32 // on the scale of all questions
	order float32 // tells those of the same score apart
}

func (f found) better(g found) int {
	return cmp.Or(cmp.Compare(g.class, f.class), cmp.Compare(g.score, f.score), cmp.Compare(g.order, f.order), cmp.Compare(f.org, g.org))
}

// Search finds the organizations that a question may mean, best first. A
// question of fewer than two characters finds nothing.
//
// In text mode an organization matches when every word of the question is in
// its names, its place or its documents, by stem, or when its name has every
// word misspelled, in its long form or as initials. When fewer than a page
// match, those that have some of the words follow, as weak matches. In the other
// modes those match whose meaning is near enough, among the nearest 1,000; and
// in hybrid mode those whose name does.
func (x *Index) Search(ctx context.Context, a Ask) (Answer, error) {
	ans, _, err := x.search(ctx, a, false)
	return ans, err
}

// Matching is the set of the organizations that Search counts as hits, for orders
// other than by score.
func (x *Index) Matching(ctx context.Context, a Ask) ([]uint64, error) {
	_, set, err := x.search(ctx, a, true)
	return set, err
}

func (x *Index) search(ctx context.Context, a Ask, wantSet bool) (ans Answer, set []uint64, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	q := strings.TrimSpace(firstBytes(a.Text, maxQuestion))
	ans.Mode = x.served(a.Mode)
	if wantSet {
		set = make([]uint64, (len(x.orgs)+63)/64)
	}
	if x.closed || utf8.RuneCountInString(q) < 2 || len(x.names) == 0 {
		return ans, set, nil
	}
	limit := a.Limit
	if limit <= 0 {
		limit = 10
	}
	limit = min(limit, MaxLimit)
	within := a.Within
	if a.State != "" {
		if within = x.inState(within, a.State); within == nil {
			return ans, set, nil
		}
	}
	if e, ok := typedEIN(q); ok {
		if org, ok := x.position(e); ok && (within == nil || has(within, org)) {
			if wantSet {
				put(set, org)
			}
			ans.Hits, ans.Results = 1, []Result{x.resultOf(found{org: org, class: exact, score: 1})}
			return ans, set, nil
		}
	}
	var list []found
	if ans.Mode == Text {
		list, ans.Hits, err = x.byText(ctx, q, within, limit, set)
	} else {
		list, ans.Hits, err = x.byMeaning(ctx, q, within, ans.Mode == Hybrid, set)
	}
	if err != nil {
		return ans, nil, err
	}
	slices.SortFunc(list, found.better)
	for _, f := range list[:min(len(list), limit)] {
		ans.Results = append(ans.Results, x.resultOf(f))
	}
	return ans, set, nil
}

func (x *Index) resultOf(f found) Result {
	r := x.result(f.org)
	r.Score, r.Match = rounded(f.score), f.class.String()
	return r
}

// byName is what the names say: at most maxNames of the best.
func (x *Index) byName(q string, within []uint64, efforts, spent int) []hit {
	fd := x.finders.Get().(*finder)
	defer x.finders.Put(fd)
	fd.within, fd.efforts, fd.spent, fd.limit = within, efforts, spent, maxNames
	fd.findAll(q, 0)
	fd.within = nil
	return slices.Clone(fd.ranked())
}

// byText finds by names and words. Hits are put into the set, if there is one.
func (x *Index) byText(ctx context.Context, q string, within []uint64, limit int, set []uint64) (list []found, hits int, err error) {
	names := x.byName(q, within, correctAll, 0)
	_, states, _ := SplitPlace(q)
	x.demote(names, states)
	best := make(map[uint32]found, len(names)+limit)
	for _, h := range names {
		if h.class > weak {
			best[h.org] = found{h.org, h.class, h.class.scaled(h.score), h.score}
		}
	}
	hits = len(best)
	for org := range best {
		put(set, org)
	}
	var question words.Question
	if x.words != nil {
		question = x.words.Parse(q)
		top := words.Top[found]{Most: limit, Worse: func(a, b found) bool { return a.better(b) > 0 }}
		err = x.words.All(ctx, &question, within, func(s words.Score) {
			if int(s.Org) >= len(x.orgs) {
				return
			}
			f := x.byWords(s, strong)
			if by, named := best[s.Org]; named {
				if f.better(by) < 0 {
					best[s.Org] = f
				}
				return
			}
			hits++
			put(set, s.Org)
			top.Add(f)
		})
		if err != nil {
			return nil, 0, err
		}
		list = top.List
	}
	if hits < enough {
		for _, f := range list {
			best[f.org] = f
		}
		list = list[:0]
		if err := x.addWeak(ctx, best, names, &question, within); err != nil {
			return nil, 0, err
		}
		hits = len(best)
		for org := range best {
			put(set, org)
		}
	}
	for _, f := range best {
		list = append(list, f)
	}
	return list, hits, nil
}

// addWeak adds organizations that have some of the question, in their names, their
// documents or both.
func (x *Index) addWeak(ctx context.Context, best map[uint32]found, names []hit, q *words.Question, within []uint64) error {
	const fromNames = 0.4 // what a name counts beside words
	value := map[uint32]float32{}
	for _, h := range names {
		value[h.org] = fromNames * h.score
	}
	if x.words != nil {
		some, _, err := x.words.Any(ctx, q, within, maxWeak, words.Effort{Read: 200_000, Rescued: 1_000}, func(s words.Score) float32 { return s.Text }, nil)
		if err != nil {
			return err
		}
		for _, s := range some {
			if s.Text >= 0.4*some[0].Text && int(s.Org) < len(x.orgs) {
				value[s.Org] += x.byWords(s, weak).order
			}
		}
	}
	for org, v := range value {
		if _, ok := best[org]; !ok {
			best[org] = found{org, weak, weak.scaled(v), v}
		}
	}
	return nil
}

// byWords is a match by the words of a document. It ranks with matches by name
// that agree about as well, and after those that agree well.
func (x *Index) byWords(s words.Score, c class) found {
	v := 0.5*min(1, 1.5*s.Text) + 0.2*min(1, 1.5*s.Name) + weightProminence*x.orgs[min(int(s.Org), len(x.orgs)-1)].Prominence
	return found{s.Org, c, c.scaled(v), v}
}

// byMeaning finds by meaning and, if hybrid, by names and words too.
func (x *Index) byMeaning(ctx context.Context, q string, within []uint64, hybrid bool, set []uint64) (list []found, hits int, err error) {
	asked, states, city := SplitPlace(q)
	near := within
	if len(states) > 0 {
		near = x.inState(within, states...)
	}
	vector := x.model.Query(asked)
	best := make(map[uint32]found, nearest)
	var docs []uint32
	cosines := map[uint32]float32{}
	for _, h := range x.vectors.Nearest(ctx, &vector, near, nearest) {
		if int(h.Doc) < len(x.orgs) {
			docs = append(docs, h.Doc)
			cosines[h.Doc] = h.Cosine
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	cosine := func(org uint32) float32 {
		c := cosines[org]
		if _, in := x.texts(&x.orgs[org]); city != "" && strings.EqualFold(string(in), city) {
			c += nearCity
		}
		if x.elsewhere(org, states) {
			c -= farAway
		}
		return c
	}
	if !hybrid {
		for _, org := range docs {
			if c := cosine(org); c >= weakCosine {
				best[org] = byCosine(org, c, 1-strongCosine)
			}
		}
	} else {
		// No name has all the words of most questions by meaning, so the last
		// effort would be made for each, and for nothing.
		names := x.byName(q, within, splitUnknown, 15*maxWork/16)
		x.demote(names, states)
		// Those that are far down by meaning and have rare words come with more.
		docs = docs[:min(len(docs), maxFused)]
		for _, h := range names {
			docs = append(docs, h.org)
		}
		scores := make([]words.Score, len(docs))
		var more []words.Score
		if x.words != nil {
			question := x.words.Parse(q)
			rank := func(s words.Score) float32 { return fuseName*s.Name + fuseText*s.Text }
			if more, scores, err = x.words.Any(ctx, &question, within, anyWords, words.Effort{Read: 5_000, Rescued: anyWords}, rank, docs); err != nil {
				return nil, 0, err
			}
		}
		for _, h := range x.vectors.Nearest(ctx, &vector, x.without(cosines, names, more), len(names)+len(more)) {
			cosines[h.Doc] = h.Cosine
		}
		// However well its words agree, one that is not where the question looks
		// is a weak match, as it is in text mode.
		fused := func(org uint32, c float32) found {
			f := byCosine(org, c, fuseName+fuseText+0.2)
			if x.elsewhere(org, states) {
				f.class, f.score = weak, f.score/2
			}
			return f
		}
		for org := range cosines {
			if int(org) < len(x.orgs) {
				if c := cosine(org); c >= weakCosine {
					best[org] = fused(org, c)
				}
			}
		}
		fuse := func(org uint32, s words.Score) {
			if c := cosine(org) + fuseName*s.Name + fuseText*s.Text; c >= weakCosine {
				best[org] = fused(org, c)
			}
		}
		for i, org := range docs {
			fuse(org, scores[i])
		}
		for _, s := range more {
			if int(s.Org) < len(x.orgs) {
				fuse(s.Org, s)
			}
		}
		// Who types a name wants it, however little it says.
		for _, h := range names {
			if f := (found{h.org, h.class, h.class.scaled(h.score), h.score}); h.class > weak && f.better(best[h.org]) < 0 {
				best[h.org] = f
			}
		}
	}
	for org, f := range best {
		put(set, org)
		list = append(list, f)
	}
	return list, len(best), nil
}

// without is the set of the matches by name and by words that have no cosine yet.
func (x *Index) without(cosines map[uint32]float32, names []hit, more []words.Score) []uint64 {
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

// byCosine is a match by meaning; room is how far above the strong limit the best
// may come.
func byCosine(org uint32, c, room float32) found {
	if c >= strongCosine {
		return found{org, strong, strong.scaled((c - strongCosine) / room), c}
	}
	return found{org, weak, weak.scaled(0.5 + 0.5*(c-weakCosine)/(strongCosine-weakCosine)), c}
}

// served is the mode that can be served.
func (x *Index) served(m Mode) Mode {
	if (m == Semantic || m == Hybrid) && x.vectors != nil {
		return m
	}
	return Text
}

// SplitPlace takes a place out of a question: a state at its end or after "in",
// a city after "in" at its end. "food banks in Ohio", "food bank ohio", "a
// charity in Ohio that helps veterans", "shelter in Akron, OH". Washington is a
// state and a city. A place that begins a question may be half of a name, and
// stays; so does a city without a state, which may be no city at all.
func SplitPlace(q string) (rest string, states []string, city string) {
	fields := strings.Fields(q)
	rest = q
	if at, n, code := findState(fields, q); n > 0 {
		if states = []string{code}; code == "WA" && len(fields[at]) > 2 {
			states = append(states, "DC")
		}
		tail := fields[at+n:]
		fields = fields[:at:at]
		if len(tail) == 0 {
			city, fields = cityAtEnd(fields)
		}
		if k := len(fields); k > 1 && inWord(fields[k-1]) {
			fields = fields[:k-1]
		}
		return strings.TrimRight(strings.Join(append(fields, tail...), " "), " ,"), states, city
	}
	city, _ = cityAtEnd(fields)
	return rest, nil, city
}

// findState finds the n words of a question that name a state, as long a name as
// possible: its last words, or words after "in". A code counts in capitals, in a
// question that is not all capitals.
func findState(fields []string, q string) (at, n int, code string) {
	for at := len(fields) - 1; at > 0; at-- {
		for n := min(4, len(fields)-at); n > 0; n-- {
			if at+n < len(fields) && !inWord(fields[at-1]) {
				continue
			}
			name := strings.Trim(strings.Join(fields[at:at+n], " "), " .,?!")
			code, ok := place.State(name)
			if !ok || len(name) == 2 && (name != code || strings.ToUpper(q) == q) {
				continue
			}
			// "West Virginia" is not Virginia.
			if longer, ok := place.State(strings.Trim(strings.Join(fields[at-1:at+n], " "), " .,?!")); ok && at > 1 && len(name) > 2 {
				return at - 1, n + 1, longer
			}
			return at, n, code
		}
	}
	return 0, 0, ""
}

func inWord(w string) bool { return strings.EqualFold(w, "in") || strings.EqualFold(w, "near") }

// cityAtEnd takes what may be a city, after "in", off the end.
func cityAtEnd(fields []string) (city string, rest []string) {
	for n := 1; n <= min(3, len(fields)-2); n++ {
		if from := len(fields) - n; inWord(fields[from-1]) {
			return strings.Trim(strings.Join(fields[from:], " "), " .,?!"), fields[:from]
		}
	}
	return "", fields
}

// demote makes weak matches of those elsewhere.
func (x *Index) demote(names []hit, states []string) {
	for i := range names {
		if h := &names[i]; h.class == strong && x.elsewhere(h.org, states) {
			h.class = weak
		}
	}
}

// elsewhere reports whether an organization is in none of the states asked for,
// nor named after one.
func (x *Index) elsewhere(org uint32, states []string) bool {
	if len(states) == 0 {
		return false
	}
	name := strings.ToUpper(string(x.nameOf(org)))
	for _, s := range states {
		if r, _ := place.RegionOf(s); trimmed(x.orgs[org].State[:]) == s || strings.Contains(name, strings.ToUpper(r.Name)) {
			return false
		}
	}
	return true
}

// Near is an organization that means about the same as another.
type Near struct {
	Org    uint32
	Cosine float32
}

// NearestTo is the organizations that mean about the same as one, nearest first,
// without itself; none where there are no vectors, or nothing is known of it.
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

// has reports whether a set has an organization.
func has(set []uint64, org uint32) bool {
	return int(org>>6) < len(set) && set[org>>6]>>(org&63)&1 != 0
}

// put puts an organization into a set, if there is one.
func put(set []uint64, org uint32) {
	if int(org>>6) < len(set) {
		set[org>>6] |= 1 << (org & 63)
	}
}

// inState is the organizations of a set that are in one of the states; nil when
// one of them is no state.
func (x *Index) inState(set []uint64, states ...string) []uint64 {
	out := make([]uint64, (len(x.orgs)+63)/64)
	for _, s := range states {
		code, ok := place.State(s)
		if !ok || len(s) != 2 {
			return nil
		}
		for i, w := range x.byState()[stateCode(code)] {
			out[i] |= w
		}
	}
	if set != nil {
		for i := range out {
			if i < len(set) {
				out[i] &= set[i]
			} else {
				out[i] = 0
			}
		}
	}
	return out
}

// stateSets is the organizations of each state.
func (x *Index) stateSets() map[uint16][]uint64 {
	sets := map[uint16][]uint64{}
	for i := range x.orgs {
		code := stateCode(string(x.orgs[i].State[:]))
		if code == 0 {
			continue
		}
		if sets[code] == nil {
			sets[code] = make([]uint64, (len(x.orgs)+63)/64)
		}
		put(sets[code], uint32(i))
	}
	return sets
}
