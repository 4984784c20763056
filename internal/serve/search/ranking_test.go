package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
)

// listed makes a register of names, each with its yearly dollars after a bar.
func listed(t *testing.T, names ...string) *Index {
	t.Helper()
	members := make([]member, len(names))
	for i, line := range names {
		name, dollars, _ := strings.Cut(line, " | ")
		var v int64
		fmt.Sscan(dollars, &v)
		members[i] = member{ein: ein.EIN(70_000_0001 + i*11), name: name, state: "OK", revenue: &v}
	}
	return indexOf(t, members)
}

// many repeats a name with numbers in place of its %d.
func many(n int, name string) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(name, 100+i)
	}
	return list
}

// TestFirst asks for one organization where a larger one, or one that has the
// rarer words of the question, must not come before it.
func TestFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		names []string
		asked map[string]string
	}{
		{"a misspelled name before the name with more words", []string{
			"NORTHVALE PARISH VOCATIONAL SERVICES INC | 90000",
			"NORTHVALE PARISH VOCATIONAL SERVICES FOUNDATION INC | 900000000",
			"FRIENDS OF NORTHVALE PARISH VOCATIONAL SERVICES | 900000000",
		}, map[string]string{
			"Northvale Parish Vocationql Services":                "NORTHVALE PARISH VOCATIONAL SERVICES INC",
			"NORHTVALE PARISH VOCATIONAL SERVICES INC":            "NORTHVALE PARISH VOCATIONAL SERVICES INC",
			"northvale parish vocatonal services foundation":      "NORTHVALE PARISH VOCATIONAL SERVICES FOUNDATION INC",
			"Northvale Parish Vocational Services - General Fund": "NORTHVALE PARISH VOCATIONAL SERVICES INC",
		}},
		{"the name itself before the same words in another order", []string{
			"SHELTER OF POLK COUNTY", "POLK COUNTY SHELTER | 20000",
		}, map[string]string{
			"shelter of polk county": "SHELTER OF POLK COUNTY",
			"polk county shelter":    "POLK COUNTY SHELTER",
		}},
		{"a name that begins the question", slices.Concat(many(400, "AMERICAN NATIONAL HALL %d"), many(400, "ORANGE GUILD %d OF THE CROSS"), []string{
			"AMERICAN NATIONAL ORANGE CROSS | 3000000000", "CONSTITUENT ASSEMBLY", "CHAPTERS AND BRANCHES",
		}), map[string]string{
			"American National Orange Cross and its Constituent Chapters & Branches": "AMERICAN NATIONAL ORANGE CROSS",
		}},
		{"a name cut by the register", []string{
			"AMERICAN ACADEMY OF RIVER & MEADOWLA",
			"AMERICAN ASSOCIATION OF RIVER AND MEADOWLAND BOTANY | 5000000",
			"THE ELMIRA SOCIETY FOR THE PROTECTI",
			"TULSA SOCIETY FOR THE PROTECTION OF MIGRATING BIRDS | 5000",
		}, map[string]string{
			"American Academy of River and Meadowland Botany":          "AMERICAN ACADEMY OF RIVER & MEADOWLA",
			"Elmira Society for the Protection of Migrating Birds":     "THE ELMIRA SOCIETY FOR THE PROTECTI",
			"The Tulsa Society for the Protection of Migrating Birds":  "TULSA SOCIETY FOR THE PROTECTION OF MIGRATING BIRDS",
			"American Association of River and Meadowland Botany, Inc": "AMERICAN ASSOCIATION OF RIVER AND MEADOWLAND BOTANY",
		}},
		{"a misspelled word that a name may be cut in", []string{
			"LARKSPUR ADVOCATES FOR MEADOWLAND PARENT | 600000", "MEADOWLAND PARENTHOOD OF ELMIRA | 7000000", "MEADOWLAND PARENTHOOD OF TULSA | 5000000",
			"MEADOWLAND PARENTHOOD OF AKRON", "MEADOWLAND PARENTHOOD OF RENO",
		}, map[string]string{
			"meadowland parenthod": "MEADOWLAND PARENTHOOD OF ELMIRA",
			"meadowland parentood": "MEADOWLAND PARENTHOOD OF ELMIRA",
		}},
		{"a legal form cut by the register", []string{
			"INITIATIVE FOR A BETTER LOWLAND I", "THATCHER BROTHERS FOUNDATION CORPOR", "BETTER LOWLAND FUND | 9000000",
		}, map[string]string{
			"IBL":                             "INITIATIVE FOR A BETTER LOWLAND I",
			"initiative for a better lowland": "INITIATIVE FOR A BETTER LOWLAND I",
			"thatcher brothers foundation":    "THATCHER BROTHERS FOUNDATION CORPOR",
		}},
		{"the namesake before a trust for it", []string{
			"UNIVERSITY OF HARTWELL", "ODA TANNER LECTURE TRUST FBO UNIVERSITY OF HARTWELL | 90000000",
		}, map[string]string{
			"university of hartwell":                      "UNIVERSITY OF HARTWELL",
			"Oda Tanner Trust FBO University of Hartwell": "ODA TANNER LECTURE TRUST FBO UNIVERSITY OF HARTWELL",
		}},
		{"a legal form inside of the question", append(many(40, "HOMES %d"),
			"HARTWELL HOMES OF LARKSPUR", "HARTWELL INC OF LARKSPUR",
		), map[string]string{
			"Hartwell Homes Inc of Larkspur": "HARTWELL HOMES OF LARKSPUR",
			"hartwell homes inc larkspur":    "HARTWELL HOMES OF LARKSPUR",
		}},
		{"a misspelled legal form or small word", []string{
			"LAKESIDE CENTER FOR THE ARTS CORPORATION", "LAKESIDE CENTER FOR THE ARTS FOUNDATION INC | 3000000",
			"LAKESIDE CORPORATION OF ARTISTS", "CHURCH OF THE GOOD SHEPHERD", "GOOD SHEPHERD HOSPITAL | 9000000",
		}, map[string]string{
			"Lakeside Center for the Arts Coporation": "LAKESIDE CENTER FOR THE ARTS CORPORATION",
			"lakeside center for the arts corpo":      "LAKESIDE CENTER FOR THE ARTS CORPORATION",
			"church pf the good shepherd":             "CHURCH OF THE GOOD SHEPHERD",
			"church of teh good shepherd":             "CHURCH OF THE GOOD SHEPHERD",
		}},
		{"a misspelled word that names are compared with another spelling of", []string{
			"FIRST REFORMED CHAPEL", "GREATER REFORMED CHAPEL | 500000", "LARKSPUR COMMUNITY THEATRE", "LARKSPUR COMMUNITY FOUNDATION | 500000",
		}, map[string]string{
			"frist reformed chapel":      "FIRST REFORMED CHAPEL",
			"firswt reformed chapel":     "FIRST REFORMED CHAPEL",
			"larkspur community thetre":  "LARKSPUR COMMUNITY THEATRE",
			"larkspur community theatr":  "LARKSPUR COMMUNITY THEATRE",
			"larkspur comunity thaetre":  "LARKSPUR COMMUNITY THEATRE",
			"larkspur community theater": "LARKSPUR COMMUNITY THEATRE",
		}},
		{"a slip that the register has too", append(many(12, "GUILD OF COMMERCE LOCAL %d"),
			"JUNIOR GUILD OF COMERCE", "NATIONAL GUILD OF COMMERCE | 200000000",
		), map[string]string{
			"guild of comerce":        "NATIONAL GUILD OF COMMERCE",
			"junior guild of comerce": "JUNIOR GUILD OF COMERCE",
		}},
		{"a space lost in the question and in the register", slices.Concat(many(40, "LODGE %d OF MAPLETON"), many(40, "COMMUNITY KITCHEN %d | 90000"), []string{
			"HORSESHOE RIDERS OFMAPLETON", "COMMUNITY KITCHEN OF MAPLETON", "HORSESHOE RIDERS OF THORNTON | 90000",
		}), map[string]string{
			"Community Kitchen ofMapleton": "COMMUNITY KITCHEN OF MAPLETON",
			"horseshoe ridres of mapleton": "HORSESHOE RIDERS OFMAPLETON",
		}},
		{"a space lost after a saint", append(many(3, "SAINT MARTIN LODGE %d"),
			"ST MARTIN EPISCOPAL CHAPEL", "MARTIN EPISCOPAL CHAPEL | 900", "ST BRENDANS RESCUE SQUAD", "ST BRENDANS SCHOOL",
			"RESCUE LEAGUE", "SQUAD OF BRAVE RESCUE DOGS",
		), map[string]string{
			"StMartin Episcopal Chapel": "ST MARTIN EPISCOPAL CHAPEL",
			"St BrendansRescue Squad":   "ST BRENDANS RESCUE SQUAD",
		}},
		{"an abbreviation that is the beginning of another word", []string{
			"MAPLETON COMMISSION ON AGING", "MAPLETON HOSPICE", "COMMUNITY HOSPITAL OF THORNTON | 90000000",
		}, map[string]string{
			"mapleton comm": "MAPLETON COMMISSION ON AGING",
			"mapleton hosp": "MAPLETON HOSPICE",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := listed(t, c.names...)
			for q, want := range c.asked {
				found := x.Find(q, "", 3)
				if len(found) == 0 || found[0].Name != want {
					t.Errorf("%q found %v, want %q", q, found, want)
				}
			}
		})
	}
}

// TestLongerWordsBearASlip asks for words with one slip: the longer the word,
// the less it matters.
func TestLongerWordsBearASlip(t *testing.T) {
	t.Parallel()
	last := 0.0
	for n := 5; n <= 14; n++ {
		word := "QUORVINGSTABLEMEX"[:n]
		x := listed(t, word+" CHAPEL")
		found := x.Find(strings.Replace(word, "RV", "RB", 1)+" chapel", "", 1)
		if len(found) != 1 || found[0].Score <= last {
			t.Errorf("%s is found as %v, after a score of %.4f", word, found, last)
			continue
		}
		last = found[0].Score
	}
}

// TestPartOfLists has so many words begin as the last of the question that
// their lists are read in part, and asks for a name past those parts.
func TestPartOfLists(t *testing.T) {
	t.Parallel()
	x := listed(t, append(many(1000, "CENTER %d | 900000"), "BROOK VALLEY HALL | 90000", "BROOK VALLEY CENTER")...)
	if found := x.Find("brook valley cen", "", 1); len(found) != 1 || found[0].Name != "BROOK VALLEY CENTER" {
		t.Errorf("found %v", found)
	}
}
