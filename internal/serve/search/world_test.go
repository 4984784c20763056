package search

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

// Invented is the world that all tests share: the directory of its files and
// its snapshot. The external test package sets it, for package world imports this
// one.
var Invented func(testing.TB) (sources string, s *snapshot.Snapshot)

// invented is the world with its index open until the test ends.
func invented(t testing.TB) (s *snapshot.Snapshot, x *Index) {
	t.Helper()
	_, s = Invented(t)
	x, err := Open(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return s, x
}

// tally counts how often the right organization comes first, and among the
// first ten.
type tally struct{ asked, first, ten int }

func (c *tally) add(rank int) {
	c.asked++
	if rank == 0 {
		c.first++
	}
	if rank >= 0 && rank < 10 {
		c.ten++
	}
}

func (c *tally) at1() float64  { return float64(c.first) / float64(max(1, c.asked)) }
func (c *tally) at10() float64 { return float64(c.ten) / float64(max(1, c.asked)) }

// rank is where the right organization stands among the results, -1 when it is
// not there. One of the same name in the state asked for is as right.
func rank(results []Result, want ein.EIN, key string) int {
	return slices.IndexFunc(results, func(r Result) bool { return r.EIN == want || orgname.Key(r.Name) == key })
}

// nameTags are the ways in which a filed name departs from the registered one.
var nameTags = []string{"exact", "suffix", "abbreviation", "lost_space", "typo", "truncated", "alias", "extra_words", "care_of", "renamed"}

// TestFiledNames asks for every distinct recipient by the name that a funder
// wrote, and holds the first result against the truth of the world.
func TestFiledNames(t *testing.T) {
	t.Parallel()
	s, x := invented(t)
	sources, _ := Invented(t)
	type truth struct {
		ObjectID string   `json:"object_id"`
		Part     string   `json:"part"`
		Line     int32    `json:"line"`
		EIN      string   `json:"true_ein"`
		Class    string   `json:"class"`
		Noise    []string `json:"noise"`
	}
	f, err := os.Open(filepath.Join(sources, "truth.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	known := map[string]truth{}
	for s := bufio.NewScanner(f); s.Scan(); {
		var l truth
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if l.Class == "org" || l.Class == "gov" {
			known[fmt.Sprint(l.ObjectID, "/", l.Part, "/", l.Line)] = l
		}
	}
	counts := map[string]*tally{}
	asked := map[string]bool{}
	misses := map[string]int{}
	for g, err := range snapshot.Rows[snapshot.Grant](s, snapshot.Grants) {
		if err != nil {
			t.Fatal(err)
		}
		l, ok := known[fmt.Sprint(g.ObjectID, "/", g.Part, "/", g.Line)]
		if !ok || asked[g.RecipientRaw+l.EIN] {
			continue
		}
		asked[g.RecipientRaw+l.EIN] = true
		e, err := ein.Parse(l.EIN)
		if err != nil {
			continue
		}
		right, ok := x.Lookup(e)
		if !ok {
			continue
		}
		tag := ""
		several := 0
		for _, n := range l.Noise {
			if slices.Contains(nameTags, n) {
				tag = n
				several++
			}
		}
		if several != 1 {
			tag = "several"
		}
		results := x.Find(g.RecipientRaw, right.State, 10)
		r := rank(results, e, orgname.Key(right.Name))
		if counts[tag] == nil {
			counts[tag] = new(tally)
		}
		counts[tag].add(r)
		if r != 0 && misses[tag] < 6 {
			misses[tag]++
			got := "nothing"
			if len(results) > 0 {
				got = fmt.Sprintf("%s (%.3f)", results[0].Name, results[0].Score)
			}
			t.Logf("%s: %q is %q (rank %d), found %s", tag, g.RecipientRaw, right.Name, r, got)
		}
	}
	for _, tag := range append(nameTags, "several") {
		if c := counts[tag]; c != nil {
			t.Logf("%-14s %6d asked   first %.4f   ten %.4f", tag, c.asked, c.at1(), c.at10())
		}
	}
	for _, tag := range []string{"exact", "suffix", "typo"} {
		c := counts[tag]
		if c == nil || c.asked < 100 {
			t.Fatalf("too few names with %s in the world", tag)
		}
		if c.at1() < 0.98 || c.at10() < 0.99 {
			t.Errorf("%s: first %.4f, ten %.4f; at least 0.98 and 0.99 are wanted", tag, c.at1(), c.at10())
		}
	}
}
