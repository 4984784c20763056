package serve

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// version is what an answer stamped with one version of the dataset must say.
type version struct {
	snapshot.Counts
	funder ein.EIN // its largest, which the other version does not have
	name   string
}

// edition is the same for an edition of the lists: rows by list.
type edition map[string]int64

// pinned is a service with two snapshots and two editions of the lists.
type pinned struct {
	*Server
	key                string
	versions, editions [2]string
	known              map[string]*version
	listed             map[string]edition
	swap               func(snapshot, lists int) // makes one of each current
}

func openPinned(t *testing.T) *pinned {
	t.Helper()
	p := &pinned{known: map[string]*version{}, listed: map[string]edition{}}
	data := t.TempDir()
	for i, w := range []world.World{world.Small, world.Other} {
		p.versions[i] = publish(t, data, w)
		e, err := lists.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		p.editions[i] = e.Manifest.Version
	}
	var err error
	p.Server, err = Open(Options{Data: data, BaseURL: "http://localhost", SQL: &sqlbox.Options{Workers: 2, Queue: 100, PerOwner: 10, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if p.key, _, err = p.Store().Create(t.Context(), account.Pro, "", ""); err != nil {
		t.Fatal(err)
	}
	p.swap = func(i, j int) {
		for path, name := range map[string]string{filepath.Join(data, "current"): p.versions[i], filepath.Join(lists.Dir(data), "current"): p.editions[j]} {
			if err := os.WriteFile(path, []byte(name+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p.refresh()
		d, release := p.holder.Acquire()
		defer release()
		if d.Version() != p.versions[i] || d.Lists.Version() != p.editions[j] {
			t.Fatalf("%s and %s are served, not %s and %s", d.Version(), d.Lists.Version(), p.versions[i], p.editions[j])
		}
	}
	// What each version and edition must say, read while it is current.
	for i := range p.versions {
		p.swap(i, i)
		d, release := p.holder.Acquire()
		v := &version{Counts: d.Snapshot.Manifest.Counts}
		top, _, err := d.Graph.Funders(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		v.funder, v.name = top[0].EIN, top[0].Name
		p.known[p.versions[i]] = v
		p.listed[p.editions[i]] = edition{}
		for _, l := range d.Lists.Edition.Lists {
			p.listed[p.editions[i]][l.Name] = l.Rows
		}
		release()
	}
	a, b := p.first(), p.known[p.versions[1]]
	if a.Grants == b.Grants || a.TotalAmount == b.TotalAmount || a.Funders == b.Funders || a.Recipients == b.Recipients || p.listed[p.editions[0]]["bmf"] == p.listed[p.editions[1]]["bmf"] {
		t.Fatal("the versions cannot be told apart")
	}
	return p
}

// first is what the first version must say.
func (p *pinned) first() *version { return p.known[p.versions[0]] }

// ask asks a face and checks the answer against the version it is stamped with.
func (p *pinned) ask(ctx context.Context, t *testing.T, f face) (stamp string, rec *httptest.ResponseRecorder) {
	r := httptest.NewRequestWithContext(ctx, f.method, f.path, f.content())
	r.RemoteAddr = "127.0.0.1:1" // which no limit holds
	r.Header.Set("X-API-Key", p.key)
	rec = httptest.NewRecorder()
	p.Handler().ServeHTTP(rec, r)
	stamp = rec.Header().Get("X-Dataset-Version")
	if v := p.known[stamp]; v == nil {
		t.Errorf("%s: stamped %q", f.path, stamp)
	} else if err := f.check(stamp, v, p.listed, rec); err != nil {
		t.Errorf("%s of %s: %v\n%d %.300s", f.path, stamp, err, rec.Code, rec.Body)
	}
	return stamp, rec
}

// swapping is a context that does something when it is first asked for its
// deadline, which the API does as soon as it has the dataset of a request.
type swapping struct {
	context.Context
	once *sync.Once
	swap func()
}

func (c swapping) Deadline() (time.Time, bool) {
	c.once.Do(c.swap)
	return c.Context.Deadline()
}

// TestPinnedUnderway swaps the snapshot and the lists in the middle of a request
// to each face of the API: the answer is whole of those it began with.
func TestPinnedUnderway(t *testing.T) {
	t.Parallel()
	p := openPinned(t)
	for from := range 2 {
		for _, f := range pinnedFaces(p.first()) {
			if !strings.HasPrefix(f.path, "/api/") {
				continue
			}
			p.swap(from, from)
			swapped := false
			stamp, rec := p.ask(swapping{t.Context(), new(sync.Once), func() { p.swap(1-from, 1-from); swapped = true }}, t, f)
			if !swapped || stamp != p.versions[from] {
				t.Errorf("%s: stamped %s, began with %s, swapped %t", f.path, stamp, p.versions[from], swapped)
			}
			if strings.HasSuffix(f.path, "/meta") && !strings.Contains(rec.Body.String(), p.editions[from]) {
				t.Errorf("the lists are not of the edition %s that the request began with: %s", p.editions[from], rec.Body)
			}
		}
	}
}

// TestPinned swaps snapshots and editions of the lists back and forth while
// every face of the service is asked: each answer must have the rows of the
// version, and of the edition, that it is stamped with.
func TestPinned(t *testing.T) {
	t.Parallel()
	p := openPinned(t)
	faces := pinnedFaces(p.first())
	var (
		stop  atomic.Bool
		asked atomic.Int64
		wg    sync.WaitGroup
		seen  sync.Map
	)
	for worker := range 4 {
		wg.Go(func() {
			for n := worker; !stop.Load(); n++ {
				stamp, _ := p.ask(context.Background(), t, faces[n%len(faces)])
				seen.Store(stamp, true)
				if asked.Add(1); t.Failed() {
					return
				}
			}
		})
	}
	for i := range 10 {
		// Enough requests for every face to be asked of every pair.
		for from := asked.Load(); asked.Load() < from+int64(2*len(faces)) && !t.Failed(); {
			runtime.Gosched()
		}
		p.swap(i%2, i/2%2)
	}
	stop.Store(true)
	wg.Wait()
	for _, v := range p.versions {
		if _, ok := seen.Load(v); !ok {
			t.Errorf("no answer was of %s", v)
		}
	}
	t.Logf("%d answers of %d faces", asked.Load(), len(faces))
}

// face is one way to ask, and what must be true of the answer.
type face struct {
	method, path, body string
	check              func(stamp string, v *version, listed map[string]edition, rec *httptest.ResponseRecorder) error
}

func (f face) content() io.Reader {
	if f.body == "" {
		return http.NoBody
	}
	return strings.NewReader(f.body)
}

// expect compares figures, and the stamp within the answer with that outside.
func expect(stamp, inside string, pairs ...int64) error {
	if inside != stamp {
		return fmt.Errorf("the answer says that it is of %q", inside)
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != pairs[i+1] {
			return fmt.Errorf("figure %d is %d, want %d", i/2, pairs[i], pairs[i+1])
		}
	}
	return nil
}

// wire is what the faces have in their envelopes.
type wire struct {
	Hits              int64 `json:"hits" xml:"hits"`
	Summary           struct{ Total_Amount, Grant_Count int64 }
	Scope             struct{ Grants, Total_Amount int64 }
	Rows              []struct{ N, Total int64 }
	Results           []struct{ EIN, Name string }
	ComplianceEdition string `json:"compliance_edition"`
	ComplianceSources map[string]struct {
		Row_Count int64
	} `json:"compliance_sources"`
	Service struct {
		Dataset struct {
			Version string `json:"version" xml:"version"`
		} `json:"dataset" xml:"dataset"`
	} `json:"x_service" xml:"x_service"`
}

func pinnedFaces(first *version) []face {
	// get is a face whose answer is JSON.
	get := func(path string, check func(v *version, w *wire) []int64) face {
		return face{"GET", path, "", func(stamp string, v *version, _ map[string]edition, rec *httptest.ResponseRecorder) error {
			var w wire
			if err := json.Unmarshal(rec.Body.Bytes(), &w); err != nil {
				return err
			}
			return expect(stamp, w.Service.Dataset.Version, check(v, &w)...)
		}}
	}
	hits := func(v *version, w *wire) []int64 { return []int64{w.Hits, v.Grants} }
	// rows is a face whose answer is rows alone.
	rows := func(path string) face {
		return face{"GET", path, "", func(stamp string, v *version, _ map[string]edition, rec *httptest.ResponseRecorder) error {
			n, err := strconv.ParseInt(rec.Header().Get("X-Service-Hits"), 10, 64)
			if err != nil {
				return err
			}
			return expect(stamp, stamp, n, v.Grants)
		}}
	}
	const query = `{"sql":"SELECT count(*) AS n, sum(amount) AS total FROM grants"}`
	grouped := func(n int64) string {
		s := strconv.FormatInt(n, 10)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		return s
	}
	// page is a page that has to show these numbers.
	page := func(path string, numbers func(v *version) []int64) face {
		return face{"GET", path, "", func(stamp string, v *version, _ map[string]edition, rec *httptest.ResponseRecorder) error {
			for _, n := range numbers(v) {
				if !strings.Contains(rec.Body.String(), "<b>"+grouped(n)+"</b>") {
					return fmt.Errorf("no %s", grouped(n))
				}
			}
			if !strings.Contains(rec.Body.String(), "Dataset "+stamp+".") {
				return fmt.Errorf("no version at the foot of the page")
			}
			return nil
		}}
	}
	return []face{
		get("/api/v1/grants/transactions?limit=3", hits),
		get("/api/v1/grants/transactions?limit=3&sort_by=recip_name&page=2", hits),
		get("/api/v1/grants/funders?limit=3", func(v *version, w *wire) []int64 { return []int64{w.Hits, v.Funders} }),
		get("/api/v1/grants/recipients?limit=3", func(v *version, w *wire) []int64 { return []int64{w.Hits, v.Recipients} }),
		get("/api/v1/grants/summary", func(v *version, w *wire) []int64 {
			return []int64{w.Summary.Total_Amount, v.TotalAmount, w.Summary.Grant_Count, v.Grants}
		}),
		rows("/api/v1/grants/transactions?limit=1&format=csv"),
		rows("/api/v1/grants/transactions?limit=1&format=ndjson"),
		{"GET", "/api/v1/grants/transactions?limit=1&format=xml", "", func(stamp string, v *version, _ map[string]edition, rec *httptest.ResponseRecorder) error {
			var w wire
			if err := xml.Unmarshal(rec.Body.Bytes(), &w); err != nil {
				return err
			}
			return expect(stamp, w.Service.Dataset.Version, w.Hits, v.Grants)
		}},
		// Names: the largest funder of the first version is found in its index
		// alone.
		{"GET", "/api/v1/search?limit=20&q=" + url.QueryEscape(first.name), "", func(stamp string, v *version, _ map[string]edition, rec *httptest.ResponseRecorder) error {
			var w wire
			if err := json.Unmarshal(rec.Body.Bytes(), &w); err != nil {
				return err
			}
			found := false
			for _, r := range w.Results {
				found = found || r.EIN == first.funder.String()
			}
			if found != (v == first) {
				return fmt.Errorf("found is %t", found)
			}
			return expect(stamp, w.Service.Dataset.Version)
		}},
		{"POST", "/api/v1/sql", query, func(stamp string, v *version, _ map[string]edition, rec *httptest.ResponseRecorder) error {
			var w wire
			if err := json.Unmarshal(rec.Body.Bytes(), &w); err != nil || len(w.Rows) != 1 {
				return fmt.Errorf("%v", err)
			}
			return expect(stamp, w.Service.Dataset.Version, w.Rows[0].N, v.Grants, w.Rows[0].Total, v.TotalAmount)
		}},
		{"POST", "/api/v1/sql?format=csv", query, func(_ string, v *version, _ map[string]edition, rec *httptest.ResponseRecorder) error {
			if want := fmt.Sprintf("%d,%d", v.Grants, v.TotalAmount); !strings.Contains(rec.Body.String(), want) {
				return fmt.Errorf("no %s", want)
			}
			return nil
		}},
		{"GET", "/api/v1/meta", "", func(stamp string, v *version, listed map[string]edition, rec *httptest.ResponseRecorder) error {
			var w wire
			if err := json.Unmarshal(rec.Body.Bytes(), &w); err != nil {
				return err
			}
			for name, n := range listed[w.ComplianceEdition] {
				if w.ComplianceSources[name].Row_Count != n {
					return fmt.Errorf("%s of edition %q has %d rows, want %d", name, w.ComplianceEdition, w.ComplianceSources[name].Row_Count, n)
				}
			}
			if len(w.ComplianceSources) == 0 || listed[w.ComplianceEdition] == nil {
				return fmt.Errorf("edition %q", w.ComplianceEdition)
			}
			return expect(stamp, w.Service.Dataset.Version, w.Scope.Grants, v.Grants, w.Scope.Total_Amount, v.TotalAmount)
		}},
		page("/", func(v *version) []int64 { return []int64{v.Grants, v.Funders, v.Recipients} }),
		page("/data", func(v *version) []int64 { return []int64{v.Grants, v.Returns} }),
		{"GET", "/org/" + first.funder.String() + "/" + search.Slug(first.name), "", func(_ string, v *version, _ map[string]edition, rec *httptest.ResponseRecorder) error {
			if (rec.Code == http.StatusOK) != (v == first) {
				return fmt.Errorf("status %d", rec.Code)
			}
			return nil
		}},
	}
}
