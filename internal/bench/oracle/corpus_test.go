package oracle_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// corpus is a snapshot with the values that questions about it are made of.
type corpus struct {
	name       string
	snapshot   *snapshot.Snapshot
	funders    []ein.EIN
	recipients []ein.EIN
	texts      []string
	grants     []snapshot.Grant
	kinds      []snapshot.FunderKind
}

// oddTexts are texts that engines are apt to treat differently: signs of patterns
// and of SQL, entities, accents, single letters, words that share a stem.
var oddTexts = []string{
	"", "GENERAL SUPPORT", "General operating support", "SCHOLARSHIPS", "Scholarship Fund", "FOR SCHOLARSHIP'S SAKE", "100% OF_BUDGET",
	"CHILDREN&amp;FAMILIES", "Children's Théâtre", "housing; house; houses", "A", "A B C", "CLASS", "CLASSES", "CLASSED", "BLESSING OF THE SEAS",
	`"QUOTED" \ BACKSLASH`, "HEALTH-CARE", "HEALTH CARE", "CARE HEALTH", "NEEDS NEED NEEDED NEEDING", "2020S 2020 COVID19", "ÑANDÚ – öl", "SS ES ED ING S",
	"---", "SEE ATTACHED", "FEED THE BEES", "PRINCESS PRINCES PRINCE", "the", "GENERAL", "SUPPORT GENERAL",
}

