package family

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

func rows(f *Families) map[string]snapshot.OrgFamily {
	m := make(map[string]snapshot.OrgFamily)
	for r := range f.Rows() {
		m[r.EIN] = r
	}
	return m
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	var b Builder
	for _, o := range []Org{
		{EIN: 70000001, Name: "OAK HOSPITAL", Revenue: 900, Street: "1 ELM ST", ZIP5: "43215", Active: true},
		{EIN: 70000002, Name: "OAK HOSPITAL FOUNDATION INC", Revenue: 100, Street: "1 Elm Street, Suite 3", ZIP5: "43215", Active: true},
		{EIN: 70000003, Name: "OAK REALTY", Revenue: -50, Street: "9 ASH RD", ZIP5: "10001", Active: true},
		{EIN: 70000004, Name: "LARCH CLINIC", Revenue: 40, Active: true},
		{EIN: 70000005, Name: "PINE SOCIETY CHAPTER ONE", Group: "4321"},
		{EIN: 70000006, Name: "PINE SOCIETY CHAPTER TWO", Group: "4321", Revenue: 7},
		{EIN: 70000007, Name: "ALONE", Group: "0000"},
		{EIN: 70000008, Name: "ALONE TOO", Group: "0000"},
		{EIN: 70000009, Name: "OAK HOSPITAL AUXILIARY", Street: "1 ELM ST", ZIP5: "43215", Active: false},
		{EIN: 70000010, Name: "FRIENDS", Street: "1 ELM ST", ZIP5: "43215", Active: true},
		{EIN: 70000011, Name: "GUILD", Street: "1 ELM ST", ZIP5: "43215", Active: true},
	} {
		b.Add(&o)
	}
	b.Relate("x1", 70000001, 70000003, false)
	b.Relate("x1", 70000001, 70000001, false)
	b.Relate("x1", 70000001, ein.None, false)
	// A subsidiary in no list ties its two owners together.
	b.Relate("x1", 70000003, 990000099, false)
	b.Relate("x2", 70000004, 990000099, false)
	f := b.Build()
	got := rows(f)
	oak := snapshot.OrgFamily{FamilyID: "fam-070000001", FamilySize: 4, CombinedRevenue: 1040, FamilyName: "OAK HOSPITAL"}
	pine := snapshot.OrgFamily{FamilyID: "fam-070000005", FamilySize: 2, CombinedRevenue: 7, FamilyName: "PINE SOCIETY CHAPTER"}
	for e, want := range map[string]snapshot.OrgFamily{
		"070000001": oak, "070000002": oak, "070000003": oak, "070000004": oak,
		"070000005": pine, "070000006": pine,
		"070000007": {FamilyID: "fam-070000007", FamilySize: 1, FamilyName: "ALONE"},
		"070000008": {FamilyID: "fam-070000008", FamilySize: 1, FamilyName: "ALONE TOO"},
		"070000009": {FamilyID: "fam-070000009", FamilySize: 1, FamilyName: "OAK HOSPITAL AUXILIARY"},
		"070000010": {FamilyID: "fam-070000010", FamilySize: 1, FamilyName: "FRIENDS"},
		"070000011": {FamilyID: "fam-070000011", FamilySize: 1, FamilyName: "GUILD"},
	} {
		want.EIN = e
		if got[e] != want {
			t.Errorf("%+v, want %+v", got[e], want)
		}
	}
	if len(got) != 11 {
		t.Errorf("%d rows", len(got))
	}
	if f.Head(70000003) != 70000001 || f.Head(70000005) != 70000006 || f.Head(990000099) != 990000099 || !f.Has(70000007) || f.Has(990000099) {
		t.Error("heads are wrong")
	}
}

