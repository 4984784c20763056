package site

import "testing"

func TestMoney(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		n                       int64
		grouped, short, compact string
	}{
		{0, "0", "$0", "$0"},
		{7, "7", "$7", "$7"},
		{999, "999", "$999", "$999"},
		{1000, "1,000", "$1,000", "$1.0k"},
		{123456, "123,456", "$123,456", "$123.5k"},
		{1234567, "1,234,567", "$1.2 million", "$1.2M"},
		{2_100_000_000, "2,100,000,000", "$2.1 billion", "$2.1B"},
		{1_500_000_000_000, "1,500,000,000,000", "$1.5 trillion", "$1.5T"},
	} {
		if g, s, c := grouped(tc.n), short(tc.n), compact(tc.n); g != tc.grouped || s != tc.short || c != tc.compact {
			t.Errorf("%d: %s, %s, %s", tc.n, g, s, c)
		}
	}
	for n, want := range map[int64]string{-7: "-7", -999: "-999", -1000: "-1,000", -12345: "-12,345", -123456: "-123,456", -1234567: "-1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "ST MARYS  FUND": "St Marys Fund", "ÉCOLE FRANÇAISE": "École Française", "4-H CLUB": "4-h Club"} {
		if got := title(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestBarsStayInTheChart(t *testing.T) {
	t.Parallel()
	for _, years := range [][]year{nil, {{Year: 2020}}, {{Year: 2020, Amount: 5}, {Year: 2021, Amount: 50_000_000_000}, {Year: 2022, Amount: 1, Partial: true}}} {
		c := bars(years)
		if len(c.Bars) != len(years) {
			t.Fatalf("%d bars for %d years", len(c.Bars), len(years))
		}
		for _, b := range c.Bars {
			if b.Height < 1 || b.Y < 0 || b.Y+b.Height != c.Base || b.X+b.Width > c.Width {
				t.Errorf("%+v in %d by %d", b, c.Width, c.Height)
			}
		}
	}
}
