package usaspending

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
)

// TestDictionary checks the columns that are read against the published data
// dictionary. recipient_duns went out of the files in 2022, and the delta's own
// mark is added by the archive, so neither is in it.
func TestDictionary(t *testing.T) {
	t.Parallel()
	f, err := os.Open(filepath.Join(upstream.Dir(t), "usaspending", "dictionary", "USA_Spending_Downloads.csv"))
	if err != nil {
		t.Skipf("no data dictionary of USAspending: %v", err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]map[string]bool{"Assistance_PrimeTransactions.csv": {}, "Contracts_PrimeTransactions.csv": {}}
	for _, row := range table[1:] {
		for file, columns := range have {
			if !strings.Contains(row[0], file) {
				continue
			}
			for name := range strings.SplitSeq(row[1], ",") {
				columns[strings.TrimSpace(name)] = true
			}
		}
	}
	for file, c := range map[string]*columns{"Assistance_PrimeTransactions.csv": &assistance, "Contracts_PrimeTransactions.csv": &contracts} {
		checked := 0
		for i, name := range c.list() {
			if i == duns || i == deleted || i == removed && c == &contracts {
				continue
			}
			checked++
			if !have[file][name] {
				t.Errorf("%s has no column %s", file, name)
			}
		}
		t.Logf("%s: %d of its %d columns are read", file, checked, len(have[file]))
	}
}
