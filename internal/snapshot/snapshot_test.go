package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/disk/powerloss"
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
	t.Cleanup(disk.Mount(data, fullDisk{}))
	w, err := Create(data, noon.Add(time.Hour))
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

// fullDisk has room for names alone.
type fullDisk struct{ disk.OS }

func (d fullDisk) Create(path string, perm fs.FileMode, fresh bool) (disk.Handle, error) {
	h, err := d.OS.Create(path, perm, fresh)
	return fullFile{h}, err
}

type fullFile struct{ disk.Handle }

func (fullFile) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestPruneKeepsTheNewestAndTheCurrent(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	var all []*Snapshot
	for range 5 {
		all = append(all, publish(t, data, 1))
	}
	// The pointer may have been set back by hand.
	if err := pointTo(data, all[0].Manifest.Version); err != nil {
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
	must(t, disk.Lock(f))
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
		{"table cut", func(t *testing.T, _ string, s *Snapshot) { must(t, os.Truncate(s.Path("rows"), 100)) }, "", Damaged},
		{"table gone", func(t *testing.T, _ string, s *Snapshot) { must(t, os.Remove(s.Path("rows"))) }, "", Damaged},
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
			if f, ok := fault.Of(s.Verify()); !ok || f.Slug != tc.verify || !strings.Contains(f.Message, s.Path("rows")) {
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

// sound opens what a data directory points to and reads all of it.
func sound(data string) (version string, err error) {
	s, err := Open(data)
	if errors.Is(err, ErrNone) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if err := s.Verify(); err != nil {
		return "", err
	}
	for _, err := range Rows[row](s, "rows") {
		if err != nil {
			return "", err
		}
	}
	return s.Manifest.Version, nil
}

// TestPowerCutAtPublish publishes snapshots and cuts the power after every
// change of the disk: the pointer names a snapshot that is whole, always.
func TestPowerCutAtPublish(t *testing.T) {
	root := t.TempDir()
	data := filepath.Join(root, "a", "data") // made anew, folders and all
	before := ""
	for range 2 {
		r := powerloss.Record(t, root)
		w, err := Create(data, noon)
		must(t, err)
		must(t, WriteTable(w, "rows", func(yield func(row) bool) { yield(row{EIN: "070000001"}) }))
		must(t, w.WriteFile("deep/er/index", func(out io.Writer) error { _, err := io.WriteString(out, "an index"); return err }))
		// As an engine writes, past this package: what it leaves in the folder
		// is durable too.
		must(t, os.WriteFile(filepath.Join(w.dir, "foreign"), []byte("a database"), 0o644))
		must(t, w.Verify(t.Context()))
		s, err := w.Publish(Manifest{Report: []byte("{}")})
		must(t, err)
		after := s.Manifest.Version
		r.Each(t, func(dir string, done bool) error {
			got, err := sound(filepath.Join(dir, "a", "data"))
			if err != nil {
				return err
			}
			if got != after && (done || got != before) {
				return fmt.Errorf("current is %q, was %q, became %q", got, before, after)
			}
			if got == after {
				if body, err := os.ReadFile(filepath.Join(dir, "a", "data", "builds", after, "foreign")); err != nil || string(body) != "a database" {
					return fmt.Errorf("the engine's file: %q, %v", body, err)
				}
			}
			return nil
		})
		before = after
	}
}

// TestPowerCutAtPrune cuts the power while old snapshots are removed: each is
// whole, or not there for those who ask for it.
func TestPowerCutAtPrune(t *testing.T) {
	data := t.TempDir()
	var all []string
	for range 3 {
		all = append(all, publish(t, data, 2).Manifest.Version)
	}
	r := powerloss.Record(t, data)
	must(t, Prune(data, 1))
	r.Each(t, func(dir string, done bool) error {
		for i, v := range all {
			s, err := OpenVersion(dir, v)
			if f, ok := fault.Of(err); ok && f.Slug == "no_such_snapshot" && i < 2 {
				continue
			}
			if err == nil {
				err = s.Verify()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// stuck is a disk from which nothing of a snapshot can be removed.
type stuck struct {
	disk.OS
	below string
}

func (d stuck) Remove(path string) error {
	if _, err := os.Lstat(path); err == nil && strings.Contains(path, d.below) {
		return &fs.PathError{Op: "remove", Path: path, Err: fs.ErrPermission}
	}
	return d.OS.Remove(path)
}

// TestLeftovers has a snapshot and the remains of a build that nobody can
// remove: what can be removed is, the error names the rest, and the next
// snapshot is published all the same.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first, second := publish(t, data, 1), publish(t, data, 1)
	left := filepath.Join(data, "builds", ".new-"+noon.Add(3*time.Second).Format(stampLayout))
	must(t, os.MkdirAll(left, 0o755))
	must(t, os.WriteFile(filepath.Join(left, "x"), nil, 0o644))
	third := publish(t, data, 1)
	unmount := []func(){disk.Mount(data, stuck{below: first.Manifest.Version}), disk.Mount(left, stuck{below: left})}
	err := Prune(data, 1)
	if err == nil || !strings.Contains(err.Error(), first.Dir) || !strings.Contains(err.Error(), left) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(second.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what could be removed is there: %v", err)
	}
	if s, err := Open(data); err != nil || s.Manifest.Version != third.Manifest.Version {
		t.Errorf("current is %v, %v", s, err)
	}
	fourth := publish(t, data, 1) // its stamp would have been that of the remains
	if fourth.Dir == filepath.Join(data, "builds", strings.TrimPrefix(filepath.Base(left), ".new-")) {
		t.Errorf("%s was made among the remains", fourth.Dir)
	}
	for _, u := range unmount {
		u()
	}
	must(t, Prune(data, 1))
	if entries, _ := os.ReadDir(filepath.Join(data, "builds")); len(entries) != 1 {
		t.Errorf("%v is left", entries)
	}
}

// TestManifestIsSealed flips a bit of every byte of a manifest, one at a time.
func TestManifestIsSealed(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := publish(t, data, 1)
	path := filepath.Join(s.Dir, manifestName)
	body, err := os.ReadFile(path)
	must(t, err)
	for i := range body {
		body[i] ^= 1 << (i % 8)
		must(t, os.WriteFile(path, body, 0o644))
		if _, err := Open(data); err == nil {
			t.Fatalf("bit %d of byte %d was flipped and nobody noticed", i%8, i)
		}
		body[i] ^= 1 << (i % 8)
	}
}

func TestVerifyFiles(t *testing.T) {
	t.Parallel()
	s := publish(t, t.TempDir(), 100)
	must(t, os.Truncate(s.Path("rows"), 100))
	must(t, s.VerifyFiles(t.Context(), func(f File) bool { return f.Path != "tables/rows.parquet" }))
	if f, ok := fault.Of(s.VerifyFiles(t.Context(), nil)); !ok || f.Slug != Damaged {
		t.Errorf("got %v", f)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.VerifyFiles(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
