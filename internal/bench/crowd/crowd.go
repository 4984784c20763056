// Package crowd invents organizations of national number with names, places and
// texts, and nothing else: what the search for organizations is timed on. Only
// benchmarks use it.
package crowd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"grantgraph/internal/place"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
)

var (
	syllables = strings.Fields("ba bel brin cal ches cor dan del dor el fen for gal gren hal hol in ken lan lor mar mel mon nor oak pen quin ran riv sal sen ston tal ter val ver wen wor yar zel")
	kinds     = strings.Fields("foundation church association center community school club society family trust friends ministries services youth arts health library museum league council parents post fund house charitable memorial baptist rescue shelter pantry alliance institute hospital theater orchestra academy")
	subjects  = strings.Fields(`food meals groceries hunger families children veterans soldiers housing homes rent shelter homeless animals dogs cats wildlife rivers forests climate schools teachers tutoring reading
		scholarships students college science engineering music opera theater dance painting museums history heritage health cancer research hospitals nurses clinics dental mental addiction recovery elderly seniors caregivers disability
		wheelchairs blind deaf autism legal immigrants refugees women mothers infants foster adoption prison reentry jobs training farming gardens libraries computers coding sports soccer swimming camps scouts faith worship missions
		disaster relief fire rescue police safety roads bicycles parks trails trees oceans energy water sanitation journalism voting policy human rights peace culture language festivals`)
	verbs = strings.Fields("provides supports helps teaches funds protects restores builds runs offers gives promotes preserves trains feeds houses treats connects honors serves")
	rest  = strings.Fields("the of and for in to with people in need local our community region through programs across county who their a free low income rural urban young every year")
)

// Build makes a snapshot of so many organizations in a data directory, with the
// indexes of the search alone. A quarter of them say what they do.
func Build(ctx context.Context, data string, n int, seed uint64, progress func(done, total int64)) (*snapshot.Snapshot, error) {
	w, err := snapshot.Create(data, time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	w.Progress = progress
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
	if err := errors.Join(snapshot.WriteTable(w, snapshot.Organizations, orgs), snapshot.WriteTable(w, snapshot.Orgs, filings)); err != nil {
		return nil, err
	}
	// Vectors of the fast encoder are scanned as those of the slow one are.
	if err := search.Build(0)(ctx, w); err != nil {
		return nil, err
	}
	return w.Publish(snapshot.Manifest{})
}

type organization struct {
	snapshot.Organization
	mission string
}

// organizations are the same for the same seed.
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
			words := []string{coined[zipf.Uint64()]}
			if r.IntN(2) == 0 {
				words = append(words, coined[zipf.Uint64()])
			}
			if r.IntN(3) == 0 {
				words = append(words, subjects[subject.Uint64()])
			}
			words = append(words, kinds[common.Uint64()])
			revenue := int64(r.ExpFloat64() * 1_000_000)
			o := organization{Organization: snapshot.Organization{
				EIN: fmt.Sprintf("%09d", 10_000_000+i*step), Name: strings.ToUpper(strings.Join(words, " ")), City: strings.ToUpper(coined[r.IntN(4000)]),
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
			words = append(words, rest[r.IntN(len(rest))])
		}
	}
	return strings.Join(words, " ")
}

// Questions are those that people might ask of them.
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
