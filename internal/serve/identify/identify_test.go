package identify

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

// member is an organization of the small world of these tests.
type member struct {
	name, city, state string
	others            []string
	calls             map[string]uint32 // names that filers use, and how many do
	near              string            // a name on grants to its address
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
	{name: "FOUNDATION FOR TIDAL PROGRESS", city: "PORTLAND", state: "ME", in: 3_000_000, filers: 4, near: "MOTHER HERON"},
	{name: "HERON MISSION SERVICES", city: "PORTLAND", state: "ME", in: 3_000_000, filers: 4, near: "HERON MISSION OF TRUE SHORES"},
	{name: "LARKSPUR UNIVERSITY AKRON", city: "DUNE", state: "OH", in: 30_000_000, filers: 20},
	{name: "OSPREYTOWN FOR BIRD SAFETY ACTION FUND", city: "RENO", state: "NV", in: 20_000_000, filers: 8},
	{name: "WXQL", city: "DUNE", state: "OH", in: 2_000_000, filers: 3, near: "FERN HOLLOW WATCH"},
	{name: "OQT ALLIANCE", city: "DUNE", state: "OH", in: 2_000_000, filers: 3, near: "FERN HOLLOW WATCHERS"},
	{name: "ALDER GROVE CHILDREN HOSPITAL FOUNDATION", city: "DUNE", state: "OH", in: 2_000_000, filers: 3},
	{name: "VANTERPOOL FOUNDATION", city: "DUNE", state: "OH", out: 900_000_000, grantees: 300},
	{name: "NORTH LAKE PONY LEAGUE", city: "AKRON", state: "OH"},
	{name: "HLTH INC", city: "AKRON", state: "OH"},
	{name: "RUSHFORD FOUNDATION", city: "DUNE", state: "OH", out: 30_000_000, grantees: 50},
	{name: "TIDAL KITCHEN ALLIANCE", city: "DUNE", state: "OH", in: 900_000_000, filers: 25, near: "QUAIL UNION OF NORTH YARROW"},
	{name: "AMOS REED GARDNER FOUNDATION", city: "DUNE", state: "OH", out: 3_000_000_000, grantees: 2000},
	{name: "GREENWAY CLUBS OF OHIO", city: "AKRON", state: "OH", in: 4_000_000, filers: 9},
	{name: "GREENWAY CLUBS OF NEVADA", city: "RENO", state: "NV", in: 1_000_000, filers: 5},
	{name: "GREENWAY CLUBS OF MAINE", city: "PORTLAND", state: "ME", in: 1_000_000, filers: 5},
}

