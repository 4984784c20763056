package resolve

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
)

func TestRules(t *testing.T) {
	t.Parallel()
	want := []struct {
		name string
		prob float64
	}{
		{"filed", .995}, {"override_human", .99}, {"override_keyerror", .98}, {"name", .97}, {"registry-dominant", .97}, {"fuzzy", .961},
		{"override_llm", .95}, {"registry", .944}, {"address", .944}, {"zip", .934}, {"street", .834}, {"model", 0},
	}
	all := grant.Rules()
	if len(all) != len(want) {
		t.Fatalf("%d rules", len(all))
	}
	for i, r := range all {
		if r.String() != want[i].name || r.Prob() != want[i].prob {
			t.Errorf("rule %d is %s with %v, want %s with %v", r, r, r.Prob(), want[i].name, want[i].prob)
		}
		if back, ok := grant.ParseRule(want[i].name); !ok || back != r {
			t.Errorf("%s reads as %v", want[i].name, back)
		}
	}
	if None.String() != "" || None.Prob() != 0 || Rule(200).String() != "" || Rule(200).Prob() != 0 {
		t.Error("no rule has a name or a probability")
	}
	if _, ok := grant.ParseRule(""); ok {
		t.Error("the empty name is no rule")
	}
}

const (
	lantern  = ein.EIN(70000001) // in Ohio
	harborOH = ein.EIN(70000002)
	harborPA = ein.EIN(70000003)
	churchA  = ein.EIN(70000004) // two of a name in Ohio
	churchB  = ein.EIN(70000005)
	closed   = ein.EIN(70000006) // inactive, Ohio, alone
	reborn   = ein.EIN(70000007) // active beside an inactive one
	ghost    = ein.EIN(70000008)
	unions   = ein.EIN(70000009) // goes by the university's name
	funder   = ein.EIN(80000001)
	unknown  = ein.EIN(130000001)
)

func testUniverse() *Universe {
	return build(
		Org{EIN: lantern, Name: "THE LANTERN HOUSE, INC.", Aliases: []string{"LAMPLIGHTERS OF EXAMPLE"}, State: "OH", Sources: BMF, Active: true},
		Org{EIN: harborOH, Name: "HARBOR LIGHTS", State: "OH", Sources: BMF, Active: true},
		Org{EIN: harborPA, Name: "HARBOR LIGHTS INC", State: "PA", Sources: BMF, Active: true},
		Org{EIN: churchA, Name: "FIRST CHURCH", State: "OH", Sources: BMF, Active: true},
		Org{EIN: churchB, Name: "1ST CHURCH", State: "OH", Sources: BMF, Active: true},
		Org{EIN: closed, Name: "SHUTTERED MILL SOCIETY", State: "OH", Sources: Revoked},
		Org{EIN: reborn, Name: "PHOENIX SCHOOL", State: "OH", Sources: BMF, Active: true},
		Org{EIN: ghost, Name: "PHOENIX SCHOOL", State: "OH", Sources: Revoked},
		Org{EIN: unions, Name: "PRAIRIE STATE UNIVERSITY ALUMNI CLUB", Aliases: []string{"PRAIRIE STATE UNIVERSITY"}, State: "OK", Sources: BMF, Active: true},
		Org{EIN: funder, Name: "GIVING FOUNDATION", State: "OH", Sources: BMF, Active: true},
	)
}

func parse(t *Recipient) *orgname.Name {
	n := orgname.ParseLine(t.Name1, t.Name2, t.City, t.State)
	return &n
}

