package stage

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

	"grantgraph/internal/disk/powerloss"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/source/rows/rowstest"
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

// lay makes a folder of sources with two archives of returns.
func lay(t testing.TB) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "sources")
	for archive, members := range map[string]map[string]string{
		"2022_TEOS_XML_01A.zip": {
			"202200019349100001_public.xml": invent("070000001", 40), "202200019349100002_public.xml": invent("080000002", 30),
			"broken_public.xml": "<Return><ReturnHeader>", "page_public.xml": "<html><body>404</body></html>",
		},
		"2022_TEOS_XML_02A.zip": {"2022_TEOS_XML_02A/202200029349100005_public.xml": invent("070000001", 20)},
	} {
		path := filepath.Join(root, "990", archive)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(rowstest.ZipMap(members)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// invent writes a 990-PF with some grants.
func invent(filer string, grants int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<Return xmlns="http://www.irs.gov/efile" returnVersion="2021v4.0"><ReturnHeader><ReturnTs>2022-05-01T10:00:00-05:00</ReturnTs>
<TaxPeriodEndDt>2021-12-31</TaxPeriodEndDt><ReturnTypeCd>990PF</ReturnTypeCd><Filer><EIN>%s</EIN></Filer></ReturnHeader>
<ReturnData><IRS990PF><SupplementaryInformationGrp>`, filer)
	for i := range grants {
		fmt.Fprintf(&b, "<GrantOrContributionPdDurYrGrp><RecipientPersonNm>NUMBER %d</RecipientPersonNm><Amt>%d</Amt></GrantOrContributionPdDurYrGrp>", i, i)
	}
	b.WriteString("</SupplementaryInformationGrp></IRS990PF></ReturnData></Return>")
	return b.String()
}

// TestPowerCutStage cuts the power while shards are staged: one that has its
// name is whole.
func TestPowerCutStage(t *testing.T) {
	data := t.TempDir()
	root := lay(t)
	p := planOn(t, &folderShelf{root})
	p.shards = p.shards[:2]
	r := powerloss.Record(t, data)
	_, err := Open(filepath.Join(data, "stage"), p).Fill(t.Context(), FillOptions{Sources: root, Workers: 1, Step: func(int64) {}})
	if err != nil {
		t.Fatal(err)
	}
	r.Each(t, func(dir string, done bool) error {
		found := Open(filepath.Join(dir, "stage"), p)
		for i := range p.shards {
			if err := found.check(context.Background(), &p.shards[i]); err != nil && (done || !errors.Is(err, errNotStaged)) {
				return fmt.Errorf("shard %s: %w", p.shards[i].key, err)
			}
		}
		return nil
	})
}

// planOn plans what is on a shelf.
func planOn(t *testing.T, s shelf) *Plan {
	t.Helper()
	rels, err := s.returns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := planner{shelf: s, workers: 2, shardBytes: 1 << 10, refuse: true}
	p, err := n.plan(t.Context(), rels, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shelves are the two kinds of places for archives, with the same archives.
func shelves(t *testing.T, root string) map[string]shelf {
	return map[string]shelf{"folder": &folderShelf{root}, "store": &bucketShelf{openFolder(t, root)}}
}

// TestShelves reads the same archives from a folder and through a store: names,
// plans and shards are the same, byte for byte.
func TestShelves(t *testing.T) {
	t.Parallel()
	root := lay(t)
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
			root := lay(t)
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
	root := lay(t)
	whole := planOn(t, &folderShelf{root})
	first := whole.archives[0].Path
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
			rels = append(rels, whole.archives[i].Path)
		}
		p, err := n.plan(t.Context(), rels, nil)
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
	root := lay(t)
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

// TestParsePlan reads plans that are not what this program writes.
func TestParsePlan(t *testing.T) {
	t.Parallel()
	p := planOn(t, &folderShelf{lay(t)})
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
		"version":  {`"version":"` + version, `"version":"0`, "stage_version"},
		"format":   {planFormat, "grantgraph plan 9", "stage_version"},
		"nothing":  {string(body), `{}`, "bad_plan"},
		"text":     {string(body), `plan`, "bad_plan"},
		"field":    {`"sources":`, `"more":1,"sources":`, "bad_plan"},
		"path":     {`"path":"990/`, `"path":"../`, "bad_plan"},
		"sum":      {p.archives[0].SHA256, "00", "bad_plan"},
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
	p := &Plan{sources: "/x", archives: []plannedArchive{{Path: "990/a.zip", Bytes: 3, Members: 2}}}
	sum := sha256.Sum256(nil)
	p.archives[0].SHA256, p.archives[0].Listing = hex.EncodeToString(sum[:]), hex.EncodeToString(sum[:])
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
	for i, name := range tableNames {
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
		if err := Open(filepath.Dir(dir), nil).check(t.Context(), &shard{key: filepath.Base(dir)}); err != nil {
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

// TestStagedHeads holds that a shard which says what no return can is refused, not
// built from: whoever wrote it, its checksums may be right.
func TestStagedHeads(t *testing.T) {
	t.Parallel()
	good := Head{SHA256: strings.Repeat("0f", 32), PeriodEnd: "2023-12-31", Lines: 3}
	for name, damage := range map[string]func(*Head){
		"":             func(*Head) {},
		"ends on":      func(r *Head) { r.PeriodEnd = "2023" },
		"checksum of":  func(r *Head) { r.SHA256 = "0f" },
		"has -1 lines": func(r *Head) { r.Lines = -1 },
	} {
		r := good
		damage(&r)
		if err := r.check(); (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
