package snapshot

import (
	"testing"
)

// TestReadOfFewColumns shows that a row type may ask for some columns only.
func TestReadOfFewColumns(t *testing.T) {
	t.Parallel()
	s := publish(t, t.TempDir(), 2500)
	type few struct {
		Amount int64 `parquet:"amount,optional"`
	}
	var n, sum int64
	for r, err := range Rows[few](s, "rows") {
		if err != nil {
			t.Fatal(err)
		}
		n++
		sum += r.Amount
	}
	if n != 2500 || sum != 2500*2499/2 {
		t.Errorf("%d rows, sum %d", n, sum)
	}
}
