package screen

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot/lists"
)

// compared is what TestComparison found when Comparison was last raised.
const compared = "3644937cb824dff0"

// TestComparison finds the same as ever, or Comparison must be raised: else what
// comes from another way to compare is told as a change on the lists.
func TestComparison(t *testing.T) {
	t.Parallel()
	listed := []string{
		"ZARVONIA PETROLEUM TRADING COMPANY", "OBSIDIAN VANTREK INDUSTRIES LLC", "AL-QUORLEND RELIEF FOUNDATION", "TELVANE ORCHESTRA", "BRISKOVAR 17 LOGISTICS",
		"INTERNATIONAL FRIENDSHIP SOCIETY", "KHOLIDE MERIDIAN", "OOO TEKHNOVARD", "AHMARD BROTHERS GENERAL TRADING", "MVT",
	}
	var entities []Sanctioned
	for i, name := range listed {
		e := sanctioned(int64(100+i), name)
		if i%3 == 0 {
			e.Names = append(e.Names, lists.SanctionName{Num: e.Num, Kind: []string{"aka", "fka", "weak"}[i/3%3], Name: strings.ToLower(name[:len(name)/2])})
		}
		entities = append(entities, e)
	}
	s := newSanctions(entities)
	var b strings.Builder
	for _, name := range listed {
		words := strings.Fields(name)
		for _, variant := range []string{
			name, name + " INC", "FRIENDS OF " + name, "THE " + words[0] + " FUND", strings.Join(words, ""), strings.Join(words[1:], " "),
			strings.Replace(name, "A", "E", 1), strings.Replace(name, "O", "", 1), strings.Replace(name, "KH", "H", 1), strings.Replace(name, "I", "EE", 2), strings.Replace(name, "17", "18", 1),
		} {
			r := rowsOf{master: lists.Master{Name: variant, SortName: "% PAT EXAMPLE"}, revocations: []lists.RevocationRow{{Name: variant + ", Inc.", DBA: words[len(words)-1]}}}
			names, all := r.names([]string{"A NAME FILED"})
			fmt.Fprintf(&b, "%q %t", names, all)
			for _, m := range s.matches(names, nil) {
				fmt.Fprintf(&b, " %d %q %q %.4f %s", m.EntNum, m.MatchedName, m.QueryName, m.Score, m.Strength)
			}
			b.WriteByte('\n')
		}
	}
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(b.String())))[:16]; got != compared {
		t.Errorf("names are compared otherwise than under Comparison %d: raise it, and put %q here", Comparison, got)
	}
}

// TestNames holds the names of an organization against those of different keys, in
// the order in which they come.
func TestNames(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 22))
	words := strings.Fields("zarvonia ZARVONIA Trust TRUST Inc. INC inc & &amp; AND Café CAFÉ cafe C/O %PAT 7 the U.S. us Kelvin kelvin")
	for range 20_000 {
		var filed []string
		for range r.IntN(30) {
			var name []string
			for range r.IntN(3) {
				name = append(name, words[r.IntN(len(words))])
			}
			filed = append(filed, strings.Join(name, " "))
		}
		var want, seen []string
		for _, name := range filed {
			if key := nameKey(name); name != "" && !slices.Contains(seen, key) && !orgname.IsCareOf(name) {
				want, seen = append(want, name), append(seen, key)
			}
		}
		got, all := (&rowsOf{}).names(filed)
		if !slices.Equal(got, want[:min(len(want), mostNames)]) || all != (len(want) <= mostNames) {
			t.Fatalf("the names of %q are %q, %t, want %q", filed, got, all, want)
		}
	}
}
