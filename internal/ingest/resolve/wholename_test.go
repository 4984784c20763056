package resolve

import (
	"cmp"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// Invented organizations whose names lines write with words of their own, without spaces, or in initials.
const (
	tealClub    = ein.EIN(70400001)
	quincyU     = ein.EIN(70400002)
	quincyFund  = ein.EIN(70400003)
	saintsOf    = ein.EIN(70400004)
	heronsOf    = ein.EIN(70400005)
	seedsOf     = ein.EIN(70400006)
	groveJury   = ein.EIN(70400007)
	publicAir   = ein.EIN(70400008)
	oboeFund    = ein.EIN(70400009)
	chapterOf   = ein.EIN(70400010)
	teachersOf  = ein.EIN(70400011)
	churchOfOak = ein.EIN(70400012)
)

func wholeNames() *Universe {
	b := NewUniverse()
	for _, o := range []Org{
		{EIN: tealClub, Name: "BOYS & GIRLS CLUB OF TEALWOOD INC", Street: "PO BOX 333", City: "WEST TEALWOOD", ZIP5: "45802"},
		{EIN: quincyU, Name: "QUINCEFIELD UNIVERSITY", Street: "1 QUAD", City: "XENIA", ZIP5: "45385"},
		{EIN: quincyFund, Name: "QUINCEFIELD UNIVERSITY FOUNDATION", Street: "2 QUAD", City: "XENIA", ZIP5: "45385"},
		{EIN: saintsOf, Name: "CHURCH OF THE LUMINIFEROUS BRETHREN", Street: "3 NAVE ST", City: "TOLEDO", ZIP5: "43601"},
		{EIN: heronsOf, Name: "NATIONAL HERONS AND EGRETS HOSPITAL OF WADING BIRDS", Street: "4 REED ST", City: "LIMA", ZIP5: "45801"},
		{EIN: seedsOf, Name: "SOWS STEWARDS OUTSIDE WETLAND SOIL", Street: "5 MUD RD", City: "LIMA", ZIP5: "45804"},
		{EIN: groveJury, Name: "EG MARMOSETS", Street: "PO BOX 7", City: "LIMA", ZIP5: "45805"},
		{EIN: publicAir, Name: "MUSKELLUNGE PUBLIC BROADCASTING INC", Street: "8 MAST RD", City: "LIMA", ZIP5: "45806"},
		{EIN: oboeFund, Name: "OBOEREED CHARITABLE FOUNDATION OH", Street: "PO BOX 9", City: "AKRON", ZIP5: "44301"},
		{EIN: chapterOf, Name: "PUFFINS DEL LAGO A CHAPTER OF PUFFINS NATIONAL", Street: "PO BOX 11", City: "AKRON", ZIP5: "44302"},
		{EIN: teachersOf, Name: "QUINCEFIELD TEACHERS COLLEGE", Street: "12 QUAD", City: "XENIA", ZIP5: "45385"},
		{EIN: churchOfOak, Name: "ABIDING SPRUCE TABERNACLE CHURCH", Street: "13 OAK ST", City: "DAYTON", ZIP5: "45402"},
	} {
		o.State, o.Sources, o.Active, o.Foundation, o.Subsection = "OH", BMF, true, cmp.Or(o.Foundation, "15"), "03"
		b.Add(o)
	}
	for i := range ein.EIN(8) { // so that these words are not very rare
		b.Add(Org{EIN: 70410001 + i, Name: "ABIDING SPRUCE " + coin(int(i)) + " TABERNACLE CHURCH", State: "KY", Sources: BMF, Active: true})
	}
	for i := range 9000 { // a register of some size, so that rare words are very rare
		o := invent(i)
		o.State = []string{"OH", "KY"}[i%2]
		b.Add(o)
	}
	return b.Build()
}

func TestWholeNames(t *testing.T) {
	t.Parallel()
	r := New(wholeNames(), Options{Model: Prior()})
	for name, c := range map[string]struct {
		line Recipient
		want ein.EIN
		by   Rule
	}{
		"a club named after a donor":          {Recipient{Name1: "Ada B Lark B&GC of Tealwood", Street: "PO BOX 4", City: "TEALWOOD GLEN", ZIP: "45809"}, tealClub, ZIP},
		"the club's alumni":                   {Recipient{Name1: "Alumni of Boys & Girls Club of Tealwood", City: "TEALWOOD GLEN", ZIP: "45809"}, ein.None, None},
		"boys and girls without their club":   {Recipient{Name1: "Boys & Girls of Tealwood", City: "AKRON", ZIP: "44303"}, tealClub, Name},
		"a school of a university":            {Recipient{Name1: "Quincefield University Ada Lark School of Law", Street: "9 ELM ST", City: "XENIA", ZIP: "45385"}, quincyU, ZIP},
		"a school in another state":           {Recipient{Name1: "Quincefield University School of Law", City: "MOREHEAD", State: "KY", ZIP: "40351"}, ein.None, None},
		"the foundation of its school":        {Recipient{Name1: "Quincefield University School of Law Foundation", Street: "9 ELM ST", City: "XENIA", ZIP: "45385"}, ein.None, None},
		"a very rare name, with a ward":       {Recipient{Name1: "Abiding Spruce Tabernacle Church - Elm Ward", City: "DAYTON", ZIP: "45402"}, churchOfOak, ZIP},
		"a common name, far from it":          {Recipient{Name1: "Elm Ward of Abiding Spruce Tabernacle Church", City: "TOLEDO", ZIP: "43601"}, ein.None, None},
		"the education fund of it, cut off":   {Recipient{Name1: "Boys & Girls Club of Tealwood Educati", City: "WEST TEALWOOD", ZIP: "45802"}, ein.None, None},
		"plurals, and a last word cut off":    {Recipient{Name1: "National Heron and Egret Hospitals of Wading Bir", City: "LIMA", ZIP: "45801"}, heronsOf, Fuzzy},
		"plurals, and another word":           {Recipient{Name1: "National Heron and Egret Museums of Wading Bir", City: "LIMA", ZIP: "45801"}, ein.None, None},
		"without spaces":                      {Recipient{Name1: "THENATIONALHERONSANDEGRETSHOSPITALOFWADINGBIRDS", City: "LIMA", ZIP: "45801"}, heronsOf, Fuzzy},
		"without spaces, in another ZIP":      {Recipient{Name1: "THENATIONALHERONSANDEGRETSHOSPITALOFWADINGBIRDS", City: "AKRON", ZIP: "44303"}, ein.None, None},
		"the initials that begin a name":      {Recipient{Name1: "SOWS", City: "LIMA", ZIP: "45809"}, seedsOf, Model},
		"initials with other words":           {Recipient{Name1: "SOWS - Sowers Outside Wild Shrubs", Street: "5 MUD RD", City: "LIMA", ZIP: "45804"}, seedsOf, Model},
		"the same word, which is no initials": {Recipient{Name1: "SOWS AND PIGLETS", City: "LIMA", ZIP: "45809"}, ein.None, None},
		"a name that begins with initials":    {Recipient{Name1: "Elm Grove Marmosets", Street: "PO BOX 7", City: "LIMA", ZIP: "45805"}, groveJury, Model},
		"other words than its initials":       {Recipient{Name1: "Ash Grove Marmosets", City: "LIMA", ZIP: "45809"}, ein.None, None},
		"television for broadcasting":         {Recipient{Name1: "Muskellunge Public Television", Street: "8 MAST ROAD", City: "LIMA", ZIP: "45806"}, publicAir, Street},
		"a chapter without its parent":        {Recipient{Name1: "Puffins del Lago", City: "AKRON", ZIP: "44309"}, chapterOf, Name},
		"the parent of a chapter":             {Recipient{Name1: "Puffins National", City: "AKRON", ZIP: "44302"}, ein.None, None},
	} {
		c.line.State = cmp.Or(c.line.State, "OH")
		if got := r.Resolve(&c.line, parse(&c.line)); got.EIN != c.want || got.Rule != c.by {
			t.Errorf("%s: %v %s %.3f, want %v %s", name, got.EIN, got.Rule, got.Prob, c.want, c.by)
		}
	}
}

func TestAreSchool(t *testing.T) {
	t.Parallel()
	for rest, want := range map[string]bool{
		"SCHOOL MEDICINE": true, "ADA LARK SCHOOL LAW": true, "COLLEGE AGRICULTURE": true, "MEDICAL SCHOOL": true, "SCHOOL PUBLIC HEALTH": true, "CENTER MARMOTS": true, "LIBRARY": true,
		"HOSPITAL CENTER": false, "HIGH SCHOOL": false, "LARKSPUR COLLEGE": false, "SCHOOL LAW FOUNDATION": false, "PRESS": false,
		"MEDICAL CENTER": false, "ALUMNI CENTER": false, "PARK": false,
	} {
		if got := areSchool(strings.Fields(rest)); got != want {
			t.Errorf("%q: %t", rest, got)
		}
	}
}

// TestUnpaired pairs words that mean the same.
func TestUnpaired(t *testing.T) {
	t.Parallel()
	r := New(wholeNames(), Options{})
	for _, c := range []struct {
		line, name string
		left       int
	}{
		{"MUSKELLUNGE PUBLIC TELEVISION", "MUSKELLUNGE PUBLIC BROADCASTING", 0},
		{"MUSKELLUNGE PUBLIC HEALTH", "MUSKELLUNGE PUBLIC BROADCASTING", 2},
		{"OBOEREED FOUNDATION MICHGAN", "OBOEREED CHARITABLE FOUNDATION", 0},
		{"OBOEREED", "OBOEREED CHARITABLE", 1},
		{"OBOEREED FOUNDATION MICA", "OBOEREED FOUNDATION", 1},
		{"SOWS SOWERS WILD SHRUBS", "SOWS STEWARDS WETLAND SOIL", 6},
		{"SOWS SOWERS OVER WILD SHRUBS", "SOWS STEWARDS OUTSIDE WETLAND SOIL", 0},
	} {
		a, b := r.unpaired(&query{t: &Recipient{}, n: &orgname.Name{K1: c.line, K2: c.line}, state: codeOf("MI")}, c.line, c.name, false)
		if len(a)+len(b) != c.left {
			t.Errorf("%q and %q: %q and %q are left", c.line, c.name, a, b)
		}
	}
}
