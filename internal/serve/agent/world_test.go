package agent

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// secret is the one that all tests draw with.
var secret = []byte("a secret only for tests, 32 byte")

const version = "20260101T000000Z"

// small is an invented world, opened once.
var small *graph.Graph

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "agent")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if small, err = openWorld(dir, invent()); err != nil {
		fmt.Fprintln(os.Stderr, "building the test world:", err)
		return 1
	}
	defer small.Close()
	return world.Main(m)
}

var (
	first  = []string{"Juniper", "Harborlight", "St. Brendan", "Copperfield", "Mt. Alder", "Northwind", "Lantern", "Tidewater", "Quillon", "Briarwood"}
	second = []string{"Community", "Children's", "Regional", "Riverside", "Founders"}
	third  = []string{"Food Bank", "Theatre Assn", "Literacy Project, Inc.", "Univ Hospital", "Land Trust", "School Foundation"}
	verbs  = []string{"repairing the", "new roof for the", "summer classes at", "winter coats from", "books and desks for", "the third season of"}
	things = []string{"old chapel", "north clinic", "night shelter", "youth choir", "town library", "herb garden", "ferry landing"}
)

// tables are what the graph is built from.
type tables struct {
	grants  []snapshot.Grant
	funders []snapshot.FunderKind
	orgs    []snapshot.Organization
}

const (
	worldFunders, worldRecipients = 40, 200
	partialYear                   = 2023
)

func testFunder(i int) ein.EIN    { return ein.EIN(70_000_001 + i) }
func testRecipient(i int) ein.EIN { return ein.EIN(80_000_001 + i) }

// invent makes the world. Every eighth funder is a donor-advised fund, every
// seventh pays persons as well, and one line in thirty has no EIN.
func invent() *tables {
	r := rand.New(rand.NewPCG(7, 7))
	w := &tables{}
	for i := range worldFunders {
		kind := grant.PrivateFoundation
		if i%8 == 7 {
			kind = grant.Passthrough
		}
		w.funders = append(w.funders, snapshot.FunderKind{FunderEIN: testFunder(i).String(),
			Name: fmt.Sprintf("%s %c Fund", first[i%10], 'A'+i/10), City: "Alder", State: "VT", Kind: kind})
	}
	for i := range worldRecipients {
		w.orgs = append(w.orgs, snapshot.Organization{EIN: testRecipient(i).String(),
			Name: first[i%10] + " " + second[i/10%5] + " " + third[i/50], City: "Alder", State: "VT", ZIP5: "05001"})
	}
	for f := range worldFunders {
		favourite := r.IntN(worldRecipients)
		for year := 2018; year <= partialYear; year++ {
			for range 8 + r.IntN(60) {
				n := (favourite + r.IntN(50)) % worldRecipients
				g := snapshot.Grant{
					Key: fmt.Sprintf("k%012x", r.Uint64()>>20), FunderEIN: testFunder(f).String(), RecipientRaw: strings.ToUpper(w.orgs[n].Name),
					RecipientEIN: testRecipient(n).String(), RecipID: "ein-" + testRecipient(n).String(), EINSource: grant.Filed.String(), MatchProb: 1,
					RecipientCity: "Alder", RecipientState: "VT", RecipientZIP: "05001", SourceTier: grant.Matched,
					Amount: amount(r), TaxYear: int32(year), Purpose: verbs[r.IntN(len(verbs))] + " " + things[r.IntN(len(things))],
					IsDAF: f%8 == 7, Filing: fmt.Sprint("f", f), ReturnType: "990PF", PeriodEnd: fmt.Sprintf("%d-12-31", year),
				}
				switch {
				case f%7 == 6 && r.IntN(5) == 0:
					g.RecipientRaw, g.RecipientEIN, g.RecipID, g.EINSource, g.MatchProb = "A PERSON", "", "nm-person", "", 0
					g.SourceTier, g.IsIndividual = grant.Universe, true
				case r.IntN(30) == 0:
					g.RecipientEIN, g.RecipID, g.EINSource, g.MatchProb = "", fmt.Sprintf("nm-%03d", n), "", 0
					g.SourceTier = grant.Universe
				}
				w.grants = append(w.grants, g)
			}
		}
	}
	return w
}

// amount is what people give: round as a rule.
func amount(r *rand.Rand) int64 {
	switch r.IntN(3) {
	case 0:
		return int64(1+r.IntN(40)) * 2_500
	case 1:
		return int64(10+r.IntN(900)) * 100
	}
	return 1_000 + r.Int64N(90_000)
}

func openWorld(dir string, w *tables) (*graph.Graph, error) {
	slices.SortFunc(w.grants, func(a, b snapshot.Grant) int {
		return cmp.Or(strings.Compare(a.FunderEIN, b.FunderEIN), strings.Compare(a.RecipID, b.RecipID),
			cmp.Compare(a.TaxYear, b.TaxYear), cmp.Compare(a.Amount, b.Amount), strings.Compare(a.Key, b.Key))
	})
	s, err := snapshot.Create(dir, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	for _, err := range []error{
		snapshot.WriteTable(s, snapshot.Grants, slices.Values(w.grants)),
		snapshot.WriteTable(s, snapshot.FunderKinds, slices.Values(w.funders)),
		snapshot.WriteTable(s, snapshot.Organizations, slices.Values(w.orgs)),
		graph.Build(context.Background(), s),
	} {
		if err != nil {
			return nil, err
		}
	}
	out, err := s.Publish(snapshot.Manifest{Counts: snapshot.Counts{Grants: int64(len(w.grants)), PartialFiscalYear: []int{partialYear}}})
	if err != nil {
		return nil, err
	}
	return graph.Open(out)
}

// changed opens the world after a change of its grants.
func changed(t *testing.T, change func(*tables)) *graph.Graph {
	t.Helper()
	w := invent()
	change(w)
	g, err := openWorld(t.TempDir(), w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func examiner(t testing.TB) *Examiner {
	t.Helper()
	e, err := NewExaminer(secret)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func draw(t testing.TB, a Asker, key string, n int) *Challenge {
	t.Helper()
	c, err := examiner(t).Draw(t.Context(), a, key, n, version)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
