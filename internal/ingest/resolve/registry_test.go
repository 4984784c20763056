package resolve

import (
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// registryUniverse has organizations that filers know under other names. Each
// statement is a name, an EIN, a state and the funders that file it, one line
// each.
func registryUniverse() *Universe {
	b := NewUniverse()
	for _, o := range []Org{
		{EIN: 70000001, Name: "LAKESHORE BROADCASTING COMPANY", State: "OH", ZIP5: "44101"},
		{EIN: 70000002, Name: "GRACE CHAPEL", State: "OH"},
		{EIN: 70000003, Name: "GRACE CHAPEL", State: "OH"},
		{EIN: 70000004, Name: "RIVER FOOD BANK", State: "PA"},
		{EIN: 70000005, Name: "VETERANS LEAGUE POST 9", State: "OH"},
		{EIN: 80000001, Name: "GIVING FOUNDATION", State: "OH"},
	} {
		o.Sources, o.Active = BMF, true
		b.Add(o)
	}
	file := func(name string, filed ein.EIN, state string, funders ...ein.EIN) {
		for _, f := range funders {
			b.AddFiled(FiledRecipient{filed, orgname.Key(name), name, Location{State: state}}, 80000000+f)
		}
	}
	file("PUBLIC RADIO BY THE LAKE", 70000001, "OH", 1, 2, 3)
	file("GRACE CHAPEL", 70000003, "OH", 1, 2, 3, 4, 5)
	file("PRN", 70000001, "OH", 1, 2, 3, 4, 5)
	file("THE PANTRY ON RIVER STREET", 70000004, "PA", 1, 1, 1, 1, 1)
	file("TWICE SAID", 70000001, "OH", 1, 2)
	file("BOTH OF THEM", 70000001, "OH", 1, 2, 3)
	file("BOTH OF THEM", 70000004, "OH", 4, 5, 6)
	file("ONE IN EACH", 70000001, "OH", 1, 2, 3, 4)
	file("ONE IN EACH", 70000004, "PA", 5, 6, 7, 8)
	file("OFTEN RIGHT", 70000001, "OH", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	file("OFTEN RIGHT", 70000004, "OH", 11)
	file("VETERANS LEAGUE POST 7", 70000005, "OH", 1, 2, 3)
	file("THE GIVERS", 80000001, "OH", 2, 3, 4)
	file("NEVER ISSUED", 190000001, "OH", 1, 2, 3)
	return b.Build()
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	r := New(registryUniverse(), Options{})
	for name, c := range map[string]struct {
		line Recipient
		want Match
	}{
		"three funders":               {Recipient{Name1: "Public Radio by the Lake", State: "OH"}, found(Registry, 70000001)},
		"one funder, five lines":      {Recipient{Name1: "PANTRY ON RIVER STREET", State: "PA"}, found(Registry, 70000004)},
		"two lines only":              {Recipient{Name1: "TWICE SAID", State: "OH"}, Match{}},
		"another state":               {Recipient{Name1: "PUBLIC RADIO BY THE LAKE", State: "VT"}, Match{}},
		"no state":                    {Recipient{Name1: "PUBLIC RADIO BY THE LAKE"}, Match{}},
		"acronym":                     {Recipient{Name1: "PRN", State: "OH"}, found(Registry, 70000001)},
		"acronym elsewhere":           {Recipient{Name1: "PRN", State: "PA"}, Match{}},
		"one of two namesakes":        {Recipient{Name1: "GRACE CHAPEL", State: "OH"}, found(RegistryDominant, 70000003)},
		"two EINs in the balance":     {Recipient{Name1: "BOTH OF THEM", State: "OH"}, Match{}},
		"one in each state":           {Recipient{Name1: "ONE IN EACH", State: "PA"}, found(RegistryDominant, 70000004)},
		"one in each, a third state":  {Recipient{Name1: "ONE IN EACH", State: "VT"}, Match{}},
		"the odd one is a slip":       {Recipient{Name1: "OFTEN RIGHT", State: "OH"}, found(Registry, 70000001)},
		"another number":              {Recipient{Name1: "VETERANS LEAGUE POST 7", State: "OH"}, Match{}},
		"a prefix that never was":     {Recipient{Name1: "NEVER ISSUED", State: "OH"}, Match{}},
		"abroad":                      {Recipient{Name1: "PUBLIC RADIO BY THE LAKE", Country: "UK"}, Match{}},
		"the funder, for all to find": {Recipient{Name1: "THE GIVERS", State: "OH"}, found(Registry, 80000001)},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %v %s, want %v %s", name, got.EIN, got.Rule, c.want.EIN, c.want.Rule)
		}
	}
	line := Recipient{Name1: "THE GIVERS", State: "OH"}
	n := parse(&line)
	if got := r.ForFunder(&line, n, r.Resolve(&line, n), 80000001, "GIVINGFOUNDATION"); got != (Match{}) {
		t.Errorf("the funder found itself: %+v", got)
	}
}

// One word that many organizations bear is nobody's alias.
func TestRegistryGenericWord(t *testing.T) {
	t.Parallel()
	b := NewUniverse()
	states := []string{"OH", "PA", "VT"}
	for i := range 24 {
		b.Add(Org{EIN: ein.EIN(70000100 + i), Name: "LIBRARY", State: states[i%3], Sources: BMF, Active: true})
	}
	for f := range ein.EIN(20) {
		b.AddFiled(FiledRecipient{70000100, "LIBRARY", "LIBRARY", Location{State: "OH"}}, 80000001+f)
	}
	r := New(b.Build(), Options{})
	line := Recipient{Name1: "LIBRARY", State: "OH"}
	if got := r.Resolve(&line, parse(&line)); got != (Match{}) {
		t.Errorf("got %+v", got)
	}
}

// A funder that writes two states for a body no list knows is still one funder.
func TestBelievedCountsFundersOnce(t *testing.T) {
	t.Parallel()
	b := NewUniverse()
	file := func(funder ein.EIN, state string) {
		b.AddFiled(FiledRecipient{340000009, "OLDSTATEUNIVERSITY", "OLD STATE UNIVERSITY", Location{State: state}}, 80000000+funder)
	}
	file(1, "OH")
	file(2, "OH")
	file(1, "PA")
	file(2, "PA")
	file(3, "PA")
	r := New(b.Build(), Options{})
	if !r.Knows(340000009, 80000004) {
		t.Error("three funders are not believed")
	}
	if r.Knows(340000009, 80000003) {
		t.Error("two funders are believed without the third")
	}
}

// What a filer says counts for the state it means, however that is written.
func TestRegistryReadsStates(t *testing.T) {
	t.Parallel()
	b := NewUniverse()
	b.Add(Org{EIN: 70000001, Name: "LAKESHORE BROADCASTING COMPANY", State: "PA", Sources: BMF, Active: true})
	for i, state := range []string{"oh", "Ohio", "OH"} {
		b.AddFiled(FiledRecipient{70000001, "RADIOBYLAKE", "RADIO BY THE LAKE", Location{State: state}}, 80000001+ein.EIN(i))
	}
	r := New(b.Build(), Options{})
	line := Recipient{Name1: "RADIO BY THE LAKE", State: "OH"}
	if got := r.Resolve(&line, parse(&line)); got != found(Registry, 70000001) {
		t.Errorf("got %+v", got)
	}
}
