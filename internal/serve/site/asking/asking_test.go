package asking

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/site/frame"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// fake reads a question as its first word says, so that a test has every outcome
// in its hands.
type fake struct {
	ran *atomic.Int64
	run func(ctx context.Context, p *ask.Plan) (*ask.Answer, error)
}

var tries = []string{"Who funds A?", "Who funds B?", "Who funds C?"}

func (f fake) Read(_ context.Context, question string) (*ask.Plan, *ask.Unclear) {
	word, rest, _ := strings.Cut(question, " ")
	switch word {
	case "":
		return nil, &ask.Unclear{Why: "Nothing was asked.", Try: tries, Policy: true}
	case "why":
		return nil, &ask.Unclear{Why: "This is a question of cause and effect.", Try: tries, Policy: true}
	case "which":
		return nil, &ask.Unclear{Why: "Several organizations have that name.", Try: tries, Parties: []ask.Party{{EIN: "000000001", Name: "HARLOW LIBRARY"}}}
	case "is":
		return &ask.Plan{Measure: "screen", Of: "organizations", Organizations: []ask.Party{{EIN: "000000001", Name: "HARLOW LIBRARY"}}}, nil
	case "huh":
		return nil, &ask.Unclear{Why: "These words mean nothing here: <b>" + rest + "</b>.", Try: tries}
	}
	return &ask.Plan{Measure: "how_much", Of: "grants", Words: question}, nil
}

func (f fake) Run(ctx context.Context, p *ask.Plan) (*ask.Answer, error) {
	f.ran.Add(1)
	if f.run != nil {
		return f.run(ctx, p)
	}
	return &ask.Answer{
		Understood: true, Plan: p,
		Request: &ask.Request{Method: "GET", Path: "/grants/summary", Query: "query=x", URL: "https://grants.example/api/v1/grants/summary?query=it's"},
		Figures: []ask.Figure{{Name: "total_amount", Value: 1234567, Unit: ask.UnitDollars}, {Name: "share", Value: 3.44, Unit: ask.UnitPercent}},
		Columns: []ask.Column{{Name: "funder", Label: "Funder", Unit: ask.UnitParty}, {Name: "amount", Label: "Dollars", Unit: ask.UnitDollars}, {Name: "year", Label: "Year", Unit: ask.UnitYear}},
		Rows:    [][]any{{ask.Party{EIN: "000000001", Name: "HARLOW LIBRARY"}, int64(1234567), int64(2021)}, {"an individual", nil, int64(2020)}},
		Chart:   &ask.Chart{Kind: "years", Title: "Dollars by year", Unit: ask.UnitDollars, Labels: []string{"2020", "2021"}, Values: []int64{5, 1234562}},
		Answer:  "They gave $1,234,567 <in all>.", Caveats: []string{"2025 is not complete."}, Link: "/explore?year=2021",
	}, nil
}

func (f fake) Reworded(context.Context, string, string) (*ask.Plan, error) {
	return nil, errors.New("no")
}

// model is one that a test fills in.
type model func() (*ask.Plan, error)

func (m model) Name() string { return "small-1" }
func (m model) Fill(context.Context, string, func(string) (*ask.Plan, error)) (*ask.Plan, error) {
	return m()
}

// place is the page with everything around it in the hands of a test.
type place struct {
	*room
	http.Handler
	fake  *fake
	store *account.Store
	log   bytes.Buffer
	mu    sync.Mutex
	now   time.Time
	who   frame.Member
}

func (p *place) clock() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

