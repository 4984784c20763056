package graph_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/graph"
	"grantgraph/internal/snapshot"
)

func refused(t *testing.T, s *snapshot.Snapshot, what string) {
	t.Helper()
	g, err := graph.Open(s)
	if err == nil {
		g.Close()
		t.Fatalf("an index %s is opened", what)
	}
	f, ok := fault.Of(err)
	if !ok || f.Hint == "" {
		t.Fatalf("an index %s: %v is no fault with a hint", what, err)
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	s := random(3, 300).write(t, t.TempDir())
	path := filepath.Join(s.Dir, "graph", "index")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, forgiving := range []bool{false, true} {
		if forgiving {
			s.Manifest.Files = nil // no help from the manifest
		}
		for _, n := range []int{0, 1, 63, 64, 65, 1000, len(whole) / 2, len(whole) - 1} {
			put(whole[:n])
			refused(t, s, "cut short")
		}
		put(append(slices.Clone(whole), 0))
		refused(t, s, "with a byte more")
	}
	r := rand.New(rand.NewPCG(1, 1))
	changed := 0
	for range 300 {
		b := slices.Clone(whole)
		i := r.IntN(len(b))
		if r.IntN(3) == 0 {
			i = r.IntN(4096)
		}
		b[i] ^= 1 << r.IntN(8)
		put(b)
		// A changed byte is refused unless it lies in the padding, where it
		// means nothing.
		if g, err := graph.Open(s); err != nil {
			changed++
		} else {
			rows, _, err := g.Transactions(context.Background(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 300})
			if err != nil || len(rows) != 300 {
				t.Fatal("a damaged index answers wrongly")
			}
			g.Close()
		}
	}
	if changed < 200 {
		t.Errorf("only %d of 300 changes were noticed", changed)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	refused(t, s, "that is missing")
	put(whole)
	s.Manifest.Counts.Grants++
	refused(t, s, "of another snapshot")
	s.Manifest.Counts.Grants--
	g, err := graph.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	g.Close()
}

// TestBuildRefuses gives Build tables that contradict themselves.
func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*corpus){
		"order of funders":    func(c *corpus) { slices.Reverse(c.grants) },
		"funder":              func(c *corpus) { c.grants[0].FunderEIN = "x" },
		"recipient":           func(c *corpus) { c.grants[0].RecipientEIN = "x" },
		"rule":                func(c *corpus) { c.grants[0].EINSource = "guess" },
		"repeated key":        func(c *corpus) { c.grants[1].Key = c.grants[0].Key },
		"many years":          func(c *corpus) { spreadYears(c) },
		"two EINs of one":     func(c *corpus) { c.grants[0].RecipID, c.grants[0].RecipientEIN = c.grants[1].RecipID, "089999999" },
		"order of recipients": func(c *corpus) { c.grants[0].FunderEIN, c.grants[0].RecipID = c.grants[1].FunderEIN, "zz" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := random(4, 200)
			c.write(t, t.TempDir()) // sorts
			spoil(c)
			w, err := snapshot.Create(t.TempDir(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{
				snapshot.WriteTable(w, snapshot.Grants, slices.Values(c.grants)),
				snapshot.WriteTable(w, snapshot.FunderKinds, slices.Values(c.funders)),
				snapshot.WriteTable(w, snapshot.Organizations, slices.Values(c.orgs)),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := graph.Build(context.Background(), w); err == nil {
				t.Error("it is indexed")
			} else if _, ok := fault.Of(err); !ok {
				t.Errorf("%v is no fault", err)
			}
		})
	}
}

func spreadYears(c *corpus) {
	for i := range c.grants {
		c.grants[i].TaxYear = int32(1900 + i)
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	t.Parallel()
	var last []byte
	for range 2 {
		b, err := os.ReadFile(filepath.Join(random(8, 500).write(t, t.TempDir()).Dir, "graph", "index"))
		if err != nil {
			t.Fatal(err)
		}
		if last != nil && !slices.Equal(b, last) {
			t.Error("two builds of the same tables differ")
		}
		last = b
	}
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	g := open(t, random(10, 500).write(t, t.TempDir()))
	g.ShrinkCache(20_000)
	r := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	most := 0
	for range 500 {
		if _, _, err := g.Funders(ctx, randomFilter(r), graph.Sort{}, graph.Page{Limit: 5}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := g.Transactions(ctx, randomFilter(r), graph.Sort{}, graph.Page{Limit: 5}); err != nil {
			t.Fatal(err)
		}
		most = max(most, g.CacheSize())
	}
	if most > 20_000 || most < 10_000 {
		t.Errorf("the cache has held %d bytes", most)
	}
}
