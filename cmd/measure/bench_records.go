package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

// recordTimes is how many times as fast as plain DuckDB these classes must be.
const recordTimes = 20

// recordClass is a class of questions about organizations. Both sides are asked each question, and their answers must be equal.
type recordClass struct {
	name         string
	ours, theirs func(i int) any
}

// benchRecords times lists of organizations by filter, profiles and the rows of
// one organization in the compliance lists, with plain DuckDB beside them.
func (b *bench) benchRecords() {
	if !slices.Contains(b.Engines, "graph") || !slices.Contains(b.Engines, "plain") {
		return
	}
	e := must(lists.Open(b.dataDir()))
	x := &listBench{app: b.app, random: rand.New(rand.NewPCG(b.Seed, 7))}
	x.index = must(directory.Open(b.snapshot))
	x.load(b.snapshot, e)
	defer x.close()
	profiles := must(profile.Open(b.snapshot))
	defer profiles.Close()
	tables := must(screen.OpenTables(e))
	defer tables.Close()
	records := must(oracle.OpenRecords(b.app.Ctx, b.snapshot, e))
	defer records.Close()
	b.raceRecords(append(b.listClasses(x), b.lookups(x, profiles, tables, records)...))
}

// prospectsMedian is how long half of the questions for prospects may take.
const prospectsMedian = 50 * time.Millisecond

// timeProspects times the prospects of recipients, large and small. No SQL query would
// find the same, so there is no comparison.
func (b *bench) timeProspects() {
	if !slices.Contains(b.Engines, "graph") {
		return
	}
	g := must(graph.Open(b.snapshot))
	defer g.Close()
	profiles := must(profile.Open(b.snapshot))
	defer profiles.Close()
	random := rand.New(rand.NewPCG(b.Seed, 11))
	t := oracle.Times{Engine: "ours"}
	for tried := 0; len(t.Samples) < benchSamples && tried < 50*benchSamples; tried++ {
		// Any place in the list by dollars is as likely.
		page := graph.Page{Offset: random.IntN(int(b.snapshot.Manifest.Counts.Recipients)), Limit: 1}
		found, _ := must2(g.Recipients(b.app.Ctx, &graph.Filter{}, graph.Sort{}, page))
		if len(found) == 0 || found[0].EIN == ein.None {
			continue
		}
		began := time.Now()
		_, known := must2(prospect.Find(b.app.Ctx, prospect.Grants{Graph: g}, profiles, &prospect.Fitted, prospect.Search{
			EIN: found[0].EIN, Page: graph.Page{Limit: 25}, Latest: b.snapshot.Manifest.Counts.LastCompleteYear,
		}))
		if known {
			t.Samples = append(t.Samples, time.Since(began))
		}
	}
	if len(t.Samples) == 0 {
		return // nobody has an EIN
	}
	slices.Sort(t.Samples)
	at := func(percent int) time.Duration { return samples(t.Samples).at(percent).Round(100 * time.Microsecond) }
	b.emit(benchClass{Class: "prospects", Engines: engineTimes([]oracle.Times{t})})
	if !b.JSON {
		fmt.Fprintf(b.app.Out, "\nprospects of %d recipients: median %s, 95th percentile %s, maximum %s; goal: a median of at most %s\n",
			len(t.Samples), at(50), at(95), at(100), prospectsMedian)
	}
}

type listed struct {
	rows []directory.Row
	hits int
}

// listClasses are some of those of bench --organizations, over this corpus.
func (b *bench) listClasses(x *listBench) (out []recordClass) {
	for _, c := range x.classes() {
		if !slices.Contains([]string{"state", "cause", "revenue, by assets, deep", "state, cause, revenue, not revoked"}, c.name) {
			continue
		}
		var filters []*directory.Filter
		for range benchSamples {
			f := &directory.Filter{}
			c.filter(f)
			filters = append(filters, f)
		}
		out = append(out, recordClass{
			name: "organizations " + c.name,
			ours: func(i int) any {
				rows, n := x.ask(filters[i], c.order, 0, 25)
				return listed{rows, n}
			},
			theirs: func(i int) any {
				rows, n := must2(x.duck.List(b.app.Ctx, filters[i], c.order, 0, 25))
				return listed{rows, n}
			},
		})
	}
	return out
}

func (b *bench) lookups(x *listBench, profiles *profile.Index, tables *screen.Tables, records *oracle.Records) []recordClass {
	var ids []ein.EIN
	for range benchSamples {
		ids = append(ids, x.row().EIN)
	}
	return []recordClass{
		{"profile", func(i int) any {
			p, known := profiles.Read(ids[i], true)
			if !known {
				return []int{0, 0, 0, 0}
			}
			return []int{len(p.Financials), p.InAll.ServiceAreas, p.InAll.BoardLinks, p.InAll.Holdings}
		}, func(i int) any { return must(records.Profile(b.app.Ctx, ids[i].String())) }},
		{"screening, five lists", func(i int) any { return listedRows(tables, ids[i]) },
			func(i int) any { return must(records.Listed(b.app.Ctx, ids[i].String())) }},
	}
}

// listedRows is how many rows an organization has in each list that a screening by EIN reads.
func listedRows(tables *screen.Tables, id ein.EIN) []int {
	master := 0
	if _, ok := tables.Master(id); ok {
		master = 1
	}
	return []int{
		master, len(screen.RowsWith(&tables.Deductibles, id)), len(screen.RowsWith(&tables.Revocations, id)),
		len(screen.RowsWith(&tables.Registrations, id)), len(screen.RowsWith(&tables.FTBRecords, id)),
	}
}

// raceRecords asks both sides in turn, until DuckDB has had its time.
func (b *bench) raceRecords(classes []recordClass) {
	t := terminal.NewTable("organizations", ">ours", ">plain DuckDB", ">times")
	for _, c := range classes {
		sides := []oracle.Times{{Engine: "ours"}, {Engine: "plain DuckDB"}}
		var spent time.Duration
		for i := 0; i < benchSamples && (i < 4 || spent.Seconds() < b.Seconds); i++ {
			got, took := timed(func() any { return c.ours(i) })
			want, theirs := timed(func() any { return c.theirs(i) })
			if !reflect.DeepEqual(got, want) {
				check(fault.New("engines_differ", "%s: %+v, and DuckDB has %+v", c.name, got, want))
			}
			if i == 0 {
				continue // it warms both up
			}
			spent += theirs
			sides[0].Samples, sides[1].Samples = append(sides[0].Samples, took), append(sides[1].Samples, theirs)
		}
		for i := range sides {
			slices.Sort(sides[i].Samples)
		}
		list := engineTimes(sides)
		b.emit(benchClass{Class: c.name, Engines: list})
		t.Add(c.name, millis(list[0].P50, false), millis(list[1].P50, false), times(list[1].Ratio))
	}
	if !b.JSON {
		fmt.Fprintf(b.app.Out, "\n%s organizations; goal: each at least %d times as fast as plain DuckDB\n\n",
			terminal.Count(b.snapshot.Manifest.Counts.Organizations), recordTimes)
		t.Print(b.app.Out)
	}
}
