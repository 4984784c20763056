package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/warehouse"
	"grantgraph/internal/snapshot"
)

// TestMain lets the test binary stand in for the program, so that tests can
// start it as a process of its own and kill it. A server that a test starts
// starts its SQL workers in the same way, and they inherit no environment.
func TestMain(m *testing.M) {
	worker := len(os.Args) == 2 && os.Args[1] == "sql-worker"
	if worker || os.Getenv("GRANTGRAPH_TEST_AS_PROGRAM") != "" {
		os.Unsetenv("GRANTGRAPH_TEST_AS_PROGRAM")
		main()
	}
	os.Exit(world.Main(m))
}

// command runs the program in process.
func command(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

// demoOnce is a demo that was made and not served. It is made once in this process, next to the shared worlds.
var demoOnce struct {
	sync.Once
	data, out, errs string
	code            int
}

// madeDemo returns a copy of the demo, and what making the demo printed.
func madeDemo(t *testing.T) (data, out string) {
	t.Helper()
	d := &demoOnce
	d.Do(func() {
		d.data = world.Folder(t, "demo")
		d.code, d.out, d.errs = command(t, "demo", "--once", "--data", d.data, "--quiet")
	})
	if d.code != 0 {
		t.Fatalf("exit %d\n%s\n%s", d.code, d.out, d.errs)
	}
	data = filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(data, os.DirFS(d.data)); err != nil {
		t.Fatal(err)
	}
	return data, d.out
}

// TestDemo makes a demo, and makes it again from what the first run left.
func TestDemo(t *testing.T) {
	t.Parallel()
	data, first := madeDemo(t)
	code, again, errs := command(t, "demo", "--once", "--data", data, "--quiet")
	if code != 0 {
		t.Fatalf("exit %d\n%s\n%s", code, again, errs)
	}
	for out, want := range map[string]string{first: "By fiscal year", again: "shards were already staged"} {
		if !strings.Contains(out, want) || !strings.Contains(out, "How recipients were matched") {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	s, err := snapshot.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(); err != nil {
		t.Error(err)
	}
}

// TestBuildDryRun: what would be read is said and nothing is written.
func TestBuildDryRun(t *testing.T) {
	t.Parallel()
	sources, data := t.TempDir(), filepath.Join(t.TempDir(), "data")
	for path, text := range map[string]string{"990/2022_TEOS_XML_01A.zip": "x", "990/notes.txt": "x", "bmf/2024/eo1.csv": "x", "bmf/2026-04/eo_wy.csv": "xy"} {
		path = filepath.Join(sources, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := command(t, "build", "--dry-run", "--sources", sources, "--data", data)
	for _, want := range []string{"A build would read", "irs990", "2026-04", "bmf_older", "Files not used: 1", "990/notes.txt", "returns are"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in\n%s\n%s", code, want, out, errs)
		}
	}
	code, out, errs = command(t, "build", "--dry-run", "--json", "--sources", sources, "--data", data)
	var survey struct {
		Taken []struct {
			Kind  string
			Bytes int64
		}
		NotTaken []struct{ Path, Reason string } `json:"not_taken"`
	}
	if err := json.Unmarshal([]byte(out), &survey); code != 0 || err != nil || len(survey.Taken) != 3 || len(survey.NotTaken) != 1 || survey.Taken[0].Bytes != 2 || survey.Taken[1].Kind != "bmf_older" {
		t.Errorf("exit %d, %v\n%s\n%s", code, err, out, errs)
	}
	if _, err := os.Stat(data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data directory was made: %v", err)
	}
}

func TestBuildJSON(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	code, out, errs := command(t, "build", "--sources", world.Small.Sources(t), "--data", data, "--json", "--meaning-documents", "40")
	if code != 0 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	var m snapshot.Manifest
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Open(data)
	if err != nil || s.Manifest.Version != m.Version || m.Counts.Grants == 0 || len(m.Sources) == 0 || len(m.Files) < 12 {
		t.Errorf("%v, %v", m.Counts, err)
	}
}

// TestMistakes sees each mistake answered by one line that says what was wrong,
// one that says what to do, and an exit code.
func TestMistakes(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for _, tc := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"build", "--sources", filepath.Join(empty, "none"), "--data", t.TempDir()}, 1, "does not exist"},
		{[]string{"build", "--sources", empty, "--data", t.TempDir()}, 1, "no filings under"},
		{[]string{"build", "--sources", world.Small.Sources(t), "--data", filepath.Join(world.Small.Sources(t), "world.json")}, 1, "world.json"},
		{[]string{"build", "--sources", world.Small.Sources(t), "--data", t.TempDir(), "--keep", "0"}, 1, "--keep must be at least 1"},
		{[]string{"build", "--sorces", world.Small.Sources(t)}, 2, "unknown flag --sorces"},
		{[]string{"synth", "--out", t.TempDir(), "--grants", "many"}, 1, "many"},
		{[]string{"demo", "--size", "huge"}, 2, "--size"},
		{[]string{"inspect"}, 2, "<file>"},
		{[]string{"nonsense"}, 2, "nonsense"},
	} {
		code, out, errs := command(t, tc.args...)
		if code != tc.code || !strings.Contains(errs, tc.want) || !strings.Contains(errs, "\nTry: ") || out != "" {
			t.Errorf("%v: exit %d, out %q, errors:\n%s", tc.args, code, out, errs)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--help"}, {"build", "--help"}, {"synth", "--help"}, {"inspect", "--help"}, {"demo", "--help"}} {
		code, out, _ := command(t, args...)
		if code != 0 || !strings.Contains(out, "Usage: grantgraph") {
			t.Errorf("%v: exit %d\n%s", args, code, out)
		}
	}
	for _, arg := range []string{"version", "--version"} {
		if code, out, _ := command(t, arg); code != 0 || !strings.HasPrefix(out, "grantgraph ") {
			t.Errorf("%s: exit %d, %q", arg, code, out)
		}
	}
	// The help of a command is the same before its name and after it.
	for _, of := range [][]string{{}, {"build"}, {"keys"}, {"keys", "create"}} {
		_, want, _ := command(t, append(slices.Clone(of), "--help")...)
		if code, out, errs := command(t, append([]string{"help"}, of...)...); code != 0 || out != want {
			t.Errorf("help %v: exit %d, %s%s", of, code, out, errs)
		}
	}
	if code, _, errs := command(t, "help", "nonsense"); code != 2 || !strings.Contains(errs, "nonsense") || !strings.Contains(errs, "Try: grantgraph --help") {
		t.Errorf("help of nothing: exit %d, %s", code, errs)
	}
}

// TestKilledBuilds kills builds at every phase, without warning, while an older
// snapshot is served, and then lets one through. The served snapshot is always
// whole, and the one that comes out is what undisturbed builds make.
func TestKilledBuilds(t *testing.T) {
	t.Parallel()
	worlds := []string{world.Small.Sources(t), world.Other.Sources(t)}
	data, fresh := t.TempDir(), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	build := func(dir, sources string) {
		t.Helper()
		if code, _, errs := command(t, "build", "--sources", sources, "--data", dir, "--meaning-documents", "40", "--quiet"); code != 0 {
			t.Fatal(errs)
		}
	}
	served := func() *snapshot.Snapshot {
		t.Helper()
		s, err := snapshot.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	build(data, worlds[1])
	if err := os.CopyFS(fresh, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	next, content := 0, served().Manifest.Content
	rounds := times(t, "GRANTGRAPH_BUILD_KILLS", 9)
	lost, wrong := 0, 0
	for round := range rounds {
		phases := round % 9
		cmd := exec.Command(self, "build", "--sources", worlds[next], "--data", data, "--meaning-documents", "40")
		cmd.Env = append(os.Environ(), "GRANTGRAPH_TEST_AS_PROGRAM=1")
		errs, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Each phase ends with a line.
		lines := bufio.NewScanner(errs)
		for i := 0; i < phases && lines.Scan(); i++ {
		}
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		s, err := snapshot.Open(data)
		if err != nil {
			lost++
			t.Errorf("after %d phases: %v", phases, err)
			continue
		}
		if err := s.Verify(); err != nil {
			wrong++
			t.Errorf("after %d phases: %v", phases, err)
		}
		if s.Manifest.Content != content {
			// The build was faster than the kill; the other world is built from now on.
			build(fresh, worlds[next])
			next, content = 1-next, s.Manifest.Content
		}
	}
	build(data, worlds[next])
	build(fresh, worlds[next])
	a := served()
	b, err := snapshot.Open(fresh)
	if err != nil {
		t.Fatal(err)
	}
	// DuckDB lays out the same rows in another way each time, and the history names the
	// version of the build before, which is a time.
	differ := func(f snapshot.File) bool {
		return f.Path == warehouse.OpenFile || f.Path == warehouse.ProFile || f.Path == "history/changes.gg"
	}
	filesA, filesB := slices.DeleteFunc(a.Manifest.Files, differ), slices.DeleteFunc(b.Manifest.Files, differ)
	if len(filesA) == 0 || !slices.Equal(filesA, filesB) || a.Manifest.Content != b.Manifest.Content {
		t.Error("the build after the killed ones differs from a fresh one")
	}
	if entries, err := os.ReadDir(filepath.Join(data, "builds")); err != nil || strings.HasPrefix(entries[0].Name(), ".") {
		t.Errorf("remains of killed builds are left: %v, %v", entries, err)
	}
	t.Logf("soak: | Build killed in each phase in turn, while an older snapshot is served | %d | %d snapshots | %d | %d | none to charge |",
		rounds, rounds+1, lost, wrong)
}
