package find

import (
	"fmt"
	"html"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"grantgraph/client"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// open serves the pages over the small world.
func open(t *testing.T, b *budget.Budget) (http.Handler, *dataset.Dataset) {
	t.Helper()
	holder, err := dataset.Open(world.Small.Data(t), dataset.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(holder.Close)
	set, release := holder.Acquire()
	t.Cleanup(release)
	f := frame.New(frame.Config{BaseURL: "https://grants.example", Budget: b, Log: slog.New(slog.DiscardHandler), SignedIn: func(*http.Request) bool { return false },
		Member: func(*http.Request) (frame.Member, error) { return frame.Member{}, nil }, Address: func(*http.Request) string { return "192.0.2.7" }})
	mux := http.NewServeMux()
	Route(mux, f)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mux.ServeHTTP(w, frame.Pin(r, set)) }), set
}

// page is what a browser shows.
func page(t *testing.T, h http.Handler, path string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, html.UnescapeString(w.Body.String())
}

// TestUnderstand takes places and causes out of words. Akron, Ohio is the only city
// with organizations here.
func TestUnderstand(t *testing.T) {
	t.Parallel()
	has := func(city, state string) bool {
		return strings.EqualFold(city, "Akron") && (state == "" || state == "OH")
	}
	for _, tc := range []struct{ address, rest, where, cause string }{
		{"q=food+banks+in+Ohio", "food banks", "Ohio", "K"},
		{"q=food+banks+ohio", "food banks", "Ohio", "K"},
		{"q=food+banks+in+Akron,+OH", "food banks", "Akron, OH", "K"},
		{"q=food+banks+in+akron", "food banks", "Akron", "K"},
		{"q=food+banks+near+Akron", "food banks", "Akron", "K"},
		{"q=food+banks+in+need", "food banks in need", "", ""},
		{"q=food+banks+in+Washington", "food banks", "WA or DC", "K"},
		{"q=food+banks+in+Ohio&state=MI", "food banks in Ohio", "Michigan", ""},
		{"q=food+banks&state=mi", "food banks", "Michigan", "K"},
		{"q=food+banks&cause=any", "food banks", "", ""},
		{"q=food+banks&cause=B", "food banks", "", "B"},
		{"q=health", "health", "", "health"},
		{"q=education", "education", "", "B"},
		{"q=museums", "museums", "", "A"},
		{"q=nonprofits+for+museums", "nonprofits for museums", "", "A"},
		{"q=museum+of+the+river", "museum of the river", "", ""},
		{"q=Harlow+County+Library", "Harlow County Library", "", ""},
		{"q=Ohio", "Ohio", "", ""},
		{"q=the", "the", "", ""},
		{"q=B20", "B20", "", ""},
		{"q=library&state=OH&city=Akron", "library", "Akron, OH", "B"},
		{"q=library&accepts_applications=yes", "library", "", "B"},
	} {
		values, err := url.ParseQuery(tc.address)
		if err != nil {
			t.Fatal(err)
		}
		q, problems := readQuestion(values)
		q.understand(has)
		if q.rest != tc.rest || q.Where() != tc.where || q.subject != tc.cause || len(problems) > 0 {
			t.Errorf("%s: %q in %q of %q, %v", tc.address, q.rest, q.Where(), q.subject, problems)
		}
		// The page's own address gives the same search, and removing a chip removes its
		// filter.
		again := reread(t, q.address(func(url.Values) {}), has)
		if again.rest != q.rest || again.Where() != q.Where() || again.subject != q.subject || again.accepts != q.accepts {
			t.Errorf("%s: its address asks %+v", tc.address, again)
		}
		for _, c := range q.chips() {
			for _, left := range reread(t, c.Off, has).chips() {
				if left.Kind == c.Kind && left.Label == c.Label {
					t.Errorf("%s: %s %s stays", tc.address, c.Kind, c.Label)
				}
			}
		}
	}
}

func reread(t *testing.T, address string, has func(string, string) bool) *question {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || u.Path != "/search" {
		t.Fatal(address, err)
	}
	q, _ := readQuestion(u.Query())
	q.understand(has)
	return &q
}

