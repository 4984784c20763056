package ingest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot"
)

// TestPurposes ranks what an organization received and gave money for.
func TestPurposes(t *testing.T) {
	t.Parallel()
	library := func(purpose string, amount int64) given {
		return given{name: "HARLOW COUNTY LIBRARY", state: "OH", zip: "43215", ein: "090000003", purpose: purpose, amount: amount}
	}
	var many []given
	for i := range snapshot.MaxPurposes + 3 {
		many = append(many, library(fmt.Sprintf("shelf %c", 'a'+i), int64(100+i)))
	}
	w := world{
		"990/2022_TEOS_XML_01A.zip": {
			"202200019349100001_public.xml": si("070000001", "ALDER FUND", "2021-12-31", "2022-05-01T10:00:00-05:00",
				library("books", 50), library("Books", 60), library(" BOOKS ", 5), library("SEE ATTACHED", 5000), library("", 7000), library("chairs", 80)),
			"202200019349100002_public.xml": si("070000002", "BIRCH FUND", "2021-12-31", "2022-05-01T10:00:00-05:00", many...),
			"202200019349100003_public.xml": si("090000003", "HARLOW COUNTY LIBRARY", "2021-12-31", "2022-05-01T10:00:00-05:00",
				given{name: "Alder Fund", state: "OH", zip: "43215", ein: "070000001", purpose: "thanks", amount: 1}),
		},
		"bmf/eo1.csv": {"": bmfHeader + bmfRow("090000003", "HARLOW COUNTY LIBRARY", "OH", "43215", "B70")},
	}
	result := run(t, Options{Sources: w.lay(t), Data: t.TempDir()})
	var got []string
	for _, p := range rowsOf[snapshot.OrgPurposes](t, result.Snapshot, snapshot.Purposes) {
		got = append(got, fmt.Sprintf("%s received %q gave %q", p.EIN, p.Received, p.Given))
	}
	want := []string{
		`070000001 received ["thanks"] gave ["Books" "chairs"]`,
		`070000002 received [] gave ["shelf o" "shelf n" "shelf m" "shelf l" "shelf k" "shelf j" "shelf i" "shelf h" "shelf g" "shelf f" "shelf e" "shelf d"]`,
		`090000003 received ["Books" "shelf o" "shelf n" "shelf m" "shelf l" "shelf k" "shelf j" "shelf i" "shelf h" "shelf g" "shelf f" "shelf e"] gave ["thanks"]`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPurposeRanking holds the ranking against one that keeps everything in maps.
func TestPurposeRanking(t *testing.T) {
	t.Parallel()
	texts := []string{"", " ", "SEE ATTACHED", "books", "Books", " BOOKS", "bo oks", "BO  OKS", "chairs", "Chairs", "café", "CAFE", "roof", "a b", "A  B", "ab", "\x01"}
	for n := range snapshot.MaxPurposes {
		texts = append(texts, fmt.Sprint("shelf ", n), fmt.Sprint("SHELF  ", n))
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		g := newLines(0)
		var rows []uint32
		for range 1 + random.IntN(60) {
			rows = append(rows, uint32(len(rows)))
			g.purpose = append(g.purpose, g.purposes.id([]byte(texts[random.IntN(1+random.IntN(len(texts)))])))
			g.amount = append(g.amount, 1+random.Int64N(4))
		}
		c := &corpus{lines: g}
		folded, err := (&builder{workers: 1}).foldPurposes(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		r := &purposeRanking{corpus: c, folded: folded}
		var got []string
		for _, p := range r.top(rows) {
			got = append(got, g.purposes.at(p))
		}
		if want := plainlyRanked(g, rows); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

// plainlyRanked is what purposeRanking is to find.
func plainlyRanked(g *lines, rows []uint32) (ranked []string) {
	dollars, spellings := map[string]int64{}, map[string]map[string]int64{}
	for _, row := range rows {
		text := g.purposes.at(g.purpose[row])
		if strings.TrimSpace(text) == "" || text == "SEE ATTACHED" {
			continue
		}
		key := strings.Join(strings.Fields(orgname.Fold(text)), " ")
		if spellings[key] == nil {
			spellings[key] = map[string]int64{}
		}
		dollars[key] += g.amount[row]
		spellings[key][text] += g.amount[row]
	}
	sum := map[string]int64{} // by the usual spelling
	for key, by := range spellings {
		usual := ""
		for text, n := range by {
			if n > by[usual] || n == by[usual] && text < usual {
				usual = text
			}
		}
		sum[usual] = dollars[key]
		ranked = append(ranked, usual)
	}
	slices.SortFunc(ranked, func(a, b string) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), strings.Compare(a, b)) })
	return ranked[:min(len(ranked), snapshot.MaxPurposes)]
}
