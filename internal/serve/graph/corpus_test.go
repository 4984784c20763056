package graph_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// corpus is the tables of a snapshot in memory.
type corpus struct {
	grants  []snapshot.Grant
	funders []snapshot.FunderKind
	orgs    []snapshot.Organization
	causes  []snapshot.InferredCause
	partial []int
}

// write publishes the corpus with its graph index.
func (c *corpus) write(t testing.TB, dir string) *snapshot.Snapshot {
	t.Helper()
	slices.SortFunc(c.grants, func(a, b snapshot.Grant) int {
		return cmp.Or(strings.Compare(a.FunderEIN, b.FunderEIN), strings.Compare(a.RecipID, b.RecipID),
			cmp.Compare(a.TaxYear, b.TaxYear), cmp.Compare(a.Amount, b.Amount), strings.Compare(a.Key, b.Key))
	})
	w, err := snapshot.Create(dir, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		snapshot.WriteTable(w, snapshot.Grants, slices.Values(c.grants)),
		snapshot.WriteTable(w, snapshot.FunderKinds, slices.Values(c.funders)),
		snapshot.WriteTable(w, snapshot.Organizations, slices.Values(c.orgs)),
		snapshot.WriteTable(w, snapshot.InferredCauses, slices.Values(c.causes)),
		graph.Build(context.Background(), w),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := w.Publish(snapshot.Manifest{Counts: snapshot.Counts{Grants: int64(len(c.grants)), PartialFiscalYear: c.partial}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func open(t testing.TB, s *snapshot.Snapshot) *graph.Graph {
	t.Helper()
	g, err := graph.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// readCorpus reads the tables of a snapshot.
func readCorpus(t testing.TB, s *snapshot.Snapshot) *corpus {
	t.Helper()
	c := &corpus{partial: s.Manifest.Counts.PartialFiscalYear}
	c.grants = collect[snapshot.Grant](t, s, snapshot.Grants)
	c.funders = collect[snapshot.FunderKind](t, s, snapshot.FunderKinds)
	c.orgs = collect[snapshot.Organization](t, s, snapshot.Organizations)
	c.causes = collect[snapshot.InferredCause](t, s, snapshot.InferredCauses)
	return c
}

func collect[T any](t testing.TB, s *snapshot.Snapshot, table string) (rows []T) {
	t.Helper()
	for r, err := range snapshot.Rows[T](s, table) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

var (
	states   = []string{"", "CA", "NY", "TX", "WA", "VT"}
	cities   = []string{"", "SPRINGFIELD", "ST LOUIS", "SAINT LOUIS", "PORTLAND", "NEW YORK"}
	zips     = []string{"", "90001", "90002", "90210", "10001", "97201"}
	counties = []string{"", "06037", "36061", "41051"}
	nations  = []string{"UK", "CA", "MX", "AU"}
	purposes = []string{"", "General operating support", "HOUSING FOR THE HOMELESS", "house repair", "Youth arts classes",
		"class of 1999", "after-school program", "School supplies", "Café literacy", "Scholarship &amp; housing", "operating general"}
	spellings = []string{"HARBOR HOUSE", "HARBOR HOUSES INC", "CITY ARTS CENTER", "VERDE COMMUNITY FUND", "THE LITERACY PROJECT", "HARBOUR HSE"}
	codes     = []string{"", "B42", "B40", "A6B", "P20", "X21", "b112", "?"}
	queries   = []string{"housing", "house", "general operating", `"general operating"`, `"operating general"`, "-class", "arts -youth",
		"school", "after-school", "-after-school", "cafe", `-"harbor house"`, "literacy project", "absent", "1999", "a of", "rare7", "rare8 housing", `"support rare9"`, "-rare1"}
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// random makes a small corpus in which everything collides: few amounts,
// places, names, and funders that the tables of funders and organizations do
// not have.
func random(seed uint64, rows int) *corpus {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &corpus{partial: []int{2023}}
	funders, recips := 1+r.IntN(12), 1+r.IntN(20)
	einOf := func(prefix, i int) string { return ein.EIN(prefix*10_000_000 + i + 1).String() }
	kinds := append(grant.FunderKinds(), "")
	for i := range funders {
		if r.IntN(8) == 0 {
			continue
		}
		c.funders = append(c.funders, snapshot.FunderKind{FunderEIN: einOf(7, i), Name: fmt.Sprintf("FUND %c", 'A'+r.IntN(4)),
			City: pick(r, cities), State: pick(r, states), ZIP5: pick(r, zips), County: pick(r, counties), Kind: pick(r, kinds),
			Accepts: pick(r, []string{"", grant.Accepts, grant.Preselects})})
	}
	for i := range recips {
		// Some have a code as well, and some are in no other table.
		if r.IntN(3) == 0 {
			c.causes = append(c.causes, snapshot.InferredCause{EIN: einOf(8, i), Letter: pick(r, []string{"A", "B", "P", "X"}), Confidence: 0.98})
		}
		if r.IntN(4) == 0 {
			continue
		}
		c.orgs = append(c.orgs, snapshot.Organization{EIN: einOf(8, i), Name: pick(r, spellings), City: pick(r, cities), State: pick(r, states),
			ZIP5: pick(r, zips), NTEE: pick(r, codes)})
	}
	for i := range rows {
		purpose := pick(r, purposes)
		if r.IntN(2) == 0 {
			purpose = fmt.Sprintf("%s rare%d", purpose, r.IntN(60))
		}
		g := snapshot.Grant{
			Key: fmt.Sprintf("k%012d", (i*7919)%1_000_003), FunderEIN: einOf(7, r.IntN(funders)), RecipientRaw: pick(r, spellings),
			Amount: pick(r, []int64{1, 5, 100, 100, 1000, 25000, 1_000_000}), TaxYear: int32(firstYear + r.IntN(5)), Purpose: purpose,
			IsIndividual: r.IntN(6) == 0, IsDAF: r.IntN(3) == 0, IsRelatedParty: r.IntN(8) == 0, IsUnidentified: r.IntN(9) == 0, Support: int32(r.IntN(1 << grant.Strategies)),
			Filing: fmt.Sprint("f", i%7), ReturnType: pick(r, []string{"990", "990PF"}), PeriodEnd: "2022-12-31", SourceTier: grant.Universe,
		}
		if i%7 != 0 {
			g.ObjectID = g.Filing
		}
		foreign := r.IntN(6) == 0
		if foreign {
			g.RecipientCity, g.RecipientCountry = pick(r, cities), pick(r, nations)
		} else {
			g.RecipientCity, g.RecipientState, g.RecipientZIP, g.RecipientCounty = pick(r, cities), pick(r, states), pick(r, zips), pick(r, counties)
		}
		if n := r.IntN(recips); r.IntN(3) > 0 {
			g.RecipientEIN = einOf(8, n)
			g.RecipID = "ein-" + g.RecipientEIN
			rule := pick(r, grant.Rules())
			g.EINSource, g.MatchProb = rule.String(), rule.Prob()
			if rule == grant.Model {
				g.MatchProb = float64(r.IntN(200)) / 200
			}
			if !foreign {
				g.SourceTier = grant.Matched
			}
			if rule == grant.Filed {
				g.EINConflict = grant.Conflict(i % 3).String()
			}
			if i%7 == 0 {
				g.StateFiled = "ME"
			}
		} else {
			g.RecipID = fmt.Sprintf("nm-%02d", n)
		}
		c.grants = append(c.grants, g)
	}
	return c
}
