package synth

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/caftb"
	"grantgraph/internal/ingest/source/careg"
	"grantgraph/internal/ingest/source/fac"
	"grantgraph/internal/ingest/source/stateaward"
	"grantgraph/internal/ingest/source/usaspending"
	"grantgraph/internal/irscode"
)

// What governments say of the world's organizations: California's lists, and
// who pays them.

func (l *lists) california(t *testing.T) {
	var edition careg.Edition
	var total, bare, quotes, known int64
	for _, list := range careg.Lists() {
		tally, err := edition.Read(l.open(t, "careg/"+list.Stem+".csv"), func(r *careg.Record) error {
			switch {
			case r.BadEIN != "":
				t.Errorf("%+v", r)
			case r.EIN == ein.None:
				bare++
			default:
				if _, ok := l.master[r.EIN]; ok {
					known++
				}
			}
			if strings.Contains(r.Name, `"`) {
				quotes++
			}
			if may, said := irscode.MayOperateInCalifornia(r.Status); said && may != (list.Stem == "charities-may-operate") {
				t.Errorf("%s: %s", list.Stem, r.Status)
			}
			return nil
		})
		clean(t, list.Stem, tally, err)
		l.want(t, strings.Replace(list.Stem, "charities-", "careg_", 1), tally.Rows)
		total += tally.Rows
	}
	l.want(t, "careg_rows", total)
	l.want(t, "careg_without_fein", bare)
	if edition.AsOf != "2026-10-07" || quotes == 0 || known < total/2 {
		t.Errorf("as of %s, %d names with quotes, %d of %d rows known", edition.AsOf, quotes, known, total)
	}
	var fein int64
	tally, err := caftb.Read(l.open(t, "caftb/revoked-exempt-organizations.csv"), func(r *caftb.Record) error {
		if r.EIN != ein.None {
			fein++
		}
		if r.EntityID == "" || r.City == "" || r.Section == "" || r.Revoked == "" {
			t.Errorf("%+v", r)
		}
		return nil
	})
	clean(t, "caftb", tally, err)
	l.want(t, "caftb_rows", tally.Rows)
	l.want(t, "caftb_with_fein", fein)
}

func (l *lists) federal(t *testing.T) {
	walk := fac.NewCrosswalk()
	tally, err := fac.Read(l.open(t, "fac/general.csv"), func(p *fac.Pair) error { walk.Add(p); return nil })
	if err != nil {
		t.Fatal(err)
	}
	l.want(t, "fac_rows", tally.Rows)
	l.want(t, "fac_rows_without_uei", tally.Lost())
	if s := walk.Size(); s.Ambiguous > 0 {
		t.Errorf("%+v", s)
	} else {
		l.want(t, "fac_ueis", int64(s.UEI))
	}
	files, err := filepath.Glob(l.path("usaspending/*.zip"))
	if err != nil || len(files) != 2*(lastAward-firstAward+1) {
		t.Fatalf("%d archives, %v", len(files), err)
	}
	var read, out, matched, negative, cents int64
	seen := map[string]bool{}
	for _, p := range usaspending.Plan(files) {
		if p.Superseded || p.FiscalYear == 0 || p.Posted != "20261001" {
			t.Errorf("%+v", p)
		}
		tally, err := usaspending.NewDeduplicator().ReadFile(t.Context(), &p, p.Path, func(a *usaspending.Award) error {
			if seen[a.Transaction] || a.FiscalYear != p.FiscalYear || a.Name == "" || a.Agency == "" || a.Program == "" {
				t.Errorf("%s: %+v", p.Path, a)
			}
			seen[strings.Clone(a.Transaction)] = true
			if _, _, ok := walk.Find(a.UEI, a.DUNS); ok {
				matched++
			}
			cents += int64(a.Amount)
			if a.Amount < 0 {
				negative++
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		read += tally.Rows
		out += tally.Lost()
	}
	l.want(t, "federal_rows", read)
	l.want(t, "federal_rows_left_out", out)
	l.want(t, "federal_rows_by_uei", matched)
	l.want(t, "federal_cents", cents)
	if sum := l.report.Lists["federal_rows_by_uei"] + l.report.Lists["federal_rows_by_name"] + l.report.Lists["federal_rows_unknown"]; sum != read {
		t.Errorf("%d rows by who the recipient is, %d in all", sum, read)
	}
	if negative == 0 || negative > l.report.Lists["federal_negative"] {
		t.Errorf("%d amounts are taken back", negative)
	}
}

func (l *lists) states(t *testing.T) {
	var read, out int64
	for _, m := range stateaward.Mappings() {
		files, err := filepath.Glob(l.path("stateaward/" + strings.ToLower(m.State) + "/payments_FY*.csv"))
		if err != nil || len(files) != lastPayment-firstPayment+1 {
			t.Fatalf("%s: %d files, %v", m.State, len(files), err)
		}
		for _, name := range files {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			tally, err := m.Read(f, func(a *stateaward.Award) error {
				if !strings.HasSuffix(name, fmt.Sprintf("_FY%d.csv", a.FiscalYear)) || a.Payee == "" || a.Agency == "" {
					t.Errorf("%s: %+v", name, a)
				}
				return nil
			})
			f.Close()
			if err != nil {
				t.Error(err)
			}
			for _, r := range tally.Rejected {
				if r.Reason != stateaward.ReasonFilter {
					t.Errorf("%s: %+v", name, r)
				}
				out += r.Count
			}
			read += tally.Rows
		}
	}
	l.want(t, "state_rows_left_out", out)
	if n := l.report.Lists["state_rows"] + l.report.Lists["state_rows_unknown"]; n != read || l.report.Lists["state_rows"] == 0 {
		t.Errorf("%d payments were read, the report says %d", read, n)
	}
}
