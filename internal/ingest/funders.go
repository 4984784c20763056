package ingest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/parallel"
	"grantgraph/internal/radix"
)

// sortRows sorts the rows in the order of the grants table: funder, recipient, year, amount, and the filing's own order. The
// filings are already in the order of funders, so the rows are grouped by filing, and then the rows of each funder are sorted.
func (b *builder) sortRows(ctx context.Context, c *corpus) error {
	g, r := c.lines, c.recipients
	rank := r.rank()
	_, c.rows = radix.Group(g.filing, len(c.filings))
	order := func(x, y radix.Item) int {
		if x.Key != y.Key {
			return cmp.Compare(x.Key, y.Key)
		}
		return cmp.Or(
			cmp.Compare(g.amount[x.Of], g.amount[y.Of]),
			cmp.Compare(g.origin[x.Of], g.origin[y.Of]),
			cmp.Compare(g.part[x.Of], g.part[y.Of]),
			cmp.Compare(g.line[x.Of], g.line[y.Of]),
		)
	}
	return b.eachStretch(ctx, c, func(_, from, to int) {
		rows := make([]radix.Item, 0, to-from)
		for len(rows) < cap(rows) {
			start := len(rows)
			funder := c.filingOf(c.rows[from+start]).ein
			for _, row := range c.rows[from+start : to] {
				f := c.filingOf(row)
				if f.ein != funder {
					break
				}
				rows = append(rows, radix.Item{Key: uint64(rank[r.id[row]])<<16 | uint64(uint16(f.year)), Of: row})
			}
			slices.SortFunc(rows[start:], order)
		}
		for i := range rows {
			c.rows[from+i] = rows[i].Of
		}
	})
}

// rank is the place of each recipient in the order of their ids.
func (r *recipients) rank() []uint32 {
	rank := make([]uint32, r.ids.len())
	head := func(id uint32) uint64 { return radix.Prefix(r.ids.at(id)) }
	for i, id := range radix.Order(r.ids.len(), head, func(a, b uint32) int { return strings.Compare(r.ids.at(a), r.ids.at(b)) }) {
		rank[id] = uint32(i)
	}
	return rank
}

// eachStretch splits the rows, which are sorted by funder, into stretches of
// whole funders. It calls fn for the i-th stretch, on all workers.
func (b *builder) eachStretch(ctx context.Context, c *corpus, fn func(i, from, to int)) error {
	ends := c.stretches()
	return parallel.Each(ctx, b.workers, len(ends), func(_ context.Context, i int) error {
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		fn(i, from, ends[i])
		return nil
	})
}

func (c *corpus) stretches() (ends []int) {
	for to := 0; to < len(c.rows); {
		to = min(to+4*chunkSize, len(c.rows))
		for to < len(c.rows) && c.filingOf(c.rows[to]).ein == c.filingOf(c.rows[to-1]).ein {
			to++
		}
		ends = append(ends, to)
	}
	return ends
}

type funder struct {
	ein      ein.EIN
	from, to int // into corpus.rows
	grantees int
	total    int64
	kind     classify.Kind
	*filer
}

func (b *builder) sortFunders(ctx context.Context, c *corpus) error {
	advised := make([]bool, c.lines.purposes.len())
	err := b.each(ctx, len(advised), func(i int) {
		advised[i] = classify.DonorAdvised(c.lines.purposes.at(uint32(i)))
	})
	if err != nil {
		return err
	}
	parts := make([][]funder, len(c.stretches()))
	err = b.eachStretch(ctx, c, func(i, from, to int) {
		for from < to {
			f := c.funderAt(from, advised)
			parts[i] = append(parts[i], f)
			from = f.to
		}
	})
	if err != nil {
		return err
	}
	c.funders = slices.Concat(parts...)
	c.funderOf = make(map[ein.EIN]*funder, len(c.funders))
	for i := range c.funders {
		c.funderOf[c.funders[i].ein] = &c.funders[i]
	}
	return nil
}

// funderAt is the funder whose rows begin at from. advised says which purposes are those of donor-advised funds.
func (c *corpus) funderAt(from int, advised []bool) funder {
	e := c.filingOf(c.rows[from]).ein
	to := from + 1
	for to < len(c.rows) && c.filingOf(c.rows[to]).ein == e {
		to++
	}
	fl := c.filers[e]
	f := funder{ein: e, from: from, to: to, filer: fl}
	facts := classify.FunderFacts{Name: fl.name, ReturnType: c.filings[fl.filing].form.String(), Grants: to - from,
		DAFGrantsYearPaid: fl.dafOf, DAFCount: fl.dafHeld.Value, DAFGrants: fl.dafPaid.Value}
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
	facts.GranteesBestYear = mostInYear(yearly)
	facts.Grantees, facts.TotalOut, facts.MedianGrant = f.grantees, f.total, amounts[len(amounts)/2]
	f.kind = classify.KindOf(facts)
	return f
}

// mostInYear is the largest number of distinct recipients in any one year. It sorts the pairs, each of which
// has the year in its high bits and the recipient in its low bits.
func mostInYear(pairs []uint64) (most int) {
	slices.Sort(pairs)
	n := 0
	for i := range pairs {
		switch {
		case i > 0 && pairs[i] == pairs[i-1]:
			continue
		case i > 0 && pairs[i]>>32 == pairs[i-1]>>32:
			n++
		default:
			n = 1
		}
		most = max(most, n)
	}
	return most
}
