package fault

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		most int
		want string
	}{
		{"", 4, ""},
		{"four", 4, "four"},
		{"fifth", 4, "fift…"},
		{"naïve", 2, "na…"},
		{"naïve", 3, "na…"},
		{"naïve", 4, "naï…"},
		{"€€", 2, "…"},
		{"\x80\x80\x80", 2, "…"},
	} {
		if got := Clip(c.in, c.most); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.in, c.most, got, c.want)
		}
	}
	if s := strings.Repeat("é€", 50); !utf8.ValidString(Clip(s, 41)) {
		t.Error("a character is cut")
	}
}
