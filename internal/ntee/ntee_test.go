package ntee

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Code{
		"B11": "B11", "B112": "B112", "b11": "B11", " T30 ": "T30", "A6B": "A6B", "A6BZ": "A6BZ", "Z99": "Z99",
		"": "", "B": "", "B1": "", "B1123": "", "111": "", "1B1": "", "B1-": "", "Ä11": "", "   ": "", "[11": "",
	} {
		got, ok := Parse(in)
		if got != want || ok != (want != "") {
			t.Errorf("Parse(%q) = %q, %v; want %q", in, got, ok, want)
		}
	}
}

func TestMajorAndLabel(t *testing.T) {
	t.Parallel()
	want := "A Arts & Culture · B Education · C Environment · D Animals · E Health Care · F Mental Health · G Diseases & Disorders · " +
		"H Medical Research · I Crime & Legal · J Employment · K Food & Agriculture · L Housing & Shelter · M Public Safety & Disaster · " +
		"N Recreation & Sports · O Youth Development · P Human Services · Q International · R Civil Rights & Advocacy · " +
		"S Community Improvement · T Philanthropy & Grantmaking · U Science & Technology · V Social Science · " +
		"W Public & Societal Benefit · X Religion · Y Mutual & Membership Benefit · Z Unknown"
	var got []string
	for c := byte('A'); c <= 'Z'; c++ {
		got = append(got, string(c)+" "+Label(c))
	}
	if s := strings.Join(got, " · "); s != want {
		t.Errorf("labels are\n%s\nwant\n%s", s, want)
	}
	for _, c := range []byte{0, '1', 'a', '[', '@', 0xff} {
		if Label(c) != "" {
			t.Errorf("Label(%q) = %q", c, Label(c))
		}
	}
	if Code("B112").Major() != 'B' || Code("").Major() != 0 || Code("112").Major() != 0 || Code("X20").Label() != "Religion" {
		t.Error("Major or Label of a code is wrong")
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	list := Codes()
	if len(list) != 620 {
		t.Errorf("%d codes, want 620", len(list))
	}
	if !slices.IsSortedFunc(list, func(a, b Entry) int { return strings.Compare(string(a.Code), string(b.Code)) }) {
		t.Error("the list is not sorted")
	}
	majors := map[byte]bool{}
	for _, e := range list {
		if c, ok := Parse(string(e.Code)); !ok || c != e.Code {
			t.Errorf("listed code %q does not parse", e.Code)
		}
		if e.Title == "" || e.Title != strings.TrimSpace(e.Title) || Title(e.Code) != e.Title || !Listed(e.Code) {
			t.Errorf("code %q has title %q and Title says %q", e.Code, e.Title, Title(e.Code))
		}
		majors[e.Code.Major()] = true

		sub, err := ParseSubject(string(e.Code))
		if err != nil || len(sub.Items) != 1 || sub.Items[0].Kind != Prefix || !sub.Matches(e.Code) {
			t.Errorf("listed code %q as a subject gives %+v, %v", e.Code, sub, err)
		}
	}
	if len(majors) != 26 {
		t.Errorf("%d majors in the list", len(majors))
	}
	for code, want := range map[Code]string{
		"A01": "Alliances & Advocacy", "A011": "Alliances & Advocacy", "A6B": Title("A6BZ"), "": "", "X": "Religion", "123": "",
	} {
		if got := Title(code); got != want {
			t.Errorf("Title(%q) = %q, want %q", code, got, want)
		}
	}
	if got, decile := Title("B27"), Title("B20"); got != decile {
		t.Errorf("an unlisted code has title %q, its decile %q", got, decile)
	}
	if Listed("B27") || !Listed("A01Z") || Listed("") {
		t.Error("Listed is wrong")
	}
}

// TestSubject is the table that defines the parameter.
func TestSubject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want string // kind:value for items, ?text for unknown, ! for refused
	}{
		{"B", "major:B"},
		{"b", "major:B"},
		{" z ", "major:Z"},
		{"B4", "prefix:B4"},
		{"B42", "prefix:B42"},
		{"b42", "prefix:B42"},
		{"B42Z", "prefix:B42Z"},
		{"B420", "prefix:B420"},
		{"A6B", "prefix:A6B"},
		{"B,C", "major:B major:C"},
		{"B, C42 ,Religion", "major:B prefix:C42 cause:X"},
		{"Education", "cause:B"},
		{"EDUCATION", "cause:B"},
		{"Arts & Culture", "cause:A"},
		{"arts and culture", "cause:A"},
		{"Arts, Culture & Humanities", "cause:A"},
		{"Arts, Culture & Humanities,Education", "cause:A cause:B"},
		{"B,Recreation, Sports, Leisure, Athletics, food , agriculture & nutrition", "major:B cause:N cause:K"},
		{",Arts,,B", "cause:A major:B"},
		{"Human Services", "cause:P"},
		{"Human Services (broad)", "cause:IJKLMNOP"},
		{"Health", "cause:EFGH"},
		{"Health Care", "cause:E"},
		{"Mental Health", "cause:F"},
		{"Public Benefit", "cause:RSTUVW"},
		{"public & societal benefit", "cause:W"},
		{"Mutual/Membership Benefit", "cause:Y"},
		{"unknown", "cause:Z"},
		{"SA", "!"},
		{"sb", "!"},
		{"SA01", "!"},
		{"SA0100", "!"},
		{"SA010000", "!"},
		{"UA0000", "!"},
		{"PA0000", "!"},
		{"TA", "!"},
		{"AI", "!"},
		{"QZ99999999", "!"},
		{"AB12345", "!"},
		{"B,SA010000", "!"},
		{"Education, sa", "!"},
		{"AB1", "?AB1"},
		{"ABC", "?ABC"},
		{"B12345", "?B12345"},
		{"42", "?42"},
		{"4B", "?4B"},
		{"Learning", "?Learning"},
		{"B,Learning", "major:B ?Learning"},
		{"Educatoin", "?Educatoin"},
		{"", ""},
		{" , ,", ""},
		{"Éducation", "?Éducation"},
	} {
		sub, err := ParseSubject(c.in)
		got := describe(sub)
		var p *ProprietaryError
		if errors.As(err, &p) {
			got = "!"
			if len(sub.Items)+len(sub.Unknown) != 0 || !strings.Contains(err.Error(), "NTEE") {
				t.Errorf("ParseSubject(%q) is refused but returns %+v, %v", c.in, sub, err)
			}
		} else if err != nil {
			t.Errorf("ParseSubject(%q): %v", c.in, err)
		}
		if got != c.want {
			t.Errorf("ParseSubject(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func describe(s Subject) string {
	var out []string
	for _, it := range s.Items {
		switch it.Kind {
		case Major, Cause:
			letters := ""
			for i := range 26 {
				if it.Majors>>i&1 != 0 {
					letters += string(rune('A' + i))
				}
			}
			out = append(out, map[Kind]string{Major: "major:", Cause: "cause:"}[it.Kind]+letters)
		case Prefix:
			out = append(out, "prefix:"+string(it.Prefix))
		}
	}
	for _, u := range s.Unknown {
		out = append(out, "?"+u)
	}
	return strings.Join(out, " ")
}

func TestEveryTwoLetterCodeIsRefused(t *testing.T) {
	t.Parallel()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			for _, digits := range []string{"", "01", "0102", "01020", "010203", "01020304"} {
				for _, s := range []string{string(a) + string(b) + digits, strings.ToLower(string(a)+string(b)) + digits} {
					var p *ProprietaryError
					if _, err := ParseSubject(s); !errors.As(err, &p) || p.Value != s {
						t.Fatalf("ParseSubject(%q) gave %v", s, err)
					}
				}
			}
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		subject string
		code    Code
		want    bool
	}{
		{"B", "B42", true}, {"B", "C42", false}, {"B", "", false},
		{"B4", "B42", true}, {"B4", "B52", false}, {"B42", "B420", true}, {"B420", "B42", false},
		{"Health", "E20", true}, {"Health", "H99", true}, {"Health", "I01", false},
		{"C,B4", "B40", true}, {"C,B4", "C01", true}, {"nothing", "B40", false}, {"Z", "Z99", true},
	} {
		sub, err := ParseSubject(c.subject)
		if err != nil {
			t.Fatal(err)
		}
		if got := sub.Matches(c.code); got != c.want {
			t.Errorf("%q matches %q: %v", c.subject, c.code, got)
		}
		if sub.Empty() != (c.subject == "nothing") {
			t.Errorf("Empty of %q is wrong", c.subject)
		}
	}
}

func FuzzSubject(f *testing.F) {
	for _, s := range []string{"B", "B42,SA", "Arts & Culture", "&&&", "SA010000", ",", "\xff", strings.Repeat("B,", 3000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sub, err := ParseSubject(s)
		if err != nil && (len(sub.Items) > 0 || len(sub.Unknown) > 0) {
			t.Fatalf("ParseSubject(%q) is refused but returns %+v", s, sub)
		}
		sub.Matches("B42")
		if c, ok := Parse(s); ok && (c.Label() == "" || Title(c) == "") {
			t.Fatalf("code %q has no cause", c)
		}
		for _, it := range sub.Items {
			if (it.Kind == Prefix) != (it.Prefix != "") || (it.Kind != Prefix) != (it.Majors != 0) {
				t.Fatalf("ParseSubject(%q): item %+v", s, it)
			}
		}
	})
}

func BenchmarkMatches(b *testing.B) {
	sub, _ := ParseSubject("Health,B4,X20")
	for b.Loop() {
		sub.Matches("X21")
	}
}
