package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"time"

	"grantgraph/internal/bench/nation"
	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

// What the benchmark of screenings asks.
const (
	screeningWorld   = "200k"
	screeningSamples = 300 // requests of each kind
	screeningPlain   = 10  // of DuckDB, which takes long
)

func (c *benchCmd) benchScreening(a *terminal.App) error {
	world := *c
	world.Grants = screeningWorld
	corpus := world.corpus(a)
	data := world.dataDir()
	edition := nationalLists(a.Ctx, a, data)
	before := edition
	edition = revisedLists(a, data, edition)
	opened := time.Now()
	srv := must(serve.Open(serve.Options{Data: data, BaseURL: "https://grants.example.org", Log: slog.New(slog.DiscardHandler)}))
	defer srv.Close()
	fmt.Fprintf(a.Out, "opened in %.1f s (every byte checked against its checksum); %s; milliseconds\n\n", time.Since(opened).Seconds(), machine())
	b := &screeningBench{app: a, handler: srv.Handler(), random: rand.New(rand.NewPCG(c.Seed, 1))}
	b.key, _ = must2(srv.Store().Create(a.Ctx, account.Pro, "", "bench"))
	b.sample(edition)
	b.run(before.Manifest.Version)
	b.plain(corpus, edition)
	return nil
}

// Revisions of the lists that are timed: a month's new names, and a day's new entities.
const (
	revisedNames    = 2_000
	revisedEntities = 50
)

// revisedLists publishes two more editions and prints how long each takes to find
// potential matches with the sanctions list and to log the changes.
func revisedLists(a *terminal.App, data string, e *lists.Edition) *lists.Edition {
	t := terminal.NewTable("edition", ">potential matches, s", ">log of changes, s")
	for _, r := range []struct {
		name     string
		revision nation.Revision
	}{
		{"organizations have other names", nation.Revision{Renamed: revisedNames}},
		{"entities are new on the sanctions list", nation.Revision{Sanctioned: revisedEntities}},
	} {
		var took map[string]time.Duration
		e, took = must2(nation.Revise(a.Ctx, e, data, r.revision, e.Manifest.GeneratedAt.Add(time.Second)))
		seconds := func(index string) string { return fmt.Sprintf("%.1f", took[index].Seconds()) }
		t.Add(r.name, seconds("matches"), seconds("change"))
	}
	t.Print(a.Out)
	return e
}

// nationalLists publishes the lists, or finds them.
func nationalLists(ctx context.Context, a *terminal.App, data string) *lists.Edition {
	e := must(lists.Open(data))
	if e.Status(lists.BMF).Rows < nation.Masters {
		began := time.Now()
		e = must(nation.Publish(ctx, e, data, nation.Masters, began))
		fmt.Fprintf(a.Out, "lists written and indexed in %.0f s\n", time.Since(began).Seconds())
	}
	st := must(os.Stat(filepath.Join(e.Dir, filepath.FromSlash(screen.IndexPath))))
	for _, l := range e.Lists {
		fmt.Fprintf(a.Out, "%-12s %12s rows\n", l.Name, terminal.Count(l.Rows))
	}
	fmt.Fprintf(a.Out, "index %s MB\n", terminal.Count(st.Size()>>20))
	return e
}

type screeningBench struct {
	app     *terminal.App
	handler http.Handler
	key     string
	random  *rand.Rand
	eins    []string
	names   []string
	report  []byte // a signed one
	pdf     []byte
}

func (b *screeningBench) sample(e *lists.Edition) {
	n := 0
	for m, err := range snapshot.Rows[lists.Master](e.Snapshot, lists.Masters) {
		check(err)
		// A reservoir: every row has the same chance.
		if n++; len(b.eins) < 4000 {
			b.eins, b.names = append(b.eins, m.EIN), append(b.names, m.Name)
		} else if i := b.random.IntN(n); i < len(b.eins) {
			b.eins[i], b.names[i] = m.EIN, m.Name
		}
	}
}

func (b *screeningBench) pick(list []string, n int) (drawn []string) {
	for range n {
		drawn = append(drawn, list[b.random.IntN(len(list))])
	}
	return drawn
}

type screeningRequest struct {
	method, path string
	body         []byte
	kind         string // of the body
}

