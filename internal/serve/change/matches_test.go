package change

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/screen/likeness"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/snapshot/mapped"
)

// invention is a small edition of the lists. What is nil, it does not have.
type invention struct {
	masters map[ein.EIN]string
	pub78   map[ein.EIN]string
	revoked map[ein.EIN]string // by another name
	ofac    map[int64][]string // the first is the primary one
}

// clone is a copy that may be changed.
func (x invention) clone() invention {
	return invention{maps.Clone(x.masters), maps.Clone(x.pub78), maps.Clone(x.revoked), maps.Clone(x.ofac)}
}

func writeNames[T any](t *testing.T, w *snapshot.Writer, table string, names map[ein.EIN]string, row func(e, name string) T) {
	t.Helper()
	if names == nil {
		return
	}
	must(t, snapshot.WriteTable(w, table, func(yield func(T) bool) {
		for _, e := range slices.Sorted(maps.Keys(names)) {
			if !yield(row(e.String(), names[e])) {
				return
			}
		}
	}))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// publish publishes an edition on a day of January.
func (x invention) publish(t *testing.T, data string, day int) *snapshot.Snapshot {
	t.Helper()
	w, err := snapshot.Create(data, time.Date(2026, time.January, day, 0, 0, 0, 0, time.UTC))
	must(t, err)
	defer w.Abandon()
	writeNames(t, w, lists.Masters, x.masters, func(e, name string) lists.Master { return lists.Master{EIN: e, Name: name} })
	writeNames(t, w, lists.Deductibles, x.pub78, func(e, name string) lists.Deductible { return lists.Deductible{EIN: e, Name: name, Codes: "PC"} })
	writeNames(t, w, lists.Revocations, x.revoked, func(e, name string) lists.RevocationRow {
		return lists.RevocationRow{EIN: e, Name: "AN INVENTED CLUB", DBA: name, Revoked: "2020-05-15"}
	})
	if x.ofac != nil {
		numbers := slices.Sorted(maps.Keys(x.ofac))
		must(t, snapshot.WriteTable(w, lists.Sanctions, func(yield func(lists.Sanction) bool) {
			for _, n := range numbers {
				if !yield(lists.Sanction{Num: n, Name: x.ofac[n][0]}) {
					return
				}
			}
		}))
		must(t, snapshot.WriteTable(w, lists.SanctionNames, func(yield func(lists.SanctionName) bool) {
			for _, n := range numbers {
				for i, name := range x.ofac[n] {
					if !yield(lists.SanctionName{Num: n, Kind: kindOf(i), Name: name}) {
						return
					}
				}
			}
		}))
		must(t, snapshot.WriteTable(w, lists.SanctionPlaces, func(func(lists.SanctionPlace) bool) {}))
	}
	must(t, BuildMatches(t.Context(), w))
	must(t, BuildLists(t.Context(), w))
	s, err := w.Publish(snapshot.Manifest{Report: []byte("{}")})
	must(t, err)
	return s
}

func kindOf(i int) string {
	if i == 0 {
		return "primary"
	}
	return "aka"
}

// said is what a log says of potential matches since an edition; "unknown" where
// they were not compared.
func said(t *testing.T, s *snapshot.Snapshot, since string) string {
	t.Helper()
	log, err := OpenLog(s)
	must(t, err)
	defer log.Close()
	c, known := log.Since(since)
	if !known {
		return "no such edition"
	}
	for _, l := range c.Lists {
		if l.Name == Matches && !l.Compared {
			return "unknown"
		}
	}
	var list []string
	for _, x := range c.List {
		if x.List == Matches {
			list = append(list, fmt.Sprintf("%s %s %s", x.EIN, x.Change, x.Reference))
		}
	}
	return strings.Join(list, ", ")
}

var base = invention{
	masters: map[ein.EIN]string{1: "ZARVONIA PETROLEUM TRADING", 2: "MAPLE HOLLOW FOOD PANTRY", 3: "OBSIDIAN VANTREK INDUSTRIES INC", 4: "QUORLEND MERIDIAN RELIEF"},
	pub78:   map[ein.EIN]string{2: "MAPLE HOLLOW FOOD PANTRY", 5: "TELVANE ORCHESTRA"},
	revoked: map[ein.EIN]string{6: "BRISKOVAR LOGISTICS"},
	ofac:    map[int64][]string{101: {"ZARVONIA PETROLEUM TRADING"}, 102: {"OBSIDIAN VANTREK INDUSTRIES"}},
}

// TestMatches follows potential matches from edition to edition.
func TestMatches(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	now := base.clone()
	var published []*snapshot.Snapshot
	for i, tc := range []struct {
		about  string
		change func()
		want   string // since the edition before
	}{
		{"the first edition", func() {}, ""},
		{"the same once more", func() {}, ""},
		{"an entity is added", func() { now.ofac[103] = []string{"QUORLEND MERIDIAN RELIEF"} }, "000000004 potential_match 103"},
		{"an entity gets a second name", func() { now.ofac[102] = []string{"OBSIDIAN VANTREK INDUSTRIES", "TELVANE ORCHESTRA"} }, "000000005 potential_match 102"},
		{"one is renamed into a match, one out of it", func() { now.masters[1], now.masters[2] = "HARBOR VALLEY LIBRARY", "ZARVONIA PETROLEUM TRADING" }, "000000001 no_longer_matched 101, 000000002 potential_match 101"},
		{"an entity is added that an earlier name resembles", func() { now.ofac[104] = []string{"BRISKOVAR LOGISTICS"} }, "000000006 potential_match 104"},
		{"an entity is removed", func() { delete(now.ofac, 102) }, "000000003 no_longer_matched 102, 000000005 no_longer_matched 102"},
		{"one is new, one is gone", func() { delete(now.masters, 4); now.masters[7] = "QUORLEND MERIDIAN RELIEF" }, "000000004 no_longer_matched 103, 000000007 potential_match 103"},
		{"the sanctions list is missing", func() { now.ofac = nil }, "unknown"},
		{"it is there again", func() { now.ofac = map[int64][]string{101: {"ZARVONIA PETROLEUM TRADING"}} }, "unknown"},
		{"it has no entry", func() { now.ofac = map[int64][]string{} }, "unknown"},
		{"it has one again", func() { now.ofac = map[int64][]string{101: {"ZARVONIA PETROLEUM TRADING"}} }, "unknown"},
		{"a list of names is missing", func() { now.revoked = nil }, "unknown"},
		{"another edition without it", func() { now.masters[2] = "MAPLE HOLLOW FOOD PANTRY" }, "000000002 no_longer_matched 101"},
	} {
		tc.change()
		s := now.publish(t, data, i+1)
		if i > 0 {
			if got := said(t, s, published[i-1].Manifest.Version); got != tc.want {
				t.Errorf("%s: %q, want %q", tc.about, got, tc.want)
			}
		}
		published = append(published, s)
	}
	if got, want := said(t, published[7], published[0].Manifest.Version), "000000001 no_longer_matched 101, 000000002 potential_match 101, 000000003 no_longer_matched 102, 000000006 potential_match 104, 000000007 potential_match 103"; got != want {
		t.Errorf("over seven editions: %q, want %q", got, want)
	}
	if got := said(t, published[13], published[7].Manifest.Version); got != "unknown" {
		t.Errorf("over an edition without the list: %q", got)
	}
	log, err := OpenLog(published[2])
	must(t, err)
	defer log.Close()
	c, _ := log.Since(published[1].Manifest.Version)
	i := slices.IndexFunc(c.List, func(x ListChange) bool { return x.List == Matches })
	if m := c.List[i].Match; *m != (Match{"QUORLEND MERIDIAN RELIEF", "QUORLEND MERIDIAN RELIEF", 1, "exact"}) {
		t.Errorf("%+v", m)
	}
}

// TestStrength follows a potential match that becomes exact, and is told again.
func TestStrength(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	now := base.clone()
	now.masters[3] = "OBSIDIAN VANTREK INDUSTRYS HOLDING"
	first := now.publish(t, data, 1)
	now.masters[3] = "OBSIDIAN VANTREK INDUSTRIES"
	second := now.publish(t, data, 2)
	log, err := OpenLog(second)
	must(t, err)
	defer log.Close()
	c, _ := log.Since(first.Manifest.Version)
	i := slices.IndexFunc(c.List, func(x ListChange) bool { return x.List == Matches })
	if i < 0 {
		t.Fatal("nothing is told")
	}
	x := c.List[i]
	if x.Was != PotentialMatch || x.Change != PotentialMatch || x.EIN != 3 || x.Match.Strength != screen.Exact {
		t.Errorf("%+v %+v", x, x.Match)
	}
	if got := Words(Matches); !slices.Equal(got, []string{PotentialMatch, NoLongerMatched}) {
		t.Errorf("%q", got)
	}
}

// TestLongNames has names that are longer than what is kept of them, and of several
// lines.
func TestLongNames(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	now := base.clone()
	first := now.publish(t, data, 1)
	now.ofac[103] = []string{"QUORLEND\nMERIDIAN RELIEF" + strings.Repeat(".", 3*longestText)}
	second := now.publish(t, data, 2)
	if got, want := said(t, second, first.Manifest.Version), "000000004 potential_match 103"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	set, err := openMatches(second)
	must(t, err)
	for _, e := range set.list {
		if len(e.text) > longestText || strings.Count(e.text, "\n") != 4 {
			t.Errorf("%q", e.text)
		}
	}
}

// flip damages a file.
func flip(t *testing.T, s *snapshot.Snapshot, path string) {
	t.Helper()
	path = filepath.Join(s.Dir, filepath.FromSlash(path))
	body, err := os.ReadFile(path)
	must(t, err)
	body[len(body)/2] ^= 1
	must(t, os.WriteFile(path, body, 0o644))
}

// TestDamagedBefore makes an edition after one of which a file is damaged: what can
// be found again is, and what cannot is not told.
func TestDamagedBefore(t *testing.T) {
	t.Parallel()
	next := base.clone()
	next.ofac[103] = []string{"QUORLEND MERIDIAN RELIEF"}
	for _, tc := range []struct {
		about, want string
		damage      []string
	}{
		{"the matches", "000000004 potential_match 103", []string{MatchesPath}},
		{"the matches and a table of names", "unknown", []string{MatchesPath, "tables/" + lists.Masters + ".parquet"}},
		{"the log", "000000004 potential_match 103", []string{LogPath}},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			first := base.publish(t, data, 1)
			for _, path := range tc.damage {
				flip(t, first, path)
			}
			if got := said(t, next.publish(t, data, 2), first.Manifest.Version); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestEarlierProgram makes an edition after one of a program that compared
// otherwise: both are compared as this one does.
func TestEarlierProgram(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first := base.publish(t, data, 1)
	var b bytes.Buffer
	must(t, (&matchSet{terms: terms{Comparison: screen.Comparison + 1, Sanctions: 1}}).write(&b))
	must(t, os.WriteFile(filepath.Join(first.Dir, filepath.FromSlash(MatchesPath)), b.Bytes(), 0o644))
	next := base.clone()
	delete(next.ofac, 102)
	second := next.publish(t, data, 2)
	if got, want := said(t, second, first.Manifest.Version), "000000003 no_longer_matched 102"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	// What was found in the way of one program does not add up with what the next
	// one finds.
	set, err := openMatches(second)
	must(t, err)
	set.Comparison++
	b.Reset()
	must(t, set.write(&b))
	must(t, os.WriteFile(filepath.Join(second.Dir, filepath.FromSlash(MatchesPath)), b.Bytes(), 0o644))
	next.ofac[103] = []string{"QUORLEND MERIDIAN RELIEF"}
	third := next.publish(t, data, 3)
	if got, want := said(t, third, second.Manifest.Version), "000000004 potential_match 103"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := said(t, third, first.Manifest.Version); got != "unknown" {
		t.Errorf("%q over another way of comparing", got)
	}
}

// plainMatches is every name of every organization against every name of the
// list, without an index, and without the edition before.
func (x invention) plainMatches() map[string]float64 {
	var names []likeness.Name
	for n, list := range x.ofac {
		for i, name := range list {
			names = append(names, likeness.Name{ID: n, Kind: likeness.Kind(kindOf(i)), Text: name})
		}
	}
	l := likeness.New(names)
	found := map[string]float64{}
	for _, from := range []map[ein.EIN]string{x.masters, x.pub78, x.revoked} {
		for e, name := range from {
			for _, hit := range l.Scan(name, likeness.Threshold) {
				key := fmt.Sprintf("%s %d", e, hit.ID)
				found[key] = max(found[key], hit.Score)
			}
		}
	}
	return found
}

// TestMatchesArePlain changes lists at random: whatever an edition takes over from
// the one before, its potential matches are those of all pairs, and the log has the
// difference.
func TestMatchesArePlain(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("ZARVONIA OBSIDIAN VANTREK QUORLEND TELVANE BRISKOVAR MERIDIAN TRADING RELIEF FOUNDATION INTERNATIONAL AHMARD KHOLIDE COMPANY INC LLC")
	name := func() string {
		var list []string
		for range 1 + r.IntN(4) {
			w := words[r.IntN(len(words))]
			if r.IntN(6) == 0 && len(w) > 5 {
				at := 1 + r.IntN(len(w)-2)
				w = w[:at] + w[at+1:]
			}
			list = append(list, w)
		}
		return strings.Join(list, " ")
	}
	now := invention{map[ein.EIN]string{}, map[ein.EIN]string{}, map[ein.EIN]string{}, map[int64][]string{}}
	for range 150 {
		now.masters[ein.EIN(1+r.IntN(300))] = name()
		now.pub78[ein.EIN(1+r.IntN(300))] = name()
		now.revoked[ein.EIN(1+r.IntN(300))] = name()
	}
	for range 20 {
		now.ofac[int64(100+r.IntN(99))] = []string{name(), name()}
	}
	data := t.TempDir()
	var was map[string]float64
	var before string
	for day := range 8 {
		if day%2 == 1 { // else only organizations change
			now.ofac[int64(100+r.IntN(99))] = []string{name()}
			delete(now.ofac, slices.Sorted(maps.Keys(now.ofac))[r.IntN(len(now.ofac))])
		}
		for range 10 {
			now.masters[ein.EIN(1+r.IntN(300))] = name()
			delete(now.pub78, ein.EIN(1+r.IntN(300)))
		}
		s := now.publish(t, data, day+1)
		set, err := openMatches(s)
		must(t, err)
		is := now.plainMatches()
		got := map[string]float64{}
		for _, e := range set.list {
			entity, m, _ := readMatch(e.text)
			got[fmt.Sprintf("%s %s", ein.EIN(e.key>>entityBits), entity)] = m.Score
		}
		if !maps.Equal(got, is) || len(is) == 0 {
			t.Fatalf("edition %d has %d potential matches, by all pairs %d", day, len(got), len(is))
		}
		var want []string
		for key := range is {
			if _, known := was[key]; !known {
				want = append(want, strings.Replace(key, " ", " potential_match ", 1))
			}
		}
		for key := range was {
			if _, known := is[key]; !known {
				want = append(want, strings.Replace(key, " ", " no_longer_matched ", 1))
			}
		}
		slices.SortFunc(want, func(a, b string) int { // by EIN and entity
			return strings.Compare(a[:9]+a[len(a)-3:], b[:9]+b[len(b)-3:])
		})
		if told := said(t, s, before); before != "" && told != strings.Join(want, ", ") {
			t.Errorf("edition %d: %s\nby all pairs: %v", day, told, want)
		}
		was, before = is, s.Manifest.Version
	}
}

// TestCanceled ends with the context.
func TestCanceled(t *testing.T) {
	t.Parallel()
	s := base.publish(t, t.TempDir(), 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := findMatches(ctx, s, nil, 0); err == nil {
		t.Error("a canceled comparison has a result")
	}
}

// sampleMatches is a file of two potential matches.
func sampleMatches(t testing.TB) []byte {
	t.Helper()
	m := &Match{"ZARVONIA PETROLEUM", "ZARVONIA PETROL", 0.81, "possible"}
	set := matchSet{terms{screen.Comparison, 1, 7}, []entry{matching(1, 101, m), matching(2, 101, m)}}
	var b bytes.Buffer
	if err := set.write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func checkMatches(data []byte) error {
	f, err := mapped.Read("sample", data, matchesKind)
	if err != nil {
		return err
	}
	readMatches(f)
	return f.Err()
}

// TestSenselessMatches opens files that are whole and make no sense.
func TestSenselessMatches(t *testing.T) {
	t.Parallel()
	good := matching(2, 101, &Match{"A", "B", 0.8, "possible"})
	for what, list := range map[string][]entry{
		"matches out of order":    {good, matching(1, 101, &Match{"A", "B", 0.8, "possible"})},
		"one twice":               {good, good},
		"a text that is none":     {{good.key, 1, "101"}},
		"a score that is none":    {{good.key, 1, "101\nNaN\npossible\nA\nB"}},
		"a score that is too big": {{good.key, 1, "101\n1.5\npossible\nA\nB"}},
	} {
		var b bytes.Buffer
		must(t, (&matchSet{list: list}).write(&b))
		if checkMatches(b.Bytes()) == nil {
			t.Errorf("a file with %s is opened", what)
		}
	}
	if err := checkMatches(sampleMatches(t)); err != nil {
		t.Error(err)
	}
}