var (
	someStates  = []string{"", "CA", "NY", "WA", "PR"}
	someCities  = []string{"", "ST. PAUL", "SAINT PAUL", "CITY OF YORK", "YORK", "MT. VERNON", "ZÜRICH", "ZURICH"}
	someZIPs    = []string{"", "98101", "98102", "00901", "10001"}
	someCounty  = []string{"", "53033", "36061", "06037"}
	someCountry = []string{"CA", "UK", "SZ"}
	someNTEE    = []string{"", "B20", "B202", "b42 ", "E", "A6B", "9BB", "T30", "X20", "B2"}
)

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func flag(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

// inventCorpus writes a small snapshot of n rows by hand, in which everything that
// can be equal, missing or odd is so somewhere.
func inventCorpus(t testing.TB, seed uint64, n int) *corpus {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	c := &corpus{name: fmt.Sprintf("invented %d", seed), texts: oddTexts}
	names := []string{"ACME FUND", "Acme Fund", "BETA TRUST", "ÉCOLE", "ZETA SCHOLARSHIPS", "HOUSE OF CARE"}
	for i := range 1 + r.IntN(7) {
		e := ein.EIN(70_000_001 + 11*i)
		c.funders = append(c.funders, e)
		c.kinds = append(c.kinds, snapshot.FunderKind{FunderEIN: e.String(), Name: pick(r, names), City: pick(r, someCities), State: pick(r, someStates),
			ZIP5: pick(r, someZIPs), County: pick(r, someCounty), ReturnType: "990PF", Kind: pick(r, grant.FunderKinds()),
			Accepts: pick(r, []string{"", grant.Accepts, grant.Preselects})})
	}
	var orgs []snapshot.Organization
	var causes []snapshot.InferredCause
	var recips []snapshot.Grant // what of a row is the recipient's own
	for i := range 2 + r.IntN(12) {
		var g snapshot.Grant
		switch r.IntN(4) {
		case 0:
			g.RecipID = fmt.Sprintf("nm-%012x", r.Uint64()>>20)
		case 1:
			g.RecipID, g.RecipientCountry = fmt.Sprintf("intl-ca-%010d", i), pick(r, someCountry)
		default:
			e := ein.EIN(190_000_001 + 7*i)
			g.RecipID, g.RecipientEIN = "ein-"+e.String(), e.String()
			c.recipients = append(c.recipients, e)
			if flag(r, 20) {
				g.RecipientCountry = pick(r, someCountry)
			}
			if flag(r, 50) {
				causes = append(causes, snapshot.InferredCause{EIN: e.String(), Letter: pick(r, []string{"A", "B", "E", "T"}), Confidence: 0.97})
			}
			if flag(r, 80) {
				orgs = append(orgs, snapshot.Organization{EIN: e.String(), Name: pick(r, append(names, oddTexts[1:]...)), Aliases: []string{}, City: pick(r, someCities),
					State: pick(r, someStates), ZIP5: pick(r, someZIPs), County: pick(r, someCounty), NTEE: pick(r, someNTEE)})
			}
		}
		recips = append(recips, g)
	}
	rules := grant.Rules()
	for i := range n {
		g := pick(r, recips)
		k := r.IntN(len(c.kinds))
		g.Key, g.FunderEIN = fmt.Sprintf("k%012d", (i*7919)%1_000_003), c.kinds[k].FunderEIN
		g.RecipientRaw, g.Purpose = pick(r, oddTexts), pick(r, oddTexts)
		g.RecipientCity = pick(r, someCities)
		if g.RecipientCountry == "" {
			g.RecipientState, g.RecipientZIP, g.RecipientCounty = pick(r, someStates), pick(r, someZIPs), pick(r, someCounty)
		}
		g.Amount, g.TaxYear = pick(r, []int64{1, 2, 500, 500, 500, 1000, 1000, 25_000, 1_000_000, 49_999_999_999}), int32(2017+r.IntN(6))
		g.IRSTaxYear = g.TaxYear
		g.SourceTier = grant.Universe
		if g.RecipientEIN != "" {
			rule := pick(r, rules)
			g.EINSource, g.MatchProb = rule.String(), rule.Prob()
			if rule == grant.Model {
				g.MatchProb = pick(r, []float64{0.9, 0.8123456789, 0.944, 1.0 / 3})
			}
			if g.RecipientCountry == "" {
				g.SourceTier = grant.Matched
			}
			if rule == grant.Filed {
				g.EINConflict = grant.Conflict(i % 3).String()
			}
			if i%7 == 0 {
				g.StateFiled = "ME"
			}
		}
		g.IsDAF, g.IsIndividual, g.IsRelatedParty, g.IsUnidentified = k == 0, flag(r, 20), flag(r, 6), flag(r, 5)
		some, others := r.IntN(1<<grant.Strategies), r.IntN(1<<grant.Strategies)
		g.Support = int32(some & others)
		g.Filing, g.ReturnType, g.PeriodEnd = fmt.Sprintf("sha256:%04d", r.IntN(30)), "990PF", fmt.Sprintf("%d-12-31", g.TaxYear)
		if flag(r, 70) {
			g.Filing = fmt.Sprintf("2023%014d", r.IntN(30))
			g.ObjectID = g.Filing
		}
		g.Part, g.Line = "990PF/XV/3a", int32(i)
		c.grants = append(c.grants, g)
	}
	slices.SortFunc(c.grants, func(a, b snapshot.Grant) int {
		return cmp.Or(cmp.Compare(a.FunderEIN, b.FunderEIN), cmp.Compare(a.RecipID, b.RecipID), cmp.Compare(a.TaxYear, b.TaxYear),
			cmp.Compare(a.Amount, b.Amount), cmp.Compare(a.Key, b.Key))
	})
	w, err := snapshot.Create(t.TempDir(), time.Unix(1_700_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, snapshot.Grants, c.grants)
	write(t, w, snapshot.FunderKinds, c.kinds)
	write(t, w, snapshot.Organizations, orgs)
	write(t, w, snapshot.InferredCauses, causes)
	if err := graph.Build(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	c.snapshot, err = w.Publish(snapshot.Manifest{Counts: snapshot.Counts{Grants: int64(n), FirstFiscalYear: 2017, LastFiscalYear: 2022,
		LastCompleteYear: 2020, PartialFiscalYear: []int{2021, 2022}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func write[T any](t testing.TB, w *snapshot.Writer, table string, rows []T) {
	t.Helper()
	if err := snapshot.WriteTable(w, table, slices.Values(rows)); err != nil {
		t.Fatal(err)
	}
}

// corpusOf is the snapshot of an invented world of filings.
func corpusOf(t testing.TB, w world.World) *corpus {
	t.Helper()
	c := &corpus{name: fmt.Sprintf("world of %d", w.Grants), snapshot: w.Snapshot(t)}
	number := func(s string) ein.EIN {
		e, err := ein.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for k, err := range snapshot.Rows[snapshot.FunderKind](c.snapshot, snapshot.FunderKinds) {
		if err != nil {
			t.Fatal(err)
		}
		c.kinds = append(c.kinds, k)
		c.funders = append(c.funders, number(k.FunderEIN))
	}
	for g, err := range snapshot.Rows[snapshot.Grant](c.snapshot, snapshot.Grants) {
		if err != nil {
			t.Fatal(err)
		}
		c.grants = append(c.grants, g)
		c.texts = append(c.texts, g.Purpose, g.RecipientRaw)
		if g.RecipientEIN != "" {
			c.recipients = append(c.recipients, number(g.RecipientEIN))
		}
	}
	return c
}
