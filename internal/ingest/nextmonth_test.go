package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// copyWorld gives a test its own copy of the invented world.
func copyWorld(t *testing.T) string {
	t.Helper()
	from, _ := Invented(t)
	dir := filepath.Join(t.TempDir(), "world")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestNextMonth builds a world as it was a month ago, then as it is: another
// month of returns, a master file in which some organizations have gone and
// others have moved or changed their names. The second build takes over what the
// first has staged and comes to the bytes of a build from nothing.
func TestNextMonth(t *testing.T) {
	t.Parallel()
	dir, data := copyWorld(t), t.TempDir()
	late, err := filepath.Glob(filepath.Join(dir, "990", "*_12A.zip"))
	if err != nil || len(late) == 0 {
		t.Fatal("the world has no month of December", err)
	}
	december := late[len(late)-1]
	if err := os.Rename(december, december+".later"); err != nil {
		t.Fatal(err)
	}
	first := run(t, Options{Sources: dir, Data: data})

	if err := os.Rename(december+".later", december); err != nil {
		t.Fatal(err)
	}
	masters, _ := filepath.Glob(filepath.Join(dir, "bmf", "eo*.csv"))
	if len(masters) == 0 {
		t.Fatal("the world has no master file")
	}
	body, err := os.ReadFile(masters[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(body), "\n")
	kept := lines[:1]
	for i, line := range lines[1:] {
		switch i % 400 {
		case 17: // gone
		case 39: // another name
			f := strings.Split(line, ",")
			f[1] = "NEW " + f[1]
			kept = append(kept, strings.Join(f, ","))
		default:
			kept = append(kept, line)
		}
	}
	if err := os.Remove(masters[0]); err != nil { // it is a link to the world's
		t.Fatal(err)
	}
	if err := os.WriteFile(masters[0], []byte(strings.Join(kept, "")), 0o644); err != nil {
		t.Fatal(err)
	}

	next := run(t, Options{Sources: dir, Data: data})
	if next.Reused == 0 || next.Reused == next.Staged {
		t.Errorf("of %d shards %d were staged already", next.Staged, next.Reused)
	}
	whole := run(t, Options{Sources: dir, Data: t.TempDir()})
	if stampless(t, next) != stampless(t, whole) {
		t.Error("the second build differs from one that starts from nothing")
	}
	if stampless(t, next) == stampless(t, first) {
		t.Error("the change made no difference")
	}
}
