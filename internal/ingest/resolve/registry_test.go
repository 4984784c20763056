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
		"no state":                    {Recipient{Name1: "THE PANTRY ON RIVER STREET"}, found(Registry, 70000004)},
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

// TestStated covers names that filers state one EIN for in a state, beside what the register says.
func TestStated(t *testing.T) {
	t.Parallel()
	const (
		capital, elsewhere, tenant, group, central = ein.EIN(70000021), ein.EIN(70000022), ein.EIN(70000023), ein.EIN(70000024), ein.EIN(340000019)
		chapel, other, endowment                   = ein.EIN(70000026), ein.EIN(70000027), ein.EIN(70000028)
		mason, poets, garden, drama                = ein.EIN(340000001), ein.EIN(340000002), ein.EIN(340000003), ein.EIN(340000004)
	)
	at := Location{"5 PIER ST", "AKRON", "OH", "44301"}
	b := NewUniverse()
	for _, o := range []Org{
		{EIN: capital, Name: "CAPITAL AREA COUNSELING"}, {EIN: elsewhere, Name: "POETS IN SCHOOLS", State: "PA"},
		{EIN: tenant, Name: "GARDENS OF AKRON INTERNATIONAL", Street: at.Street, ZIP5: at.ZIP5},
		{EIN: group, Name: "PAPER LANTERN SOCIETY (GROUP RETURN)", City: at.City, ZIP5: at.ZIP5},
		{EIN: chapel, Name: "HILL CHAPEL", City: at.City, ZIP5: at.ZIP5},
		{EIN: endowment, Name: "QUARRY COLLEGE FOUNDATION"},
	} {
		o.Sources, o.Active = BMF, true
		if o.State == "" {
			o.State = "OH"
		}
		b.Add(o)
	}
	file := func(name string, filed ein.EIN, state string, funders ...ein.EIN) {
		for _, f := range funders {
			b.AddFiled(FiledRecipient{filed, orgname.Key(name), name, Location{City: at.City, State: state}}, 80000000+f)
		}
	}
	file("MASON UNIVERSITY", mason, "OH", 1)
	file("POETS IN SCHOOLS", poets, "OH", 1)
	file("GARDENS OF AKRON", garden, "OH", 1)
	file("PAPER LANTERN SOCIETY", central, "OH", 1)
	file("HILL CHAPEL", other, "OH", 1, 2)
	file("BOYS CLUB OF LIMA", capital, "OH", 1)
	file("QUARRY COLLEGE", endowment, "OH", 1)
	file("DRAMA LEAGUE", drama, "OH", 1)
	file("FIREFLY MUSEUM", drama, "OH", 2)
	file("TWO MINDS", 340000005, "OH", 3)
	file("TWO MINDS", 340000006, "OH", 4)
	r := New(b.Build(), Options{})
	for name, c := range map[string]struct {
		line Recipient
		want Match
	}{
		"one funder, nobody else bears it": {Recipient{Name1: "Mason University", City: "Lima", State: "OH"}, found(Registry, mason)},
		"in another state":                 {Recipient{Name1: "Mason University", State: "PA"}, Match{}},
		"no state":                         {Recipient{Name1: "Mason University"}, found(Registry, mason)},
		"own EIN":                          {Recipient{Name1: "Mason University", State: "OH", Filed: poets}, found(Filed, poets)},
		"one funder, a namesake elsewhere": {Recipient{Name1: "Poets in Schools", State: "OH"}, Match{}},
		"the tenant of the address":        {Recipient{Name1: "Gardens of Akron", Street: at.Street, City: at.City, State: "OH", ZIP: at.ZIP5}, found(Registry, garden)},
		"a group return":                   {Recipient{Name1: "Paper Lantern Society", City: at.City, State: "OH", ZIP: at.ZIP5}, found(Registry, central)},
		"two funders and the register":     {Recipient{Name1: "Hill Chapel", City: at.City, State: "OH", ZIP: at.ZIP5}, found(Registry, other)},
		"the register elsewhere":           {Recipient{Name1: "Hill Chapel", City: "Lima", State: "OH"}, found(Name, chapel)},
		"registered under another name":    {Recipient{Name1: "Boys Club of Lima", State: "OH"}, Match{}},
		"the foundation of the college":    {Recipient{Name1: "Quarry College", State: "OH"}, Match{}},
		"stated for two organizations":     {Recipient{Name1: "Drama League", State: "OH"}, Match{}},
		"two EINs":                         {Recipient{Name1: "Two Minds", State: "OH"}, Match{}},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %v %s, want %v %s", name, got.EIN, got.Rule, c.want.EIN, c.want.Rule)
		}
	}
	line := Recipient{Name1: "Mason University", State: "OH"}
	if got := r.ResolveBlind(&line, parse(&line), 80000001, ein.None); got != (Match{}) {
		t.Errorf("the funder's own statement answers for it: %+v", got)
	}
	if r.Stated("HILLCHAPEL", other, 80000001) != 1 {
		t.Error("the funder left out is counted")
	}
}
