package example

import (
	"context"
	"encoding/json"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api/query"
	"grantgraph/internal/serve/sqlbox"
)

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
