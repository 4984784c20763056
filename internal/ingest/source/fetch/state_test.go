package fetch

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

func TestState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if s, err := ReadState(dir, "ofac"); err != nil || !reflect.DeepEqual(s, State{}) {
		t.Errorf("absent: %+v, %v", s, err)
	}
	at := time.Date(2026, 11, 9, 12, 0, 0, 0, time.UTC)
	s := State{Source: "ofac", CheckedAt: at, Files: []File{}, Refused: []Refusal{}}
	s.put(File{Path: "ofac/sdn.csv", Revised: "2026-11-02", FetchedAt: at})
	s.put(File{Path: "ofac/add.csv", Revised: "2026-11-03", FetchedAt: at})
	s.put(File{Path: "ofac/sdn.csv", Revised: "2026-11-04", FetchedAt: at, Rows: 7})
	if len(s.Files) != 2 || s.Files[0].Path != "ofac/add.csv" || s.UpstreamRevised != "2026-11-04" {
		t.Errorf("%+v", s)
	}
	if err := WriteState(dir, s); err != nil {
		t.Fatal(err)
	}
	got, err := ReadState(dir, "ofac")
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v\nwant %+v", got, err, s)
	}
	for i := range 50 {
		s.Refused = append(s.Refused, Refusal{At: at, Reason: fmt.Sprint(i)})
	}
	if err := WriteState(dir, s); err != nil {
		t.Fatal(err)
	}
	if got, _ = ReadState(dir, "ofac"); len(got.Refused) != maxRefusals || got.Refused[maxRefusals-1].Reason != "49" {
		t.Errorf("%d refusals", len(got.Refused))
	}
	text, err := os.ReadFile(filepath.Join(dir, ".fetch", "ofac.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{`"source"`, `"checked_at"`, `"upstream_revised"`, `"files"`, `"refused"`, `"path"`, `"url"`, `"bytes"`, `"sha256"`, `"etag"`, `"last_modified"`, `"fetched_at"`, `"rows"`, `"revised"`, `"at"`, `"reason"`} {
		if !strings.Contains(string(text), key) {
			t.Errorf("no %s in the file", key)
		}
	}
}

func TestStateRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"", "../ofac", "a/b", "OFAC"} {
		if _, err := ReadState(dir, name); err == nil {
			t.Errorf("%q was read", name)
		}
		if err := WriteState(dir, State{Source: name}); err == nil {
			t.Errorf("%q was written", name)
		}
	}
	if err := WriteState(dir, State{Source: "bmf"}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, ".fetch", "ofac.json")
	for _, text := range []string{"", "{", `{"source":"bmf"}`, `{"source":"ofac","files":7}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadState(dir, "ofac"); err == nil {
			t.Errorf("%q was read", text)
		} else if f, ok := fault.Of(err); !ok || f.Slug != StateDamaged || f.Hint == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	// The source is left alone and the others go on.
	u := newUpstream(t)
	u.put(pub78URL, file{body: list(100, "Garden")})
	d := newTestFolder(t, u, "ofac", "pub78")
	d.opt.Dir = dir
	sum, err := Run(t.Context(), d.opt)
	if err != nil || !contains(sum.Results[0].Problems, "is damaged") || sum.Results[1].New != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), `"files":7`) {
		t.Errorf("the damaged state was written over: %s", text)
	}
}

// FuzzPartial reads what an earlier run may have left behind.
func FuzzPartial(f *testing.F) {
	f.Add([]byte(`{"url":"http://x","etag":"\"a\"","total":100}`), "http://x")
	f.Add([]byte(`{"url":"http://x","etag":"W/\"a\"","total":-1}`), "http://x")
	f.Add([]byte(`[]`), "")
	f.Fuzz(func(t *testing.T, text []byte, url string) {
		file := filepath.Join(t.TempDir(), "f")
		if os.WriteFile(file, make([]byte, 50), 0o600) != nil || os.WriteFile(file+".json", text, 0o600) != nil {
			t.Fatal("no disk")
		}
		m, size := readPartial(file, url)
		if size != 0 && (size != 50 || m.URL != url || m.validator() == "" || m.Total >= 0 && m.Total <= 50) {
			t.Errorf("%+v, %d", m, size)
		}
	})
}
