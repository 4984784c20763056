package quality

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/ingest/source/ofac"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/serve/screen/likeness"
)

// entities reads the names of the entities of published files; aliases may be
// empty.
func entities(t testing.TB, primary, aliases string) (names []likeness.Name) {
	t.Helper()
	open := func(path string) *os.File {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	files := ofac.Files{Primary: open(primary)}
	if aliases != "" {
		files.Aliases = open(aliases)
	}
	list, err := ofac.Read(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Entries {
		if e.Entity() {
			names = append(names, likeness.Name{ID: e.Num, Kind: likeness.Primary, Text: e.Name})
			for _, a := range e.Aliases {
				names = append(names, likeness.Name{ID: e.Num, Kind: likeness.Kind(a.Type), Text: a.Name})
			}
		}
	}
	return names
}

// organizations reads every n-th name of master files as negatives.
func organizations(t testing.TB, pattern string, n int) (cases []Case) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	i := 0
	for _, path := range paths {
		f, err := rows.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = bmf.Read(f, func(r *bmf.Record) error {
			if i++; i%n == 0 {
				cases = append(cases, Case{Query: strings.Clone(r.Name), Negative: true})
			}
			return nil
		})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
	}
	return cases
}

// gates are the least shares found at the threshold, by variant.
var gates = map[string]float64{"identity": 1, "reordered": 1, "one_typo": 0.985, "lost_space": 0.98, "dropped_word": 0.94, "two_typos": 0.86, "transliteration": 0.9, "legal_form": 0.99, "added_word": 0.9,
	"abbreviated": 0.9, "contained": 0.98}

// leastFound is the least share found of all variants together.
const leastFound = 0.985

// hold holds a report against the gates.
func hold(t *testing.T, r *Report, falsely [2]float64) {
	t.Helper()
	m := &r.At[0]
	for v, least := range gates {
		if m.Asked[v] == 0 || m.RecallOf(v) < least {
			t.Errorf("%s: %.4f of %d are found, not %.3f", v, m.RecallOf(v), m.Asked[v], least)
		}
	}
	if m.Recall() < leastFound {
		t.Errorf("%.4f are found, not %.3f", m.Recall(), leastFound)
	}
	for i, most := range falsely {
		if got := r.At[i].FalsePerThousand(); got > most {
			t.Errorf("%.3f of 1,000 others are taken for an entry at %.2f, more than %v", got, r.At[i].Threshold, most)
		}
	}
	if t.Failed() {
		var b strings.Builder
		if err := r.Print(&b, false); err != nil {
			t.Error(err)
		}
		t.Log("\n" + b.String())
	}
}

// TestInventedList holds the gates on a list that the project makes itself.
// Some organizations of that world bear names of the list on purpose.
func TestInventedList(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "world")
	if _, err := synth.Write(t.Context(), synth.Options{Out: dir, Grants: 2000, Seed: 5}); err != nil {
		t.Fatal(err)
	}
	names := entities(t, filepath.Join(dir, "ofac/sdn.csv"), filepath.Join(dir, "ofac/alt.csv"))
	l := likeness.New(names)
	r, err := Evaluate(t.Context(), l, Make(names, 1, 200))
	if err != nil {
		t.Fatal(err)
	}
	hold(t, r, [2]float64{})
	r, err = Evaluate(t.Context(), l, organizations(t, filepath.Join(dir, "bmf/*.csv"), 1))
	if err != nil {
		t.Fatal(err)
	}
	if n := r.At[0].False; n < 12 || n > 40 {
		t.Errorf("%d of %d organizations are taken for an entry; two dozen have such a name", n, r.Negatives)
	}
}

// TestRealLists holds the gates on lists as they were published, with names of
// real nonprofits as negatives.
func TestRealLists(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	negatives := organizations(t, filepath.Join(dir, "bmf/2026-04/*.csv.gz"), 16)
	for name, files := range map[string][2]string{
		"2024": {"snapshots/sdn_2024-05-02.csv.gz", "set_recent_a/alt.csv.gz"},
		"2019": {"set_2019/sdn.csv.gz", "set_2019/alt.csv.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names := entities(t, filepath.Join(dir, "ofac", files[0]), filepath.Join(dir, "ofac", files[1]))
			l := likeness.New(names)
			r, err := Evaluate(t.Context(), l, append(Make(names, 11, 2000), negatives...))
			if err != nil {
				t.Fatal(err)
			}
			hold(t, r, [2]float64{1, 0.2})
			// Find is held against the plain scan as well.
			for _, c := range append(Make(names, 12, 8), negatives[:40]...) {
				if got, want := l.Find(c.Query, likeness.Threshold), l.Scan(c.Query, likeness.Threshold); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: found %+v, the scan %+v", c.Query, got, want)
				}
			}
		})
	}
}

