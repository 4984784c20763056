package organizations

import (
	"context"
	"fmt"

	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
)

// What a search takes of the shared memory, in bytes: by itself, and for each organization that is ranked.
const (
	searchWeight = 4 << 20
	rankedWeight = 512
)

// matched is an organization of a page, with score and match for a question with terms.
type matched struct {
	org   uint32
	score *float64
	match string
}

type foundPage struct {
	page []matched
	hits int
	mode string // that was served; empty without terms
}

type lister struct {
	*listQuestion
	call     *api.Call
	orgs     *directory.Index
	words    Searcher // nil without terms
	standing *screen.Standing
}

func (l *lister) find(ctx context.Context) (*foundPage, error) {
	set, n, err := l.orgs.Select(&l.filter, l.standing)
	if err != nil {
		return nil, err
	}
	defer l.orgs.Release(set)
	switch {
	case l.terms == "":
		page, err := l.page(set, n)
		return &foundPage{page: page, hits: n}, err
	case l.score:
		return l.ranked(ctx, set, n)
	}
	return l.ordered(ctx, set, n)
}

func (l *lister) page(set directory.Set, n int) ([]matched, error) {
	page, err := l.orgs.Page(set, n, l.sort, int(l.from), l.size)
	out := make([]matched, len(page))
	for i, org := range page {
		out[i].org = org
	}
	return out, err
}

func (l *lister) ask(set directory.Set, n, limit int) search.Ask {
	a := search.Ask{Text: l.terms, Mode: search.Mode(l.mode), Within: set, Limit: limit}
	if n == l.orgs.Len() {
		a.Within = nil
	}
	return a
}

func (l *lister) served(m search.Mode) string {
	if string(m) != l.mode {
		l.call.Caveat("mode", "Vector matching is not available, so names and words were matched as text.")
	}
	return string(m)
}

func (l *lister) ranked(ctx context.Context, set directory.Set, n int) (*foundPage, error) {
	end := min(int(l.from)+l.size, search.MaxLimit)
	a, err := l.words.Search(ctx, l.ask(set, n, end))
	if err != nil {
		return nil, err
	}
	out := &foundPage{hits: a.Hits, mode: l.served(a.Mode)}
	if a.Hits > search.MaxLimit && end == search.MaxLimit {
		l.call.Caveat("sort_by", fmt.Sprintf("An order by score lists only the best %d. To page through all, order by name or by a figure.", search.MaxLimit))
	}
	for i := int(l.from); i < min(end, len(a.Results)); i++ {
		r := &a.Results[i]
		out.page = append(out.page, matched{r.Org, &r.Score, r.Match})
	}
	return out, nil
}

// ordered is a page of all matches in another order, with their scores.
func (l *lister) ordered(ctx context.Context, set directory.Set, n int) (*foundPage, error) {
	all, err := l.words.Matching(ctx, l.ask(set, n, 0))
	if err != nil {
		return nil, err
	}
	if len(all) != len(set) {
		return nil, fmt.Errorf("the search and the directory know different organizations")
	}
	out := &foundPage{hits: directory.Set(all).Count()}
	if out.page, err = l.page(all, out.hits); err != nil {
		return nil, err
	}
	// Only the organizations of the page are scored.
	clear(set)
	for _, m := range out.page {
		set[m.org>>6] |= 1 << (m.org & 63)
	}
	a, err := l.words.Search(ctx, l.ask(set, len(out.page), len(out.page)))
	if err != nil {
		return nil, err
	}
	out.mode = l.served(a.Mode)
	scored := make(map[uint32]*search.Result, len(a.Results))
	for i := range a.Results {
		scored[a.Results[i].Org] = &a.Results[i]
	}
	for i := range out.page {
		if r := scored[out.page[i].org]; r != nil {
			out.page[i].score, out.page[i].match = &r.Score, r.Match
		}
	}
	return out, nil
}
