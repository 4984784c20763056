package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/fault"
	"grantgraph/internal/ingest"
	"grantgraph/internal/ingest/synth"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/indexes"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

// benchCmd times the graph against SQL engines.
type benchCmd struct {
	Grants  string   `help:"Size of the corpus: 20k, 200k, 2M, 20M or any number." default:"2M" placeholder:"N"`
	Seed    uint64   `help:"Seed of the corpus." default:"1" placeholder:"N"`
	Data    string   `help:"Directory of the corpus, which is reused if an earlier run made it." default:"bench" placeholder:"DIR"`
	Seconds float64  `help:"Time spent on each engine for each class of requests." default:"2" placeholder:"S"`
	Engines []string `enum:"graph,plain,coded,postgres,clickhouse" default:"graph,plain,coded,postgres,clickhouse" placeholder:"NAME"`
	ChDB    string   `name:"chdb" help:"Folder into which npm installed the package chdb, for ClickHouse." placeholder:"DIR"`
	JSON    bool     `name:"json" help:"Print one JSON object for each class instead of tables."`
	Quiet   bool     `short:"q" help:"No progress."`

	Screening bool `help:"Time screenings over lists of national size instead; --data and --seed apply."`

	Organizations bool `help:"Time lists of organizations by filter at national size instead; --data and --seed apply."`

	Pages bool `help:"Time pages of the site instead, and weigh what a browser loads; --grants, --data and --seed apply."`

	HTTP bool `name:"http" help:"Time the service over HTTP against one over PostgreSQL instead; --grants, --data, --seed and --seconds apply."`

	Search bool `help:"Time the search by name against FTS5 and pg_trgm among --crowd organizations instead; --data, --seed and --seconds apply."`

	Semantic bool `help:"Time the search for organizations in every mode instead; --data and --seed apply."`
	Crowd    int  `help:"How many organizations that is timed on." default:"2000000" placeholder:"N"`
}

// benchSamples is how many requests are timed for each engine and class, at most.
const benchSamples = 200

func (c *benchCmd) Run(a *terminal.App) (err error) {
	defer caught(&err)
	if c.Seconds <= 0 || c.Seconds > 3600 {
		return fault.New("bad_flag", "--seconds must be more than 0 and at most 3600").Try("measure bench --help")
	}
	switch {
	case c.Screening:
		return c.benchScreening(a)
	case c.Organizations:
		return c.benchOrganizations(a)
	case c.Pages:
		return c.benchPages(a)
	case c.HTTP:
		return c.benchHTTP(a)
	case c.Search:
		return c.benchSearch(a)
	case c.Semantic:
		return c.benchSemantic(a)
	}
	s := c.corpus(a)
	b := &bench{benchCmd: c, app: a, snapshot: s}
	defer b.close()
	b.open()
	if !c.JSON {
		fmt.Fprintf(a.Out, "%s; medians in milliseconds\n\n", describe(s))
	}
	b.race()
	b.benchNames()
	b.benchRecords()
	b.timeProspects()
	return nil
}

// describe says how large a corpus is, and how busy the machine.
func describe(s *snapshot.Snapshot) string {
	n := s.Manifest.Counts
	return fmt.Sprintf("%s grants, %s funders, %s recipients; %s", terminal.Count(n.Grants), terminal.Count(n.Funders), terminal.Count(n.Recipients), machine())
}

func machine() string {
	return fmt.Sprintf("%d cores, load %s before", runtime.NumCPU(), terminal.HostLoad())
}

type samples []time.Duration

// at is the time that so many percent of the requests did not exceed.
func (s samples) at(percent int) time.Duration {
	slices.Sort(s)
	return s[min(len(s)*percent/100, len(s)-1)]
}

// timed does something once and takes the time.
func timed[T any](do func() T) (T, time.Duration) {
	began := time.Now()
	v := do()
	return v, time.Since(began)
}

func tooSlow(missed []string) error {
	if len(missed) == 0 {
		return nil
	}
	return fault.New("too_slow", "%s", strings.Join(missed, "; "))
}

func (c *benchCmd) dataDir() string {
	return filepath.Join(c.Data, fmt.Sprintf("data-%s-%d", c.Grants, c.Seed))
}

