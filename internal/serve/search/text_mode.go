package search

import (
	"context"

	"grantgraph/internal/serve/search/words"
	"grantgraph/internal/top"
)

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