// TestMake looks at what is made of names.
func TestMake(t *testing.T) {
	t.Parallel()
	names := []likeness.Name{{ID: 1, Kind: likeness.Primary, Text: "ZOVRAM KHUZGOTH TRADING LTD"}, {ID: 2, Kind: likeness.AKA, Text: "QUIM BANK"}, {ID: 3, Kind: likeness.Weak, Text: "NOT THIS"}}
	cases := Make(names, 4, 10)
	if !reflect.DeepEqual(cases, Make(names, 4, 10)) || reflect.DeepEqual(cases, Make(names, 5, 10)) {
		t.Error("the seed does not decide")
	}
	seen := map[string]int{}
	for _, c := range cases {
		seen[c.Variant]++
		text := names[c.ID-1].Text
		switch c.Variant {
		case "identity":
			if c.Query != text {
				t.Errorf("%+v", c)
			}
		case "dropped_word":
			if c.ID != 1 || len(strings.Fields(c.Query)) != 3 {
				t.Errorf("%+v", c)
			}
		case "lost_space":
			if strings.ReplaceAll(c.Query, " ", "") != strings.ReplaceAll(text, " ", "") || len(c.Query) != len(text)-1 {
				t.Errorf("%+v", c)
			}
		default:
			if c.Query == text || c.ID == 3 {
				t.Errorf("%+v", c)
			}
		}
	}
	for _, v := range Variants() {
		if seen[v] == 0 && v != "transliteration" {
			t.Errorf("no %s", v)
		}
	}
}

// TestFigures works a small set out by hand.
func TestFigures(t *testing.T) {
	t.Parallel()
	l := likeness.New([]likeness.Name{{ID: 1, Kind: likeness.Primary, Text: "ZOVRAM TRADING"}, {ID: 2, Kind: likeness.Primary, Text: "QUIMTHAL BANK"}})
	r, err := Evaluate(t.Context(), l, []Case{
		{Query: "ZOVRAM TRADING", ID: 1, Variant: "identity"},
		{Query: "QUIMTHAL BANK", ID: 1, Variant: "identity"}, // found, but as another
		{Query: "NOBODY", ID: 2, Variant: "other"},
		{Query: "BANK QUIMTHAL", ID: 2, Variant: "reordered"},
		{Query: "ZOVRAM TRADING INC", Negative: true},
		{Query: "FIRST CHURCH", Negative: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.Print(&b, true); err != nil {
		t.Fatal(err)
	}
	type figures struct {
		Recall           float64            `json:"recall"`
		RecallByVariant  map[string]float64 `json:"recall_by_variant"`
		FalsePerThousand float64            `json:"false_per_thousand"`
		F1               float64            `json:"f1"`
	}
	got, want := map[string]figures{}, figures{0.5, map[string]float64{"identity": 0.5, "other": 0, "reordered": 1}, 500, round(2 * (2. / 3) * 0.5 / (2./3 + 0.5))}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil || !reflect.DeepEqual(got, map[string]figures{"0.75": want, "0.85": want}) {
		t.Errorf("%v: %s", err, b.String())
	}
	b.Reset()
	if err := r.Print(&b, false); err != nil || !strings.Contains(b.String(), "| `identity` | 2 | 0.5000 | 0.5000 |") || !strings.Contains(b.String(), "| `other` | 1 |") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if r, err = Evaluate(t.Context(), l, nil); err != nil || r.At[0].F1() != 0 || r.At[0].Recall() != 0 {
		t.Errorf("nothing is %+v", r)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Evaluate(done, l, []Case{{Query: "X"}}); err == nil {
		t.Error("a canceled measurement has a result")
	}
}

// TestRace times a few names.
func TestRace(t *testing.T) {
	t.Parallel()
	l := likeness.New([]likeness.Name{{ID: 1, Kind: likeness.Primary, Text: "ZOVRAM TRADING"}})
	s, err := Race(t.Context(), l, []string{"ZOVRAM TRADING", "FIRST CHURCH", "ANOTHER"}, 3000, 2)
	if err != nil || s.Asked != 3 || s.Hits != 1000 || s.Bulk != 3000 || s.P50 <= 0 || s.ScanP50 <= 0 || s.PerSecond() <= 0 {
		t.Errorf("%v: %+v", err, s)
	}
	var b strings.Builder
	if err := s.Print(&b, false); err != nil || !strings.Contains(b.String(), "3,000 names, 2 cores") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if err := s.Print(&b, true); err != nil || !strings.Contains(b.String(), `"p50_ns":`) {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if s, err = Race(t.Context(), l, nil, 10, 2); err != nil || s.Asked != 0 || s.PerSecond() != 0 {
		t.Errorf("no names: %v, %+v", err, s)
	}
}
