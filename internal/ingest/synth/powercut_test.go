package synth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"grantgraph/internal/disk/powerloss"
)

// TestPowerCut writes a world and then another in its place, and cuts the power
// while they are put there: the folder holds the old or the new one, whole.
func TestPowerCut(t *testing.T) {
	root := t.TempDir()
	out := filepath.Join(root, "world")
	var before map[string]string
	for seed := range uint64(2) {
		r := powerloss.Record(t, root)
		if _, err := Write(t.Context(), Options{Out: out, Grants: 1000, Seed: seed + 1, Only: &Shard{Year: 2022, Month: 5}}); err != nil {
			t.Fatal(err)
		}
		after, err := contents(out)
		if err != nil {
			t.Fatal(err)
		}
		r.Each(t, func(dir string, done bool) error {
			got, err := contents(filepath.Join(dir, "world"))
			if err != nil {
				return err
			}
			if !same(got, after) && (done || !same(got, before)) {
				return fmt.Errorf("%d files of neither world", len(got))
			}
			return nil
		})
		before = after
	}
}

// contents reads all files of a folder; none where there is no folder.
func contents(dir string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(path)
		all[rel] = string(body)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return all, err
}

func same(a, b map[string]string) bool {
	for path, body := range a {
		if other, ok := b[path]; !ok || other != body {
			return false
		}
	}
	return len(a) == len(b) && (a == nil) == (b == nil)
}
