package manual_test

import (
	"html"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"grantgraph"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/snippet"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/manual"
	"grantgraph/internal/serve/warehouse"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }

// place is the documentation beside the API that it describes.
type place struct {
	*manual.Room
	world   *apitest.World
	handler http.Handler
}

func open(t testing.TB) *place {
	t.Helper()
	p := &place{world: apitest.New(t)}
	log := &strings.Builder{}
	f := frame.New(frame.Config{BaseURL: apitest.Base, SignedIn: func(*http.Request) bool { return false }, Log: slog.New(slog.NewTextHandler(log, nil))})
	p.Room = manual.New(f, p.world.Reference())
	mux := http.NewServeMux()
	p.Route(mux)
	p.handler = mux
	t.Cleanup(func() {
		if text := log.String(); text != "" {
			t.Error(text)
		}
	})
	return p
}

// get asks for a page.
func (p *place) get(t testing.TB, path string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	b, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Code, string(b)
}

// want fails the test unless a page has all these texts.
func (p *place) want(t testing.TB, path string, texts ...string) {
	t.Helper()
	status, body := p.get(t, path)
	if status != 200 {
		t.Errorf("%s: status %d", path, status)
		return
	}
	body = html.UnescapeString(body)
	for _, text := range texts {
		if !strings.Contains(body, text) {
			_, rest, _ := strings.Cut(body, "<article")
			t.Errorf("%s: no %q in %.3000s", path, text, rest)
		}
	}
}

var (
	hrefs = regexp.MustCompile(`href="([^"]*)"`)
	ids   = regexp.MustCompile(` id="([^"]*)"`)
)

// elsewhere are prefixes of site addresses that the documentation links to.
var elsewhere = regexp.MustCompile(`^/($|\?|#|(explore|check|verify|data|downloads|sql|signin|signup|account|about|plans|status|contact|privacy|terms|search|places|causes|ask|api/v1/meta|api/v1/sql/schema|openapi\.json|llms\.txt|compare|\.well-known/jwks\.json)($|[?#]))`)

// TestLinks follows every link of every page, including its anchor.
func TestLinks(t *testing.T) {
	t.Parallel()
	p := open(t)
	bodies := map[string]string{}
	for _, at := range p.Addresses() {
		status, body := p.get(t, at)
		if status != 200 {
			t.Errorf("%s: status %d", at, status)
		}
		bodies[at] = body
	}
	anchors := map[string]map[string]bool{}
	for at, body := range bodies {
		anchors[at] = map[string]bool{}
		for _, m := range ids.FindAllStringSubmatch(body, -1) {
			if anchors[at][m[1]] {
				t.Errorf("%s has the id %s twice", at, m[1])
			}
			anchors[at][m[1]] = true
		}
		if n := strings.Count(body, "<h1"); n != 1 {
			t.Errorf("%s has %d titles", at, n)
		}
		if strings.Contains(body, "style=") || strings.Contains(body, "raw HTML omitted") {
			t.Errorf("%s has a style of its own, or HTML that is left out", at)
		}
	}
	for at, body := range bodies {
		for _, m := range hrefs.FindAllStringSubmatch(body, -1) {
			to, place, _ := strings.Cut(html.UnescapeString(m[1]), "#")
			if to == "" {
				to = at
			}
			switch {
			case strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://"):
			case strings.HasPrefix(to, "/static/"):
			case to == "/docs/search" || strings.HasSuffix(to, "/run"):
			case bodies[to] != "":
				if place != "" && !anchors[to][place] {
					t.Errorf("%s leads to %s, which has no %s", at, to, place)
				}
			case !elsewhere.MatchString(to):
				t.Errorf("%s leads to %s, which is nowhere", at, to)
			}
		}
	}
}

// TestEverythingIsThere checks that every document, operation, error and table has
// a page, and can be reached from the first page.
func TestEverythingIsThere(t *testing.T) {
	t.Parallel()
	p := open(t)
	_, home := p.get(t, "/docs")
	pages := p.Addresses()
	titled := map[string]bool{}
	err := fs.WalkDir(grantgraph.Documents, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".md" {
			return err
		}
		at := map[string]string{"docs/api.md": "/docs/examples", "docs/search.md": "/docs/searching", "docs/warehouse.md": "/docs/tables", "CHANGELOG.md": "/docs/changes"}[name]
		if at == "" {
			at = "/" + strings.TrimSuffix(name, ".md")
		}
		if !slices.Contains(pages, at) || !strings.Contains(home, `href="`+at+`"`) {
			t.Errorf("%s has no page at %s, or it is not found", name, at)
		}
		titled[at] = true
		return nil
	})
	if err != nil || len(titled) < 15 {
		t.Fatalf("%d texts: %v", len(titled), err)
	}
	_, reference := p.get(t, "/docs/api")
	for _, op := range apitest.Operations(t) {
		if !strings.Contains(reference, `href="/docs/api/`+op.ID+`"`) {
			t.Errorf("%s is not in the reference", op.ID)
		}
	}
	_, errors := p.get(t, api.Errors)
	for _, f := range p.world.Reference().Refusals {
		if !strings.Contains(errors, ` id="`+f.Slug+`"`) || !strings.Contains(html.UnescapeString(errors), f.Do) {
			t.Errorf("%s is not described", f.Slug)
		}
	}
	_, tables := p.get(t, "/docs/tables")
	for _, v := range warehouse.Describe().Tables {
		if !strings.Contains(tables, `href="/docs/tables/`+v.Name+`"`) {
			t.Errorf("%s is not in the list of tables", v.Name)
		}
		texts := []string{v.Meaning}
		for _, c := range v.Columns {
			texts = append(texts, "<code>"+c.Name+"</code>")
		}
		for _, e := range v.Examples {
			texts = append(texts, e.SQL, "/sql?q=")
		}
		p.want(t, "/docs/tables/"+v.Name, strings.ReplaceAll(strings.Join(texts[:1], ""), "`", ""))
		p.want(t, "/docs/tables/"+v.Name, texts[1:]...)
	}
}

