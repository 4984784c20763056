package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/golden"
	"grantgraph/internal/snapshot"
)

// Invented is the snapshot that all tests share. The external test package sets
// it, for package world imports this one.
var Invented func(testing.TB) *snapshot.Snapshot

// open attaches the files as the sandbox does.
func open(t testing.TB, files ...string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var path []string
	for i, f := range files {
		path = append(path, fmt.Sprintf("f%d.main", i))
		run(t, conn, fmt.Sprintf("ATTACH %s AS f%d (READ_ONLY)", quote(filepath.Join(Invented(t).Dir, f)), i))
	}
	run(t, conn, "CREATE TEMP MACRO find_org(name) AS '070000001'", "SET search_path = "+quote(strings.Join(path, ",")))
	return conn
}

func run(t testing.TB, conn *sql.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := conn.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%v in %s", err, s)
		}
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	seen := map[string]bool{}
	for _, v := range Views() {
		if seen[v.Name] || !name.MatchString(v.Name) || v.Meaning == "" || v.Group == "" || len(v.Traps) == 0 || len(v.Examples) != 2 {
			t.Errorf("%s is not fully defined", v.Name)
		}
		seen[v.Name] = true
		cols := map[string]bool{}
		for _, c := range v.Columns {
			if cols[c.Name] || !name.MatchString(c.Name) || c.Meaning == "" || c.Type == "" {
				t.Errorf("%s.%s is not fully defined", v.Name, c.Name)
			}
			cols[c.Name] = true
		}
		if v.year != "" && !cols[v.year] {
			t.Errorf("%s has no column %s", v.Name, v.year)
		}
	}
	// 33, and cofunder_edge, org_cause, org_financials, gov_award, funder_application, grant_account, grant_abroad and grant_adjustment.
	if len(seen) != 41 {
		t.Errorf("%d views", len(seen))
	}
	for _, n := range []string{"grants", "recipient_name", "grant_purpose", "orgs", "funder_kind", "org_bmf", "pub78", "auto_revocation", "ofac_sdn",
		"service_area", "intl_entity", "cofunder_edge_intl", "cofunder_edge", "org_cause", "org_asset_profile", "foundation_holdings", "holding_entity", "board_link",
		"org_families", "gov_funding_federal", "gov_funding_state", "org_financials", "gov_award", "uk_charity", "uk_charity_finance", "uk_charity_return_b", "uk_charity_return_a",
		"uk_charity_classification", "uk_charity_area", "uk_charity_other_name", "uk_charity_governing_document", "uk_charity_policy",
		"uk_charity_event", "uk_charity_published_report", "uk_ingest_meta", "uk_charity_trustee", "uk_board_edge"} {
		if !seen[n] {
			t.Errorf("no view %s", n)
		}
	}
}

// TestOrder holds the rows of every view against the column that they lie by, on
// which the engine relies to read few of them.
func TestOrder(t *testing.T) {
	t.Parallel()
	conn := open(t, OpenFile, ProFile)
	for i := range views {
		v := &views[i]
		by, _, _ := strings.Cut(v.order, ",")
		var rows, wrong int
		query := fmt.Sprintf("SELECT count(*), count(*) FILTER (WHERE before > %[1]s) FROM (SELECT %[1]s, lag(%[1]s) OVER (ORDER BY rowid) AS before FROM %[2]s)", by, v.Name)
		if err := conn.QueryRowContext(t.Context(), query).Scan(&rows, &wrong); err != nil {
			t.Fatal(err)
		}
		if wrong > 0 {
			t.Errorf("%d of the %d rows of %s stand after one with a larger %s", wrong, rows, v.Name, by)
		}
	}
}

// TestGrantKeys finds a row by its key, and says how sure its match is where there is one.
func TestGrantKeys(t *testing.T) {
	t.Parallel()
	conn := open(t, OpenFile)
	var rows, keys, matched, wrong int
	query := "SELECT count(*), count(DISTINCT grant_key), count(match_rule), count(*) FILTER (WHERE (match_rule IS NULL) <> (match_prob IS NULL) OR match_prob > 1) FROM grants"
	if err := conn.QueryRowContext(t.Context(), query).Scan(&rows, &keys, &matched, &wrong); err != nil {
		t.Fatal(err)
	}
	if rows == 0 || keys != rows || matched == 0 || matched == rows || wrong > 0 {
		t.Errorf("%d rows with %d keys; %d are matched, %d wrongly", rows, keys, matched, wrong)
	}
}

