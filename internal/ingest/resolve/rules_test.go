package resolve

import (
	"fmt"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
)

// scribes is the EIN of a member that is no slip of the keys from its group's.
const scribes = ein.EIN(70312345)

// ruleUniverse has neighbors that a rule must not take for one another, among
// many others, without which no word would be rare.
func ruleUniverse(filed func(b *UniverseBuilder)) *Universe {
	b := NewUniverse()
	for i, o := range []Org{
		{Name: "YWCA OF TINKER VALLEY", Street: "1 POOL ST", ZIP5: "44301"},
		{Name: "SAINT MARK PARISH HALL", Street: "2 BELL ST", ZIP5: "44301"},
		{Name: "WAVERLY OBSERVATORY", Street: "3 HILL RD", ZIP5: "44302"},
		{Name: "ZEPPELIN HERITAGE MUSEUM STAFF ASSOCIATION", Street: "20 HANGAR WAY", ZIP5: "44303"},
		{Name: "HARTWELL POTTERY SCHOOL FOUNDATION", Street: "21 KILN WAY", ZIP5: "44303"},
		{Name: "COMMITTEE FOR FAIR LANTERNS UNDER LAW", Street: "22 TORCH WAY", ZIP5: "44303"},
		{Name: "HARTWELL RIVER CONSERVATION FOUNDATION", Street: "23 BANK WAY", ZIP5: "44303"},
		{Name: "QUILL LEAGUE", Street: "30 INK ST", ZIP5: "44304", Group: "0815", Affiliation: "6"},
		{Name: "QUILL LEAGUE", Street: "31 INK ST", ZIP5: "44305", Group: "0815", Affiliation: "9"},
		{EIN: scribes, Name: "SCRIBES OF XENIA", Street: "32 INK ST", ZIP5: "44306", Group: "0815", Affiliation: "9"},
		{Name: "ELM COMMONS CENTER", Street: "40 ELM ST", ZIP5: "44307", Foundation: "15"},
		{Name: "ELM FAMILY FOUNDATION", Street: "41 ELM ST", ZIP5: "44307", Foundation: "04"},
		{Name: "PLAZA SETTLEMENT PARTNERS", Street: "42 ELM ST", ZIP5: "15201", State: "PA"},
		{Name: "HARTWELL SCHOOL OF GLASSBLOWING ALUMNI", Street: "24 BANK WAY", ZIP5: "44303"},
		{Name: "TRUSTEES OF ELM CITY LYCEUM", Street: "25 BANK WAY", ZIP5: "44309", Group: "0816", Affiliation: "6"},
		{Name: "ELM CITY LYCEUM", Street: "26 BANK WAY", ZIP5: "44310", Group: "0816", Affiliation: "9"},
	} {
		o.City, o.Sources, o.Active = "AKRON", BMF, true
		fill(&o.EIN, ein.EIN(70000001+i))
		if o.State == "" {
			o.State = "OH"
		}
		b.Add(o)
	}
	for i := range 400 {
		b.Add(Org{EIN: ein.EIN(71000000 + i), Name: fmt.Sprintf("SAINT %s %c%c SOCIETY", []string{"MARY", "MARK", "JOHN", "PAUL"}[i%4], 'A'+i/26, 'A'+i%26),
			Street: fmt.Sprintf("%d MAIN ST", i+100), City: "CLEVELAND", State: "OH", ZIP5: "44101", Sources: BMF, Active: true})
	}
	if filed != nil {
		filed(b)
	}
	return b.Build()
}

