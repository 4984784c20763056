package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search/words"
	"grantgraph/internal/top"
)

// Mode is how a question is understood.
type Mode string

const (
	Text     Mode = "text"     // by names and by words
	Semantic Mode = "semantic" // by meaning
	Hybrid   Mode = "hybrid"   // by both

	names Mode = "names" // by names alone
)

// Ask is a question.
type Ask struct {
	Text   string
	Mode   Mode
	Within []uint64 // only these organizations, a bit for each number; nil for all
	State  string   // two letters; only organizations there are found; empty for anywhere
	Limit  int      // results wanted, at most MaxLimit; 0 or less means 10
}

// MaxLimit bounds the results of a question.
const MaxLimit = 10_000

// Answer is what was found.
type Answer struct {
	Mode    Mode     // the mode served: Text if there are no vectors
	Hits    int      // number of organizations that match
	Results []Result // best first; better classes always come first

	Verdict identify.Verdict // whether the question means an organization
}

// found is a match on its way into an answer.
type found struct {
	org   uint32
	class class
	score float32 // on the common scale of all questions
	order float32 // breaks ties of score

	meant   float64 // probability that the text means it
	named   bool    // the text may be its name; otherwise only its texts agree
	partial bool    // something of the question is missing
	known   float32 // how well known it is in the field asked for; 0 unless it fits
}

func (f found) better(g found) int {
	return cmp.Or(cmp.Compare(g.class, f.class), cmp.Compare(g.score, f.score), cmp.Compare(g.order, f.order), cmp.Compare(f.org, g.org))
}

// Search finds the organizations that a question may mean, best first. A question of fewer than two characters finds nothing.
//
// In text mode an organization matches if every word of the question is in its names, place or documents, by stem. It also
// matches if its name has every word misspelled, in its long form or as initials. If fewer than a page match, organizations
// with some of the words follow as weak matches. The other modes match the nearest 1,000 organizations whose meaning is near
// enough. Hybrid mode adds matches by name.
func (x *Index) Search(ctx context.Context, a Ask) (Answer, error) {
	ans, _, err := x.search(ctx, a)
	return ans, err
}

// Matching is the set of the organizations that Search counts as hits, for callers that sort by something other than score.
func (x *Index) Matching(ctx context.Context, a Ask) ([]uint64, error) {
	_, set, err := x.search(ctx, a)
	return set, err
}

func (x *Index) search(ctx context.Context, a Ask) (ans Answer, set []uint64, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	q := strings.TrimSpace(a.Text[:min(len(a.Text), maxQuestion)])
	ans.Mode = x.served(a.Mode)
	set = make([]uint64, (len(x.orgs)+63)/64)
	if x.closed || utf8.RuneCountInString(q) < 2 || len(x.orgs) == 0 {
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
	if org, ok := x.typed(q); ok && (within == nil || has(within, org)) {
		put(set, org)
		ans.Hits, ans.Verdict = 1, identify.Certain
		ans.Results = []Result{x.resultOf(found{org: org, class: exact, score: 1, named: true, meant: identify.TypedEIN})}
		return ans, set, nil
	}
	n := x.byName(ctx, q, a.State, within)
	list := n.names
	switch ans.Mode {
	case Text:
		list, ans.Hits, err = x.byText(ctx, q, within, limit, n.names, set)
	case Semantic, Hybrid:
		list, ans.Hits, err = x.byMeaning(ctx, q, within, ans.Mode == Hybrid, n.names, set)
	}
	if err != nil {
		return ans, nil, err
	}
	slices.SortFunc(list, found.better)
	list, ans.Verdict = x.arrange(n.meant, within, list)
	for _, f := range list { // those that have the name, and no word of it
		if !has(set, f.org) {
			put(set, f.org)
			ans.Hits++
		}
	}
	if ans.Mode == Hybrid {
		x.spread(q, list)
	}
	for _, f := range list[:min(len(list), limit)] {
		ans.Results = append(ans.Results, x.resultOf(f))
	}
	return ans, set, nil
}

func (x *Index) resultOf(f found) Result {
	r := x.result(f.org)
	r.Score, r.Match, r.Probability = math.Round(1e4*float64(f.score))/1e4, f.class.String(), math.Round(1e4*f.meant)/1e4
	r.Matched, r.Partial = ByText, f.partial
	if f.named {
		r.Matched = ByName
	}
	return r
}

// served is the requested mode, or Text if the index has no vectors.
func (x *Index) served(m Mode) Mode {
	if m == names || (m == Semantic || m == Hybrid) && x.vectors != nil {
		return m
	}
	return Text
}

func has(set []uint64, org uint32) bool {
	return int(org>>6) < len(set) && set[org>>6]>>(org&63)&1 != 0
}

func put(set []uint64, org uint32) {
	if int(org>>6) < len(set) {
		set[org>>6] |= 1 << (org & 63)
	}
}

const (
	enough  = 20  // with this many matches, search skips weak ones
	maxWeak = 100 // weak matches by words
)

// byText searches names and words. It adds the hits to the set.
func (x *Index) byText(ctx context.Context, q string, within []uint64, limit int, names []found, set []uint64) (list []found, hits int, err error) {
	best := make(map[uint32]found, len(names)+limit)
	for _, f := range names {
		if f.class > weak {
			best[f.org] = f
		}
	}
	hits = len(best)
	for org := range best {
		put(set, org)
	}
	var question words.Question
	if x.words != nil {
		question = x.words.Parse(q)
		most := top.Heap[found]{Most: limit, Order: found.better}
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
			most.Add(f)
		})
		if err != nil {
			return nil, 0, err
		}
		list = most.List
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

// addWeak adds organizations with some of the question in their names or documents.
func (x *Index) addWeak(ctx context.Context, best map[uint32]found, names []found, q *words.Question, within []uint64) error {
	const fromNames = 0.4 // weight of a name relative to words
	value := map[uint32]float32{}
	for _, f := range names {
		value[f.org] = fromNames * f.order
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
			best[org] = found{org: org, class: weak, score: weak.scaled(v), order: v}
		}
	}
	return nil
}

// byWords is a match by the words of a document. It ranks among matches by name that
// agree about as well, and below those that agree well.
func (x *Index) byWords(s words.Score, c class) found {
	v := 0.5*min(1, 1.5*s.Text) + 0.2*min(1, 1.5*s.Name) + 0.21*x.orgs[min(int(s.Org), len(x.orgs)-1)].Prominence
	return found{org: s.Org, class: c, score: c.scaled(v), order: v}
}
