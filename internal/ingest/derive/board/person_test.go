package board

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		want person
	}{
		{"Ada Wintergreen", person{"ADA", "WINTERGREEN", 0, 0}},
		{"ADA Q WINTERGREEN", person{"ADA", "WINTERGREEN", 'Q', 0}},
		{"Wintergreen, Ada Q.", person{"ADA", "WINTERGREEN", 'Q', 0}},
		{"WINTERGREEN, ADA, MD", person{"ADA", "WINTERGREEN", 0, 0}},
		{"WINTERGREEN JR, OTTO", person{"OTTO", "WINTERGREEN", 0, 2}},
		{"Otto Wintergreen, Jr.", person{"OTTO", "WINTERGREEN", 0, 2}},
		{"OTTO WINTERGREEN III ESQ", person{"OTTO", "WINTERGREEN", 0, 3}},
		{"Dr. Otto P. Wintergreen, Ph.D., CPA", person{"OTTO", "WINTERGREEN", 'P', 0}},
		{"THE HON OTTO WINTERGREEN", person{"OTTO", "WINTERGREEN", 0, 0}},
		{"Rev. Msgr. Otto Wintergreen", person{"OTTO", "WINTERGREEN", 0, 0}},
		{"Otto Wintergreen, Treasurer", person{"OTTO", "WINTERGREEN", 0, 0}},
		{"OTTO WINTERGREEN - IA", person{"OTTO", "WINTERGREEN", 0, 0}},
		{"Otto Wintergreen (thru 6/30)", person{"OTTO", "WINTERGREEN", 0, 0}},
		{"Otto Wintergreen SMH", person{"OTTO", "WINTERGREEN", 0, 0}},
		{"Otto Wintergreen III", person{"OTTO", "WINTERGREEN", 0, 3}},
		{"J Otto Wintergreen", person{"OTTO", "WINTERGREEN", 0, 0}},
		{"Otto van der Winter", person{"OTTO", "VANDERWINTER", 0, 0}},
		{"Siobhán O'Wintér-Green", person{"SIOBHAN", "OWINTERGREEN", 0, 0}},
		{"Lu Ma", person{"LU", "MA", 0, 0}},
	} {
		got, ok := parse(c.name)
		if !ok || got != c.want {
			t.Errorf("parse(%q) = %+v, %v", c.name, got, ok)
		}
	}
	for _, name := range []string{
		"", " ", "Wintergreen", "J Wintergreen", "O. W.", "SEE SCHEDULE O", "SEE ATTACHED", "VACANT", "NONE", "N/A", "TREASURER", "PRESIDENT, DIRECTOR",
		"FIRST LARCH BANK", "LARCH TRUST COMPANY", "LARCH 7 HOLDINGS", ",", ",,,", "- -", "(", strings.Repeat("A ", 100),
	} {
		if got, ok := parse(name); ok {
			t.Errorf("parse(%q) = %+v", name, got)
		}
	}
}

// FuzzParse: whatever is typed, a name that is taken for one has two parts of
// plain capitals, and space around the text makes no difference.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"Wintergreen, Ada Q., M.D.", "THE HON. OTTO WINTERGREEN III", "Otto Wintergreen SMH", "a.b.c", "\xff,\x00", "JR, SR", "O'N, -"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, ok := parse(s)
		if !ok {
			return
		}
		for _, w := range []string{p.first, p.last} {
			if len(w) < 2 || strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
				t.Fatalf("%q: %+v", s, p)
			}
		}
		if p.middle != 0 && (p.middle < 'A' || p.middle > 'Z') || p.generation > 4 {
			t.Fatalf("%q: %+v", s, p)
		}
		if q, ok := parse(s + " "); !ok || q != p {
			t.Fatalf("%q: %+v, with a space %+v %v", s, p, q, ok)
		}
	})
}
