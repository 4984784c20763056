package organizations

import (
	"cmp"
	"context"
	"fmt"

	"grantgraph/client"
	"grantgraph/internal/irscode"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
)

const (
	defaultSize = 25
	maxSize     = 1000
	maxFrom     = 1_000_000_000
)

const maxListBody = 64 << 10

// listRowWeight is what a row takes of the memory that all requests share, in bytes, on its way to the wire.
const listRowWeight = 4 << 10

type OrganizationList struct{ client.OrganizationList }

func (l *OrganizationList) Table() (any, *int64, *string) { return l.Results, &l.Hits, l.NextCursor }

type listQuestion struct {
	terms  string
	mode   string // asked for; empty without terms
	filter directory.Filter
	score  bool // ordered by score
	sort   directory.Sort
	from   int64
	size   int
}

// canonical is the question without its page: one text for every way to ask it.
func (q *listQuestion) canonical(lists string) string {
	s := fmt.Sprintf("%q %s %s score=%t by=%d asc=%t", q.terms, q.mode, q.filter.Canonical(), q.score, q.sort.By, q.sort.Asc)
	if q.filter.Standing() {
		s += " lists=" + lists
	}
	return s
}

func (p *Parts) planList(c *api.Call) (api.Run, error) {
	x := p.Directory(c.Data)
	c.ReadFormat()
	r := &listReader{Form: c.ReadForm(), sources: p.Screener(c.Data).Sources(p.Clock()), standing: p.Standing(c.Data)}
	if err := r.read(); err != nil {
		return nil, err
	}
	q := &r.question
	l := &lister{listQuestion: q, call: c, orgs: x, standing: r.usable()}
	if q.terms != "" {
		if l.words = p.Search(c.Data); l.words == nil {
			return nil, api.Damaged()
		}
	}
	whole := q.canonical(c.Data.Lists())
	if offset, given, err := c.ReadBodyCursor(r.Form, []byte(whole)); err != nil {
		return nil, err
	} else if given {
		if r.Has("from") {
			r.Ignored("from", "The cursor says where the page begins, so from was not applied.")
		}
		q.from = offset
	}
	r.finish()
	if c.Params.Failed() {
		return nil, nil // the engine reports them
	}
	c.Question = fmt.Sprintf("%s from=%d size=%d", whole, q.from, q.size)
	c.Weight = x.Weight(q.size) + int64(q.size)*listRowWeight
	if q.terms != "" {
		c.Weight += searchWeight + rankedWeight*min(q.from+int64(q.size), search.MaxLimit)
	}
	return func(ctx context.Context) (client.Answer, error) {
		a := &OrganizationList{client.OrganizationList{Head: api.Success, From: q.from, Size: q.size, Results: []client.OrganizationRow{}}}
		found, err := l.find(ctx)
		if err != nil {
			return nil, err
		}
		a.Hits = int64(found.hits)
		if found.mode != "" {
			a.Mode = &found.mode
		}
		for i := range found.page {
			if row, ok := x.Row(found.page[i].org, l.standing); ok {
				a.Results = append(a.Results, organizationRow(c.Base, &row, &found.page[i]))
			}
		}
		a.ResultsCount = len(a.Results)
		if end := q.from + int64(len(a.Results)); len(a.Results) > 0 && end < a.Hits && !(q.score && end >= search.MaxLimit) {
			next := c.Cursor([]byte(whole), end)
			a.NextCursor = &next
		}
		a.Tail = c.Tail()
		return a, nil
	}, nil
}

func organizationRow(base string, r *directory.Row, m *matched) client.OrganizationRow {
	row := client.OrganizationRow{
		EIN: r.EIN.String(), Name: r.Name, City: api.OrNull(r.City), State: api.OrNull(r.State), ZIP: api.OrNull(r.ZIP), CountyFIPS: api.OrNull(r.County),
		NTEECode: api.OrNull(string(r.NTEE)), SubsectionCode: api.OrNull(r.Subsection),
		FoundationType: api.OrNull(r.FoundationType), FoundationCode: api.OrNull(r.Foundation),
		GroupExemption: api.OrNull(r.Group), RulingYear: api.OrNull(r.RulingYear), FunderType: api.OrNull(r.FunderKind), AcceptsApplications: r.Accepts,
		ReturnType: api.OrNull(r.ReturnType), FiscalYear: api.OrNull(r.FiscalYear),
		TotalRevenue: r.Revenue, TotalExpenses: r.Expenses, TotalAssets: r.Assets, GrantsPaid: r.GrantsPaid,
		InBMF: r.InBMF, Pub78Verified: r.Pub78, Revoked: r.OnRevoked, Score: m.score, Match: api.OrNull(m.match), DisplayName: orgname.Display(r.Name),
		URL: base + "/org/" + r.EIN.String() + "/" + search.Slug(r.Name),
	}
	if letter := r.NTEE.Major(); letter != 0 {
		row.Subject, row.SubjectLabel = api.OrNull(string(rune(letter))), api.OrNull(ntee.Label(letter))
		row.NTEELabel = api.OrNull(cmp.Or(ntee.Title(r.NTEE), r.NTEE.Label()))
	}
	return row
}

// foundationCodes are the codes of the master file that a type stands for.
var foundationCodes = func() map[string][]string {
	types := map[string][]string{}
	for i := range 100 {
		code := fmt.Sprintf("%02d", i)
		if t := irscode.FoundationType(code); t != "" {
			types[t] = append(types[t], code)
		}
	}
	return types
}()

// usable is the compliance status without the lists that are out of service now.
func (r *listReader) usable() *screen.Standing {
	if r.standing == nil {
		return nil
	}
	now := *r.standing
	for _, l := range []struct {
		of  *client.ComplianceSource
		set *[]uint64
	}{{&r.sources.BMF, &now.InBMF}, {&r.sources.Pub78, &now.Pub78}, {&r.sources.Revocation, &now.Revoked}} {
		if !l.of.Screens {
			*l.set = nil
		}
	}
	return &now
}

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
