package reconcile

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// service is the service over an invented world, with a store of its own.
type service struct {
	t testing.TB
	*Handler
	store *account.Store
	data  *dataset.Dataset
	base  string
}

func newService(t testing.TB) *service {
	t.Helper()
	holder, err := dataset.Open(world.Small.Data(t), dataset.Options{Log: slog.New(slog.DiscardHandler), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(holder.Close)
	s := &service{t: t, base: "https://grants.example"}
	if s.store, err = account.OpenSQLite(filepath.Join(t.TempDir(), "accounts.db"), account.Options{Clock: clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.store.Close() })
	s.Handler = New(Config{BaseURL: s.base, Acquire: holder.Acquire, Accounts: s.store, Clock: clock, Log: slog.New(slog.DiscardHandler),
		Address: func(r *http.Request) string { return r.RemoteAddr }})
	var release func()
	s.data, release = holder.Acquire()
	t.Cleanup(release)
	return s
}

func clock() time.Time { return world.Built.Add(time.Hour) }

// do sends a request from an address of documentation.
func (s *service) do(r *http.Request, header ...string) *httptest.ResponseRecorder {
	if r.RemoteAddr == "192.0.2.1:1234" { // what httptest gives
		r.RemoteAddr = "192.0.2.7:4711"
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Set-Cookie") != "" || w.Header().Get("Access-Control-Allow-Credentials") != "" {
		s.t.Errorf("%s %s: %v", r.Method, r.URL.Path, w.Header())
	}
	return w
}

func (s *service) get(path string, header ...string) *httptest.ResponseRecorder {
	return s.do(httptest.NewRequest(http.MethodGet, path, nil), header...)
}

// form sends a form as OpenRefine does.
func (s *service) form(name, value string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, Root02, strings.NewReader(url.Values{name: {value}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")
	return s.do(r, header...)
}

func (s *service) json(path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return s.do(r, header...)
}

func read[T any](t testing.TB, w *httptest.ResponseRecorder) (v T) {
	t.Helper()
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		t.Fatalf("%d %v: %.300s", w.Code, w.Header(), w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v: %.300s", err, w.Body)
	}
	return v
}

// named lists the organizations with exactly this name.
func (s *service) named(name string) []search.Result {
	return slices.DeleteFunc(s.data.Search.Find(name, "", 0), func(r search.Result) bool { return r.Match != search.Exact })
}

// some is an organization of the world whose name nobody else has.
func (s *service) some() search.Result {
	s.t.Helper()
	for org := range uint32(s.data.Directory.Len()) {
		row, _ := s.data.Directory.Row(org, nil)
		if named := s.named(row.Name); len(named) == 1 && len(row.Name) > 20 && row.State != "" && row.City != "" && row.ZIP != "" && row.Revenue != nil {
			return named[0]
		}
	}
	s.t.Fatal("the world has no organization with a name of its own")
	return search.Result{}
}

func quoted(v any) string { b, _ := json.Marshal(v); return string(b) }

// TestMatch asks for an organization in both versions, by everything that it is
// known by.
func TestMatch(t *testing.T) {
	t.Parallel()
	s := newService(t)
	o := s.some()
	row, _ := s.data.Directory.Row(o.Org, nil)
	name, id := o.Name, o.EIN.String()
	other := "PA"
	if o.State == other {
		other = "OH"
	}
	type condition = map[string]any
	where := func(property, value string) condition { return condition{"pid": property, "v": value} }
	for _, c := range []struct {
		what       string
		query      any
		properties []condition
		kind       any
		first      bool // it comes first
		match      bool
	}{
		{"by name", name, nil, nil, true, true},
		{"in small letters with a legal form", strings.ToLower(name) + ", inc.", nil, nil, true, true},
		{"with its place", name, []condition{where("state", o.State), where("city", o.City), where("zip", row.ZIP)}, nil, true, true},
		{"by its EIN", o.EIN.Hyphenated(), nil, nil, true, true},
		{"by its EIN as a property", nil, []condition{where("ein", id)}, nil, true, true},
		{"by both", name, []condition{where("ein", id)}, nil, true, true},
		{"by its EIN and another name", "Zyx Qwv Institute", []condition{where("ein", id)}, nil, true, false},
		{"of its type", name, nil, o.Kind, true, true},
		{"of any type", name, nil, []string{"organization"}, true, true},
		{"of another type", name, nil, map[string]string{"foundation": "nonprofit", "nonprofit": "foundation"}[o.Kind], false, false},
		{"nobody", "Zyx Qwv Institute of Nothing", nil, nil, false, false},
		{"no name", " ", nil, nil, false, false},
	} {
		query := map[string]any{}
		if c.query != nil {
			query["query"] = c.query
		}
		if c.properties != nil {
			query["properties"] = c.properties
		}
		if c.kind != nil {
			query["type"] = c.kind
		}
		got := read[map[string]result02](t, s.form("queries", quoted(map[string]any{"q0": query})))
		list := got["q0"].Result
		if first := len(list) > 0 && list[0].ID == id; first != c.first || len(list) > 0 && (list[0].Match != c.match && list[0].ID == id || list[0].Score > 99.9) {
			t.Errorf("%s: %+v", c.what, list)
		}
		for i, f := range list {
			if i > 0 && (f.Match || f.Score > list[i-1].Score) || f.Name == "" || f.Description == "" || len(f.Type) == 0 {
				t.Errorf("%s, %d: %+v", c.what, i, f)
			}
		}
	}

	// A state that is not its own: a hint in 0.2, a condition in 1.0.
	list := read[map[string]result02](t, s.form("queries", quoted(map[string]any{"q0": map[string]any{"query": name, "properties": []condition{where("state", other)}}})))["q0"].Result
	if len(list) == 0 || list[0].ID != id || list[0].Score >= 90 {
		t.Errorf("in another state: %+v", list)
	}
	ask := func(more string) []candidate {
		return read[results10](t, s.json(Root10+"/match", `{"queries":[{"conditions":[{"matchType":"name","propertyValue":`+quoted(name)+`}`+more+`]}]}`)).Results[0].Candidates
	}
	if list := ask(""); len(list) == 0 || list[0].ID != id || !list[0].Match {
		t.Errorf("1.0 by name: %+v", list)
	}
	for quantifier, found := range map[string]bool{"any": false, "all": false, "none": true} {
		list := ask(`,{"matchType":"property","propertyId":"state","propertyValue":"` + other + `","required":true,"matchQuantifier":"` + quantifier + `"}`)
		if is := len(list) > 0 && list[0].ID == id; is != found {
			t.Errorf("%s of another state is required: %+v", quantifier, list)
		}
	}
	if list := ask(`,{"matchType":"id","propertyValue":"` + id + `","required":true}`); len(list) != 1 || list[0].ID != id {
		t.Errorf("its EIN is required: %+v", list)
	}
}

// TestOneScale asks in the ways people write names: reconciliation, search and package
// identify mean the same organization with the same probability.
func TestOneScale(t *testing.T) {
	t.Parallel()
	s := newService(t)
	m := Matcher{Search: s.data.Search, Directory: s.data.Directory}
	name := s.some().Name
	for _, text := range []string{
		name, "c/o Jane Smith, " + name, name + " (formerly Zyx Qwv)", name + " fbo", "Univ. of Zyx", "St John's Church", "Community Foundation", "Zyx Qwv Institute",
	} {
		meant := s.data.Search.Identify(t.Context(), identify.Question{Text: text, Limit: maxCompared})
		list, err := m.Match(t.Context(), &Query{Names: []string{text}, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		if len(meant.Candidates) == 0 {
			if len(list) > 0 && (list[0].Sure || list[0].Probability > 0.01) {
				t.Errorf("%s means nobody, and reconciliation says %+v", text, list[0])
			}
			continue
		}
		first := meant.Candidates[0]
		if len(list) == 0 || list[0].EIN != first.EIN || math.Abs(list[0].Probability-first.Probability) > 0.005 || list[0].Sure && meant.Verdict != identify.Certain {
			t.Errorf("%s: %+v, and reconciliation says %+v", text, first, list)
		}
		if best, ok := meant.Best(); ok {
			if found := s.data.Search.Find(text, "", 5); len(found) == 0 || found[0].EIN != best.EIN || found[0].Match == search.Weak {
				t.Errorf("%s: %+v, and search says %+v", text, best, found)
			}
		}
	}
}

// TestNamesakes asks for a name that several have: none of them is a match until
// something tells them apart.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	m := Matcher{Search: s.data.Search, Directory: s.data.Directory}
	tried := 0
	for org := range uint32(s.data.Directory.Len()) {
		row, _ := s.data.Directory.Row(org, nil)
		named := s.named(row.Name)
		if len(named) != 2 || named[0].State == named[1].State || named[0].State == "" || named[1].State == "" {
			continue
		}
		tried++
		list, err := m.Match(t.Context(), &Query{Names: []string{row.Name}, Limit: 5})
		if err != nil || len(list) < 2 || list[0].Sure || list[0].Probability+list[1].Probability > 1 {
			t.Errorf("two namesakes: %v %+v", err, list)
		}
		for _, meant := range named {
			list, err := m.Match(t.Context(), &Query{Names: []string{row.Name}, Limit: 5, Where: []Condition{{Property: propState, Values: []string{meant.State}, Required: true}}})
			if err != nil || len(list) == 0 || list[0].EIN != meant.EIN {
				t.Errorf("the one in %s: %v %+v", meant.State, err, list)
			}
		}
		if tried == 20 {
			break
		}
	}
	if tried == 0 {
		t.Error("the world has no namesakes in two states")
	}
}

// TestExtend reads properties in both versions, as the indexes have them.
func TestExtend(t *testing.T) {
	t.Parallel()
	s := newService(t)
	o := s.some()
	row, _ := s.data.Directory.Row(o.Org, nil)
	id := o.EIN.String()
	var ids []string
	for _, p := range properties {
		ids = append(ids, p.id)
	}
	props := make([]map[string]string, len(ids))
	for i, p := range ids {
		props[i] = map[string]string{"id": p}
	}
	query := quoted(map[string]any{"ids": []string{id, "999999999", "nonsense"}, "properties": props})
	old := read[extended02](t, s.form("extend", query))
	draft := read[extended10](t, s.json(Root10+"/extend", query))
	if len(old.Meta) != len(ids) || len(old.Rows) != 3 || len(draft.Rows) != 3 {
		t.Fatalf("%+v\n%+v", old, draft)
	}
	cell := func(property string) string {
		list := old.Rows[id][property]
		switch {
		case len(list) == 0:
			return ""
		case list[0].Int != nil:
			return fmt.Sprint(*list[0].Int)
		}
		return *list[0].Str
	}
	for property, want := range map[string]string{
		"ein": o.EIN.Hyphenated(), "name": o.Name, "state": o.State, "zip": row.ZIP, "revenue": fmt.Sprint(*row.Revenue), "fiscal_year": fmt.Sprint(row.FiscalYear),
	} {
		if got := cell(property); got != want {
			t.Errorf("%s is %q, want %q", property, got, want)
		}
	}
	if cell("standing") == "" || cell("pub78") == "" || cell("given_total") == "" || cell("received_total") == "" {
		t.Errorf("%+v", old.Rows[id])
	}
	for i, p := range draft.Rows[0].Properties {
		if p.ID != ids[i] || quoted(p.Values) != quoted(old.Rows[id][p.ID]) {
			t.Errorf("the versions differ: %+v", p)
		}
	}
	for _, stranger := range []string{"999999999", "nonsense"} {
		for p, values := range old.Rows[stranger] {
			if len(values) != 0 {
				t.Errorf("%s of nobody: %+v", p, values)
			}
		}
	}
}

// TestSuggest completes organizations, properties and types.
func TestSuggest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	o := s.some()
	type answer struct{ Result []suggestion }
	for _, root := range []string{Root02, Root10} {
		for _, c := range []struct {
			path, first string
			most        int
		}{
			{"/suggest/entity?prefix=" + url.QueryEscape(o.Name), o.EIN.String(), 10},
			{"/suggest/entity?prefix=" + url.QueryEscape(o.EIN.Hyphenated()), o.EIN.String(), 1},
			{"/suggest/entity?prefix=x", "", 0},
			{"/suggest/entity?prefix=foundation&limit=3", "", 3},
			{"/suggest/property?prefix=rev", "revenue", 3},
			{"/suggest/property?prefix=", "state", 10},
			{"/suggest/property?prefix=&limit=50", "state", 50},
			{"/suggest/property?prefix=&limit=1&offset=1", "city", 1},
			{"/suggest/property?prefix=&limit=1&cursor=2", "zip", 1},
			{"/suggest/property?prefix=code&limit=1", "zip", 1},
			{"/suggest/type?prefix=", "organization", 3},
			{"/suggest/type?prefix=Priv", "foundation", 2},
			{"/suggest/type?prefix=zzz", "", 0},
		} {
			got := read[answer](t, s.get(root+c.path)).Result
			if got == nil || len(got) > c.most || c.first != "" && (len(got) == 0 || got[0].ID != c.first) {
				t.Errorf("%s%s: %+v", root, c.path, got)
			}
		}
		proposed := read[struct {
			Properties []suggestion
			Type       string
			Limit      int
		}](t, s.get(root+"/extend/propose?type=foundation&limit=4"))
		if len(proposed.Properties) != 4 || proposed.Type != "foundation" || proposed.Limit != 4 {
			t.Errorf("%+v", proposed)
		}
	}
	for path, want := range map[string]string{"entity?id=" + o.EIN.String(): o.EIN.Hyphenated(), "property?id=cause": "NTEE", "type?id=foundation": "990-PF"} {
		if got := read[struct{ ID, HTML string }](t, s.get(Root02+"/flyout/"+path)); got.ID == "" || !strings.Contains(got.HTML, want) {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// TestPreview draws an organization for a frame of any page, and nothing else for
// one.
func TestPreview(t *testing.T) {
	t.Parallel()
	s := newService(t)
	o := s.some()
	w := s.get(Root02 + "/preview?id=" + o.EIN.String())
	policy := w.Header().Get("Content-Security-Policy")
	if w.Code != 200 || !strings.Contains(w.Body.String(), o.EIN.Hyphenated()) || !strings.Contains(w.Body.String(), s.base+"/org/"+o.EIN.String()) ||
		!strings.Contains(policy, "frame-ancestors *") || strings.Contains(policy, "unsafe") || w.Header().Get("X-Frame-Options") != "" {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), w.Body)
	}
	if w := s.get(styleAddress); w.Code != 200 || !strings.Contains(w.Header().Get("Content-Type"), "text/css") || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for _, id := range []string{"999999999", "", "%3Cscript%3E"} {
		if w := s.get(Root10 + "/preview?id=" + id); w.Code != 404 || !strings.Contains(w.Body.String(), "no organization") || strings.Contains(w.Body.String(), "<script") {
			t.Errorf("%s: %d %s", id, w.Code, w.Body)
		}
	}
	if policy := s.get(Root02).Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the manifest may be framed: %s", policy)
	}
}

// TestRequests sends what a service must refuse, and what it must not mind.
func TestRequests(t *testing.T) {
	t.Parallel()
	s := newService(t)
	eleven := map[string]any{}
	for i := range FreeBatch + 1 {
		eleven[fmt.Sprint("q", i)] = map[string]string{"query": "Harlow"}
	}
	post := func(path, kind, body string) *http.Request {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		return r
	}
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		what   string
		r      *http.Request
		status int
		slug   string
	}{
		{"the manifest", httptest.NewRequest("GET", Root02, nil), 200, ""},
		{"its head", httptest.NewRequest("HEAD", Root02, nil), 200, ""},
		{"an address that is joined carelessly", httptest.NewRequest("GET", Root02+"/", nil), 301, ""},
		{"a script of another page", httptest.NewRequest("GET", Root02+"?callback=f", nil), 200, ""},
		{"queries in the address", httptest.NewRequest("GET", Root02+"?queries="+url.QueryEscape(`{"q0":{"query":"Harlow"}}`), nil), 200, ""},
		{"an empty batch", post(Root02, form, "queries=%7B%7D"), 200, ""},
		{"preflight", httptest.NewRequest("OPTIONS", Root10+"/match", nil), 204, ""},
		{"nothing", httptest.NewRequest("GET", Root02+"/nothing", nil), 404, slugMissing},
		{"a suggestion of nothing", httptest.NewRequest("GET", Root02+"/suggest/nothing?prefix=a", nil), 404, slugMissing},
		{"a flyout of nobody", httptest.NewRequest("GET", Root02+"/flyout/entity?id=999999999", nil), 404, slugMissing},
		{"a list to be had by a form", httptest.NewRequest("GET", Root10+"/match", nil), 405, slugMethod},
		{"another method", httptest.NewRequest("DELETE", Root02, nil), 405, slugMethod},
		{"a form without a batch", post(Root02, form, "x=y"), 400, slugMalformed},
		{"a form that is broken", post(Root02, form, "queries=%zz"), 400, slugMalformed},
		{"an address that is broken", httptest.NewRequest("GET", Root02+"?queries=%zz", nil), 400, slugMalformed},
		{"JSON where a form belongs", post(Root02, "application/json", "{}"), 415, slugMedia},
		{"a form where JSON belongs", post(Root10+"/match", form, "queries=%7B%7D"), 415, slugMedia},
		{"too many names", post(Root02, form, url.Values{"queries": {quoted(eleven)}}.Encode()), 413, slugTooLarge},
		{"too long", post(Root10+"/match", "application/json", strings.Repeat(" ", maxBody+1)), 413, slugBody},
		{"properties of a type that is none", httptest.NewRequest("GET", Root02+"/extend/propose?type=person", nil), 400, slugType},
		{"a limit that is none", httptest.NewRequest("GET", Root02+"/suggest/type?prefix=&limit=many", nil), 400, slugMalformed},
		{"a prefix that is too long", httptest.NewRequest("GET", Root02+"/suggest/type?prefix="+strings.Repeat("x", maxText+1), nil), 400, slugMalformed},
	} {
		w := s.do(c.r)
		var f struct {
			Code        int
			Error, Hint string
			RequestID   string `json:"request_id"`
		}
		if c.slug != "" {
			_ = json.Unmarshal(w.Body.Bytes(), &f)
		}
		if w.Code != c.status || f.Error != c.slug || c.slug != "" && (f.Code != c.status || f.Hint == "" || f.RequestID == "") {
			t.Errorf("%s: %d %.300s", c.what, w.Code, w.Body)
		}
	}
}

// TestMeter counts names without a key, calls with one, and nothing that is
// refused.
func TestMeter(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret, _, err := s.store.Create(t.Context(), account.Free, "", "")
	if err != nil {
		t.Fatal(err)
	}
	batch := func(n int) string {
		list := map[string]any{}
		for i := range n {
			list[fmt.Sprint("q", i)] = map[string]string{"query": "Harlow Library"}
		}
		return quoted(list)
	}
	left := func(want string, header string, w *httptest.ResponseRecorder) {
		t.Helper()
		if got := w.Header().Get(header); w.Code != 200 || got != want {
			t.Errorf("%d, %s is %q, want %q: %.200s", w.Code, header, got, want, w.Body)
		}
	}
	left("990", "X-Names-Remaining", s.form("queries", batch(10)))
	left("985", "X-Names-Remaining", s.get(Root02+"?queries="+url.QueryEscape(batch(5))))
	left("983", "X-Names-Remaining", s.form("extend", `{"ids":["000000001","000000002"],"properties":[{"id":"name"}]}`))
	if w := s.form("queries", batch(11)); w.Code != 413 {
		t.Error(w.Code)
	}
	left("982", "X-Names-Remaining", s.form("queries", batch(1))) // what was refused cost nothing
	left("", "X-Names-Remaining", s.form("queries", batch(0)))

	left("49", "X-Calls-Remaining", s.form("queries", batch(50), "X-API-Key", secret))
	left("48", "X-Calls-Remaining", s.json(Root10+"/match", `{"queries":[{"conditions":[{"matchType":"name","propertyValue":"Harlow"}]}]}`, "Authorization", "Bearer "+secret))
	for what, w := range map[string]*httptest.ResponseRecorder{
		"a wrong key":          s.form("queries", batch(1), "X-API-Key", secret[:len(secret)-3]+"xyz"),
		"51 names":             s.form("queries", batch(51), "X-API-Key", secret),
		"a key in the address": s.get(Root02 + "?api_key=" + secret + "&queries=" + url.QueryEscape(batch(1))),
	} {
		if want := map[string]int{"a wrong key": 401, "51 names": 413, "a key in the address": 400}[what]; w.Code != want || strings.Contains(w.Body.String(), secret) {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
	for range 98 {
		if w := s.form("queries", batch(10)); w.Code != 200 {
			t.Fatal(w.Code, w.Body)
		}
	}
	w := s.form("queries", batch(10))
	if w.Code != 429 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "names_spent") {
		t.Errorf("more than a day has: %d %s", w.Code, w.Body)
	}
	r := httptest.NewRequest("GET", Root02+"?queries="+url.QueryEscape(batch(1)), nil)
	r.RemoteAddr = "198.51.100.2:80" // another network
	left("999", "X-Names-Remaining", s.do(r))
	r = httptest.NewRequest("GET", Root02+"?queries="+url.QueryEscape(batch(1)), nil)
	r.RemoteAddr = "127.0.0.1:80" // this machine
	left("", "X-Names-Remaining", s.do(r))
	for i := range looks.Burst + 1 {
		if w := s.get(Root02 + "/suggest/type?prefix="); (w.Code == 429) != (i == looks.Burst) {
			t.Fatalf("look %d: %d", i, w.Code)
		}
	}
	if w := s.get(Root02); w.Code != 200 {
		t.Errorf("the manifest is not counted: %d", w.Code)
	}
}

// TestCookies answers the same with a cookie as without.
func TestCookies(t *testing.T) {
	t.Parallel()
	s := newService(t)
	plain, _ := io.ReadAll(s.get(Root02).Body)
	signed, _ := io.ReadAll(s.get(Root02, "Cookie", "session=x", "Origin", "https://evil.example").Body)
	if string(plain) != string(signed) {
		t.Error("a cookie changes the answer")
	}
}
