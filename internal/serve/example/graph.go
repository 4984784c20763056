package example

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/api/query"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/sqlbox"
)

// Graph is a few invented grants, with only the filters that the examples use.
type Graph struct{ Rows []graph.Grant }

func (x Graph) match(f *graph.Filter) []graph.Grant {
	return slices.DeleteFunc(slices.Clone(x.Rows), func(g graph.Grant) bool {
		inYears := len(f.Years) == 0 || slices.ContainsFunc(f.Years, func(s graph.Span) bool { return s.From <= g.FiscalYear && g.FiscalYear <= s.To })
		return len(f.Funders) > 0 && !slices.Contains(f.Funders, g.Funder.EIN) ||
			len(f.Recipients)+len(f.Unlinked) > 0 && !slices.Contains(f.Recipients, g.Recipient.EIN) && !slices.Contains(f.Unlinked, g.Recipient.ID) ||
			len(f.Keys) > 0 && !slices.Contains(f.Keys, g.Key) ||
			f.MinProb != nil && g.Prob < *f.MinProb || !inYears
	})
}

type tally struct {
	key             string
	first           graph.Grant // the first row with the key
	graph.PartySums             // Parties is the number of rows
}

// tallies adds up rows by key, the largest sum first.
func tallies(rows []graph.Grant, key func(*graph.Grant) string) (list []tally) {
	for _, g := range rows {
		k := key(&g)
		i := slices.IndexFunc(list, func(t tally) bool { return t.key == k })
		if i < 0 {
			i = len(list)
			list = append(list, tally{key: k, first: g, PartySums: graph.PartySums{FirstYear: g.FiscalYear}})
		}
		t := &list[i]
		t.Total, t.Grants, t.Parties = t.Total+g.Amount, t.Grants+1, t.Parties+1
		t.FirstYear, t.LastYear = min(t.FirstYear, g.FiscalYear), max(t.LastYear, g.FiscalYear)
	}
	slices.SortStableFunc(list, func(a, b tally) int { return cmp.Compare(b.Total, a.Total) })
	return list
}

func byFunder(g *graph.Grant) string    { return g.Funder.EIN.String() }
func byRecipient(g *graph.Grant) string { return g.Recipient.ID }
func byYear(g *graph.Grant) string      { return strconv.Itoa(g.FiscalYear) }
func byCause(g *graph.Grant) string     { return causeOf(g.NTEE.Major()) }

func causeOf(letter byte) string {
	if letter == 0 {
		return ""
	}
	return string(rune(letter))
}

func (x Graph) Transactions(_ context.Context, f *graph.Filter, _ graph.Sort, _ graph.Page) ([]graph.Grant, int64, error) {
	rows := x.match(f)
	return rows, int64(len(rows)), nil
}

func (x Graph) Funders(_ context.Context, f *graph.Filter, _ graph.Sort, _ graph.Page) (list []graph.FunderTotal, n int64, err error) {
	for _, t := range tallies(x.match(f), byFunder) {
		list = append(list, graph.FunderTotal{
			Funder: *t.first.Funder, Total: t.Total, Grants: t.Grants, Recipients: t.Parties, FirstYear: t.FirstYear, LastYear: t.LastYear,
		})
	}
	return list, int64(len(list)), nil
}

func (x Graph) Recipients(_ context.Context, f *graph.Filter, _ graph.Sort, _ graph.Page) (list []graph.RecipientTotal, n int64, err error) {
	for _, t := range tallies(x.match(f), byRecipient) {
		list = append(list, graph.RecipientTotal{
			Recipient: *t.first.Recipient, Total: t.Total, Grants: t.Grants, Funders: t.Parties, FirstYear: t.FirstYear, LastYear: t.LastYear,
		})
	}
	return list, int64(len(list)), nil
}

func (x Graph) Summary(_ context.Context, f *graph.Filter) (total graph.Totals, years []graph.YearTotals, err error) {
	rows := x.match(f)
	for _, t := range tallies(rows, byYear) {
		in := slices.DeleteFunc(slices.Clone(rows), func(g graph.Grant) bool { return byYear(&g) != t.key })
		years = append(years, graph.YearTotals{FiscalYear: t.FirstYear, Totals: totals(in)})
	}
	slices.SortFunc(years, func(a, b graph.YearTotals) int { return a.FiscalYear - b.FiscalYear })
	return totals(rows), years, nil
}

