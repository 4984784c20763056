package identify

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot/mapped"
)

// member is an organization of the small world of these tests.
type member struct {
	name, city, state string
	others            []string
	calls             map[string]uint32 // names that filers use, and how many do
	out, in           int64
	filers, grantees  uint32
}

// troubled are organizations whose names have the troubles of real ones: a
// foundation named like a city, a university whose legal name nobody uses, six
// churches of one name, and a namesake with one grant.
var troubled = []member{
	{name: "THE ALBERT & CORA MARLOWE FOUNDATION", city: "LARKSPUR", state: "CA", out: 4_000_000_000, grantees: 2000},
	{name: "MARLOWE FOUNDATION", city: "DUNE", state: "OH", out: 1_000, grantees: 1},
	{name: "MARLOWE VOLUNTEER FIRE COMPANY", city: "MARLOWE", state: "NY"},
	{name: "PRESIDENT AND WARDENS OF ASHCOMBE COLLEGE", city: "ASHCOMBE", state: "MA", in: 300_000_000, filers: 60,
		calls: map[string]uint32{"ASHCOMBE UNIVERSITY": 50, "ASHCOMBE": 3}},
	{name: "ASHCOMBE HISTORICAL SOCIETY", city: "ASHCOMBE", state: "MA"},
	{name: "NATIONAL LIGHTHOUSE PRESERVATION LEAGUE", city: "PORTLAND", state: "ME", in: 90_000_000, filers: 30,
		others: []string{"BEACON KEEPERS OF AMERICA"}},
	{name: "NORTH LAKE PONY LEAGUE", city: "AKRON", state: "OH"},
	{name: "HLTH INC", city: "AKRON", state: "OH"},
	{name: "RUSHFORD FOUNDATION", city: "DUNE", state: "OH", out: 30_000_000, grantees: 50},
	{name: "GREENWAY CLUBS OF OHIO", city: "AKRON", state: "OH", in: 4_000_000, filers: 9},
	{name: "GREENWAY CLUBS OF NEVADA", city: "RENO", state: "NV", in: 1_000_000, filers: 5},
	{name: "GREENWAY CLUBS OF MAINE", city: "PORTLAND", state: "ME", in: 1_000_000, filers: 5},
}