// TestResults compares pages of results with the engine.
func TestResults(t *testing.T) {
	t.Parallel()
	b := budget.New(256<<20, budget.Options{})
	h, set := open(t, b)
	link := regexp.MustCompile(`<h3><a href="/org/(\d{9})/`)
	status, body := page(t, h, "/search?q=county+library")
	if status != 200 {
		t.Fatal(status, body)
	}
	main, perhaps, _ := strings.Cut(body, "Did you mean")
	answer, err := set.Search.Search(t.Context(), search.Ask{Text: "county library", Mode: search.Hybrid, Limit: mostFound})
	if err != nil {
		t.Fatal(err)
	}
	shown := link.FindAllStringSubmatch(main, -1)
	if len(shown) == 0 {
		t.Fatal("nothing is shown")
	}
	for i, m := range shown {
		r := answer.Results[i]
		if m[1] != r.EIN.String() || r.Partial {
			t.Errorf("number %d is %s, the engine has %s, %s", i+1, m[1], r.EIN, r.Match)
		}
		sums, err := set.Graph.Sums(t.Context(), r.EIN, graph.Received)
		if err != nil {
			t.Fatal(err)
		}
		if want := frame.Short(sums.Total); sums.Grants > 0 && !strings.Contains(main, want) {
			t.Errorf("%s received %s, which is not shown", r.EIN, want)
		}
		if !strings.Contains(main, orgname.Display(r.Name)) {
			t.Errorf("%s is not shown", orgname.Display(r.Name))
		}
	}
	for _, m := range link.FindAllStringSubmatch(perhaps, -1) {
		if strings.Contains(main, `href="/org/`+m[1]) {
			t.Errorf("%s is shown twice", m[1])
		}
	}

	// An EIN in any notation finds its organization alone.
	first := answer.Results[0]
	for _, typed := range []string{first.EIN.String(), first.EIN.Hyphenated(), "EIN " + first.EIN.Hyphenated()} {
		_, body := page(t, h, "/search?q="+url.QueryEscape(typed))
		if found := link.FindAllStringSubmatch(body, -1); len(found) != 1 || found[0][1] != first.EIN.String() {
			t.Errorf("%s finds %v", typed, found)
		}
	}
	// A name that contains a place is a name.
	for _, e := range set.Directory.EINs() {
		r, ok := set.Search.Lookup(e)
		if _, states, _ := search.SplitPlace(r.Name); ok && len(states) > 0 {
			_, body := page(t, h, "/search?q="+url.QueryEscape(r.Name))
			if found := link.FindStringSubmatch(body); found == nil || strings.Contains(body, `class="chips"`) {
				t.Errorf("%s: %v", r.Name, found)
			}
			break
		}
	}
	if b.Held() != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}

// TestPages pages through results to the end: every match of the engine appears
// once.
func TestPages(t *testing.T) {
	t.Parallel()
	h, set := open(t, nil)
	answer, err := set.Search.Search(t.Context(), search.Ask{Text: "association of the county", Mode: search.Hybrid, Limit: mostFound})
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, r := range answer.Results {
		if !r.Partial {
			want++
		}
	}
	next := regexp.MustCompile(`<a href="([^"]+)" rel="next"`)
	item := regexp.MustCompile(`<h3><a href="(/org/[^"]+)"`)
	seen := map[string]bool{}
	at, pages := "/search?q=association+of+the+county", 0
	for at != "" {
		_, body := page(t, h, at)
		pages++
		main, _, _ := strings.Cut(body, "Did you mean")
		for _, m := range item.FindAllStringSubmatch(main, -1) {
			if seen[m[1]] {
				t.Errorf("%s is on two pages", m[1])
			}
			seen[m[1]] = true
		}
		at = ""
		if m := next.FindStringSubmatch(body); m != nil {
			at = m[1]
		}
	}
	if len(seen) != want || pages < 2 {
		t.Errorf("%d of %d on %d pages", len(seen), want, pages)
	}
}