func totals(rows []graph.Grant) (t graph.Totals) {
	for _, g := range rows {
		t.Amount, t.Grants = t.Amount+g.Amount, t.Grants+1
	}
	t.Funders, t.Recipients = int64(len(tallies(rows, byFunder))), int64(len(tallies(rows, byRecipient)))
	return t
}

// Groups knows the groupings by subject, funder and recipient.
func (x Graph) Groups(_ context.Context, f *graph.Filter, by graph.Grouping, top int) (graph.Grouped, error) {
	out := graph.Grouped{By: by}
	key := map[graph.Grouping]func(*graph.Grant) string{graph.GroupSubject: byCause, graph.GroupFunder: byFunder, graph.GroupRecipient: byRecipient}[by]
	if key == nil {
		key = func(*graph.Grant) string { return "" }
	}
	for _, t := range tallies(x.match(f), key) {
		cost := graph.Cost{Amount: t.Total, Grants: t.Grants}
		if t.key == "" {
			out.None = &cost
			continue
		}
		if out.Count++; len(out.Groups) == top {
			out.Rest = cmp.Or(out.Rest, new(graph.Cost))
			out.Rest.Amount, out.Rest.Grants = out.Rest.Amount+t.Total, out.Rest.Grants+t.Grants
			continue
		}
		group := graph.Group{Key: t.key, Cost: cost}
		switch by {
		case graph.GroupFunder:
			group.Name, group.EIN = t.first.Funder.Name, t.first.Funder.EIN
		case graph.GroupRecipient:
			group.Name, group.EIN = t.first.Recipient.Name, t.first.Recipient.EIN
		}
		out.Groups = append(out.Groups, group)
	}
	return out, nil
}

func (x Graph) Excluded(context.Context, *graph.Filter) (map[graph.Class]graph.Cost, error) {
	return nil, nil
}

func (x Graph) Weight(graph.About, *graph.Filter, graph.Page) int64 { return 0 }

// HasCounty is asked only for counties that nobody knows.
func (x Graph) HasCounty(string) bool { return false }

// WiderBasis is what inferred causes would add to a subject.
func (x Graph) WiderBasis(_ context.Context, f *graph.Filter) (graph.Cost, error) {
	if f.Subject.Empty() || f.SubjectBasis == ntee.Any {
		return graph.Cost{}, nil
	}
	return graph.Cost{Grants: 3, Amount: 45_000}, nil
}

func (x Graph) ReachingFunders(context.Context, *graph.Filter) (int64, error) { return 3, nil }

func (x Graph) side(e ein.EIN, side graph.Side) []graph.Grant {
	return slices.DeleteFunc(slices.Clone(x.Rows), func(g graph.Grant) bool {
		if side == graph.Gave {
			return g.Funder.EIN != e
		}
		return g.Recipient.EIN != e
	})
}

func party(g *graph.Grant, side graph.Side) ledger.Party {
	if side == graph.Gave {
		return ledger.Party{ID: g.Recipient.ID, EIN: g.Recipient.EIN, Name: g.Recipient.Name, City: g.Recipient.City, State: g.Recipient.State}
	}
	return ledger.Party{EIN: g.Funder.EIN, Name: g.Funder.Name, City: g.Funder.City, State: g.Funder.State, Kind: g.Funder.Kind}
}

func (x Graph) Sums(ctx context.Context, e ein.EIN, side graph.Side) (graph.PartySums, error) {
	l, err := x.Ledger(ctx, e, side, 0, nil)
	return l.PartySums, err
}

func (x Graph) Ledger(_ context.Context, e ein.EIN, side graph.Side, top int, funderCause func(ein.EIN) byte) (*ledger.Ledger, error) {
	l, rows := &ledger.Ledger{}, x.side(e, side)
	other, cause, state := byRecipient, byCause, func(g *graph.Grant) string { return g.State }
	if side == graph.Received {
		other, state = byFunder, func(g *graph.Grant) string { return g.Funder.State }
		cause = func(g *graph.Grant) string {
			if funderCause == nil {
				return ""
			}
			return causeOf(funderCause(g.Funder.EIN))
		}
	}
	for _, t := range tallies(rows, func(*graph.Grant) string { return "" }) {
		l.PartySums = t.PartySums
	}
	groups := func(key func(*graph.Grant) string) (list []ledger.Group) {
		for _, t := range tallies(rows, key) {
			list = append(list, ledger.Group{Key: t.key, Total: t.Total, Grants: t.Grants, Parties: t.Parties})
		}
		return list
	}
	l.Subjects, l.States = groups(cause), groups(state)
	for _, t := range tallies(rows, byYear) {
		l.Years = append(l.Years, ledger.Year{FiscalYear: t.FirstYear, Total: t.Total, Grants: t.Grants, Parties: t.Parties})
	}
	slices.SortFunc(l.Years, func(a, b ledger.Year) int { return a.FiscalYear - b.FiscalYear })
	parties := tallies(rows, other)
	l.Parties = int64(len(parties))
	for _, t := range parties[:min(len(parties), top)] {
		p := party(&t.first, side)
		p.PartySums, p.Parties = t.PartySums, 0
		l.Top = append(l.Top, p)
	}
	return l, nil
}