// TestNames: a family is named after its parent, else after what most of its
// names share, else after its largest member.
func TestNames(t *testing.T) {
	t.Parallel()
	type control struct{ a, b int }
	for _, c := range []struct {
		why      string
		orgs     []Org
		controls []control
		want     string
	}{
		{"the parent of the group", []Org{{Name: "PINE SOCIETY CHAPTER ONE", Revenue: 90}, {Name: "PINE SOCIETY CHAPTER TWO"}, {Name: "GRAND PINE COUNCIL", Central: true}}, nil, "GRAND PINE COUNCIL"},
		{"two parents are none", []Org{{Name: "PINE SOCIETY", Central: true}, {Name: "THE PINE SOCIETY OF HARLOW INC"}, {Name: "GRAND PINE COUNCIL", Central: true}}, nil, "PINE SOCIETY"},
		{"who controls the others", []Org{{Name: "OAK HOSPITAL", Revenue: 90}, {Name: "OAK CLINIC"}, {Name: "TREE HEALTH SYSTEM"}}, []control{{2, 0}, {2, 1}, {0, 1}}, "TREE HEALTH SYSTEM"},
		{"nobody controls the most", []Org{{Name: "OAK HOSPITAL", Revenue: 90}, {Name: "OAK CLINIC"}, {Name: "TREE HEALTH SYSTEM"}}, []control{{2, 1}, {0, 1}}, "OAK HOSPITAL"},
		{"a stem in the middle", []Org{{Name: "HARLOW BIBLE PIONEER CHURCH", Revenue: 5}, {Name: "BIBLE PIONEER CHURCH OF ELSEWHERE"}, {Name: "NORTH BIBLE PIONEER CHURCH"}, {Name: "HOUSE OF LIGHT"}}, nil, "BIBLE PIONEER CHURCH"},
		{"as a member writes it", []Org{{Name: "Elm School Foundation", Revenue: 9}, {Name: "Elm School, Inc."}}, nil, "Elm School, Inc."},
		{"one word is not a name", []Org{{Name: "OAK HOSPITAL", Revenue: 2}, {Name: "OAK CLINIC", Revenue: 1}, {Name: "RICH CLUB", Revenue: 9}}, nil, "OAK HOSPITAL"},
		{"common words are no stem", []Org{{Name: "NEW HOPE CHURCH", Revenue: 1}, {Name: "LIVING WATER CHURCH", Revenue: 7}, {Name: "HOUSE OF LIGHT CHURCH"}}, nil, "LIVING WATER CHURCH"},
		{"nothing in common", []Org{{Name: "ASH"}, {Name: "BIRCH", Revenue: 3}}, nil, "BIRCH"},
	} {
		var b Builder
		for i := range c.orgs {
			o := c.orgs[i]
			o.EIN, o.Group = ein.EIN(70000001+i), "4321"
			b.Add(&o)
		}
		for _, k := range c.controls {
			b.Relate(fmt.Sprint(k), ein.EIN(70000001+k.a), ein.EIN(70000001+k.b), true)
		}
		for e, r := range rows(b.Build()) {
			if r.FamilyName != c.want {
				t.Errorf("%s: %s is of %q, want %q", c.why, e, r.FamilyName, c.want)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	t.Run("long lists", func(t *testing.T) {
		t.Parallel()
		var b Builder
		for i := range maxRelated + 10 {
			b.Add(&Org{EIN: ein.EIN(70000001 + i), Name: "N"})
		}
		for i := range maxRelated + 1 {
			b.Relate("x1", 70000001, ein.EIN(70000002+i), false)
		}
		for i := range maxRelated {
			b.Relate("x2", 70000002, ein.EIN(70000003+i), false)
			b.Relate("x2", 70000002, ein.EIN(70000003+i), false) // said twice
		}
		got := rows(b.Build())
		if n := got["070000001"].FamilySize; n != 1 {
			t.Errorf("a directory of related organizations made a family of %d", n)
		}
		if n := got["070000002"].FamilySize; n != maxRelated+1 {
			t.Errorf("a long list made a family of %d", n)
		}
	})
	t.Run("large groups", func(t *testing.T) {
		t.Parallel()
		var b Builder
		for i := range maxGroup {
			b.Add(&Org{EIN: ein.EIN(70000001 + i), Group: "1000"})
		}
		for i := range maxGroup + 1 {
			b.Add(&Org{EIN: ein.EIN(70001001 + i), Group: "2000"})
		}
		got := rows(b.Build())
		if got["070000001"].FamilySize != maxGroup || got["070001001"].FamilySize != 1 {
			t.Errorf("groups made families of %d and %d", got["070000001"].FamilySize, got["070001001"].FamilySize)
		}
	})
	t.Run("head offices", func(t *testing.T) {
		t.Parallel()
		var b Builder
		for i := range maxGroup + 1 {
			b.Add(&Org{EIN: ein.EIN(70000001 + i), Name: "OAK SOCIETY CHAPTER", Street: "1 ELM ST", ZIP5: "43215", Active: true})
		}
		if n := rows(b.Build())["070000001"].FamilySize; n != 1 {
			t.Errorf("chapters at one head office made a family of %d", n)
		}
	})
	t.Run("large families", func(t *testing.T) {
		t.Parallel()
		var b Builder
		for i := range 2 * (maxJoined + 1) {
			o := Org{EIN: ein.EIN(70000001 + i)}
			if i == 0 || i == maxJoined+1 {
				o.Group = "77" // would join the two, and comes after the relations
			}
			b.Add(&o)
			if half := i % (maxJoined + 1); half > 0 {
				b.Relate(fmt.Sprint(i), ein.EIN(70000001+i), ein.EIN(70000001+i-1), false)
			}
		}
		for _, r := range rows(b.Build()) {
			if r.FamilySize != maxJoined+1 {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// TestOrder: families do not depend on the order of what is added.
func TestOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var orgs []Org
	type relation struct{ a, b ein.EIN }
	var ties []relation
	for i := range 400 {
		orgs = append(orgs, Org{EIN: ein.EIN(70000001 + i), Name: fmt.Sprint("NAME ", r.IntN(40)), Street: fmt.Sprint(r.IntN(30), " ELM ST"), ZIP5: "43215",
			Active: true, Group: fmt.Sprint(r.IntN(300)), Revenue: r.Int64N(100)})
		if r.IntN(3) == 0 {
			ties = append(ties, relation{ein.EIN(70000001 + i), ein.EIN(70000001 + r.IntN(500))})
		}
	}
	var first []snapshot.OrgFamily
	for range 4 {
		r.Shuffle(len(orgs), func(i, j int) { orgs[i], orgs[j] = orgs[j], orgs[i] })
		r.Shuffle(len(ties), func(i, j int) { ties[i], ties[j] = ties[j], ties[i] })
		var b Builder
		for i := range orgs {
			b.Add(&orgs[i])
		}
		for i, x := range ties {
			b.Relate(fmt.Sprint(i), x.a, x.b, false)
		}
		got := slices.Collect(b.Build().Rows())
		if first == nil {
			first = got
		}
		if !slices.Equal(first, got) {
			t.Fatal("the order matters")
		}
		// A family is as large as it has members, and its id is its smallest EIN.
		members, smallest := map[string]int32{}, map[string]string{}
		for _, x := range got {
			if members[x.FamilyID]++; smallest[x.FamilyID] == "" {
				smallest[x.FamilyID] = x.EIN
			}
		}
		for _, x := range got {
			if members[x.FamilyID] != x.FamilySize || x.FamilyID != "fam-"+smallest[x.FamilyID] {
				t.Fatalf("%+v has %d members, the smallest %s", x, members[x.FamilyID], smallest[x.FamilyID])
			}
		}
	}
}

func TestCore(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"OAK HOSPITAL FOUNDATION, INC.": "OAKHOSPITAL", "Friends of Oak Hospital": "OAKHOSPITAL", "The Trust": "", "": "",
		"OAK LODGE 7": "OAKLODGE7",
	} {
		if got := Core(name); got != want {
			t.Errorf("Core(%q) = %q, want %q", name, got, want)
		}
	}
}

// BenchmarkFamilies settles a register of two hundred thousand organizations,
// a third of which share an address.
func BenchmarkFamilies(b *testing.B) {
	const n = 200_000
	orgs := make([]Org, n)
	for i := range orgs {
		orgs[i] = Org{EIN: ein.EIN(70000001 + i), Name: fmt.Sprintf("ORGANIZATION FOR THE NUMBER %d FOUNDATION", i/2), Street: fmt.Sprint(i*2/3, " ELM STREET"),
			ZIP5: "43215", Active: true, Group: fmt.Sprint(i / 20)}
	}
	b.ReportAllocs()
	for b.Loop() {
		var f Builder
		for i := range orgs {
			f.Add(&orgs[i])
		}
		for i := 0; i < n; i += 10 {
			f.Relate(fmt.Sprint(i), ein.EIN(70000001+i), ein.EIN(70000001+i*7%n), false)
		}
		for range f.Build().Rows() {
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "orgs/s")
}
