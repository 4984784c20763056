package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/bench/nation"
	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/fault"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/terminal"
)

// What the benchmark of the directory asks, and its gates.
const (
	listSamples  = 200 // questions of each class
	listCompared = 7   // of them, put to DuckDB as well
	listMost     = 10 * time.Millisecond
	listTimes    = 20
)

func (c *benchCmd) benchOrganizations(a *terminal.App) error {
	b := &listBench{app: a, random: rand.New(rand.NewPCG(c.Seed, 3))}
	data := filepath.Join(c.Data, fmt.Sprintf("organizations-%d", c.Seed))
	b.open(c, data)
	defer b.close()
	fmt.Fprintf(a.Out, "%s organizations; %s; medians in milliseconds\n\n", terminal.Count(b.index.Len()), machine())
	return b.race()
}

type listBench struct {
	app      *terminal.App
	random   *rand.Rand
	index    *directory.Index
	standing *screen.Standing
	screener *screen.Screener
	duck     *oracle.Organizations
	some     []directory.Row // drawn from all, for values that filters have
	filed    []directory.Row // those of them that have figures
}

// open finds the directory, or invents it, and loads DuckDB.
func (b *listBench) open(c *benchCmd, data string) {
	s, err := snapshot.Open(data)
	if err == nil {
		b.index, err = directory.Open(s)
	}
	if err != nil {
		began := time.Now()
		s, _ = must2(nation.PublishOrganizations(b.app.Ctx, data, nation.Organizations, c.Seed, began))
		fmt.Fprintf(b.app.Out, "organizations invented, written and indexed in %.0f s\n", time.Since(began).Seconds())
		b.index = must(directory.Open(s))
	}
	for _, f := range s.Manifest.Files {
		if f.Table() == "" {
			fmt.Fprintf(b.app.Out, "index %s\n", terminal.Bytes(f.Bytes))
		}
	}
	e := must(lists.Open(data))
	fmt.Fprintf(b.app.Out, "status on each list computed in %.1f s\n", b.load(s, e).Seconds())
}

// load loads the lists and DuckDB beside the index, and draws some organizations of
// all. It returns how long the status on each list took to compute.
func (b *listBench) load(s *snapshot.Snapshot, e *lists.Edition) (took time.Duration) {
	b.screener = must(screen.Open(&lists.Current{Edition: e}))
	began := time.Now()
	b.standing = must(screen.NewStanding(b.index.EINs(), b.screener))
	took = time.Since(began)
	b.duck = must(oracle.OpenOrganizations(b.app.Ctx, s, e))
	for range 5000 {
		row, _ := b.index.Row(b.random.Uint32N(uint32(b.index.Len())), b.standing)
		if b.some = append(b.some, row); row.Revenue != nil && row.GrantsPaid != nil {
			b.filed = append(b.filed, row)
		}
	}
	return took
}

func (b *listBench) close() {
	for _, c := range []interface{ Close() error }{b.index, b.screener, b.duck} {
		_ = c.Close()
	}
}

func (b *listBench) row() *directory.Row { return &b.some[b.random.IntN(len(b.some))] }

// between is a range between the figures of two organizations.
func (b *listBench) between(of func(*directory.Row) *int64) directory.Range {
	x, y := of(&b.filed[b.random.IntN(len(b.filed))]), of(&b.filed[b.random.IntN(len(b.filed))])
	if *x > *y {
		x, y = y, x
	}
	return directory.Range{Min: x, Max: y}
}

func subjects(text string) []ntee.Subject {
	s, _ := ntee.ParseSubject(text)
	return []ntee.Subject{s}
}

type listClass struct {
	name   string
	filter func(f *directory.Filter)
	order  directory.Sort
	deep   bool // anywhere in the result, not at its beginning
	size   int
}

