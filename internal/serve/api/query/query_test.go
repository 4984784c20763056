package query_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/api/query"
	"grantgraph/internal/serve/example"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/warehouse"
)

// post posts a body with the key of a plan.
func post(t testing.TB, w *apitest.World, plan, query, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("POST", "/api/v1/sql"+query, strings.NewReader(body))
	if plan != "" {
		r.Header.Set("X-API-Key", "gg_test_"+plan)
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	apitest.Declared(t, "POST", "/api/v1/sql", rec.Code)
	return rec
}

// statement is the body that asks a query.
func statement(sql string) string {
	b, err := json.Marshal(map[string]string{"sql": sql})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestSQLTypes(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	const columns = "SELECT 9007199254740993::BIGINT AS big, 12.30::DECIMAL(9,2) AS price, DATE '2024-02-29' AS day, NULL::VARCHAR AS nothing, ['a', 'b;c'] AS list, TRUE AS yes, 0.5::DOUBLE AS half, '=1+1' AS formula, {'x': 1} AS thing, -5 AS loss"
	rec := post(t, w, "plus", "", statement(columns))
	if rec.Code != 200 {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	const row = `{"big":9007199254740993,"price":12.3,"day":"2024-02-29","nothing":null,"list":["a","b;c"],"yes":true,"half":0.5,"formula":"=1+1","thing":{"x":1},"loss":-5}`
	if !strings.Contains(rec.Body.String(), `"rows":[`+row+`],"row_count":1,"truncated":false,"elapsed_ms":`) {
		t.Error(rec.Body)
	}
	a := apitest.Unmarshal[query.SQLAnswer](t, rec)
	var types []string
	for _, c := range a.Columns {
		types = append(types, c.Name+" "+c.Type)
	}
	if got := strings.Join(types, ", "); got != "big BIGINT, price DECIMAL(9,2), day DATE, nothing VARCHAR, list VARCHAR[], yes BOOLEAN, half DOUBLE, formula VARCHAR, thing STRUCT(\"x\" INTEGER), loss INTEGER" {
		t.Error(got)
	}
	if a.Code != 200 || a.Message != "OK" || a.Service.Dataset.Version != apitest.Built(t).Manifest.Version || a.ElapsedMS <= 0 {
		t.Errorf("%+v", a)
	}
	if rec.Header().Get("Cache-Control") != "no-store" || rec.Header().Get("X-Calls-Remaining") != "49" {
		t.Error(rec.Header())
	}
	rec = post(t, w, "plus", "?format=csv", statement(columns))
	const lines = "big,price,day,nothing,list,yes,half,formula,thing,loss\n9007199254740993,12.3,2024-02-29,,a;b;c,true,0.5,'=1+1,\"{\"\"x\"\":1}\",-5\n"
	if rec.Body.String() != lines || rec.Header().Get("Content-Type") != "text/csv; charset=utf-8" || rec.Header().Get("X-Service-Hits") != "1" {
		t.Errorf("%v %s", rec.Header(), rec.Body)
	}
	rec = post(t, w, "plus", "?format=ndjson", statement(columns))
	if rec.Body.String() != row+"\n" || rec.Header().Get("Content-Type") != "application/x-ndjson; charset=utf-8" {
		t.Errorf("%v %s", rec.Header(), rec.Body)
	}
	if n := w.Ledger.Calls("plus"); n != 3 {
		t.Errorf("three queries cost %d calls", n)
	}
}

// TestSQLColumns checks that columns of one name do not hide each other, and
// that an answer without rows still has its header.
func TestSQLColumns(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	a := apitest.Unmarshal[query.SQLAnswer](t, post(t, w, "plus", "", statement("SELECT 1 AS a, 2 AS a, 3 AS A")))
	var row map[string]int
	if len(a.Rows) != 1 || json.Unmarshal(a.Rows[0], &row) != nil || len(row) != 3 || len(a.Columns) != 3 {
		t.Errorf("%+v %s", a.Columns, a.Rows)
	}
	for _, c := range a.Columns {
		if row[c.Name] == 0 {
			t.Errorf("there is no %s in %s", c.Name, a.Rows[0])
		}
	}
	rec := post(t, w, "plus", "?format=csv", statement("SELECT tax_year, funder_ein FROM grants WHERE amount < 0"))
	if rec.Body.String() != "tax_year,funder_ein\n" {
		t.Error(rec.Body)
	}
	if a := apitest.Unmarshal[query.SQLAnswer](t, post(t, w, "plus", "", statement("SELECT 1 WHERE FALSE"))); a.Rows == nil || a.RowCount != 0 {
		t.Errorf("%+v", a)
	}
}

func TestSQLTruncated(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	for n, truncated := range map[int]bool{1999: false, 2000: false, 2001: true, 5000: true} {
		rec := post(t, w, "plus", "", statement(fmt.Sprintf("SELECT i FROM range(%d) r(i)", n)))
		a := apitest.Unmarshal[query.SQLAnswer](t, rec)
		said := slices.ContainsFunc(a.Service.Warnings, func(x client.Warning) bool { return x.Parameter == "sql" && x.Severity == "caveat" })
		if a.Truncated != truncated || said != truncated || a.RowCount != min(n, 2000) || len(a.Rows) != a.RowCount {
			t.Errorf("%d rows: %d, truncated %v, %v", n, a.RowCount, a.Truncated, a.Service.Warnings)
		}
	}
	// How many rows there are in all is said only where it is known.
	for n, hits := range map[int]string{3000: "", 2000: "2000", 0: "0"} {
		rec := post(t, w, "plus", "?format=csv", statement(fmt.Sprintf("SELECT i FROM range(%d) r(i)", n)))
		records, err := csv.NewReader(rec.Body).ReadAll()
		if err != nil || len(records) != min(n, 2000)+1 || strings.Contains(rec.Header().Get("X-Service-Warnings"), "more rows") != (hits == "") || rec.Header().Get("X-Service-Hits") != hits {
			t.Errorf("%v, %d records, %v", err, len(records), rec.Header())
		}
	}
}

// TestSQLAgrees holds the sums of SQL against those of the grant endpoints.
func TestSQLAgrees(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	s := apitest.Unmarshal[grants.SummaryAnswer](t, w.Get(t, "GET", "/api/v1/grants/summary", "pro"))
	for _, y := range s.ByYear {
		for _, body := range []string{
			`{"sql":"SELECT count(*) AS n, sum(amount) AS total FROM grants WHERE tax_year = ?","params":[` + strconv.Itoa(y.FiscalYear) + `]}`,
			`{"sql":"SELECT count(*) AS n, sum(amount) AS total FROM grants WHERE tax_year = $year","params":{"year":` + strconv.Itoa(y.FiscalYear) + `}}`,
		} {
			rec := post(t, w, "plus", "", body)
			if want := fmt.Sprintf(`"rows":[{"n":%d,"total":%d}]`, y.GrantCount, y.TotalAmount); !strings.Contains(rec.Body.String(), want) {
				t.Errorf("%s: %s, want %s", body, rec.Body, want)
			}
		}
	}
}

// TestSQLRefusals goes through everything that can be wrong with a query and
// what it costs.
func TestSQLRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, plan, query, body string
		status                  int
		has                     string
		costs                   int
	}{
		{"no key", "", "", statement("SELECT 1"), 401, `"no_key"`, 0},
		{"free", "free", "", statement("SELECT 1"), 402, `"plan_required"`, 0},
		{"no body", "plus", "", "", 422, `"loc":["body"]`, 0},
		{"not JSON", "plus", "", "SELECT 1", 422, `"json_invalid"`, 0},
		{"no sql", "plus", "", `{"query":"SELECT 1"}`, 422, `"loc":["body","sql"],"msg":"the field is required; query is not a field, send it as sql","type":"missing"`, 0},
		{"a number", "plus", "", `{"sql":5}`, 422, `"string_type"`, 0},
		{"null", "plus", "", `{"sql":null}`, 422, `"string_type"`, 0},
		{"params a text", "plus", "", `{"sql":"SELECT 1","params":"x"}`, 422, `"loc":["body","params"]`, 0},
		{"params nested", "plus", "", `{"sql":"SELECT ?","params":[[1]]}`, 422, `"loc":["body","params"]`, 0},
		{"params missing", "plus", "", `{"sql":"SELECT $a"}`, 400, `"sql_rejected"`, 0},
		{"params null", "plus", "", `{"sql":"SELECT 1 AS one","params":null}`, 200, `"one":1`, 1},
		{"format", "plus", "?format=xml", statement("SELECT 1"), 422, `"format"`, 0},
		{"unknown field", "plus", "", `{"sql":"SELECT 1 AS one","limit":3}`, 200, `"unsupported":["limit"]`, 1},
		{"strict", "plus", "?strict=1", `{"sql":"SELECT 1","limit":3}`, 400, `"unsupported_parameter"`, 0},
		{"too large", "plus", "", `{"sql":"` + strings.Repeat("x", 1<<20) + `"}`, 413, `"body_too_large"`, 0},
		{"empty", "plus", "", statement(""), 400, `"sql_rejected"`, 0},
		{"long", "plus", "", statement("SELECT '" + strings.Repeat("x", 70_000) + "'"), 400, `"sql_rejected"`, 0},
		{"two", "plus", "", statement("SELECT 1; SELECT 2"), 400, "2 statements", 0},
		{"insert", "plus", "", statement("INSERT INTO grants SELECT * FROM grants"), 400, `"sql_rejected"`, 0},
		{"drop", "plus", "", statement("DROP TABLE grants"), 400, `"sql_rejected"`, 0},
		{"read_csv", "plus", "", statement("SELECT * FROM read_csv('/etc/passwd')"), 400, "read_csv is not available", 0},
		{"read_parquet", "pro", "", statement("SELECT * FROM read_parquet('grants.parquet')"), 400, `"sql_rejected"`, 0},
		{"unknown table", "plus", "", statement("SELECT * FROM grantz"), 400, `did you mean \"grants\"?`, 0},
		{"pro table in a join", "plus", "", statement("SELECT * FROM grants JOIN org_asset_profile p ON p.ein = funder_ein"), 403, "org_asset_profile", 0},
		{"pro table", "plus", "", statement(query.ExampleSQL("pro_table")), 403, `"message":"the table org_asset_profile needs the Pro plan","error":"pro_table"`, 0},
		{"pro table on pro", "pro", "", statement(query.ExampleSQL("pro_table")), 200, `"name":"alts_fmv","type":"BIGINT"`, 1},
		{"run time", "plus", "", statement("SELECT CAST(purpose_raw AS INTEGER) FROM grants WHERE purpose_raw IS NOT NULL"), 400, `"sql_failed"`, 1},
		{"describe", "plus", "", statement("DESCRIBE grants"), 200, `"column_name":"funder_ein"`, 1},
		{"with", "plus", "", statement("WITH g AS (SELECT 7 AS n) SELECT n FROM g"), 200, `"rows":[{"n":7}]`, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := apitest.Real(t)
			rec := post(t, w, c.plan, c.query, c.body)
			if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.has) {
				t.Errorf("%d %.500s", rec.Code, rec.Body)
			}
			if cost := w.Ledger.Calls(c.plan); cost != c.costs {
				t.Errorf("it cost %d calls, want %d", cost, c.costs)
			}
		})
	}
}

