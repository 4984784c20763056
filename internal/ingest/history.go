package ingest

import (
	"context"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/ingest/resolve"
)

// payments finds whom funders name outright.
type payments struct {
	*corpus
	resolver *resolve.Resolver
	payer    []uint32 // by filing: the number of its filer
	payers   int
	named    []ein.EIN // by recipient
	asked    []bool    // by recipient
}

// firstLines is how many lines of a funder are looked at first. If they name more
// than resolve.ManyPaid recipients, the rest of its lines is not looked at.
const firstLines = 4 * resolve.ManyPaid

// history gathers whom funders name outright. Most lines are those of a few funders
// with very many recipients, for whom the history is of no use. A recipient that
// only such funders name is not looked up.
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

// numberPayers numbers the filers. Filings are in order of theirs.
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

// ofFirstLines tells, of rows in their order, those that are among the first of
// their funder.
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

// look looks up the recipients of the rows that are wanted, and returns how many.
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

// payEverybody are the funders that name too many among their first lines.
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
