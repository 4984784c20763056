package ingest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/radix"
)

// inventRows makes a corpus of rows without texts: funders with one filing or
// more, of which the first has most of the rows.
func inventRows(seed uint64, rows int) *corpus {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &corpus{lines: newLines(rows)}
	for e := range 40 {
		for range 1 + r.IntN(3) {
			c.filings = append(c.filings, filing{ein: ein.EIN(10_000_001 + e), year: int16(2015 + r.IntN(8))})
		}
	}
	c.recipients = newRecipients(rows)
	identities := make([]string, rows)
	g := c.lines
	for len(g.amount) < rows {
		filing := uint32(0)
		if r.IntN(3) == 0 {
			filing = uint32(r.IntN(len(c.filings)))
		}
		for range min(1+r.IntN(50), rows-len(g.amount)) {
			row := len(g.amount)
			g.filing, g.origin = append(g.filing, filing), append(g.origin, filing)
			g.part, g.line = append(g.part, 1), append(g.line, uint32(row))
			g.amount = append(g.amount, int64(r.IntN(5)))
			if c.recipients.ein[row] = ein.EIN(20_000_001 + r.IntN(9)); r.IntN(2) == 0 {
				c.recipients.ein[row], identities[row] = ein.None, fmt.Sprintf("nm-%d", r.IntN(9))
			}
		}
	}
	c.recipients.number(identities)
	return c
}

func TestRowsAreSortedAsTheyWouldBeAllTogether(t *testing.T) {
	t.Parallel()
	for seed, rows := range []int{0, 1, 900, 5 * 4 * chunkSize} {
		c := inventRows(uint64(seed), rows)
		b := &builder{workers: 3}
		if err := b.sortRows(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		id := func(row uint32) string { return c.recipients.ids.at(c.recipients.id[row]) }
		want := make([]uint32, rows)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortFunc(want, func(x, y uint32) int {
			return cmp.Or(
				cmp.Compare(c.filingOf(x).ein, c.filingOf(y).ein), cmp.Compare(id(x), id(y)), cmp.Compare(c.filingOf(x).year, c.filingOf(y).year),
				cmp.Compare(c.lines.amount[x], c.lines.amount[y]), cmp.Compare(c.lines.origin[x], c.lines.origin[y]), cmp.Compare(x, y))
		})
		if !slices.Equal(c.rows, want) {
			t.Errorf("%d rows are in another order", rows)
		}
	}
}

func TestRowsAreCutBetweenFunders(t *testing.T) {
	t.Parallel()
	c := inventRows(1, 5*4*chunkSize)
	_, c.rows = radix.Group(c.lines.filing, len(c.filings))
	ends := c.stretches()
	if ends[len(ends)-1] != len(c.rows) || len(ends) < 2 {
		t.Errorf("%d rows are cut at %v", len(c.rows), ends)
	}
	for _, end := range ends[:len(ends)-1] {
		if c.filingOf(c.rows[end-1]).ein == c.filingOf(c.rows[end]).ein {
			t.Errorf("a funder is cut at %d", end)
		}
	}
}

func TestRecipientsAreNumberedByWhoTheyAre(t *testing.T) {
	t.Parallel()
	c := inventRows(4, 3000)
	seen := map[string]uint32{}
	for row, id := range c.recipients.id {
		key := c.recipients.ids.at(id)
		if e := c.recipients.ein[row]; e != ein.None && key != "ein-"+e.String() {
			t.Fatalf("the recipient %s is called %s", e, key)
		}
		if have, ok := seen[key]; ok && have != id || !ok && int(id) != len(seen) {
			t.Fatalf("%s has number %d", key, id)
		}
		seen[key] = id
	}
}