func (p *place) forward(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

func newPlace(t testing.TB) *place {
	t.Helper()
	holder, err := dataset.Open(world.Small.Data(t), dataset.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(holder.Close)
	p := &place{now: time.Date(2026, 3, 10, 14, 20, 0, 0, time.UTC), fake: &fake{ran: &atomic.Int64{}}}
	p.store, err = account.OpenSQLite(filepath.Join(t.TempDir(), "accounts.db"), account.Options{Clock: p.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.store.Close() })
	f := frame.New(frame.Config{
		BaseURL: "https://grants.example", Log: slog.New(slog.NewTextHandler(&p.log, nil)),
		SignedIn: func(*http.Request) bool { return p.who.Known() }, Member: func(*http.Request) (frame.Member, error) { return p.who, nil },
		Address: func(r *http.Request) string { return r.RemoteAddr },
		Ask: func(context.Context, *dataset.Dataset, api.Inquiry) (client.Answer, func(), error) {
			return nil, func() {}, errors.New("nobody is there")
		},
	})
	p.room = newRoom(f, Config{
		Accounts: p.store, Clock: p.clock,
		Visitor: func(_ http.ResponseWriter, r *http.Request) string { return r.Header.Get("X-Visitor") },
		Token:   func(http.ResponseWriter, *http.Request) string { return "token" },
		Ours:    func(r *http.Request) bool { return r.Header.Get("X-Page-Token") == "token" },
		Form:    func(_ http.ResponseWriter, r *http.Request) error { return r.ParseForm() },
		Seal:    func(plan string) string { return fmt.Sprint("seal", len(plan)) },
	})
	p.reader = func(ask.Source) reader { return *p.fake }
	mux := http.NewServeMux()
	p.route(mux)
	d, release := holder.Acquire()
	t.Cleanup(release)
	p.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mux.ServeHTTP(w, frame.Pin(r, d)) })
	return p
}

// answered is what somebody got.
type answered struct {
	*httptest.ResponseRecorder
	text string // as it is read
}

func (p *place) do(r *http.Request, visitor string, header ...string) answered {
	r.RemoteAddr = "192.0.2.7:4711"
	r.Header.Set("X-Visitor", visitor)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return answered{w, html.UnescapeString(w.Body.String())}
}

func (p *place) get(visitor, question string, header ...string) answered {
	return p.do(httptest.NewRequest(http.MethodGet, "/ask?"+url.Values{"q": {question}}.Encode(), nil), visitor, header...)
}

func (p *place) post(visitor, body string, header ...string) answered {
	r := httptest.NewRequest(http.MethodPost, "/api/v1/analyze", strings.NewReader(body))
	return p.do(r, visitor, append([]string{"Content-Type", "application/json", "X-Page-Token", "token"}, header...)...)
}

// event is one of a stream.
type event struct {
	id, name string
	data     map[string]any
}

func (a answered) events(t *testing.T) (list []event) {
	t.Helper()
	if a.Code != 200 || a.Header().Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v %s", a.Code, a.Header(), a.Body)
	}
	for _, block := range strings.Split(strings.TrimSpace(a.Body.String()), "\n\n") {
		if strings.HasPrefix(block, ":") {
			continue
		}
		lines := strings.Split(block, "\n")
		if len(lines) != 3 {
			t.Fatalf("an event of %d lines: %s", len(lines), block)
		}
		var e event
		e.id, e.name = strings.TrimPrefix(lines[0], "id: "), strings.TrimPrefix(lines[1], "event: ")
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[2], "data: ")), &e.data); err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func names(list []event) string {
	var to []string
	for _, e := range list {
		to = append(to, e.name)
	}
	return strings.Join(to, " ")
}

func (p *place) left(t *testing.T, visitor string, want int) {
	t.Helper()
	got, err := p.store.QuestionsLeft(t.Context(), account.Asking{Visitor: visitor, Address: "192.0.2.7"})
	if err != nil || got != want {
		t.Errorf("%d questions left, %v, want %d", got, err, want)
	}
}

// TestPage draws the whole answer without a script.
func TestPage(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	empty := p.do(httptest.NewRequest(http.MethodGet, "/ask", nil), "ann")
	if empty.Code != 200 || !strings.Contains(empty.text, "3 of 3 free questions") || !strings.Contains(empty.text, tries[0]) || empty.Header().Get("X-Robots-Tag") != "" {
		t.Errorf("%d %s", empty.Code, empty.text)
	}
	p.get("ann", tries[0]) // what the page offers costs nothing
	p.left(t, "ann", 3)
	a := p.get("ann", "how much")
	for _, text := range []string{
		"They gave $1,234,567 <in all>.", `href="/org/000000001/harlow-library">Harlow Library`, "3.4%", "not known", "an individual", "2025 is not complete.", `href="/explore?year=2021"`,
		`curl -H 'X-API-Key: YOUR_KEY'`, `?query=it'\''s'`, "<svg", "2 free questions are left today.", "grantgraph ask 'how much'",
	} {
		if a.Code != 200 || !strings.Contains(a.text, text) {
			t.Errorf("%d, no %q", a.Code, text)
		}
	}
	if strings.Contains(a.Body.String(), "<in all>") {
		t.Error("words are not escaped")
	}
	if a.Header().Get("Cache-Control") != "no-store" || a.Header().Get("X-Robots-Tag") != "noindex" {
		t.Errorf("%v", a.Header())
	}
	p.get("ann", "how much") // again
	p.left(t, "ann", 2)
	p.get("ann", "how many")
	p.get("ann", "how few")
	p.left(t, "ann", 0)
	ran := p.fake.ran.Load()
	spent := p.get("ann", "how else")
	if spent.Code != 402 || !strings.Contains(spent.text, "3 free questions") || p.fake.ran.Load() != ran {
		t.Errorf("%d, ran %d times", spent.Code, p.fake.ran.Load()-ran)
	}
	if free := p.get("ann", tries[1]); free.Code != 200 {
		t.Errorf("a question that the page offers: %d", free.Code)
	}
	if again := p.get("ann", "how few"); again.Code != 200 {
		t.Errorf("what is paid is not shown again: %d", again.Code)
	}
	p.forward(24 * time.Hour)
	p.left(t, "ann", 3)
}