// world makes an engine of the troubled organizations, six churches and many others
// whose names make common words common.
func world(t *testing.T) *Engine {
	t.Helper()
	list := slices.Clone(troubled)
	for _, city := range []string{"AKRON", "RENO", "DUNE", "PORTLAND", "BOISE", "SALEM"} {
		list = append(list, member{name: "ST JOHNS CHURCH", city: city, state: "OH", in: 50_000, filers: 2})
	}
	for i := range 600 {
		kind := []string{"FOUNDATION", "HEALTH", "CHURCH", "SOCIETY", "UNIVERSITY", "FUND"}[i%6]
		list = append(list, member{name: fmt.Sprintf("QUILL%c%c%c %s", 'A'+i%26, 'A'+i/26%26, 'A'+i*7%26, kind), city: "AKRON", state: "OH"})
	}
	b := &builder{ids: map[string]uint32{}, cities: map[string]uint32{"": 0}}
	b.cityStart = []uint32{0, 0}
	b.orgs = make([]orgRecord, len(list))
	l := &learner{orgs: make([]mentioned, len(list))}
	for i, m := range list {
		for name, filers := range m.calls {
			l.list = append(l.list, called{org: uint32(i), name: name, filers: filers, lines: filers, share: 1})
		}
	}
	for i, m := range list {
		b.orgs[i].EIN, b.orgs[i].Out, b.orgs[i].Grantees = uint32(100+i), m.out, m.grantees
		l.orgs[i] = mentioned{dollars: m.in, filers: m.filers}
		b.add(uint32(i), &orgRow{Name: m.name, AlsoKnown: m.others, City: m.city, State: m.state, Active: true}, l)
	}
	return newEngine(*b.index(), nil)
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	e := world(t)
	for _, c := range []struct {
		text, state string
		least, most Verdict
		want        string // the registered name of the first candidate
	}{
		{"Marlowe Foundation", "", Several, Certain, "THE ALBERT & CORA MARLOWE FOUNDATION"},
		{"Albert and Cora Marlowe", "", Likely, Certain, "THE ALBERT & CORA MARLOWE FOUNDATION"},
		{"Ashcombe University", "", Likely, Certain, "PRESIDENT AND WARDENS OF ASHCOMBE COLLEGE"},
		{"Ashcombe Univ.", "", Likely, Certain, "PRESIDENT AND WARDENS OF ASHCOMBE COLLEGE"},
		{"Ashcomeb University", "", Likely, Certain, "PRESIDENT AND WARDENS OF ASHCOMBE COLLEGE"},
		{"NLPL", "", Likely, Certain, "NATIONAL LIGHTHOUSE PRESERVATION LEAGUE"},
		{"Beacon Keepers of America", "", Likely, Certain, "NATIONAL LIGHTHOUSE PRESERVATION LEAGUE"},
		{"National Lighthouse Preservation League (formerly Beacon Keepers)", "", Likely, Certain, "NATIONAL LIGHTHOUSE PRESERVATION LEAGUE"},
		{"c/o Jane Smith, National Lighthouse Preservation League", "", Several, Certain, "NATIONAL LIGHTHOUSE PRESERVATION LEAGUE"},
		{"100", "", Nobody, Nobody, ""},
		{"00-0000105", "", Certain, Certain, "NATIONAL LIGHTHOUSE PRESERVATION LEAGUE"},
		{"ford foundation", "", Nobody, Several, ""},
		{"health", "", Nobody, Several, ""},
		{"Gramercy Ferret Rescue League", "", Nobody, Nobody, ""},
		{"St. John's Church", "", Several, Several, ""},
		{"Greenway Clubs", "", Several, Several, ""},
		{"Greenway Clubs", "NV", Likely, Certain, "GREENWAY CLUBS OF NEVADA"},
		{"Greenway Clubs of Nevada", "", Likely, Certain, "GREENWAY CLUBS OF NEVADA"},
		{"Greenway Clubs, NV", "", Likely, Certain, "GREENWAY CLUBS OF NEVADA"},
		{"", "", Nobody, Nobody, ""},
	} {
		a := e.Identify(context.Background(), Question{Text: c.text, State: c.state})
		first := ""
		if len(a.Candidates) > 0 && int(a.Candidates[0].Org) < len(troubled) {
			first = troubled[a.Candidates[0].Org].name
		}
		if a.Verdict < c.least || a.Verdict > c.most || c.want != "" && first != c.want {
			t.Errorf("%q is %s %q, not %s to %s %q: %+v", c.text, a.Verdict, first, c.least, c.most, c.want, a.Candidates)
		}
		sum := 0.0
		for i, k := range a.Candidates {
			if sum += k.Probability; i > 0 && k.Probability > a.Candidates[i-1].Probability {
				t.Errorf("%q: probabilities do not fall: %+v", c.text, a.Candidates)
			}
		}
		if sum > 1+1e-9 {
			t.Errorf("%q: the probabilities add up to %v", c.text, sum)
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	e := world(t)
	const lighthouse = 5
	if a := e.Without(Question{Text: troubled[lighthouse].name}, lighthouse); a.Verdict >= Likely {
		t.Errorf("a removed organization is taken for %+v", a.Candidates)
	}
}

// TestFile writes the index and reads it back.
func TestFile(t *testing.T) {
	t.Parallel()
	e := world(t)
	var b bytes.Buffer
	if err := e.write(&b); err != nil {
		t.Fatal(err)
	}
	f, err := mapped.Read(filepath.Join(t.TempDir(), "names.gg"), b.Bytes(), fileKind)
	if err != nil {
		t.Fatal(err)
	}
	c, err := readColumns(f)
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Text: "Ashcombe University"}
	got, want := newEngine(c, nil).Identify(context.Background(), q), e.Identify(context.Background(), q)
	if len(got.Candidates) == 0 || !slices.Equal(got.Candidates, want.Candidates) {
		t.Errorf("%+v, not %+v", got, want)
	}
}

func TestInitials(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"UNIVERSITY OF LOWER LARKSPUR AT DUNE": "ULL", "THE HERON CONSERVANCY": "THC", "SOCIETY FOR THE REPAIR OF OLD CLOCKS": "SROC",
	} {
		n := orgname.Parse(name)
		if got := initialsOf(name, &n); !slices.Contains(got, want) {
			t.Errorf("%s: %v has no %s", name, got, want)
		}
	}
}
