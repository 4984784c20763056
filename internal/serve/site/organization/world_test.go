package organization_test

import (
	"context"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/organization"
	"grantgraph/internal/serve/sqlbox/worker"
)

// TestMain runs the SQL worker if this program is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "sql-worker" {
		os.Exit(worker.Run(os.Stdin, os.Stdout))
	}
	os.Exit(apitest.Main(m))
}

// place has the pages over the built world. A test controls their surroundings.
type place struct {
	http.Handler
	*apitest.World
	set *dataset.Dataset
	log *strings.Builder
}

// open serves the pages. A header says who is signed in.
func open(t *testing.T, change ...func(*frame.Config)) *place {
	t.Helper()
	p := &place{World: apitest.Real(t), log: &strings.Builder{}}
	p.set = &dataset.Dataset{Snapshot: world.Small.Snapshot(t), Graph: p.Data.Graph.(*graph.Graph), Search: p.Data.Search.(*search.Index), Profiles: p.Data.Profiles, Screen: p.Data.Screen}
	c := frame.Config{
		BaseURL: "https://grants.example", Log: slog.New(slog.NewTextHandler(p.log, nil)),
		Ask: func(ctx context.Context, _ *dataset.Dataset, q api.Inquiry) (client.Answer, func(), error) {
			q.Data = p.Data
			return p.World.Ask(ctx, q)
		},
		SignedIn: func(r *http.Request) bool { return r.Header.Get("X-Plan") != "" },
		Member: func(r *http.Request) (frame.Member, error) {
			plan := r.Header.Get("X-Plan")
			if plan == "" {
				return frame.Member{}, nil
			}
			return frame.Member{ID: "somebody", Plan: account.Plan(plan)}, nil
		},
	}
	for _, f := range change {
		f(&c)
	}
	f := frame.New(c)
	mux := http.NewServeMux()
	mux.Handle("GET /static/", frame.Files())
	organization.Route(mux, f)
	p.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mux.ServeHTTP(w, frame.Pin(r, p.set)) })
	t.Cleanup(func() {
		if text := p.log.String(); strings.Contains(text, "drawing a page") {
			t.Error(text)
		}
	})
	return p
}

// seen is a page.
type seen struct {
	status int
	header http.Header
	body   string // without entities
}

// get opens a page, as a member of a plan if one is named.
func (p *place) get(t *testing.T, path string, plan ...string) seen {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	if len(plan) > 0 {
		r.Header.Set("X-Plan", plan[0])
	}
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return seen{w.Code, w.Header(), html.UnescapeString(string(body))}
}

// ServeHTTP answers for the pages, not for the API beside them.
func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.Handler.ServeHTTP(w, r) }

// want fails the test unless the page has this status and all these texts.
func (s seen) want(t *testing.T, path string, status int, texts ...string) {
	t.Helper()
	if s.status != status {
		t.Fatalf("%s: status %d, want %d: %.600s", path, s.status, status, s.body)
	}
	for _, text := range texts {
		if !strings.Contains(s.body, text) {
			_, rest, _ := strings.Cut(s.body, "<main")
			t.Errorf("%s: no %q in %.4000s", path, text, rest)
		}
	}
}

// home is the address of an organization's overview.
func (p *place) home(t *testing.T, e ein.EIN) string {
	t.Helper()
	org, ok := p.set.Search.Lookup(e)
	if !ok {
		t.Fatalf("nobody knows %s", e)
	}
	return "/org/" + e.String() + "/" + search.Slug(org.Name)
}

// rows are all grants of the world.
func (p *place) rows(t *testing.T) []graph.Grant {
	t.Helper()
	rows, _, err := p.set.Graph.Transactions(t.Context(), &graph.Filter{}, graph.Sort{}, graph.Page{Limit: int(p.set.Graph.Rows())})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// kinds are some organizations of every kind.
func (p *place) kinds(t *testing.T) map[string][]ein.EIN {
	t.Helper()
	gave, got := map[ein.EIN]int{}, map[ein.EIN]int{}
	for _, r := range p.rows(t) {
		gave[r.Funder.EIN]++
		if r.Recipient.EIN != ein.None {
			got[r.Recipient.EIN]++
		}
	}
	all := map[ein.EIN]bool{}
	for e := range gave {
		all[e] = true
	}
	for e := range got {
		all[e] = true
	}
	for _, name := range []string{"church", "school", "club", "fund", "library", "association"} {
		for _, x := range p.set.Search.Find(name, "", 20) {
			all[x.EIN] = true
		}
	}
	var order []ein.EIN
	for e := range all {
		order = append(order, e)
	}
	slices.Sort(order)
	kinds := map[string][]ein.EIN{}
	for _, e := range order {
		kind := "master file"
		org, _ := p.set.Search.Lookup(e)
		switch {
		case gave[e] > 0 && got[e] > 0:
			kind = "both"
		case gave[e] > 0:
			kind = "funder"
		case org.Known == search.FromGrants:
			kind = "grants"
		case got[e] > 0:
			kind = "recipient"
		}
		if len(kinds[kind]) < 3 {
			kinds[kind] = append(kinds[kind], e)
		}
	}
	if len(kinds) != 5 {
		t.Fatalf("kinds %v: this world shows too little", kinds)
	}
	return kinds
}

// full is a budget with nothing left.
func full(t *testing.T) *budget.Budget {
	t.Helper()
	b := budget.New(1<<20, budget.Options{Timer: noWait})
	hold, err := b.Take(t.Context(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	hold.Resize(1 << 20)
	t.Cleanup(hold.Release)
	return b
}

// noWait is a timer that has expired.
func noWait(time.Duration) (<-chan time.Time, func() bool) {
	over := make(chan time.Time)
	close(over)
	return over, func() bool { return false }
}
