package graph_test

import (
	"math/rand/v2"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/graph"
)

// TestWorld holds the engine against the loops on a world that went through
// the real build, with questions about what is in it.
func TestWorld(t *testing.T) {
	t.Parallel()
	s := world.Small.Snapshot(t)
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	g := open(t, s)
	n := newNaive(readCorpus(t, s))
	counts := s.Manifest.Counts
	all, years, err := g.Summary(t.Context(), &graph.Filter{})
	if want := (graph.Totals{Amount: counts.TotalAmount, Grants: counts.Grants, Funders: counts.Funders, Recipients: counts.Recipients}); err != nil || all != want ||
		years[0].FiscalYear != counts.FirstFiscalYear || years[len(years)-1].FiscalYear != counts.LastFiscalYear {
		t.Errorf("all is %+v in %v, the manifest says %+v; %v", all, years, counts, err)
	}
	linked, _, err := g.Summary(t.Context(), &graph.Filter{MinProb: new(float64)})
	if err != nil || linked.Grants != counts.Linked || linked.Amount != counts.LinkedAmount {
		t.Errorf("linked is %+v, the manifest says %+v; %v", linked, counts, err)
	}
	r := rand.New(rand.NewPCG(1, 5))
	for _, divided := range []bool{false, true} {
		if divided {
			g.Divide()
			g.DropCache()
		}
		compareWith(t, g, n, r, 60, func(r *rand.Rand) *graph.Filter {
			// A row of the world says what to ask for.
			row := n.rows[r.IntN(len(n.rows))]
			f := &graph.Filter{}
			for range 1 + r.IntN(3) {
				switch r.IntN(9) {
				case 0:
					f.Funders = append(f.Funders, row.Funder.EIN)
				case 1:
					f.Recipients = append(f.Recipients, row.Recipient.EIN)
				case 2:
					f.Years = []graph.Span{{From: row.FiscalYear, To: row.FiscalYear + r.IntN(3)}}
				case 3:
					f.Subject, _ = ntee.ParseSubject(string(row.NTEE[:min(len(row.NTEE), 1+r.IntN(3))]))
					f.SubjectBasis = ntee.Basis(r.IntN(2))
				case 4:
					f.Place = graph.Place{Of: graph.PlaceOf(r.IntN(3)), Values: []graph.PlaceValue{{Name: row.State}}}
				case 5:
					f.Place = graph.Place{Of: graph.PlaceOf(r.IntN(3)), Kind: graph.ZIP, Values: []graph.PlaceValue{{Name: row.ZIP[:min(len(row.ZIP), 3)]}}}
				case 6:
					if words := graph.WordsOf(row.Purpose + " " + row.NameFiled); len(words) > 1 {
						i := r.IntN(len(words) - 1)
						f.Query, _ = graph.ParseQuery(pick(r, []string{words[i], `"` + words[i] + " " + words[i+1] + `"`, words[i] + " -" + words[i+1]}))
					}
				case 7:
					v := row.Amount
					f.MinAmount = &v
				case 8:
					f.Exclude = graph.Class(r.IntN(8))
				}
			}
			return f
		})
	}

	// However many words a query has, its memory is that of a few sets.
	most := 0
	compareWith(t, g, n, r, 60, func(r *rand.Rand) *graph.Filter {
		row := n.rows[r.IntN(len(n.rows))]
		text := row.Purpose + " " + row.NameFiled
		for range r.IntN(12) {
			other := n.rows[r.IntN(len(n.rows))]
			text += " -" + pick(r, append(graph.WordsOf(other.NameFiled), "X"))
		}
		f := &graph.Filter{}
		f.Query, _ = graph.ParseQuery(text)
		sets, err := g.SetsOf(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, sets)
		return f
	})
	if most != 4 {
		t.Errorf("a query took up to %d sets of rows, not 4", most)
	}
}
