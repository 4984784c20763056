package money

import (
	"math"
	"testing"
)

func TestGrouped(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		0: "0", 7: "7", 42: "42", 999: "999", 1000: "1,000", 12345: "12,345", 123456: "123,456", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", -123456: "-123,456", -1234567: "-1,234,567",
		math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %s, want %s", n, got, want)
		}
		dollars := "$" + want
		if n < 0 {
			dollars = "-$" + want[1:]
		}
		if got := Dollars(n); got != dollars {
			t.Errorf("Dollars(%d) = %s, want %s", n, got, dollars)
		}
	}
}