// TestFiles holds the catalog of the files against the definition, and the
// rows against the tables they were made from.
func TestFiles(t *testing.T) {
	t.Parallel()
	conn := open(t, OpenFile, ProFile)
	for i := range views {
		v := &views[i]
		rows, err := conn.QueryContext(t.Context(), "DESCRIBE "+v.Name)
		if err != nil {
			t.Fatal(err)
		}
		var got []Column
		for rows.Next() {
			var c Column
			var null string
			var rest [3]any
			if err := rows.Scan(&c.Name, &c.Type, &null, &rest[0], &rest[1], &rest[2]); err != nil {
				t.Fatal(err)
			}
			c.Nullable = null == "YES"
			got = append(got, c)
		}
		if len(got) != len(v.Columns) {
			t.Errorf("%s has %d columns, want %d", v.Name, len(got), len(v.Columns))
			continue
		}
		for j, c := range v.Columns {
			if g := got[j]; g.Name != c.Name || g.Type != c.Type || g.Nullable != c.Nullable {
				t.Errorf("%s.%s is %+v", v.Name, c.Name, g)
			}
		}
		var have, want int
		if err := conn.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM "+v.Name+"), (SELECT count(*) FROM read_parquet("+quote(v.source(Invented(t)))+"))").Scan(&have, &want); err != nil {
			t.Fatal(err)
		}
		if have != want {
			t.Errorf("%s has %d rows, the table %d", v.Name, have, want)
		}
		if have == 0 {
			t.Logf("%s is empty in this world", v.Name)
		}
	}
	var comments int
	if err := conn.QueryRowContext(t.Context(), "SELECT count(*) FROM duckdb_columns() WHERE database_name IN ('f0', 'f1') AND comment IS NULL").Scan(&comments); err != nil || comments != 0 {
		t.Errorf("%d columns have no comment: %v", comments, err)
	}
}

