package synth

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"grantgraph/internal/fault"
)

// testZIPs is a small invented geography, so that the golden hash does not
// change when the shipped gazetteer does.
func testZIPs() []ZIP {
	var out []ZIP
	for i, s := range states {
		for k := range 12 {
			r := rng{sub(uint64(i), 'T', k)}
			code := string(appendPadded(nil, uint64(1_000+i*1_800+k*7), 5))
			out = append(out, ZIP{code, r.of(natures) + " " + r.of(seconds), s.code, r.of(surnames) + " County"})
		}
	}
	return out
}

func write(t *testing.T, o Options) *Report {
	t.Helper()
	if o.Out == "" {
		o.Out = filepath.Join(t.TempDir(), "world")
	}
	if o.zips == nil {
		o.zips = testZIPs()
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	r, err := Write(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSameBytesOnAnyNumberOfWorkers(t *testing.T) {
	t.Parallel()
	one := write(t, Options{Grants: 3_000, Workers: 1})
	four := write(t, Options{Grants: 3_000, Workers: 4})
	if !reflect.DeepEqual(one.Files, four.Files) {
		for i := range one.Files {
			if one.Files[i] != four.Files[i] {
				t.Errorf("%s differs: %v and %v", one.Files[i].Path, one.Files[i], four.Files[i])
			}
		}
	}
	if !reflect.DeepEqual(one.Expected, four.Expected) {
		t.Errorf("expected %+v and %+v", one.Expected, four.Expected)
	}
	if !reflect.DeepEqual(one.Lists, four.Lists) || !reflect.DeepEqual(one.Namesakes, four.Namesakes) {
		t.Errorf("the lists count %v and %v", one.Lists, four.Lists)
	}
	other := write(t, Options{Grants: 3_000, Seed: 2})
	if reflect.DeepEqual(one.Files, other.Files) {
		t.Error("two seeds gave the same world")
	}
}

// TestGolden pins the bytes of the smallest preset: they are the same on every
// machine, and change only when the world is meant to change.
func TestGolden(t *testing.T) {
	t.Parallel()
	const want = "5ec4d0d9e245bd502f85bc1c05368e7b09176e3263a7742349e09957f8af0171"
	r := write(t, Options{Grants: 1_000, Workers: 2})
	h := sha256.New()
	for _, f := range r.Files {
		// What the catalogue of sources and the mappings of the states say is
		// theirs to change.
		if !strings.HasPrefix(f.Path, ".fetch/") && !strings.HasPrefix(f.Path, "stateaward/") {
			io.WriteString(h, f.Path+" "+f.SHA256+"\n")
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("the 1k world of seed 1 has changed: hash %s, want %s", got, want)
	}
}

func TestShardAlone(t *testing.T) {
	t.Parallel()
	whole := write(t, Options{Grants: 3_000})
	for _, s := range []Shard{{2018, 1}, {2023, 11}, {2026, 10}} {
		alone := write(t, Options{Grants: 3_000, Only: &s})
		path := "990/" + s.Batch() + ".zip"
		if a, b := find(t, whole, path), find(t, alone, path); a != b {
			t.Errorf("%s alone is %v, in the whole world %v", path, b, a)
		}
	}
	_, err := Write(context.Background(), Options{Out: filepath.Join(t.TempDir(), "x"), Grants: 10, Only: &Shard{2017, 3}, zips: testZIPs()})
	if _, ok := fault.Of(err); !ok {
		t.Errorf("a month outside the world gave %v", err)
	}
}

func find(t *testing.T, r *Report, path string) File {
	t.Helper()
	for _, f := range r.Files {
		if f.Path == path {
			return f
		}
	}
	t.Fatalf("no file %s", path)
	return File{}
}

// TestWellFormed reads every member of a small world with the standard
// library: all are well-formed XML but those that are meant to be bad, and no
// object occurs twice in a zip.
func TestWellFormed(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "world")
	r := write(t, Options{Out: out, Grants: 1_000})
	var bad, members int64
	for _, f := range r.Files {
		if !strings.HasPrefix(f.Path, "990/") || !strings.HasSuffix(f.Path, ".zip") {
			continue
		}
		z, err := zip.OpenReader(filepath.Join(out, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, m := range z.File {
			members++
			if seen[m.Name] {
				t.Errorf("%s holds %s twice", f.Path, m.Name)
			}
			seen[m.Name] = true
			if inFolder := strings.Contains(m.Name, "/"); inFolder != (f.Path >= "990/2024") {
				t.Errorf("%s holds %s", f.Path, m.Name)
			}
			rc, err := m.Open()
			if err != nil {
				t.Fatal(err)
			}
			if err := wellFormed(rc); err != nil {
				bad++
			}
			rc.Close()
		}
		z.Close()
	}
	// The page with an error on it, the empty, the truncated and the one that
	// is no UTF-8 cannot be read; a wrong root is well-formed.
	want := r.Bad["truncated"] + r.Bad["html"] + r.Bad["empty"] + r.Bad["not_utf8"]
	if bad != want || members != r.Members {
		t.Errorf("%d of %d members are bad, want %d of %d", bad, members, want, r.Members)
	}
	for kind, n := range r.Bad {
		if n == 0 {
			t.Errorf("no bad member of the kind %s", kind)
		}
	}
}

func wellFormed(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(string(b), "\ufeff")))
	depth, elements := 0, 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			if elements == 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch tok.(type) {
		case xml.StartElement:
			depth++
			elements++
		case xml.EndElement:
			depth--
		}
	}
}

// TestMemoryDoesNotGrow compares the live heap in the middle of worlds of
// different size.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a world of 200k grants; run without -short")
	}
	peak := func(grants int) uint64 {
		var high atomic.Uint64
		n := 0
		write(t, Options{Grants: grants, Workers: 2, Progress: func(done, total int64) {
			if n++; n%60 != 0 {
				return
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			high.Store(max(high.Load(), m.HeapAlloc))
		}})
		return high.Load()
	}
	small, large := peak(20_000), peak(200_000)
	if large > small+small/2+4<<20 {
		t.Errorf("the heap grows with the world: %d bytes at 20k grants, %d at 200k", small, large)
	}
	t.Logf("heap: %d KiB at 20k grants, %d KiB at 200k", small>>10, large>>10)
}

func TestOutIsGuarded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := Options{Grants: 50, Seed: 1, zips: testZIPs()}

	o.Out = filepath.Join(dir, "notes")
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		t.Fatal(err)
	}
	keep := filepath.Join(o.Out, "thesis.txt")
	if err := os.WriteFile(keep, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Write(context.Background(), o)
	if f, ok := fault.Of(err); !ok || f.Hint == "" {
		t.Errorf("a directory with other files in it gave %v", err)
	}
	if b, err := os.ReadFile(keep); err != nil || string(b) != "years of work" {
		t.Errorf("the file that was there: %q, %v", b, err)
	}

	o.Out = filepath.Join(dir, "world")
	for range 2 { // new, then over itself
		if _, err := Write(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Read(o.Out)
	if err != nil || r.Seed != 1 || r.Size != 50 || !r.Current() {
		t.Errorf("read back %+v, %v", r, err)
	}
	if err := os.WriteFile(filepath.Join(o.Out, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(context.Background(), o); err == nil {
		t.Error("a world with a stranger's file in it was replaced")
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o.Out = filepath.Join(dir, "never")
	if _, err := Write(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled world gave %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "notes" && e.Name() != "world" {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	for _, bad := range []Options{{Out: filepath.Join(dir, "a")}, {Out: filepath.Join(dir, "b"), Grants: MaxGrants + 1}, {Grants: 5}} {
		bad.zips = testZIPs()
		if _, err := Write(context.Background(), bad); err == nil {
			t.Errorf("%+v was written", bad)
		}
	}
}

// TestSmallWorlds: the lists need organizations of every kind, and are written
// even where there are hardly any.
func TestSmallWorlds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		for _, grants := range []int{1, 7, 60} {
			r := write(t, Options{Grants: grants, Seed: seed + 1})
			for _, f := range r.Files {
				if f.Bytes == 0 && f.Path != "truth.ndjson" && f.Path != "people.ndjson" {
					t.Errorf("%d grants, seed %d: %s is empty", grants, seed+1, f.Path)
				}
				switch folder, _, _ := strings.Cut(f.Path, "/"); folder {
				case "pub78", "revocation", "ofac", "careg", "caftb", "uk":
					if f.Rows == 0 {
						t.Errorf("%d grants, seed %d: %s has no rows", grants, seed+1, f.Path)
					}
				}
			}
			if r.Lists["ofac_entries"] < 12_000 || r.Lists["pub78_rows"] == 0 || r.Lists["uk_charity"] < 300 {
				t.Errorf("%d grants, seed %d: %v", grants, seed+1, r.Lists)
			}
		}
	}
}

func TestPreset(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{
		"1k": 1_000, "20k": 20_000, "200k": 200_000, "2M": 2_000_000, "20M": 20_000_000, "1234": 1_234, "20_000": 20_000,
		"": 0, "k": 0, "-1": 0, "0": 0, "1.5M": 0, "26M": 0, "999999999999k": 0, "ten": 0,
	} {
		got, ok := Preset(name)
		if got != want || ok != (want > 0) {
			t.Errorf("Preset(%q) = %d, %v", name, got, ok)
		}
	}
}

func TestPlanAddsUp(t *testing.T) {
	t.Parallel()
	for _, grants := range []int{1, 30, 1_000, 20_000, 100_000} {
		w := newWorld(1, grants, testZIPs())
		total, largest := 0, 0
		for r := range w.funders {
			mine := 0
			for y := firstFiscal; y <= lastFiscal; y++ {
				n, _ := w.lines(r, y)
				mine += n
			}
			largest = max(largest, mine)
			total += mine
		}
		if d := total - grants; d > grants/50+w.funders || -d > grants/50+w.funders {
			t.Errorf("a world of %d grants is planned with %d", grants, total)
		}
		if grants >= 20_000 && (largest < grants/50 || largest > grants/6) {
			t.Errorf("of %d grants the largest funder has %d", grants, largest)
		}
	}
}

// TestReportIsWhatIsOnDisk: world.json names every file with its true size.
func TestReportIsWhatIsOnDisk(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "world")
	write(t, Options{Out: out, Grants: 200})
	b, err := os.ReadFile(filepath.Join(out, Marker))
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	onDisk := 0
	err = filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != Marker {
			onDisk++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Files) != onDisk {
		t.Errorf("%d files are named, %d are there", len(r.Files), onDisk)
	}
	for _, f := range r.Files {
		data, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Error(err)
			continue
		}
		sum := sha256.Sum256(data)
		if int64(len(data)) != f.Bytes || hex.EncodeToString(sum[:]) != f.SHA256 {
			t.Errorf("%s is not as described", f.Path)
		}
	}
}