// TestWords checks the texts of pages.
func TestWords(t *testing.T) {
	t.Parallel()
	h, _ := open(t, nil)
	for _, tc := range []struct {
		path   string
		status int
		want   []string
		never  string
	}{
		{"/search", 200, []string{"For example", "food banks in Ohio"}, "What to try"},
		{"/search?q=++", 200, []string{"For example"}, "problem"},
		{"/search?q=food+banks+in+Ohio", 200, []string{"Ohio", "Food & Agriculture", "(remove)", `href="/explore?location=OH&subject=K"`, `href="/explore?tab=funders&location=OH&subject=K"`, "/api/v1/essentials", `"search_terms":"food banks"`}, ""},
		{"/search?q=library&state=OH&cause=any", 200, []string{"/api/v1/search?limit=20&mode=hybrid&q=library&state=OH"}, "Cause"},
		{"/search?q=zzqxv+wwkjq", 200, []string{"What to try", "/explore?query=zzqxv"}, ""},
		{"/search?q=00-0000009", 200, []string{"EIN 00-0000009", "This EIN is not in any of our lists", "/check/000000009"}, "Explore the grants"},
		{"/search?q=library&state=Atlantis", 422, []string{"“Atlantis” is not a US state"}, ""},
		{"/search?q=library&cause=dragons", 422, []string{"“dragons” is not a cause"}, ""},
		{"/search?q=foundation&accepts_applications=yes", 200, []string{"Applications", "Accepts applications", "(remove)", `"accepts_applications":"yes"`}, "Only foundations that accept"},
		{"/search?q=foundation", 200, []string{"accepts_applications=yes", "Only foundations that accept applications"}, ""},
		{"/search?q=library&accepts_applications=perhaps", 422, []string{"“perhaps” is not yes, no or not_stated"}, ""},
		{"/search?q=library&cause=SA0200", 422, []string{"is not a cause"}, ""},
		{"/search?q=" + strings.Repeat("x", 201), 422, []string{"at most 200 characters"}, ""},
		{"/search?q=%3Cscript%3Ealert(1)%3C/script%3E", 200, nil, ""},
		{"/search?q=library&page=-1", 200, nil, ""},
		{"/search?q=library&page=99999999999999999999", 200, nil, ""},
		{"/search?q=%ff%fe%00library'%22", 200, nil, ""},
		{"/", 200, []string{"What would you like to do?", `"@type":"WebSite"`, `"urlTemplate":"https://grants.example/search?q={q}"`, `<link rel="canonical" href="https://grants.example/">`}, ""},
	} {
		status, body := page(t, h, tc.path)
		if status != tc.status || !utf8.ValidString(body) {
			t.Errorf("%s: %d, text: %t", tc.path, status, utf8.ValidString(body))
		}
		for _, want := range tc.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: no %q in %s", tc.path, want, body)
			}
		}
		if _, main, _ := strings.Cut(body, "<main"); tc.never != "" && strings.Contains(main, tc.never) {
			t.Errorf("%s has %q", tc.path, tc.never)
		}
	}
}

// TestStarters follows the searches of the front page: they find something, and are encoded once.
func TestStarters(t *testing.T) {
	t.Parallel()
	h, _ := open(t, nil)
	_, body := page(t, h, "/")
	list := regexp.MustCompile(`<li><a href="(/search\?q=[^"]*)">([^<]* in [^<]*)</a>`).FindAllStringSubmatch(body, -1)
	if len(list) == 0 {
		t.Fatal("no search to start with")
	}
	for _, m := range list {
		if at, err := url.Parse(m[1]); err != nil || at.Query().Get("q") != m[2] {
			t.Errorf("%s leads to %s", m[2], m[1])
		}
		if _, found := page(t, h, m[1]); strings.Count(found, `<h3><a href="/org/`) < 3 {
			t.Errorf("%s finds less than three organizations", m[2])
		}
	}
}

