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

// Masking removes whatever identifies a private person from a snapshot: the
// name, street, city, ZIP code and purpose of a grant to that person. The
// amount, the date, the funder and the state stay, so all sums stay correct.
// Masking runs before anything is written, so no table or index ever holds the
// removed data.

// maskedName is the name that a masked row shows. It is classified as a
// person's name.
const maskedName = "AN INDIVIDUAL"

type MaskReport struct {
	Individuals string `json:"individuals"` // how grants to persons are shown: filed, or masked if all of them are masked
	Grants      int64  `json:"grant_count"` // masked rows, for any reason
	TotalAmount int64  `json:"total_amount"`
	Adjustments int64  `json:"adjustments"`      // masked negative lines
	Listed      int64  `json:"listed"`           // entries of overrides/masked.csv
	Unmet       int64  `json:"listed_not_found"` // entries that match no line of the returns
}

// maskList reads the lines that are masked even if persons are not masked in
// general.
func (b *builder) maskList(ctx context.Context) (m *maskList, err error) {
	err = b.readOne(ctx, discover.Masked, "a list of lines to mask", func(path string, r io.Reader) (_ int64, err error) {
		m, err = readMaskList(r)
		return int64(m.len()), b.overrideFault(path, err)
	})
	b.report.Masked.Listed = int64(m.len())
	return m, err
}

// maskLine clears the identifying fields of a line on the list, before any
// other step reads the line.
func maskLine(l *stage.Line) {
	*l = stage.Line{MemberNo: l.MemberNo, Part: l.Part, Line: l.Line, Name1: maskedName, State: l.State, Country: l.Country, Cash: l.Cash, NonCash: l.NonCash}
}

// noteUnmet warns about list entries that match no line: a typing error in the
// list would leave a person visible.
func (b *builder) noteUnmet(m *maskList) {
	if b.report.Masked.Unmet = m.unmet(); b.report.Masked.Unmet > 0 {
		b.report.warn("%d of %d entries of %s name no line of the returns that were read, so nothing was masked for them",
			b.report.Masked.Unmet, b.report.Masked.Listed, b.sources.Files[discover.Masked][0])
	}
}

// maskIndividuals marks the rows to mask. Each masked recipient gets an
// identity made from its first grant instead of its name, so the grants of one
// funder to one person still count as one recipient.
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
		if listed { // we cannot tell these recipients apart, so each counts separately
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

// masked reports whether the snapshot hides the recipient of a row.
func (c *corpus) masked(row uint32) bool {
	return c.recipients != nil && c.recipients.class[row]&masked != 0
}

// purposeOf is the purpose of a row, or empty if it is masked.
func (c *corpus) purposeOf(row uint32) string {
	if c.masked(row) {
		return ""
	}
	return c.lines.purposes.at(c.lines.purpose[row])
}

func (c *corpus) appendKey(dst []byte, row uint32) []byte {
	return appendGrantKey(dst, c.filings[c.lines.origin[row]].key(), partName(c.lines.part[row]), int32(c.lines.line[row]))
}

// adjustmentRow renders a negative line. Such lines have no class, so we ask
// whether the recipient is a person only if persons are masked.
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

// cloneLine copies what the classifier needs of a line, because the batch that
// holds the line is reused.
func cloneLine(l *stage.Line, pf bool) classify.Line {
	keep := strings.Clone
	return classify.Line{
		Name1: keep(l.Name1), Name2: keep(l.Name2), Person: keep(l.Person), Street: keep(l.Street), City: keep(l.City),
		Status: keep(l.Status), Relationship: keep(l.Relationship), Purpose: keep(l.Purpose), PF: pf,
	}
}
