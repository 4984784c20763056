package graph_test

import (
	"slices"
	"testing"

	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
)

// TestVocabulary holds the published words against the values they mean: both
// are written out here once more.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	checkWords(t, graph.ClassWords(), graph.ParseClass, map[string]graph.Class{
		grant.DAF: graph.DAF, grant.Individuals: graph.Individuals, grant.RelatedParty: graph.RelatedParty, grant.Unidentified: graph.Unidentified})
	checkWords(t, graph.GroupingWords(), graph.ParseGrouping, map[string]graph.Grouping{
		"subject": graph.GroupSubject, "state": graph.GroupState, "county": graph.GroupCounty, "support": graph.GroupSupport,
		"funder_type": graph.GroupFunderType, "funder": graph.GroupFunder, "recipient": graph.GroupRecipient, "year": graph.GroupYear})
	checkWords(t, graph.PlaceOfWords(), graph.ParsePlaceOf, map[string]graph.PlaceOf{
		"recipient": graph.RecipientPlace, "funder": graph.FunderPlace, "area_served": graph.AreaServed})
	checkWords(t, graph.PlaceKindWords(), graph.ParsePlaceKind, map[string]graph.PlaceKind{
		"state": graph.State, "zip": graph.ZIP, "city": graph.City, "county_fips": graph.County, "country": graph.Country})
	byAll := map[string]graph.Order{"amount": graph.ByAmount, "year": graph.ByYear, "count": graph.ByCount,
		"funder_name": graph.ByFunderName, "funder_state": graph.ByFunderState, "recip_name": graph.ByRecipName, "recip_state": graph.ByRecipState}
	for word, order := range byAll {
		if got, ok := graph.ParseOrder(word); !ok || got != order || got.String() != word {
			t.Errorf("%s is read as %d and written as %s", word, got, got)
		}
	}
	if got, ok := graph.ParseOrder("year_issued"); !ok || got != graph.ByYear {
		t.Errorf("year_issued is read as %s", got)
	}
	for about, want := range map[graph.About][]string{
		graph.AboutGrants:     {"amount", "year", "year_issued", "funder_name", "funder_state", "recip_name", "recip_state"},
		graph.AboutFunders:    {"amount", "count", "funder_name", "funder_state"},
		graph.AboutRecipients: {"amount", "count", "recip_name", "recip_state"},
		graph.AboutTotals:     nil,
		graph.AboutGroups:     nil,
	} {
		if got := about.OrderWords(); !slices.Equal(got, want) {
			t.Errorf("evaluation %d can be ordered by %v, want %v", about, got, want)
		}
	}
	if got := graph.FunderKindWords(); !slices.Equal(got, grant.FunderKinds()) {
		t.Errorf("the file numbers the kinds %v, published are %v", got, grant.FunderKinds())
	}
	if got := (graph.RelatedParty | graph.DAF).Words(); !slices.Equal(got, []string{"daf", "related_party"}) {
		t.Errorf("two classes are %v", got)
	}
	if got := graph.Class(0).Words(); got == nil || len(got) != 0 {
		t.Errorf("no classes are %#v, want an empty list", got)
	}
}

func checkWords[T interface {
	comparable
	String() string
}](t *testing.T, words []string, parse func(string) (T, bool), want map[string]T) {
	t.Helper()
	if len(words) != len(want) {
		t.Errorf("%v are %d words, want %d", words, len(words), len(want))
	}
	for _, word := range words {
		if got, ok := parse(word); !ok || got != want[word] || got.String() != word {
			t.Errorf("%s is read as %v, want %v", word, got, want[word])
		}
	}
	for _, word := range []string{"", "DAF", "nobody"} {
		if got, ok := parse(word); ok {
			t.Errorf("%q is read as %v", word, got)
		}
	}
}
