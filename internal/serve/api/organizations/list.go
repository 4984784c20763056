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

// Page sizes of POST /essentials.
const (
	defaultSize = 25
	maxSize     = 1000
	maxFrom     = 1_000_000_000
)

// maxListBody bounds the body of POST /essentials: all values that its lists may
// have fit.
const maxListBody = 64 << 10

// listRowWeight is what a row takes of the memory that all requests share, in
// bytes, on its way to the wire.
const listRowWeight = 4 << 10

// OrganizationList is the answer of POST /essentials.
type OrganizationList struct{ client.OrganizationList }

func (l *OrganizationList) Table() (any, *int64, *string) { return l.Results, &l.Hits, l.NextCursor }

// proprietary is the refusal of a cause, as the grant endpoints have it.
var proprietary = api.Refusal{Slug: "proprietary_subject", Status: 400, Means: "subject has the shape of a code from a proprietary taxonomy", Do: "Give an NTEE letter (B), an NTEE code (B42) or a cause (Education)."}

func (p *Parts) list() api.Operation {
	const veterans = `{"search_terms":"example","filters":{"state":"IL","min_revenue":100000,"revoked":false},"sort":{"sort_by":"revenue"}}`
	return api.Operation{
		ID: "listOrganizations", Method: "POST", Path: "/essentials", Access: api.Paid, Cost: 1, Lists: true,
		Summary: "Organizations by filter and search terms",
		Description: "Lists the organizations that match all filters, with an exact count, in any order, page by page to the last one. Without search_terms and filters these are all there are. " +
			"Filters are flat names, or the nested blocks geography, organization and financials of Candid's Essentials API; a filter of theirs that there is no data for is reported, not ignored in silence. " +
			"Figures are those of the latest filing that was read; an organization without the figure is in no range of it, and comes last in its order. " +
			"The status of organizations on the IRS's lists is looked up in the current edition of those lists.",
		Params: []api.Param{api.FormatParam(api.Formats...)},
		Body:   client.OrganizationQuery{}, BodyWords: listWords, MaxBody: maxListBody, Response: OrganizationList{}, Formats: api.Formats,
		Refusals: []api.Refusal{proprietary, api.CursorStale, api.CursorOther},
		Needs:    p.noDirectory,
		Examples: []api.Example{
			{Case: "1", Description: "Words, filters and an order", Body: veterans},
			{Case: "filters", Description: "Filters alone: all that match, largest revenue first", Body: `{"filters":{"cause":["K","Arts & Culture"],"min_assets":500000,"pub78_verified":true},"size":2}`},
			{Case: "candid", Description: "The nested blocks of another service, one of which is not honored", Body: `{"from":0,"size":25,"filters":{"geography":{"state":["IL"],"msa":["Chicago"]},"organization":{"ntee_major_codes":["T"],"properties":{"pub78_verified":true,"exclude_revoked_organizations":true}},"financials":{"most_recent_year":{"total_revenue":{"min":1000000}}}}}`},
			{Case: "unsupported", Description: "Both severities of warnings: a filter without data, a misspelled one, and a page that is cut", Body: `{"filters":{"state":"IL","profile_levels":["gold"],"min_revenu":1000},"size":5000}`},
			{Case: "strict", Description: "What strict=1 refuses", Query: "strict=1", Body: `{"filters":{"state":"IL","profile_levels":["gold"]}}`},
			{Case: "invalid", Description: "A value that cannot be read", Body: `{"filters":{"min_revenue":"a lot"}}`},
			{Case: "subject_pcs", Description: "A code of a proprietary taxonomy is refused, not matched", Body: `{"filters":{"cause":"SA0200"}}`},
		},
		Plan: p.planList,
	}
}

// noDirectory refuses a dataset whose directory is out of service.
func (p *Parts) noDirectory(d api.Dataset) error {
	if p.Directory(d) == nil {
		return api.Damaged()
	}
	return nil
}

// listQuestion is what is asked.
type listQuestion struct {
	terms  string
	mode   string // asked for; empty without terms
	filter directory.Filter
	score  bool // ordered by score
	sort   directory.Sort
	from   int64
	size   int
}

// canonical is the question without its page, written the same for every way to
// ask it.
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

// organizationRow is an organization as the wire has it.
func organizationRow(base string, r *directory.Row, m *matched) client.OrganizationRow {
	row := client.OrganizationRow{
		EIN: r.EIN.String(), Name: r.Name, City: api.OrNull(r.City), State: api.OrNull(r.State), ZIP: api.OrNull(r.ZIP), CountyFIPS: api.OrNull(r.County),
		NTEECode: api.OrNull(string(r.NTEE)), SubsectionCode: api.OrNull(r.Subsection), FoundationType: api.OrNull(r.FoundationType), FoundationCode: api.OrNull(r.Foundation),
		GroupExemption: api.OrNull(r.Group), RulingYear: yearOrNull(r.RulingYear), FunderType: api.OrNull(r.FunderKind),
		ReturnType: api.OrNull(r.ReturnType), FiscalYear: yearOrNull(r.FiscalYear), TotalRevenue: r.Revenue, TotalExpenses: r.Expenses, TotalAssets: r.Assets, GrantsPaid: r.GrantsPaid,
		InBMF: r.InBMF, Pub78Verified: r.Pub78, Revoked: r.OnRevoked, Score: m.score, Match: api.OrNull(m.match), DisplayName: orgname.Display(r.Name),
		URL: base + "/org/" + r.EIN.String() + "/" + search.Slug(r.Name),
	}
	if letter := r.NTEE.Major(); letter != 0 {
		row.Subject, row.SubjectLabel = api.OrNull(string(rune(letter))), api.OrNull(ntee.Label(letter))
		row.NTEELabel = api.OrNull(cmp.Or(ntee.Title(r.NTEE), r.NTEE.Label()))
	}
	return row
}

func yearOrNull(y int) *int {
	if y == 0 {
		return nil
	}
	return &y
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

// usable is the standing with those lists that may be used now.
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
