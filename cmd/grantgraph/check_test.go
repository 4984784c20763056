package main

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// TestCheck flips one bit in each kind of file of a snapshot and of the lists,
// one after the other. Check names that file and no other, and whoever would
// answer from it refuses it.
func TestCheck(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	world.Small.Publish(t, data)
	s, err := snapshot.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lists.Read(data)
	if err != nil || l.Edition == nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(s.Dir, "manifest.json"), filepath.Join(l.Edition.Dir, "manifest.json")}
	kinds := map[string]bool{}
	for _, m := range []*snapshot.Snapshot{s, l.Edition.Snapshot} {
		for _, f := range m.Manifest.Files {
			// Tables are all written alike: one that has rows stands for them.
			if kind := m.Dir + path.Dir(f.Path) + path.Ext(f.Path); !kinds[kind] && (f.Table() == "" || f.Rows > 0) {
				kinds[kind] = true
				files = append(files, filepath.Join(m.Dir, filepath.FromSlash(f.Path)))
			}
		}
	}
	if len(files) < 7 {
		t.Errorf("only %q", files)
	}
	flip := func(file string) {
		t.Helper()
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body[len(body)/2] ^= 1
		if err := os.WriteFile(file, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		flip(file)
		code, _, errs := command(t, "check", "--data", data, "--quiet")
		if code != 1 || !strings.Contains(errs, "1 file is damaged or missing:\n  "+file+" ") {
			t.Errorf("%s is damaged: exit %d\n%s", file, code, errs)
		}
		var refused error
		switch {
		case strings.HasSuffix(file, filepath.FromSlash(change.LogPath)):
			// The lists are served without the log of what changed on them.
			if _, err := lists.Read(data); err != nil {
				t.Errorf("%s is damaged: %v", file, err)
			}
			_, refused = change.OpenLog(l.Edition.Snapshot)
		case strings.HasSuffix(file, filepath.FromSlash(change.MatchesPath)):
			// Nobody serves it, and the next edition finds the matches again.
			if _, err := lists.Read(data); err != nil {
				t.Errorf("%s is damaged: %v", file, err)
			}
			refused = l.Edition.VerifyFiles(t.Context(), nil)
		case strings.HasSuffix(file, filepath.FromSlash(screen.IndexPath)):
			// It is verified as it is opened.
			_, refused = screen.OpenTables(l.Edition)
		case strings.HasPrefix(file, l.Edition.Dir):
			if _, refused = lists.Read(data); refused == nil {
				t.Errorf("%s is damaged and the lists are read", file)
			}
			if _, err := l.Reread(data); err != nil && filepath.Base(file) != "manifest.json" {
				t.Errorf("an edition that is open is verified again: %v", err)
			}
		case strings.Contains(file, "search"):
			_, refused = search.Open(s)
		case strings.Contains(file, "graph"):
			_, refused = graph.Open(s)
		default:
			refused = s.VerifyFiles(t.Context(), nil)
			if filepath.Base(file) == "manifest.json" {
				_, refused = snapshot.Open(data)
			}
		}
		if refused == nil {
			t.Errorf("%s is damaged and is opened", file)
		}
		flip(file) // back
	}

	table := s.Path(snapshot.Grants)
	if err := os.Rename(table, table+".away"); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "check", "--data", data, "--json")
	var got struct {
		Snapshot, Lists struct {
			Version string
			Files   int
			Bytes   int64
		}
		Damaged []string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 1 || len(got.Damaged) != 1 || !strings.Contains(got.Damaged[0], table+" is missing") {
		t.Errorf("exit %d, %v\n%s%s", code, err, out, errs)
	}
	if err := os.Rename(table+".away", table); err != nil {
		t.Fatal(err)
	}

	code, out, errs = command(t, "check", "--data", data)
	if code != 0 || !strings.Contains(out, "Every file is as it was written.") || !strings.Contains(out, s.Manifest.Version) || !strings.Contains(errs, "files") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs = command(t, "check", "--data", data, "--version", s.Manifest.Version, "--json"); code != 0 || !strings.Contains(out, `"damaged": []`) {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if code, _, errs = command(t, "check", "--data", data, "--version", "20200101T000000Z"); code != 1 || !strings.Contains(errs, "there is no snapshot") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	if code, _, errs = command(t, "check", "--data", t.TempDir()); code != 1 || !strings.Contains(errs, "Try: grantgraph build") {
		t.Errorf("exit %d\n%s", code, errs)
	}
}