// world makes an engine of the troubled organizations, six churches and many others
// whose names make common words common.
func world(t testing.TB) *Engine {
	t.Helper()
	list := slices.Clone(troubled)
	for _, city := range []string{"AKRON", "RENO", "DUNE", "PORTLAND", "BOISE", "SALEM"} {
		list = append(list, member{name: "ST JOHNS CHURCH", city: city, state: "OH", in: 50_000, filers: 2})
	}
	for i := range 30 {
		list = append(list, member{name: fmt.Sprintf("GARDNER %c%c SOCIETY", 'B'+i%20, 'C'+i), city: "BOISE", state: "ID"})
	}
	for i := range 600 {
		kind := []string{"FOUNDATION", "HEALTH", "CHURCH", "SOCIETY", "UNIVERSITY", "FUND"}[i%6]
		list = append(list, member{name: fmt.Sprintf("QUILL%c%c%c %s", 'A'+i%26, 'A'+i/26%26, 'A'+i*7%26, kind), city: "AKRON", state: "OH"})
	}
	b := newBuilder(len(list))
	l := &learner{orgs: make([]mentioned, len(list))}
	for i, m := range list {
		for name, filers := range m.calls {
			l.list = append(l.list, called{org: uint32(i), name: name, filers: filers, lines: filers, share: 1})
		}
		if m.near != "" {
			l.list = append(l.list, called{org: uint32(i), name: m.near, filers: 2, share: 1, near: true})
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
		{"Mother Heron", "", Several, Several, "FOUNDATION FOR TIDAL PROGRESS"}, // an address is no proof
		{"Fern Hollow Watch", "", Nobody, Nobody, ""},                           // a neighbor of two in one house
		{"QUNY", "", Nobody, Several, ""},                                       // nor are its initials
		{"Gardner", "", Nobody, Several, ""},                                    // a common word inside of a name
		{"Reed Gardner Foundation", "", Likely, Certain, "AMOS REED GARDNER FOUNDATION"},
		{"Heron Mission of True Shores", "", Likely, Certain, "HERON MISSION SERVICES"}, // beside a name that begins alike it is
		{"Larkspur University", "", Several, Likely, "LARKSPUR UNIVERSITY AKRON"},       // other campuses may be missing
		{"Ospreytown", "", Nobody, Certain, "OSPREYTOWN FOR BIRD SAFETY ACTION FUND"},
		{"XQL", "", Several, Certain, "WXQL"}, // a call sign
		{"Owls of Quiet Towns Alliance", "", Several, Certain, "OQT ALLIANCE"},
		{"National Lighthouse Preservation League NLPL", "", Likely, Certain, "NATIONAL LIGHTHOUSE PRESERVATION LEAGUE"},
		{"Alder Grove Children's Hospital", "", Nobody, Several, ""}, // its foundation is another organization
		{"HeronMission Services", "", Likely, Certain, "HERON MISSION SERVICES"},
		{"Vanterpool", "", Likely, Certain, "VANTERPOOL FOUNDATION"},
		{"", "", Nobody, Nobody, ""},
	} {
		a := e.Identify(context.Background(), Question{Text: c.text, State: c.state}, View{})
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
	read, err := readEngine(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Text: "Ashcombe University"}
	got, want := read.Identify(context.Background(), q, View{}), e.Identify(context.Background(), q, View{})
	if len(got.Candidates) == 0 || !slices.Equal(got.Candidates, want.Candidates) {
		t.Errorf("%+v, not %+v", got, want)
	}
}

// readEngine reads an index that is in memory.
func readEngine(data []byte) (*Engine, error) {
	var c columns
	_, err := mapped.FromBytes(fileKind, data, func(f *mapped.File) int { c.lay(mapped.Layout{From: f}); return 0 })
	if err != nil {
		return nil, err
	}
	return newEngine(c, nil), nil
}

// FuzzDamage changes a number anywhere in a section, with checksums to match: the
// file is refused or answers something, and never panics.
func FuzzDamage(f *testing.F) {
	var b bytes.Buffer
	if err := world(f).write(&b); err != nil {
		f.Fatal(err)
	}
	sound := b.Bytes()
	for i := range 40 {
		f.Add(uint32(i*97), uint32(0xffffffff>>(i%32)))
	}
	f.Fuzz(func(t *testing.T, at, value uint32) {
		left := int(at)
		data := mappedtest.Rewrite(t, fileKind, sound, func(_ string, body []byte) ([]byte, bool) {
			if left >= 0 && left+4 <= len(body) {
				binary.LittleEndian.PutUint32(body[left:], value)
			}
			left -= len(body)
			return body, true
		})
		e, err := readEngine(data)
		if err != nil {
			return
		}
		for _, text := range []string{"foundation", "marlow fondation", "chur", "nlpl", "000000105", "Greenway Clubs of Nevada"} {
			e.Identify(context.Background(), Question{Text: text, Limit: 200}, View{All: true})
		}
	})
}

// TestHostileQuestions bounds the work on texts made to be slow.
func TestHostileQuestions(t *testing.T) {
	t.Parallel()
	e := world(t)
	odd := make([]uint64, len(e.orgs)/64+1)
	for i := range odd {
		odd[i] = 0xaaaaaaaaaaaaaaaa
	}
	for _, text := range []string{
		strings.Repeat("foundation ", 10_000), strings.Repeat("church society university health fund ", 500), strings.Repeat("a ", 100_000),
		strings.Repeat("x", 1_000_000), strings.Repeat("quillabcz ", 1000), "b c d e f g h i j k l m n o p q r s t",
		"f", "fo", "a b", "of the and", strings.Repeat("(", 10_000), strings.Repeat("dba ", 1000), "%" + strings.Repeat("\xff", 5000),
	} {
		for _, within := range [][]uint64{nil, odd} {
			a := e.Identify(context.Background(), Question{Text: text, Limit: 200}, View{All: true, Within: within})
			s := <-e.searches
			if s.work > 3*maxWork/2 || len(s.found) > 20_000 || len(a.Candidates) > 200 {
				t.Errorf("%.40q took %d steps and found %d names", text, s.work, len(s.found))
			}
			e.searches <- s
			for _, c := range a.Candidates {
				if !has(within, c.Org) {
					t.Errorf("%.40q finds an organization that is not asked for", text)
				}
			}
		}
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

// TestUnproven holds that a name which a single filer gives to an EIN whose registered
// name is very different is learned, unless it is the name of another organization.
func TestUnproven(t *testing.T) {
	t.Parallel()
	l := &learner{orgs: make([]mentioned, 2), loose: map[uint64]mentioned{hash.Of(orgname.Key("GREEN ANVIL")): {dollars: 5_000_000, filers: 3},
		hash.Of(orgname.Key("BLUE HAMMER")): {}}, list: []called{
		{org: 0, name: "GREEN ANVIL", filers: 1, share: 1, doubt: true}, {org: 0, name: "BLUE HAMMER", filers: 1, share: 1, doubt: true}}}
	b := newBuilder(2)
	for i, name := range []string{"FREEDOM FOR ALL", "GREEN ANVIL"} {
		b.orgs[i].EIN = uint32(100 + i)
		b.add(uint32(i), &orgRow{Name: name, Active: true}, l)
	}
	e := newEngine(*b.index(), nil)
	for text, want := range map[string]uint32{"Green Anvil": 1, "Blue Hammer": 0} {
		if a := e.Identify(context.Background(), Question{Text: text}, View{}); len(a.Candidates) == 0 || a.Candidates[0].Org != want {
			t.Errorf("%s: %+v", text, a)
		}
	}
	if e.orgs[1].Filers != 3 {
		t.Error("grants without an EIN do not count for the only organization with their name")
	}
}

// TestMistyped holds that an EIN which only filers know, one slip away from that of an
// organization with the same name, is that organization.
func TestMistyped(t *testing.T) {
	t.Parallel()
	l := &learner{orgs: []mentioned{{filers: 9}, {filers: 1}, {filers: 1}}}
	b := newBuilder(3)
	for i, e := range []uint32{170000345, 170000435, 170000699} {
		sources := snapshot.SourceLine
		if i == 0 {
			sources = snapshot.SourceBMF
		}
		b.orgs[i].EIN = e
		b.add(uint32(i), &orgRow{Name: "LARKSPUR CLOCK MUSEUM", Sources: int32(sources), Active: true}, l)
	}
	a := newEngine(*b.index(), nil).Identify(context.Background(), Question{Text: "Larkspur Clock Museum"}, View{})
	if len(a.Candidates) != 2 || a.Candidates[0].EIN != 170000345 || a.Candidates[1].EIN != 170000699 {
		t.Errorf("%+v", a)
	}
}

// TestNamesakes holds that the better known of two organizations with one name is not
// certain: their grants say little about which is meant.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	l := &learner{orgs: []mentioned{{dollars: 3_000_000, filers: 5}, {dollars: 30_000, filers: 1}}}
	b := newBuilder(2)
	for i := range l.orgs {
		b.orgs[i].EIN = uint32(170000100 + 57*i)
		b.add(uint32(i), &orgRow{Name: "LARKSPUR CLOCK MUSEUM", Active: true}, l)
	}
	a := newEngine(*b.index(), nil).Identify(context.Background(), Question{Text: "Larkspur Clock Museum"}, View{})
	if a.Verdict > Likely || len(a.Candidates) != 2 || a.Candidates[0].Org != 0 {
		t.Errorf("%+v", a)
	}
}

// BenchmarkIdentify identifies names among two million invented organizations.
func BenchmarkIdentify(b *testing.B) {
	const orgs = 2_000_000
	kinds := strings.Fields("FOUNDATION HEALTH CHURCH SOCIETY UNIVERSITY FUND SCHOOL CENTER CLUB MUSEUM")
	w := newBuilder(orgs)
	l := &learner{orgs: make([]mentioned, orgs)}
	word := func(i int) string {
		return fmt.Sprintf("%c%c%cEL%c", 'A'+i%26, 'A'+i/26%26, 'A'+i/676%26, 'A'+i/17576%26)
	}
	name := func(i int) string {
		return word(i*7919%40_000) + " " + word(i*104_729%9_000) + " " + kinds[i%len(kinds)] + " OF " + word(i%700)
	}
	for i := range orgs {
		w.orgs[i].EIN = uint32(i + 1)
		l.orgs[i] = mentioned{dollars: int64(i%997) * 10_000, filers: uint32(i % 13)}
		w.add(uint32(i), &orgRow{Name: name(i), City: "AKRON", State: "OH", Active: true}, l)
	}
	e := newEngine(*w.index(), nil)
	b.ReportAllocs()
	start := processor(b)
	for i := 0; b.Loop(); i++ {
		text := name(i * 7_411 % orgs)
		switch i % 3 {
		case 1:
			text = text[:strings.LastIndex(text, " OF ")] // a short form
		case 2:
			text = text[1:] // a slip
		}
		e.Identify(context.Background(), Question{Text: text}, View{})
	}
	b.ReportMetric(float64(processor(b)-start)/float64(b.N), "cpu-ns/op")
}

// processor is the processor time that the process has taken, which a busy machine
// does not lengthen.
func processor(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
