package typo

import (
	"math/rand/v2"
	"testing"
)

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
			if got, want := Distance(a, b), plain(a, b); got != want {
				t.Errorf("%q to %q: %d slips, want %d", a, b, got, want)
			}
		}
	}
}

// TestDistance compares Within and OneSlip with Distance.
func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"A", "", 1}, {"", "AB", 2}, {"KITTEN", "SITTING", 3}, {"HARLOW", "HARLOW", 0}, {"HARLOW", "HALROW", 1}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	word := func() string {
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = byte('A' + r.IntN(3))
		}
		return string(b)
	}
	for range 20000 {
		a, b, limit := word(), word(), r.IntN(widest+2)
		d := Distance(a, b)
		if got, want := Within(a, b, limit), min(limit+1, d); got != want {
			t.Fatalf("%s and %s within %d: %d, want %d", a, b, limit, got, want)
		}
		if OneSlip(a, b) != (d == 1) {
			t.Fatalf("%s and %s are %d slips apart; OneSlip says %v", a, b, d, OneSlip(a, b))
		}
	}
}

func TestSlipsApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"FIRST", "FIRST", 0}, {"FRIST", "FIRST", 1}, {"FIRSWT", "FIRST", 1}, {"FIRT", "FIRST", 1}, {"FIRSA", "FIRST", 1},
		{"", "A", 1}, {"", "", 0}, {"FRISTT", "FIRST", 2}, {"THIRD", "FIRST", 2}, {"AA", "A", 1}, {"ABCD", "BADC", 2},
	} {
		if Within(c.a, c.b, 1) != c.want || Within(c.b, c.a, 1) != c.want {
			t.Errorf("%q and %q are %d slips apart, want %d", c.a, c.b, Within(c.a, c.b, 1), c.want)
		}
	}
}

func TestWithinEdit(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		s, t string
		want bool
	}{
		{"", "", false}, {"A", "", true}, {"A", "B", true}, {"A", "A", false}, {"AB", "BA", true}, {"ABC", "BCA", false},
		{"ABC", "AC", true}, {"ABC", "ABCD", true}, {"ABC", "XABC", true}, {"ABC", "AXC", true}, {"ABC", "XBX", false},
		{"ABC", "A", false}, {"ABCD", "ABDC", true}, {"ABCD", "BACD", true}, {"ABCDE", "BACED", false}, {"AAB", "AB", true},
	} {
		if OneSlip(x.s, x.t) != x.want || OneSlip(x.t, x.s) != x.want {
			t.Errorf("OneSlip(%q, %q) is not %v both ways", x.s, x.t, x.want)
		}
	}
}

func TestOneEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"LANTERN", "LANTERN", false}, {"LANTERN", "LANTERM", true}, {"LANTERN", "LANTER", true}, {"LANTERN", "LANTRN", true},
		{"LANTERN", "ALANTERN", true}, {"LANTERN", "LATNERN", true}, {"LANTERN", "LATNENR", false}, {"LANTERN", "LANTERNSS", false},
		{"", "", false}, {"", "A", true}, {"AB", "BA", true}, {"AB", "CD", false}, {"ABC", "CAB", false},
	} {
		if OneSlip(c.a, c.b) != c.want || OneSlip(c.b, c.a) != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, !c.want)
		}
	}
}

// BenchmarkDistance shows what a limit and a single slip save.
func BenchmarkDistance(b *testing.B) {
	words := []string{"FOUNDATION", "FUONDATION", "FEDERATION", "FUND", "INTERNATIONAL", "INTERNATOINAL"}
	for name, compare := range map[string]func(a, b string) bool{
		"Distance": func(a, b string) bool { return Distance(a, b) <= 2 },
		"Within":   func(a, b string) bool { return Within(a, b, 2) <= 2 },
		"OneSlip":  OneSlip,
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				compare(words[i%len(words)], words[(i+1)%len(words)])
			}
		})
	}
}
