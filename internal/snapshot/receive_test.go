package snapshot

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

// manifestWith is the file of a manifest that lists these files.
func manifestWith(tb testing.TB, version string, files ...File) []byte {
	tb.Helper()
	m := Manifest{Format: Format, Version: version, Files: files, Content: contentHash(files), Report: json.RawMessage(`{}`)}
	body, err := m.encode()
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

const received20 = "20261101T000000Z"

// TestParseManifest reads manifests from elsewhere: names that lead out of the
// folder, and numbers that nobody would write.
func TestParseManifest(t *testing.T) {
	t.Parallel()
	sum := strings.Repeat("ab", 32)
	good := File{Path: "tables/grants.parquet", Bytes: 7, SHA256: sum}
	if m, err := ParseManifest(received20, manifestWith(t, received20, good, File{Path: "warehouse.duckdb", Bytes: 1, SHA256: sum})); err != nil || len(m.Files) != 2 {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{
		"another version":    manifestWith(t, "20261102T000000Z", good),
		"no JSON":            []byte("{"),
		"up":                 manifestWith(t, received20, File{Path: "../x", SHA256: sum}),
		"up inside":          manifestWith(t, received20, File{Path: "a/../../x", SHA256: sum}),
		"absolute":           manifestWith(t, received20, File{Path: "/etc/passwd", SHA256: sum}),
		"hidden":             manifestWith(t, received20, File{Path: ".pull-lock", SHA256: sum}),
		"empty name":         manifestWith(t, received20, File{Path: "", SHA256: sum}),
		"backslash":          manifestWith(t, received20, File{Path: `a\b`, SHA256: sum}),
		"line break":         manifestWith(t, received20, File{Path: "a\n", SHA256: sum}),
		"itself":             manifestWith(t, received20, File{Path: "manifest.json", SHA256: sum}),
		"too deep":           manifestWith(t, received20, File{Path: "a/b/c/d/e", SHA256: sum}),
		"too long":           manifestWith(t, received20, File{Path: strings.Repeat("a", 300), SHA256: sum}),
		"negative":           manifestWith(t, received20, File{Path: "a", Bytes: -1, SHA256: sum}),
		"huge":               manifestWith(t, received20, File{Path: "a", Bytes: 1 << 60, SHA256: sum}),
		"no checksum":        manifestWith(t, received20, File{Path: "a", SHA256: "../../../x"}),
		"twice":              manifestWith(t, received20, good, good),
		"a file as a folder": manifestWith(t, received20, File{Path: "a", SHA256: sum}, File{Path: "a/b", SHA256: sum}),
		"changed":            []byte(strings.Replace(string(manifestWith(t, received20, good)), `"bytes": 7`, `"bytes": 8`, 1)),
	} {
		_, err := ParseManifest(received20, body)
		if f, ok := fault.Of(err); !ok || f.Slug != "bad_manifest" || f.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := strings.Replace(string(manifestWith(t, received20, good)), `"format": 2`, `"format": 3`, 1)
	if _, err := ParseManifest(received20, []byte(other)); err == nil || !strings.Contains(err.Error(), "layout 3") {
		t.Errorf("%v", err)
	}
}

// FuzzParseManifest holds that what is accepted can be written below a folder.
func FuzzParseManifest(f *testing.F) {
	sum := strings.Repeat("ab", 32)
	f.Add(manifestWith(f, received20, File{Path: "tables/grants.parquet", Bytes: 7, SHA256: sum}), "a/b.c")
	f.Add([]byte(`{"format":2}`), "../x")
	f.Add([]byte("null"), "")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		check := func(body []byte) {
			m, err := ParseManifest(received20, body)
			if err != nil {
				return
			}
			for _, file := range m.Files {
				if !filepath.IsLocal(filepath.FromSlash(file.Path)) || file.Bytes < 0 || len(file.SHA256) != 64 {
					t.Errorf("%+v was accepted", file)
				}
			}
		}
		check(body)
		check(manifestWith(t, received20, File{Path: path, SHA256: sum}))
	})
}

// TestReceive takes a snapshot of one directory into another.
func TestReceive(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	w, err := Create(from, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	must(t, err)
	must(t, w.WriteFile("graph/index", func(out io.Writer) error { _, err := io.WriteString(out, "content"); return err }))
	s, err := w.Publish(Manifest{Report: json.RawMessage(`{}`)})
	must(t, err)
	body, err := s.Body()
	must(t, err)
	m, err := ParseManifest(s.Manifest.Version, body)
	must(t, err)
	release, err := LockReceiving(to)
	must(t, err)
	if _, err := LockReceiving(to); err == nil {
		t.Error("two receive at once")
	}
	release()
	other, err := Receive(to, "1111111111111111", m, body)
	must(t, err)
	r, err := Receive(to, "0000000000000000", m, body)
	must(t, err)
	must(t, DiscardReceived(to, r))
	if names, _ := received(to); len(names) != 1 || names[0] != r.Dir || other.Dir == r.Dir {
		t.Errorf("%v", names)
	}
	must(t, os.WriteFile(filepath.Join(r.Dir, "graph", "index"), []byte("content"), 0o644))
	got, err := r.Publish()
	must(t, err)
	must(t, got.Verify())
	opened, err := Open(to)
	must(t, err)
	if opened.Manifest.Seal != s.Manifest.Seal {
		t.Error("it is another one")
	}
	if err := PointTo(to, "20301101T000000Z"); err == nil {
		t.Error("pointed at nothing")
	}
	there, err := Versions(to)
	must(t, err)
	if len(there) != 1 {
		t.Errorf("%v", there)
	}
}