func TestResolve(t *testing.T) {
	t.Parallel()
	r := New(testUniverse(), Options{})
	for name, c := range map[string]struct {
		line Recipient
		want Match
	}{
		"filed":                         {Recipient{Name1: "ANY", State: "OH", Filed: lantern}, found(Filed, lantern)},
		"filed, not in the universe":    {Recipient{Name1: "ANY", Filed: unknown}, found(Filed, unknown)},
		"filed, foreign line":           {Recipient{Name1: "ANY", Country: "UK", Filed: unknown}, found(Filed, unknown)},
		"filed, prefix never issued":    {Recipient{Name1: "LANTERN HOUSE", State: "OH", Filed: 190000001}, found(Name, lantern)},
		"name":                          {Recipient{Name1: "Lantern House", State: "OH"}, found(Name, lantern)},
		"name on two lines":             {Recipient{Name1: "LANTERN", Name2: "HOUSE", State: "OH"}, found(Name, lantern)},
		"state spelled out":             {Recipient{Name1: "Lantern House", State: "Ohio"}, found(Name, lantern)},
		"name in another state":         {Recipient{Name1: "LANTERN HOUSE", State: "VT"}, Match{}},
		"foreign line":                  {Recipient{Name1: "LANTERN HOUSE", Country: "UK"}, Match{}},
		"one in each state":             {Recipient{Name1: "HARBOR LIGHTS", State: "PA"}, found(Name, harborPA)},
		"two in the state":              {Recipient{Name1: "FIRST CHURCH", State: "OH"}, Match{}},
		"other name it is known by":     {Recipient{Name1: "LAMPLIGHTERS OF EXAMPLE", State: "OH"}, found(Name, lantern)},
		"alias of the line":             {Recipient{Name1: "EXAMPLE SHELTER DBA LANTERN HOUSE", State: "OH"}, found(Name, lantern)},
		"no state, unique":              {Recipient{Name1: "LANTERN HOUSE"}, found(Name, lantern)},
		"no state, two in the country":  {Recipient{Name1: "HARBOR LIGHTS"}, Match{}},
		"inactive, alone":               {Recipient{Name1: "SHUTTERED MILL SOCIETY", State: "OH"}, found(Name, closed)},
		"active beside inactive":        {Recipient{Name1: "PHOENIX SCHOOL", State: "OH"}, found(Name, reborn)},
		"club under its university":     {Recipient{Name1: "PRAIRIE STATE UNIVERSITY", State: "OK"}, Match{}},
		"club under its own name":       {Recipient{Name1: "PRAIRIE STATE UNIVERSITY ALUMNI CLUB", State: "OK"}, found(Name, unions)},
		"nothing":                       {Recipient{}, Match{}},
		"care-of line without a name":   {Recipient{Name1: "% LANTERN HOUSE", State: "OH"}, Match{}},
		"funder itself, nobody asks so": {Recipient{Name1: "GIVING FOUNDATION", State: "OH"}, found(Name, funder)},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestOneOfSeveral is about names that several organizations in the state bear,
// where one of them is meant all the same.
func TestOneOfSeveral(t *testing.T) {
	t.Parallel()
	const (
		college, lectures       = ein.EIN(70000011), ein.EIN(70000012)
		council, chapter, other = ein.EIN(70000013), ein.EIN(70000014), ein.EIN(70000015)
		lodge, sister           = ein.EIN(70000016), ein.EIN(70000017)
		homes, valley           = ein.EIN(70000018), ein.EIN(70000019)
		stranger                = ein.EIN(70000020)
	)
	orgs := []Org{
		{EIN: college, Name: "ELM COLLEGE", State: "OH", Sources: BMF, Active: true},
		{EIN: lectures, Name: "ANN EXAMPLE LECTURE TRUST FBO ELM COLLEGE", State: "OH", Sources: BMF, Active: true},
		// The chapters come before and after their centre in order of EIN.
		{EIN: chapter, Name: "OHIO 4-H COUNCIL", State: "OH", ZIP5: "43001", Group: "5931", Affiliation: "9", Sources: BMF, Active: true},
		{EIN: council, Name: "OHIO 4-H COUNCIL", State: "OH", ZIP5: "44101", Group: "5931", Affiliation: "6", Sources: BMF, Active: true},
		{EIN: other, Name: "OHIO 4-H COUNCIL INC", State: "OH", ZIP5: "44101", Group: "5931", Affiliation: "9", Sources: BMF, Active: true},
		{EIN: homes, Name: "HOMES FOR NEIGHBORS", Street: "1 ELM ST", State: "OH", ZIP5: "44101", Sources: BMF, Active: true},
		{EIN: valley, Name: "HOMES FOR NEIGHBORS VALLEY", Street: "77 MILL ROAD STE 2", State: "OH", ZIP5: "43001", Sources: BMF, Active: true},
		{EIN: lodge, Name: "GRAND LODGE", State: "OH", Group: "0042", Affiliation: "9", Sources: BMF, Active: true},
		{EIN: sister, Name: "GRAND LODGE", State: "OH", Group: "0042", Affiliation: "9", Sources: BMF, Active: true},
	}
	for name, c := range map[string]struct {
		line Recipient
		also []Org
		want Match
	}{
		"its own name, before a trust for its benefit":  {line: Recipient{Name1: "ELM COLLEGE", State: "OH"}, want: found(Name, college)},
		"its own name, twice":                           {line: Recipient{Name1: "ELM COLLEGE", State: "OH"}, also: []Org{{EIN: stranger, Name: "ELM COLLEGE", State: "OH", Sources: BMF, Active: true}}},
		"an active alias, before a closed one's name":   {line: Recipient{Name1: "ELM COLLEGE", State: "OH"}, also: []Org{{EIN: college, Name: "ELM COLLEGE", State: "OH", Sources: Revoked}}, want: found(Name, college)},
		"centre or chapter of a group":                  {line: Recipient{Name1: "OHIO 4-H COUNCIL", State: "OH"}, want: Match{}},
		"where centre and chapter both are":             {line: Recipient{Name1: "OHIO 4-H COUNCIL", State: "OH", ZIP: "44101"}, want: found(Name, council)},
		"where only a chapter is":                       {line: Recipient{Name1: "OHIO 4-H COUNCIL", State: "OH", ZIP: "43001"}, want: found(ZIP, chapter)},
		"a stranger of the name":                        {line: Recipient{Name1: "OHIO 4-H COUNCIL", State: "OH"}, also: []Org{{EIN: stranger, Name: "OHIO 4-H COUNCIL", State: "OH", Group: "0000", Affiliation: "3", Sources: BMF, Active: true}}},
		"at the address of one named at greater length": {line: Recipient{Name1: "HOMES FOR NEIGHBORS", Street: "77 Mill Rd", State: "OH", ZIP: "43001"}, want: found(Address, valley)},
		"at another address in its ZIP":                 {line: Recipient{Name1: "HOMES FOR NEIGHBORS", Street: "9 Oak Ave", State: "OH", ZIP: "43001"}, want: found(Name, homes)},
		"chapters without their centre":                 {line: Recipient{Name1: "GRAND LODGE", State: "OH"}},
		"two centres":                                   {line: Recipient{Name1: "GRAND LODGE", State: "OH"}, also: []Org{{EIN: lodge, Name: "GRAND LODGE", State: "OH", Group: "0042", Affiliation: "6", Sources: BMF, Active: true, AsOf: 1}, {EIN: stranger, Name: "GRAND LODGE", State: "OH", Group: "0042", Affiliation: "8", Sources: BMF, Active: true}}},
	} {
		r := New(build(append(slices.Clone(orgs), c.also...)...), Options{})
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestForFunder(t *testing.T) {
	t.Parallel()
	rulings := mustOverrides(t, `
LANTERNHOUSE,,,,08-0000001,07-0000002,set,this funder means the other
PAYFOUNDATION,,,,,08-0000001,set,the foundation itself
HARBORLIGHTS,,,,08-0000001,,none,a boat
`)
	r := New(testUniverse(), Options{Human: rulings})
	self := "GIVINGFOUNDATION"
	for name, c := range map[string]struct {
		line   Recipient
		funder ein.EIN
		want   Match
	}{
		"own EIN for another's name":         {Recipient{Name1: "PHOENIX SCHOOL", State: "OH", Filed: funder}, funder, found(Name, reborn)},
		"own EIN for no known name":          {Recipient{Name1: "NEVER HEARD OF", State: "OH", Filed: funder}, funder, Match{}},
		"own EIN for its own name":           {Recipient{Name1: "Giving Foundation", State: "OH", Filed: funder}, funder, found(Filed, funder)},
		"own EIN and no name":                {Recipient{Filed: funder}, funder, Match{}},
		"its own name, no EIN":               {Recipient{Name1: "GIVING FOUNDATION", State: "OH"}, funder, Match{}},
		"another funder pays it":             {Recipient{Name1: "GIVING FOUNDATION", State: "OH"}, unknown, found(Name, funder)},
		"ruling for this funder":             {Recipient{Name1: "LANTERN HOUSE", State: "OH"}, funder, found(OverrideHuman, harborOH)},
		"ruling for this funder beats filed": {Recipient{Name1: "LANTERN HOUSE", State: "OH", Filed: lantern}, funder, found(OverrideHuman, harborOH)},
		"ruling for another funder":          {Recipient{Name1: "LANTERN HOUSE", State: "OH"}, unknown, found(Name, lantern)},
		"ruling that there is none":          {Recipient{Name1: "HARBOR LIGHTS", State: "OH"}, funder, Match{Barred: true}},
		"ruling that names the funder":       {Recipient{Name1: "PAY TO THE FOUNDATION", State: "OH"}, funder, Match{}},
		"the same for another funder":        {Recipient{Name1: "PAY TO THE FOUNDATION", State: "OH"}, unknown, found(OverrideHuman, funder)},
		"no funder":                          {Recipient{Name1: "LANTERN HOUSE", State: "OH"}, ein.None, found(Name, lantern)},
	} {
		n := parse(&c.line)
		kx := ""
		if c.funder == funder {
			kx = self
		}
		if got := r.ForFunder(&c.line, n, r.Resolve(&c.line, n), c.funder, kx); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Whatever a line says: an EIN, a rule and a probability come together or not
// at all; no rule but filed finds the funder; a foreign line is found by what
// was stated only; and the answer does not depend on what was asked before.
func TestInvariants(t *testing.T) {
	t.Parallel()
	u := testUniverse()
	r := New(u, Options{Human: mustOverrides(t, "\n,,,07-0000003,,07-0000001,set,always mistyped\n")})
	rng := rand.New(rand.NewPCG(7, 7))
	names := []string{"LANTERN HOUSE", "HARBOR LIGHTS", "FIRST CHURCH", "GIVING FOUNDATION", "NOBODY", "", "PHOENIX SCHOOL", "X DBA LANTERN HOUSE"}
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	eins := []ein.EIN{ein.None, lantern, harborPA, funder, unknown, 190000001}
	answers := map[Recipient]Match{}
	for range 4000 {
		line := Recipient{Name1: pick(names...), State: pick("", "OH", "PA", "OK"), Country: pick("", "", "UK"), Filed: eins[rng.IntN(len(eins))]}
		n := parse(&line)
		m := r.ForFunder(&line, n, r.Resolve(&line, n), funder, "GIVINGFOUNDATION")
		if (m.EIN == ein.None) != (m.Rule == None) || (m.Rule == None) != (m.Prob == 0) {
			t.Errorf("%+v: %+v", line, m)
		}
		if m.EIN == funder && (m.Rule != Filed || n.KX != "GIVINGFOUNDATION") {
			t.Errorf("%+v found the funder: %+v", line, m)
		}
		if line.Country != "" && m.Rule > OverrideHuman {
			t.Errorf("%+v found abroad: %+v", line, m)
		}
		if before, ok := answers[line]; ok && before != m {
			t.Errorf("%+v: %+v, then %+v", line, before, m)
		}
		answers[line] = m
	}
}

func TestFiledNameConflict(t *testing.T) {
	t.Parallel()
	r := New(testUniverse(), Options{})
	for _, c := range []struct {
		name  string
		filed ein.EIN
		want  bool
	}{
		{"LANTERN HOUSE", lantern, false},
		{"LANTERN SHELTER", lantern, false},
		{"LAMPLIGHTERS", lantern, false},
		{"RIVER CONSERVANCY", lantern, true},
		{"RIVER CONSERVANCY", unknown, false},
		{"RIVER CONSERVANCY", ein.None, false},
		{"", lantern, false},
		{"PSUAC", unions, false},
		{"RIVER FOUNDATION", funder, true},
	} {
		line := Recipient{Name1: c.name, State: "OH", Filed: c.filed}
		if got := r.FiledNameConflict(&line, parse(&line)); got != c.want {
			t.Errorf("%q for %s: %v", c.name, c.filed, got)
		}
	}
}

func TestRecipID(t *testing.T) {
	t.Parallel()
	r := New(testUniverse(), Options{})
	id := func(line Recipient, party Party, funder ein.EIN) string {
		n := parse(&line)
		return r.RecipID(&line, n, r.Resolve(&line, n), party, funder)
	}
	org := func(line Recipient) string { return id(line, Organization, funder) }
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"spelling":                  {org(Recipient{Name1: "Quiet Garden, Inc.", State: "OH"}), org(Recipient{Name1: "THE QUIET GARDEN", State: "OH"}), true},
		"state":                     {org(Recipient{Name1: "QUIET GARDEN", State: "OH"}), org(Recipient{Name1: "QUIET GARDEN", State: "PA"}), false},
		"city, distinct name":       {org(Recipient{Name1: "QUIET GARDEN", State: "OH", City: "A"}), org(Recipient{Name1: "QUIET GARDEN", State: "OH", City: "B"}), true},
		"city, usual name":          {org(Recipient{Name1: "FIRST CHURCH", State: "OH", City: "A"}), org(Recipient{Name1: "FIRST CHURCH", State: "OH", City: "B"}), false},
		"city, one word":            {org(Recipient{Name1: "HOPE", State: "OH", City: "A"}), org(Recipient{Name1: "HOPE", State: "OH", City: "B"}), false},
		"person, other funder":      {id(Recipient{Name1: "A PERSON"}, Individual, 80000001), id(Recipient{Name1: "A PERSON"}, Individual, 80000002), false},
		"person, same funder":       {id(Recipient{Name1: "A PERSON"}, Individual, 80000001), id(Recipient{Name1: "A. Person", State: "OH"}, Individual, 80000001), true},
		"two persons":               {id(Recipient{Name1: "A PERSON"}, Individual, 80000001), id(Recipient{Name1: "B PERSON"}, Individual, 80000001), false},
		"placeholders of a funder":  {id(Recipient{Name1: "SEE LIST"}, Unidentified, 80000001), id(Recipient{Name1: "VARIOUS"}, Unidentified, 80000001), true},
		"placeholders of two":       {id(Recipient{Name1: "SEE LIST"}, Unidentified, 80000001), id(Recipient{Name1: "SEE LIST"}, Unidentified, 80000002), false},
		"no name is a placeholder":  {org(Recipient{State: "OH"}), id(Recipient{Name1: "SEE LIST"}, Unidentified, funder), true},
		"abroad, other city":        {org(Recipient{Name1: "QUIET GARDEN", Country: "UK", City: "A"}), org(Recipient{Name1: "QUIET GARDEN", Country: "UK", City: "B"}), true},
		"abroad, other country":     {org(Recipient{Name1: "QUIET GARDEN", Country: "UK"}), org(Recipient{Name1: "QUIET GARDEN", Country: "FR"}), false},
		"person abroad, two payers": {id(Recipient{Name1: "A PERSON", Country: "UK"}, Individual, 80000001), id(Recipient{Name1: "A PERSON", Country: "UK"}, Individual, 80000002), false},
	} {
		if (c.a == c.b) != c.same {
			t.Errorf("%s: %s and %s", name, c.a, c.b)
		}
	}
	// The ids are published, so their making must not change.
	for want, got := range map[string]string{
		"ein-070000001":           org(Recipient{Name1: "LANTERN HOUSE", State: "OH"}),
		"intl-uk-" + goldenIntl:   org(Recipient{Name1: "QUIET GARDEN", Country: "UK"}),
		"nm-" + goldenOrg:         org(Recipient{Name1: "QUIET GARDEN", State: "OH"}),
		"nm-" + goldenPerson:      id(Recipient{Name1: "A PERSON"}, Individual, 80000001),
		"nm-" + goldenPlaceholder: id(Recipient{Name1: "SEE LIST"}, Unidentified, 80000001),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if strings.ToLower(got) != got {
			t.Errorf("%s is not lower case", got)
		}
	}
}

const (
	goldenIntl        = "lvqeqi5bng"
	goldenOrg         = "fbb8f57b97b8"
	goldenPerson      = "ed2db6b57822"
	goldenPlaceholder = "3e9c94f41815"
)
