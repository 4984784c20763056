package robots_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/xml"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/robots"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

const base = "https://grants.example"

// open is the answers over the small world.
func open(t *testing.T, contact string, b *budget.Budget) (http.Handler, *dataset.Dataset) {
	t.Helper()
	holder, err := dataset.Open(world.Small.Data(t), dataset.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(holder.Close)
	set, release := holder.Acquire()
	t.Cleanup(release)
	whose, err := frame.NewOperator("Example Foundation", contact)
	if err != nil {
		t.Fatal(err)
	}
	f := frame.New(frame.Config{BaseURL: base, Operator: whose, Budget: b, Log: slog.New(slog.DiscardHandler), SignedIn: func(*http.Request) bool { return false }, Address: func(*http.Request) string { return "192.0.2.7" }})
	mux := http.NewServeMux()
	now := time.Date(2026, 3, 10, 14, 20, 0, 0, time.UTC)
	robots.Route(mux, f, robots.Config{Clock: func() time.Time { return now }})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mux.ServeHTTP(w, frame.Pin(r, set)) }), set
}

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

// TestRobots reads robots.txt and the sitemap as a robot does.
func TestRobots(t *testing.T) {
	t.Parallel()
	h, set := open(t, "", nil)
	text := get(t, h, "/robots.txt").Body.String()
	for _, line := range []string{"User-agent: *", "Disallow: /api/", "Disallow: /explore?", "Disallow: /search?", "Disallow: /sql?", "Disallow: /account", "Disallow: /download", "Sitemap: " + base + "/sitemap.xml"} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %q in %s", line, text)
		}
	}
	type entry struct {
		Loc     string `xml:"loc"`
		Lastmod string `xml:"lastmod"`
	}
	var index struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
		Parts   []entry  `xml:"sitemap"`
	}
	if err := xml.Unmarshal(get(t, h, "/sitemap.xml").Body.Bytes(), &index); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, part := range index.Parts {
		var pages struct {
			XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
			URLs    []entry  `xml:"url"`
		}
		w := get(t, h, strings.TrimPrefix(part.Loc, base))
		if err := xml.Unmarshal(w.Body.Bytes(), &pages); err != nil || w.Code != 200 || len(pages.URLs) > 50_000 {
			t.Fatal(part.Loc, w.Code, len(pages.URLs), err)
		}
		for _, u := range pages.URLs {
			if path := strings.TrimPrefix(u.Loc, base); listed[path] || u.Lastmod != set.Snapshot.Manifest.GeneratedAt.UTC().Format("2006-01-02") {
				t.Errorf("%+v is listed twice, or is of another day", u)
			} else {
				listed[path] = true
			}
		}
	}
	// Organizations are listed if they have grants and the IRS knows them, and only
	// then.
	organizations := 0
	for _, e := range set.Directory.EINs() {
		found, ok := set.Search.Lookup(e)
		if !ok {
			continue
		}
		want := found.Known == search.FromIRS && grants(t, set, e) > 0
		if path := "/org/" + e.String() + "/" + search.Slug(found.Name); listed[path] != want {
			t.Errorf("%s is listed: %t", path, listed[path])
		}
		if want {
			organizations++
		}
	}
	others := 0
	for path := range listed {
		if !strings.HasPrefix(path, "/org/") {
			others++
		}
	}
	if organizations == 0 || organizations+others != len(listed) || !listed["/"] || !listed["/place/OH"] || !listed["/cause/K"] {
		t.Errorf("%d organizations and %d other pages are listed, %d in all", organizations, others, len(listed))
	}
	for _, path := range []string{"/sitemap/organizations-0.xml", "/sitemap/organizations-2.xml", "/sitemap/organizations-01.xml", "/sitemap/organizations-1", "/sitemap/organizations-99999999999999999999.xml", "/sitemap/x.xml", "/sitemap/-1.xml"} {
		if w := get(t, h, path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestSitemapIsKept asks for a part again and again: it is made once for a dataset.
func TestSitemapIsKept(t *testing.T) {
	t.Parallel()
	h, _ := open(t, "", nil)
	const path = "/sitemap/organizations-1.xml"
	first := get(t, h, path)
	gone, cancel := context.WithCancel(t.Context())
	cancel() // a part cannot be made for a client that has left
	ask := func(header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(gone, "GET", path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	if again := ask(); again.Code != 200 || again.Body.String() != first.Body.String() || first.Body.Len() == 0 {
		t.Errorf("%d with %d bytes, not %d", again.Code, again.Body.Len(), first.Body.Len())
	}
	packed := ask("Accept-Encoding", "gzip")
	z, err := gzip.NewReader(packed.Body)
	if err != nil || packed.Header().Get("Content-Encoding") != "gzip" {
		t.Fatal(err, packed.Header())
	}
	if plain, err := io.ReadAll(z); err != nil || string(plain) != first.Body.String() {
		t.Errorf("%d bytes, %v", len(plain), err)
	}
	if w := ask("If-None-Match", first.Header().Get("ETag")); w.Code != 304 || w.Body.Len() > 0 {
		t.Errorf("%d with %d bytes", w.Code, w.Body.Len())
	}
}

func grants(t *testing.T, set *dataset.Dataset, e ein.EIN) (n int64) {
	t.Helper()
	for _, side := range []graph.Side{graph.Gave, graph.Received} {
		sums, err := set.Graph.Sums(t.Context(), e, side)
		if err != nil {
			t.Fatal(err)
		}
		n += sums.Grants
	}
	return n
}

// TestSecurity reads security.txt.
func TestSecurity(t *testing.T) {
	t.Parallel()
	const path = "/.well-known/security.txt"
	for contact, want := range map[string]string{"": "", "flaws@example.org": "Contact: mailto:flaws@example.org\n", "mailto:flaws@example.org": "Contact: mailto:flaws@example.org\n", "https://example.org/flaws": "Contact: https://example.org/flaws\n"} {
		h, _ := open(t, contact, nil)
		w := get(t, h, path)
		if want == "" {
			if w.Code != 404 {
				t.Errorf("without a contact: %d", w.Code)
			}
			continue
		}
		if body := w.Body.String(); !strings.HasPrefix(body, "# Example Foundation\n"+want) || !strings.Contains(body, "Expires: 2026-06-08T00:00:00Z\n") || !strings.Contains(body, "Canonical: "+base+path) {
			t.Errorf("%s: %s", contact, body)
		}
	}
	for _, bad := range []string{"http://example.org", "nobody", "a@b\r\nContact: c@d", "https://", "Someone <a@example.org>", "javascript:alert(1)"} {
		if _, err := frame.NewOperator("", bad); err == nil {
			t.Errorf("%q is a contact", bad)
		}
	}
}

// TestIcon reads the icon as a browser does.
func TestIcon(t *testing.T) {
	t.Parallel()
	h, _ := open(t, "", nil)
	w := get(t, h, "/favicon.ico")
	data := w.Body.Bytes()
	if w.Code != 200 || len(data) < 22 {
		t.Fatal(w.Code, len(data))
	}
	size, at := binary.LittleEndian.Uint32(data[14:]), binary.LittleEndian.Uint32(data[18:])
	if int(at+size) != len(data) {
		t.Fatalf("%d bytes at %d of %d", size, at, len(data))
	}
	if picture, err := png.Decode(bytes.NewReader(data[at:])); err != nil || picture.Bounds().Dx() != 32 {
		t.Error(err)
	}
}

// TestShare draws the preview pictures of pages, and none for missing pages.
func TestShare(t *testing.T) {
	t.Parallel()
	b := budget.New(64<<20, budget.Options{})
	h, set := open(t, "", b)
	top, _, err := set.Graph.Funders(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 1})
	if err != nil || len(top) == 0 {
		t.Fatal(err)
	}
	for path, status := range map[string]int{
		"/share.png": 200, "/share/org/" + top[0].EIN.String() + ".png": 200, "/share/explore.png": 200, "/share/explore.png?location=OH": 200, "/share/explore.png?subject=K&location=39153&geo_id_type=county_fips": 200,
		"/share/org/" + top[0].EIN.Hyphenated() + ".png": 404, "/share/org/999999998.png": 404, "/share/org/x.png": 404, "/share/org/" + top[0].EIN.String(): 404, "/share/explore.png?year=x": 404,
		"/share/explore.png?%zz": 404, "/share/nothing.png": 404,
	} {
		w := get(t, h, path)
		if w.Code != status {
			t.Errorf("%s: %d", path, w.Code)
			continue
		}
		if status != 200 {
			continue
		}
		picture, err := png.DecodeConfig(w.Body)
		if err != nil || picture.Width != 1200 || picture.Height != 630 || w.Header().Get("Content-Type") != "image/png" {
			t.Errorf("%s: %v, %v", path, err, w.Header())
		}
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("If-None-Match", w.Header().Get("ETag"))
		again := httptest.NewRecorder()
		h.ServeHTTP(again, r)
		if rest, _ := io.ReadAll(again.Body); again.Code != 304 || len(rest) > 0 {
			t.Errorf("%s again: %d", path, again.Code)
		}
	}
	if b.Held() != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}
