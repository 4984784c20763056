package abroad_test

import (
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/orgname"
)

// A name that is merged with no other has the id that the resolver gives it,
// which builds have published.
func TestUnmergedID(t *testing.T) {
	t.Parallel()
	r := resolve.New(resolve.NewUniverse().Build(), resolve.Options{})
	for _, name := range []string{"Quiet Garden", "The Quiet Garden, Inc.", "Stiller Garten GmbH", "Jardín Quieto, A.C.", "Jardin 7", "JQ (Jardin Quieto)"} {
		line := resolve.Recipient{Name1: name, City: "Leeds", Country: "UK"}
		n := orgname.ParseLine(name, "", line.City, "")
		want := r.RecipID(&line, &n, resolve.Match{}, resolve.Organization, ein.None)
		c := abroad.Cluster([]abroad.Spelling{{Country: "UK", Raw: name, Name: n, City: line.City, Rows: 1}}, abroad.Keys{})
		if got, ok := c.Of("UK", n.KX, abroad.Org); !ok || got != want || c.Canonical(got) != name {
			t.Errorf("%q is %s (%q), the resolver says %s", name, got, c.Canonical(got), want)
		}
	}
}
