package abroad

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"grantgraph/internal/orgname"
)

// crowd makes n spellings as a full corpus has them: names of a few words, some
// of them in every other name, over as many countries, with slips, legal forms
// and acronyms.
func crowd(n int, countries []string) []Spelling {
	r := rand.New(rand.NewPCG(1, 1))
	syllables := strings.Fields("BA KO RI MU TEN LA SU NO VER DI CHA GO PEL RA SIN TO WE ZA HU MEN")
	vocabulary := make([]string, 40_000)
	for i := range vocabulary {
		for range 2 + r.IntN(3) {
			vocabulary[i] += syllables[r.IntN(len(syllables))]
		}
	}
	usual := strings.Fields("FOUNDATION INSTITUTE CENTRE FOR THE OF ASSOCIATION INTERNATIONAL SCHOOL TRUST UNIVERSITY DEVELOPMENT FUNDACION DE PARA LA EDUCATION COMMUNITY AFRICA WOMEN")
	ends := []string{"", "", "", "", "", " LTD", " AC", " GMBH", " EV", " LTDA"}
	var cities []string
	for range 300 {
		cities = append(cities, vocabulary[r.IntN(len(vocabulary))])
	}
	all := make([]Spelling, 0, n)
	for len(all) < n {
		var w []string
		for range 2 + r.IntN(4) {
			if r.IntN(3) == 0 {
				w = append(w, usual[r.IntN(len(usual))])
			} else {
				w = append(w, vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64())])
			}
		}
		name := strings.Join(w, " ")
		country, city := countries[int(float64(len(countries))*r.Float64()*r.Float64())], cities[r.IntN(len(cities))]
		for range 1 + r.IntN(2) {
			raw := name
			if r.IntN(4) == 0 {
				i := r.IntN(len(raw))
				raw = raw[:i] + raw[i+1:]
			}
			raw += ends[r.IntN(len(ends))]
			if r.IntN(8) == 0 {
				raw += fmt.Sprintf(" (%c%c%c)", name[0], w[len(w)/2][0], w[len(w)-1][0])
			}
			all = append(all, Spelling{Country: country, Raw: raw, Name: orgname.ParseLine(raw, "", city, ""), City: city, Rows: int64(1 + r.IntN(5)), FirstYear: 2009 + r.IntN(15)})
		}
	}
	return all[:n]
}

// BenchmarkCluster clusters as many spellings as all filings have, spread over
// the world and all in one country, and the former once more with their keys.
func BenchmarkCluster(b *testing.B) {
	var world []string
	for i := range 200 {
		world = append(world, string([]byte{'A' + byte(i/26), 'A' + byte(i%26)}))
	}
	run := func(b *testing.B, all []Spelling, keys Keys) {
		b.ReportAllocs()
		var c *Clusters
		for b.Loop() {
			c = Cluster(all, keys)
		}
		b.ReportMetric(float64(c.Names), "names")
		b.ReportMetric(float64(c.Clusters), "clusters")
	}
	all := crowd(600_000, world)
	b.Run("world", func(b *testing.B) { run(b, all, Keys{}) })
	keys := Cluster(all, Keys{}).Keys()
	b.Run("again", func(b *testing.B) { run(b, all, keys) })
	all = crowd(600_000, []string{"UK"})
	b.Run("one country", func(b *testing.B) { run(b, all, Keys{}) })
}
