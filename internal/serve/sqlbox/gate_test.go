package sqlbox

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"testing"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/sqlbox/hostile"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/table"
)

// TestComplaints holds what a person reads against what was wrong.
func TestComplaints(t *testing.T) {
	t.Parallel()
	b := box(t, Options{})
	for _, c := range []struct{ sql, slug, want string }{
		{"SELECT ammount FROM grants", Rejected, `unknown column "ammount"; did you mean "amount"`},
		{"SELECT fiscal_year FROM grants", Rejected, `unknown column "fiscal_year"; did you mean "tax_year"? (line 1, column 8)`},
		{"SELECT funderein FROM grants", Rejected, `unknown column "funderein"; did you mean "funder_ein"? (line 1, column 8)`},
		{"SELECT g.ammount FROM grants g", Rejected, `unknown column "ammount" of "g"; did you mean "amount"`},
		{`SELECT 1 FROM grants WHERE recipient_state = "OH"`, Rejected, `unknown column "OH"; if it is text and not a name, put it in single quotes: 'OH' (line 1, column 46)`},
		{"SELECT 1\nFROM grant", Rejected, `unknown table "grant"; did you mean "grants"? (line 2, column 6)`},
		{"SELECT 1 FROM Board_Link", Rejected, `unknown table "Board_Link"; did you mean "board_link"?`},
		{"SELECT 1 FROM elsewhere", Rejected, `unknown table "elsewhere"`},
		{"SELECT summ(amount) FROM grants", Rejected, `the function summ is not available; did you mean sum? (line 1, column 8)`},
		{"SELECT ein.lower() FROM pub78", Rejected, `the function ein.lower is not available (line 1, column 8)`},
		{"SELECT * FROM (SUMMARIZE pub78)", Rejected, `DESCRIBE, SHOW and SUMMARIZE cannot be used inside a query`},
		{"SELECT 1,\n  sleep_ms(5)", Rejected, `the function sleep_ms is not available (line 2, column 3)`},
		{"SELECT * FROM read_csv('x')", Rejected, `the table function read_csv is not available (line 1, column 15)`},
		{"SELECT 1 FROM grants WHER x", Rejected, `syntax error at or near "x" (line 1, column 27)`},
		{"SELECT 1,\n  1::VARIANT", Rejected, "the type VARIANT is not available (line 2, column 4)"},
		{"SELECT 'a'::VARCHR", Rejected, "the type VARCHR is not available; did you mean VARCHAR? (line 1, column 11)"},
		{"SELECT 1" + strings.Repeat("+1", 450), Rejected, nestedTooDeep},
		{"SELECT 1" + strings.Repeat("+1", 1200), Rejected, nestedTooDeep},
		{"SELECT " + strings.Repeat("- ", 30000) + "1", Rejected, nestedTooDeep},
		{hostile.NestedLambdas(9), Rejected, "lambdas are nested more than 8 deep"},
		{"SELECT 1; SELECT 2", Rejected, "the text holds 2 statements; send one at a time"},
		{"DELETE FROM grants", Rejected, "a statement begins with SELECT, WITH or DESCRIBE"},
		{"SELECT * FROM board_link", ProTable, "the table board_link needs the Pro plan"},
		{"SELECT amount FROM grants GROUP BY tax_year", Rejected, `column "amount" must appear in the GROUP BY clause`},
		{"SELECT ein + 1 FROM pub78", Rejected, "No function matches the given name and argument types '+(VARCHAR, INTEGER_LITERAL)'"},
		{"SELECT 'x'::INT", Failed, `the query failed: Could not convert string 'x' to INT32 (line 1, column 11)`},
		{"SELECT 1,\n  'é'::INT", Failed, `the query failed: Could not convert string 'é' to INT32 (line 2, column 6)`},
		{"SELECT " + strings.Repeat("amount, ", 40) + "ammount FROM grants", Rejected, `? (line 1, column 328)`},
		{"SELECT g.amount FROM grants AS h", Rejected, `"g" names no table in FROM; did you mean "h"? (line 1, column 8)`},
		{"SELECT g.b FROM (SELECT 1 AS a) g", Rejected, `unknown column "b" of "g" (line 1, column 8)`},
		{"SELECT (1, 2)", Failed, "a row whose fields have no names cannot be returned"},
		{"SELECT error('/etc/passwd ' || 'is mine')", Failed, "is mine"},
		{"SELECT $a, ?", Rejected, "Mixing named and positional parameters is not supported"},
		{"SELECT 1 ORDER BY 7", Rejected, "ORDER term out of range"},
		{"SELECT $1", Rejected, "the statement has 1 parameters and params has 0 values"},
	} {
		_, err := b.Query(t.Context(), Request{SQL: c.sql})
		f, ok := fault.Of(err)
		if !ok || f.Slug != c.slug || !strings.Contains(f.Message, c.want) {
			t.Errorf("%s\n got %s: %v\nwant %s: %s", c.sql, slug(err), err, c.slug, c.want)
		}
	}
}

