package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/disk"
	"grantgraph/internal/disk/powerloss"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// plannedBuild is a builder that has planned its shards.
func plannedBuild(t *testing.T, sources, data string) (*builder, *Plan) {
	t.Helper()
	b := &builder{opt: Options{Data: data}, workers: 1, report: newReport(), stageDir: filepath.Join(data, "stage"), shardBytes: 1 << 10}
	var err error
	if b.sources, err = Discover(t.Context(), sources); err != nil {
		t.Fatal(err)
	}
	p, err := b.planShards(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b, p
}

// TestPowerCutStage cuts the power while shards are staged: one that has its
// name is whole.
func TestPowerCutStage(t *testing.T) {
	data := t.TempDir()
	b, p := plannedBuild(t, sample().lay(t), data)
	p.shards = p.shards[:2]
	r := powerloss.Record(t, data)
	if err := b.stageAll(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	r.Each(t, func(dir string, done bool) error {
		found := &builder{stageDir: filepath.Join(dir, "stage")}
		for i := range p.shards {
			if err := found.checkShard(context.Background(), &p.shards[i]); err != nil && (done || !errors.Is(err, errNotStaged)) {
				return fmt.Errorf("shard %s: %w", p.shards[i].key, err)
			}
		}
		return nil
	})
}

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
			keys, err := readClusterKeys(filepath.Join(dir, clusterKeysName))
			if err != nil {
				return err
			}
			got, err := os.ReadFile(filepath.Join(dir, clusterKeysName))
			if err != nil && (done || round > 1 || !errors.Is(err, fs.ErrNotExist)) {
				return err
			}
			if done && string(got) != string(want) {
				return fmt.Errorf("there are %d keys", keys.Len())
			}
			return nil
		})
	}
}

// TestPowerCutLists cuts the power while an edition of the lists, and what was
// seen upstream, take the place of those before.
func TestPowerCutLists(t *testing.T) {
	sources, data := t.TempDir(), t.TempDir()
	pub78 := "070000001|Alder Family Foundation|Dover|DE|United States|PF\n"
	before := ""
	for range 2 {
		put(t, sources, "pub78/data-download-pub78.txt", pub78)
		put(t, sources, ".fetch/pub78.json", fmt.Sprintf(`{"source":"pub78","checked_at":"2026-10-0%dT00:00:00Z"}`, len(pub78)%9+1))
		r := powerloss.Record(t, data)
		result, err := Lists(t.Context(), ListOptions{Sources: sources, Data: data})
		if err != nil {
			t.Fatal(err)
		}
		if !result.Changed || !result.Edition.Status(lists.Pub78).Loaded {
			t.Fatalf("%+v", result.Edition.Lists)
		}
		after := result.Edition.Manifest.Version
		checks, err := lists.ReadChecks(data)
		if err != nil || len(checks) != 1 {
			t.Fatal(checks, err)
		}
		r.Each(t, func(dir string, done bool) error {
			c, err := lists.Read(dir)
			if err != nil {
				return err
			}
			if v := c.Version(); v != after && (done || v != before) {
				return fmt.Errorf("the edition is %q, was %q, became %q", v, before, after)
			}
			if done && (len(c.Checks) != 1 || c.Checks[0] != checks[0]) {
				return fmt.Errorf("upstream showed %v, now %v", checks, c.Checks)
			}
			return nil
		})
		before = after
		pub78 += "070000002|Birch Foundation|Dover|DE|United States|PF\n"
	}
}

