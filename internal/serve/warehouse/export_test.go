package warehouse

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/snapshot"
)

// TestExport reads an export back and holds it against the snapshot.
func TestExport(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's out")
	var seen int
	e, err := Export(t.Context(), Invented(t), dir, ExportOptions{Done: func(ExportedTable) { seen++ }})
	if err != nil {
		t.Fatal(err)
	}
	if seen != len(views) || len(e.Tables) != len(views) || e.Version != Invented(t).Manifest.Version {
		t.Errorf("%d tables of %d", len(e.Tables), len(views))
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range e.Tables {
		x := &e.Tables[i]
		v, _ := Find(x.Name)
		var want int64
		if err := db.QueryRow("SELECT count(*) FROM read_parquet(" + quote(v.source(Invented(t))) + ")").Scan(&want); err != nil {
			t.Fatal(err)
		}
		if x.Rows != want {
			t.Errorf("%s: %d rows exported of %d", v.Name, x.Rows, want)
		}
		if want == 0 {
			continue
		}
		from := " FROM read_parquet(" + quote(filepath.Join(dir, x.Files)) + ", hive_partitioning = false) "
		var names []string
		for _, c := range v.Columns {
			names = append(names, c.Name)
		}
		// The rows themselves, as a bag.
		var differ, rows int64
		list := strings.Join(names, ", ")
		original := "(" + v.Select(v.source(Invented(t))) + ")"
		if err := db.QueryRow("SELECT count(*)" + from).Scan(&rows); err != nil || rows != want {
			t.Errorf("%s: %d rows read back of %d: %v", v.Name, rows, want, err)
		}
		if err := db.QueryRow("SELECT count(*) FROM ((SELECT " + list + from + " EXCEPT ALL SELECT " + list + " FROM " + original + ") UNION ALL (SELECT " + list + " FROM " + original + " EXCEPT ALL SELECT " + list + from + "))").Scan(&differ); err != nil || differ != 0 {
			t.Errorf("%s: %d rows differ: %v", v.Name, differ, err)
		}
		if v.year != "" {
			if some, _ := filepath.Glob(filepath.Join(dir, v.Name, v.year+"=*", "*.parquet")); len(some) == 0 {
				t.Errorf("%s is not partitioned", v.Name)
			}
		}
	}
	var read Exported
	body, err := os.ReadFile(filepath.Join(dir, ExportName))
	if err != nil || json.Unmarshal(body, &read) != nil || len(read.Tables) != len(e.Tables) {
		t.Errorf("%s: %v", body, err)
	}
	for _, d := range dialects {
		body, err := os.ReadFile(filepath.Join(dir, "ddl", d.name+".sql"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(body), "CREATE TABLE "); n != len(views) || strings.Contains(string(body), " ()") {
			t.Errorf("%s defines %d tables", d.name, n)
		}
	}
	if _, err := Export(t.Context(), Invented(t), dir, ExportOptions{}); err == nil {
		t.Error("an export was written over another")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExportOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := Export(t.Context(), Invented(t), dir, ExportOptions{Open: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range e.Tables {
		if v, _ := Find(x.Name); v.Pro {
			t.Errorf("%s is in an open export", x.Name)
		}
	}
	body, err := os.ReadFile(filepath.Join(dir, "ddl", "postgres.sql"))
	if err != nil || strings.Contains(string(body), "board_link") {
		t.Errorf("the definitions of an open export: %v", err)
	}
	if _, err := Export(t.Context(), &snapshot.Snapshot{Dir: t.TempDir()}, filepath.Join(dir, "x", "y"), ExportOptions{}); err == nil {
		t.Error("a snapshot without a warehouse was exported")
	}
}

// TestPostgresScript runs the definitions in PostgreSQL itself.
func TestPostgresScript(t *testing.T) {
	t.Parallel()
	server, err := postgres.Start(t.Context())
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("the script for PostgreSQL is not tested: %v; install it (Debian: apt-get install postgresql)", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	conn, err := pgx.Connect(t.Context(), server.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	i := slices.IndexFunc(dialects, func(d dialect) bool { return d.name == "postgres" })
	if _, err := conn.Exec(t.Context(), dialects[i].script(Location{}, true)); err != nil {
		t.Fatal(err)
	}
	var tables, columns int
	if err := conn.QueryRow(t.Context(), "SELECT count(DISTINCT table_name), count(*) FROM information_schema.columns WHERE table_schema = 'public'").Scan(&tables, &columns); err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, v := range views {
		want += len(v.Columns)
	}
	if tables != len(views) || columns != want {
		t.Errorf("%d tables with %d columns, want %d with %d", tables, columns, len(views), want)
	}
}

// TestClickHouseScript checks that rows are loaded by the names of their
// columns: an engine that reads the year from the folder's name puts it last.
func TestClickHouseScript(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(dialects, func(d dialect) bool { return d.name == "clickhouse" })
	script := dialects[i].script(Location{}, true)
	if want := "INSERT INTO pub78 (ein, deductibility_codes) SELECT ein, deductibility_codes FROM file('pub78/*.parquet', Parquet);"; !strings.Contains(script, want) {
		t.Errorf("the script has no %s", want)
	}
	if strings.Contains(script, "SELECT *") {
		t.Error("columns are loaded in the order in which they come")
	}
}

// TestLocations checks that a folder of any name makes a script that can be read.
func TestLocations(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"spark": `LOCATION 'file:///it\'s out/pub78';`,
		"trino": `external_location = 'file:///it''s out/pub78')`,
	} {
		i := slices.IndexFunc(dialects, func(d dialect) bool { return d.name == name })
		if script := dialects[i].script(Location{URI: "file:///it's out"}, true); !strings.Contains(script, want) {
			t.Errorf("the script for %s has no %s", name, want)
		}
	}
}

// TestExportLocation has the files in a bucket: each engine is told of it in its
// own way.
func TestExportLocation(t *testing.T) {
	t.Parallel()
	at := Location{URI: "s3://bucket/exports/v", Web: "https://s3.example.org/bucket/exports/v"}
	for name, want := range map[string]string{
		"clickhouse": "FROM s3('https://s3.example.org/bucket/exports/v/grants/*/*.parquet', Parquet);",
		"spark":      "LOCATION 's3a://bucket/exports/v/grants';",
		"trino":      "external_location = 's3://bucket/exports/v/grants'",
		"postgres":   "CREATE TABLE grants (",
	} {
		i := slices.IndexFunc(dialects, func(d dialect) bool { return d.name == name })
		if got := dialects[i].script(at, true); !strings.Contains(got, want) {
			t.Errorf("%s does not say %s:\n%.2000s", name, want, got)
		}
	}
}
