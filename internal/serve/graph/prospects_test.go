package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/snapshot"
)

// plainScore orders prospects in the tests: any order will do.
func plainScore(s *prospect.Signs) float64 {
	return s.Walk + float64(s.Shared)/10 + float64(s.InBoth)/float64(1+s.Sample) + float64(s.Recipients)/1e4 + float64(s.Fresh)/1e5 - float64(s.YearsSince)/100 - s.AmountGap/1000
}

// askedFor are questions about some recipients of a world, the largest ones among
// them.
func askedFor(c *corpus, n int) (list []prospect.Search) {
	seen := map[string]bool{}
	r := rand.New(rand.NewPCG(3, 1))
	for _, i := range r.Perm(len(c.orgs)) {
		o := &c.orgs[i]
		if len(list) == n {
			break
		}
		if received := slices.ContainsFunc(c.grants, func(g snapshot.Grant) bool { return g.RecipientEIN == o.EIN }); seen[o.EIN] || !received && len(list)%4 != 0 {
			continue
		}
		seen[o.EIN] = true
		e, _ := ein.Filed(o.EIN)
		code, _ := ntee.Parse(o.NTEE)
		list = append(list, prospect.Search{EIN: e, State: o.State, County: o.County, Cause: code.Major(), Code: code, Score: plainScore, Page: graph.Page{Limit: 500}})
	}
	return list
}

