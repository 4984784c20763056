package holding

import (
	"archive/zip"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/snapshot"
)

// TestRealHoldings reads the investments of real returns. What they are is not
// written down anywhere, so the test holds what must be true of any reading:
// every dollar is in one position, few foundations list more than they own, and
// most of what is listed by name has a class.
func TestRealHoldings(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	zips, _ := filepath.Glob(filepath.Join(dir, "990", "zips", "*.zip"))
	if len(zips) == 0 {
		t.Skip("no real returns: put zips of returns into 990/zips of the upstream folder")
	}
	type listed struct {
		end   string
		items []*snapshot.Holding
		f     Foundation
	}
	latest := map[ein.EIN]*listed{}
	var items []*snapshot.Holding
	amount := func(a irs990.Amount) *int64 {
		if !a.Set {
			return nil
		}
		v := a.Value
		return &v
	}
	sink := &irs990.Sink{Holding: func(h *irs990.Holding) error {
		items = append(items, &snapshot.Holding{Schedule: strings.Clone(h.Schedule), Name: strings.Clone(h.Name), Book: amount(h.Book), FMV: amount(h.FMV)})
		return nil
	}}
	reader := irs990.NewReader()
	for _, name := range zips {
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range z.File {
			f, err := m.Open()
			if err != nil {
				continue
			}
			items = nil
			var ret irs990.Return
			err = reader.Read(f, &ret, sink)
			f.Close()
			e, ok := ein.Filed(ret.EIN)
			if err != nil || !ok || ret.Form != "990PF" {
				continue
			}
			if have := latest[e]; have != nil && have.end > ret.PeriodEnd {
				continue
			}
			latest[e] = &listed{strings.Clone(ret.PeriodEnd), items, Foundation{EIN: e, Filing: m.Name, ReturnType: "990PF", AssetsFMV: amount(ret.Money.AssetsFMV)}}
		}
		z.Close()
	}
	b := New()
	var want int64
	for e, l := range latest {
		b.AddFoundation(&l.f)
		for _, h := range l.items {
			h.EIN, h.Filing = e.String(), l.f.Filing
			b.AddItem(h)
			if h.Schedule == "fixed" {
				continue
			}
			if h.FMV != nil {
				want += *h.FMV
			} else if h.Book != nil {
				want += *h.Book
			}
		}
	}
	p := b.Portfolio()
	var got, named, classified int64
	for h := range p.Holdings() {
		got += h.FMV
		if h.CanonicalName != "NOT ITEMIZED" {
			named++
			if h.AssetClass != "unknown" {
				classified++
			}
		}
	}
	if got != want {
		t.Errorf("positions hold %d dollars, the returns list %d", got, want)
	}
	profiles, with := 0, 0
	for r := range p.Profiles() {
		profiles++
		if r.Items > 0 {
			with++
		}
		if r.ClassifiedPct != nil && (*r.ClassifiedPct < 0 || *r.ClassifiedPct > 100) {
			t.Errorf("%+v", r)
		}
	}
	t.Logf("%d foundations, %d with investments, %d of which list more than they own; %d of %d positions have a class", profiles, with, len(p.over), classified, named)
	if 10*len(p.over) > with || 100*classified < 80*named {
		t.Errorf("%d of %d foundations list more than they own; %d of %d positions have a class", len(p.over), with, classified, named)
	}
}
