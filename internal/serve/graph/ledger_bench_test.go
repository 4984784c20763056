package graph_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/snapshot"
)

// BenchmarkMegaFunder measures what a profile asks of the graph in the worst case:
// a funder with 1.1 million grants to 300,000 recipients, and a recipient of
// 50,000 funders, in a corpus of two million.
func BenchmarkMegaFunder(b *testing.B) {
	const rows, mega, recipients, funders = 2_000_000, 1_100_000, 300_000, 60_000
	r := rand.New(rand.NewPCG(1, 1))
	c := &corpus{}
	for i := range rows {
		from, to := 1+r.IntN(funders), r.IntN(recipients)
		switch {
		case i < mega:
			from = 0
		case i < mega+50_000:
			from, to = 1+i%funders, 7
		case r.IntN(2) == 0:
			to = r.IntN(3000) // most grants go to few
		}
		e := ein.EIN(800_000_001 + to).String()
		c.grants = append(c.grants, snapshot.Grant{
			Key: fmt.Sprintf("k%012d", i), FunderEIN: ein.EIN(700_000_001 + from).String(), RecipID: "ein-" + e, RecipientEIN: e, RecipientRaw: "X", RecipientState: pick(r, states),
			Amount: int64(1 + r.IntN(100_000)), TaxYear: int32(2012 + r.IntN(12)), EINSource: "filed", MatchProb: 1, SourceTier: "matched", Filing: "f", ReturnType: "990", PeriodEnd: "2022-12-31",
		})
	}
	for i := range recipients {
		c.orgs = append(c.orgs, snapshot.Organization{EIN: ein.EIN(800_000_001 + i).String(), Name: "X", NTEE: pick(r, codes)})
	}
	g := open(b, c.write(b, b.TempDir()))
	*c = corpus{}
	funder, popular := ein.EIN(700_000_001), ein.EIN(800_000_001+7)
	for name, ask := range map[string]func() error{
		"sums":     func() error { _, err := g.Sums(b.Context(), funder, graph.Gave); return err },
		"given":    func() error { _, err := ledger.Read(b.Context(), g, funder, graph.Gave, 25, nil); return err },
		"received": func() error { _, err := ledger.Read(b.Context(), g, popular, graph.Received, 25, causeOf); return err },
		"cofunders": func() error {
			_, err := neighbors.Cofunders(b.Context(), g, funder, 25, neighbors.MostEdges)
			return err
		},
		"sharing funders": func() error {
			_, err := neighbors.SharingFunders(b.Context(), g, popular, 300, neighbors.MostEdges)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Logf("the weights are %d and %d bytes", neighbors.Weight(g, funder), neighbors.Weight(g, popular))
}
