package search

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/orgname"
)

// register is the index of the real master files at hand.
var register = sync.OnceValues(func() (*Index, error) {
	names, err := filepath.Glob(filepath.Join(upstream.Find(), "bmf", "2026-04", "*.csv.gz"))
	if err != nil {
		return nil, err
	}
	var entries []member
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		_, err = bmf.Read(f, func(r *bmf.Record) error {
			e := member{ein: r.EIN, name: strings.Clone(r.Name), city: strings.Clone(r.City), state: strings.Clone(r.State)}
			if r.Revenue.Set {
				v := r.Revenue.Value
				e.revenue = &v
			}
			entries = append(entries, e)
			return nil
		})
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(entries, func(a, b member) int { return int(a.ein) - int(b.ein) })
	entries = slices.CompactFunc(entries, func(a, b member) bool { return a.ein == b.ein })
	data, err := os.MkdirTemp("", "register")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(data) // the files are mapped by then
	s, err := buildIn(data, entries)
	if err != nil {
		return nil, err
	}
	return OpenNames(s)
})

// TestRealNames asks for real recipients by the names that real funders wrote,
// in the real register. Where the registered name shares no word with the one
// written, the filed EIN is suspect and no search by name can find it; those
// lines are counted apart.
func TestRealNames(t *testing.T) {
	t.Parallel()
	dir := upstream.Dir(t)
	raw, err := os.ReadFile(filepath.Join(dir, "matching", "schedule_i_labelled_DERIVED.csv.gz"))
	if err != nil {
		t.Skipf("no labelled lines: %v", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	x, err := register()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d organizations indexed in %v", len(x.orgs), time.Since(start).Round(time.Millisecond))
	var all, exact, inexact, stateless, foreign tally
	var took []time.Duration
	logged := 0
	for _, f := range rows[1:] {
		want, ok := ein.Filed(f[9])
		if !ok {
			continue
		}
		right, ok := x.Lookup(want)
		if !ok {
			continue
		}
		q := strings.TrimSpace(f[2] + " " + f[3])
		key := orgname.Key(right.Name)
		start := time.Now()
		found := x.Find(q, right.State, 10)
		took = append(took, time.Since(start))
		r := rank(found, want, key)
		stateless.add(rank(x.Find(q, "", 10), want, key))
		if !share(q, right.Name) {
			foreign.add(r)
			continue
		}
		all.add(r)
		if orgname.Key(q) == key {
			exact.add(r)
			continue
		}
		inexact.add(r)
		if r != 0 && logged < 25 {
			logged++
			got := "nothing"
			if len(found) > 0 {
				got = found[0].Name
			}
			t.Logf("%q is %q (rank %d), found %q", q, right.Name, r, got)
		}
	}
	for _, c := range []struct {
		name string
		*tally
	}{{"shares a word", &all}, {"same key", &exact}, {"another spelling", &inexact}, {"shares no word", &foreign}, {"without the state", &stateless}} {
		t.Logf("%-18s %6d asked   first %.4f   ten %.4f", c.name, c.asked, c.at1(), c.at10())
	}
	slices.Sort(took)
	if len(took) > 0 {
		t.Logf("p50 %v   p95 %v   p99 %v   most %v", took[len(took)/2], took[len(took)*95/100], took[len(took)*99/100], took[len(took)-1])
	}
	if exact.at1() < 0.99 || all.at1() < 0.95 || all.at10() < 0.97 {
		t.Errorf("first %.4f (same key %.4f), ten %.4f", all.at1(), exact.at1(), all.at10())
	}
}

// share reports whether two names have a word of weight in common.
func share(a, b string) bool {
	small := []string{"FOUNDATION", "INC", "CENTER", "COMMUNITY", "ASSOCIATION", "SOCIETY", "COUNTY", "AMERICA", "AMERICAN", "NATIONAL", "FUND"}
	other := strings.Fields(orgname.Parse(b).K2)
	for _, w := range strings.Fields(orgname.Parse(a).K2) {
		if len(w) > 3 && !slices.Contains(small, w) && slices.Contains(other, w) {
			return true
		}
	}
	return orgname.Key(a) == orgname.Key(b)
}
