package resolve

import (
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// The casebook: the kinds of line that are known to go wrong, each with what is
// done about it. A case that is left unresolved on purpose says so; that is
// better than the wrong organization.

const (
	national = ein.EIN(70100001) // headquarters in the capital, paid everywhere
	diocese  = ein.EIN(70155502)
	parish   = ein.EIN(70100003)
	renamed  = ein.EIN(70100004)
	clubOf   = ein.EIN(70100005) // an alumni club that bears its university's name
	fundOf   = ein.EIN(70100006)
	state    = ein.EIN(130100007) // a public university, on no list
	second   = ein.EIN(130100008) // its second EIN
	agency   = ein.EIN(70100009)
	sponsor  = ein.EIN(70100010)
	maker    = ein.EIN(70100011) // the foundation of a company
	bank     = ein.EIN(70100012)
	union    = ein.EIN(70100013)
	typos    = ein.EIN(70100014)
	institut = ein.EIN(70100015)

	christians = ein.EIN(70100016)
	trustees   = ein.EIN(70100017)
	girls      = ein.EIN(70100018)
	veterans   = ein.EIN(70100090)
	post       = ein.EIN(70100091)
)

func casebook() *Universe {
	b := NewUniverse()
	for _, o := range []Org{
		{EIN: national, Name: "NATIONAL LEAGUE FOR HEDGEHOGS INC", Street: "1 CAPITAL AVE", City: "WASHINGTON", State: "DC", ZIP5: "20001", Revenue: 40_000_000},
		{EIN: diocese, Name: "CATHOLIC DIOCESE OF EXAMPLE", Street: "2 BISHOP ST", City: "DAYTON", State: "OH", ZIP5: "45402"},
		{EIN: parish, Name: "SAINT ODO PARISH", Street: "3 CHAPEL RD", City: "DAYTON", State: "OH", ZIP5: "45403"},
		{EIN: renamed, Name: "BRIGHT HARBOR ALLIANCE", Aliases: []string{"OLD MILL SETTLEMENT HOUSE"}, Street: "4 MILL LN", City: "AKRON", State: "OH", ZIP5: "44301"},
		{EIN: clubOf, Name: "GREAT PLAINS UNIVERSITY ALUMNI CLUB", Aliases: []string{"GREAT PLAINS UNIVERSITY"}, Street: "5 QUAD", City: "NORMAN", State: "OK", ZIP5: "73019"},
		{EIN: fundOf, Name: "GREAT PLAINS UNIVERSITY FOUNDATION", Street: "6 QUAD", City: "NORMAN", State: "OK", ZIP5: "73019"},
		{EIN: agency, Name: "UNITED STATES FENCING SOCIETY", Street: "7 FOIL ST", City: "AKRON", State: "OH", ZIP5: "44302"},
		{EIN: sponsor, Name: "CEDAR GIFT FUND", Street: "8 ELM ST", City: "AKRON", State: "OH", ZIP5: "44303"},
		{EIN: maker, Name: "ACME WIDGET FOUNDATION", Street: "9 FACTORY RD", City: "TOLEDO", State: "OH", ZIP5: "43601"},
		{EIN: bank, Name: "KESTREL SCHOLARSHIP TRUST", Street: "10 BANK PLZ", City: "TOLEDO", State: "OH", ZIP5: "43602"},
		{EIN: union, Name: "UNITED COOPERAGE WORKERS LOCAL 12", Street: "11 STAVE ST", City: "TOLEDO", State: "OH", ZIP5: "43603"},
		{EIN: typos, Name: "WOODPECKER OBSERVATORY", Street: "12 OAK ST", City: "LIMA", State: "OH", ZIP5: "45801"},
		{EIN: institut, Name: "OHIO INSTITUTE OF GLASSBLOWING", Street: "13 KILN ST", City: "LIMA", State: "OH", ZIP5: "45801"},
		{EIN: christians, Name: "YOUNG MENS CHRISTIAN ASSOCIATION OF TINKER VALLEY", Street: "14 POOL ST", City: "XENIA", State: "OH", ZIP5: "45385"},
		{EIN: trustees, Name: "TRUSTEES OF LARKSPUR COLLEGE", Street: "15 QUAD", City: "XENIA", State: "OH", ZIP5: "45385"},
		{EIN: girls, Name: "BOYS & GIRLS CLUB OF TINKER COUNTY OHIO", Street: "16 BAT ST", City: "XENIA", State: "OH", ZIP5: "45385"},
		{EIN: veterans, Name: "HEDGEHOG VETERANS", Street: "1 HALL ST", City: "AKRON", State: "OH", ZIP5: "44301", Group: "9801", Affiliation: "6"},
		{EIN: post, Name: "HEDGEHOG VETERANS", SortName: "19 ELM MEMORIAL", Street: "17 POST RD", City: "XENIA", State: "OH", ZIP5: "45385",
			Group: "9801", Affiliation: "9"},
	} {
		o.Sources, o.Active, o.Foundation, o.Subsection = BMF, true, "15", "03"
		b.Add(o)
	}
	// A register of some size, so that rare words are rare.
	for i := range 2000 {
		o := invent(i)
		o.State = []string{"OH", "OK", "DC", "PA"}[i%4]
		b.Add(o)
	}
	file := func(name, state string, filed ein.EIN, funders ...ein.EIN) {
		for _, f := range funders {
			b.AddFiled(FiledRecipient{filed, orgname.Key(name), name, Location{State: state}}, 80100000+f)
		}
	}
	file("NATIONAL LEAGUE FOR HEDGEHOGS", "NY", national, 1, 2, 3)
	file("NATIONAL LEAGUE FOR HEDGEHOGS", "CA", national, 4, 5)
	file("NATIONAL LEAGUE FOR HEDGEHOGS", "TX", national, 6)
	file("GREAT PLAINS UNIVERSITY", "OK", state, 1, 2, 3, 4, 5)
	file("GREAT PLAINS UNIVERSITY HEALTH SCIENCES CENTER", "OK", second, 1, 2, 3)
	return b.Build()
}

func TestCasebook(t *testing.T) {
	t.Parallel()
	r := New(casebook(), Options{Model: Prior()})
	for name, c := range map[string]struct {
		line Recipient
		want ein.EIN
		rule Rule
	}{
		"a national body paid at a lockbox: what other filers meant decides": {
			Recipient{Name1: "National League for Hedgehogs", Street: "PO BOX 77", City: "BOSTON", State: "MA", ZIP: "02241"}, national, RegistryDominant},
		"a public university is known from filed EINs, and not its club": {
			Recipient{Name1: "GREAT PLAINS UNIVERSITY", City: "NORMAN", State: "OK", ZIP: "73019"}, state, Name},
		"its second EIN goes by its own name": {
			Recipient{Name1: "GREAT PLAINS UNIVERSITY HEALTH SCIENCES CENTER", City: "NORMAN", State: "OK"}, second, Name},
		"its foundation is its foundation": {
			Recipient{Name1: "GREAT PLAINS UNIV FDN", State: "OK"}, fundOf, Name},
		"a parish is itself though filers may give the diocese's EIN": {
			Recipient{Name1: "ST ODO PARISH", City: "DAYTON", State: "OH", ZIP: "45403"}, parish, Name},
		"a body renamed is found by its old name": {
			Recipient{Name1: "OLD MILL SETTLEMENT HOUSE", City: "AKRON", State: "OH"}, renamed, Name},
		"US and UNITED STATES are one": {
			Recipient{Name1: "U.S. FENCING SOCIETY", City: "AKRON", State: "OH"}, agency, Name},
		"a wrong letter in every word leaves the model that ships in doubt": {
			Recipient{Name1: "WOODPEKER OBSERVATROY", Street: "12 OAK STREET", City: "LIMA", State: "OH", ZIP: "45801"}, ein.None, None},
		"institute and institution are one": {
			Recipient{Name1: "OHIO INSTITUTION OF GLASSBLOWING", City: "COLUMBUS", State: "OH"}, institut, Name},
		"a YMCA is hardly ever written out but in the register": {
			Recipient{Name1: "YMCA of Tinker Valley", City: "XENIA", State: "OH"}, christians, Name},
		"the trustees of a college are the college": {
			Recipient{Name1: "Larkspur College", City: "XENIA", State: "OH"}, trustees, Name},
		"a county with its state is the county": {
			Recipient{Name1: "B&GC OF TINKER COUNTY", Street: "16 BAT ST", City: "XENIA", State: "OH", ZIP: "45385"}, girls, Address},
		"an account of a donor-advised fund is its sponsor's only by name": {
			Recipient{Name1: "THE ZWINGLI FAMILY ACCOUNT AT CEDAR", City: "CLEVELAND", State: "OH", ZIP: "44101"}, ein.None, None},
		"a company is not its foundation": {
			Recipient{Name1: "ACME WIDGET COMPANY", City: "COLUMBUS", State: "OH", ZIP: "43085"}, ein.None, None},
		"the name of a group is the member in the town only with doubt": {
			Recipient{Name1: "HEDGEHOG VETERANS", Street: "2 MAIN ST", City: "XENIA", State: "OH", ZIP: "45385"}, post, Model},
		"a member of a group is itself by its number": {
			Recipient{Name1: "HEDGEHOG VETERANS 19", City: "XENIA", State: "OH", ZIP: "45385"}, post, Name},
		"a line in care of a bank is not whoever has the bank's address": {
			Recipient{Name1: "VICTOR ZWINGLI", Street: "C/O KESTREL BANK 10 BANK PLZ", City: "TOLEDO", State: "OH", ZIP: "43602"}, ein.None, None},
		"a local is not another local": {
			Recipient{Name1: "UNITED COOPERAGE WORKERS LOCAL 21", Street: "11 STAVE ST", City: "TOLEDO", State: "OH", ZIP: "43603"}, ein.None, None},
		"an address that is no address says nothing": {
			Recipient{Name1: "ZWINGLI SOCIETY", Street: "AVAILABLE UPON REQUEST", City: "TOLEDO", State: "OH"}, ein.None, None},
	} {
		got := r.Resolve(&c.line, parse(&c.line))
		if got.EIN != c.want || got.Rule != c.rule {
			t.Errorf("%s: %v by %q (%.3f), want %v by %q", name, got.EIN, got.Rule, got.Prob, c.want, c.rule)
		}
	}
}

// TestCasebookParentEIN keeps what was filed: a filer that gives the diocese's
// EIN for a parish may mean just that, and the line is counted as a conflict.
func TestCasebookParentEIN(t *testing.T) {
	t.Parallel()
	r := New(casebook(), Options{Model: Prior()})
	line := Recipient{Name1: "ST ODO PARISH", City: "DAYTON", State: "OH", ZIP: "45403", Filed: diocese}
	n := parse(&line)
	if got := r.Resolve(&line, n); got.EIN != diocese || got.Rule != Filed {
		t.Errorf("%v by %s", got.EIN, got.Rule)
	}
	if !r.FiledNameConflict(&line, n) {
		t.Error("the conflict is not seen")
	}
}

// TestHistory asks for a line that two organizations could be meant by. Its
// funder has paid one of them before, under its full name.
func TestHistory(t *testing.T) {
	t.Parallel()
	b := NewUniverse()
	for i, o := range []Org{
		{Name: "FRIENDS OF HARLOW MARSH CONSERVANCY", Street: "1 REED ST", City: "AKRON", State: "OH", ZIP5: "44301"},
		{Name: "HARLOW MARSH CONSERVANCY OF SUMMIT", Street: "2 REED ST", City: "AKRON", State: "OH", ZIP5: "44301"},
	} {
		o.EIN, o.Sources, o.Active, o.Foundation, o.Subsection = ein.EIN(70200001+i), BMF, true, "15", "03"
		b.Add(o)
	}
	for i := range 2000 {
		o := invent(i)
		o.State = []string{"OH", "OK", "DC", "PA"}[i%4]
		b.Add(o)
	}
	u := b.Build()
	const loyal, other = ein.EIN(80200001), ein.EIN(80200002)
	paid := Recipient{Name1: "Friends of Harlow Marsh Conservancy", City: "AKRON", State: "OH"}
	plain := New(u, Options{Model: Prior()})
	first := plain.Named(&paid, parse(&paid))
	if first != 70200001 {
		t.Fatalf("the name leads to %v", first)
	}
	r := New(u, Options{Model: Prior(), History: NewHistory([]Payment{{loyal, first}, {loyal, first}, {other, 340000005}})})

	score := func(funder ein.EIN) float64 {
		line := Recipient{Name1: "Friends Harlow Marsh Consrvncy", City: "AKRON", State: "OH", ZIP: "44301"}
		q := &query{t: &line, n: parse(&line), funder: funder}
		q.prepare()
		s := u.searches.get()
		defer u.searches.pool.Put(s)
		r.candidates(q, s, nil)
		r.measure(q, s, nil)
		for i := range s.found {
			if u.orgs[u.index.orgOf(s.found[i].name)].EIN == first {
				return s.rows[i][fHistory]
			}
		}
		t.Fatal("it is no candidate")
		return 0
	}
	if with, without := score(loyal), score(other); with <= 0 || without != 0 {
		t.Errorf("the funder that has paid it counts %v, another %v", with, without)
	}
	line := Recipient{Name1: "Friends Harlow Marsh Consrvncy", City: "AKRON", State: "OH", ZIP: "44301"}
	n := parse(&line)
	if !r.mayMeanPaid(n, loyal) || r.mayMeanPaid(n, other) || r.mayMeanPaid(n, 80200003) {
		t.Error("what the funders have paid is not told apart")
	}
	if m := r.Resolve(&line, n); r.ForFunder(&line, n, m, other, "") != m {
		t.Error("a history that has nothing to do with the line changes its answer")
	}
	if m := plain.Resolve(&line, n); plain.HistoryMayChange(m) {
		t.Error("without a history nothing is open")
	}
}
