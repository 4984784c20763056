// Package crowd invents as many organizations as the nation has, with names, places
// and missions and nothing else. Benchmarks time the search for organizations on them.
package crowd

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"grantgraph/internal/place"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

//go:embed words.tsv
var wordsTSV string

var (
	words     = table.Lists("words.tsv", wordsTSV, "list", "word")
	syllables = words["syllable"]
	kinds     = words["kind"]
	subjects  = words["subject"]
	verbs     = words["verb"]
	fillers   = words["filler"]
)

// Build makes a snapshot of n organizations in a data directory, with the indexes of
// the search alone. A quarter of the organizations state a mission.
func Build(ctx context.Context, data string, n int, seed uint64, progress func(done, total int64)) (*snapshot.Snapshot, error) {
	orgs := func(yield func(snapshot.Organization) bool) {
		for o := range organizations(n, seed) {
			if !yield(o.Organization) {
				return
			}
		}
	}
	filings := func(yield func(snapshot.Org) bool) {
		for o := range organizations(n, seed) {
			if o.mission != "" && !yield(snapshot.Org{EIN: o.EIN, Name: o.Name, ReturnType: "990", Mission: o.mission, TotalRevenue: o.Revenue}) {
				return
			}
		}
	}
	return snapshot.Make(data, time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC), func(w *snapshot.Writer) error {
		w.Progress = progress
		// The search scans vectors of the fast encoder as it scans those of the slow encoder, so the benchmark needs no slow vectors.
		return errors.Join(snapshot.WriteTable(w, snapshot.Organizations, orgs), snapshot.WriteTable(w, snapshot.Orgs, filings),
			search.Build(0)(ctx, w), identify.Build(ctx, w))
	})
}

type organization struct {
	snapshot.Organization
	mission string
}

// organizations yields n organizations, the same for the same seed.
func organizations(n int, seed uint64) iter.Seq[*organization] {
	return func(yield func(*organization) bool) {
		r := rand.New(rand.NewPCG(seed, 7))
		regions := place.Regions()
		coined := make([]string, 60_000)
		for i := range coined {
			for range 2 + r.IntN(3) {
				coined[i] += syllables[r.IntN(len(syllables))]
			}
		}
		zipf := rand.NewZipf(r, 1.15, 8, uint64(len(coined)-1))
		common := rand.NewZipf(r, 1.2, 4, uint64(len(kinds)-1))
		subject := rand.NewZipf(r, 1.1, 12, uint64(len(subjects)-1))
		step := 900_000_000 / (n + 1)
		for i := range n {
			name := []string{coined[zipf.Uint64()]}
			if r.IntN(2) == 0 {
				name = append(name, coined[zipf.Uint64()])
			}
			if r.IntN(3) == 0 {
				name = append(name, subjects[subject.Uint64()])
			}
			name = append(name, kinds[common.Uint64()])
			revenue := int64(r.ExpFloat64() * 1_000_000)
			o := organization{Organization: snapshot.Organization{
				EIN: fmt.Sprintf("%09d", 10_000_000+i*step), Name: strings.ToUpper(strings.Join(name, " ")), City: strings.ToUpper(coined[r.IntN(4000)]),
				State: regions[r.IntN(len(regions))].Code, NTEE: string(rune('A'+r.IntN(25))) + "20", Revenue: &revenue, Sources: snapshot.SourceBMF, Active: true,
			}}
			if r.IntN(4) == 0 {
				o.mission = mission(r, subject)
			}
			if !yield(&o) {
				return
			}
		}
	}
}

func mission(r *rand.Rand, subject *rand.Zipf) string {
	words := []string{verbs[r.IntN(len(verbs))]}
	for range 10 + r.IntN(25) {
		if r.IntN(3) == 0 {
			words = append(words, subjects[subject.Uint64()])
		} else {
			words = append(words, fillers[r.IntN(len(fillers))])
		}
	}
	return strings.Join(words, " ")
}

func Questions(n int, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 9))
	subject := rand.NewZipf(r, 1.1, 12, uint64(len(subjects)-1))
	list := make([]string, n)
	for i := range list {
		var words []string
		for range 2 + r.IntN(4) {
			words = append(words, subjects[subject.Uint64()])
		}
		if i%2 == 0 {
			words = append([]string{"help", "for", "people", "with"}, words...)
		} else {
			words = append(words, kinds[r.IntN(len(kinds))])
		}
		list[i] = strings.Join(words, " ")
	}
	return list
}
