package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

// town is a small register of invented organizations.
func town(t testing.TB) *Index {
	t.Helper()
	m := func(v int64) *int64 { return &v }
	orgs := []member{
		{name: "THE HARTWELL FOUNDATION", city: "MEMPHIS", state: "TN", revenue: m(90_000_000), foundation: "04"},
		{name: "HARTWELL FAMILY FOUNDATION INC", city: "AUSTIN", state: "TX", revenue: m(1_000_000), foundation: "04"},
		{name: "HARTWELL FOUNDATION", city: "RENO", state: "NV", revenue: m(20_000), foundation: "04"},
		{name: "AMERICAN NATIONAL ORANGE CROSS", city: "WASHINGTON", state: "DC", revenue: m(3_000_000_000), aliases: []string{"ORANGE CROSS SOCIETY OF AMERICA"}},
		{name: "ORANGE GROVE CROSS COUNTRY CLUB", city: "ORANGE GROVE", state: "TX", revenue: m(9_000)},
		{name: "FIRST BAPTIST CHURCH OF TULSA", city: "TULSA", state: "OK"},
		{name: "FIRST BAPTIST CHURCH", city: "SALEM", state: "OR", revenue: m(400_000)},
		{name: "FIRST BAPTIST CHURCH", city: "DALLAS", state: "TX", revenue: m(40_000_000)},
		{name: "YOUNG MENS CHRISTIAN ASSOCIATION OF LARKSPUR", city: "LARKSPUR", state: "CA", revenue: m(5_000_000)},
		{name: "Y M C A OF GREATER MAPLETON INC", city: "MAPLETON", state: "UT", revenue: m(4_000_000)},
		{name: "SAINT BRENDAN'S HOSPITAL & HEALTH CENTER", city: "PORTLAND", state: "ME", revenue: m(70_000_000)},
		{name: "LEAGUE FOR THE ADVANCEMENT OF RURAL KIDS (LARK)", city: "AMES", state: "IA", revenue: m(800_000)},
		{name: "BOYS AND GIRLS CLUB OF LA PLATACOUNTY", city: "DURANGO", state: "CO", revenue: m(600_000)},
		{name: "AMERICAN LEGION POST 7", city: "BOISE", state: "ID"},
		{name: "AMERICAN LEGION POST 9", city: "NAMPA", state: "ID"},
		{name: "HABITAT FOR PEOPLE", city: "TULSA", state: "OK"},
		{name: "HABITAT FOR PEOPLE INTERNATIONAL INC", city: "ATLANTA", state: "GA", revenue: m(300_000_000)},
		{name: "COMMUNITY FOOD BANK OF EASTERN OKLAHOMA", city: "TULSA", state: "OK", revenue: m(50_000_000), ntee: "K31"},
		{name: "UNIVERSITY OF NORTHERN WYOMING FOUNDATION", city: "SHERIDAN", state: "WY", revenue: m(10_000_000), aliases: []string{"WYOMING NORTHERN COLLEGE FUND"}},
		{name: "VESPER HILL CHAPEL INC", city: "BEND", state: "OR"},
		{name: "VESPER HILL CHAPEL", city: "RENO", state: "NV"},
		{name: "QUILLON ARTS CORP", city: "BEND", state: "OR", revenue: m(30_000)},
		{name: "QUILLON ARTS INC", city: "RENO", state: "NV", revenue: m(60_000_000)},
		{name: "ZÜRCHER KULTURVEREIN", city: "NEW GLARUS", state: "WI"},
	}
	for i := range orgs {
		orgs[i].ein = ein.EIN(70_000_0001 + i*11)
	}
	return indexOf(t, orgs)
}

