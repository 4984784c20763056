package grants_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/apitest"
)

// TestThreeSixtyGiving holds every grant against the rules of the 360Giving schema: the members that a grant needs, their types, and
// none that the schema does not have. Nobody who is a private person is named.
func TestThreeSixtyGiving(t *testing.T) {
	t.Parallel()
	w := apitest.Real(t)
	rec := w.Get(t, "GET", "/api/v1/grants/transactions?format=360giving&limit=1000", "pro")
	if kind := rec.Header().Get("Content-Type"); rec.Code != 200 || kind != "application/vnd.360giving+json" || !strings.Contains(rec.Header().Get("Link"), `rel="next"`) {
		t.Fatalf("%d %v", rec.Code, rec.Header())
	}
	var file struct {
		Version, Title, Issued string
		Grants                 []map[string]any
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &file); err != nil || !regexp.MustCompile(`^\d+\.\d+$`).MatchString(file.Version) || len(file.Grants) != 1000 {
		t.Fatalf("%v %+v", err, file.Version)
	}
	names := map[string]string{} // of persons, by key
	for _, g := range grantsOf(t, w, "") {
		if slices.Contains(g.Provenance.Classes, "individuals") {
			names["grantgraph-"+g.GrantKey] = g.RecipName
		}
	}
	texts := []string{"id", "title", "description", "currency", "awardDate", "dataSource", "dateModified"}
	seen, persons := map[string]bool{}, 0
	for _, g := range file.Grants {
		id, _ := g["id"].(string)
		for _, name := range texts {
			if s, ok := g[name].(string); !ok || strings.TrimSpace(s) == "" {
				t.Errorf("%s has no text %s: %v", id, name, g[name])
			}
		}
		if _, err := time.Parse(time.DateOnly, g["awardDate"].(string)); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := time.Parse(time.RFC3339, g["dateModified"].(string)); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if amount, ok := g["amountAwarded"].(float64); !ok || amount <= 0 || g["currency"] != "USD" || seen[id] {
			t.Errorf("%v", g)
		}
		seen[id] = true
		for name := range g {
			if !slices.Contains(append(slices.Clone(texts), "amountAwarded", "recipientOrganization", "recipientIndividual", "fundingOrganization", "classifications"), name) {
				t.Errorf("%s has %s", id, name)
			}
		}
		parties := g["fundingOrganization"].([]any)
		to, organization := g["recipientOrganization"].([]any)
		person, individual := g["recipientIndividual"].(map[string]any)
		if organization == individual || len(parties) != 1 || organization && len(to) != 1 || individual != (names[id] != "") && !individual {
			t.Errorf("%v", g)
		}
		if individual {
			persons++
			if person["name"] != "Individual Recipient" || names[id] != "" && strings.Contains(string(must(json.Marshal(g))), names[id]) {
				t.Errorf("%v names %s", g, names[id])
			}
		}
		for _, p := range append(slices.Clone(parties), to...) {
			o := p.(map[string]any)
			if s, _ := o["id"].(string); s == "" || strings.HasPrefix(s, "US-EIN-") && len(s) != len("US-EIN-000000000") || o["name"] == "" {
				t.Errorf("%v", o)
			}
		}
	}
	if persons == 0 {
		t.Error("no grant is to a person")
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