// TestFunctions checks that the allowlist holds nothing that is known to be
// dangerous and nothing that the engine does not have.
func TestFunctions(t *testing.T) {
	t.Parallel()
	db, conn, err := openEngine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer conn.Close()
	rows, err := conn.QueryContext(t.Context(), "SELECT DISTINCT lower(function_name), function_type, has_side_effects FROM duckdb_functions()")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"find_org": true, "unnest": true, "->": true, "nullif": true}
	for rows.Next() {
		var name, kind string
		var effects sql.NullBool
		if err := rows.Scan(&name, &kind, &effects); err != nil {
			t.Fatal(err)
		}
		if kind != "table" && kind != "pragma" {
			known[name] = true
		}
		// random and its like, and what gives another answer at another time.
		if functions[name] && effects.Bool && kind == "scalar" && !table.SetOf("random uuid gen_random_uuid error")[name] {
			t.Errorf("%s has side effects", name)
		}
	}
	if list := Functions(); len(list) < 400 || !slices.Contains(list, "find_org") || slices.Contains(list, "+") {
		t.Errorf("%d functions", len(list))
	}
	for name := range functions {
		if !known[name] {
			t.Errorf("the engine has no function %s", name)
		}
		for _, bad := range []string{"read_", "scan", "duckdb", "pragma", "sql", "setting", "sleep", "secret", "env", "catalog", "schema", "glob", "parquet", "csv"} {
			if strings.Contains(name, bad) {
				t.Errorf("%s looks dangerous", name)
			}
		}
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"SELECT 1":                   "SELECT 1",
		"SELECT 1;":                  "SELECT 1",
		"SELECT ';' ; -- ;":          "SELECT ';' ",
		`SELECT ";" /* ; */`:         `SELECT ";" /* ; */`,
		"SELECT $$;$$;":              "SELECT $$;$$",
		"SELECT $q$;$$;$q$; ;":       "SELECT $q$;$$;$q$",
		`SELECT E'\';', 'it''s;' ; `: `SELECT E'\';', 'it''s;' `,
		"SELECT $1;":                 "SELECT $1",
		"SELECT a$b;c$d":             "SELECT a$b",
		"/* /* ; */ ; */ SELECT 1;":  "/* /* ; */ ; */ SELECT 1",
	} {
		if got := body(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzGate checks that whatever the gate lets pass is one SELECT that touches
// allowed tables only, by the engine's own account, and that what is put
// around it keeps it so.
func FuzzGate(f *testing.F) {
	for _, list := range hostile.Refused {
		for _, s := range list[:min(8, len(list))] {
			f.Add(s)
		}
	}
	for _, v := range warehouse.Views()[:8] {
		f.Add(v.Examples[0].SQL)
	}
	for _, s := range []string{"SELECT 1;", "WITH a AS (SELECT 1) SELECT * FROM a", "SELECT E'\\';' -- x", "DESCRIBE grants", "SELECT * FROM grants TABLESAMPLE 1%"} {
		f.Add(s)
	}
	ctx := context.Background()
	g, err := openGate(ctx, 256<<20)
	if err != nil {
		f.Fatal(err)
	}
	defer g.close()
	f.Fuzz(func(t *testing.T, text string) {
		err := g.check(ctx, text, false, Params{})
		if err != nil {
			if _, ok := fault.Of(err); !ok && !strings.Contains(err.Error(), "INTERNAL") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, s := range []string{text, "SELECT * FROM (\n" + body(text) + "\n) LIMIT 2001"} {
			err := g.conn.Raw(func(c any) error {
				// Prepare refuses anything but one statement.
				stmt, err := c.(*duckdb.Conn).Prepare(s)
				if err != nil {
					return err
				}
				defer stmt.Close()
				typ, err := stmt.(*duckdb.Stmt).StatementType()
				if err == nil && typ != duckdb.STATEMENT_TYPE_SELECT {
					t.Errorf("%q is a statement of type %v", s, typ)
				}
				return err
			})
			if err != nil {
				t.Errorf("%q is let pass as %q and fails: %v", text, s, err)
			}
		}
		names, err := duckdb.GetTableNames(g.conn, text, false)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		for _, n := range names {
			if v, ok := warehouse.Find(n); !ok || v.Pro {
				t.Errorf("%q touches %s", text, n)
			}
		}
	})
}

// TestStarved checks that a lack of memory is told by what the engine says, and
// not by what a statement makes it say.
func TestStarved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, message string
		want          bool
	}{
		{"Out of Memory", "could not allocate block of size 256.0 KiB", true},
		{"Binder", "Failed to allocate block of 2147483648 bytes (bad allocation)", true},
		{"", `{"exception_type":"Parser","exception_message":"std::bad_alloc","error_subtype":"SYNTAX_ERROR"}`, true},
		{"Conversion", "Could not convert string 'std::bad_alloc' to INT32", false},
		{"", `syntax error at or near "bad_alloc"`, false},
	} {
		if isOutOfMemory(c.kind, c.message) != c.want {
			t.Errorf("%s: %s: %v", c.kind, c.message, !c.want)
		}
	}
}