func TestFind(t *testing.T) {
	t.Parallel()
	x := town(t)
	for _, c := range []struct{ q, state, first string }{
		{"hartwell foundation", "", "THE HARTWELL FOUNDATION"},
		{"The Hartwell Foundation, Inc.", "NV", "HARTWELL FOUNDATION"},
		{"quillon arts", "", "QUILLON ARTS INC"},
		{"Quillon  Arts Corp", "", "QUILLON ARTS CORP"},
		{"quillon arts inc", "", "QUILLON ARTS INC"},
		{"quillon arts ltd", "", "QUILLON ARTS INC"},
		{"vesper hill chapel", "", "VESPER HILL CHAPEL"},
		{"vesper hill chapel inc", "", "VESPER HILL CHAPEL INC"},
		{"hartwell family", "", "HARTWELL FAMILY FOUNDATION INC"},
		{"family foundation hartwell", "", "HARTWELL FAMILY FOUNDATION INC"},
		{"hartwel fundation", "", "THE HARTWELL FOUNDATION"},
		{"hartw", "", "THE HARTWELL FOUNDATION"},
		{"ha", "TX", "HARTWELL FAMILY FOUNDATION INC"},
		{"hartwell fdn", "", "THE HARTWELL FOUNDATION"},
		{"orange cross", "", "AMERICAN NATIONAL ORANGE CROSS"},
		{"Orange Cross Society of America", "", "AMERICAN NATIONAL ORANGE CROSS"},
		{"orange cros socity", "", "AMERICAN NATIONAL ORANGE CROSS"},
		{"first baptist church", "", "FIRST BAPTIST CHURCH"},
		{"1st baptist church tulsa", "", "FIRST BAPTIST CHURCH OF TULSA"},
		{"first baptist salem", "", "FIRST BAPTIST CHURCH"},
		{"first baptist church or", "", "FIRST BAPTIST CHURCH"},
		{"first baptist church of tulsa oklahoma", "", "FIRST BAPTIST CHURCH OF TULSA"},
		{"habitat for people tulsa", "", "HABITAT FOR PEOPLE"},
		{"ymca larkspur", "", "YOUNG MENS CHRISTIAN ASSOCIATION OF LARKSPUR"},
		{"young men's christian association of greater mapleton", "", "Y M C A OF GREATER MAPLETON INC"},
		{"YMCA of Greater Mapleton", "", "Y M C A OF GREATER MAPLETON INC"},
		{"st brendan hospital", "", "SAINT BRENDAN'S HOSPITAL & HEALTH CENTER"},
		{"St. Brendan's Hosp. and Health Ctr", "", "SAINT BRENDAN'S HOSPITAL & HEALTH CENTER"},
		{"lark", "", "LEAGUE FOR THE ADVANCEMENT OF RURAL KIDS (LARK)"},
		{"bgc la plata county", "", "BOYS AND GIRLS CLUB OF LA PLATACOUNTY"},
		{"boysandgirls club la plata county", "", "BOYS AND GIRLS CLUB OF LA PLATACOUNTY"},
		{"american legion post 9", "", "AMERICAN LEGION POST 9"},
		{"american legion post no. 007", "", "AMERICAN LEGION POST 7"},
		{"cfbeo", "", "COMMUNITY FOOD BANK OF EASTERN OKLAHOMA"},
		{"community food ba", "", "COMMUNITY FOOD BANK OF EASTERN OKLAHOMA"},
		{"univ of northern wyoming", "", "UNIVERSITY OF NORTHERN WYOMING FOUNDATION"},
		{"zurcher kulturverein", "", "ZÜRCHER KULTURVEREIN"},
		{"Zürcher", "", "ZÜRCHER KULTURVEREIN"},
		{"70-0000001", "", "THE HARTWELL FOUNDATION"},
		{"EIN: 700000012", "", "HARTWELL FAMILY FOUNDATION INC"},
		{" 70 0000023 ", "", "HARTWELL FOUNDATION"},
		{"h", "", ""},
		{"", "", ""},
		{"  ", "", ""},
		{"é", "", ""},
		{"hartwell", "WY", ""},
		{"hartwell", "Texas", ""},
		{"qqqqqqqq", "", ""},
		{"70-9999999", "", ""},
		{"!!! ???", "", ""},
	} {
		got := x.Find(c.q, c.state, 5)
		first := ""
		if len(got) > 0 {
			first = got[0].Name
		}
		if first != c.first {
			t.Errorf("%q in %q: found %q, want %q; all: %v", c.q, c.state, first, c.first, got)
		}
		for i, r := range got {
			if r.Score <= 0 || r.Score > 1 || i > 0 && r.Score > got[i-1].Score {
				t.Errorf("%q: scores out of order: %v", c.q, got)
			}
			if c.state != "" && r.State != c.state {
				t.Errorf("%q in %q: found one in %q", c.q, c.state, r.State)
			}
		}
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	x := town(t)
	if len(x.orgs) != 24 {
		t.Errorf("%d organizations", len(x.orgs))
	}
	r, ok := x.Lookup(70_000_0001 + 17*11)
	if !ok || r.Name != "COMMUNITY FOOD BANK OF EASTERN OKLAHOMA" || r.City != "TULSA" || r.State != "OK" || r.Kind != Nonprofit ||
		r.NTEE != "K31" || r.Cause == "" || r.Revenue == nil || *r.Revenue != 50_000_000 {
		t.Errorf("found %+v", r)
	}
	if r, ok := x.Lookup(70_000_0001); !ok || r.Kind != Foundation || r.Type != "Private foundation" || r.Cause != "" {
		t.Errorf("found %+v", r)
	}
	if r, _ := x.Lookup(70_000_0001 + 5*11); r.Revenue != nil {
		t.Errorf("revenue %v where none is known", *r.Revenue)
	}
	if _, ok := x.Lookup(70_000_0002); ok {
		t.Error("found an EIN that is not there")
	}
	if n := len(x.Find("foundation", "", 2)); n != 2 {
		t.Errorf("%d results where two are asked for", n)
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"The Hartwell Foundation, Inc.": "the-hartwell-foundation-inc",
		"ST. BRENDAN'S HOSPITAL & CTR":  "st-brendans-hospital-ctr",
		"  Zürcher   Kulturverein  ":    "zurcher-kulturverein",
		"":                              "organization",
		"---":                           "organization",
		"東京":                            "organization",
	} {
		if got := Slug(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	long := Slug(strings.Repeat("abcdefg ", 100))
	if len(long) > 80 || strings.HasSuffix(long, "-") {
		t.Errorf("long slug %q", long)
	}
}

// TestDeterminism builds twice and asks from many goroutines at once: bytes
// and answers are always the same.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	members := crowd(3_000)
	first, second := built(t, members), built(t, members)
	for _, file := range []string{fileName, wordsFile, "identify/names.gg"} {
		a, err := os.ReadFile(filepath.Join(first.Dir, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(second.Dir, filepath.FromSlash(file))); err != nil || !bytes.Equal(a, b) {
			t.Fatalf("two builds of %s differ: %v", file, err)
		}
	}
	x, err := OpenNames(first)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	questions := questionsFor(x, 60)
	want := make([][]Result, len(questions))
	for i, q := range questions {
		want[i] = x.Find(q, "", 10)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range questions {
				j := (i*7 + g*13) % len(questions)
				if got := x.Find(questions[j], "", 10); !reflect.DeepEqual(got, want[j]) {
					t.Errorf("%q: %v, before %v", questions[j], got, want[j])
				}
			}
		}()
	}
	wg.Wait()
}

// TestBuild checks the index of a built snapshot against its tables.
func TestBuild(t *testing.T) {
	t.Parallel()
	s, x := invented(t)
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	n, foundations, types := 0, 0, map[string]int{}
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		e, _ := ein.Parse(o.EIN)
		r, ok := x.Lookup(e)
		if !ok || r.Name != o.Name || r.City != o.City || r.State != o.State {
			t.Fatalf("%+v is indexed as %+v", o, r)
		}
		types[r.Type]++
		if r.Kind == Foundation {
			foundations++
		}
	}
	if n != len(x.orgs) || n == 0 {
		t.Errorf("%d organizations, %d indexed", n, len(x.orgs))
	}
	for k, err := range snapshot.Rows[snapshot.FunderKind](s, snapshot.FunderKinds) {
		if err != nil {
			t.Fatal(err)
		}
		e, _ := ein.Parse(k.FunderEIN)
		r, ok := x.Lookup(e)
		if !ok || (r.Kind == Foundation) != (k.Kind == "private_foundation") {
			t.Fatalf("funder %+v is indexed as %+v", k, r)
		}
	}
	if foundations == 0 || types["Public charity"] == 0 || types["Church"] == 0 {
		t.Errorf("types: %v", types)
	}
	t.Logf("types: %v", types)
}

// TestDamage spoils an index in every way, in memory and on the disk.
func TestDamage(t *testing.T) {
	t.Parallel()
	snap := built(t, crowd(5))
	path := filepath.Join(snap.Dir, filepath.FromSlash(fileName))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mappedtest.Damage(t, fileKind, data, func(data []byte) error {
		_, err := readIndex(data)
		return err
	})
	mappedtest.Files(t, fileKind, path, func() error {
		x, err := OpenNames(snap)
		if err != nil {
			return err
		}
		return x.Close()
	})
}

// TestClosed closes an index twice and asks it then.
func TestClosed(t *testing.T) {
	t.Parallel()
	entries := crowd(60)
	x, err := OpenNames(built(t, entries))
	if err != nil {
		t.Fatal(err)
	}
	found := x.Find(entries[0].name, "", 1)
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	if err := errors.Join(x.Close(), x.Close()); err != nil {
		t.Fatal(err)
	}
	if found[0].Name != entries[0].name || found[0].City != entries[0].city {
		t.Errorf("%+v does not outlive the index", found[0])
	}
	if got := x.Find(entries[0].name, "", 1); got != nil {
		t.Errorf("a closed index finds %v", got)
	}
	if _, ok := x.Lookup(entries[0].ein); ok {
		t.Error("a closed index looks up an EIN")
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	x := indexOf(t, nil)
	if got := x.Find("anything at all", "", 10); got != nil || len(x.orgs) != 0 {
		t.Errorf("found %v in nothing", got)
	}
	if _, ok := x.Lookup(1); ok {
		t.Error("found an EIN in nothing")
	}
}

func TestBuildStops(t *testing.T) {
	t.Parallel()
	_, s := Invented(t)
	w, err := snapshot.Create(t.TempDir(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	if err := w.Adopt(s, snapshot.Organizations); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := BuildNames(ctx, w); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled build ends with %v", err)
	}
	if err := Build(0)(ctx, w); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled build with vectors ends with %v", err)
	}
}

// crowd makes n organizations with invented names whose words are spread as
// words of real names are: a few in a fifth of all, most in one or two.
func crowd(n int) []member {
	r := rand.New(rand.NewPCG(3, 4))
	syllables := strings.Fields("BA BEL BRIN CAL CHES COR DAN DEL DOR EL FEN FOR GAL GREN HAL HOL IN KEN LAN LOR MAR MEL MON NOR OAK PEN QUIN RAN RIV SAL SEN STON TAL TER VAL VER WEN WOR YAR ZEL")
	common := strings.Fields("FOUNDATION CHURCH ASSOCIATION CENTER COMMUNITY SCHOOL CLUB SOCIETY FAMILY NATIONAL AMERICAN TRUST FRIENDS COUNTY MINISTRIES SERVICES YOUTH ARTS HEALTH LIBRARY MUSEUM LEAGUE COUNCIL PARENTS POST FUND HOUSE CHARITABLE MEMORIAL BAPTIST")
	words := make([]string, 60_000)
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += syllables[r.IntN(len(syllables))]
		}
	}
	states := strings.Fields("AL AK AZ CA CO CT FL GA IL IN KS KY MA MD ME MI MN MO NC NJ NY OH OK OR PA TN TX UT VA WA WI")
	zipf := rand.NewZipf(r, 1.15, 8, uint64(len(words)-1))
	zipfCommon := rand.NewZipf(r, 1.3, 3, uint64(len(common)-1))
	entries := make([]member, n)
	for i := range entries {
		var w []string
		for range 1 + r.IntN(3) {
			w = append(w, words[zipf.Uint64()])
		}
		for range 1 + r.IntN(2) {
			w = append(w, common[zipfCommon.Uint64()])
		}
		if r.IntN(2) == 0 {
			w = append(w, "INC")
		}
		v := int64(r.ExpFloat64() * 1_000_000)
		entries[i] = member{ein: ein.EIN(70_000_0001 + i*7), name: strings.Join(w, " "), city: words[r.IntN(2000)], state: states[r.IntN(len(states))], revenue: &v}
	}
	return entries
}