// TestDamagedShard damages staged shards in every way; the next build makes
// them anew, says so, and comes to the same bytes.
func TestDamagedShard(t *testing.T) {
	t.Parallel()
	root, data := sample().lay(t), t.TempDir()
	opt := Options{Sources: root, Data: data, shardBytes: 1}
	first := run(t, opt)
	shards, err := filepath.Glob(filepath.Join(data, "stage", "*", sumsName))
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
		func(dir string) error { return flip(tablePath(dir, "lines")) },
		func(dir string) error { return flip(filepath.Join(dir, sumsName)) },
		func(dir string) error { return os.Truncate(tablePath(dir, "returns"), 0) },
		func(dir string) error { return os.Remove(tablePath(dir, "people")) },
		func(dir string) error { return os.Remove(filepath.Join(dir, sumsName)) },
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
	if left, _ := filepath.Glob(filepath.Join(data, "stage", "*"+stagingMark+"*")); len(left) > 0 {
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

// TestListLeftoversAreAWarning publishes an edition where the older ones cannot
// be removed: it is published, and not said to have failed.
func TestListLeftoversAreAWarning(t *testing.T) {
	t.Parallel()
	sources, data := t.TempDir(), t.TempDir()
	rows := ""
	var last *ListResult
	for i := range keptEditions + 2 {
		rows += fmt.Sprintf("07000000%d|Foundation %d|Dover|DE|United States|PF\n", i+1, i)
		put(t, sources, "pub78/data-download-pub78.txt", rows)
		if i == keptEditions {
			t.Cleanup(disk.Mount(lists.Dir(data), stuck{word: lists.Dir(data)}))
		}
		last = makeLists(t, sources, data)
	}
	if !last.Changed || len(last.Warnings) != 1 || !strings.Contains(last.Warnings[0], "could not be removed") {
		t.Errorf("%v %q", last.Changed, last.Warnings)
	}
	if c, err := lists.Read(data); err != nil || c.Version() != last.Edition.Manifest.Version {
		t.Errorf("%v, %v", c, err)
	}
}

// TestDamagedListIsReadAnew damages a table of an edition, then its manifest:
// the next edition is made from the sources, and neither is handed on.
func TestDamagedListIsReadAnew(t *testing.T) {
	t.Parallel()
	sources, data := t.TempDir(), t.TempDir()
	put(t, sources, "pub78/data-download-pub78.txt", "070000001|Alder Family Foundation|Dover|DE|United States|PF\n")
	first := makeLists(t, sources, data)
	table := first.Edition.Path(lists.Deductibles)
	if err := os.Truncate(table, 30); err != nil {
		t.Fatal(err)
	}
	second := makeLists(t, sources, data)
	if !second.Changed || len(second.Read) != 1 || len(second.Warnings) != 1 || !strings.Contains(second.Warnings[0], table) {
		t.Errorf("%+v", second)
	}
	if _, err := lists.Read(data); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(filepath.Join(second.Edition.Dir, "manifest.json"), 30); err != nil {
		t.Fatal(err)
	}
	third := makeLists(t, sources, data)
	if !third.Changed || len(third.Read) != 1 || len(third.Warnings) != 1 {
		t.Errorf("%+v", third)
	}
	// Without the source nothing can be made of it, and nothing is pretended.
	if err := errors.Join(os.Truncate(third.Edition.Path(lists.Deductibles), 30), os.Remove(filepath.Join(sources, "pub78/data-download-pub78.txt"))); err != nil {
		t.Fatal(err)
	}
	fourth := makeLists(t, sources, data)
	if s := fourth.Edition.Status(lists.Pub78); s.Loaded || s.Problem == "" || len(fourth.Warnings) != 1 {
		t.Errorf("%+v %q", s, fourth.Warnings)
	}
}

// TestRottenLists writes an edition to a disk that keeps something else than it
// was given: it is not published, and the edition before stays.
func TestRottenLists(t *testing.T) {
	t.Parallel()
	sources, data := t.TempDir(), t.TempDir()
	put(t, sources, "pub78/data-download-pub78.txt", "070000001|Alder Family Foundation|Dover|DE|United States|PF\n")
	first := makeLists(t, sources, data)
	put(t, sources, "pub78/data-download-pub78.txt", "070000002|Birch Family Foundation|Dover|DE|United States|PF\n")
	t.Cleanup(disk.Mount(lists.Dir(data), rotten{}))
	_, err := Lists(t.Context(), ListOptions{Sources: sources, Data: data, Now: func() time.Time { return time.Date(2026, 10, 16, 0, 0, 0, 0, time.UTC) }})
	if f, ok := fault.Of(err); !ok || f.Slug != snapshot.Damaged {
		t.Errorf("the edition is published: %v", err)
	}
	if c, err := lists.Read(data); err != nil || c.Version() != first.Edition.Manifest.Version {
		t.Errorf("%v, %v", c, err)
	}
}

// rotten is a disk that changes the last bit of everything written to a table.
type rotten struct{ disk.OS }

func (r rotten) Create(path string, perm fs.FileMode, fresh bool) (disk.Handle, error) {
	h, err := r.OS.Create(path, perm, fresh)
	if err != nil || filepath.Ext(path) != ".parquet" {
		return h, err
	}
	return rottenFile{h}, nil
}

type rottenFile struct{ disk.Handle }

func (f rottenFile) Write(p []byte) (int, error) {
	rotten := bytes.Clone(p)
	if n := len(rotten); n > 0 {
		rotten[n-1] ^= 1
	}
	return f.Handle.Write(rotten)
}
