package reconcile

import (
	"fmt"
	"strings"
	"testing"

	"grantgraph"

	"grantgraph/internal/serve/identify"
)

// TestDocs finds every property, type, refusal, address and bound in the page about
// them.
func TestDocs(t *testing.T) {
	t.Parallel()
	text, err := grantgraph.Documents.ReadFile("docs/reconcile.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	needs := func(what, word string) {
		t.Helper()
		if !strings.Contains(page, word) {
			t.Errorf("the page does not name the %s %s", what, word)
		}
	}
	for _, p := range properties {
		needs("property", "`"+p.id+"`")
	}
	for _, k := range types {
		needs("type", "`"+k.ID+"`")
	}
	for slug := range statuses {
		if slug != "no_key" && slug != "plan_required" { // nothing here needs a key or a plan
			needs("refusal", "`"+slug+"`")
		}
	}
	for _, path := range []string{Root10 + "/match", Root10 + "/extend", Root02 + "/preview", Root02 + "/flyout/entity", Root02 + "/extend/propose"} {
		needs("address", path)
	}
	needs("bound", fmt.Sprintf("%d KB", maxBody>>10))
	needs("bound", fmt.Sprintf("| %d |", maxText))
	needs("bound", fmt.Sprintf("| %d; %d |", maxConditions, maxValues))
	needs("bound", fmt.Sprintf("| Nesting depth of the JSON | %d |", maxDepth))
	needs("bound", fmt.Sprintf("(%d candidates by default, at most %d)", defaultCandidates, maxCandidates))
	needs("size", fmt.Sprintf("%d by %d pixels", previewWidth, previewHeight))
	needs("score", fmt.Sprintf("score must be at least %.0f", 100*identify.LeastCertain))
}