// TestProspectsBefore holds what is said of before a year to what a graph says
// that has nothing of that year or later: not a figure leaks.
func TestProspectsBefore(t *testing.T) {
	t.Parallel()
	s := world.Small.Snapshot(t)
	c := readCorpus(t, s)
	year := s.Manifest.Counts.LastCompleteYear
	earlier := *c
	earlier.grants = slices.DeleteFunc(slices.Clone(c.grants), func(g snapshot.Grant) bool { return int(g.TaxYear) >= year })
	whole, cut := open(t, s), open(t, earlier.write(t, t.TempDir()))
	found := 0
	for _, q := range askedFor(c, 60) {
		q.Before = year
		got, err := prospect.Grants{Graph: whole}.Prospects(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		q.Before = 0
		want, err := prospect.Grants{Graph: cut}.Prospects(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: prospects are\n%+v\nand of a graph without later years\n%+v", q.EIN, got, want)
		}
		found += got.Total
	}
	if found < 1000 {
		t.Errorf("only %d prospects were found in all", found)
	}
}

// TestProspects holds the reasons against loops over all rows.
func TestProspects(t *testing.T) {
	t.Parallel()
	s := world.Small.Snapshot(t)
	c := readCorpus(t, s)
	g := open(t, s)
	last := s.Manifest.Counts.LastCompleteYear
	byFunder := map[string][]snapshot.Grant{}
	for _, r := range c.grants {
		byFunder[r.FunderEIN] = append(byFunder[r.FunderEIN], r)
	}
	cause := map[string]byte{}
	for _, o := range c.causes {
		cause[o.EIN] = o.Letter[0]
	}
	for _, o := range c.orgs {
		if code, _ := ntee.Parse(o.NTEE); code.Major() != 0 {
			cause[o.EIN] = code.Major()
		}
	}
	lapsed, shared, open := 0, 0, 0
	for _, q := range askedFor(c, 40) {
		q.Since, q.Latest = last-2, last
		got, err := prospect.Grants{Graph: g}.Prospects(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range got.List {
			if i > 0 && p.Score > got.List[i-1].Score {
				t.Fatalf("%s: not in order", q.EIN)
			}
			rows := byFunder[p.EIN.String()]
			funded, latest := 0, 0
			var all, state, causes int64
			var amounts []int64
			first := map[string]int{}
			for _, r := range rows {
				latest = max(latest, int(r.TaxYear))
				if r.RecipientEIN == q.EIN.String() {
					funded = max(funded, int(r.TaxYear))
				}
				all += r.Amount
				amounts = append(amounts, r.Amount)
				if r.RecipientState == q.State {
					state += r.Amount
				}
				if q.Cause != 0 && r.RecipientEIN != "" && cause[r.RecipientEIN] == q.Cause {
					causes += r.Amount
				}
				if y, ok := first[r.RecipientEIN]; r.RecipientEIN != "" && (!ok || int(r.TaxYear) < y) {
					first[r.RecipientEIN] = int(r.TaxYear)
				}
			}
			slices.Sort(amounts)
			if funded >= q.Since || funded != p.FundedYear || latest != p.LastYear || p.EIN == q.EIN {
				t.Fatalf("%s: %s funded it in %d, not %d; its last year is %d, not %d", q.EIN, p.EIN, funded, p.FundedYear, latest, p.LastYear)
			}
			if funded > 0 {
				lapsed++
			}
			near := func(got *float64, part int64) bool { return math.Abs(*got-float64(part)/float64(all)) < 1e-9 }
			if w := p.Reasons; w.GrantsExamined != w.GrantCount || w.GrantCount != int64(len(rows)) || *w.TypicalAmount != (amounts[(len(amounts)-1)/2]+amounts[len(amounts)/2])/2 || q.State != "" && !near(w.PlaceShare, state) || q.Cause != 0 && !near(w.SubjectShare, causes) {
				t.Fatalf("%s: %s: %+v of %d rows, %d dollars, %d in the state, %d for the cause", q.EIN, p.EIN, p, len(rows), all, state, causes)
			}
			for _, y := range p.Reasons.FirstTimeByYear {
				recips, fresh := map[string]bool{}, 0
				for _, r := range rows {
					if int(r.TaxYear) == y.FiscalYear && r.RecipientEIN != "" && !recips[r.RecipientEIN] {
						recips[r.RecipientEIN] = true
						if first[r.RecipientEIN] == y.FiscalYear {
							fresh++
						}
					}
				}
				if len(recips) != y.RecipientCount || fresh != y.FirstTimeCount || y.FiscalYear > last {
					t.Fatalf("%s in %d: %d of %d are new, not %d of %d", p.EIN, y.FiscalYear, y.FirstTimeCount, y.RecipientCount, fresh, len(recips))
				}
				open++
			}
			for _, x := range p.Reasons.SharedRecipients {
				var sum int64
				for _, r := range rows {
					if r.RecipientEIN == x.RecipEIN {
						sum += r.Amount
					}
				}
				if sum == 0 || sum != x.TotalAmount || x.RecipEIN == q.EIN.String() {
					t.Fatalf("%s gave %d to %s, not %d", p.EIN, sum, x.RecipEIN, x.TotalAmount)
				}
				shared++
			}
		}
	}
	if lapsed == 0 || shared == 0 || open == 0 {
		t.Errorf("%d lapsed, %d shared, %d years: this world shows nothing", lapsed, shared, open)
	}
}

// TestProspectFilters asks with every filter: those that stay satisfy it.
func TestProspectFilters(t *testing.T) {
	t.Parallel()
	s := world.Small.Snapshot(t)
	c := readCorpus(t, s)
	g := open(t, s)
	dollars := func(n int64) *int64 { return &n }
	arts, err := ntee.ParseSubject("A")
	if err != nil {
		t.Fatal(err)
	}
	gives := func(p *prospect.Prospect, holds func(*snapshot.Grant) bool) bool {
		return slices.ContainsFunc(c.grants, func(r snapshot.Grant) bool { return r.FunderEIN == p.EIN.String() && holds(&r) })
	}
	coded := map[string]bool{}
	for _, o := range c.orgs {
		code, _ := ntee.Parse(o.NTEE)
		coded[o.EIN] = code.Major() == 'A'
	}
	state := c.orgs[0].State
	for name, x := range map[string]struct {
		only  prospect.Filter
		holds func(*prospect.Prospect) bool
	}{
		"kind":   {prospect.Filter{Kind: grant.PrivateFoundation}, func(p *prospect.Prospect) bool { return p.Kind == grant.PrivateFoundation }},
		"no daf": {prospect.Filter{NoDAF: true}, func(p *prospect.Prospect) bool { return p.Kind != grant.Passthrough }},
		"in":     {prospect.Filter{In: []string{state}}, func(p *prospect.Prospect) bool { return p.State == state }},
		"gives": {prospect.Filter{GivesIn: []string{state}}, func(p *prospect.Prospect) bool {
			return gives(p, func(r *snapshot.Grant) bool { return r.RecipientState == state })
		}},
		"subject": {prospect.Filter{Subject: arts}, func(p *prospect.Prospect) bool {
			return gives(p, func(r *snapshot.Grant) bool { return coded[r.RecipientEIN] })
		}},
		"given": {prospect.Filter{MinGiven: dollars(50_000), MaxGiven: dollars(5_000_000)}, func(p *prospect.Prospect) bool { return p.Given >= 50_000 && p.Given <= 5_000_000 }},
	} {
		kept, without := 0, 0
		for _, q := range askedFor(c, 12) {
			all, err := prospect.Grants{Graph: g}.Prospects(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			without += all.Total
			q.Only = x.only
			got, err := prospect.Grants{Graph: g}.Prospects(t.Context(), &q)
			if err != nil {
				t.Fatal(err)
			}
			kept += got.Total
			for i := range got.List {
				if !x.holds(&got.List[i]) {
					t.Errorf("%s: %s is kept: %+v", name, got.List[i].EIN, got.List[i])
				}
			}
		}
		if kept == 0 || kept > without {
			t.Errorf("%s keeps %d of %d", name, kept, without)
		}
	}
}

// BenchmarkProspects measures the worst case: funders with up to a million grants
// and a recipient of 50,000 funders, in a corpus of two million.
func BenchmarkProspects(b *testing.B) {
	const rows, mega, recipients, funders = 2_000_000, 1_000_000, 300_000, 60_000
	r := rand.New(rand.NewPCG(1, 1))
	c := &corpus{}
	for i := range rows {
		from, to := 20+r.IntN(funders), r.IntN(recipients)
		switch {
		case i < mega:
			from = i % 20
		case i < mega+50_000:
			from, to = 20+i%funders, 7
		case r.IntN(2) == 0:
			to = r.IntN(3000) // most grants go to few
		}
		e := ein.EIN(800_000_001 + to).String()
		c.grants = append(c.grants, snapshot.Grant{
			Key: fmt.Sprintf("k%012d", i), FunderEIN: ein.EIN(700_000_001 + from).String(), RecipID: "ein-" + e, RecipientEIN: e, RecipientRaw: "X", RecipientState: states[to%len(states)],
			Amount: int64(1 + r.IntN(100_000)), TaxYear: int32(2012 + r.IntN(12)), EINSource: "filed", MatchProb: 1, SourceTier: "matched", Filing: "f", ReturnType: "990", PeriodEnd: "2022-12-31",
		})
	}
	for i := range recipients {
		c.orgs = append(c.orgs, snapshot.Organization{EIN: ein.EIN(800_000_001 + i).String(), Name: "X", NTEE: pick(r, codes), State: states[i%len(states)]})
	}
	g := open(b, c.write(b, b.TempDir()))
	*c = corpus{}
	for name, of := range map[string]func(i int) ein.EIN{
		"any":     func(i int) ein.EIN { return ein.EIN(800_000_001 + i*7919%recipients) },
		"popular": func(int) ein.EIN { return 800_000_001 + 7 },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				q := prospect.Search{EIN: of(i), State: "CA", Cause: 'B', Since: 2021, Latest: 2023, Score: plainScore, Page: graph.Page{Limit: 25}}
				if _, err := (prospect.Grants{Graph: g}).Prospects(b.Context(), &q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
