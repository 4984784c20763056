package ingest

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/parallel"
)

// sortRows puts the rows in the order of the grants table: funder, recipient,
// year, amount, and the filing's own order.
func (c *corpus) sortRows() {
	g, r := c.lines, c.recipients
	rank := make([]uint32, r.ids.len())
	head := func(id uint32) uint64 {
		var b [8]byte
		copy(b[:], r.ids.at(id))
		return binary.BigEndian.Uint64(b[:])
	}
	for i, id := range sortedByKey(r.ids.len(), head, func(a, b uint32) int { return strings.Compare(r.ids.at(a), r.ids.at(b)) }) {
		rank[id] = uint32(i)
	}
	pair := func(row uint32) uint64 { return uint64(c.filingOf(row).ein)<<32 | uint64(rank[r.id[row]]) }
	c.rows = sortedByKey(len(g.amount), pair, func(a, b uint32) int {
		return cmp.Or(
			cmp.Compare(c.filings[g.filing[a]].year, c.filings[g.filing[b]].year),
			cmp.Compare(g.amount[a], g.amount[b]),
			cmp.Compare(g.origin[a], g.origin[b]),
			cmp.Compare(g.part[a], g.part[b]),
			cmp.Compare(g.line[a], g.line[b]),
		)
	})
}

// funder is one grantmaker with its rows.
type funder struct {
	ein      ein.EIN
	from, to int // into corpus.rows
	grantees int
	total    int64
	kind     classify.Kind
	*filer
}

// sortFunders takes the funders from the ordered rows and says what kind each
// is.
func (c *corpus) sortFunders() {
	advised := make([]bool, c.lines.purposes.len())
	parallel.Ranges(len(advised), parallel.Parts(len(advised), 8<<10), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			advised[i] = classify.DonorAdvised(c.lines.purposes.at(uint32(i)))
		}
	})
	for from := 0; from < len(c.rows); {
		e := c.filingOf(c.rows[from]).ein
		to := from + 1
		for to < len(c.rows) && c.filingOf(c.rows[to]).ein == e {
			to++
		}
		fl := c.filers[e]
		f := funder{ein: e, from: from, to: to, filer: fl}
		facts := classify.FunderFacts{Name: fl.name, ReturnType: c.filings[fl.filing].form.String(), Grants: to - from, DAFGrantsYearPaid: fl.dafOf}
		if fl.dafHeld != nil {
			facts.DAFCount = *fl.dafHeld
		}
		if fl.dafPaid != nil {
			facts.DAFGrants = *fl.dafPaid
		}
		amounts := make([]int64, 0, to-from)
		yearly := make([]uint64, 0, to-from) // year and recipient
		for i, row := range c.rows[from:to] {
			if i == 0 || c.recipients.id[row] != c.recipients.id[c.rows[from+i-1]] {
				f.grantees++
			}
			f.total += c.lines.amount[row]
			if advised[c.lines.purpose[row]] {
				facts.AdvisedGrants++
			}
			amounts = append(amounts, c.lines.amount[row])
			yearly = append(yearly, uint64(c.filingOf(row).year)<<32|uint64(c.recipients.id[row]))
		}
		slices.Sort(amounts)
		slices.Sort(yearly)
		inYear := 0
		for i := range yearly {
			switch {
			case i > 0 && yearly[i] == yearly[i-1]:
				continue
			case i > 0 && yearly[i]>>32 == yearly[i-1]>>32:
				inYear++
			default:
				inYear = 1
			}
			facts.GranteesBestYear = max(facts.GranteesBestYear, inYear)
		}
		facts.Grantees, facts.TotalOut, facts.MedianGrant = f.grantees, f.total, amounts[len(amounts)/2]
		f.kind = classify.KindOf(facts)
		c.funders = append(c.funders, f)
		from = to
	}
	c.funderOf = make(map[ein.EIN]*funder, len(c.funders))
	for i := range c.funders {
		c.funderOf[c.funders[i].ein] = &c.funders[i]
	}
}