// questionsFor makes questions of every sort.
func questionsFor(x *Index, n int) []string {
	r := rand.New(rand.NewPCG(8, 9))
	questions := make([]string, n)
	for i := range questions {
		name := x.result(r.Uint32N(uint32(len(x.orgs)))).Name
		questions[i] = noises[i%len(noises)].make(r, strings.TrimSuffix(name, " INC")+" INC")
	}
	return questions
}

func FuzzFind(f *testing.F) {
	x := town(f)
	for _, q := range []string{"hartwell foundation", "70-0000001", "ymca (ymca) dba x", "st. brendan's & co", "a", "\xff\xfe", "@tulsa", "first  baptist,church"} {
		f.Add(q, "")
		f.Add(q, "TX")
	}
	f.Add("first baptist", "\x00\x00")
	f.Fuzz(func(t *testing.T, q, state string) {
		got := x.Find(q, state, 10)
		if utf8.RuneCountInString(strings.TrimSpace(q)) < 2 && len(got) > 0 {
			t.Fatalf("%q finds %v", q, got)
		}
		seen := map[ein.EIN]bool{}
		for i, r := range got {
			if seen[r.EIN] || r.Name == "" || r.Score < 0 || r.Score > 1 || i > 0 && r.Score > got[i-1].Score {
				t.Fatalf("%q: %v", q, got)
			}
			seen[r.EIN] = true
			if strings.TrimSpace(state) != "" && !strings.EqualFold(strings.TrimSpace(state), r.State) {
				t.Fatalf("%q in %q: %v", q, state, r)
			}
		}
		if again := x.Find(q, state, 10); !reflect.DeepEqual(got, again) {
			t.Fatalf("%q: %v, then %v", q, got, again)
		}
	})
}

