package typo

import (
	"strings"
	"testing"
)

func TestMeant(t *testing.T) {
	t.Parallel()
	names := []string{"funder_id", "recip_id", "year", "min_year", "max_year", "amount", "q"}
	for in, want := range map[string]string{
		"funder_idd": "funder_id", "fundre_id": "funder_id", "Funder-ID": "funder_id", "recipid": "recip_id", "yaer": "year",
		"m_year": "", "count": "", "zebra": "", "": "", "w": "", strings.Repeat("y", 100): "",
	} {
		if got := Meant(in, names); got != want {
			t.Errorf("%q is taken for %q, want %q", in, got, want)
		}
	}
}

// TestSlips compares with the definition, put as a recursion.
func TestSlips(t *testing.T) {
	t.Parallel()
	var plain func(a, b string) int
	plain = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		change := 1
		if a[0] == b[0] {
			change = 0
		}
		n := min(plain(a[1:], b)+1, plain(a, b[1:])+1, plain(a[1:], b[1:])+change)
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			n = min(n, plain(a[2:], b[2:])+1)
		}
		return n
	}
	words := []string{"", "a", "ab", "ba", "abc", "acb", "cab", "abcd", "badc", "bacd", "year", "yaer", "eayr", "yeear"}
	for _, a := range words {
		for _, b := range words {
			if got, want := slips(a, b), plain(a, b); got != want {
				t.Errorf("%q to %q: %d slips, want %d", a, b, got, want)
			}
		}
	}
}
