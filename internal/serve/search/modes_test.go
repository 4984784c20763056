package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/snapshot"
)

// villagers are invented organizations: name, place, yearly dollars, mission.
var villagers = []struct {
	name, city, state string
	dollars           int64
	mission           string
	aliases           []string
	sources           int32
}{
	{"THORNTON FOOD BANK INC", "AKRON", "OH", 5_000_000, "Distributes groceries to hungry families through pantries and soup kitchens.", nil, 0},
	{"COMMUNITY FOOD BANK OF LARKSPUR", "LARKSPUR", "CA", 90_000_000, "Feeding people in need of a meal.", nil, 0},
	{"FOOD BANK OF SOUTHERN OHIO", "DAYTON", "OH", 800_000, "", nil, 0},
	{"MAPLETON FOOD PANTRY", "MAPLETON", "UT", 90_000, "A pantry for neighbors who run out of food.", nil, 0},
	{"OHIO STATE UNIVERSITY FRIENDS", "COLUMBUS", "OH", 3_000_000, "Scholarships for students.", nil, 0},
	{"OHIO STATE UNIVERSITY", "COLUMBUS", "OH", 900_000_000, "Teaching and research.", nil, 0},
	{"KANSAS CITY SYMPHONY", "KANSAS CITY", "MO", 20_000_000, "Orchestral concerts and music education.", nil, 0},
	{"SYMPHONY OF KANSAS", "WICHITA", "KS", 200_000, "Concerts.", nil, 0},
	{"MAINE MEDICAL CENTER", "PORTLAND", "ME", 700_000_000, "A hospital that heals the sick.", nil, 0},
	{"MEDICAL HELPERS", "BANGOR", "ME", 70_000, "Volunteer nurses.", nil, 0},
	{"WASHINGTON RUNNERS", "SEATTLE", "WA", 10_000, "Road races.", nil, 0},
	{"GEORGE WASHINGTON PLAYERS", "RENO", "NV", 90_000, "A community theater.", nil, 0},
	{"YOUNG MENS CHRISTIAN ASSOCIATION OF LARKSPUR", "LARKSPUR", "CA", 5_000_000, "Swimming lessons and day camps.", nil, 0},
	{"Y M C A OF GREATER MAPLETON INC", "MAPLETON", "UT", 4_000_000, "", nil, 0},
	{"MAPLETON ELEMENTARY PTO", "MAPLETON", "UT", 20_000, "Parents and teachers raise money for the school.", nil, 0},
	{"MERIDIAN INSTITUTE OF TECHNOLOGY", "AMES", "IA", 3_000_000_000, "Engineering and science.", nil, 0},
	{"MITCHELL FUND", "AMES", "IA", 40_000, "", nil, 0},
	{"MITTEN", "AMES", "IA", 9_000_000, "Knitting.", nil, 0},
	{"VALOR HOUSE", "TOLEDO", "OH", 2_000_000, "Apartments and rent help for former soldiers and their families.", nil, 0},
	{"PAWS OF THORNTON", "THORNTON", "NC", 300_000, "Rescues stray dogs and cats and finds them homes.", nil, 0},
	{"LARKSPUR OPERA GUILD", "LARKSPUR", "CA", 400_000, "Performs opera.", []string{"SINGERS OF THE BAY"}, 0},
	{"CHAPEL ON THE HILL", "THORNTON", "NC", 0, "", nil, snapshot.SourceLine},
}