// TestSQLPlaceIsGivenBack refuses more statements, after a place was taken for
// each, than there are places.
func TestSQLPlaceIsGivenBack(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	for range 3 {
		if rec := post(t, w, "plus", "?strict=1", `{"sql":"SELECT 1","limit":3}`); rec.Code != 400 {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
	}
	if rec := post(t, w, "plus", "", statement("SELECT 1")); rec.Code != 200 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// TestSQLSilence asks for what nobody should be told, and looks for it in the
// answers, refusals included.
func TestSQLSilence(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	for _, q := range []string{
		"SELECT * FROM duckdb_databases()", "SELECT * FROM pragma_database_list", "SELECT current_setting('temp_directory')", "SELECT getenv('HOME')",
		"SELECT * FROM glob('/*')", "SELECT * FROM read_text('/proc/self/environ')", "SELECT * FROM warehouse.main.grants",
		"ATTACH 'x.duckdb'", "COPY grants TO '/tmp/x'", "SELECT * FROM query('SELECT 1')", "SELECT error('boom')", "SELECT * FROM information_schema.tables",
		"SELECT CAST('x' AS INTEGER)", "SELECT nothing FROM grants", "SELECT * FROM warehouse_pro.main.org_asset_profile",
	} {
		rec := post(t, w, "plus", "", statement(q))
		body := strings.ReplaceAll(rec.Body.String(), q, "")
		if strings.Contains(body, apitest.Built(t).Manifest.Version+"/") || strings.Contains(body, "/tmp/api") || strings.Contains(body, "builds/") || strings.Contains(body, ".duckdb") || rec.Code >= 500 {
			t.Errorf("%s: %d %s", q, rec.Code, body)
		}
	}
}

// failing is a sandbox that fails in one way.
type failing struct{ check, run error }

func (b failing) Check(context.Context, sqlbox.Request) error { return b.check }
func (b failing) Run(context.Context, sqlbox.Request) (*sqlbox.Result, error) {
	return nil, b.run
}

// TestSQLSlugs checks the status and the cost of what a sandbox can answer.
func TestSQLSlugs(t *testing.T) {
	t.Parallel()
	say := func(slug string) error { return fault.New(slug, "so it is") }
	for _, c := range []struct {
		name   string
		box    failing
		status int
		slug   string
		wait   string
		costs  int
	}{
		{"timeout", failing{run: say(sqlbox.TimedOut)}, 400, "sql_timeout", "", 1},
		{"memory", failing{run: say(sqlbox.OutOfMemory)}, 400, "sql_memory", "", 1},
		{"large", failing{run: say(sqlbox.TooLarge)}, 400, "sql_too_large", "", 1},
		{"failed", failing{run: say(sqlbox.Failed)}, 400, "sql_failed", "", 1},
		{"too complex", failing{check: say(sqlbox.TooComplex)}, 400, "sql_too_complex", "", 1},
		{"rejected", failing{check: say(sqlbox.Rejected)}, 400, "sql_rejected", "", 0},
		{"pro table", failing{check: say(sqlbox.ProTable)}, 403, "pro_table", "", 0},
		{"busy gate", failing{check: say(sqlbox.Busy)}, 503, "sql_busy", "2", 0},
		{"concurrent", failing{check: say(sqlbox.Concurrent)}, 429, "sql_concurrent", "2", 0},
		{"no warehouse", failing{check: say(sqlbox.Unavailable)}, 503, "sql_unavailable", "5", 0},
		{"gone", failing{run: context.Canceled}, 503, "timed_out", "5", 1},
		{"bug", failing{run: errors.New("/secret/path is not there")}, 500, "internal_error", "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := apitest.New(t)
			w.Data.SQL = c.box
			w.Reopen(t, serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: w.Acquire}, SQL: true})
			rec := post(t, w, "plus", "", statement("SELECT 1"))
			if rec.Code != c.status || !strings.Contains(rec.Body.String(), `"error":"`+c.slug+`"`) || rec.Header().Get("Retry-After") != c.wait || strings.Contains(rec.Body.String(), "secret") {
				t.Errorf("%d %v %s", rec.Code, rec.Header(), rec.Body)
			}
			if cost := w.Ledger.Calls("plus"); cost != c.costs {
				t.Errorf("it cost %d calls", cost)
			}
		})
	}
}

