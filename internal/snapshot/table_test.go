package snapshot

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
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

// What is absent is null in the file, whatever stands around it: other
// programs read these files too.
func TestNullsAreNulls(t *testing.T) {
	t.Parallel()
	type row struct {
		Text   string  `parquet:"text,optional,dict"`
		Number float64 `parquet:"number,optional"`
	}
	draw := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		w, err := Create(t.TempDir(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		must(t, err)
		var rows []row
		nulls := int64(0)
		for range 1 + draw.IntN(200) {
			r := row{}
			if draw.IntN(3) == 0 {
				r = row{"x", 0.5}
			} else {
				nulls++
			}
			rows = append(rows, r)
		}
		must(t, WriteTable(w, "t", slices.Values(rows)))
		f, err := os.Open(w.Unpublished().Path("t"))
		must(t, err)
		st, err := f.Stat()
		must(t, err)
		file, err := parquet.OpenFile(f, st.Size())
		must(t, err)
		var found [2]int64
		for _, g := range file.RowGroups() {
			for i, c := range g.ColumnChunks() {
				pages := c.Pages()
				for p, err := pages.ReadPage(); err == nil; p, err = pages.ReadPage() {
					found[i] += p.NumNulls()
				}
				must(t, pages.Close())
			}
		}
		must(t, f.Close())
		if found != [2]int64{nulls, nulls} {
			t.Fatalf("%d of %d rows are empty, the file has %v nulls", nulls, len(rows), found)
		}
	}
}
