package snapshot

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

type row struct {
	EIN    string `parquet:"ein,optional,dict"`
	Amount *int64 `parquet:"amount,optional"`
	Note   string `parquet:"note,optional"`
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// publish makes a snapshot of n rows.
func publish(t *testing.T, data string, n int) *Snapshot {
	t.Helper()
	w, err := Create(data, noon)
	if err != nil {
		t.Fatal(err)
	}
	err = WriteTable(w, "rows", func(yield func(row) bool) {
		for i := range n {
			v := int64(i)
			if !yield(row{EIN: "070000001", Amount: &v, Note: strings.Repeat("x", i%5)}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Publish(Manifest{Report: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPublishAndOpen(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, 3000)
	s, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(); err != nil {
		t.Fatal(err)
	}
	if got := s.Manifest.Files[0].Rows; got != 3000 {
		t.Errorf("the manifest says %d rows", got)
	}
	i := 0
	for r, err := range Rows[row](s, "rows") {
		if err != nil {
			t.Fatal(err)
		}
		if *r.Amount != int64(i) || len(r.Note) != i%5 || r.EIN != "070000001" {
			t.Fatalf("row %d is %+v", i, r)
		}
		i++
	}
	if i != 3000 {
		t.Errorf("read %d rows", i)
	}
}

func TestVersionsAlwaysRise(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first, second := publish(t, data, 1), publish(t, data, 1)
	if first.Manifest.Version >= second.Manifest.Version {
		t.Errorf("%s is followed by %s", first.Manifest.Version, second.Manifest.Version)
	}
	if first.Manifest.Content != second.Manifest.Content {
		t.Error("the same rows have another content hash")
	}
	s, err := Open(data)
	if err != nil || s.Manifest.Version != second.Manifest.Version {
		t.Errorf("current is %v, %v", s, err)
	}
}

func TestAnAbandonedSnapshotLeavesNoTrace(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	before := publish(t, data, 10)
	w, err := Create(data, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Table[row](w, "rows"); err != nil {
		t.Fatal(err)
	}
	w.Abandon()
	s, err := Open(data)
	if err != nil || s.Manifest.Version != before.Manifest.Version {
		t.Errorf("current is %v, %v", s, err)
	}
	entries, _ := os.ReadDir(filepath.Join(data, "builds"))
	if len(entries) != 1 {
		t.Errorf("%d entries in builds", len(entries))
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	before := publish(t, data, 10)
	w, err := CreateWith(data, noon.Add(time.Hour), func(string) (io.WriteCloser, error) { return fullDisk{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	err = WriteTable(w, "rows", func(yield func(row) bool) {
		for range 5000 {
			if !yield(row{EIN: "070000001"}) {
				return
			}
		}
	})
	if f, ok := fault.Of(err); !ok || f.Slug != "no_space" || f.Hint == "" {
		t.Fatalf("got %v", err)
	}
	if s, err := Open(data); err != nil || s.Manifest.Version != before.Manifest.Version {
		t.Errorf("current is %v, %v", s, err)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
func (fullDisk) Close() error              { return nil }

func TestPruneKeepsTheNewestAndTheCurrent(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var all []*Snapshot
	for range 5 {
		all = append(all, publish(t, data, 1))
	}
	// The pointer may have been set back by hand.
	if err := point(data, all[0].Manifest.Version); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(data, "builds", ".new-20200101T000000Z")
	if err := os.MkdirAll(dead, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Prune(data, 2); err != nil {
		t.Fatal(err)
	}
	names, err := versions(filepath.Join(data, "builds"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{all[0].Manifest.Version, all[3].Manifest.Version, all[4].Manifest.Version}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("kept %v, want %v", names, want)
	}
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Error("the remains of a dead build are still there")
	}
}

// TestHold prunes while two hold a snapshot, then one, then nobody.
func TestHold(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	held, free := publish(t, data, 1), publish(t, data, 1)
	publish(t, data, 1)
	var releases []func()
	for range 2 {
		release, err := held.Hold()
		must(t, err)
		releases = append(releases, release)
	}
	for i := range 3 {
		must(t, Prune(data, 1))
		if _, err := os.Stat(held.Path("rows")); (err == nil) != (i < 2) {
			t.Errorf("held by %d: %v", 2-i, err)
		}
		if i < 2 {
			releases[i]()
		}
	}
	for name, s := range map[string]*Snapshot{"pruned": free, "pruned when nobody held it": held} {
		if _, err := s.Hold(); err == nil {
			t.Errorf("a snapshot %s is held", name)
		} else if f, ok := fault.Of(err); !ok || f.Slug != "no_such_snapshot" || f.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHoldWhilePruned holds a snapshot that is being removed.
func TestHoldWhilePruned(t *testing.T) {
	t.Parallel()
	s := publish(t, t.TempDir(), 1)
	f, err := os.Open(filepath.Join(s.Dir, "manifest.json"))
	must(t, err)
	defer f.Close()
	must(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	if _, err := s.Hold(); err == nil {
		t.Error("it is held")
	}
}

func TestDamageIsSaid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		damage func(t *testing.T, data string, s *Snapshot)
		open   string // slug of the error of Open, or
		verify string // of Verify
	}{
		{"no pointer", func(t *testing.T, data string, _ *Snapshot) { must(t, os.Remove(filepath.Join(data, "current"))) }, "no_snapshot", ""},
		{"pointer to elsewhere", func(t *testing.T, data string, _ *Snapshot) {
			must(t, os.WriteFile(filepath.Join(data, "current"), []byte("../../etc\n"), 0o644))
		}, "bad_pointer", ""},
		{"pointer to what is gone", func(t *testing.T, data string, _ *Snapshot) {
			must(t, os.WriteFile(filepath.Join(data, "current"), []byte("20200101T000000Z\n"), 0o644))
		}, "no_such_snapshot", ""},
		{"manifest cut", func(t *testing.T, _ string, s *Snapshot) {
			must(t, os.Truncate(filepath.Join(s.Dir, "manifest.json"), 20))
		}, "bad_manifest", ""},
		{"other layout", func(t *testing.T, _ string, s *Snapshot) {
			must(t, os.WriteFile(filepath.Join(s.Dir, "manifest.json"), []byte(`{"format": 99}`), 0o644))
		}, "snapshot_format", ""},
		{"table cut", func(t *testing.T, _ string, s *Snapshot) { must(t, os.Truncate(s.Path("rows"), 100)) }, "", "snapshot_damaged"},
		{"table gone", func(t *testing.T, _ string, s *Snapshot) { must(t, os.Remove(s.Path("rows"))) }, "", "not_found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			tc.damage(t, data, publish(t, data, 100))
			s, err := Open(data)
			if tc.open != "" {
				if f, ok := fault.Of(err); !ok || f.Slug != tc.open || f.Hint == "" {
					t.Fatalf("Open gave %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if f, ok := fault.Of(s.Verify()); !ok || f.Slug != tc.verify {
				t.Fatalf("Verify gave %v", s.Verify())
			}
			var readErr error
			for _, err := range Rows[row](s, "rows") {
				readErr = err
			}
			if readErr == nil {
				t.Error("a damaged table was read without an error")
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