// Cofunders are the other funders of the recipients of a funder.
func (x Graph) Cofunders(_ context.Context, e ein.EIN, _ int) (neighbors.Neighbors, error) {
	return x.neighbors(e, graph.Gave), nil
}

// SharingFunders are the other recipients of the funders of an organization.
func (x Graph) SharingFunders(_ context.Context, e ein.EIN, _ int) (neighbors.Neighbors, error) {
	return x.neighbors(e, graph.Received), nil
}

func (x Graph) neighbors(e ein.EIN, side graph.Side) (n neighbors.Neighbors) {
	between, back := byRecipient, graph.Received
	if side == graph.Received {
		between, back = byFunder, graph.Gave
	}
	shared := tallies(x.side(e, side), between)
	for _, g := range x.Rows {
		p := party(&g, back)
		known := slices.ContainsFunc(n.List, func(o neighbors.Neighbor) bool { return o.EIN == p.EIN })
		if known || p.EIN == e || p.EIN == ein.None || !slices.ContainsFunc(shared, func(t tally) bool { return t.key == between(&g) }) {
			continue
		}
		n.List = append(n.List, neighbors.Neighbor{EIN: p.EIN, Name: p.Name, City: p.City, State: p.State, Kind: p.Kind, Shared: 1, Weight: 0.4})
	}
	n.Total, n.Examined, n.Parties = len(n.List), len(shared), len(shared)
	return n
}

// NeighborWeight is 0: the graph is tiny.
func (x Graph) NeighborWeight(ein.EIN) int64 { return 0 }

// Prospects are all funders that did not give lately: there are so few.
func (x Graph) Prospects(_ context.Context, q *prospect.Search) (*prospect.Result, error) {
	out := &prospect.Result{}
	for _, g := range x.Rows {
		f := g.Funder
		lately := slices.ContainsFunc(x.Rows, func(o graph.Grant) bool {
			return o.Funder.EIN == f.EIN && o.Recipient.EIN == q.EIN && o.FiscalYear >= q.Since
		})
		if lately || f.EIN == q.EIN || slices.ContainsFunc(out.List, func(p prospect.Prospect) bool { return p.EIN == f.EIN }) ||
			q.Only.Kind != "" && f.Kind != q.Only.Kind || len(q.Only.In) > 0 && !slices.Contains(q.Only.In, f.State) {
			continue
		}
		out.List = append(out.List, x.prospect(f, q))
	}
	slices.SortStableFunc(out.List, func(a, b prospect.Prospect) int { return cmp.Compare(b.Score, a.Score) })
	out.Total = len(out.List)
	out.List = out.List[min(q.Page.Offset, out.Total):]
	out.List = out.List[:min(len(out.List), q.Page.Limit)]
	return out, nil
}