// TestFree has all that is not counted.
func TestFree(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, c := range []struct {
		question, text string
		status         int
		header         []string
	}{
		{"", "Nothing was asked.", 200, nil},
		{"why so", "cause and effect", 200, nil},
		{"which one", `href="/org/000000001/harlow-library">Harlow Library`, 200, nil},
		{"huh <script>", "<b><script></b>", 200, nil},
		{"is it exempt", "They gave", 200, nil},
		{"how much", "looked up when its page is opened", 503, []string{"Sec-Purpose", "prefetch;prerender"}},
		{"how much", "3 of 3 free", 200, []string{"Sec-Fetch-Dest", "image"}},
	} {
		a := p.get("ann", c.question, c.header...)
		if a.Code != c.status || !strings.Contains(a.text, c.text) || strings.Contains(a.Body.String(), "<b><script>") {
			t.Errorf("%q: %d %s", c.question, a.Code, a.text)
		}
	}
	head := p.do(httptest.NewRequest(http.MethodHead, "/ask?q=how+much", nil), "ann")
	if head.Code != 200 {
		t.Error(head.Code)
	}
	for _, fails := range []struct {
		err    error
		status int
	}{{errors.New("disk on fire"), 500}, {fault.New(budget.Busy, "busy"), 503}, {context.DeadlineExceeded, 503}, {fault.New("dataset_damaged", "x"), 503}} {
		p.fake.run = func(context.Context, *ask.Plan) (*ask.Answer, error) { return nil, fails.err }
		if a := p.get("ann", "how secret"); a.Code != fails.status || strings.Contains(a.text, "fire") || !strings.Contains(a.text, "Nothing was counted") {
			t.Errorf("%v: %d %s", fails.err, a.Code, a.text)
		}
		if list := p.post("ann", `{"question":"how secret"}`).events(t); names(list) != "understood error" || int(list[1].data["code"].(float64)) != fails.status {
			t.Errorf("%v: %v", fails.err, list)
		}
	}
	p.fake.run = func(context.Context, *ask.Plan) (*ask.Answer, error) {
		return &ask.Answer{Why: "There is no such year.", Try: tries}, nil
	}
	if a := p.get("ann", "how late"); a.Code != 200 || !strings.Contains(a.text, "There is no such year.") {
		t.Errorf("%d %s", a.Code, a.text)
	}
	p.left(t, "ann", 3)
	if strings.Contains(p.log.String(), "secret") {
		t.Errorf("the log has a question: %s", &p.log)
	}
}