func (b *listBench) classes() []listClass {
	revenue := func(r *directory.Row) *int64 { return r.Revenue }
	state := func(f *directory.Filter) { f.States = []string{b.row().State} }
	money := func(f *directory.Filter) { f.Revenue = b.between(revenue) }
	letter := func(f *directory.Filter) { f.Causes = subjects(string(rune('A' + b.random.IntN(26)))) }
	ours := func(f *directory.Filter) {
		state(f)
		money(f)
		letter(f)
		f.Revoked = new(false)
	}
	everything := func(f *directory.Filter) {
		money(f)
		f.Assets, f.Expenses = b.between(func(r *directory.Row) *int64 { return r.Assets }), b.between(func(r *directory.Row) *int64 { return r.Expenses })
		f.States, f.Causes = []string{"CA", "TX", "NY", "PA", "OH", "IL", "FL"}, subjects("A,B,E,K,L,P")
		f.Subsections, f.FoundationCodes, f.ReturnTypes = []string{"03"}, []string{"15", "16", "04"}, []string{"990", "990PF"}
		f.Pub78, f.Revoked, f.InBMF = new(true), new(false), new(true)
	}
	byName, byAssets := directory.Sort{By: directory.ByName, Asc: true}, directory.Sort{By: directory.ByAssets}
	return []listClass{
		{name: "no filter", filter: func(*directory.Filter) {}},
		{name: "no filter, by name, deep", filter: func(*directory.Filter) {}, order: byName, deep: true},
		{name: "state", filter: state},
		{name: "state, by name, deep", filter: state, order: byName, deep: true},
		{name: "20 states", filter: func(f *directory.Filter) {
			for range 20 {
				f.States = append(f.States, b.row().State)
			}
		}, order: byAssets},
		{name: "city", filter: func(f *directory.Filter) { f.Cities = []directory.City{{Name: orgname.City(b.row().City)}} }},
		{name: "city in a state", filter: func(f *directory.Filter) {
			r := b.row()
			f.Cities = []directory.City{{Name: orgname.City(r.City), State: r.State}}
		}},
		{name: "ZIP code", filter: func(f *directory.Filter) { f.ZIPs = []string{b.row().ZIP} }},
		{name: "ZIP area", filter: func(f *directory.Filter) { f.ZIPs = []string{b.row().ZIP[:3]} }},
		{name: "county", filter: func(f *directory.Filter) { f.Counties = []string{b.row().County} }},
		{name: "cause", filter: letter},
		{name: "NTEE code", filter: func(f *directory.Filter) {
			if code := b.row().NTEE; code != "" {
				f.Causes = subjects(string(code))
			} else {
				letter(f)
			}
		}},
		{name: "revenue", filter: money},
		{name: "revenue, by assets, deep", filter: money, order: byAssets, deep: true},
		{name: "least grants paid", filter: func(f *directory.Filter) {
			f.GrantsPaid.Min = b.filed[b.random.IntN(len(b.filed))].GrantsPaid
		}, order: directory.Sort{By: directory.ByGrantsPaid}},
		{name: "three ranges", filter: func(f *directory.Filter) {
			money(f)
			f.Assets, f.Expenses = b.between(func(r *directory.Row) *int64 { return r.Assets }), b.between(func(r *directory.Row) *int64 { return r.Expenses })
		}, order: byName},
		{name: "return type", filter: func(f *directory.Filter) { f.ReturnTypes = []string{"990PF"} }},
		{name: "subsection", filter: func(f *directory.Filter) { f.Subsections = []string{b.row().Subsection} }, order: byName, deep: true},
		{name: "foundation type", filter: func(f *directory.Filter) { f.FoundationCodes = []string{"02", "03", "04"} }},
		{name: "ruling year", filter: func(f *directory.Filter) { y := int64(b.row().RulingYear); f.RulingYear.Min = &y }, order: byAssets},
		{name: "in Publication 78", filter: func(f *directory.Filter) { f.Pub78 = new(b.random.IntN(2) == 0) }, order: byName},
		{name: "revoked", filter: func(f *directory.Filter) { f.Revoked = new(b.random.IntN(2) == 0) }, order: byName, deep: true},
		{name: "state, cause, revenue, not revoked", filter: ours},
		{name: "the same, 1,000 rows, deep", filter: ours, order: byName, deep: true, size: 1000},
		{name: "everything at once", filter: everything},
		{name: "everything at once, by name, deep", filter: everything, order: byName, deep: true},
	}
}

func (b *listBench) race() error {
	t := terminal.NewTable("question", ">hits", ">ours p50", ">p95", ">most", ">DuckDB p50", ">times")
	var slow []string
	for _, c := range b.classes() {
		c.size = cmp.Or(c.size, 25)
		var ours, same, theirs samples
		var hits []int
		for i := range listSamples {
			f := &directory.Filter{}
			c.filter(f)
			offset := 0
			_, all := b.ask(f, c.order, 0, 1)
			if hits = append(hits, all); c.deep && all > 0 {
				offset = b.random.IntN(all)
			}
			began := time.Now()
			rows, n := b.ask(f, c.order, offset, c.size)
			took := time.Since(began)
			if ours = append(ours, took); i >= listCompared {
				continue
			}
			began = time.Now()
			want, m := must2(b.duck.List(b.app.Ctx, f, c.order, offset, c.size))
			theirs = append(theirs, time.Since(began))
			if same = append(same, took); n != m || !reflect.DeepEqual(rows, want) {
				return fault.New("bench_differs", "%s: %d of %d rows, and DuckDB has %d of %d, or others, for %s", c.name, len(rows), n, len(want), m, f.Canonical())
			}
		}
		slices.Sort(hits)
		p50, duck := ours.at(50), theirs.at(50)
		times := float64(duck) / float64(max(p50, same.at(50), time.Nanosecond))
		if p50 >= listMost || times < listTimes {
			slow = append(slow, c.name)
		}
		t.Add(c.name, hits[len(hits)/2], inMicros(p50), inMicros(ours.at(95)), inMicros(ours.at(100)),
			inMillis(duck), fmt.Sprintf("%.0f", times))
	}
	t.Print(b.app.Out)
	if len(slow) > 0 {
		return fault.New("bench_slow", "slower than %v, or than %d times DuckDB: %s", listMost, listTimes, strings.Join(slow, "; ")).
			Try("run it on a machine that does nothing else")
	}
	fmt.Fprintf(b.app.Out, "\nevery class is below %v at the median and at least %d times plain DuckDB; all compared answers are equal\n", listMost, listTimes)
	return nil
}

func inMicros(d time.Duration) string { return fmt.Sprintf("%.3f", float64(d)/1e6) }

func (b *listBench) ask(f *directory.Filter, s directory.Sort, offset, limit int) ([]directory.Row, int) {
	set, n := must2(b.index.Select(f, b.standing))
	defer b.index.Release(set)
	page := must(b.index.Page(set, n, s, offset, limit))
	var rows []directory.Row
	for _, org := range page {
		row, _ := b.index.Row(org, b.standing)
		rows = append(rows, row)
	}
	return rows, n
}
