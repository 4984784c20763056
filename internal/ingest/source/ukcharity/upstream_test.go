package ukcharity

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/rows"
)

// TestRealTables reads the tables of 10 September 2024: every row is taken and
// no field is left empty for want of understanding.
func TestRealTables(t *testing.T) {
	t.Parallel()
	type regulator struct {
		Number int64  `parquet:"registered_charity_number"`
		Order  *int64 `parquet:"regulator_order"`
		Name   string `parquet:"regulator_name,dict"`
		Web    string `parquet:"regulator_web_url,dict"`
	}
	type report struct {
		Organisation int64  `parquet:"organisation_number"`
		Number       int64  `parquet:"registered_charity_number"`
		Name         string `parquet:"report_name,dict"`
		Location     string `parquet:"report_location"`
		Published    *int32 `parquet:"date_published,date"`
	}
	dir := filepath.Join(upstream.Dir(t), "uk", "2024-09-10")
	kinds := map[string]int{}
	// One name of that day is empty, and five reports have no address.
	nameless, unplaced := 0, 0
	readReal(t, dir, OtherNames, 168_348, func(n *name) bool {
		kinds[n.Type]++
		if n.Name == "" {
			nameless++
		}
		return n.Linked >= 0
	})
	if len(kinds) != 2 || kinds["Working name"] == 0 || kinds["Previous name"] == 0 {
		t.Errorf("kinds of names: %v", kinds)
	}
	readReal(t, dir, OtherRegulators, 12_702, func(r *regulator) bool { return r.Name != "" && r.Order != nil })
	readReal(t, dir, Reports, 133, func(r *report) bool {
		if r.Location == "" {
			unplaced++
		}
		return r.Name != "" && r.Published != nil && r.Organisation > 0
	})
	if nameless != 1 || unplaced != 5 {
		t.Errorf("%d names and %d addresses are empty", nameless, unplaced)
	}
}

func readReal[T any](t *testing.T, dir string, table Table, want int64, whole func(*T) bool) {
	t.Helper()
	f, err := rows.Open(filepath.Join(dir, "publicextract."+string(table)+".zip"))
	if err != nil {
		t.Skipf("no real table %s: %v", table, err)
	}
	defer f.Close()
	tally, err := Read(f, table, func(r *T) error {
		if !whole(r) {
			t.Errorf("%s: %+v", table, *r)
		}
		return nil
	})
	if err != nil || tally.Rows != want || tally.Lost() != 0 || len(tally.Blanked) != 0 || tally.Oldest != "2024-09-10" || tally.Newest != tally.Oldest {
		t.Errorf("%s: %+v, %v; want %d rows", table, tally, err, want)
	}
}

// TestKeysArePublished holds the key columns against the published list of
// fields, which writes its tables' names in its own way.
func TestKeysArePublished(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join(upstream.Dir(t), "uk", "ccew-fields.csv"))
	if err != nil {
		t.Skipf("no list of fields: %v", err)
	}
	defer f.Close()
	list, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string][]string{}
	for _, r := range list[1:] {
		table := strings.ToLower(strings.Replace(r[0], "ARPart", "AnnualReturnPart", 1))
		fields[table] = append(fields[table], r[1])
	}
	if len(fields) != len(keys) {
		t.Errorf("%d tables are published, %d known", len(fields), len(keys))
	}
	for table, columns := range keys {
		published := fields[strings.ReplaceAll(string(table), "_", "")]
		for _, c := range append([]string{number}, columns...) {
			if !slices.Contains(published, c) {
				t.Errorf("%s has no column %s", table, c)
			}
		}
	}
}
