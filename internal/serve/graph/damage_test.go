package graph_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

// TestDamage spoils an index in every way, in memory and on the disk.
func TestDamage(t *testing.T) {
	t.Parallel()
	s := random(3, 70).write(t, t.TempDir())
	path := filepath.Join(s.Dir, "graph", "index")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mappedtest.Damage(t, graph.FileKind, data, func(data []byte) error {
		_, err := graph.OpenBytes(data)
		return err
	})
	reopen := func() error {
		g, err := graph.Open(s)
		if err != nil {
			return err
		}
		return g.Close()
	}
	mappedtest.Files(t, graph.FileKind, path, reopen)

	s.Manifest.Counts.Grants++
	another := reopen()
	s.Manifest.Counts.Grants--
	if f, ok := fault.Of(another); !ok || f.Slug != graph.Damaged {
		t.Errorf("an index of another snapshot: %v", another)
	}
	for i := range s.Manifest.Files {
		s.Manifest.Files[i].Bytes++
	}
	if f, ok := fault.Of(reopen()); !ok || f.Slug != graph.Damaged {
		t.Errorf("an index of another size than the manifest says: %v", f)
	}
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