func TestRulesKeepNeighborsApart(t *testing.T) {
	t.Parallel()
	r := New(ruleUniverse(nil), Options{})
	for name, c := range map[string]struct {
		line Recipient
		want Match
	}{
		"a YMCA is no YWCA":                {Recipient{Name1: "YMCA of Tinker Valley", State: "OH", ZIP: "44301"}, Match{}},
		"a slip in YWCA's town":            {Recipient{Name1: "YWCA of Tinkr Valley", State: "OH", ZIP: "44301"}, found(Fuzzy, 70000001)},
		"another saint":                    {Recipient{Name1: "Saint Mary Parish Hall", State: "OH", ZIP: "44301"}, Match{}},
		"a slip in the saint":              {Recipient{Name1: "Saint Marq Parish Hall", State: "OH", ZIP: "44301"}, found(Fuzzy, 70000002)},
		"a plural":                         {Recipient{Name1: "Saint Mark Parish Halls", State: "OH", ZIP: "44301"}, found(Fuzzy, 70000002)},
		"a museum is not its staff":        {Recipient{Name1: "Zeppelin Heritage Museum", Street: "20 Hangar Way", State: "OH", ZIP: "44303"}, Match{}},
		"a school is not its foundation":   {Recipient{Name1: "Hartwell Pottery School", Street: "21 Kiln Way", State: "OH", ZIP: "44303"}, Match{}},
		"nor are its alumni":               {Recipient{Name1: "Hartwell Pottery School Alumni", Street: "21 Kiln Way", State: "OH", ZIP: "44303"}, Match{}},
		"nor are its parents":              {Recipient{Name1: "Hartwell Pottery School PTO", Street: "21 Kiln Way", State: "OH", ZIP: "44303"}, Match{}},
		"a name cut before its last word":  {Recipient{Name1: "Committee for Fair Lanterns Under", Street: "22 Torch Way", State: "OH", ZIP: "44303"}, found(Address, 70000006)},
		"a name cut within a word":         {Recipient{Name1: "Hartwell River Conservation Found", Street: "23 Bank Way", State: "OH", ZIP: "44303"}, found(Address, 70000007)},
		"cut before its alumni":            {Recipient{Name1: "Hartwell School of Glassblow", Street: "24 Bank Way", State: "OH", ZIP: "44303"}, Match{}},
		"not cut, but another body":        {Recipient{Name1: "Hartwell River Conservation", Street: "23 Bank Way", State: "OH", ZIP: "44303"}, Match{}},
		"a project and its sponsor":        {Recipient{Name1: "Night Bakery, a project of Elm Commons Center", State: "OH", ZIP: "45801"}, found(Name, 70000011)},
		"a sponsor of another state":       {Recipient{Name1: "Night Bakery (a project of Plaza Settlement Partners)", State: "OH", ZIP: "45801"}, found(Name, 70000013)},
		"a beneficiary is not paid":        {Recipient{Name1: "Night Bakery Bank FBO Elm Commons Center", State: "OH"}, Match{}},
		"who holds money for somebody is":  {Recipient{Name1: "Elm Commons Center FBO Night Bakery", State: "OH"}, found(Name, 70000011)},
		"in care of one in its ZIP":        {Recipient{Name1: "Night Bakery c/o Elm Commons Center", State: "OH", ZIP: "44307"}, found(Name, 70000011)},
		"in care of one elsewhere":         {Recipient{Name1: "Night Bakery c/o Elm Commons Center", State: "OH", ZIP: "45801"}, Match{}},
		"in care of a private foundation":  {Recipient{Name1: "Night Bakery c/o Elm Family Foundation", State: "OH", ZIP: "44307"}, Match{}},
		"in care of, but known by its own": {Recipient{Name1: "Waverly Observatory c/o Elm Commons Center", State: "OH", ZIP: "44307"}, found(Name, 70000003)},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got != c.want {
			t.Errorf("%s: %v %s, want %v %s", name, got.EIN, got.Rule, c.want.EIN, c.want.Rule)
		}
	}
}

// TestChaptersByStatement gives what chapters are called to their central
// organization only where that is, or where a filer has said so.
func TestChaptersByStatement(t *testing.T) {
	t.Parallel()
	const center, chapter = ein.EIN(70000008), ein.EIN(70000009)
	silent := New(ruleUniverse(nil), Options{})
	said := New(ruleUniverse(func(b *UniverseBuilder) {
		b.AddFiled(FiledRecipient{center, orgname.Key("QUILL LEAGUE"), "QUILL LEAGUE", Location{State: "OH"}}, 80000001)
	}), Options{})
	for _, c := range []struct {
		zip          string
		silent, said Match
	}{
		{"44304", found(Name, center), found(Name, center)},
		{"44305", found(ZIP, chapter), found(ZIP, chapter)},
		{"44399", Match{}, found(Name, center)},
	} {
		line := Recipient{Name1: "Quill League", State: "OH", ZIP: c.zip}
		n := parse(&line)
		if got := silent.Resolve(&line, n); got != c.silent {
			t.Errorf("%s, nobody said: %v %s", c.zip, got.EIN, got.Rule)
		}
		if got := said.Resolve(&line, n); got != c.said {
			t.Errorf("%s, somebody said: %v %s", c.zip, got.EIN, got.Rule)
		}
	}
}

func TestFiledConflict(t *testing.T) {
	t.Parallel()
	r := New(ruleUniverse(func(b *UniverseBuilder) {
		for f := range ein.EIN(filedFunders) {
			b.AddFiled(FiledRecipient{70000003, orgname.Key("STAR PORCH"), "STAR PORCH", Location{State: "OH"}}, 80000001+f)
		}
	}), Options{})
	for _, c := range []struct {
		name  string
		filed ein.EIN
		want  grant.Conflict
	}{
		{"QUILL LEAGUE", 70000008, grant.NoConflict},
		{"SCRIBES OF XENIA", 70000008, grant.GroupConflict},
		{"SCRIBES OF XENIA", scribes, grant.NoConflict},
		{"ELM CITY LYCEUM", 70000015, grant.NoConflict}, // the trustees are the lyceum
		{"NIGHT BAKERY", 70000008, grant.NameConflict},
		{"SAINT ANN HIGH SCHOOL", 70000005, grant.NameConflict}, // only common words agree
		{"HARTWELL HIGH SCHOOL", 70000005, grant.NoConflict},
		{"STAR PORCH", 70000003, grant.NoConflict}, // several funders say so
		{"STAR PORCH", 70000004, grant.NameConflict},
	} {
		line := Recipient{Name1: c.name, State: "OH", Filed: c.filed}
		n := parse(&line)
		if got := r.FiledConflict(&line, n); got != c.want {
			t.Errorf("%q for %s: %q, want %q", c.name, c.filed, got, c.want)
		}
		if got := r.Resolve(&line, n); got != found(Filed, c.filed) {
			t.Errorf("%q for %s is %v by %s", c.name, c.filed, got.EIN, got.Rule)
		}
	}
}
