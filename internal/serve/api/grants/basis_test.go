package grants_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
)

// inferring is the small world with a cause for every second organization that
// has no code.
func inferring(t *testing.T) *apitest.World {
	t.Helper()
	s := world.Small.Snapshot(t)
	w, err := snapshot.Create(t.TempDir(), world.Built)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{snapshot.Grants, snapshot.FunderKinds, snapshot.Organizations} {
		if err := w.Adopt(s, table); err != nil {
			t.Fatal(err)
		}
	}
	var causes []snapshot.InferredCause
	n := 0
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err != nil {
			t.Fatal(err)
		}
		if _, coded := ntee.Parse(o.NTEE); coded {
			continue
		}
		if n++; n%2 == 0 {
			causes = append(causes, snapshot.InferredCause{EIN: o.EIN, Letter: string("BX"[n/2%2]), Confidence: 0.97})
		}
	}
	if err := snapshot.WriteTable(w, snapshot.InferredCauses, slices.Values(causes)); err != nil {
		t.Fatal(err)
	}
	if err := graph.Build(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	published, err := w.Publish(snapshot.Manifest{Counts: s.Manifest.Counts})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Open(published)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	data := *apitest.Built(t)
	data.Graph = g
	return apitest.Over(t, &data)
}

// withoutCaveat is an answer without what it says of the wider basis.
func withoutCaveat(t *testing.T, body []byte) string {
	t.Helper()
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	service := answer["x_service"].(map[string]any)
	if list, ok := service["warnings"].([]any); ok {
		service["warnings"] = slices.DeleteFunc(list, func(w any) bool { return w.(map[string]any)["parameter"] == "subject_basis" })
	}
	delete(answer, "request_id")
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestInferredCausesAreNotMixedIn asks two services, of which one knows inferred
// causes: by default they answer alike, byte for byte, but for the caveat.
func TestInferredCausesAreNotMixedIn(t *testing.T) {
	t.Parallel()
	with, without := inferring(t), apitest.Real(t)
	caveats := 0
	for _, query := range []string{"", "limit=200", "subject=B", "subject=X,B", "subject=B4", "subject=Health", "subject=B&year=2020-2022&min_amt=5000", "subject_basis=registered&subject=B", "subject=X&exclude=daf"} {
		for _, path := range []string{"transactions", "funders", "recipients", "summary"} {
			a := with.Get(t, "GET", "/api/v1/grants/"+path+"?"+query, "pro")
			b := without.Get(t, "GET", "/api/v1/grants/"+path+"?"+query, "pro")
			if a.Code != 200 || b.Code != 200 {
				t.Fatalf("%s?%s: %d, %d %s", path, query, a.Code, b.Code, a.Body)
			}
			if strings.Contains(a.Body.String(), "subject_basis=any counts them") {
				caveats++
			}
			if strings.Contains(b.Body.String(), "subject_basis=any counts them") {
				t.Errorf("%s?%s: a caveat of nothing", path, query)
			}
			if x, y := withoutCaveat(t, a.Body.Bytes()), withoutCaveat(t, b.Body.Bytes()); x != y {
				t.Errorf("%s?%s differs:\n%s\n%s", path, query, x, y)
			}
		}
	}
	if caveats == 0 {
		t.Error("no answer says what the wider basis would add")
	}
}

// TestSubjectBasis asks for inferred causes, and holds rows, totals and the
// caveat against each other.
func TestSubjectBasis(t *testing.T) {
	t.Parallel()
	w := inferring(t)
	all := grantsOf(t, w, "subject_basis=any")
	sources := map[string]int{}
	for _, g := range all {
		source := "none"
		if g.SubjectSource != nil {
			source = *g.SubjectSource
		}
		sources[source]++
		switch {
		case (g.Subject == nil) != (g.SubjectSource == nil), (g.Subject == nil) != (g.SubjectLabel == nil):
			t.Fatalf("a cause without a source: %+v", g)
		case source == "inferred" && (g.NTEECode != nil || *g.SubjectLabel != ntee.Label((*g.Subject)[0])),
			source == "registered" && (*g.NTEECode)[:1] != *g.Subject:
			t.Fatalf("a wrong source: %+v", g)
		}
	}
	if sources["registered"] == 0 || sources["inferred"] == 0 || sources["none"] == 0 {
		t.Fatalf("sources are %v", sources)
	}
	for _, query := range []string{"subject=B", "subject=X", "subject=B,B4", "subject=X2", "subject=Education&min_amt=1000", "subject=B&exclude=individuals"} {
		registered, any := grantsOf(t, w, query), grantsOf(t, w, query+"&subject_basis=any")
		agree(t, w, query+"&subject_basis=any", any)
		var more, dollars int64
		for _, g := range any {
			if *g.SubjectSource == "inferred" {
				more++
				dollars += g.Amount
			}
		}
		if int64(len(any))-int64(len(registered)) != more || query == "subject=X2" && more != 0 || query == "subject=B" && more == 0 {
			t.Errorf("%s: %d rows, with inferred causes %d, of which %d", query, len(registered), len(any), more)
		}
		answer := w.Get(t, "GET", "/api/v1/grants/summary?"+query, "pro").Body.String()
		said := strings.Contains(answer, fmt.Sprintf("would add %d grants and %s", more, money.Dollars(dollars)))
		if said != (more > 1) && more != 1 {
			t.Errorf("%s: %d grants and %d dollars are not what the caveat says: %s", query, more, dollars, answer)
		}
	}
	list := apitest.Unmarshal[api.List[grants.GrantRow]](t, w.Get(t, "GET", "/api/v1/grants/transactions?limit=5", "pro"))
	for _, g := range list.Results {
		if g.SubjectSource != nil && *g.SubjectSource == "inferred" {
			t.Errorf("inferred without being asked for: %+v", g)
		}
	}
	for _, s := range []apitest.Scenario{
		{Name: "outside the vocabulary", Path: "grants/summary?subject=B&subject_basis=guess", Status: 200, Costs: 1, Has: []string{`"subject_basis"`, `"unsupported"`}},
		{Name: "refused when strict", Path: "grants/summary?subject=B&subject_basis=guess&strict=1", Status: 400},
		{Name: "alone", Path: "grants/summary?subject_basis=any", Status: 200, Costs: 1, Has: []string{"the causes in the rows of /grants/transactions and the groups of by=subject"}},
		{Name: "a longer code", Path: "grants/funders?subject=B4&subject_basis=any", Status: 200, Costs: 1, Has: []string{"they never match a longer code"}},
		{Name: "csv has the column", Path: "grants/transactions?subject=B&subject_basis=any&format=csv", Status: 200, Costs: 1, Has: []string{"subject_source", "inferred"}},
	} {
		t.Run(s.Name, func(t *testing.T) { s.Run(t, w) })
	}
}

// TestWiderBasisFails: an answer whose caveat cannot be computed is no answer.
func TestWiderBasisFails(t *testing.T) {
	t.Parallel()
	data := *apitest.Built(t)
	data.Graph = noWider{data.Graph}
	w := apitest.Over(t, &data)
	if rec := w.Get(t, "GET", "/api/v1/grants/summary?subject=B", "pro"); rec.Code < 500 {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
}

type noWider struct{ grants.Graph }

func (noWider) WiderBasis(context.Context, *graph.Filter) (graph.Cost, error) {
	return graph.Cost{}, graph.ErrClosed
}
