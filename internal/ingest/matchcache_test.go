package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/ingest/resolve"
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
// others have moved or changed their names. The second build asks again for
// what this may have changed and comes to the bytes of a build from nothing.
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
	if first.Kept != 0 || first.Asked == 0 {
		t.Errorf("the first build kept %d matches and asked for %d", first.Kept, first.Asked)
	}

	same := run(t, Options{Sources: dir, Data: data})
	if same.Asked != 0 || same.Kept != first.Asked {
		t.Errorf("with nothing changed %d matches were kept and %d asked for", same.Kept, same.Asked)
	}
	if stampless(t, same) != stampless(t, first) {
		t.Error("kept matches give another snapshot")
	}

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
	t.Logf("of %d matches %d were kept", next.Kept+next.Asked, next.Kept)
	if next.Asked == 0 || next.Kept < next.Asked {
		t.Errorf("after a small change %d matches were kept and %d asked for", next.Kept, next.Asked)
	}
	whole := run(t, Options{Sources: dir, Data: t.TempDir()})
	if stampless(t, next) != stampless(t, whole) {
		t.Error("the second build differs from one that starts from nothing")
	}
	if stampless(t, next) == stampless(t, first) {
		t.Error("the change made no difference")
	}

	// A model given is used as it is, and matches found with it are kept.
	body, err = os.ReadFile(filepath.Join(whole.Snapshot.Dir, modelFile))
	if err != nil {
		t.Fatal(err)
	}
	given, err := resolve.ReadModel(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	given.Outside += 0.01
	other := run(t, Options{Sources: dir, Data: data, Model: given})
	if other.Asked == 0 || other.Kept == 0 {
		t.Errorf("with another model %d matches were kept and %d asked for", other.Kept, other.Asked)
	}
	if again := run(t, Options{Sources: dir, Data: data, Model: given}); again.Asked != 0 {
		t.Errorf("with the same model %d matches were asked for again", again.Asked)
	}

	// A memory that is damaged is forgotten.
	path := filepath.Join(data, "stage", matchCacheName)
	memory, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	memory[len(memory)/2] ^= 1
	if err := os.WriteFile(path, memory, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := run(t, Options{Sources: dir, Data: data}); r.Kept != 0 || stampless(t, r) != stampless(t, whole) {
		t.Errorf("%d matches of a damaged file were kept", r.Kept)
	}
}

func FuzzDecodeMatches(f *testing.F) {
	const program = "0123456789abcdef"
	f.Add([]byte(program))
	f.Add(make([]byte, 200))
	f.Fuzz(func(t *testing.T, body []byte) {
		if list := decodeMatches(body, program); list != nil && !bytes.HasPrefix(body, []byte(program)) {
			t.Error("matches of another program were taken")
		}
	})
}