// TestSeparation checks that the open file knows nothing of the Pro tables.
func TestSeparation(t *testing.T) {
	t.Parallel()
	conn := open(t, OpenFile)
	for _, v := range Views() {
		_, err := conn.ExecContext(t.Context(), "SELECT 1 FROM "+v.Name+" LIMIT 1")
		if (err != nil) != v.Pro {
			t.Errorf("%s in the open file: %v", v.Name, err)
		}
	}
	body, err := os.ReadFile(filepath.Join(Invented(t).Dir, OpenFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range Views() {
		// uk_ingest_meta counts the rows of every table of the register.
		if v.Pro && v.Group != "UK charity register" && strings.Contains(string(body), v.Name) {
			t.Errorf("the open file mentions %s", v.Name)
		}
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	conn := open(t, OpenFile, ProFile)
	for _, v := range Views() {
		for _, e := range v.Examples {
			if _, err := conn.ExecContext(t.Context(), e.SQL); err != nil {
				t.Errorf("%s, %q: %v", v.Name, e.Question, err)
			}
			if !strings.Contains(e.SQL, v.Name) {
				t.Errorf("%s, %q does not use it", v.Name, e.Question)
			}
		}
	}
}

// TestTiers checks the rules of the grants view that the tables do not have.
func TestTiers(t *testing.T) {
	t.Parallel()
	conn := open(t, OpenFile)
	for _, q := range []string{
		"source_tier = 'universe' AND purpose_raw IS NOT NULL",
		"source_tier = 'matched' AND (recipient_country IS NOT NULL OR recipient_ein IS NULL)",
		"source_tier NOT IN ('matched', 'universe')",
		"length(funder_ein) <> 9 OR length(recipient_ein) <> 9 OR length(recipient_state) <> 2",
		"recip_id NOT SIMILAR TO '(ein|intl|nm)-.+'",
		"is_individual AND NOT is_unidentified",
	} {
		var n int
		if err := conn.QueryRowContext(t.Context(), "SELECT count(*) FROM grants WHERE "+q).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d rows, %v", q, n, err)
		}
	}
	if err := Invented(t).Verify(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(Invented(t).Dir, ".warehouse*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	page := Markdown()
	for _, v := range Views() {
		if !strings.Contains(page, "\n### "+v.Name) {
			t.Errorf("the page lacks %s", v.Name)
		}
	}
	if strings.Count(page, "(Pro)") != 10 || page != Markdown() {
		t.Errorf("%d Pro tables", strings.Count(page, "(Pro)"))
	}
}

// TestPage holds the page of the documentation against the definition.
func TestPage(t *testing.T) {
	t.Parallel()
	golden.Check(t, "../../../docs/warehouse.md", Markdown())
}

func TestCancel(t *testing.T) {
	t.Parallel()
	w, err := snapshot.Create(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Build(ctx, w); err == nil {
		t.Error("a cancelled build succeeded")
	}
}

// TestNames checks that names of organizations are capitals, also those that a
// list has otherwise.
func TestNames(t *testing.T) {
	t.Parallel()
	conn := open(t, OpenFile, ProFile)
	for _, c := range []string{"grants.recipient_raw", "recipient_name.name", "grant_purpose.recipient_raw", "orgs.name", "funder_kind.name", "org_bmf.name",
		"intl_entity.recipient_raw", "intl_entity.canonical_name", "org_asset_profile.org_name", "foundation_holdings.canonical_name", "holding_entity.canonical_name",
		"org_families.family_name", "uk_charity.charity_name"} {
		table, column, _ := strings.Cut(c, ".")
		var n int
		if err := conn.QueryRowContext(t.Context(), fmt.Sprintf("SELECT count(*) FROM %s WHERE %[2]s <> upper(%[2]s)", table, column)).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d rows, %v", c, n, err)
		}
	}
	v, _ := Find("org_bmf")
	file := filepath.Join(t.TempDir(), "org_bmf.parquet")
	run(t, conn, "COPY (SELECT * REPLACE ('AMIGOS DE BAYAMóN INC' AS name) FROM read_parquet("+quote(v.source(Invented(t)))+") LIMIT 1) TO "+quote(file))
	var name string
	if err := conn.QueryRowContext(t.Context(), "SELECT name FROM ("+v.Select(file)+")").Scan(&name); err != nil || name != "AMIGOS DE BAYAMÓN INC" {
		t.Errorf("%s, %v", name, err)
	}
}

// TestSums holds the tables that add up grants against the grants.
func TestSums(t *testing.T) {
	t.Parallel()
	conn := open(t, OpenFile)
	for name, q := range map[string]string{
		"funder_kind": `SELECT count(*) FROM funder_kind f FULL JOIN (SELECT funder_ein, count(*) AS n, sum(amount) AS t, count(DISTINCT recip_id) AS g FROM grants GROUP BY 1) x USING (funder_ein)
			WHERE n IS DISTINCT FROM n_grants OR t IS DISTINCT FROM total_out OR g IS DISTINCT FROM n_grantees`,
		"recipient_name": `SELECT count(*) FROM recipient_name r FULL JOIN (SELECT recipient_ein AS ein, count(DISTINCT recipient_raw) AS n FROM grants WHERE recipient_ein IS NOT NULL GROUP BY 1) x USING (ein)
			WHERE n IS DISTINCT FROM spellings`,
		"grant_purpose": `SELECT abs((SELECT sum(amount) FROM grant_purpose) - (SELECT sum(amount) FROM grants WHERE source_tier = 'universe'))`,
		"cofunder_edge": `SELECT count(*) FROM cofunder_edge c FULL JOIN (SELECT recipient_ein, funder_ein, min(tax_year) AS a, max(tax_year) AS b, sum(amount) AS t, count(*) AS n FROM grants WHERE recipient_ein IS NOT NULL AND NOT is_unidentified GROUP BY 1, 2) x USING (recipient_ein, funder_ein)
			WHERE a IS DISTINCT FROM first_year OR b IS DISTINCT FROM last_year OR t IS DISTINCT FROM total_amount OR n IS DISTINCT FROM grant_count`,
		"cofunder_edge_intl": `SELECT count(*) FROM cofunder_edge_intl c FULL JOIN (SELECT substr(recip_id, 6) AS cluster_id, funder_ein, sum(amount) AS t, count(*) AS n FROM grants WHERE recip_id LIKE 'intl-%' AND NOT is_unidentified GROUP BY 1, 2) x USING (cluster_id, funder_ein)
			WHERE t IS DISTINCT FROM total_amount OR n IS DISTINCT FROM grant_count`,
	} {
		var n int
		if err := conn.QueryRowContext(t.Context(), "SELECT CAST(("+q+") AS INTEGER)").Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
}