// corpus makes the world and the snapshot, or finds them.
func (c *benchCmd) corpus(a *terminal.App) *snapshot.Snapshot {
	if s, err := snapshot.Open(c.dataDir()); err == nil && indexed(s) {
		return s
	}
	grants, ok := synth.Preset(c.Grants)
	if !ok {
		check(fault.New("bad_flag", "--grants %q is not a number of grants", c.Grants).Try("--grants 20k (or 200k, 2M, 20M)"))
	}
	bars := terminal.NewPhases(a, c.Quiet || c.JSON)
	defer bars.Close()
	world := synth.Options{Out: filepath.Join(c.Data, fmt.Sprintf("world-%s-%d", c.Grants, c.Seed)), Grants: grants, Seed: c.Seed}
	world.Progress = func(done, total int64) { bars.Progress("inventing", done, total) }
	if !world.Written() {
		must(synth.Write(a.Ctx, world))
	}
	result := must(ingest.Run(a.Ctx, ingest.Options{
		Sources: world.Out, Data: c.dataDir(), Keep: 1, Progress: bars.Progress,
		Indexers: indexes.Reading(0), ListIndexers: indexes.Lists(),
	}))
	return result.Snapshot
}

func indexed(s *snapshot.Snapshot) bool {
	for _, open := range []func() (io.Closer, error){
		func() (io.Closer, error) { return graph.Open(s) },
		func() (io.Closer, error) { return search.Open(s) },
		func() (io.Closer, error) { return directory.Open(s) },
	} {
		index, err := open()
		if err != nil {
			return false
		}
		_ = index.Close()
	}
	return true
}

type bench struct {
	*benchCmd
	app      *terminal.App
	snapshot *snapshot.Snapshot
	engines  []oracle.Engine
	postgres *oracle.Postgres
	server   *oracle.Server
}

func (b *bench) open() {
	for _, name := range []string{"graph", "plain", "coded", "postgres", "clickhouse"} {
		if !slices.Contains(b.Engines, name) {
			continue
		}
		bar := b.app.Phase("load", 0, b.Quiet || b.JSON)
		e, err := b.engine(b.app.Ctx, name)
		if errors.Is(err, oracle.ErrNoPostgres) {
			fmt.Fprintf(b.app.Err, "PostgreSQL is skipped: %v. To include it: apt-get install postgresql\n", err)
			continue
		}
		if errors.Is(err, oracle.ErrNoClickHouse) {
			fmt.Fprintf(b.app.Err, "ClickHouse is skipped: %v. To include it: npm install --prefix DIR chdb, then --chdb DIR\n", err)
			continue
		}
		check(err)
		b.engines = append(b.engines, e)
		bar.End("%s", e.Name())
	}
	if len(b.engines) == 0 {
		check(fault.New("no_engine", "there is no engine to run").Try("--engines graph,plain"))
	}
}

func (b *bench) engine(ctx context.Context, name string) (oracle.Engine, error) {
	switch name {
	case "plain":
		return oracle.OpenPlain(ctx, b.snapshot)
	case "coded":
		return oracle.OpenCoded(ctx, b.snapshot)
	case "postgres":
		server, err := oracle.StartPostgres(ctx)
		if err != nil {
			return nil, err
		}
		b.server, b.postgres = server, must(oracle.OpenPostgres(ctx, b.snapshot, server.DSN))
		return b.postgres, nil
	case "clickhouse":
		return oracle.OpenClickHouse(ctx, b.snapshot, b.ChDB)
	}
	return oracle.Uncached(must(graph.Open(b.snapshot))), nil
}

func (b *bench) close() {
	for _, e := range b.engines {
		_ = e.Close()
	}
	if b.server != nil {
		_ = b.server.Stop()
	}
}

// benchClass is the result of a class as --json prints it.
type benchClass struct {
	Class   string        `json:"class"`
	Request string        `json:"request"`
	Rows    int64         `json:"rows"`
	Grants  int64         `json:"grants"` // size of the corpus
	Engines []benchEngine `json:"engines"`
}

// benchEngine are the times of one engine. Quantiles for which there are too few samples are null, and so are
// all of them when the engine did not answer in time.
type benchEngine struct {
	Engine  string   `json:"engine"`
	Samples int      `json:"samples"`
	P50     *float64 `json:"p50_ms"`
	P95     *float64 `json:"p95_ms"`
	P99     *float64 `json:"p99_ms"`
	Ratio   *float64 `json:"ratio"` // of the medians, to the first engine
	Hit     *float64 `json:"hit_at_1,omitempty"`
	GaveUp  bool     `json:"gave_up,omitempty"`
}

// emit prints the result of a class as JSON, if that is asked for.
func (b *bench) emit(c benchClass) {
	if c.Grants = b.snapshot.Manifest.Counts.Grants; b.JSON {
		check(json.NewEncoder(b.app.Out).Encode(c))
	}
}

