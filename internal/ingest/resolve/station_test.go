package resolve

import (
	"cmp"
	"testing"

	"grantgraph/internal/ein"
)

func TestStationOf(t *testing.T) {
	t.Parallel()
	orgs := make([]Org, 0, 420)
	for i := range 400 {
		orgs = append(orgs, invent(i))
	}
	for i := range 20 { // a word that many names have
		orgs = append(orgs, Org{EIN: ein.EIN(70000001 + i), Name: coin(i) + " KIDS", State: "OH", Sources: BMF, Active: true})
	}
	d := &build(orgs...).index
	for k2, want := range map[string]station{
		"WQZX": byCallLetters, "KQZX": byCallLetters, "WQZX FM": byCallLetters, "WQZX PUBLIC RADIO": byCallLetters, "KQZ TV": byCallLetters,
		"WQZX DEPARTMENT 39": byCallLetters, "OHIO NETWORK": byState, "OHIO PUBLIC TELEVISION": byState, "OHIO PBS": byState,
		"KQZ": noStation, "XQZX": noStation, "WQZXY": noStation, "WQ3X": noStation, "WQZX HOUSE": noStation, "KIDS 39": noStation, "KIDS": noStation,
		"OHIO": noStation, "INDIANA NETWORK": noStation, "OHIO FOOD NETWORK": noStation, "": noStation,
	} {
		if got := d.stationOf(k2, codeOf("OH")); got != want {
			t.Errorf("%q is read as %d, want %d", k2, got, want)
		}
	}
}

// TestStationByKind asks for stations by their call letters, at addresses where
// others are, too.
func TestStationByKind(t *testing.T) {
	t.Parallel()
	const media, school, church, friends, far = ein.EIN(70300001), ein.EIN(70300002), ein.EIN(70300003), ein.EIN(70300004), ein.EIN(70300005)
	const alone, board = ein.EIN(70300006), ein.EIN(70300010)
	orgs := []Org{
		{EIN: media, Name: "LANTERN VALLEY BROADCASTING INC", Street: "5 MAST RD", City: "LIMA", ZIP5: "45801"},
		{EIN: church, Name: "GRACE CHAPEL OF LIMA", Street: "5 MAST RD", City: "LIMA", ZIP5: "45801"},
		{EIN: school, Name: "HARBOR COLLEGE", Street: "9 QUAD ST", City: "XENIA", ZIP5: "45385"},
		{EIN: friends, Name: "FRIENDS OF HARBOR RADIO", Street: "9 QUAD ST", City: "XENIA", ZIP5: "45385"},
		{EIN: alone, Name: "GANNET UNIVERSITY", Street: "1 NEST RD", City: "NILES", ZIP5: "44446", Foundation: "11"},
		{EIN: 70300007, Name: "PUFFIN CLUB AT GANNET UNIVERSITY", Street: "2 NEST RD", City: "NILES", ZIP5: "44446"},
		{EIN: 70300008, Name: "PETREL COLLEGE", Street: "1 CLIFF RD", City: "BEREA", ZIP5: "44017", Foundation: "11"},
		{EIN: 70300009, Name: "FULMAR COLLEGE", Street: "2 CLIFF RD", City: "BEREA", ZIP5: "44017", Foundation: "11"},
		{EIN: board, Name: "KITTIWAKE SCHOOL BOARD INC", Street: "PO BOX 8", City: "ATHENS", ZIP5: "45701"},
		{EIN: far, Name: "MILL CREEK HOLDINGS", SortName: "KQYX RADIO", Street: "1 POND RD", City: "TROY", ZIP5: "45373"},
	}
	for i := range orgs {
		orgs[i].State, orgs[i].Sources, orgs[i].Active, orgs[i].Subsection, orgs[i].Foundation = "OH", BMF, true, "03", cmp.Or(orgs[i].Foundation, "15")
	}
	for i := range 400 {
		orgs = append(orgs, invent(i))
	}
	r := New(build(orgs...), Options{Model: Prior()})
	for name, c := range map[string]struct {
		line Recipient
		want ein.EIN
	}{
		"a broadcaster at the address":   {Recipient{Name1: "WQZX", Street: "5 MAST ROAD", City: "LIMA", ZIP: "45801"}, media},
		"with what it is":                {Recipient{Name1: "WQZX-FM", Street: "5 MAST ROAD", City: "LIMA", ZIP: "45801"}, media},
		"a college at the address":       {Recipient{Name1: "KQZX", Street: "9 QUAD STREET", City: "XENIA", ZIP: "45385"}, school},
		"a college elsewhere in town":    {Recipient{Name1: "KQZX", Street: "77 ELM STREET", City: "XENIA", ZIP: "45385"}, ein.None},
		"the only college of its ZIP":    {Recipient{Name1: "KQZX", Street: "PO BOX 4", City: "NILES", ZIP: "44446"}, alone},
		"one of two colleges":            {Recipient{Name1: "KQZX", Street: "PO BOX 4", City: "BEREA", ZIP: "44017"}, ein.None},
		"a school board at the address":  {Recipient{Name1: "KQZX", Street: "PO BOX 8", City: "ATHENS", ZIP: "45701"}, board},
		"not call letters":               {Recipient{Name1: "VQZX", Street: "5 MAST ROAD", City: "LIMA", ZIP: "45801"}, ein.None},
		"registered under another name":  {Recipient{Name1: "KQYX", Street: "PO BOX 3", City: "DAYTON", ZIP: "45402"}, far},
		"somewhere without broadcasters": {Recipient{Name1: "WQZX", Street: "1 POND RD", City: "TROY", ZIP: "45373"}, ein.None},
	} {
		c.line.State = "OH"
		if m := r.ResolveBlind(&c.line, parse(&c.line), funder, ein.None); m.EIN != c.want {
			t.Errorf("%s: %s by %s (%.3f), want %s", name, m.EIN, m.Rule, m.Prob, c.want)
		}
	}
}
