package warehouse

import (
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/disk"
)

// TestPackage reads the files of a release back: each table's rows are in its parts, once, in both formats.
func TestPackage(t *testing.T) {
	t.Parallel()
	s, dir := Invented(t), filepath.Join(t.TempDir(), "it's out")
	p, err := Package(t.Context(), s, dir)
	if err != nil {
		t.Fatal(err)
	}
	if p.Version != s.Manifest.Version || !p.Invented {
		t.Errorf("version %s, invented %t", p.Version, p.Invented)
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sums, err := os.ReadFile(filepath.Join(dir, SumsName))
	if err != nil {
		t.Fatal(err)
	}
	rows, parts := map[string]int64{}, map[string]int{} // by table, format and kind of part
	names := map[string]bool{}
	for i := range p.Resources {
		r := &p.Resources[i]
		file := filepath.Join(dir, filepath.FromSlash(r.Path))
		sum, size, err := disk.Hash(t.Context(), file)
		if err != nil || r.Hash != "sha256:"+sum || r.Bytes != size || !strings.Contains(string(sums), sum+"  "+r.Path+"\n") {
			t.Errorf("%s is not as described: %v", r.Path, err)
		}
		if names[r.Name] || r.Name != strings.ToLower(r.Name) {
			t.Errorf("the name %s is used twice, or has capitals", r.Name)
		}
		names[r.Name] = true
		kind := "state"
		switch {
		case r.Part == everything:
			kind = everything
		case r.Part >= "1" && r.Part < "3":
			kind = "year"
		}
		rows[r.Table+" "+r.Format+" "+kind] += r.Rows
		parts[r.Table+" "+r.Format+" "+kind]++
		if v, _ := Find(r.Table); (r.Plan == "pro") != v.Pro {
			t.Errorf("%s is for plan %s", r.Path, r.Plan)
		}
		var n int64
		from := "read_parquet(" + quote(file) + ")"
		if r.Format == "csv" {
			from = "read_csv(" + quote(file) + ", header = true, all_varchar = true)"
		}
		if err := db.QueryRow("SELECT count(*) FROM " + from).Scan(&n); err != nil || n != r.Rows {
			t.Errorf("%s has %d rows, described as %d: %v", r.Path, n, r.Rows, err)
		}
	}
	for i := range views {
		v := &views[i]
		var want int64
		if err := db.QueryRow("SELECT count(*) FROM read_parquet(" + quote(v.source(s)) + ")").Scan(&want); err != nil {
			t.Fatal(err)
		}
		for kind, by := range map[string]string{"year": v.year, "state": v.state} {
			for _, format := range []string{"parquet", "csv"} {
				if key := v.Name + " " + format + " " + kind; by != "" && rows[key] != want || by == "" && parts[key] > 0 {
					t.Errorf("%s: %d rows in %d files, want %d", key, rows[key], parts[key], want)
				}
			}
		}
		if key := v.Name + " csv " + everything; (v.year == "" || want == 0) && (rows[key] != want || parts[key] != 1) {
			t.Errorf("%s: %d rows in %d files, want %d", key, rows[key], parts[key], want)
		}
	}
	// The values survive both formats: the grants of one state, as text.
	from := func(format string) string {
		return "read_" + strings.TrimSuffix(format, ".gz") + "(" + quote(filepath.Join(dir, "grants", "grants-OH."+format))
	}
	var differ int64
	columns := "funder_ein, recipient_raw, amount, is_daf, match_prob, grant_key"
	typed := ", header = true, types = {'funder_ein': 'VARCHAR', 'amount': 'BIGINT', 'is_daf': 'BOOLEAN', 'match_prob': 'DOUBLE', 'recipient_zip': 'VARCHAR'})"
	if err := db.QueryRow("SELECT count(*) FROM (SELECT " + columns + " FROM " + from("parquet") + ") EXCEPT ALL SELECT " + columns + " FROM " +
		from("csv.gz") + typed + ")").Scan(&differ); err != nil || differ != 0 {
		t.Errorf("%d grants differ between the formats: %v", differ, err)
	}
	var read DataPackage
	body, err := os.ReadFile(filepath.Join(dir, PackageName))
	if err != nil || json.Unmarshal(body, &read) != nil || len(read.Resources) != len(p.Resources) {
		t.Errorf("the description cannot be read: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
