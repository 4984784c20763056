package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/disk"
	"grantgraph/internal/disk/powerloss"
	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

// TestPowerCutClusterKeys cuts the power while cluster keys are replaced.
func TestPowerCutClusterKeys(t *testing.T) {
	data := t.TempDir()
	b := &builder{opt: Options{Data: data}}
	for round := 1; round <= 2; round++ {
		r := powerloss.Record(t, data)
		var spellings []abroad.Spelling
		for i := range round {
			name := strings.Repeat("ORCHARD ", i+1) + "TRUST"
			spellings = append(spellings, abroad.Spelling{Country: "UK", Raw: name, Name: orgname.Parse(name), Rows: 1})
		}
		b.clusters = abroad.Cluster(spellings, abroad.Keys{})
		if err := b.keepClusterKeys(); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(data, clusterKeysName))
		if err != nil {
			t.Fatal(err)
		}
		r.Each(t, func(dir string, done bool) error {
			_, err := readClusterKeys(filepath.Join(dir, clusterKeysName))
			if err != nil {
				return err
			}
			got, err := os.ReadFile(filepath.Join(dir, clusterKeysName))
			if err != nil && (done || round > 1 || !errors.Is(err, fs.ErrNotExist)) {
				return err
			}
			if done && string(got) != string(want) {
				return fmt.Errorf("the keys read back are others: %.200q", got)
			}
			return nil
		})
	}
}

// TestDamagedShard damages staged shards in every way; the next build makes
// them anew, says so, and comes to the same bytes.
func TestDamagedShard(t *testing.T) {
	t.Parallel()
	root, data := sample().lay(t), t.TempDir()
	opt := Options{Sources: root, Data: data, shardBytes: 1}
	first := run(t, opt)
	shards, err := filepath.Glob(filepath.Join(data, "stage", "*", "sums"))
	if err != nil || len(shards) < 5 || len(shards) != first.Staged {
		t.Fatal(len(shards), first.Staged, err)
	}
	flip := func(path string) error {
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		body[len(body)/2] ^= 4
		return os.WriteFile(path, body, 0o644)
	}
	for i, damage := range []func(dir string) error{
		func(dir string) error { return flip(filepath.Join(dir, "lines.table")) },
		func(dir string) error { return flip(filepath.Join(dir, "sums")) },
		func(dir string) error { return os.Truncate(filepath.Join(dir, "returns.table"), 0) },
		func(dir string) error { return os.Remove(filepath.Join(dir, "people.table")) },
		func(dir string) error { return os.Remove(filepath.Join(dir, "sums")) },
	} {
		if err := damage(filepath.Dir(shards[i])); err != nil {
			t.Fatal(err)
		}
	}
	var told []string
	opt.Note = func(text string) { told = append(told, text) }
	again := run(t, opt)
	if again.Remade != 5 || again.Reused != again.Staged-5 || len(told) != 5 {
		t.Errorf("of %d shards %d were remade and %d reused; told %q", again.Staged, again.Remade, again.Reused, told)
	}
	if said := strings.Join(again.Report.Warnings, "\n"); strings.Count(said, "was damaged and is made again") != 5 {
		t.Errorf("the report says %q", said)
	}
	again.Report.Warnings = nil
	if stampless(t, first) != stampless(t, again) {
		t.Error("the manifests differ")
	}
	third := run(t, opt)
	if third.Remade != 0 || third.Reused != third.Staged {
		t.Errorf("of %d shards %d were remade and %d reused", third.Staged, third.Remade, third.Reused)
	}
	if left, _ := filepath.Glob(filepath.Join(data, "stage", "*.new-*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
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

// TestLeftoversAreAWarning builds where old snapshots, editions and shards
// cannot be removed.
func TestLeftoversAreAWarning(t *testing.T) {
	t.Parallel()
	root, data := sample().lay(t), t.TempDir()
	opt := Options{Sources: root, Data: data, Keep: 1}
	first := run(t, opt)
	put(t, data, "stage/old/x", "")
	defer disk.Mount(data, stuck{word: first.Snapshot.Manifest.Version})()
	defer disk.Mount(filepath.Join(data, "stage", "old"), stuck{word: "old"})()
	second := run(t, opt)
	said := strings.Join(second.Report.Warnings, "\n")
	for _, left := range []string{first.Snapshot.Dir, filepath.Join(data, "stage", "old")} {
		if !strings.Contains(said, left) {
			t.Errorf("%s is not named in %q", left, said)
		}
	}
	if s, err := snapshot.Open(data); err != nil || s.Manifest.Version != second.Snapshot.Manifest.Version {
		t.Errorf("current is %v, %v", s, err)
	}
}
