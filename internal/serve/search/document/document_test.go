package document

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/snapshot"
)

func TestNew(t *testing.T) {
	t.Parallel()
	org := snapshot.Organization{EIN: "070000001", Name: "THORNTON  FOOD BANK", Aliases: []string{"TFB", "thornton food bank"}, Former: []string{"TFB", "THE PANTRY"}, City: "AKRON", State: "oh", NTEE: "K31"}
	filing := snapshot.Org{Mission: "FEEDING FAMILIES", Activity: "Feeding families", Programs: []string{"Soup kitchens", "", "FEEDING FAMILIES", "soup kitchens"}}
	purposes := snapshot.OrgPurposes{Received: []string{"GENERAL SUPPORT", "Turkeys"}, Given: []string{"FUEL"}}
	d := New(&Source{Org: &org, Filing: &filing, Purposes: &purposes})
	if want := "thornton food bank. feeding families. Soup kitchens. " + d.Cause + ". general support; Turkeys"; d.Text() != want || d.Cause == "" || !d.Told() {
		t.Errorf("%q, want %q", d.Text(), want)
	}
	if !slices.Equal(d.Others, []string{"TFB", "THE PANTRY"}) || d.State != "OH" {
		t.Errorf("%+v", d)
	}
	// A grantmaker that says nothing is known by what it pays for.
	d = New(&Source{Org: &org, Purposes: &purposes})
	if !strings.HasSuffix(d.Text(), "general support; Turkeys; fuel") {
		t.Errorf("%q", d.Text())
	}
	d = New(&Source{Org: &org})
	if d.Told() {
		t.Error("a name and a code say what it does")
	}
	long := snapshot.Org{Mission: strings.Repeat("é", 1<<20)}
	if d = New(&Source{Org: &org, Filing: &long}); len(d.Text()) > 2*maxField {
		t.Errorf("%d bytes of text", len(d.Text()))
	}
}

// TestSources reads tables side by side, of which some are missing, and refuses
// one whose places are no numbers.
func TestSources(t *testing.T) {
	t.Parallel()
	write := func(orgs ...snapshot.Organization) *snapshot.Snapshot {
		w, err := snapshot.Create(t.TempDir(), time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(snapshot.WriteTable(w, snapshot.Organizations, slices.Values(orgs)),
			snapshot.WriteTable(w, snapshot.Purposes, slices.Values([]snapshot.OrgPurposes{{EIN: "070000002", Given: []string{"X"}}}))); err != nil {
			t.Fatal(err)
		}
		s, err := w.Publish(snapshot.Manifest{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := snapshot.Organization{EIN: "070000001", Name: "A"}, snapshot.Organization{EIN: "070000002", Name: "B"}
	n := 0
	for s, err := range Sources(t.Context(), write(a, b)) {
		if err != nil {
			t.Fatal(err)
		}
		if (s.Purposes != nil) != (s.Org.Name == "B") || s.Filing != nil || s.Funder != nil {
			t.Errorf("%+v", s)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d organizations", n)
	}
	for what, bad := range map[string][]snapshot.Organization{"no EIN": {{EIN: "x", Name: "A"}}, "no name": {{EIN: "070000001"}}, "out of order": {b, a}, "twice": {a, a}} {
		var last error
		for _, err := range Sources(t.Context(), write(bad...)) {
			last = err
		}
		if last == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}
