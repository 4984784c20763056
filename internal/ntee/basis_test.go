package ntee

import "testing"

func TestBasis(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		basis    Basis
		code     Code
		inferred byte
		want     string // letter and source
		under    string // subjects that match, of B, B4 and B42
	}{
		{Registered, "B42", 0, "B registered", "B B4 B42"},
		{Registered, "B42", 'X', "B registered", "B B4 B42"},
		{Registered, "", 'B', " ", ""},
		{Registered, "", 0, " ", ""},
		{Any, "B42", 'X', "B registered", "B B4 B42"},
		{Any, "Z99", 'B', "Z registered", ""},
		{Any, "", 'B', "B inferred", "B"},
		{Any, "", 0, " ", ""},
		{Any, "", '?', " ", ""},
	} {
		letter, source := c.basis.Cause(c.code, c.inferred)
		got := " " + source
		if letter != 0 {
			got = string(rune(letter)) + got
		}
		if got != c.want {
			t.Errorf("%v of %q and %q is %q, want %q", c.basis, c.code, c.inferred, got, c.want)
		}
		under := ""
		for _, text := range []string{"B", "B4", "B42"} {
			s, err := ParseSubject(text)
			if err != nil {
				t.Fatal(err)
			}
			if s.Matches(c.basis.Code(c.code, c.inferred)) {
				if under != "" {
					under += " "
				}
				under += text
			}
		}
		if under != c.under {
			t.Errorf("%v of %q and %q is under %q, want %q", c.basis, c.code, c.inferred, under, c.under)
		}
	}
	for i, w := range BasisWords() {
		if b, ok := ParseBasis(w); !ok || int(b) != i {
			t.Errorf("ParseBasis(%q) = %v, %v", w, b, ok)
		}
	}
	if _, ok := ParseBasis("some"); ok {
		t.Error("some is a basis")
	}
}