// village makes a snapshot of them in a data directory.
func village(t testing.TB, data string, documents int) *snapshot.Snapshot {
	t.Helper()
	w, err := snapshot.Create(data, time.Date(2026, time.January, 2, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	var orgs []snapshot.Organization
	var filings []snapshot.Org
	for i, v := range villagers {
		e := fmt.Sprintf("07%07d", i*11)
		sources := v.sources
		if sources == 0 {
			sources = snapshot.SourceBMF
		}
		orgs = append(orgs, snapshot.Organization{EIN: e, Name: v.name, Aliases: v.aliases, City: v.city, State: v.state, Sources: sources, Active: true})
		if v.mission != "" {
			filings = append(filings, snapshot.Org{EIN: e, Name: v.name, ReturnType: "990", Mission: v.mission, TotalRevenue: &villagers[i].dollars})
		}
	}
	if err := errors.Join(
		snapshot.WriteTable(w, snapshot.Organizations, slices.Values(orgs)),
		snapshot.WriteTable(w, snapshot.Orgs, slices.Values(filings)),
		Build(documents)(t.Context(), w),
		identify.Build(t.Context(), w),
	); err != nil {
		t.Fatal(err)
	}
	s, err := w.Publish(snapshot.Manifest{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openVillage(t testing.TB) *Index {
	t.Helper()
	x, err := Open(village(t, t.TempDir(), 100))
	if err != nil || x.Bad() != nil {
		t.Fatal(err, x.Bad())
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func ask(t testing.TB, x *Index, a Ask) Answer {
	t.Helper()
	ans, err := x.Search(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return ans
}

func namesIn(list []Result) (names []string) {
	for _, r := range list {
		names = append(names, fmt.Sprintf("%s (%s %.3f)", r.Name, r.Match, r.Score))
	}
	return names
}

// TestSearchText asks in words.
func TestSearchText(t *testing.T) {
	t.Parallel()
	x := openVillage(t)
	for _, c := range []struct {
		q, first, match string
		hits            int // -1 for any
	}{
		{"food bank ohio", "THORNTON FOOD BANK INC", Weak, -1},
		{"food bank of ohio", "THORNTON FOOD BANK INC", Weak, -1},
		{"southern ohio food bank", "FOOD BANK OF SOUTHERN OHIO", Strong, -1},
		{"food bank akron", "THORNTON FOOD BANK INC", Weak, -1},
		{"food bank, OH", "THORNTON FOOD BANK INC", Weak, -1},
		{"food pantries", "MAPLETON FOOD PANTRY", Weak, -1},
		{"pantries", "MAPLETON FOOD PANTRY", Weak, -1},
		{"hungry family", "THORNTON FOOD BANK INC", Weak, -1},
		{"Ohio State University", "OHIO STATE UNIVERSITY", Exact, -1},
		{"kansas city symphony", "KANSAS CITY SYMPHONY", Exact, -1},
		{"symphony kansas city", "KANSAS CITY SYMPHONY", Strong, -1},
		{"maine medical", "MAINE MEDICAL CENTER", Weak, -1},
		{"washington runners", "WASHINGTON RUNNERS", Exact, -1},
		{"george washington", "GEORGE WASHINGTON PLAYERS", Weak, -1},
		{"ymca larkspur", "YOUNG MENS CHRISTIAN ASSOCIATION OF LARKSPUR", Exact, -1},
		{"YMCA", "YOUNG MENS CHRISTIAN ASSOCIATION OF LARKSPUR", Weak, -1},
		{"PTO mapleton", "MAPLETON ELEMENTARY PTO", Weak, -1},
		{"MIT", "MERIDIAN INSTITUTE OF TECHNOLOGY", Weak, -1},
		{"mitc", "MITCHELL FUND", Weak, -1},
		{"singers of the bay", "LARKSPUR OPERA GUILD", Exact, -1},
		{"thorntn food bank", "THORNTON FOOD BANK INC", Strong, -1},
		{"food bank of the moon", "COMMUNITY FOOD BANK OF LARKSPUR", Weak, -1},
		{"07-0000000", "THORNTON FOOD BANK INC", Exact, 1},
		{"quizzical zebras", "", "", 0},
		{"x", "", "", 0},
	} {
		ans := ask(t, x, Ask{Text: c.q, Limit: 20})
		first, match := "", ""
		if len(ans.Results) > 0 {
			first, match = ans.Results[0].Name, ans.Results[0].Match
		}
		if first != c.first || match != c.match || ans.Mode != Text || c.hits >= 0 && ans.Hits != c.hits {
			t.Errorf("%q finds %q (%s, %d hits, mode %s), want %q (%s); all: %q", c.q, first, match, ans.Hits, ans.Mode, c.first, c.match, namesIn(ans.Results))
		}
	}
	if r := ask(t, x, Ask{Text: "chapel on the hill"}).Results; len(r) == 0 || r[0].Known != FromGrants || r[0].Match != Exact {
		t.Errorf("an organization that only others name: %+v", r)
	}
}

// TestSearchAgrees holds what every answer promises, in every mode: classes and
// scores fall, results are among the hits, and a set is kept to.
func TestSearchAgrees(t *testing.T) {
	t.Parallel()
	x := openVillage(t)
	within := []uint64{0x155555}
	for _, q := range []string{"food bank", "food bank ohio", "help for veterans", "mitten", "MIT", "symphny", "a place for homeless dogs", "ohio", "chapel", "university of nowhere", "larkspur"} {
		for _, mode := range []Mode{Text, Semantic, Hybrid} {
			for _, a := range []Ask{{Text: q, Mode: mode, Limit: 100}, {Text: q, Mode: mode, Limit: 100, Within: within}, {Text: q, Mode: mode, Limit: 100, State: "OH"}} {
				ans := ask(t, x, a)
				set, err := x.Matching(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				n := 0
				for _, w := range set {
					n += bits.OnesCount64(w)
				}
				if n != ans.Hits || n != len(ans.Results) || ans.Mode != mode {
					t.Errorf("%q by %s: %d match, %d hits, %d results, mode %s", q, mode, n, ans.Hits, len(ans.Results), ans.Mode)
				}
				rank := map[string]int{Exact: 2, Strong: 1, Weak: 0}
				for i, r := range ans.Results {
					low := r.Score < 0 || r.Score > 1 || r.Match == Exact && r.Score != 1 || r.Match == Strong && (r.Score < strongFrom || r.Score >= 1) || r.Match == Weak && r.Score >= strongFrom
					if low || i > 0 && (r.Score > ans.Results[i-1].Score || rank[r.Match] > rank[ans.Results[i-1].Match]) {
						t.Errorf("%q by %s: %q", q, mode, namesIn(ans.Results))
						break
					}
					if !has(set, r.Org) || a.Within != nil && !has(within, r.Org) || a.State != "" && r.State != a.State {
						t.Errorf("%q by %s finds %s, which is not asked for", q, mode, r.Name)
					}
				}
				if few := ask(t, x, Ask{Text: q, Mode: mode, Limit: 2, Within: a.Within, State: a.State}); few.Hits != ans.Hits || len(few.Results) != min(2, len(ans.Results)) || len(few.Results) > 0 && few.Results[0].Org != ans.Results[0].Org {
					t.Errorf("%q by %s: two of them are %q, all are %q", q, mode, namesIn(few.Results), namesIn(ans.Results))
				}
			}
		}
	}
	if ans := ask(t, x, Ask{Text: "food", State: "Nowhere"}); ans.Hits != 0 {
		t.Errorf("%d in no state", ans.Hits)
	}
}

// TestSearchByMeaning asks in words that the documents do not have.
func TestSearchByMeaning(t *testing.T) {
	t.Parallel()
	x := openVillage(t)
	if name, _ := x.Encoder(); name == "student" {
		t.Skip("the encoder of questions needs the AVX2 instructions of a 64-bit x86 processor: run the test on one that has them")
	}
	for q, want := range map[string]string{
		"housing for veterans":                                  "VALOR HOUSE",
		"give a puppy a new family":                             "PAWS OF THORNTON",
		"somewhere to learn how to swim":                        "YOUNG MENS CHRISTIAN ASSOCIATION OF LARKSPUR",
		"a charity in Ohio that gives meals to hungry families": "THORNTON FOOD BANK INC",
		"somebody to sing Verdi":                                "LARKSPUR OPERA GUILD",
	} {
		for _, mode := range []Mode{Semantic, Hybrid} {
			if r := ask(t, x, Ask{Text: q, Mode: mode}).Results; len(r) == 0 || r[0].Name != want {
				t.Errorf("%q by %s finds %q, want %q", q, mode, namesIn(r), want)
			}
		}
	}
	for _, mode := range []Mode{Text, Hybrid} {
		for i, r := range ask(t, x, Ask{Text: "food bank, OH", Mode: mode}).Results {
			if r.State != "OH" && (r.Match != Weak || i < 2) {
				t.Errorf("by %s: %s is number %d and a %s match in Ohio", mode, r.Name, i+1, r.Match)
			}
		}
	}
	for _, r := range ask(t, x, Ask{Text: "hungry people in Ohio", Mode: Semantic}).Results {
		if r.State != "OH" {
			t.Errorf("in Ohio: found %s in %s", r.Name, r.State)
		}
	}
	for _, v := range villagers {
		if r := ask(t, x, Ask{Text: v.name, Mode: Hybrid}).Results; len(r) == 0 || r[0].Name != v.name || r[0].Match != Exact {
			t.Errorf("%s finds %q", v.name, namesIn(r))
		}
	}
	near := x.NearestTo(0, 3)
	if len(near) != 3 || near[0].Org == 0 || !strings.Contains(string(x.nameOf(near[0].Org)), "FOOD") || near[0].Cosine < near[1].Cosine {
		t.Errorf("near the food bank: %v", near)
	}
	if x.NearestTo(9999, 3) != nil || x.NearestTo(0, 0) != nil {
		t.Error("something is near nothing")
	}
}

// TestDamagedParts spoils words and vectors: names are still found, and modes fall
// back.
func TestDamagedParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file   string
		remove bool
		modes  int
	}{{wordsFile, false, 3}, {vectorsFile, false, 1}, {vectorsFile, true, 1}} {
		s := village(t, t.TempDir(), 0)
		path := filepath.Join(s.Dir, filepath.FromSlash(c.file))
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		body[len(body)/2] ^= 1
		if err := errors.Join(os.Remove(path), os.WriteFile(path, body, 0o644)); err != nil {
			t.Fatal(err)
		}
		if c.remove {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		x, err := Open(s)
		if err != nil {
			t.Fatal(c.file, err)
		}
		if (x.Bad() == nil) != c.remove || len(x.Modes()) != c.modes {
			t.Errorf("%s: %v, modes %v", c.file, x.Bad(), x.Modes())
		}
		for _, mode := range []Mode{Text, Hybrid} {
			if ans := ask(t, x, Ask{Text: "thornton food bank", Mode: mode}); len(ans.Results) == 0 || ans.Results[0].Name != "THORNTON FOOD BANK INC" || c.modes == 1 && ans.Mode != Text {
				t.Errorf("%s: by %s %s finds %q", c.file, mode, ans.Mode, namesIn(ans.Results))
			}
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if ans := ask(t, x, Ask{Text: "food"}); ans.Hits != 0 {
			t.Errorf("a closed index finds %d", ans.Hits)
		}
	}
	s := village(t, t.TempDir(), 0)
	if err := os.Remove(filepath.Join(s.Dir, filepath.FromSlash(wordsFile))); err != nil {
		t.Fatal(err)
	}
	_, err := Open(s)
	if f, ok := fault.Of(err); !ok || f.Hint == "" || f.Slug == Damaged {
		t.Errorf("a snapshot of an older program: %v", err)
	}
}

// TestVectorCache builds again: vectors are the same bytes, whether they come from
// the cache, from a spoiled one or from none.
func TestVectorCache(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	read := func(documents int) []byte {
		body, err := os.ReadFile(filepath.Join(village(t, data, documents).Dir, filepath.FromSlash(vectorsFile)))
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	first := read(5)
	path := filepath.Join(data, "stage", cacheName)
	kept, err := os.ReadFile(path)
	if err != nil {
		if len(first) > 0 {
			t.Skip("no slow encoder on this machine:", err)
		}
		t.Fatal(err)
	}
	if len(kept) != 5*recordSize {
		t.Errorf("the cache has %d bytes, want %d", len(kept), 5*recordSize)
	}
	again := read(5)
	spoiled := bytes.Clone(kept)
	spoiled[recordSize+100] ^= 1
	if err := os.WriteFile(path, spoiled[:len(spoiled)-7], 0o644); err != nil {
		t.Fatal(err)
	}
	mended := read(5)
	if !bytes.Equal(first, again) || !bytes.Equal(first, mended) {
		t.Error("vectors depend on the cache")
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, kept) {
		t.Error("the cache is not mended")
	}
	if bytes.Equal(first, read(0)) {
		t.Error("the slow encoder changes nothing")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w, err := snapshot.Create(t.TempDir(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	if err := Build(1)(ctx, w); err == nil {
		t.Error("a cancelled build goes on")
	}
}

func TestSplitPlace(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"food bank ohio":                    "food bank|OH|",
		"food banks in Ohio":                "food banks|OH|",
		"food banks in Akron, OH":           "food banks|OH|Akron",
		"shelter in Akron":                  "shelter in Akron||Akron",
		"dogs in new york":                  "dogs|NY|",
		"west virginia coal":                "west virginia coal||",
		"coal west virginia":                "coal|WV|",
		"lobbyists in Washington":           "lobbyists|WA DC|",
		"Ohio":                              "Ohio||",
		"Ohio State University":             "Ohio State University||",
		"food bank or":                      "food bank or||",
		"FOOD BANK OR":                      "FOOD BANK OR||",
		"theater near Reno Nevada":          "theater|NV|Reno",
		"a charity in Ohio that feeds kids": "a charity that feeds kids|OH|",
		"Americans in New Mexico":           "Americans|NM|",
		"sent back to Mexico":               "sent back to Mexico||",
		"believe in":                        "believe in||",
		"music in the schools of Dayton":    "music in the schools of Dayton||",
	} {
		rest, states, city := SplitPlace(q)
		if got := rest + "|" + strings.Join(states, " ") + "|" + city; got != want {
			t.Errorf("%q is %q, want %q", q, got, want)
		}
	}
}
