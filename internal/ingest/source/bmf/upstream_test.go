package bmf

import (
	"os"
	"path/filepath"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/irscode"
)

// Lines of the real extracts, header included, as their catalog states.
var realLines = map[string]int{
	"eo4": 4922, "eo_ak": 5803, "eo_ar": 16188, "eo_ct": 23423, "eo_dc": 14122, "eo_de": 10232, "eo_hi": 9633, "eo_id": 10389,
	"eo_ks": 18400, "eo_ky": 22469, "eo_me": 10278, "eo_ms": 15735, "eo_mt": 12230, "eo_nd": 6657, "eo_nh": 9393, "eo_nm": 11183,
	"eo_ok": 22201, "eo_sd": 7387, "eo_ut": 12876, "eo_vt": 6536, "eo_wy": 5986,
}

// TestRealFiles reads the April 2026 extracts: every row is taken, and every
// code in them is one the tables know or one the IRS documents nowhere.
func TestRealFiles(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	for name, lines := range realLines {
		want := lines - 1
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := os.Open(filepath.Join(dir, "bmf", "2026-04", name+".csv.gz"))
			if err != nil {
				t.Skipf("no such extract: %v", err)
			}
			defer f.Close()
			last, foreign, unlabelled, unknown := "", 0, int64(0), map[string]int{}
			stats, err := Read(f, func(r *Record) error {
				if r.Foreign() {
					foreign++
				}
				if irscode.FoundationLabel(r.Foundation) == "" {
					unknown["foundation "+r.Foundation]++
				}
				if irscode.StatusLabel(r.Status) == "" {
					unknown["status "+r.Status]++
				}
				if irscode.SubsectionLabel(r.Subsection) == "" && r.Subsection != "00" {
					unknown["subsection "+r.Subsection]++
				}
				if irscode.FilingLabel(r.FilingReq) == "" {
					unknown["filing requirement "+r.FilingReq]++
				}
				if irscode.BandLabel(r.AssetCode) == "" || irscode.BandLabel(r.IncomeCode) == "" {
					unknown["band "+r.AssetCode+" "+r.IncomeCode]++
				}
				// Codes 0 and 6 occur and are documented nowhere.
				if irscode.OrganizationLabel(r.Organization) == "" && r.Organization != "0" && r.Organization != "6" {
					unknown["organization "+r.Organization]++
				}
				if r.Classification != "0000" && len(irscode.ClassificationLabels(r.Subsection, r.Classification)) == 0 {
					unlabelled++
				}
				last = r.Name
				return nil
			})
			if err != nil || stats.Rows != int64(want) || len(stats.Rejected) > 0 {
				t.Errorf("%+v, err %v; want %d rows, last was %q", stats, err, want, last)
			}
			for code, n := range unknown {
				t.Errorf("%d rows with unknown %s", n, code)
			}
			if unlabelled*100 > stats.Rows {
				t.Errorf("%d of %d rows have only unknown classifications", unlabelled, stats.Rows)
			}
			if name != "eo4" && foreign > 0 {
				t.Errorf("%d foreign rows in a state extract", foreign)
			}
		})
	}
}
