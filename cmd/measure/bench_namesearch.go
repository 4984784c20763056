package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/each"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

const nameSamples = 60

// benchNames times the search for organizations by name, as written and with one letter wrong. The engines
// mean different things by a match, so their answers are not compared; the share of names whose organization
// comes first is printed beside the time.
func (b *bench) benchNames() {
	finders, built := b.finders()
	for _, f := range finders {
		defer f.Close()
	}
	if len(finders) == 0 {
		return
	}
	orgs := sampleNames(b.snapshot, b.Seed)
	keys := namesakes(b.snapshot, orgs)
	header := []string{"search by name"}
	for i, f := range finders {
		if header = append(header, ">"+f.Name(), ">first"); i > 0 {
			header = append(header, ">times")
		}
	}
	t := terminal.NewTable(header...)
	for _, class := range []struct {
		name string
		ask  func(string) string
	}{{"exact", func(s string) string { return s }}, {"one typo", withTypo}} {
		list := b.lookUp(finders, orgs, keys, class.ask)
		b.emit(benchClass{Class: "name " + class.name, Engines: list})
		cells := []any{class.name}
		for i, e := range list {
			if cells = append(cells, millis(e.P50, e.GaveUp), fmt.Sprintf("%.2f", *e.Hit)); i > 0 {
				cells = append(cells, times(e.Ratio))
			}
		}
		t.Add(cells...)
	}
	if !b.JSON {
		fmt.Fprintf(b.app.Out, "\n%s organizations, %d names\n\n", terminal.Count(b.snapshot.RowsOf(snapshot.Organizations)), len(orgs))
		t.Print(b.app.Out)
		fmt.Fprintln(b.app.Out)
		for i, f := range finders {
			if f.Size() > 0 {
				fmt.Fprintf(b.app.Out, "%s: %s MB on disk, opened or loaded in %.1f s\n", f.Name(), terminal.Count(f.Size()>>20), built[i].Seconds())
			}
		}
	}
}

// finders opens the engines that look names up. Ours opens an index that was built with the snapshot; the others load the names.
func (b *bench) finders() (list []oracle.Finder, built []time.Duration) {
	for _, finder := range []struct {
		wanted bool
		open   func() (oracle.Finder, error)
	}{
		{slices.Contains(b.Engines, "graph"), func() (oracle.Finder, error) {
			x, err := search.Open(b.snapshot)
			return nameIndex{x, b.snapshot.Dir}, err
		}},
		{slices.Contains(b.Engines, "plain"), func() (oracle.Finder, error) { return oracle.OpenLike(b.app.Ctx, b.snapshot) }},
		{slices.Contains(b.Engines, "plain"), func() (oracle.Finder, error) { return oracle.OpenFTS(b.app.Ctx, b.snapshot) }},
		{b.postgres != nil, func() (oracle.Finder, error) { return oracle.OpenTrigrams(b.app.Ctx, b.snapshot, b.postgres) }},
	} {
		if finder.wanted {
			f, took := timed(func() oracle.Finder { return must(finder.open()) })
			list, built = append(list, f), append(built, took)
		}
	}
	return list, built
}

type nameIndex struct {
	*search.Index
	dir string // of the snapshot
}

// Size is that of the index of names and of the index of what names are known by.
func (x nameIndex) Size() (bytes int64) {
	for _, folder := range []string{"search", "identify"} {
		bytes += must(os.Stat(filepath.Join(x.dir, folder, "names.gg"))).Size()
	}
	return bytes
}

func (nameIndex) Name() string { return "search" }

func (x nameIndex) Find(_ context.Context, name string) ([]string, error) {
	list := each.Append(nil, x.Index.Find(name, "", 10), func(r search.Result) string { return r.EIN.String() })
	return list, nil
}

// lookUp asks every finder for every name, in turn. Any organization with the same
// name key counts as right, because a person could not tell them apart.
func (b *bench) lookUp(finders []oracle.Finder, orgs []snapshot.Organization, keys map[string]string, ask func(string) string) []benchEngine {
	all := make([]oracle.Times, len(finders))
	hits := make([]int, len(finders))
	spent := make([]time.Duration, len(finders))
	for _, o := range orgs {
		for i, f := range finders {
			if all[i].Engine = f.Name(); spent[i] > 5*time.Duration(b.Seconds*float64(time.Second)) {
				continue
			}
			found, took := timed(func() []string { return must(f.Find(b.app.Ctx, ask(o.Name))) })
			all[i].Samples, spent[i] = append(all[i].Samples, took), spent[i]+took
			if len(found) > 0 && (found[0] == o.EIN || keys[found[0]] == orgname.Key(o.Name)) {
				hits[i]++
			}
		}
	}
	rates := make([]float64, len(finders))
	for i := range all {
		slices.Sort(all[i].Samples)
		rates[i] = float64(hits[i]) / float64(max(1, len(all[i].Samples)))
	}
	list := engineTimes(all)
	for i := range list {
		list[i].Hit = &rates[i]
	}
	return list
}

// sampleNames draws organizations with names of two words and more.
func sampleNames(s *snapshot.Snapshot, seed uint64) []snapshot.Organization {
	r := rand.New(rand.NewPCG(seed, 4))
	var sample []snapshot.Organization
	seen := 0
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		check(err)
		if strings.Count(o.Name, " ") < 1 || len(o.Name) < 12 {
			continue
		}
		if seen++; len(sample) < nameSamples {
			sample = append(sample, o)
		} else if i := r.IntN(seen); i < nameSamples {
			sample[i] = o
		}
	}
	if len(sample) == 0 {
		check(errors.New("the snapshot has no organizations to look up"))
	}
	return sample
}

// namesakes are the keys of the names of all organizations, by EIN, that have the name of one in the sample.
func namesakes(s *snapshot.Snapshot, sample []snapshot.Organization) map[string]string {
	asked := map[string]bool{}
	for _, o := range sample {
		asked[orgname.Key(o.Name)] = true
	}
	keys := map[string]string{}
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		check(err)
		if key := orgname.Key(o.Name); asked[key] {
			keys[o.EIN] = key
		}
	}
	return keys
}

// withTypo leaves out the third letter of the longest word.
func withTypo(name string) string {
	words := strings.Fields(name)
	longest := 0
	for i, w := range words {
		if len(w) > len(words[longest]) {
			longest = i
		}
	}
	if w := words[longest]; len(w) > 4 {
		words[longest] = w[:2] + w[3:]
	}
	return strings.Join(words, " ")
}
