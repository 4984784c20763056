package organizations

import (
	"context"

	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
)

// mostRanked is how many organizations are ranked for search terms. Pages by
// score go down to the last of them; pages in any other order have no end but
// that of the result.
const mostRanked = 1000

// searchWeight is what a search takes of the memory that all requests share, in
// bytes.
const searchWeight = 2 << 20

// matched is an organization of a page; score and match only of one that was
// searched for.
type matched struct {
	org   uint32
	score *float64
	match string
}

// foundPage is a page of an answer.
type foundPage struct {
	page  []matched
	hits  int
	reach int64  // how far pages go
	mode  string // that was served; empty without terms
}

// warnOfSearch says what the search cannot do.
func (p *Parts) warnOfSearch(c *api.Call, f *api.Form, q *listQuestion) {
	if q.mode != "text" {
		f.Caveat("mode", "Vector matching is not available, so names were matched as text.")
	}
	f.Caveat("search_terms", "Names were matched, and hits counts the best %d of them at most.", mostRanked)
	if q.score && q.from >= mostRanked {
		f.Caveat("from", "Only the best %d matches are ranked, so there are none after them; order by name to list all.", mostRanked)
	}
}

// find answers a question.
func (p *Parts) find(ctx context.Context, c *api.Call, q *listQuestion, st *screen.Standing) (*foundPage, error) {
	x := p.Directory(c.Data)
	set, n, err := x.Select(&q.filter, st)
	if err != nil {
		return nil, err
	}
	defer x.Release(set)
	out := &foundPage{reach: maxFrom}
	var ranked []matched
	if q.terms != "" {
		out.mode, out.reach = "text", mostRanked
		ranked = p.ranked(c, x, q, set)
		if n = len(ranked); !q.score {
			clear(set)
			for _, m := range ranked {
				set[m.org>>6] |= 1 << (m.org & 63)
			}
		}
	}
	out.hits = n
	if q.score {
		from := min(int(q.from), len(ranked))
		out.page = ranked[from:min(from+q.size, len(ranked))]
		return out, nil
	}
	page, err := x.Page(set, n, q.sort, int(q.from), q.size)
	if err != nil {
		return nil, err
	}
	scored := make(map[uint32]*matched, len(ranked))
	for i := range ranked {
		scored[ranked[i].org] = &ranked[i]
	}
	for _, org := range page {
		m := matched{org: org}
		if s := scored[org]; s != nil {
			m = *s
		}
		out.page = append(out.page, m)
	}
	return out, nil
}

// ranked is the best matches among a set, best first.
func (p *Parts) ranked(c *api.Call, x *directory.Index, q *listQuestion, within directory.Set) (list []matched) {
	state := ""
	if len(q.filter.States) == 1 {
		state = q.filter.States[0]
	}
	for _, r := range p.Search(c.Data).Find(q.terms, state, mostRanked) {
		if org, ok := x.Number(r.EIN); ok && within[org>>6]>>(org&63)&1 != 0 {
			score := r.Score
			list = append(list, matched{org: org, score: &score})
		}
	}
	return list
}
