package orgname

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestConflicts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want Veto
	}{
		{"Lantern Society", "Lantern Soc Inc", 0},
		{"Lantern Lodge 7", "Lantern Lodge No. 007", 0},
		{"Lantern Lodge 7", "Lantern Lodge 9", Num},
		{"Lantern Lodge 7", "Lantern Lodge", Num},
		{"PS 12 Lantern", "PS12 Lantern", 0},
		{"1st Lantern 2", "2nd Lantern 1", 0}, // sets, not order
		{"North Elm Lantern", "South Elm Lantern", Dir},
		{"North Elm Lantern", "Elm Lantern", Dir},
		{"Northeast Elm Lantern", "Northeastern Elm Lantern", 0},
		{"Lantern Museum", "Friends of Lantern Museum", Aff},
		{"Lantern Museum Foundation", "Lantern Museum", Aff},
		{"Lantern Boosters", "Lantern Booster", 0},
		{"Lantern Society of Ohio", "Lantern Society of Indiana", State},
		{"Lantern Society of Ohio", "Lantern Society", 0},
		{"Lantern Society of Virginia", "Lantern Society of West Virginia", State},
		{"Lantern Society of North Dakota", "Lantern Society", 0},
		{"Lantern Society of Kansas City", "Lantern Society of Missouri", 0},
		{"Lantern of the District of Columbia", "Lantern of Maryland", State},
		{"Elm University", "Elm University Police Benefit", Inst},
		{"University of Elm", "University of Elm Alumni Association", Inst | Aff},
		{"City of Elm", "City of Elm Retirees", Inst | Aff},
		{"Lantern Museum", "Lantern Museum Staff Association", Aff},
		{"Lantern Employees Association", "Lantern Staff Association", 0},
		{"Lantern Museum", "Lantern Museum Retired Employees", Aff},
		{"Lantern School PTSA", "Lantern School PTA", 0},
		{"Lantern School Parents", "Lantern School", Aff},
		{"YMCA of Elm", "YWCA of Elm", Peer},
		{"Young Men's Christian Association of Elm", "YWCA of Elm", Peer},
		{"Boys Lantern Home", "Girls Lantern Home", Peer},
		{"Boys and Girls Lantern Home", "Girls Lantern Home", 0},
		{"Elm Boys Camp", "Elm YMCA Camp", 0},
		{"Sisters of the Lantern", "Brothers of the Lantern", Peer},
		{"Lanterns of Elm County", "Lanterns of Elm County Ohio", 0},
		{"Lanterns of Elm County", "Lanterns of Elm County West Virginia", 0},
		{"Lanterns of Elm County", "Lanterns of Elm County Oak Grove", Inst},
		{"Elm College", "Trustees of Elm College", 0},
		{"Elm College", "Trustees of Elm College Chorus", Inst},
		{"Elm County", "Elm County Inc", 0},
		{"Elm Lantern", "Elm Lantern Choir", 0},
		{"", "", 0},
		{"", "Elm", 0},
	} {
		a, b := Parse(c.a), Parse(c.b)
		if got := Conflicts(a, b); got != c.want {
			t.Errorf("Conflicts(%q, %q) = %q, want %q", c.a, c.b, got, c.want)
		}
		traits, other := a.Traits(), b.Traits()
		if traits.ConflictsByInst(other.Marks(), b.K2) != (c.want&Inst != 0) {
			t.Errorf("ConflictsByInst(%q, %q) is not what Conflicts says", c.a, c.b)
		}
		if other.Marks().Traits(b.K2) != other {
			t.Errorf("the marks of %q lose some of its traits", c.b)
		}
		if Conflicts(a, b) != Conflicts(b, a) {
			t.Errorf("Conflicts(%q, %q) depends on the order", c.a, c.b)
		}
		if got := Conflicts(a, a); got != 0 {
			t.Errorf("%q conflicts with itself: %v", c.a, got)
		}
	}
}

// TestMarks holds that marks keep every trait, whichever words stand together.
func TestMarks(t *testing.T) {
	t.Parallel()
	list := slices.Sorted(maps.Keys(vetoWords))
	list = append(list, "ORCHARD", "LANTERN", "12", "7", "NEW YORK", "DAKOTA")
	r := rand.New(rand.NewPCG(5, 9))
	for range 20_000 {
		k2 := list[r.IntN(len(list))]
		for range r.IntN(5) {
			k2 += " " + list[r.IntN(len(list))]
		}
		if want := TraitsOf(k2); want.Marks().Traits(k2) != want {
			t.Fatalf("the marks of %q lose some of its traits", k2)
		}
	}
}

func TestVetoString(t *testing.T) {
	t.Parallel()
	if got := (Num | State).String(); got != "num+state" {
		t.Error(got)
	}
	if got := Veto(0).String(); got != "" {
		t.Error(got)
	}
}

func BenchmarkConflicts(b *testing.B) {
	x, y := Parse("Lantern Society of North Dakota Post 7"), Parse("Lantern Society Foundation of South Dakota Post 9")
	b.ReportAllocs()
	for b.Loop() {
		Conflicts(x, y)
	}
}

func BenchmarkTraitsConflicts(b *testing.B) {
	x, y := TraitsOf("LANTERN SOCIETY NORTH DAKOTA POST 7"), TraitsOf("LANTERN SOCIETY FOUNDATION SOUTH DAKOTA POST 9")
	b.ReportAllocs()
	for b.Loop() {
		x.Conflicts(&y)
	}
}

func TestAttached(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Lantern Museum", "Lantern Museum Foundation", true},
		{"Elm Clinic", "Retirees of Elm Clinic", true},
		{"Elm School", "Elm School PTO", true},
		{"Elm School", "Elm School of Glass", false},
		{"Old Mill Fund", "Bright Harbor Foundation", false}, // renamed: nothing is shared
		{"Lantern Museum", "Lantern Museum", false},
	} {
		a, b := Parse(c.a).Traits(), Parse(c.b).Traits()
		if a.Attached(&b) != c.want || b.Attached(&a) != c.want {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, !c.want, c.want)
		}
	}
}

func TestAround(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body, of string
		want     bool
	}{
		{"Lantern Medical Center Auxiliary", "Lantern Medical Center", true},
		{"Lantern Academy Endowment Association", "Lantern Academy", true},
		{"Lantern School PTSO", "Lantern School", true},
		{"Lantern Academy Foundation", "Lantern Academy", false}, // often meant
		{"Lantern Academy", "Lantern Academy Endowment", false},
		{"Elm Alumni", "Lantern Academy", false},
		{"Lantern Academy Alumni", "Lantern Academy Alumni", false},
	} {
		body, of := Parse(c.body).Traits(), Parse(c.of).Traits()
		if got := body.Around(&of); got != c.want {
			t.Errorf("%s around %s: %v", c.body, c.of, got)
		}
	}
}
