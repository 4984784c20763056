package money

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/quick"
)

func TestParse(t *testing.T) {
	t.Parallel()
	good := map[string]Cents{
		"0": 0, "1": 100, "-1": -100, "12.5": 1250, "12.50": 1250, ".5": 50, "5.": 500, "0.005": 1, "-0.005": -1, "0.0049": 0,
		"$1,234.56": 123456, "-$1,234.56": -123456, "$-1,234.56": -123456, "(1,234.56)": -123456, "($1,234.56)": -123456,
		" 7 ": 700, "1397.00": 139700, "00012.10": 1210, "10000000000000": Max, "-10000000000000.00": -Max, "4912.560000000001": 491256,
	}
	for in, want := range good {
		if got, ok := Parse(in); !ok || got != want {
			t.Errorf("Parse(%q) = %d, %v; want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "-", "$", ".", "(", "()", "(5", "5)", "--5", "(-5", "1e6", "NaN", "1.2.3", ",5", "1 2", "£5", "10000000000000.01", "99999999999999999999999", "5-"} {
		if got, ok := Parse(in); ok {
			t.Errorf("Parse(%q) = %d, want a refusal", in, got)
		}
	}
}

// TestRound says that what is written with two decimals is read back.
func TestRound(t *testing.T) {
	t.Parallel()
	back := func(n int64) bool {
		c := Cents(n) % Max
		s := strconv.FormatInt(int64(max(c, -c)), 10)
		s = strings.Repeat("0", max(0, 3-len(s))) + s
		s = s[:len(s)-2] + "." + s[len(s)-2:]
		if c < 0 {
			s = "-" + s
		}
		got, ok := Parse(s)
		return ok && got == c
	}
	if err := quick.Check(back, nil); err != nil {
		t.Error(err)
	}
}

func TestPlus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want Cents }{
		{1, 2, 3}, {1, -2, -1}, {5, 0, 5}, {-5, 0, -5},
		{math.MaxInt64, 1, math.MaxInt64}, {math.MinInt64, -1, math.MinInt64},
		{math.MaxInt64, math.MinInt64, -1}, {math.MaxInt64 - 1, 1, math.MaxInt64},
	} {
		if got := c.a.Plus(c.b); got != c.want {
			t.Errorf("%d plus %d = %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if got := Cents(-123456).Dollars(); got != -1234.56 {
		t.Errorf("dollars %v", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1", "-$1,234.567", "(3)", "1e9", "\xff", "$", "0.995"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := Parse(s)
		if !ok && c != 0 || c > Max || c < -Max {
			t.Errorf("Parse(%q) = %d, %v", s, c, ok)
		}
		if v, err := strconv.ParseFloat(s, 64); ok && err == nil && math.Abs(v-c.Dollars()) > 0.0051+math.Abs(v)*1e-15 {
			t.Errorf("Parse(%q) = %v, as a number %v", s, c.Dollars(), v)
		}
	})
}
