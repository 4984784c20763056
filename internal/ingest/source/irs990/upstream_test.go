package irs990

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"grantgraph/internal/bench/upstream"
)

// real is a return of the upstream sample.
type real struct {
	key  string // zip!member
	body []byte
}

// realReturns is the whole sample in memory, in the order of the zips.
var realReturns = sync.OnceValue(func() []real {
	paths, err := filepath.Glob(filepath.Join(upstream.Find(), "990", "zips", "*.zip"))
	if err != nil {
		panic(err)
	}
	slices.Sort(paths)
	var all []real
	for _, path := range paths {
		z, err := zip.OpenReader(path)
		if err != nil {
			panic(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				panic(err)
			}
			body, err := io.ReadAll(r)
			if err != nil {
				panic(err)
			}
			all = append(all, real{filepath.Base(path) + "!" + f.Name, body})
		}
		z.Close()
	}
	return all
})

func needReal(t testing.TB) []real {
	t.Helper()
	upstream.Dir(t)
	all := realReturns()
	if len(all) == 0 {
		t.Skip("no zips under 990/zips of the upstream samples")
	}
	return all
}

// expected is an entry of expected.json, computed by an independent reader.
type expected struct {
	Amended                 bool   `json:"amended"`
	EIN                     string `json:"ein"`
	EZOfficers              int    `json:"ez_officers"`
	FilerName               string `json:"filer_name"`
	PartVIIPeople           int    `json:"part_vii_people"`
	PeriodBegin             string `json:"period_begin"`
	PeriodEnd               string `json:"period_end"`
	PFFutureGroups          int    `json:"pf_future_groups"`
	PFFutureSum             int64  `json:"pf_future_sum"`
	PFOfficers              int    `json:"pf_officers"`
	PFPaidDeclaredTotal     *int64 `json:"pf_paid_declared_total"`
	PFPaidForeign           int    `json:"pf_paid_foreign"`
	PFPaidGroups            int    `json:"pf_paid_groups"`
	PFPaidNonzero           int    `json:"pf_paid_nonzero"`
	PFPaidPerson            int    `json:"pf_paid_person"`
	PFPaidSum               int64  `json:"pf_paid_sum"`
	ReturnTs                string `json:"return_ts"`
	ReturnType              string `json:"return_type"`
	SchedFOrgCashSum        int64  `json:"sched_f_org_cash_sum"`
	SchedFOrgRows           int    `json:"sched_f_org_rows"`
	SchedICashSum           int64  `json:"sched_i_cash_sum"`
	SchedIIndividualCashSum int64  `json:"sched_i_individual_cash_sum"`
	SchedIIndividualGroups  int    `json:"sched_i_individual_groups"`
	SchedINoncashSum        int64  `json:"sched_i_noncash_sum"`
	SchedIRows              int    `json:"sched_i_rows"`
	SchedIRowsWithEIN       int    `json:"sched_i_rows_with_ein"`
	SchemaVersion           string `json:"schema_version"`
	SHA256                  string `json:"sha256"`
	TaxYear                 string `json:"tax_year"`
}

func summarize(r *Return, body []byte) expected {
	hash := sha256.Sum256(body)
	e := expected{
		Amended: r.Amended, EIN: r.EIN, EZOfficers: r.Tally.EZOfficers, FilerName: r.Name1,
		PartVIIPeople: r.Tally.PartVIIPeople, PeriodBegin: r.PeriodBegin, PeriodEnd: r.PeriodEnd,
		PFFutureGroups: r.Tally.PFFuture, PFFutureSum: r.Tally.PFFutureSum, PFOfficers: r.Tally.PFOfficers,
		PFPaidForeign: r.Tally.PFPaidForeign, PFPaidGroups: r.Tally.PFPaid, PFPaidNonzero: r.Tally.PFPaidNonzero,
		PFPaidPerson: r.Tally.PFPaidPerson, PFPaidSum: r.Tally.PFPaidSum, ReturnTs: r.Timestamp, ReturnType: r.Form,
		SchedFOrgCashSum: r.Tally.ScheduleFCash, SchedFOrgRows: r.Tally.ScheduleFOrgs, SchedICashSum: r.Tally.ScheduleICash,
		SchedIIndividualCashSum: r.Tally.ScheduleIPeopleCash, SchedIIndividualGroups: r.Tally.ScheduleIPeople,
		SchedINoncashSum: r.Tally.ScheduleINonCash, SchedIRows: r.Tally.ScheduleI, SchedIRowsWithEIN: r.Tally.ScheduleIWithEIN,
		SchemaVersion: r.Version, SHA256: hex.EncodeToString(hash[:]), TaxYear: r.TaxYear,
	}
	// The independent reader takes a declared total of zero for none.
	if r.Declared.PFPaid.Value != 0 {
		e.PFPaidDeclaredTotal = &r.Declared.PFPaid.Value
	}
	return e
}

// TestUpstreamReturns compares every figure of every real return with those an
// independent reader computed.
func TestUpstreamReturns(t *testing.T) {
	t.Parallel()
	all := needReal(t)
	raw, err := os.ReadFile(filepath.Join(upstream.Find(), "990", "expected.json"))
	if err != nil {
		t.Skipf("no expected.json beside the real returns: %v", err)
	}
	want := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if len(all) != len(want) {
		t.Errorf("%d returns in the zips, %d in expected.json", len(all), len(want))
	}
	rd := NewReader()
	var ret Return
	for _, f := range all {
		if err := rd.Read(newChunked(f.body), &ret, nil); err != nil {
			t.Errorf("%s: %v", f.key, err)
			continue
		}
		got, err := json.Marshal(summarize(&ret, f.body))
		if err != nil {
			t.Fatal(err)
		}
		var g, w map[string]any
		if err := json.Unmarshal(got, &g); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(want[f.key], &w); err != nil {
			t.Errorf("%s: no expectation: %v", f.key, err)
			continue
		}
		// The independent reader knows these lists in the spelling of 2013 and
		// later only; before that the oracle of this package compares them.
		later := ret.Version >= "2013"
		for key, v := range w {
			if g[key] != v && (later || !strings.HasPrefix(key, "sched_f_") && !strings.HasPrefix(key, "sched_i_individual_")) {
				t.Errorf("%s: %s is %v, want %v", f.key, key, g[key], v)
			}
		}
	}
}

// chunked hands a document out in pieces of awkward sizes, as a decompressor
// does, so that every boundary falls somewhere.
type chunked struct {
	body []byte
	size int
}

func newChunked(body []byte) *chunked { return &chunked{body, 1} }

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.body) == 0 {
		return 0, io.EOF
	}
	c.size = c.size*7%4093 + 1
	n := copy(p[:min(len(p), c.size)], c.body)
	c.body = c.body[n:]
	return n, nil
}