func (x Graph) prospect(f *graph.Funder, q *prospect.Search) prospect.Prospect {
	p := prospect.Prospect{Funder: *f, Accepts: cmp.Or(map[ein.EIN]string{2: grant.Accepts}[f.EIN], grant.NotStated)}
	s := prospect.Signs{AmountGap: -1, HasState: true, HasCause: true, HasWalk: true, SameState: f.State == q.State}
	var all, state, cause int64
	var amounts []int64
	for _, g := range x.side(f.EIN, graph.Gave) {
		all += g.Amount
		amounts = append(amounts, g.Amount)
		p.LastYear = max(p.LastYear, g.FiscalYear)
		if g.State == q.State {
			state += g.Amount
			s.InState++
		}
		if g.NTEE.Major() == q.Cause {
			cause += g.Amount
			s.InCause++
		}
		switch to := g.Recipient; to.EIN {
		case q.EIN:
			p.FundedYear = max(p.FundedYear, g.FiscalYear)
		case ein.None:
		default:
			s.Shared, s.Walk = s.Shared+1, s.Walk+0.4
			like := prospect.SharedRecipient(to, 0.4)
			like.TotalAmount, like.GrantCount, like.LastFiscalYear = g.Amount, 1, g.FiscalYear
			p.Reasons.SharedRecipients = append(p.Reasons.SharedRecipients, like)
		}
	}
	s.Sample, s.Recipients = len(amounts), len(amounts)
	slices.Sort(amounts)
	p.Given, p.GivenYear = amounts[len(amounts)-1], p.LastYear
	r, n := &p.Reasons, int64(len(amounts))
	r.SharedRecipientCount, r.TypicalAmount, r.GrantCount, r.GrantsExamined = s.Shared, &amounts[n/2], n, n
	r.PlaceShare, r.SubjectShare = new(float64(state)/float64(all)), new(float64(cause)/float64(all))
	p.Signs, p.Score = s, q.Score(&s)
	return p
}

// ProspectsWeight is 0: the graph is tiny.
func (x Graph) ProspectsWeight(ein.EIN) int64 { return 0 }

// Index is a search index of a few invented organizations.
type Index []search.Result

func Organizations() Index { return read[Index]("found") }

func (x Index) Find(string, string, int) []search.Result { return x }

// Modes says that nothing is searched by meaning.
func (x Index) Modes() []search.Mode { return []search.Mode{search.Text} }

func (x Index) Encoder() (name string, documents int) { return "", 0 }

func (x Index) Lookup(e ein.EIN) (search.Result, bool) {
	for _, r := range x {
		if r.EIN == e {
			return r, true
		}
	}
	return search.Result{}, false
}

// Search finds all organizations of the set that is searched, whatever the words.
func (x Index) Search(_ context.Context, a search.Ask) (search.Answer, error) {
	if len(a.Text) < 2 {
		return search.Answer{Mode: search.Text}, nil
	}
	found := search.Answer{Mode: search.Text, Verdict: identify.Likely}
	for _, r := range x {
		org, ok := listed().x.Number(r.EIN)
		if a.Within == nil || ok && a.Within[org>>6]>>(org&63)&1 != 0 {
			r.Org = org
			if found.Hits++; found.Hits <= a.Limit {
				found.Results = append(found.Results, r)
			}
		}
	}
	return found, nil
}

// Matching is the same as a set.
func (x Index) Matching(ctx context.Context, a search.Ask) ([]uint64, error) {
	set := make([]uint64, (listed().x.Len()+63)/64)
	a.Limit = len(x)
	found, err := x.Search(ctx, a)
	for _, r := range found.Results {
		set[r.Org>>6] |= 1 << (r.Org & 63)
	}
	return set, err
}

// Warehouse knows the queries of the examples, and refuses in the words of the real one.
type Warehouse struct{}

func (Warehouse) Check(_ context.Context, r sqlbox.Request) error {
	switch r.SQL {
	case query.ExampleSQL("rejected"):
		return fault.New(sqlbox.Rejected, "a statement begins with SELECT, WITH or DESCRIBE").
			Try("SELECT name, total_out FROM funder_kind ORDER BY total_out DESC LIMIT 10")
	case query.ExampleSQL("pro_table"):
		return fault.New(sqlbox.ProTable, "the table org_asset_profile needs the Pro plan").
			Try("take it out of the query, or use a key of the Pro plan")
	}
	return nil
}

func (Warehouse) Run(_ context.Context, r sqlbox.Request) (*sqlbox.Result, error) {
	if r.SQL == query.ExampleSQL("timeout") {
		return nil, fault.New(sqlbox.TimedOut, "the query was stopped at the time limit").
			Try("narrow the query with a tax_year or funder_ein filter and retry")
	}
	return &sqlbox.Result{
		Columns: []sqlbox.Column{{Name: "funder_ein", Type: "VARCHAR"}, {Name: "grants", Type: "BIGINT"}, {Name: "total", Type: "HUGEINT"}},
		Rows: []json.RawMessage{
			json.RawMessage(`{"funder_ein":"000000001","grants":2,"total":145000}`),
			json.RawMessage(`{"funder_ein":"000000002","grants":1,"total":50000}`),
		},
		Elapsed: 12 * time.Millisecond,
	}, nil
}
