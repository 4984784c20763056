package site_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site"
	"grantgraph/internal/snapshot"
)

// served is a running service, with a member on the Pro plan.
type served struct {
	*serve.Server
	snapshot *snapshot.Snapshot
	email    string
	password string
}

// serveWorld starts the service over the small world. The proxy header lets a test
// give every page its own client address, because the site limits each visitor.
func serveWorld(t *testing.T) (*served, context.Context) {
	t.Helper()
	now := time.Date(2026, 11, 10, 14, 20, 0, 0, time.UTC) // the clock stands still
	data := t.TempDir()
	s := &served{snapshot: world.Small.Publish(t, data), email: "officer@example.org", password: "walks through every page"}
	var err error
	s.Server, err = serve.Open(serve.Options{Data: data, Addr: "127.0.0.1:0", Clock: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
		Mail: &postbox{emails: map[string]chan string{}}, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	a, err := s.Store().SignUp(t.Context(), s.email, s.password, "")
	var token string
	if err == nil {
		token, err = s.Store().VerifyToken(t.Context(), a.ID)
	}
	if err == nil {
		_, _, err = s.Store().VerifyEmail(t.Context(), token, s.password)
	}
	if err == nil {
		_, err = s.Store().SetAccountPlan(t.Context(), a.ID, account.Pro)
	}
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 40*time.Minute)
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return s, ctx
}

// pageToWalk is a page as the walk reads it.
type pageToWalk struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Status int    `json:"status,omitempty"` // where it is not 200
	Member bool   `json:"member,omitempty"` // is signed in
	Again  bool   `json:"again,omitempty"`  // is of a kind that the keyboard goes through elsewhere
}

// pagesOf lists one page of every kind.
func pagesOf(t *testing.T, s *served) []pageToWalk {
	t.Helper()
	g, err := graph.Open(s.snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	rows, _, err := g.Transactions(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: int(g.Rows())})
	if err != nil {
		t.Fatal(err)
	}
	first := func(what string, is func(*graph.Grant) bool) *graph.Grant {
		for i := range rows {
			if is(&rows[i]) {
				return &rows[i]
			}
		}
		t.Fatalf("this world has no %s", what)
		return nil
	}
	person := first("grant to a person", func(r *graph.Grant) bool { return r.Classes&graph.Individuals != 0 })
	unknown := first("recipient without an EIN", func(r *graph.Grant) bool {
		return r.Recipient.EIN == ein.None && r.Classes&graph.Individuals == 0
	})
	guessed := first("recipient that a model found", func(r *graph.Grant) bool { return r.Rule.String() == "model" })
	large := first("recipient", func(r *graph.Grant) bool { return r.Recipient.EIN != ein.None })
	funder := "/org/" + large.Funder.EIN.String() + "/" + search.Slug(large.Funder.Name)
	recipient := "/org/" + large.Recipient.EIN.String() + "/" + search.Slug(large.Recipient.Name)
	list := []pageToWalk{
		{Name: "home", Path: "/"},
		{Name: "search", Path: "/search?q=county+library"},
		{Name: "search-words", Path: "/search?q=food+banks+in+Ohio", Again: true},
		{Name: "search-nothing", Path: "/search?q=zzqxv+wwkjq", Again: true},
		{Name: "ask", Path: "/ask"},
		{Name: "ask-answered", Path: "/ask?q=" + url.QueryEscape("Who are the top 10 funders of education?")},
		{Name: "ask-years", Path: "/ask?q=" + url.QueryEscape("How has giving for education changed over time?"), Again: true},
		{Name: "ask-unclear", Path: "/ask?q=" + url.QueryEscape("Why did giving fall?"), Again: true},
		{Name: "funders", Path: "/funders"},
		{Name: "funders-found", Path: "/funders?do=food+bank&where=OH&amount=5000"},
		{Name: "explore", Path: "/explore"},
		{Name: "explore-filtered", Path: "/explore?exclude=daf,individuals&location=OH&min_amt=1000&subject=K,P"},
		{Name: "explore-funders", Path: "/explore?tab=funders&near=44113&within=100", Again: true},
		{Name: "explore-recipients", Path: "/explore?tab=recipients"},
		{Name: "explore-summary", Path: "/explore?tab=summary&year=2020-2022"},
		{Name: "explore-nothing", Path: "/explore?query=zzqxvwwkjq", Again: true},
		{Name: "explore-wrong", Path: "/explore?near=00000&min_amt=x", Status: 422, Again: true},
		{Name: "grant", Path: "/grant/" + large.Key},
		{Name: "grant-model", Path: "/grant/" + guessed.Key, Again: true},
		{Name: "grant-unresolved", Path: "/grant/" + unknown.Key, Again: true},
		{Name: "grant-person", Path: "/grant/" + person.Key, Again: true},
		{Name: "places", Path: "/places"},
		{Name: "state", Path: "/place/OH"},
		{Name: "county", Path: "/place/OH/summit-county"},
		{Name: "causes", Path: "/causes"},
		{Name: "cause", Path: "/cause/K"},
		{Name: "compare", Path: "/compare?ein=" + large.Funder.EIN.String() + "," + large.Recipient.EIN.String()},
		{Name: "data", Path: "/data"},
		{Name: "about", Path: "/about", Again: true},
		{Name: "contact", Path: "/contact", Again: true},
		{Name: "privacy", Path: "/privacy"},
		{Name: "terms", Path: "/terms", Again: true},
		{Name: "plans", Path: "/plans"},
		{Name: "plans-member", Path: "/plans", Member: true, Again: true},
		{Name: "status", Path: "/status"},
		{Name: "sql", Path: "/sql"},
		{Name: "sql-saved", Path: "/sql/dollars-by-state?view=map", Again: true},
		{Name: "sql-member", Path: "/sql?q=SELECT+1", Member: true, Again: true},
		{Name: "docs", Path: "/docs"},
		{Name: "docs-text", Path: "/docs/examples"},
		{Name: "docs-guide", Path: "/docs/site", Again: true},
		{Name: "docs-api", Path: "/docs/api"},
		{Name: "docs-operation", Path: "/docs/api/listTransactions?run=1"},
		{Name: "docs-run", Path: "/docs/api/screenOrganization/run", Member: true},
		{Name: "docs-errors", Path: "/docs/errors"},
		{Name: "docs-tables", Path: "/docs/tables", Again: true},
		{Name: "docs-table", Path: "/docs/tables/grants"},
		{Name: "docs-search", Path: "/docs/search?q=retry"},
		{Name: "docs-nothing", Path: "/docs/nothing", Status: 404, Again: true},
		{Name: "check", Path: "/check"},
		{Name: "check-one", Path: "/check/" + large.Recipient.EIN.String()},
		{Name: "check-one-member", Path: "/check/" + large.Recipient.EIN.String(), Member: true},
		{Name: "lists", Path: "/lists", Member: true},
		{Name: "verify", Path: "/verify"},
		{Name: "signin", Path: "/signin"},
		{Name: "signup", Path: "/signup"},
		{Name: "forgot", Path: "/forgot"},
		{Name: "account", Path: "/account", Member: true},
		{Name: "download", Path: "/download?location=OH", Member: true},
		{Name: "missing", Path: "/nothing/here", Status: 404},
	}
	for _, tab := range []string{"", "/grants", "/funders", "/recipients", "/network", "/prospects", "/finances", "/people", "/government", "/screening"} {
		list = append(list, pageToWalk{Name: "funder" + dashed(tab), Path: funder + tab})
	}
	for _, tab := range []string{"", "/grants", "/funders", "/recipients", "/finances"} { // differ for a recipient
		list = append(list, pageToWalk{Name: "recipient" + dashed(tab), Path: recipient + tab, Again: true})
	}
	for _, tab := range []string{"/network", "/prospects", "/people", "/government", "/screening"} { // show more to a member
		list = append(list, pageToWalk{Name: "member-funder" + dashed(tab), Path: funder + tab, Member: true})
	}
	list = append(list, pageToWalk{Name: "member-recipient-prospects", Path: recipient + "/prospects?funder_type=private_foundation", Member: true})
	return list
}

