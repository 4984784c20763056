package edition

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/irb"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// Invented is the world that all tests share and only read: the directory of its files, and what it knows of itself. The
// external test package sets it, for package world imports this one.
var Invented func(testing.TB) (sources string, report *synth.Report)

// copyLists gives a test its own copy of the lists of the invented world,
// without the filings.
func copyLists(t *testing.T) string {
	t.Helper()
	from, _ := Invented(t)
	dir := t.TempDir()
	for _, folder := range []string{"bmf", "pub78", "revocation", "ofac", "irb", "careg", "caftb", ".fetch"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join(from, folder))); err != nil {
			t.Fatal(err)
		}
	}
	write(synth.Marker, marked)(t, dir)
	return dir
}

// marked marks a folder as that of an invented world, whose lists are small.
const marked = `{"format":"grantgraph-world/3"}`

func makeLists(t *testing.T, sources, data string) *Result {
	t.Helper()
	r, err := Make(t.Context(), Options{Sources: sources, Data: data, Now: func() time.Time { return time.Date(2026, 10, 15, 0, 0, 0, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestListsOfTheWorld(t *testing.T) {
	t.Parallel()
	sources, data := copyLists(t), t.TempDir()
	_, world := Invented(t)
	var masters int64
	for _, n := range world.Master {
		masters += n
	}
	r := makeLists(t, sources, data)
	for name, want := range map[string]int64{
		lists.BMF: masters, lists.Pub78: world.Lists["pub78_rows"], lists.Revocation: world.Lists["revocation_rows"], lists.OFAC: world.Lists["ofac_entries"],
		lists.IRB: world.Lists["irb_deletions"], lists.CARegistry: world.Lists["careg_rows"], lists.CAFTB: world.Lists["caftb_rows"],
	} {
		s := r.Edition.Status(name)
		if !s.Loaded || s.Rows != want || want == 0 || len(s.Rejected) > 0 || s.Problem != "" || s.Revised == "" || s.FetchedAt.IsZero() {
			t.Errorf("%s should have %d rows: %+v", name, want, s)
		}
	}
	if err := r.Edition.Verify(); err != nil {
		t.Error(err)
	}
	names := int64(0)
	for _, err := range snapshot.Rows[lists.SanctionName](r.Edition.Snapshot, lists.SanctionNames) {
		if err != nil {
			t.Fatal(err)
		}
		names++
	}
	if least := world.Lists["ofac_entries"] + world.Lists["ofac_aliases"]; names < least {
		t.Errorf("%d names of sanctioned parties, at least %d expected", names, least)
	}
	last := ""
	for m, err := range snapshot.Rows[lists.Master](r.Edition.Snapshot, lists.Masters) {
		if err != nil {
			t.Fatal(err)
		}
		if m.EIN <= last {
			t.Fatalf("%s after %s", m.EIN, last)
		}
		last = m.EIN
	}
	checks, err := lists.ReadChecks(data)
	if err != nil || len(checks) != len(lists.Names()) {
		t.Errorf("%d checks, err %v", len(checks), err)
	}
}

// Only what changed is read again, and where nothing did there is no new
// edition.
func TestListsAreTakenOver(t *testing.T) {
	t.Parallel()
	sources, data := copyLists(t), t.TempDir()
	first := makeLists(t, sources, data)
	if !first.Changed || len(first.Read) != len(lists.Names()) {
		t.Fatalf("%+v", first)
	}
	again := makeLists(t, sources, data)
	if again.Changed || len(again.Read) > 0 || again.Edition.Manifest.Version != first.Edition.Manifest.Version {
		t.Fatalf("nothing changed, yet %v was read", again.Read)
	}
	path := filepath.Join(sources, "caftb", "revoked-exempt-organizations.csv")
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(body), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(slices.Delete(lines, 1, 2), "")), 0o644); err != nil {
		t.Fatal(err)
	}
	third := makeLists(t, sources, data)
	if !third.Changed || !slices.Equal(third.Read, []string{lists.CAFTB}) {
		t.Fatalf("read %v", third.Read)
	}
	if a, b := first.Edition.Status(lists.CAFTB).Rows, third.Edition.Status(lists.CAFTB).Rows; b != a-1 {
		t.Errorf("%d rows, then %d", a, b)
	}
	if err := third.Edition.Verify(); err != nil {
		t.Error(err)
	}
	// A fresh start from the same files gives the same tables.
	fresh := makeLists(t, sources, t.TempDir())
	if fresh.Edition.Manifest.Content != third.Edition.Manifest.Content {
		t.Error("an edition made step by step differs from one made at once")
	}
}

// Whatever happens to a file, the list keeps its last good rows and dates, the
// others are untouched, and the reason is said.
func TestBadLists(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		list   string
		spoil  func(t *testing.T, sources string)
		reason string
	}{
		"empty": {lists.OFAC, write("ofac/sdn.csv", ""), "empty"},
		"a web page": {lists.Pub78, write("pub78/data-download-pub78.zip", "<!DOCTYPE html><title>Down for maintenance</title>"),
			"web page"},
		"cut zip": {lists.Revocation, func(t *testing.T, sources string) {
			path := filepath.Join(sources, "revocation", "data-download-revocation.zip")
			if err := os.Truncate(path, 2000); err != nil {
				t.Fatal(err)
			}
		}, "cut short"},
		"too few sanctions": {lists.OFAC, write("ofac/sdn.csv", "7,\"ZORVANT TRADING\",-0- ,\"SDGT\",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- \r\n"), "cut short"},
		"no aliases":        {lists.OFAC, remove("ofac/alt.csv"), "both needed"},
		"a registry list is missing": {lists.CARegistry, remove("careg/charities-not-operating.csv"),
			"four lists"},
		"registry lists of two days": {lists.CARegistry, func(t *testing.T, sources string) {
			path := filepath.Join(sources, "careg", "charities-not-operating.csv")
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			other := strings.ReplaceAll(string(body), "2026/10/07", "2026/09/23")
			if other == string(body) {
				t.Fatal("the registry of the world has another date than this test knows")
			}
			write("careg/charities-not-operating.csv", other)(t, sources)
		}, "different dates"},
		"unknown layout":  {lists.CAFTB, write("caftb/revoked-exempt-organizations.csv", "Colour,Taste\nred,sweet\n"), "not loaded"},
		"gone":            {lists.BMF, remove("bmf"), "no file"},
		"no bulletin":     {lists.IRB, func(t *testing.T, s string) { remove("irb")(t, s); write("irb/news.html", "<html>Hello</html>")(t, s) }, "none of the 1 files"},
		"wrong file here": {lists.BMF, write("bmf/eo1.csv", "EIN,NAME\n1,2\n"), "header lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources, data := copyLists(t), t.TempDir()
			good := makeLists(t, sources, data)
			c.spoil(t, sources)
			kept := makeLists(t, sources, data)
			before, after := good.Edition.Status(c.list), kept.Edition.Status(c.list)
			if !strings.Contains(after.Problem, c.reason) || strings.Contains(after.Problem, sources) {
				t.Errorf("problem %q, want one about %q that names no folder", after.Problem, c.reason)
			}
			after.Problem = ""
			if !after.Loaded || after.Rows != before.Rows || !after.FetchedAt.Equal(before.FetchedAt) || after.Revised != before.Revised || len(kept.Read) > 0 {
				t.Errorf("before %+v, after %+v, read %v", before, after, kept.Read)
			}
			if err := kept.Edition.Verify(); err != nil {
				t.Error(err)
			}
			// Without a good list before it, it is not loaded, which is not the
			// same as empty.
			never := makeLists(t, sources, t.TempDir()).Edition.Status(c.list)
			if never.Loaded || never.Rows != 0 || !strings.Contains(never.Problem, c.reason) {
				t.Errorf("never good: %+v", never)
			}
		})
	}
}

// A sanctions list that lost more than a tenth of its entries is not taken in
// the place of the one before; one that lost less is.
func TestShrunkenSanctions(t *testing.T) {
	t.Parallel()
	sources, data := copyLists(t), t.TempDir()
	before := makeLists(t, sources, data).Edition.Status(lists.OFAC)
	whole, err := os.ReadFile(filepath.Join(sources, "ofac", "sdn.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	cut := func(part, of int) lists.Status {
		t.Helper()
		write("ofac/sdn.csv", strings.Join(lines[:len(lines)*part/of], ""))(t, sources)
		return makeLists(t, sources, data).Edition.Status(lists.OFAC)
	}
	if got := cut(85, 100); !got.Loaded || got.Rows != before.Rows || !strings.Contains(got.Problem, "cut short") {
		t.Errorf("%+v", got)
	}
	if got := cut(95, 100); !got.Loaded || got.Rows >= before.Rows || got.Problem != "" {
		t.Errorf("%+v", got)
	}
}

func TestShrunken(t *testing.T) {
	t.Parallel()
	for i := range loaders {
		l := &loaders[i]
		for _, tt := range []struct {
			before, now int64
			loaded      bool
			refused     bool
		}{{1000, 899, true, true}, {1000, 100, true, true}, {1000, 900, true, false}, {1000, 2000, true, false}, {1000, 100, false, false}} {
			err := l.shrunken(&lists.Status{Loaded: tt.loaded, Rows: tt.before}, &lists.Status{Rows: tt.now})
			if want := tt.refused && l.name != lists.BMF; (err != nil) != want { // the master file says which states it has
				t.Errorf("%s from %d to %d: %v", l.name, tt.before, tt.now, err)
			}
		}
	}
}

// TestGivenLists holds that a list which a person has put there is as old as it says, whatever the
// time of its file, and that it is refused when it is incomplete.
func TestGivenLists(t *testing.T) {
	t.Parallel()
	given := func(move map[string]string) *lists.Edition {
		sources := copyLists(t)
		remove(".fetch")(t, sources)
		for old, to := range move {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(sources, to)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(sources, old), filepath.Join(sources, to)); err != nil {
				t.Fatal(err)
			}
		}
		return makeLists(t, sources, t.TempDir()).Edition
	}
	for name, e := range map[string]*lists.Edition{"undated": given(nil), "2019": given(map[string]string{
		"ofac": "ofac-2019-05-01/ofac", "pub78": "2019/pub78", "caftb": "of 2019-05/caftb"})} {
		for list, undated := range map[string]string{lists.OFAC: "0001", lists.CAFTB: "0001", lists.IRB: "2026", lists.CARegistry: "2026", lists.Revocation: "2023", lists.BMF: "2017"} {
			want := undated
			if name == "2019" && (list == lists.OFAC || list == lists.CAFTB) {
				want = "2019"
			}
			if s := e.Status(list); !s.Loaded || !s.FetchedAt.IsZero() || s.Knew().Format("2006") != want {
				t.Errorf("%s %s: known %s, want %s: %+v", name, list, s.Knew(), want, s)
			}
		}
	}
	// Files that nobody fetched and that are no world have the floors of the fetcher.
	sources := copyLists(t)
	remove(".fetch")(t, sources)
	remove(synth.Marker)(t, sources)
	e := makeLists(t, sources, t.TempDir()).Edition
	for _, list := range []string{lists.BMF, lists.Pub78, lists.Revocation, lists.CARegistry} {
		if s := e.Status(list); s.Loaded || !strings.HasPrefix(s.Problem, "incomplete list: ") {
			t.Errorf("%s: %+v", list, s)
		}
	}
}

func write(rel, body string) func(*testing.T, string) {
	return func(t *testing.T, sources string) {
		path := filepath.Join(sources, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func remove(rel string) func(*testing.T, string) {
	return func(t *testing.T, sources string) {
		if err := os.RemoveAll(filepath.Join(sources, filepath.FromSlash(rel))); err != nil {
			t.Fatal(err)
		}
	}
}

// The real samples are loaded as far as they go: the whole lists among them
// with the rows their publisher gave them, the rest not at all, with a reason.
func TestListsUpstream(t *testing.T) {
	t.Parallel()
	r := makeLists(t, upstream.Dir(t), t.TempDir())
	if s := r.Edition.Status(lists.BMF); !s.Loaded || s.Rows != 256_022 || s.Problem != "" || s.Revised != "2026-04" || len(s.Parts) != 29 || !s.Covers("PR") || s.Covers("TX") || !s.Covers("WY") {
		t.Errorf("%+v", s)
	}
	for name, reason := range map[string]string{lists.Pub78: "incomplete list", lists.Revocation: "incomplete list", lists.OFAC: "incomplete list", lists.CARegistry: "no file", lists.CAFTB: "no file"} {
		if s := r.Edition.Status(name); s.Loaded || !strings.Contains(s.Problem, reason) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A master file without Puerto Rico and abroad knows nobody there, however many of the states it has.
func TestMasterFileParts(t *testing.T) {
	t.Parallel()
	byState := "eo_xx eo_pr"
	for _, region := range []string{"eo1", "eo2", "eo3"} {
		for state := range strings.FieldsSeq(regions[region]) {
			byState += " eo_" + state
		}
	}
	tests := []struct {
		files          string
		whole          bool
		knows, unknown string
	}{
		{"eo1 eo2 eo3 eo4", true, "OH PR NY", ""},
		{"eo1 eo2 eo3", false, "OH CA NY DC", "PR GU XX"},
		{"eo2", false, "OH DC", "NY PR CA"},
		{"eo_oh eo_wy", false, "OH WY", "NY PR"},
		{"eo4 eo_wy", false, "PR GU WY", "NY"},
		{"eo1 eo2 eo3 eo_pr", false, "OH PR", "GU XX"},
		{byState, true, "OH PR", ""},
		{strings.ReplaceAll(byState, " eo_wy", ""), false, "OH PR", "WY"},
	}
	for _, tt := range tests {
		var sources discover.Sources
		for part := range strings.FieldsSeq(tt.files) {
			sources.Masters = append(sources.Masters, discover.Master{Part: part})
		}
		status := lists.Status{Name: lists.BMF, Loaded: true, Parts: partsOf(&sources)}
		if whole := status.Parts == nil; whole != tt.whole {
			t.Errorf("%s: whole %v", tt.files, whole)
		}
		for state := range strings.FieldsSeq(tt.knows) {
			if !status.Covers(state) {
				t.Errorf("%s does not know %s", tt.files, state)
			}
		}
		for state := range strings.FieldsSeq(tt.unknown) {
			if status.Covers(state) {
				t.Errorf("%s says it knows %s", tt.files, state)
			}
		}
	}
}

// Bulletins clear nobody if one of the last year's may be missing: it may have announced the deletion.
func TestMissingBulletins(t *testing.T) {
	t.Parallel()
	weeks := func(year, from, to, each int) (numbers []string) {
		for week := from; week <= to; week += each {
			numbers = append(numbers, fmt.Sprintf("%d-%02d", year, week))
		}
		return numbers
	}
	tests := []struct {
		about   string
		numbers []string
		want    string
	}{
		{"fifteen months of weeks", append(weeks(2025, 30, 52, 1), weeks(2026, 1, 42, 1)...), ""},
		{"every second week", append(weeks(2025, 30, 52, 2), weeks(2026, 1, 42, 2)...), ""},
		{"an old gap", append([]string{"2010-25"}, append(weeks(2025, 30, 52, 1), weeks(2026, 1, 42, 1)...)...), ""},
		{"one", []string{"2026-42"}, "a year of bulletins is needed, and the oldest is 2026-42"},
		{"half a year", weeks(2026, 15, 42, 1), "a year of bulletins is needed, and the oldest is 2026-15"},
		{"two months missing", append(append(weeks(2025, 30, 52, 1), weeks(2026, 1, 20, 1)...), weeks(2026, 29, 42, 1)...), "there is no bulletin between 2026-20 and 2026-29"},
		{"a tenth", append(weeks(2025, 32, 52, 10), weeks(2026, 2, 42, 10)...), "there is no bulletin between 2026-32 and 2026-42"},
	}
	for _, tt := range tests {
		var list []irb.Bulletin
		for _, n := range tt.numbers {
			list = append(list, irb.Bulletin{Number: n})
		}
		if got := missingBulletins(list); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.about, got, tt.want)
		}
	}
}
