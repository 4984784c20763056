package ingest

import (
	"context"
	"io"
	"strings"

	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/snapshot"
)

// Masking takes out of a snapshot what says who a private person is: the name,
// the street, the city, the ZIP code and the purpose of a grant to one. What is
// paid, when, by whom and to which state stays, and so does every sum. It
// happens before anything is written, so no table and no index ever holds more.

// maskedName is what a masked row has for a name. It is classed as a person's.
const maskedName = "AN INDIVIDUAL"

// MaskReport says what was masked.
type MaskReport struct {
	Individuals string `json:"individuals"` // filed, or masked where all of them are
	Grants      int64  `json:"grant_count"` // masked rows, for whichever reason
	TotalAmount int64  `json:"total_amount"`
	Adjustments int64  `json:"adjustments"`      // masked negative lines
	Listed      int64  `json:"listed"`           // entries of overrides/masked.csv
	Unmet       int64  `json:"listed_not_found"` // those that name no line of the returns
}

// maskList reads which lines are to be masked whatever the setting.
func (b *builder) maskList(ctx context.Context) (m *maskList, err error) {
	err = b.readOne(ctx, discover.Masked, "a list of lines to mask", func(path string, r io.Reader) (_ int64, err error) {
		m, err = readMaskList(r)
		return int64(m.len()), b.overrideFault(path, err)
	})
	b.report.Masked.Listed = int64(m.len())
	return m, err
}

// maskLine removes from a line that is on the list what may not be shown, before
// any other step reads the line.
func maskLine(l *stage.Line) {
	*l = stage.Line{MemberNo: l.MemberNo, Part: l.Part, Line: l.Line, Name1: maskedName, State: l.State, Country: l.Country, Cash: l.Cash, NonCash: l.NonCash}
}

// noteUnmet warns of entries of the list that name no line: a typing error in the
// list would leave a person shown.
func (b *builder) noteUnmet(m *maskList) {
	if b.report.Masked.Unmet = m.unmet(); b.report.Masked.Unmet > 0 {
		b.report.warn("%d of %d entries of %s name no line of the returns that were read, so nothing was masked for them",
			b.report.Masked.Unmet, b.report.Masked.Listed, b.sources.Files[discover.Masked][0])
	}
}

// maskIndividuals marks the rows that are masked, and gives each of their
// recipients an identity that does not follow from a name: that of the first of
// its grants. So one person's grants by one funder still count as one recipient.
func (b *builder) maskIndividuals(c *corpus, identities []string) {
	all := b.opt.MaskIndividuals
	if !all && len(c.lines.masked) == 0 {
		return
	}
	first := map[string]string{} // by identity, the lowest grant key
	var key []byte
	for row := range identities {
		listed := c.lines.masked[c.lines.recipientNo[row]]
		if !listed && (!all || c.recipients.class[row]&individual == 0) {
			continue
		}
		c.recipients.class[row] |= masked
		key = c.appendKey(key[:0], uint32(row))
		if listed { // each is somebody else, as far as anybody knows
			identities[row] = resolve.MaskedID(string(key))
			continue
		}
		if have, ok := first[identities[row]]; !ok || string(key) < have {
			first[identities[row]] = string(key)
		}
	}
	for row, id := range identities {
		if c.recipients.class[row]&masked == 0 {
			continue
		}
		if lowest, ok := first[id]; ok {
			identities[row] = resolve.MaskedID(lowest)
		}
		b.report.Masked.Grants++
		b.report.Masked.TotalAmount += c.lines.amount[row]
	}
}

// masked reports whether a row is shown without what says whom it paid.
func (c *corpus) masked(row uint32) bool {
	return c.recipients != nil && c.recipients.class[row]&masked != 0
}

// purposeOf is the purpose of a row, as far as it may be shown.
func (c *corpus) purposeOf(row uint32) string {
	if c.masked(row) {
		return ""
	}
	return c.lines.purposes.at(c.lines.purpose[row])
}

// appendKey writes the grant key of a row.
func (c *corpus) appendKey(dst []byte, row uint32) []byte {
	return appendGrantKey(dst, c.filings[c.lines.origin[row]].key(), partName(c.lines.part[row]), int32(c.lines.line[row]))
}

// adjustmentRow renders a negative line, which has no class of its own: whether
// it is a person's is asked only where persons are masked.
func (b *builder) adjustmentRow(c *corpus, a *adjustment) snapshot.Adjustment {
	f := &c.filings[a.filing]
	r := snapshot.Adjustment{
		Filing: f.key(), EIN: f.ein.String(), TaxYear: int32(f.year), Part: partName(a.part), Line: int32(a.line),
		Amount: a.amount, Name: a.name, Purpose: a.said.Purpose,
	}
	if a.name == maskedName || b.opt.MaskIndividuals && !a.stated && classify.Individual(&a.said, c.people) {
		r.Name, r.Purpose = maskedName, ""
		b.report.Masked.Adjustments++
	}
	return r
}

// cloneLine keeps what the classifier sees of a line beyond the batch that it
// was read in.
func cloneLine(l *stage.Line, pf bool) classify.Line {
	keep := strings.Clone
	return classify.Line{
		Name1: keep(l.Name1), Name2: keep(l.Name2), Person: keep(l.Person), Street: keep(l.Street), City: keep(l.City),
		Status: keep(l.Status), Relationship: keep(l.Relationship), Purpose: keep(l.Purpose), PF: pf,
	}
}
