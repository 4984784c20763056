package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot/remote"
)

func slugOf(err error) string {
	if f, ok := fault.Of(err); ok {
		return f.Slug
	}
	return fmt.Sprint(err)
}

// openFolder is a store in a folder of the test's.
func openFolder(t testing.TB, dir string) remote.Store {
	t.Helper()
	s, err := remote.Open(dir, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shelves are the two kinds of places for archives, with the same archives.
func shelves(t *testing.T, root string) map[string]shelf {
	return map[string]shelf{"folder": &folderShelf{root}, "store": &bucketShelf{openFolder(t, root)}}
}

// planOn plans what is on a shelf.
func planOn(t *testing.T, s shelf) *Plan {
	t.Helper()
	rels, err := s.returns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := planner{shelf: s, workers: 2, shardBytes: 1 << 10, refuse: true}
	p, err := n.plan(t.Context(), rels, func() {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestShelves reads the same archives from a folder and through a store: names,
// plans and shards are the same, byte for byte.
func TestShelves(t *testing.T) {
	t.Parallel()
	root := sample().lay(t)
	if err := os.WriteFile(filepath.Join(root, "990", "page.zip"), []byte("<html>not found</html>"), 0o644); err != nil {
		t.Fatal(err)
	}
	var bodies [][]byte
	for name, s := range shelves(t, root) {
		p := planOn(t, s)
		if refused := p.Refused(); len(refused) != 1 || refused[0].Archive != "990/page.zip" || !strings.Contains(refused[0].Reason, "not a zip") {
			t.Errorf("%s: refused %+v", name, refused)
		}
		dir := t.TempDir()
		st := newStager(t.Context(), s, dir, func(int64) {})
		for i := range p.shards {
			if err := st.stage(t.Context(), p, &p.shards[i]); err != nil {
				t.Fatal(name, err)
			}
		}
		st.close()
		var all []byte
		for i := range p.shards {
			sums, err := os.ReadFile(filepath.Join(dir, p.shards[i].key, sumsName))
			if err != nil {
				t.Fatal(err)
			}
			all = append(append(all, p.shards[i].key...), sums...)
		}
		bodies = append(bodies, all)
	}
	if !bytes.Equal(bodies[0], bodies[1]) {
		t.Errorf("shards differ:\n%s\n%s", bodies[0], bodies[1])
	}
}

// TestArchiveChanged changes an archive between plan and work, in ways of which
// some leave its size as it was. Nothing is staged.
func TestArchiveChanged(t *testing.T) {
	t.Parallel()
	const rel = "990/2022_TEOS_XML_01A.zip"
	for name, change := range map[string]func(path string) error{
		"gone": os.Remove,
		"cut":  func(path string) error { return os.Truncate(path, 200) },
		"member": func(path string) error {
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			at := bytes.LastIndex(body, []byte("PK\x01\x02"))
			body[at+16] ^= 1 // the checksum in the directory
			return os.WriteFile(path, body, 0o644)
		},
		"page": func(path string) error { return os.WriteFile(path, []byte("<html></html>"), 0o644) },
	} {
		for _, kind := range []string{"folder", "store"} {
			root := sample().lay(t)
			s := shelves(t, root)[kind]
			p := planOn(t, s)
			if err := change(filepath.Join(root, rel)); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			st := newStager(t.Context(), s, dir, func(int64) {})
			err := st.stage(t.Context(), p, &p.shards[0])
			if slug := slugOf(err); slug != "source_changed" && slug != "not_found" && slug != "wrong_format" {
				t.Errorf("%s, %s: %v", kind, name, err)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("%s, %s: left %v, %v", kind, name, left, err)
			}
			st.close()
		}
	}
}

// failingStore is a store whose answers break off after a while.
type failingStore struct {
	remote.Store
	left atomic.Int64 // answers that are still given
}

var errRefused = fault.New("store_credentials", "the key was withdrawn")

func (f *failingStore) Get(ctx context.Context, key string, off, n int64) (io.ReadCloser, error) {
	if f.left.Add(-1) < 0 {
		return nil, errRefused
	}
	return f.Store.Get(ctx, key, off, n)
}

// denyingStore does not give some objects, and may not even list them.
type denyingStore struct {
	remote.Store
	denies func(key string) bool
	closed bool
}

func (d *denyingStore) Head(ctx context.Context, key string) (remote.Info, error) {
	if d.denies(key) {
		return remote.Info{}, errRefused
	}
	return d.Store.Head(ctx, key)
}

func (d *denyingStore) List(ctx context.Context, prefix string, fn func(remote.Info) error) error {
	if d.closed {
		return errRefused
	}
	return d.Store.List(ctx, prefix, fn)
}

// TestPlanDenied plans on a store that denies one archive, which is set aside, and
// on stores that deny all of them.
func TestPlanDenied(t *testing.T) {
	t.Parallel()
	root := sample().lay(t)
	whole := planOn(t, &folderShelf{root})
	first := whole.archives[0].rel
	for _, tc := range []struct {
		name   string
		store  denyingStore
		denied string
	}{
		{"one archive", denyingStore{denies: func(key string) bool { return key == first }}, first},
		{"every archive", denyingStore{denies: func(string) bool { return true }}, ""},
		{"everything", denyingStore{denies: func(string) bool { return true }, closed: true}, ""},
		{"one archive, and the key is withdrawn", denyingStore{denies: func(key string) bool { return key == first }, closed: true}, ""},
	} {
		tc.store.Store = openFolder(t, root)
		n := planner{shelf: &bucketShelf{&tc.store}, workers: 2, shardBytes: 1 << 10, refuse: true}
		var rels []string
		for i := range whole.archives {
			rels = append(rels, whole.archives[i].rel)
		}
		p, err := n.plan(t.Context(), rels, func() {})
		if tc.denied == "" {
			if slugOf(err) != "store_credentials" {
				t.Errorf("%s: %v", tc.name, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(tc.name, err)
		}
		if refused := p.Refused(); len(refused) != 1 || refused[0].Archive != tc.denied || refused[0].Reason != errRefused.Message || len(p.shards) == 0 {
			t.Errorf("%s: %+v, and %d shards", tc.name, refused, len(p.shards))
		}
	}
}

// TestReadingFails has a store that fails after so many answers: a document that
// could not be read is never taken for a damaged one.
func TestReadingFails(t *testing.T) {
	t.Parallel()
	root := sample().lay(t)
	p := planOn(t, &folderShelf{root})
	worked := false
	for answers := int64(0); answers < 20 && !worked; answers++ {
		store := &failingStore{Store: openFolder(t, root)}
		store.left.Store(answers)
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		st := newStager(ctx, &bucketShelf{store}, dir, func(int64) {})
		err := st.stage(ctx, p, &p.shards[0])
		worked = err == nil
		if err != nil && slugOf(err) != "store_credentials" {
			t.Errorf("after %d answers: %v", answers, err)
		}
		cancel()
		st.close()
	}
	if !worked {
		t.Error("it never works")
	}
}

// stagedWorld stages a world into a shared stage.
func stagedWorld(t *testing.T, root string) (*Stage, *Plan) {
	t.Helper()
	stage := OpenStage(openFolder(t, t.TempDir()))
	p, err := MakePlan(t.Context(), PlanOptions{Sources: root, ShardBytes: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	id, err := stage.PutPlan(t.Context(), p)
	if err == nil {
		err = stage.PointTo(t.Context(), id, "")
	}
	if err != nil {
		t.Fatal(err)
	}
	if p, err = stage.Plan(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(t.Context(), p.Sources(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for s := range p.Shards() {
		if _, err := r.Stage(t.Context(), p, s.Key, stage); err != nil {
			t.Fatal(err)
		}
	}
	return stage, p
}

// TestSharedStage builds from a shared stage, without the archives, and compares
// with a build that reads them; then it spoils the stage.
func TestSharedStage(t *testing.T) {
	t.Parallel()
	root := sample().lay(t)
	want, err := Run(t.Context(), Options{Sources: root, Data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	stage, p := stagedWorld(t, root)
	rest := sample()
	for name := range rest {
		if strings.HasPrefix(name, "990/") {
			delete(rest, name)
		}
	}
	without := rest.lay(t)
	build := func(data string, opt Options) (*Result, error) {
		opt.Sources, opt.Data, opt.Stage = without, data, stage
		return Run(t.Context(), opt)
	}
	data := t.TempDir()
	got, err := build(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Snapshot.Manifest.Content != want.Snapshot.Manifest.Content || got.Staged != len(p.shards) || got.Staged < 3 {
		t.Errorf("%d shards, content %s, read here %s", got.Staged, got.Snapshot.Manifest.Content, want.Snapshot.Manifest.Content)
	}
	if !slices.Equal(got.Snapshot.Manifest.Sources, want.Snapshot.Manifest.Sources) {
		t.Errorf("sources %+v, read here %+v", got.Snapshot.Manifest.Sources, want.Snapshot.Manifest.Sources)
	}
	// A second build takes nothing again.
	if got, err = build(data, Options{}); err != nil || got.Reused != got.Staged {
		t.Errorf("%d of %d were there, %v", got.Reused, got.Staged, err)
	}

	first := filepath.Join(stage.String(), stageShards+p.shards[0].key)
	body, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoiled := range map[string][]byte{
		"cut": body[:len(body)-3], "longer": append(slices.Clone(body), 1), "empty": {}, "head": body[:20],
		"flipped": append(append(slices.Clone(body[:len(body)-9]), body[len(body)-9]^1), body[len(body)-8:]...),
	} {
		if err := os.WriteFile(first, spoiled, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_damaged" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(first); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_incomplete" || !strings.Contains(err.Error(), "1 of ") {
		t.Error(err)
	}
	// What is in quarantine is left out only if one says so, and then it is told.
	if err := stage.Quarantine(t.Context(), p.shards[0].key, Quarantined{"990/2022_TEOS_XML_01A.zip", "it has changed"}); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_quarantined" || !strings.Contains(err.Error(), "it has changed") {
		t.Error(err)
	}
	got, err = build(t.TempDir(), Options{WithoutQuarantined: true})
	if err != nil || !strings.Contains(strings.Join(got.Report.Warnings, "\n"), "it has changed") {
		t.Errorf("%v: %v", err, got)
	}
	if err := stage.ReleaseAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_incomplete" {
		t.Error(err)
	}
	// A stage without a plan, and one whose plan is another's.
	stage = OpenStage(openFolder(t, t.TempDir()))
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_empty" {
		t.Error(err)
	}
	if err := stage.PointTo(t.Context(), strings.Repeat("0", 24), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := build(t.TempDir(), Options{}); slugOf(err) != "stage_mismatch" {
		t.Error(err)
	}
	if err := stage.PointTo(t.Context(), strings.Repeat("1", 24), ""); slugOf(err) != "plan_conflict" {
		t.Error(err)
	}
}

// TestParsePlan reads plans that are not what this program writes.
func TestParsePlan(t *testing.T) {
	t.Parallel()
	p := planOn(t, &folderShelf{sample().lay(t)})
	body, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParsePlan(body)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := again.Encode(); err != nil || !bytes.Equal(second, body) {
		t.Errorf("%v\n%s\n%s", err, body, second)
	}
	for i := range p.shards {
		if p.shards[i].key != again.shards[i].key || p.shards[i].members != again.shards[i].members {
			t.Errorf("shard %d: %+v, %+v", i, p.shards[i], again.shards[i])
		}
	}
	if p.bytes != again.bytes {
		t.Errorf("%d bytes, %d", p.bytes, again.bytes)
	}
	for name, c := range map[string]struct{ old, new, slug string }{
		"version":  {`"version":"` + stageVersion, `"version":"0`, "stage_version"},
		"format":   {planFormat, "grantgraph plan 9", "stage_version"},
		"nothing":  {string(body), `{}`, "bad_plan"},
		"text":     {string(body), `plan`, "bad_plan"},
		"field":    {`"sources":`, `"more":1,"sources":`, "bad_plan"},
		"path":     {`"path":"990/`, `"path":"../`, "bad_plan"},
		"sum":      {p.archives[0].sha256, "00", "bad_plan"},
		"segment":  {`"segments":[[0,0,`, `"segments":[[9,0,`, "bad_plan"},
		"overlap":  {`"segments":[[0,0,`, `"segments":[[0,1,`, "bad_plan"},
		"negative": {`"segments":[[0,0,`, `"segments":[[-1,0,`, "bad_plan"},
	} {
		if _, err := ParsePlan([]byte(strings.Replace(string(body), c.old, c.new, 1))); slugOf(err) != c.slug {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParsePlan(f *testing.F) {
	p := &Plan{sources: "/x", archives: []plannedArchive{{rel: "990/a.zip", bytes: 3, members: 2}}}
	sum := sha256.Sum256(nil)
	p.archives[0].sha256, p.archives[0].listing = hex.EncodeToString(sum[:]), hex.EncodeToString(sum[:])
	p.shards = []shard{{segments: []segment{{to: 1}}, members: 1, bytes: 2}, {segments: []segment{{from: 1, to: 2}}, members: 1, bytes: 1}}
	body, err := p.Encode()
	if err != nil {
		f.Fatal(err)
	}
	if _, err := ParsePlan(body); err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := ParsePlan(body)
		if err != nil {
			return
		}
		for s := range p.Shards() {
			if s.Members <= 0 || s.Bytes < 0 || p.shardOf(s.Key) == nil {
				t.Errorf("%+v", s)
			}
		}
		if _, err := p.Encode(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	var good []byte
	var content []byte
	for i, name := range stagedTables {
		body := strings.Repeat("x", i)
		sum := sha256.Sum256([]byte(body))
		good = appendSum(good, hex.EncodeToString(sum[:]), int64(i), name)
		content = append(content, body...)
	}
	f.Add(append(append(slices.Clone(good), '\n'), content...))
	f.Add(good)
	f.Add([]byte("\n"))
	if err := unpack(context.Background(), bytes.NewReader(append(append(slices.Clone(good), '\n'), content...)), f.TempDir()); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		dir := t.TempDir()
		if err := unpack(t.Context(), bytes.NewReader(body), dir); err != nil {
			if errors.Is(err, io.EOF) {
				t.Error(err)
			}
			return
		}
		b := &builder{stageDir: filepath.Dir(dir)}
		if err := b.checkShard(t.Context(), &shard{key: filepath.Base(dir)}); err != nil {
			t.Errorf("unpacked, and %v", err)
		}
	})
}

func TestConcatenation(t *testing.T) {
	t.Parallel()
	c := concatenation{{bytes.NewReader([]byte("abc")), 3}, {bytes.NewReader(nil), 0}, {bytes.NewReader([]byte("defgh")), 5}}
	for off := range 9 {
		for n := 1; n < 10; n++ {
			p := make([]byte, n)
			got, err := c.ReadAt(p, int64(off))
			want := min(n, 8-off)
			if got != max(want, 0) || string(p[:got]) != "abcdefgh"[off:off+got] || (got < n) != (err == io.EOF) {
				t.Errorf("%d at %d: %d %q %v", n, off, got, p[:got], err)
			}
		}
	}
}
