package ingest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/stage"
)

// TestAddressNames holds that an organization gets the name that grants to its
// address have, but no name from a crowded building or from a sponsor of projects.
func TestAddressNames(t *testing.T) {
	t.Parallel()
	type grantTo struct {
		name, street string
		ein          ein.EIN
	}
	list := []grantTo{
		{"LIGHTHOUSE LEAGUE", "1 ELM ST", 340000001}, {"LIGHTHOUSE LEAGUE INC", "1 ELM STREET", 0}, {"BEACON KEEPERS", "1 ELM ST FL 2", 0},
		{"QUARRY PARK", "30 STONE AVE", 340000002}, {"HERON HOUSE", "30 STONE AVE", 340000003}, {"ASH CHAPEL", "30 STONE AVE", 340000006}, {"STONE SOUP", "30 STONE AVE", 0},
		{"TOWER CLINIC", "9 TOWER RD", 340000004}, {"LARK CHOIR", "9 TOWER RD", 0},
	}
	for i := range mostNamed + 1 {
		list = append(list, grantTo{fmt.Sprintf("PROJECT NO %d", i), "7 OAK ST", 0})
	}
	list = append(list, grantTo{"OAK SPONSORS", "7 OAK ST", 340000005})
	c := &corpus{lines: newLines(0), recipients: newRecipients(len(list)), filings: []filing{{ein: 340000009}}}
	for i, g := range list {
		c.lines.add(&stage.Line{Name1: g.name, Street: g.street, City: "AKRON", State: "OH", ZIP: "44301"}, 0, 0, false)
		c.recipients.ein[i] = g.ein
	}
	u := resolve.NewUniverse()
	for i := range mostTenants + 1 {
		u.Add(resolve.Org{EIN: ein.EIN(350000001 + i), Name: fmt.Sprintf("TENANT %d", i), Street: "9 TOWER RD", City: "AKRON", State: "OH", ZIP5: "44301", Sources: resolve.BMF})
	}
	c.universe = u.Build()
	got, err := (&builder{workers: 1}).addressNames(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range got {
		names = append(names, fmt.Sprint(n.EIN, " ", n.Name, " ", n.Funders))
	}
	if want := []string{"340000001 BEACON KEEPERS 1"}; !slices.Equal(names, want) {
		t.Errorf("%q, not %q", names, want)
	}
}
