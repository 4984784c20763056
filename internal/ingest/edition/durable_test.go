package edition

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/disk/powerloss"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// TestPowerCutLists cuts the power while an edition of the lists, and what was
// seen upstream, take the place of those before.
func TestPowerCutLists(t *testing.T) {
	sources, data := t.TempDir(), t.TempDir()
	pub78 := "070000001|Alder Family Foundation|Dover|DE|United States|PF\n"
	before := ""
	for range 2 {
		put(t, sources, "pub78/data-download-pub78.txt", pub78)
		put(t, sources, ".fetch/pub78.json", fmt.Sprintf(`{"source":"pub78","checked_at":"2026-10-0%dT00:00:00Z"}`, len(pub78)%9+1))
		r := powerloss.Record(t, data)
		result, err := Make(t.Context(), Options{Sources: sources, Data: data})
		if err != nil {
			t.Fatal(err)
		}
		if !result.Changed || !result.Edition.Status(lists.Pub78).Loaded {
			t.Fatalf("%+v", result.Edition.Lists)
		}
		after := result.Edition.Manifest.Version
		checks, err := lists.ReadChecks(data)
		if err != nil || len(checks) != 1 {
			t.Fatal(checks, err)
		}
		r.Each(t, func(dir string, done bool) error {
			c, err := lists.Read(dir)
			if f, ok := fault.Of(err); ok && f.Slug == "lists_lost" && !done && before == "" {
				// The first edition is whole, and nothing points to it yet. That looks like a
				// lost pointer, so nobody is screened until the next edition.
				return nil
			}
			if err != nil {
				return err
			}
			if v := c.Version(); v != after && (done || v != before) {
				return fmt.Errorf("the edition is %q, was %q, became %q", v, before, after)
			}
			if done && (len(c.Checks) != 1 || c.Checks[0] != checks[0]) {
				return fmt.Errorf("upstream showed %v, now %v", checks, c.Checks)
			}
			return nil
		})
		before = after
		pub78 += "070000002|Birch Foundation|Dover|DE|United States|PF\n"
	}
}

// TestListLeftoversAreAWarning publishes an edition where the older ones cannot
// be removed: it is published, and not said to have failed.
func TestListLeftoversAreAWarning(t *testing.T) {
	t.Parallel()
	sources, data := t.TempDir(), t.TempDir()
	rows := ""
	var last *Result
	for i := range keptEditions + 2 {
		rows += fmt.Sprintf("07000000%d|Foundation %d|Dover|DE|United States|PF\n", i+1, i)
		put(t, sources, "pub78/data-download-pub78.txt", rows)
		if i == keptEditions {
			t.Cleanup(disk.Mount(lists.Dir(data), stuck{word: lists.Dir(data)}))
		}
		last = makeLists(t, sources, data)
	}
	if !last.Changed || len(last.Warnings) != 1 || !strings.Contains(last.Warnings[0], "could not be removed") {
		t.Errorf("%v %q", last.Changed, last.Warnings)
	}
	if c, err := lists.Read(data); err != nil || c.Version() != last.Edition.Manifest.Version {
		t.Errorf("%v, %v", c, err)
	}
}

// TestDamagedListIsReadAnew damages a table of an edition, then its manifest:
// the next edition is made from the sources, and neither is handed on.
func TestDamagedListIsReadAnew(t *testing.T) {
	t.Parallel()
	sources, data := t.TempDir(), t.TempDir()
	put(t, sources, "pub78/data-download-pub78.txt", "070000001|Alder Family Foundation|Dover|DE|United States|PF\n")
	first := makeLists(t, sources, data)
	table := first.Edition.Path(lists.Deductibles)
	if err := os.Truncate(table, 30); err != nil {
		t.Fatal(err)
	}
	second := makeLists(t, sources, data)
	if !second.Changed || len(second.Read) != 1 || len(second.Warnings) != 1 || !strings.Contains(second.Warnings[0], table) {
		t.Errorf("%+v", second)
	}
	if _, err := lists.Read(data); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(filepath.Join(second.Edition.Dir, "manifest.json"), 30); err != nil {
		t.Fatal(err)
	}
	third := makeLists(t, sources, data)
	if !third.Changed || len(third.Read) != 1 || len(third.Warnings) != 1 {
		t.Errorf("%+v", third)
	}
	// Without the source nothing can be made of it, and nothing is pretended.
	if err := errors.Join(os.Truncate(third.Edition.Path(lists.Deductibles), 30), os.Remove(filepath.Join(sources, "pub78/data-download-pub78.txt"))); err != nil {
		t.Fatal(err)
	}
	fourth := makeLists(t, sources, data)
	if s := fourth.Edition.Status(lists.Pub78); s.Loaded || s.Problem == "" || len(fourth.Warnings) != 1 {
		t.Errorf("%+v %q", s, fourth.Warnings)
	}
}

// TestRottenLists writes an edition to a disk that keeps something else than it
// was given: it is not published, and the edition before stays.
func TestRottenLists(t *testing.T) {
	t.Parallel()
	sources, data := t.TempDir(), t.TempDir()
	put(t, sources, "pub78/data-download-pub78.txt", "070000001|Alder Family Foundation|Dover|DE|United States|PF\n")
	first := makeLists(t, sources, data)
	put(t, sources, "pub78/data-download-pub78.txt", "070000002|Birch Family Foundation|Dover|DE|United States|PF\n")
	t.Cleanup(disk.Mount(lists.Dir(data), rotten{}))
	_, err := Make(t.Context(), Options{Sources: sources, Data: data, Now: func() time.Time { return time.Date(2026, 10, 16, 0, 0, 0, 0, time.UTC) }})
	if f, ok := fault.Of(err); !ok || f.Slug != snapshot.Damaged {
		t.Errorf("the edition is published: %v", err)
	}
	if c, err := lists.Read(data); err != nil || c.Version() != first.Edition.Manifest.Version {
		t.Errorf("%v, %v", c, err)
	}
}

// rotten is a disk that changes the last bit of everything written to a table.
type rotten struct{ disk.OS }

func (r rotten) Create(path string, perm fs.FileMode, fresh bool) (disk.Handle, error) {
	h, err := r.OS.Create(path, perm, fresh)
	if err != nil || filepath.Ext(path) != ".parquet" {
		return h, err
	}
	return rottenFile{h}, nil
}

type rottenFile struct{ disk.Handle }

func (f rottenFile) Write(p []byte) (int, error) {
	rotten := bytes.Clone(p)
	if n := len(rotten); n > 0 {
		rotten[n-1] ^= 1
	}
	return f.Handle.Write(rotten)
}

// stuck is a disk on which nothing can be removed that has a word in its path.
type stuck struct {
	disk.OS
	word string
}

func (d stuck) Remove(path string) error {
	if _, err := os.Lstat(path); err == nil && strings.Contains(path, d.word) {
		return &fs.PathError{Op: "remove", Path: path, Err: fs.ErrPermission}
	}
	return d.OS.Remove(path)
}

func put(t *testing.T, root, path, content string) {
	t.Helper()
	write(path, content)(t, root)
	write(synth.Marker, marked)(t, root)
}
