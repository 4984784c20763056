package resolve

import (
	"fmt"
	"strings"
	"testing"

	"grantgraph/internal/ein"
)

// TestTryRules switches off a rule that labels show to be wrong, and no other.
func TestTryRules(t *testing.T) {
	t.Parallel()
	b := NewUniverse()
	var labels []Label
	for i := range 400 {
		at := Location{fmt.Sprintf("%d ELM ST", i+1), "AKRON", "OH", "44301"}
		named := ein.EIN(70000001 + 10*i)
		b.Add(Org{EIN: named, Name: "HOUSE OF " + coin(i), Street: at.Street, City: at.City, State: at.State, ZIP5: at.ZIP5, Sources: BMF, Active: true})
		// The only tenant of the address shares a rare word with the line, but
		// another is meant.
		meant := ein.EIN(71000001 + 10*i)
		b.Add(Org{EIN: meant, Name: fmt.Sprintf("SOMETHING ELSE %d", i), City: "LIMA", State: "OH", ZIP5: "45801", Sources: BMF, Active: true})
		right := Recipient{Name1: "HOUSE OF " + coin(i), State: "OH"}
		wrong := Recipient{Name1: "FRIENDLY HOUSE OF " + coin(i), Street: at.Street, State: "OH", ZIP: "44301"}
		labels = append(labels, Label{Recipient: right, Name: parse(&right), Funder: funder, Truth: named},
			Label{Recipient: wrong, Name: parse(&wrong), Funder: funder, Truth: meant})
	}
	trials := New(b.Build(), Options{}).TryRules(labels)
	for _, tr := range trials {
		if tr.Off != (tr.Rule == Street) {
			t.Errorf("%s is right in %d of %d, off %v", tr.Rule, tr.Right, tr.Answers, tr.Off)
		}
	}
	if len(trials) < 2 {
		t.Errorf("trials %+v", trials)
	}
}

// TestOff lets the lines of a rule that is off fall to the next.
func TestOff(t *testing.T) {
	t.Parallel()
	u := placeUniverse()
	line := Recipient{Name1: "QPC", Street: "30 STONE AVE", State: "OH", ZIP: "44304"}
	n := parse(&line)
	if got := New(u, Options{}).Resolve(&line, n); got.Rule != Address {
		t.Fatalf("by %s", got.Rule)
	}
	if got := New(u, Options{Off: []Rule{Address}}).Resolve(&line, n); got.Rule == Address {
		t.Error("a rule that is off fires")
	}
}

// TestAssisted puts a model's rulings between fuzzy and registry, and never
// above what is better founded.
func TestAssisted(t *testing.T) {
	t.Parallel()
	o, err := ReadAssisted(strings.NewReader(overrideHeader+
		"PUBLICRADIOBYLAKE,,,,,07-0000004,set,checked against their site,https://example.org,some-model,2026-01-02\n"+
		"GRACECHAPEL,,,,,07-0000002,set,a guess,,some-model,2026-01-02\n"+
		"GIVERS,,,,08-0000009,07-0000004,set,this funder means another,,some-model,2026-01-02\n"+
		"BOTHTHEM,OH,,,,,none,two bodies,,some-model,2026-01-02\n"), "model.csv")
	if err != nil {
		t.Fatal(err)
	}
	u := registryUniverse()
	if err := o.Check(u); err != nil {
		t.Fatal(err)
	}
	r := New(u, Options{Assisted: o})
	for name, c := range map[string]struct {
		line Recipient
		want Match
	}{
		"before the registry":        {Recipient{Name1: "PUBLIC RADIO BY THE LAKE", State: "OH"}, found(OverrideLLM, 70000004)},
		"after registry-dominant":    {Recipient{Name1: "GRACE CHAPEL", State: "OH"}, found(RegistryDominant, 70000003)},
		"after what was filed":       {Recipient{Name1: "PUBLIC RADIO BY THE LAKE", State: "OH", Filed: 70000001}, found(Filed, 70000001)},
		"abroad":                     {Recipient{Name1: "PUBLIC RADIO BY THE LAKE", Country: "CA"}, found(OverrideLLM, 70000004)},
		"nobody":                     {Recipient{Name1: "BOTH OF THEM", State: "OH"}, Match{Barred: true}},
		"one funder's, asked of all": {Recipient{Name1: "THE GIVERS", State: "OH"}, found(Registry, 80000001)},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	line := Recipient{Name1: "THE GIVERS", State: "OH"}
	n := parse(&line)
	if got := r.ForFunder(&line, n, r.Resolve(&line, n), 80000009, ""); got != found(OverrideLLM, 70000004) {
		t.Errorf("for its funder: %+v", got)
	}
	if got := r.Funders(); len(got) != 1 || got[0] != 80000009 {
		t.Errorf("funders ruled on: %v", got)
	}
	for name, row := range map[string]string{
		"an EIN nobody knows": "A,,,,,13-0000001,set_unknown,reason,,some-model,2026-01-02\n",
		"no author":           "A,,,,,07-0000001,set,reason,,,2026-01-02\n",
		"no date":             "A,,,,,07-0000001,set,reason,,some-model,\n",
	} {
		if _, err := ReadAssisted(strings.NewReader(overrideHeader+row), "model.csv"); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