// TestStream answers as events, and goes on where one was cut.
func TestStream(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	all := p.post("ann", `{"question":"how much"}`).events(t)
	if names(all) != "understood request rows chart answer done" {
		t.Fatal(names(all))
	}
	if answer := all[4].data; answer["answer"] != "They gave $1,234,567 <in all>." || !strings.Contains(answer["html"].(string), "&lt;in all&gt;") {
		t.Errorf("%v", answer)
	}
	if figures := all[2].data["figures"].([]any); figures[0].(map[string]any)["value"] != 1234567.0 {
		t.Errorf("%v", figures)
	}
	if all[0].data["plan"].(map[string]any)["words"] != "how much" || all[5].data["paid"] != "2 free questions are left today." {
		t.Errorf("%v", all)
	}
	for i, e := range all[:5] {
		rest := p.post("ann", `{"question":"how much"}`, "Last-Event-ID", e.id).events(t)
		if names(rest) != names(all[i+1:]) || rest[0].id != all[i+1].id {
			t.Errorf("after %s: %s", e.id, names(rest))
		}
	}
	// What another answer was cut at says nothing of this one.
	for _, id := range []string{"x.3", "3", "", all[0].id + "0", strings.Repeat("9", 5000), "\u00e9.."} {
		if list := p.post("ann", `{"question":"how many"}`, "Last-Event-ID", id).events(t); names(list) != names(all) {
			t.Errorf("after %.20q: %s", id, names(list))
		}
	}
	p.left(t, "ann", 1)
	p.post("ann", `{"question":"how few"}`)
	if list := p.post("bob", `{"question":"huh"}`).events(t); names(list) != "unclear" || list[0].data["try"].([]any)[0] != tries[0] {
		t.Errorf("%v", list)
	}
	if list := p.post("ann", `{"question":"how else"}`).events(t); names(list) != "understood error" || list[1].data["error"] != "questions_spent" {
		t.Errorf("%v", list)
	}
}

// TestRefused has what is no question of the page.
func TestRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, c := range []struct {
		name, body string
		header     []string
		status     int
		slug       string
	}{
		{"not the page", `{"question":"how much"}`, []string{"X-Page-Token", "other"}, 403, "not_public"},
		{"a form", `question=how`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "unsupported_media_type"},
		{"not JSON", `how much`, nil, 422, "invalid_request"},
		{"another field", `{"question":"how much","sql":"DROP"}`, nil, 422, "invalid_request"},
		{"a list", `["how much"]`, nil, 422, "invalid_request"},
		{"too long", `{"question":"` + strings.Repeat("a", mostBody) + `"}`, nil, 413, "body_too_large"},
	} {
		a := p.post("ann", c.body, c.header...)
		var f client.Failure
		if err := json.Unmarshal(a.Body.Bytes(), &f); err != nil || a.Code != c.status || f.Error != c.slug || f.Code != c.status || f.Message == "" {
			t.Errorf("%s: %d %s", c.name, a.Code, a.Body)
		}
	}
	p.left(t, "ann", 3)
	if long := p.get("ann", strings.Repeat("x", 10_000)); long.Code != 200 || len(long.text) > 100_000 {
		t.Errorf("%d, %d bytes", long.Code, len(long.text))
	}
}

var planIn = regexp.MustCompile(`[?&]plan=([^"&]*)`)

// TestChangedPlan runs a plan that an address carries, when it is one of ours.
func TestChangedPlan(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	plan := (&ask.Plan{Measure: "how_many", Of: "grants", Words: "books"}).String()
	get := func(plan string) answered {
		return p.do(httptest.NewRequest(http.MethodGet, "/ask?"+url.Values{"q": {"how much"}, "plan": {plan}}.Encode(), nil), "ann")
	}
	if a := get(p.sealed(plan)); a.Code != 200 || !strings.Contains(a.text, "They gave") || !strings.Contains(a.text, `value="how much"`) {
		t.Errorf("%d %s", a.Code, a.text)
	}
	for _, bad := range []string{plan, "seal1" + plan, p.sealed(`{"measure":"evil"}`), p.sealed("no plan"), "seal", "{", p.sealed(plan) + " ", p.sealed(plan + "{}")} {
		if a := get(bad); a.Code != 422 || !strings.Contains(a.text, "cannot be read") {
			t.Errorf("%s: %d", bad, a.Code)
		}
	}
	p.left(t, "ann", 2)
	real := ask.Plan{Measure: "how_much", Of: "grants", Places: []ask.Place{{Kind: "state", Value: "OH", Name: "Ohio", Of: "recipient"}}, Years: []ask.Span{{From: 2021, To: 2021}}}
	for _, c := range p.newChips("how much", &real) {
		for _, href := range append([]string{c.Off}, func() (all []string) {
			for _, o := range c.Options {
				all = append(all, o.Href)
			}
			return all
		}()...) {
			if href == "" {
				continue
			}
			text, err := url.QueryUnescape(planIn.FindStringSubmatch(href)[1])
			if err != nil {
				t.Fatal(err)
			}
			if plan, ok := p.unsealed(text); !ok {
				t.Errorf("%s carries no plan of ours", href)
			} else if _, err := ask.Parse(plan); err != nil {
				t.Errorf("%s: %v", href, err)
			}
		}
	}
}