func dashed(path string) string {
	if path == "" {
		return ""
	}
	return "-" + path[1:]
}

// TestPages checks one page of every kind in Chromium: at three widths, light and
// dark, with and without scripts, with axe and by keyboard.
func TestPages(t *testing.T) {
	t.Parallel()
	walk := site.Walker(t)
	s, ctx := serveWorld(t)
	list, err := json.Marshal(pagesOf(t, s))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pages.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		t.Fatal(err)
	}
	walk(ctx, "pages.mjs", s.URL(), s.email, s.password, file)
}

// TestAsking asks questions in Chromium.
func TestAsking(t *testing.T) {
	t.Parallel()
	walk := site.Walker(t)
	s, ctx := serveWorld(t)
	walk(ctx, "ask.mjs", s.URL())
}

// TestTasks does the tasks of nine people in Chromium, and counts their clicks and
// keys.
func TestTasks(t *testing.T) {
	t.Parallel()
	walk := site.Walker(t)
	s, ctx := serveWorld(t)
	file := filepath.Join(t.TempDir(), "facts.json")
	facts, err := json.Marshal(factsOf(t, s))
	if err == nil {
		err = os.WriteFile(file, facts, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	walk(ctx, "tasks.mjs", s.URL(), s.email, s.password, file)
}

// taskFacts are the organizations that the people look for.
type taskFacts struct {
	ZIP     string    `json:"zip"`     // of a food bank that was given to
	State   string    `json:"state"`   // with grants, whose name is in no other's
	Fund    namedTask `json:"fund"`    // donor-advised
	Grantee namedTask `json:"grantee"` // with several funders
}

type namedTask struct {
	Name string `json:"name"`
	EIN  string `json:"ein"`
}

func factsOf(t *testing.T, s *served) (f taskFacts) {
	t.Helper()
	g, err := graph.Open(s.snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	funders, _, err := g.Funders(t.Context(), &graph.Filter{FunderKind: grant.Passthrough}, graph.Sort{}, graph.Page{Limit: 1})
	if err != nil || len(funders) == 0 {
		t.Fatalf("no donor-advised fund: %v", err)
	}
	f.Fund = namedTask{funders[0].Name, funders[0].EIN.String()}
	recipients, _, err := g.Recipients(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recipients {
		if r.EIN != ein.None && r.Funders > 2 {
			f.Grantee = namedTask{r.Name, r.EIN.String()}
			break
		}
	}
	food, err := ntee.ParseSubject("K")
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := g.Transactions(t.Context(), &graph.Filter{Subject: food}, graph.Sort{}, graph.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if _, ok := place.Shipped().Point(r.ZIP); ok {
			f.ZIP = r.ZIP
		}
		for _, region := range place.Regions() {
			if region.Code == r.State && region.Name != "Virginia" && region.Name != "Kansas" {
				f.State = region.Name
			}
		}
	}
	if f.ZIP == "" || f.State == "" || f.Grantee.EIN == "" {
		t.Fatalf("this world has too little for the tasks: %+v", f)
	}
	return f
}