// TestSQLTooComplex checks that a statement which used up what reading it may
// take is paid for once, however it is asked, also when the caller does not
// wait; and that who has no calls left is refused before it is read.
func TestSQLTooComplex(t *testing.T) {
	t.Parallel()
	// A budget that every statement uses up.
	box, err := sqlbox.New(sqlbox.Options{Workers: 1, Gates: 1, Reading: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	costly, err := box.Open(world.Small.Snapshot(t).Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer costly.Close()
	w := apitest.New(t)
	asked := &counting{Warehouse: costly}
	w.Data.SQL = asked
	w.Reopen(t, serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: w.Acquire}, SQL: true})
	for i, query := range []string{"", "?strict=1&nothing=1", "?format=csv"} {
		rec := post(t, w, "plus", query, statement("SELECT 1"))
		if rec.Code != 400 || !strings.Contains(rec.Body.String(), `"error":"sql_too_complex"`) || w.Ledger.Calls("plus") != i+1 || rec.Header().Get("X-Calls-Remaining") != strconv.Itoa(49-i) {
			t.Errorf("%s: %d %v %s, %d calls", query, rec.Code, rec.Header(), rec.Body, w.Ledger.Calls("plus"))
		}
	}
	// What is refused without the gate is free.
	if rec := post(t, w, "plus", "", statement("DELETE FROM grants")); rec.Code != 400 || w.Ledger.Calls("plus") != 3 {
		t.Errorf("%d %s, %d calls", rec.Code, rec.Body, w.Ledger.Calls("plus"))
	}
	ctx, leave := context.WithCancel(t.Context())
	asked.before = leave
	r := httptest.NewRequest("POST", "/api/v1/sql", strings.NewReader(statement("SELECT 1"))).WithContext(ctx)
	r.Header.Set("X-API-Key", "gg_test_pro")
	w.ServeHTTP(httptest.NewRecorder(), r)
	if n := w.Ledger.Calls("pro"); n != 1 {
		t.Errorf("a caller who did not wait paid %d calls", n)
	}
	asked.before = nil
	before := asked.n
	w.Ledger.Broke = "pro"
	if rec := post(t, w, "pro", "", statement("SELECT 1")); rec.Code != 402 || asked.n != before {
		t.Errorf("with no calls left: %d %s, %d statements were read", rec.Code, rec.Body, asked.n-before)
	}
}

// counting counts what is asked of a sandbox.
type counting struct {
	query.Warehouse
	n      int
	before func()
}

func (c *counting) Check(ctx context.Context, r sqlbox.Request) error {
	c.n++
	if c.before != nil {
		c.before()
	}
	return c.Warehouse.Check(ctx, r)
}

// TestSQLTimeout stops a query for real.
func TestSQLTimeout(t *testing.T) {
	t.Parallel()
	box, err := sqlbox.New(sqlbox.Options{Workers: 1, Timeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	slow, err := box.Open(world.Small.Snapshot(t).Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	w := apitest.New(t)
	w.Data.SQL = slow
	w.Reopen(t, serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: w.Acquire}, SQL: true})
	rec := post(t, w, "plus", "", statement(query.ExampleSQL("timeout")))
	if rec.Code != 400 || !strings.Contains(rec.Body.String(), `"sql_timeout"`) || !strings.Contains(rec.Body.String(), "narrow the query with a tax_year or funder_ein filter and retry") || w.Ledger.Calls("plus") != 1 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// TestSQLExamples holds the words of the examples against those of the real
// sandbox.
func TestSQLExamples(t *testing.T) {
	t.Parallel()
	for _, q := range []string{query.ExampleSQL("rejected"), query.ExampleSQL("pro_table")} {
		r := sqlbox.Request{SQL: q}
		invented, _ := fault.Of(example.Warehouse{}.Check(t.Context(), r))
		real, _ := fault.Of(apitest.SQL(t).Check(t.Context(), r))
		if invented == nil || real == nil || invented.Slug != real.Slug || invented.Message != real.Message || invented.Hint != real.Hint {
			t.Errorf("%s: %+v, the sandbox says %+v", q, invented, real)
		}
	}
	q := sqlbox.Request{SQL: query.ExampleSQL("1")}
	if err := q.Params.UnmarshalJSON([]byte(`{"year":2022}`)); err != nil {
		t.Fatal(err)
	}
	invented, _ := example.Warehouse{}.Run(t.Context(), q)
	if err := apitest.SQL(t).Check(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	real, err := apitest.SQL(t).Run(t.Context(), q)
	if err != nil || !slices.Equal(invented.Columns, real.Columns) || len(real.Rows) != 2 {
		t.Errorf("%v: %+v, want %+v", err, real, invented)
	}
	if err := apitest.SQL(t).Check(t.Context(), sqlbox.Request{SQL: query.ExampleSQL("timeout")}); err != nil {
		t.Error(err)
	}
}

func TestSQLSchema(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	rec := w.Get(t, "GET", "/api/v1/sql/schema", "")
	a := apitest.Unmarshal[client.SQLSchemaAnswer](t, rec)
	if rec.Code != 200 || len(a.Tables) != len(warehouse.Views()) || a.Dialect != "DuckDB" || len(a.Rules) == 0 || len(a.Functions) != 1 || rec.Header().Get("ETag") == "" {
		t.Fatalf("%d %+v", rec.Code, a)
	}
	for _, x := range a.Tables {
		v, ok := warehouse.Find(x.Name)
		if !ok || x.Meaning != v.Meaning || (x.Plan == "pro") != v.Pro || len(x.Columns) != len(v.Columns) || len(x.Traps) != len(v.Traps) || len(x.Examples) < 2 {
			t.Errorf("%+v", x)
		}
	}
	if bytes.Contains(rec.Body.Bytes(), []byte("null,")) {
		t.Error("a list is null")
	}
}

// TestNoSQL checks a service that runs no queries: it still describes them.
func TestNoSQL(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	h, err := serve.NewAPI(serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: func() (api.Dataset, func()) { return w.Data, nil }}})
	if err != nil {
		t.Fatal(err)
	}
	w.Handler = h
	if rec := post(t, w, "plus", "", statement("SELECT 1")); rec.Code != 404 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	if rec := w.Get(t, "GET", "/api/v1/sql/schema", ""); rec.Code != http.StatusOK {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

// TestSQLKeys checks what the sandbox is told of the caller.
func TestSQLKeys(t *testing.T) {
	t.Parallel()
	for _, plan := range []account.Plan{account.Plus, account.Pro} {
		w := apitest.New(t)
		seen := &listening{}
		w.Data.SQL = seen
		h, err := serve.NewAPI(serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: func() (api.Dataset, func()) { return w.Data, nil }}, SQL: true})
		if err != nil {
			t.Fatal(err)
		}
		w.Handler = h
		rec := post(t, w, string(plan), "", "{\"sql\":\" SELECT\\n 1 \"}")
		want := sqlbox.Request{SQL: " SELECT\n 1 ", Pro: plan == account.Pro, Owner: string(plan)}
		// What Check was given a place for, Run does not refuse: a full house
		// costs nothing.
		if seen.ran.Place == nil || seen.ran.Place != seen.checked.Place {
			t.Errorf("%s: the place of the query is lost between the gate and the worker", plan)
		}
		for _, got := range []sqlbox.Request{seen.checked, seen.ran} {
			if rec.Code != 200 || got.SQL != want.SQL || got.Pro != want.Pro || got.Owner != want.Owner {
				t.Errorf("%d %+v, want %+v", rec.Code, got, want)
			}
		}
	}
}

// TestSQLOwner checks that the keys of an account are one caller to the sandbox.
func TestSQLOwner(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	w.Ledger.Account = "acc_one"
	seen := &listening{}
	w.Data.SQL = seen
	w.Reopen(t, serve.API{Config: api.Config{BaseURL: apitest.Base, Accounts: w.Ledger, Acquire: w.Acquire}, SQL: true})
	for _, key := range []string{"plus", "pro"} {
		rec := post(t, w, key, "", statement("SELECT 1"))
		if rec.Code != 200 || seen.checked.Owner != "acc_one" || seen.ran.Owner != "acc_one" {
			t.Errorf("%s: %d, owners %q and %q", key, rec.Code, seen.checked.Owner, seen.ran.Owner)
		}
	}
}

// listening remembers what it was asked.
type listening struct{ checked, ran sqlbox.Request }

func (l *listening) Check(_ context.Context, r sqlbox.Request) error {
	l.checked = r
	return nil
}

func (l *listening) Run(_ context.Context, r sqlbox.Request) (*sqlbox.Result, error) {
	l.ran = r
	return &sqlbox.Result{Rows: []json.RawMessage{}}, nil
}
