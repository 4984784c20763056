package resolve

import (
	"cmp"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// Invented relatives, neighbors, and organizations whose names lines shorten.
const (
	lanternAmerica = ein.EIN(70200001)
	quillMemorial  = ein.EIN(70200002)
	marmotGroup    = ein.EIN(70200003)
	budgetCenter   = ein.EIN(70200004)
	trusteesOf     = ein.EIN(70200005)
	stateU         = ein.EIN(70200006)
	stateUFund     = ein.EIN(70200007)
	zephyr         = ein.EIN(70200008)
	collegesOf     = ein.EIN(70200009)
	plainsU        = ein.EIN(70200010)
	councils       = ein.EIN(70200011)
	observers      = ein.EIN(70200012)
	votersLeague   = ein.EIN(70200013)
	treatyInc      = ein.EIN(70200014)
	emblemsHolding = ein.EIN(70200015)
	clubFund       = ein.EIN(70200016)
	stockroom      = ein.EIN(70200017)
)

func relatives() *Universe {
	b := NewUniverse()
	for _, o := range []Org{
		{EIN: lanternAmerica, Name: "LANTERN FOR AMERICA INC", Street: "25 BRIDGE ST", City: "TOLEDO", State: "OH", ZIP5: "43601"},
		{EIN: quillMemorial, Name: "QUILLFEATHER MEMORIAL INSTITUTE", Street: "505 PRINCE AVE", City: "LIMA", State: "OH", ZIP5: "45801"},
		{EIN: marmotGroup, Name: "ASSOCIATION FOR THE ADVANCEMENT OF MARMOTS-GROUP", Street: "48 BURROW RD", City: "LIMA", State: "OH", ZIP5: "45801"},
		{EIN: budgetCenter, Name: "CENTER ON MARMALADE AND POLICY PRIORITIES", Street: "12 FIRST ST", City: "LIMA", State: "OH", ZIP5: "45804"},
		{EIN: trusteesOf, Name: "THE BOARD OF TRUSTEES OF THE OTTOLINE GANDER JUNIOR UNIVERSITY", Street: "3 PALM DR", City: "OXFORD", State: "OH", ZIP5: "45056"},
		{EIN: stateU, Name: "UNIVERSITY OF OHIO VALLEY", Street: "1 QUAD", City: "ATHENS", State: "OH", ZIP5: "45701"},
		{EIN: stateUFund, Name: "UNIVERSITY OF OHIO FOUNDATION", Street: "2 ALUMNI PL", City: "AKRON", State: "OH", ZIP5: "44301"},
		{EIN: zephyr, Name: "ZEPHYRIA FOUNDATION INC", Street: "9 HILL ST", City: "TOLEDO", State: "OH", ZIP5: "43604"},
		{EIN: collegesOf, Name: "ASSOCIATION OF AMERICAN HEDGEROW COLLEGES", Street: "655 K ST", City: "DAYTON", State: "OH", ZIP5: "45402"},
		{EIN: plainsU, Name: "WESTERN UNIVERSITY OF HEALTH SCIENCES", Street: "3 SECOND ST", City: "DAYTON", State: "OH", ZIP5: "45403"},
		{EIN: councils, Name: "NATIONAL ALLIANCE OF COMMUNITY HEDGEROW DEVELOPMENT ASSOCIATIONS", Street: "7 ELM ST", City: "AKRON", State: "OH", ZIP5: "44302"},
		{EIN: observers, Name: "OBSERVATORY OF THE QUERULOUS COMMISSION ON SWIFTS", Street: "8 ELM ST", City: "AKRON", State: "OH", ZIP5: "44303"},
		{EIN: votersLeague, Name: "LEAGUE OF QUIZZICAL VOTERS", Street: "30 ELM ST", City: "LIMA", State: "OH", ZIP5: "45806"},
		{EIN: treatyInc, Name: "TREATYFARE INC", Street: "31 ELM ST", City: "LIMA", State: "OH", ZIP5: "45806"},
		{EIN: emblemsHolding, Name: "SIGNALMARK CHARITABLE CORPORATION", Street: "32 ELM ST", City: "LIMA", State: "OH", ZIP5: "45806", Foundation: "21"},
		{EIN: clubFund, Name: "PERIWINKLE LIONS CLUB FOUNDATION", Street: "33 ELM ST", City: "LIMA", State: "OH", ZIP5: "45807"},
		{EIN: stockroom, Name: "MARZIPANTRY SERVICES INC", Street: "34 ELM ST", City: "LIMA", State: "OH", ZIP5: "45807"},
	} {
		o.Sources, o.Active, o.Foundation, o.Subsection = BMF, true, cmp.Or(o.Foundation, "15"), "03"
		b.Add(o)
	}
	for i := range 3000 { // a register of some size, so that rare words are rare
		o := invent(i)
		o.State = []string{"OH", "KY"}[i%2]
		b.Add(o)
	}
	spelling := "GANDER UNIVERSITY BOARD OF TRUSTEES OF THE OTTOLINE GANDER JUNIOR UNIV"
	b.AddFiled(FiledRecipient{trusteesOf, orgname.Key(spelling), spelling, Location{City: "OXFORD", State: "OH"}}, 80100001)
	return b.Build()
}

// TestRelatives asks for lines that name somebody else than the organization at their address or of nearly their name,
// and for lines that name it in a form of their own.
func TestRelatives(t *testing.T) {
	t.Parallel()
	r := New(relatives(), Options{Model: Prior()})
	for name, c := range map[string]struct {
		line Recipient
		want ein.EIN
	}{
		"a neighbor with another word":            {Recipient{Name1: "LANTERN FOR ALL", Street: "25 BRIDGE STREET", City: "TOLEDO", State: "OH", ZIP: "43601"}, ein.None},
		"a relative with another word":            {Recipient{Name1: "Quillfeather Education", Street: "505 Prince Ave", City: "LIMA", State: "OH", ZIP: "45801"}, ein.None},
		"itself, with words of its own":           {Recipient{Name1: "Quillfeather Memorial Inst", Street: "505 Prince Ave", City: "LIMA", State: "OH", ZIP: "45801"}, quillMemorial},
		"not the group return":                    {Recipient{Name1: "ASSOCIATION FOR THE ADVANCEMENT OF MARMOTS", Street: "48 BURROW RD", City: "LIMA", State: "OH", ZIP: "45801"}, ein.None},
		"the fund of a league, at its address":    {Recipient{Name1: "LEAGUE OF QUIZZICAL VOTERS EDUCATION FUND", Street: "30 ELM ST", City: "LIMA", State: "OH", ZIP: "45806"}, ein.None},
		"the same fund, cut off":                  {Recipient{Name1: "LEAGUE OF QUIZZICAL VOTERS EDUCATION FU", Street: "30 ELM ST", City: "LIMA", State: "OH", ZIP: "45806"}, ein.None},
		"the institute of a company":              {Recipient{Name1: "TREATYFARE INSTITUTE INC", Street: "PO BOX 3", City: "LIMA", State: "OH", ZIP: "45806"}, ein.None},
		"the foundation of a group":               {Recipient{Name1: "ZEPHYRIA GROUP FOUNDATION", Street: "PO BOX 4", City: "TOLEDO", State: "OH", ZIP: "43604"}, ein.None},
		"not the company that supports it":        {Recipient{Name1: "THE SIGNALMARK", Street: "32 ELM ST", City: "LIMA", State: "OH", ZIP: "45806"}, ein.None},
		"the foundation of a club":                {Recipient{Name1: "PERIWINKLE LIONS CLUB", Street: "PO BOX 5", City: "LIMA", State: "OH", ZIP: "45807"}, ein.None},
		"a short name in another state":           {Recipient{Name1: "MARZIPANTRY INC", Street: "PO BOX 6", City: "BOISE", State: "ID", ZIP: "83702"}, ein.None},
		"a short name at its address":             {Recipient{Name1: "MARZIPANTRY INC", Street: "34 ELM ST", City: "LIMA", State: "OH", ZIP: "45807"}, stockroom},
		"the company, by its name":                {Recipient{Name1: "SIGNALMARK CHARITABLE CORP", Street: "32 ELM ST", City: "LIMA", State: "OH", ZIP: "45806"}, emblemsHolding},
		"one rare word in another town":           {Recipient{Name1: "ZEPHYRIA MEDLEY FOUNDATION", Street: "1 OAK ST", City: "AKRON", State: "OH", ZIP: "44305"}, ein.None},
		"words shortened at the address":          {Recipient{Name1: "Center on Marmalade & Pol Priorities", Street: "12 First Street", City: "LIMA", State: "OH", ZIP: "45804"}, budgetCenter},
		"several words shortened":                 {Recipient{Name1: "Association of Am Hedgerow Cols", Street: "655 K ST", City: "DAYTON", State: "OH", ZIP: "45402"}, collegesOf},
		"a part of a university, not its fund":    {Recipient{Name1: "Ohio U of Sch of Nurs", Street: "5 QUAD", City: "AKRON", State: "OH", ZIP: "44301"}, ein.None},
		"a university under its place":            {Recipient{Name1: "Ohio Valley U of", Street: "5 QUAD", City: "ATHENS", State: "OH", ZIP: "45701"}, stateU},
		"a university of health sciences":         {Recipient{Name1: "Western U of Hlt Sciences", City: "DAYTON", State: "OH", ZIP: "45403"}, plainsU},
		"cut off where filers wrote it in full":   {Recipient{Name1: "GANDER UNIVERSITY BOARD OF TRUSTEES OF THE OTTOLI", City: "OXFORD", State: "OH", ZIP: "45056"}, trusteesOf},
		"cut off within a word":                   {Recipient{Name1: "NATIONAL ALLIANCE OF COMMUNITY HEDGEROW DEVELOPME", Street: "PO BOX 9", City: "LIMA", State: "OH"}, councils},
		"cut off where it looks like a long form": {Recipient{Name1: "OBSERVATORY OF THE QUERULOUS COMM", Street: "PO BOX 9", City: "AKRON", State: "OH"}, observers},
		"a short name is not cut off":             {Recipient{Name1: "OBSERVATORY OF QUERULOUS", Street: "PO BOX 9", City: "LIMA", State: "OH"}, ein.None},
		"city and ZIP outvote the state":          {Recipient{Name1: "ZEPHYRIA FOUNDATION", City: "TOLEDO", State: "OK", ZIP: "43604"}, zephyr},
		"another town and ZIP do not":             {Recipient{Name1: "ZEPHYRIA FOUNDATION", City: "TULSA", State: "OK", ZIP: "43604"}, ein.None},
	} {
		if got := r.Resolve(&c.line, parse(&c.line)); got.EIN != c.want {
			t.Errorf("%s: %v %s %.3f, want %v", name, got.EIN, got.Rule, got.Prob, c.want)
		}
	}
}
