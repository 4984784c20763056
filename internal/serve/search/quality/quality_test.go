package quality

import (
	"math"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
)

// TestJudge works figures out by hand.
func TestJudge(t *testing.T) {
	t.Parallel()
	judged := map[string]int{"000000001": 2, "000000002": 1, "000000003": 0}
	results := func(list ...int) (out []string) {
		for _, e := range list {
			out = append(out, ein.EIN(e).String())
		}
		return out
	}
	ideal := 3.0 + 1/math.Log2(3)
	for _, c := range []struct {
		found        []string
		ndcg, recall float64
	}{
		{results(1, 2), 1, 1},
		{results(2, 1), (1 + 3/math.Log2(3)) / ideal, 1},
		{results(9, 3, 1), 3 / math.Log2(4) / ideal, 0.5},
		{results(9, 8, 7, 6, 5, 4, 10, 11, 12, 13, 1), 0, 0.5}, // the eleventh has no gain
		{nil, 0, 0},
	} {
		if ndcg, recall := Judge(c.found, judged); math.Abs(ndcg-c.ndcg) > 1e-9 || recall != c.recall {
			t.Errorf("%v: %f and %f, want %f and %f", c.found, ndcg, recall, c.ndcg, c.recall)
		}
	}
	if ndcg, recall := Judge(results(1), nil); ndcg != 0 || recall != 0 {
		t.Error("something is found where nothing is judged")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(`{"ein":"070000001","name":"A","mission":["x"]}` + "\n\n" + `{"ein":"07-0000000","name":"B"}`)
	f.Add(`{"id":"1","query":"q","judged":{"070000001":2}}`)
	f.Add("{")
	f.Add(`{"ein":"070000001","name":" "}`)
	f.Fuzz(func(t *testing.T, s string) {
		if docs, err := ReadDocuments(strings.NewReader(s)); err == nil {
			if !slices.IsSortedFunc(docs, func(a, b Document) int { return strings.Compare(a.EIN, b.EIN) }) {
				t.Errorf("documents out of order: %v", docs)
			}
			for i, d := range docs {
				if _, err := ein.Parse(d.EIN); err != nil || d.Name == "" || i > 0 && docs[i-1].EIN == d.EIN {
					t.Errorf("%+v is accepted", d)
				}
			}
		}
		if queries, err := ReadQueries(strings.NewReader(s)); err == nil {
			for _, q := range queries {
				if strings.TrimSpace(q.Text) == "" {
					t.Errorf("%+v is accepted", q)
				}
			}
		}
	})
}