// TestOperations checks that the page of an operation shows everything in its entry
// of the table.
func TestOperations(t *testing.T) {
	t.Parallel()
	p := open(t)
	for _, group := range p.world.Reference().Groups {
		for _, op := range group.Operations {
			at := "/docs/api/" + op.ID
			texts := []string{op.Summary, op.Method + "</b> " + apitest.Base + "/api/v1" + op.Path}
			for _, one := range op.Params {
				texts = append(texts, ` id="p-`+one.Name+`"`, "<code>"+one.Name+"</code>")
				for _, word := range one.Enum {
					texts = append(texts, "<code>"+word+"</code>")
				}
			}
			for _, f := range op.Failures() {
				texts = append(texts, api.Errors+"#"+f.Slug)
			}
			for _, c := range snippet.Of(&op, apitest.Base, "") {
				texts = append(texts, c.Title, c.Source)
			}
			p.want(t, at, texts...)
			p.want(t, at+"?run=1", "answered <b>200</b>", `"code": 200`)
			status, body := p.get(t, at)
			if live := strings.Contains(body, at+"/run"); status != 200 || live == (op.Access == api.Admin || op.ForAgents) {
				t.Errorf("%s can be run by members: %v", op.ID, live)
			}
		}
	}
}

// TestFind searches for what people look for.
func TestFind(t *testing.T) {
	t.Parallel()
	p := open(t)
	first := regexp.MustCompile(`<ol class="results"><li><a href="([^"]*)"`)
	for question, want := range map[string]string{
		"quota_exhausted":               "/docs/errors#quota_exhausted",
		"min_match_prob":                "/docs/api/listTransactions#p-min_match_prob",
		"org_financials":                "/docs/tables/org_financials",
		"how are recipients resolved":   "/docs/resolution",
		"inferred causes":               "/docs/causes",
		"billing systems":               "/docs/operations#billing-systems",
		"vocabularies":                  "/docs/examples#vocabularies",
		"VERIFY report":                 "/docs/api/verifyReport",
		"what does the screening cover": "/docs/screening",
	} {
		_, body := p.get(t, "/docs/search?q="+strings.ReplaceAll(question, " ", "+"))
		m := first.FindStringSubmatch(body)
		if m == nil || !strings.HasPrefix(html.UnescapeString(m[1]), want) {
			t.Errorf("%q finds %v, want %s", question, m, want)
		}
	}
	p.want(t, "/docs/search", "Type the name")
	p.want(t, "/docs/search?q=zzqxvw", "No page in the documentation", `/search?q=zzqxvw`)
	p.want(t, "/docs/search?q=the+of", "No page in the documentation")
	p.want(t, "/docs/search?q="+strings.Repeat("key+", 90), "first 200 characters", "<mark>")
	if _, body := p.get(t, "/docs/search?q=%3Cscript%3Ealert(1)%3C/script%3E+key"); strings.Contains(body, "<script>alert") {
		t.Error("what was typed is drawn as it is")
	}
	if status, _ := p.get(t, "/docs/search?q=%ff%00%zz"); status != 200 {
		t.Error("a question that is no text fails")
	}
}

// TestMarkdown asks for documents as they were written.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	p := open(t)
	for at, file := range map[string]string{
		"/docs/guide/start.md": "docs/guide/start.md", "/docs/examples.md": "docs/api.md", "/docs/sources.md": "docs/sources.md",
		"/docs/api.md": "docs/api.md", "/docs/search.md": "docs/search.md", "/docs/warehouse.md": "docs/warehouse.md",
	} {
		w := httptest.NewRecorder()
		p.handler.ServeHTTP(w, httptest.NewRequest("GET", at, nil))
		want, err := fs.ReadFile(grantgraph.Documents, file)
		if err != nil || w.Code != 200 || w.Header().Get("Content-Type") != "text/markdown; charset=utf-8" || w.Body.String() != string(want) {
			t.Errorf("%s: status %d, %v, %d bytes, %v", at, w.Code, w.Header(), w.Body.Len(), err)
		}
	}
}

