package abroad

import (
	"archive/zip"
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/orgname"
)

// realSpellings reads the grants that the real returns paid abroad: how many
// lines there are, and their spellings.
func realSpellings(t testing.TB) (lines int, spellings []Spelling) {
	zips, err := filepath.Glob(filepath.Join(upstream.Dir(t), "990", "zips", "*.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if len(zips) == 0 {
		t.Skip("no real returns: put the e-file zips in 990/zips of the folder of upstream files")
	}
	type key struct {
		country, raw, city string
		kind               Kind
	}
	at := make(map[key]int)
	var year int
	var ret irs990.Return
	reader := irs990.NewReader()
	sink := &irs990.Sink{Grant: func(g *irs990.Grant) error {
		if g.Address.Country == "" || g.Part != irs990.PFPaid {
			return nil
		}
		lines++
		raw := strings.TrimSpace(g.Name1 + " " + g.Name2)
		if raw == "" {
			raw = g.Person
		}
		k := key{g.Address.Country, raw, g.Address.City, KindOf(raw, g.Status, false)}
		i, ok := at[k]
		if !ok {
			i = len(spellings)
			k = key{strings.Clone(k.country), strings.Clone(k.raw), strings.Clone(k.city), k.kind}
			at[k] = i
			n := orgname.ParseLine(g.Name1, g.Name2, g.Address.City, g.Address.State)
			if g.Name1 == "" && g.Name2 == "" {
				n = orgname.Parse(raw)
			}
			spellings = append(spellings, Spelling{Country: k.country, Raw: k.raw, Name: n, City: k.city, Kind: k.kind})
		}
		s := &spellings[i]
		s.Rows++
		if year, _ = strconv.Atoi(ret.TaxYear); year > 0 && (s.FirstYear == 0 || year < s.FirstYear) {
			s.FirstYear = year
		}
		return nil
	}}
	for _, name := range zips {
		z, err := zip.OpenReader(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range z.File {
			f, err := m.Open()
			if err != nil {
				continue
			}
			_ = reader.Read(f, &ret, sink) // what cannot be read has no lines
			f.Close()
		}
		z.Close()
	}
	return lines, spellings
}

// TestRealLines clusters the foreign lines of the real returns and logs every
// merge that goes beyond the comparison key, so that they can be judged.
func TestRealLines(t *testing.T) {
	t.Parallel()
	lines, spellings := realSpellings(t)
	c := Cluster(spellings, Keys{})
	several := 0
	texts := map[string]map[string]bool{}
	for i := range spellings {
		s := &spellings[i]
		if id, ok := c.Of(s.Country, s.Name.KX, s.Kind); ok {
			if texts[id] == nil {
				texts[id] = map[string]bool{}
			}
			texts[id][strings.ToUpper(s.Raw)] = true
		}
	}
	for _, t := range texts {
		if len(t) > 1 {
			several++
		}
	}
	t.Logf("%d foreign lines paid, %d spellings, %d names, %d clusters, %d with several spellings but for case, %d with several names",
		lines, c.Spellings, c.Names, c.Clusters, several, c.Multiple)
	for _, j := range realJoins(spellings) {
		t.Log(j)
	}
	if c.Clusters > c.Names || c.Names > c.Spellings || c.Spellings > lines || c.Names-c.Clusters > c.Names/10 {
		t.Error("fewer clusters than names, by less than a tenth, wanted")
	}
}

// realJoins describes every name that is not the middle of its cluster.
func realJoins(spellings []Spelling) (joins []string) {
	forms := gatherForms(spellings, Keys{})
	s := newWordWeights(forms)
	for from := 0; from < len(forms); {
		to := from + 1
		for to < len(forms) && forms[to].cc == forms[from].cc {
			to++
		}
		n := newCountry(forms[from:to], s)
		n.findMerges()
		for _, star := range n.stars() {
			for _, f := range star[1:] {
				r := sameStem
				if f.stem != star[0].stem {
					r = linked
					if !slices.Contains(f.acronyms, star[0].stem) {
						r = cmp.Or(n.alike(star[0].words, f.words), linked)
					}
				}
				joins = append(joins, string(f.cc[:])+" "+r.String()+": "+star[0].raw+" "+strings.Join(star[0].cities, "/")+" <- "+f.raw+" "+strings.Join(f.cities, "/"))
			}
		}
		from = to
	}
	return joins
}