// TestPaying pays with a key or an account when no free question is left.
func TestPaying(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ctx := t.Context()
	for i := range account.FreeQuestions {
		p.get("ann", fmt.Sprint("how ", i))
	}
	plus, k, err := p.store.Create(ctx, account.Plus, "ann@example.org", "")
	if err != nil {
		t.Fatal(err)
	}
	free, _, err := p.store.Create(ctx, account.Free, "ann@example.org", "")
	if err != nil {
		t.Fatal(err)
	}
	spent := func(want int) {
		t.Helper()
		if b, err := p.store.Balance(ctx, k.ID); err != nil || b.Limit-b.Remaining != want {
			t.Errorf("%+v, %v, want %d spent", b, err, want)
		}
	}
	form := func(key, question string) answered {
		r := httptest.NewRequest(http.MethodPost, "/ask", strings.NewReader(url.Values{"q": {question}, "key": {key}}.Encode()))
		return p.do(r, "ann", "Content-Type", "application/x-www-form-urlencoded")
	}
	if a := form(plus, "how much"); a.Code != 200 || !strings.Contains(a.text, "one call from this key; 249 calls are left") || strings.Contains(a.text, plus) {
		t.Errorf("%d %s", a.Code, a.text)
	}
	form(plus, "how much")
	spent(1)
	if list := p.post("ann", `{"question":"how many","key":"`+plus+`"}`).events(t); list[len(list)-1].name != "done" {
		t.Errorf("%v", list)
	}
	spent(2)
	form(plus, "huh what")
	p.fake.run = func(context.Context, *ask.Plan) (*ask.Answer, error) { return nil, errors.New("no") }
	form(plus, "how come")
	p.fake.run = nil
	spent(2)
	for _, key := range []string{free, "gg_x", "' OR 1=1"} {
		if a := form(key, "how else"); a.Code != 402 || !strings.Contains(a.text, "This key cannot pay") || strings.Contains(a.text, "OR 1=1") {
			t.Errorf("%s: %d", key, a.Code)
		}
	}
	if _, err := p.store.Charge(ctx, k.ID, 248); err != nil {
		t.Fatal(err)
	}
	if a := form(plus, "how else"); a.Code != 402 || !strings.Contains(a.text, "No calls left") {
		t.Errorf("%d %s", a.Code, a.text)
	}
	// An account of a paid plan pays without a key, one of the free plan does not.
	_, member, err := p.store.Create(ctx, account.Pro, "bob@example.org", "")
	if err != nil {
		t.Fatal(err)
	}
	p.who = frame.Member{ID: member.ID, Plan: account.Pro}
	if a := p.get("ann", "how else"); a.Code != 200 || !strings.Contains(a.text, "one call from your account") {
		t.Errorf("%d %s", a.Code, a.text)
	}
	p.who.Plan = account.Free
	if a := p.get("ann", "how other"); a.Code != 402 {
		t.Errorf("%d", a.Code)
	}
}

// TestRace asks twenty questions at once with three free ones: three are answered.
func TestRace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.atOnce = budget.NewAtOnce(100, 100)
	var done, refused atomic.Int64
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			switch list := p.post("ann", fmt.Sprintf(`{"question":"how %d"}`, i)).events(t); list[len(list)-1].name {
			case "done":
				done.Add(1)
			case "error":
				refused.Add(1)
			}
		})
	}
	all.Wait()
	if done.Load() != account.FreeQuestions || refused.Load() != 20-account.FreeQuestions {
		t.Errorf("%d answered, %d refused", done.Load(), refused.Load())
	}
}

// TestAtOnce turns away whoever asks many questions at a time.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	waiting, open := make(chan struct{}, atOnceEach), make(chan struct{})
	p.fake.run = func(context.Context, *ask.Plan) (*ask.Answer, error) {
		waiting <- struct{}{}
		<-open
		return nil, errors.New("enough")
	}
	var all sync.WaitGroup
	for i := range atOnceEach {
		all.Go(func() { p.get("ann", fmt.Sprint("how ", i)) })
	}
	for range atOnceEach {
		<-waiting
	}
	if a := p.get("bob", "how"); a.Code != 503 || a.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", a.Code, a.Header())
	}
	close(open)
	all.Wait()
	p.left(t, "ann", 3)
}

// cut is a connection that ends after so many writes.
type cut struct {
	http.ResponseWriter
	after int
}

func (c *cut) Write(b []byte) (int, error) {
	if c.after--; c.after < 0 {
		return 0, io.ErrClosedPipe
	}
	return c.ResponseWriter.Write(b)
}

