package ingest

import (
	"context"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
)

// payments finds recipients that are certain from their own name and place.
type payments struct {
	*corpus
	resolver *resolve.Resolver
	payer    []uint32 // by filing: the number of its filer
	payers   int
	named    []ein.EIN // by recipient
	asked    []bool    // by recipient
}

// firstLines is how many lines of a funder are examined first. If they name
// more than resolve.ManyPaid recipients, we skip the rest of its lines.
const firstLines = 4 * resolve.ManyPaid

// history lists which certain recipients each funder has paid. Most lines belong to a few funders with very
// many recipients, whose history is of no use. We skip recipients that only such funders name.
func (b *builder) history(ctx context.Context, c *corpus) (*resolve.History, error) {
	n := c.lines.recipients.len()
	b.phase("history", int64(n))
	p := &payments{corpus: c, resolver: resolve.New(c.universe, resolve.Options{}), named: make([]ein.EIN, n), asked: make([]bool, n)}
	p.numberPayers()
	first, err := b.look(ctx, p, p.ofFirstLines())
	if err != nil {
		return nil, err
	}
	everybody := p.payEverybody()
	others, err := b.look(ctx, p, func(row uint32) bool { return !everybody[p.payerOf(row)] })
	if err != nil {
		return nil, err
	}
	b.step(int64(n - first - others)) // recipients that are not looked up
	var list []resolve.Payment
	for row, t := range c.lines.recipientNo {
		if p.named[t] != ein.None && !everybody[p.payerOf(uint32(row))] {
			list = append(list, resolve.Payment{Funder: c.filingOf(uint32(row)).ein, Recipient: p.named[t]})
		}
	}
	return resolve.NewHistory(list), nil
}

// numberPayers numbers the filers. The filings are sorted by filer.
func (p *payments) numberPayers() {
	p.payer = make([]uint32, len(p.filings))
	for i := range p.filings {
		if i > 0 && p.filings[i].ein != p.filings[i-1].ein {
			p.payers++
		}
		p.payer[i] = uint32(p.payers)
	}
	p.payers++
}

func (p *payments) payerOf(row uint32) uint32 { return p.payer[p.lines.filing[row]] }

// ofFirstLines returns a function that reports whether a row is among the first
// lines of its funder. Call the function with the rows in order.
func (p *payments) ofFirstLines() func(row uint32) bool {
	rows := make([]uint16, p.payers)
	return func(row uint32) bool {
		n := &rows[p.payerOf(row)]
		if *n == firstLines {
			return false
		}
		*n++
		return true
	}
}

// look looks up the recipients of the wanted rows, and returns how many it looked up.
func (b *builder) look(ctx context.Context, p *payments, wanted func(row uint32) bool) (int, error) {
	var open []uint32
	for row, t := range p.lines.recipientNo {
		if wanted(uint32(row)) && !p.asked[t] {
			p.asked[t] = true
			open = append(open, t)
		}
	}
	return len(open), b.chunks(ctx, len(open), func(from, to int) {
		for _, i := range open[from:to] {
			t := p.lines.recipient(i)
			n := t.ParseName()
			p.named[i] = p.resolver.Named(&t, &n)
		}
		b.step(int64(to - from))
	})
}

// payEverybody marks the funders that name too many recipients in their first lines.
func (p *payments) payEverybody() []bool {
	lines := make([]uint32, p.payers)
	for _, filing := range p.lines.filing {
		lines[p.payer[filing]]++
	}
	var pairs []uint64 // payer and recipient
	first := p.ofFirstLines()
	for row, t := range p.lines.recipientNo {
		if by := p.payerOf(uint32(row)); lines[by] > resolve.ManyPaid && first(uint32(row)) && p.named[t] != ein.None {
			pairs = append(pairs, uint64(by)<<32|uint64(p.named[t]))
		}
	}
	slices.Sort(pairs)
	named := make([]int, p.payers)
	for _, pair := range slices.Compact(pairs) {
		named[pair>>32]++
	}
	everybody := make([]bool, p.payers)
	for i, n := range named {
		everybody[i] = n > resolve.ManyPaid
	}
	return everybody
}
