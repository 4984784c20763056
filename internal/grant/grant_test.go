package grant

import (
	"slices"
	"testing"
)

func TestSupportIDs(t *testing.T) {
	t.Parallel()
	want := []string{"general_operating", "program", "capital", "endowment", "scholarship", "fellowship", "research",
		"capacity_building", "matching", "emergency_relief", "equipment", "sponsorship"}
	if got := Support(1<<Strategies - 1).IDs(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := Support(0).IDs(); got == nil || len(got) != 0 {
		t.Errorf("no Strategies are %#v, want an empty list", got)
	}
	for i, s := range Supports() {
		if back, ok := ParseSupport(want[i]); !ok || back != s {
			t.Errorf("%s is %b, want %b", want[i], back, s)
		}
		if s.Label() == "" {
			t.Errorf("%s has no label", want[i])
		}
	}
	if _, ok := ParseSupport("Program"); ok {
		t.Error("ids are case-sensitive")
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	last := 1.0
	for _, r := range Rules() {
		if back, ok := ParseRule(r.String()); !ok || back != r {
			t.Errorf("%s is read back as %v", r, back)
		}
		if p := r.Prob(); r != Model && (p <= 0 || p > last) {
			t.Errorf("%s has probability %g after %g", r, p, last)
		} else if r != Model {
			last = p
		}
	}
	if None.String() != "" || None.Prob() != 0 || Rule(99).String() != "" || Rule(99).Prob() != 0 {
		t.Error("no rule has a name or a probability")
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	for c := NoConflict; c <= GroupConflict; c++ {
		if back, ok := ParseConflict(c.String()); !ok || back != c {
			t.Errorf("%q is read back as %v", c, back)
		}
	}
	if _, ok := ParseConflict("Name"); ok {
		t.Error("words are case-sensitive")
	}
	if Conflict(9).String() != "" {
		t.Error("an unknown conflict has a word")
	}
}