// TestFunders finds funders by what somebody does, where, and how much is needed.
func TestFunders(t *testing.T) {
	t.Parallel()
	b := budget.New(256<<20, budget.Options{})
	h, set := open(t, b)
	item := regexp.MustCompile(`<h3><a href="/org/(\d{9})/`)
	mention := regexp.MustCompile(`<h3><a href="/org/(\d{9})/[^\0]*?(\d+) grants? mentions? “`)
	status, body := page(t, h, "/funders?do=county+library&amount=%245%2C000")
	rows := strings.Split(body, `<li><div class="who">`)[1:]
	if status != 200 || len(rows) == 0 || len(rows) > fewFunders || !strings.Contains(body, "Usual grant") {
		t.Fatal(status, len(rows), body)
	}
	values := url.Values{"query": {"county library"}, "exclude": {"daf,individuals,related_party"}}
	f, err := grants.ReadFilter(values, &set.Snapshot.Manifest, set.Graph)
	if err != nil {
		t.Fatal(err)
	}
	mentioned := 0
	for _, row := range rows {
		e, err := ein.Parse(item.FindStringSubmatch(row)[1])
		if err != nil {
			t.Fatal(err)
		}
		one := *f
		one.Funders = []ein.EIN{e}
		sums, _, err := set.Graph.Summary(t.Context(), &one)
		if err != nil {
			t.Fatal(err)
		}
		if m := mention.FindStringSubmatch(row); (m != nil) != (sums.Grants > 0) || m != nil && m[2] != fmt.Sprint(sums.Grants) {
			t.Errorf("%s: %v, %d grants mention the words", e, m, sums.Grants)
		} else if m != nil {
			mentioned++
		}
		one.FunderKind = grant.Passthrough
		if sums, _, err = set.Graph.Summary(t.Context(), &one); err != nil || sums.Grants > 0 {
			t.Errorf("%s is a donor-advised fund: %v", e, err)
		}
	}
	if eins := regexp.MustCompile(`href="/download\?tab=funders&funder_id=([\d,]+)"`).FindStringSubmatch(body); eins == nil || strings.Count(eins[1], ",") != len(rows)-1 {
		t.Errorf("the link to the file has the funders %q, %d are listed", eins, len(rows))
	}
	town, _ := set.Search.Lookup(ein.EIN(set.Directory.EINs()[0]))
	region, _ := place.RegionOf(town.State)
	city := orgname.Display(town.City)
	for where, near := range map[string]string{city + ", " + town.State: " near " + city + ", " + region.Name + "<", "OH": " in Ohio<", "44113": " near Cuyahoga County, Ohio<", "Ohio": " in Ohio<"} {
		if _, body := page(t, h, "/funders?do=county+library&where="+url.QueryEscape(where)); !strings.Contains(body, "Funders for “county library”"+near) && !strings.Contains(body, "found no matching") {
			t.Errorf("%s: the heading does not say where%s", where, near)
		}
	}
	if mentioned == 0 {
		t.Error("no funder gave to a county library")
	}
	for path, want := range map[string]int{
		"/funders": 200, "/funders?do=&where=Atlantis": 422, "/funders?do=food&amount=many": 422, "/funders?do=food&amount=-5": 422,
		"/funders?do=food&where=44113": 200, "/funders?do=zzqxv+wwkjq": 200, "/funders?do=%00": 200, "/funders?do=a%00b": 200, "/funders?do=" + strings.Repeat("x", 201): 422,
		"/funders?do=" + url.QueryEscape(`"<b>&`) + "&where=" + url.QueryEscape(`"<b>`): 422,
	} {
		if status, body := page(t, h, path); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if b.Held() != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}

// TestWorth ranks what shows that a funder would give: grants that mention the work before grants for the cause, much before
// little, and nothing last.
func TestWorth(t *testing.T) {
	t.Parallel()
	cost := func(amount, grants int64) graph.Cost { return graph.Cost{Amount: amount, Grants: grants} }
	here := func(amount, grants int64) *prospect.Prospect { return &prospect.Prospect{Here: cost(amount, grants)} }
	alike := here(0, 0)
	alike.Reasons.SharedRecipients = []client.ProspectRecipient{{TotalAmount: 50_000, GrantCount: 2}}
	last := math.Inf(1)
	for i, x := range []struct {
		*prospect.Prospect
		mentions graph.Cost
	}{
		{here(0, 0), cost(400_000, 20)}, {here(0, 0), cost(20_000, 1)}, {here(80_000, 4), graph.Cost{}}, {alike, graph.Cost{}},
		{here(0, 0), cost(6_378, 8)}, {here(900, 3), graph.Cost{}}, {here(0, 0), graph.Cost{}},
	} {
		got := worth(x.Prospect, x.mentions, 20_000)
		if got >= last {
			t.Errorf("number %d is worth %.3f, the one before %.3f", i, got, last)
		}
		last = got
	}
	if last != 0 {
		t.Errorf("nothing is worth %.3f", last)
	}
}

// TestBusy searches while no memory is left.
func TestBusy(t *testing.T) {
	t.Parallel()
	b := budget.New(64<<20, budget.Options{Timer: func(time.Duration) (<-chan time.Time, func() bool) {
		over := make(chan time.Time)
		close(over)
		return over, func() bool { return false }
	}})
	h, _ := open(t, b)
	hold, err := b.Take(t.Context(), 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	hold.Resize(64 << 20)
	for path, want := range map[string]int{"/": 503, "/search?q=library": 503, "/search": 200} {
		if status, _ := page(t, h, path); status != want {
			t.Errorf("%s: %d", path, status)
		}
	}
}

func FuzzQuestion(f *testing.F) {
	for _, s := range []string{"food banks in Ohio", "shelter in Akron, OH", "in in in", "Washington", "a & b, c", "ÄÖ in Ü", ","} {
		f.Add(s, "", "")
		f.Add(s, "OH", "any")
	}
	f.Fuzz(func(t *testing.T, words, state, cause string) {
		q, _ := readQuestion(url.Values{"q": {words}, "state": {state}, "cause": {cause}})
		q.understand(func(city, _ string) bool { return len(city)%2 == 0 })
		if q.words != "" && q.rest == "" {
			t.Errorf("nothing is left of %q", words)
		}
		f := q.filter()
		if q.narrowed() == (len(f.States)+len(f.Cities)+len(f.Causes) == 0) {
			t.Errorf("%q: %+v has the filter %+v", words, q, f)
		}
		for _, c := range q.chips() {
			if _, err := url.Parse(c.Off); err != nil || c.Label == "" {
				t.Errorf("%q: %+v", words, c)
			}
		}
		q.explore()
		q.same("https://grants.example", nil)
	})
}