// TestNowhere asks for pages that do not exist.
func TestNowhere(t *testing.T) {
	t.Parallel()
	p := open(t)
	for _, path := range []string{
		"/docs/nothing", "/docs/nothing.md", "/docs/api/nothing", "/docs/tables/nothing", "/docs/tables/grants/x", "/docs/guide", "/docs/guide/",
		"/docs/%2e%2e%2fgo.mod", "/docs/..%2f..%2fetc%2fpasswd", "/docs/%2e%2e", "/docs/docs/site.md", "/docs/site%00", "/docs/SITE",
		"/docs/" + strings.Repeat("a", 5000), "/docs/" + strings.Repeat("../", 500) + "x", "/docs/api/" + strings.Repeat("x/", 50), "/docs/%ff",
	} {
		status, body := p.get(t, path)
		if status != 404 && status != 307 && status != 301 {
			t.Errorf("%.60s: status %d", path, status)
		}
		if strings.Contains(body, "module grantgraph") || strings.Contains(body, "root:") || strings.Contains(body, "goroutine") {
			t.Errorf("%.60s shows what it should not", path)
		}
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, httptest.NewRequest("GET", "/docs/", nil))
	if w.Code != 301 || w.Header().Get("Location") != "/docs" {
		t.Errorf("/docs/ answers %d", w.Code)
	}
}

// TestAround checks the frame of a document: its place, its neighbors, and its
// address.
func TestAround(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.want(t, "/docs/sources", `<link rel="canonical" href="`+apitest.Base+`/docs/sources">`, `href="/docs/sources" aria-current="page"`, `rel="prev"`, `rel="next"`, `href="/docs" aria-current="true">Docs`)
	p.want(t, "/docs/api/listFunders", `href="/docs/api" aria-current="true"`, `href="/docs/api/listFunders" aria-current="page"`)
	p.want(t, "/docs/examples", "BASE="+apitest.Base+"/api/v1", "<details><summary>The answer</summary>")
	if _, body := p.get(t, "/docs/operations"); !strings.Contains(body, "127.0.0.1") {
		t.Error("operators do not read of their own machine")
	}
	_, body := p.get(t, "/docs/search?q=key")
	if strings.Contains(body, `rel="canonical"`) {
		t.Error("what was found is to be indexed")
	}
}

// TestCode checks that code on a page is the code of the document, with the address
// of the service in place of a local one.
func TestCode(t *testing.T) {
	t.Parallel()
	p := open(t)
	fenced := regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")
	drawn := regexp.MustCompile(`(?s)<pre tabindex="0"><code[^>]*>(.*?)</code></pre>`)
	blocks := 0
	for name, at := range map[string]string{"docs/api.md": "/docs/examples", "docs/screening.md": "/docs/screening", "docs/profiles.md": "/docs/profiles"} {
		source, err := fs.ReadFile(grantgraph.Documents, name)
		if err != nil {
			t.Fatal(err)
		}
		_, body := p.get(t, at)
		var shown []string
		for _, m := range drawn.FindAllStringSubmatch(body, -1) {
			shown = append(shown, html.UnescapeString(m[1]))
		}
		for _, m := range fenced.FindAllSubmatch(source, -1) {
			if want := strings.ReplaceAll(string(m[1]), "http://127.0.0.1:8080", apitest.Base); !slices.Contains(shown, want) {
				t.Errorf("%s does not show\n%s", at, want)
			}
			blocks++
		}
	}
	if blocks < 40 {
		t.Errorf("only %d blocks of code", blocks)
	}
}

// TestAlone checks that the documents are there without an API.
func TestAlone(t *testing.T) {
	t.Parallel()
	f := frame.New(frame.Config{BaseURL: apitest.Base, SignedIn: func(*http.Request) bool { return true }, Log: slog.New(slog.DiscardHandler)})
	room := manual.New(f, nil)
	mux := http.NewServeMux()
	room.Route(mux)
	for _, at := range room.Addresses() {
		w := httptest.NewRecorder()
		if mux.ServeHTTP(w, httptest.NewRequest("GET", at, nil)); w.Code != 200 || strings.HasPrefix(at, "/docs/api") {
			t.Errorf("%s: %d", at, w.Code)
		}
	}
}

// FuzzFind searches for anything: the answer is bounded, and the words never become
// markup.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{"min_amt", "<b>key", "\xff\x00", "_ __ a_", "é plan ÷", strings.Repeat("x ", 200)} {
		f.Add(seed)
	}
	p := open(f)
	f.Fuzz(func(t *testing.T, question string) {
		r := httptest.NewRequest("GET", "/docs/search", nil)
		r.URL.RawQuery = "q=" + strings.ReplaceAll(html.EscapeString(question), "&", "%26")
		w := httptest.NewRecorder()
		p.handler.ServeHTTP(w, r)
		if w.Code != 200 || w.Body.Len() > 256<<10 || strings.Contains(w.Body.String(), "<b>key") {
			t.Errorf("%q: %d, %d bytes", question, w.Code, w.Body.Len())
		}
	})
}
