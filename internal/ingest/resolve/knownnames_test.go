package resolve

import (
	"fmt"
	"testing"

	"grantgraph/internal/ein"
)

// TestKnownNames sorts the names of an organization by time, and takes
// spellings of one name for one.
func TestKnownNames(t *testing.T) {
	t.Parallel()
	const e = ein.EIN(70000001)
	filed := func(name string, asOf int32, aliases ...string) Org {
		return Org{EIN: e, Name: name, Sources: Filer, AsOf: asOf, Aliases: aliases}
	}
	listed := func(name string, source Source) Org { return Org{EIN: e, Name: name, Sources: source} }
	for _, c := range []struct {
		said []Org
		want string
	}{
		{[]Org{listed("LANTERN HOUSE INC", BMF)}, "[] []"},
		{[]Org{listed("LANTERN HOUSECORP", BMF), listed("Lantern House Corp.", Pub78), filed("The Lantern House", 2020)}, "[The Lantern House] []"},
		{[]Org{listed("LANTERN HOUSE", BMF), filed("Lamp Shelter", 2019), filed("Torch Home", 2021), filed("Lantern House", 2023, "Lantern Lights"), filed("LAMP SHELTER INC", 2018)},
			"[Lantern Lights] [Torch Home Lamp Shelter]"},
		{[]Org{listed("LANTERN HOUSE", BMF), filed("Lantern Homes", 2023), filed("Lantern House", 2022)}, "[Lantern Homes] []"},
		{[]Org{listed("LANTERN HOUSE FKA TORCH HOME", BMF)}, "[] [TORCH HOME]"},
		{[]Org{listed("Lantern House (formerly known as Torch Home)", Pub78)}, "[] [Torch Home]"},
		{[]Org{listed("CENTER FOR FORMERLY INCARCERATED PEOPLE", BMF), listed("FKA", Revoked)}, "[] []"},
		{[]Org{listed("LANTERN HOUSE", BMF), listed("TORCH HOME", OldBMF), filed("Lantern House", 2022)}, "[] [TORCH HOME]"},
		{[]Org{listed("LANTERN HOUSE", BMF), {EIN: e, Name: "LANTERN HOUSE", SortName: "ANN EXAMPLE TTEE", Sources: BMF}}, "[] []"},
	} {
		o := lookup(t, build(c.said...), e)
		var k KnownNames
		if o.Known != nil {
			k = *o.Known
		}
		if got := fmt.Sprint(k.Also, " ", k.Former); got != c.want {
			t.Errorf("%+v: %s, want %s", c.said, got, c.want)
		}
	}
}