// TestDamagedNumbers changes every number of a file to others near and far, with
// checksums to match. What is not refused answers something.
func TestDamagedNumbers(t *testing.T) {
	t.Parallel()
	sound, err := os.ReadFile(filepath.Join(built(t, crowd(5)).Dir, filepath.FromSlash(fileName)))
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	f, err := mapped.Read("sound", sound, fileKind)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range f.Names() {
		numbers := mapped.Column[byte](f, name, mapped.AnyLength)
		for at := 0; at+4 <= len(numbers); at += 4 {
			was, before := binary.LittleEndian.Uint32(numbers[at:]), uint32(0)
			if at > 0 {
				before = binary.LittleEndian.Uint32(numbers[at-4:])
			}
			for _, v := range []uint32{0, before, was - 1, was + 1, was ^ 0x80, was ^ 0x41000000, 0x7fffffff, 0xffffffff} {
				data := mappedtest.Rewrite(t, fileKind, sound, func(section string, body []byte) ([]byte, bool) {
					if section == name {
						binary.LittleEndian.PutUint32(body[at:], v)
					}
					return body, true
				})
				if x, err := readIndex(data); err == nil {
					answered++
					for i := range 60 {
						x.Lookup(ein.EIN(70_000_0001 + i*7))
					}
				}
			}
		}
	}
	if answered == 0 {
		t.Error("every change was refused")
	}
}