func (b *bench) race() {
	classes := must(oracle.Classes(b.app.Ctx, b.snapshot))
	bar := b.app.Phase("race", int64(len(classes)), b.Quiet || b.JSON)
	budget := time.Duration(b.Seconds * float64(time.Second))
	var list []benchClass
	for i := range classes {
		q := &classes[i].Question
		times, answer, err := oracle.Race(b.app.Ctx, b.engines, q, oracle.Limits{Budget: budget, Samples: benchSamples, Timeout: 30*time.Second + 5*budget})
		if errors.Is(err, oracle.ErrDiffer) {
			err = fault.New("engines_differ", "%s: %w", classes[i].Name, err)
		}
		check(err)
		c := benchClass{Class: classes[i].Name, Request: q.String(), Engines: engineTimes(times)}
		switch c.Rows = answer.Hits; q.Topic {
		case oracle.Summary:
			c.Rows = answer.Totals.Grants
		case oracle.Groups:
			c.Rows = answer.Groups.Count
		}
		list = append(list, c)
		bar.Set(int64(i + 1))
		b.emit(c)
	}
	bar.End("%d classes of requests, all answers equal", len(classes))
	if !b.JSON {
		b.print(list)
	}
}

func engineTimes(times []oracle.Times) []benchEngine {
	list := make([]benchEngine, len(times))
	for i := range times {
		t := &times[i]
		ms := func(q float64) *float64 {
			if !t.Enough(q) {
				return nil
			}
			return new(float64(t.P(q)) / float64(time.Millisecond))
		}
		list[i] = benchEngine{Engine: t.Engine, Samples: len(t.Samples), P50: ms(0.5), P95: ms(0.95), P99: ms(0.99), GaveUp: t.GaveUp}
		if first := list[0].P50; i > 0 && first != nil && list[i].P50 != nil && *first > 0 {
			list[i].Ratio = new(*list[i].P50 / *first)
		}
	}
	return list
}

func (b *bench) print(list []benchClass) {
	header := []string{"request", ">rows"}
	for i, e := range b.engines {
		if header = append(header, ">"+e.Name()); i > 0 {
			header = append(header, ">times")
		}
	}
	t := terminal.NewTable(header...)
	for _, c := range list {
		cells := []any{c.Class, terminal.Count(c.Rows)}
		for i, e := range c.Engines {
			cells = append(cells, millis(e.P50, e.GaveUp))
			if i > 0 {
				cells = append(cells, times(e.Ratio))
			}
		}
		t.Add(cells...)
	}
	t.Print(b.app.Out)

	fmt.Fprintf(b.app.Out, "\nTails, where there are enough samples\n\n")
	header = []string{"request"}
	for _, e := range b.engines {
		header = append(header, ">"+e.Name()+" n", ">p95", ">p99")
	}
	t = terminal.NewTable(header...)
	for _, c := range list {
		cells := []any{c.Class}
		for _, e := range c.Engines {
			cells = append(cells, terminal.Count(e.Samples), millis(e.P95, false), millis(e.P99, false))
		}
		t.Add(cells...)
	}
	t.Print(b.app.Out)

	fmt.Fprintf(b.app.Out, "\nMultiples of the median of %s\n\n", b.engines[0].Name())
	t = terminal.NewTable("engine", ">geometric mean", ">least", "in")
	for i, e := range b.engines[1:] {
		sum, n, least, in := 0.0, 0, math.Inf(1), ""
		for _, c := range list {
			if r := c.Engines[i+1].Ratio; r != nil {
				sum, n = sum+math.Log(*r), n+1
				if *r < least {
					least, in = *r, c.Class
				}
			}
		}
		if n > 0 {
			t.Add(e.Name(), times(new(math.Exp(sum/float64(n)))), times(&least), in)
		}
	}
	t.Print(b.app.Out)
}

// millis writes a time in milliseconds with three significant digits.
func millis(v *float64, gaveUp bool) string {
	switch {
	case v == nil && gaveUp:
		return "gave up"
	case v == nil:
		return "–"
	case *v < 0.1:
		return fmt.Sprintf("%.4f", *v)
	case *v < 10:
		return fmt.Sprintf("%.2f", *v)
	}
	return terminal.Count(int64(math.Round(*v)))
}

func times(r *float64) string {
	switch {
	case r == nil:
		return "–"
	case *r < 10:
		return fmt.Sprintf("%.1f×", *r)
	}
	return terminal.Count(int64(math.Round(*r))) + "×"
}