func (b *screeningBench) ask(q screeningRequest) (time.Duration, []byte) {
	r := httptest.NewRequestWithContext(b.app.Ctx, q.method, "/api/v1/"+q.path, bytes.NewReader(q.body))
	r.Header.Set("X-API-Key", b.key)
	if q.kind != "" {
		r.Header.Set("Content-Type", q.kind)
	}
	w := httptest.NewRecorder()
	began := time.Now()
	b.handler.ServeHTTP(w, r)
	took := time.Since(began)
	if w.Code != http.StatusOK {
		check(fmt.Errorf("%s %s answers %d: %s", q.method, q.path, w.Code, w.Body))
	}
	return took, w.Body.Bytes()
}

// run asks every kind of request, changes since an earlier edition included.
func (b *screeningBench) run(before string) {
	get := func(path func() string) func() screeningRequest {
		return func() screeningRequest { return screeningRequest{method: "GET", path: path()} }
	}
	post := func(path string, v func() any) func() screeningRequest {
		return func() screeningRequest {
			body, _ := json.Marshal(v()) // texts and truths
			return screeningRequest{"POST", path, body, "application/json"}
		}
	}
	t := terminal.NewTable("request", ">p50", ">p95", ">most", ">bytes")
	for _, c := range []struct {
		name string
		ask  func() screeningRequest
		keep *[]byte // where the first answer is kept, for a later request
	}{
		{"one, with its signed report", get(func() string { return "screening/" + b.pick(b.eins, 1)[0] }), &b.report},
		{"one, as PDF", get(func() string { return "screening/" + b.pick(b.eins, 1)[0] + "?format=pdf" }), &b.pdf},
		{"100 in bulk", post("screening/bulk", func() any { return map[string]any{"eins": b.pick(b.eins, 100)} }), nil},
		{"100 in bulk, a report each", post("screening/bulk", func() any { return map[string]any{"eins": b.pick(b.eins, 100), "reports": true} }), nil},
		{"100 names", post("screening/names", func() any { return map[string]any{"names": b.pick(b.names, 100), "reports": false} }), nil},
		{"verify, JSON", func() screeningRequest {
			return screeningRequest{"POST", "screening/verify", b.report, "application/json"}
		}, nil},
		{"verify, PDF", func() screeningRequest { return screeningRequest{"POST", "screening/verify", b.pdf, "application/pdf"} }, nil},
		{"what changed, in numbers", get(func() string { return "changes?lists_since=" + before }), nil},
		{"what changed on the lists, 1,000", get(func() string { return "changes/lists?limit=1000&lists_since=" + before }), nil},
		{"new potential matches, 1,000", get(func() string { return "changes/lists?limit=1000&change=potential_match&lists_since=" + before }), nil},
	} {
		var took samples
		size := 0
		for i := range screeningSamples + 5 {
			d, body := b.ask(c.ask())
			if c.keep != nil && *c.keep == nil {
				*c.keep = bytes.Clone(body)
			}
			if i >= 5 { // the first are not counted
				took, size = append(took, d), len(body)
			}
		}
		t.Add(c.name, inMillis(took.at(50)), inMillis(took.at(95)), inMillis(took.at(100)), int64(size))
	}
	t.Print(b.app.Out)
}

func inMillis(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/1e6) }

// plain looks the rows of one organization up, in the index and with DuckDB over the same tables.
func (b *screeningBench) plain(s *snapshot.Snapshot, e *lists.Edition) {
	tables := must(screen.OpenTables(e))
	defer tables.Close()
	records := must(oracle.OpenRecords(b.app.Ctx, s, e))
	defer records.Close()
	var ours, theirs samples
	for _, text := range b.pick(b.eins, screeningPlain) {
		id := must(ein.Parse(text))
		found, took := timed(func() []int { return listedRows(tables, id) })
		same, its := timed(func() []int { return must(records.Listed(b.app.Ctx, text)) })
		if ours, theirs = append(ours, took), append(theirs, its); !slices.Equal(same, found) {
			check(fmt.Errorf("%s has %v rows in the lists, and DuckDB finds %v", text, found, same))
		}
	}
	a, p := ours.at(50), theirs.at(50)
	fmt.Fprintf(b.app.Out, "\nrows of one organization in five lists: %.3f ms, plain DuckDB over the same tables %.1f ms (%.0f times)\n",
		float64(a)/1e6, float64(p)/1e6, float64(p)/float64(a))
}
