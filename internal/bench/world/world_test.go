package world_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// TestPublish publishes a world twice and another one, and spoils every file of
// a copy: the world that is shared stays whole.
func TestPublish(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first, again := world.Small.Publish(t, data), world.Small.Publish(t, data)
	edition, err := lists.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if first.Manifest.Version >= again.Manifest.Version || first.Manifest.Content != again.Manifest.Content {
		t.Errorf("%s and %s are not two versions of the same", first.Manifest.Version, again.Manifest.Version)
	}
	other := world.Other.Publish(t, data, "directory")
	if other.Manifest.Content == first.Manifest.Content || len(other.Manifest.Files) >= len(first.Manifest.Files) {
		t.Errorf("the other world is the same, or has %d of %d files", len(other.Manifest.Files), len(first.Manifest.Files))
	}
	if next, err := lists.Open(data); err != nil || next.Manifest.Version == edition.Manifest.Version {
		t.Errorf("the lists are still those of the first world: %v", err)
	}
	if s, err := snapshot.Open(data); err != nil || s.Manifest.Version != other.Manifest.Version || s.Verify() != nil {
		t.Errorf("the last one is not current, or not whole: %v", err)
	}
	for _, dir := range []string{again.Dir, edition.Dir} {
		if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return os.WriteFile(path, []byte("spoiled"), 0o644)
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := world.Small.Snapshot(t).Verify(); err != nil {
		t.Error(err)
	}
	if e, err := lists.Open(world.Small.Data(t)); err != nil || e.Verify() != nil {
		t.Errorf("the shared lists are spoiled: %v", err)
	}
}

// TestImportedByTestsAlone looks for programs and packages that use what is
// meant for tests, and for packages like apitest that only tests use.
func TestImportedByTestsAlone(t *testing.T) {
	t.Parallel()
	root, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(root, "go.mod")); missing == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("there is no go.mod above this package")
		}
		root = filepath.Dir(root)
	}
	files := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Dir(path), "test") {
			return err
		}
		files++
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			if strings.HasPrefix(i.Path.Value, `"grantgraph/`) && strings.HasSuffix(i.Path.Value, `/world"`) {
				t.Errorf("%s imports %s", path, i.Path.Value)
			}
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files read, %v", files, err)
	}
}
