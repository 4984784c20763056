package example

import (
	"context"
	"encoding/json"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api/query"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/sqlbox"
)

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