// TestCut counts nothing when the connection ends before the answer, and once when
// it ends after.
func TestCut(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for after, left := range []int{3, 3, 2, 2, 2} { // a comment, understood, then what is paid
		r := httptest.NewRequest(http.MethodPost, "/api/v1/analyze", strings.NewReader(`{"question":"how much"}`))
		r.RemoteAddr = "192.0.2.7:4711"
		for k, v := range map[string]string{"Content-Type": "application/json", "X-Page-Token": "token", "X-Visitor": "ann"} {
			r.Header.Set(k, v)
		}
		p.ServeHTTP(&cut{httptest.NewRecorder(), after}, r)
		p.left(t, "ann", left)
	}
	if list := p.post("ann", `{"question":"how much"}`).events(t); list[len(list)-1].name != "done" {
		t.Error(names(list))
	}
	p.left(t, "ann", 2)
	// Somebody who leaves while it is looked up.
	ctx, leave := context.WithCancel(t.Context())
	p.fake.run = func(ctx context.Context, plan *ask.Plan) (*ask.Answer, error) {
		leave()
		return fake{ran: &atomic.Int64{}}.Run(ctx, plan)
	}
	r := httptest.NewRequest(http.MethodGet, "/ask?q=how+many", nil).WithContext(ctx)
	p.do(r, "ann")
	p.left(t, "ann", 2)
}

// TestModel lets a model read what the reader does not, but not what nobody may.
func TestModel(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	asked := 0
	plan, fails := &ask.Plan{Measure: "how_much", Of: "grants", Words: "what"}, error(nil)
	p.Model = model(func() (*ask.Plan, error) { asked++; return plan, fails })
	if a := p.get("ann", "huh what"); a.Code != 200 || !strings.Contains(a.text, "the language model small-1") || !strings.Contains(a.text, "They gave") || asked != 1 {
		t.Errorf("%d, asked %d times: %s", a.Code, asked, a.text)
	}
	list := p.post("ann", `{"question":"huh what"}`).events(t)
	if list[0].data["filled_by"] != "small-1" {
		t.Errorf("%v", list[0])
	}
	p.left(t, "ann", 2)
	before := asked
	for _, question := range []string{"why so", "", "how much"} {
		p.get("ann", question)
	}
	if asked != before {
		t.Error("the model was asked what it may not answer, or what is understood")
	}
	for _, wrong := range []struct {
		plan *ask.Plan
		err  error
	}{{nil, errors.New("it hangs")}, {&ask.Plan{Measure: "evil"}, nil}} {
		plan, fails = wrong.plan, wrong.err
		if a := p.get("ann", "huh else"); a.Code != 200 || !strings.Contains(a.text, "This question was not understood") || strings.Contains(a.text, "small-1") {
			t.Errorf("%d %s", a.Code, a.text)
		}
	}
	p.left(t, "ann", 1)
	// One visitor does not have it without end, and none without questions left.
	plan, fails = nil, errors.New("no")
	for range 2 * models.Burst {
		p.get("ann", "huh again")
	}
	if asked > models.Burst {
		t.Errorf("it was asked %d times", asked)
	}
	p.forward(time.Hour)
	p.get("ann", "how other")
	before = asked
	p.get("ann", "huh once more")
	if asked != before {
		t.Error("the model was asked for somebody who has no question left")
	}
}

// FuzzStream sends anything as a question, a plan and the last event: it is
// answered or refused in words, within bounds.
func FuzzStream(f *testing.F) {
	p := newPlace(f)
	plan := p.sealed((&ask.Plan{Measure: "how_much", Of: "grants"}).String())
	f.Add(`{"question":"how much"}`, "", "")
	f.Add(`{"question":"huh","key":"gg_p_x"}`, plan, "x.3")
	f.Add(`[`, "seal2{}", "..")
	f.Fuzz(func(t *testing.T, body, plan, last string) {
		p.forward(time.Hour)
		for _, a := range []answered{
			p.post("ann", body, "Last-Event-ID", last),
			p.do(httptest.NewRequest(http.MethodGet, "/ask?"+url.Values{"q": {body}, "plan": {plan}}.Encode(), nil), "ann"),
		} {
			if a.Code >= 500 || a.Body.Len() > 1<<20 {
				t.Fatalf("%d, %d bytes", a.Code, a.Body.Len())
			}
		}
	})
}