func BenchmarkFind(b *testing.B) {
	x := indexOf(b, crowd(200_000))
	r := rand.New(rand.NewPCG(5, 6))
	names := make([]string, 2000)
	for i := range names {
		names[i] = strings.TrimSuffix(x.result(r.Uint32N(uint32(len(x.orgs)))).Name, " INC")
	}
	for _, noise := range noises {
		questions := make([]string, 0, len(names))
		for _, name := range names {
			if strings.Count(name, " ") >= 2 {
				questions = append(questions, noise.make(r, name))
			}
		}
		b.Run(strings.ReplaceAll(noise.name, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				x.Find(questions[i%len(questions)], "", 10)
			}
		})
	}
	for _, q := range []string{"fo", "foundation", "community foundation", "church of the"} {
		b.Run(fmt.Sprintf("common/%s", q), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x.Find(q, "", 10)
			}
		})
	}
	b.Run("parallel", func(b *testing.B) {
		b.RunParallel(func(p *testing.PB) {
			for i := 0; p.Next(); i++ {
				x.Find(names[i%len(names)], "", 10)
			}
		})
	})
}

func BenchmarkBuild(b *testing.B) {
	entries := crowd(200_000)
	for b.Loop() {
		indexOf(b, entries)
	}
	b.ReportMetric(float64(len(entries)*b.N)/b.Elapsed().Seconds(), "orgs/s")
}

// member is an organization of a small register.
type member struct {
	ein               ein.EIN
	name, city, state string
	aliases           []string
	foundation        string // a code of the master file
	ntee              string
	revenue           *int64
}

// built makes a snapshot of members, which are in EIN order, with the indexes of names.
func built(t testing.TB, members []member) *snapshot.Snapshot {
	t.Helper()
	s, err := buildIn(t.TempDir(), members)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func buildIn(data string, members []member) (*snapshot.Snapshot, error) {
	w, err := snapshot.Create(data, time.Unix(0, 0))
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	orgs := func(yield func(snapshot.Organization) bool) {
		for _, m := range members {
			if !yield(snapshot.Organization{EIN: m.ein.String(), Name: m.name, Aliases: m.aliases, City: m.city, State: m.state, NTEE: m.ntee,
				Foundation: m.foundation, Revenue: m.revenue, Sources: snapshot.SourceBMF, Active: true}) {
				return
			}
		}
	}
	if err := errors.Join(snapshot.WriteTable(w, snapshot.Organizations, orgs), BuildNames(context.Background(), w), identify.Build(context.Background(), w)); err != nil {
		return nil, err
	}
	return w.Publish(snapshot.Manifest{})
}

// indexOf makes an index of members that is open until the test ends.
func indexOf(t testing.TB, members []member) *Index {
	t.Helper()
	x, err := OpenNames(built(t, members))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// readIndex opens a file of organizations that is in memory.
func readIndex(data []byte) (*Index, error) {
	return mapped.FromBytes(fileKind, data, func(f *mapped.File) *Index {
		x := &Index{file: f}
		x.lay(mapped.Layout{From: f})
		return x
	})
}
