package ingest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/parallel"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
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

// Bounds of what a foundation may say of applications. The IRS allows 1,000 characters for a text.
const (
	maxApplications    = 50
	maxApplicationText = 4000
)

// saysNothing are the answers, without spaces and signs, that filers give instead of leaving a field blank.
var saysNothing, signs = table.SetOf("NA NONE NOTAPPLICABLE"), strings.NewReplacer(" ", "", ".", "", "/", "", "-", "")

// tells reports whether a section says to whom, how or when to apply. An address or a phone number alone does not.
func tells(a *stage.Application) bool {
	return slices.ContainsFunc([]string{a.Name, a.Email, a.Form, a.Deadlines, a.Restrictions}, func(text string) bool {
		text = signs.Replace(strings.ToUpper(text))
		return text != "" && !saysNothing[text]
	})
}

// gatherApplications reads what foundations tell applicants, each by its latest return that ticks the box or
// fills the section. So a return that is silent does not hide the return before it.
func (b *builder) gatherApplications(ctx context.Context, c *corpus, hide *maskList) error {
	latest, rows := map[ein.EIN]*filing{}, map[ein.EIN][]snapshot.Application{}
	isLatest := func(f *filing) bool {
		if l := latest[f.ein]; l == nil || cmp.Or(cmp.Compare(f.periodEnd, l.periodEnd), cmp.Compare(f.stamp, l.stamp)) > 0 {
			latest[f.ein], rows[f.ein] = f, nil
		}
		return latest[f.ein] == f
	}
	for i := range c.filings {
		if f := &c.filings[i]; f.fate == chosen && f.box {
			isLatest(f)
		}
	}
	var of *filing
	var number int32 // of the section within its return
	err := eachChosen(ctx, c, func(a *stage.Application, f *filing) error {
		if of != f {
			of, number = f, 0
		}
		number++
		listed := hide.has(f, 0, -number)
		if tells(a) && isLatest(f) && len(rows[f.ein]) < maxApplications {
			rows[f.ein] = append(rows[f.ein], b.applicationRow(a, f, number, listed))
		}
		return nil
	})
	c.accepts = make(map[ein.EIN]string, len(latest))
	for _, e := range slices.Sorted(maps.Keys(latest)) {
		if len(rows[e]) == 0 {
			rows[e] = []snapshot.Application{latest[e].answer(0)}
		}
		for _, r := range rows[e] {
			c.applications, c.accepts[e] = append(c.applications, r), r.Accepts
			if r.Masked {
				b.report.Masked.Contacts++
			}
		}
	}
	return err
}

// answer says whether the filer accepts applications.
func (f *filing) answer(number int32) snapshot.Application {
	r := snapshot.Application{EIN: f.ein.String(), Accepts: grant.Accepts, TaxYear: int32(f.year), Filing: f.key(), ObjectID: f.objectID(), Number: number}
	if f.box {
		r.Accepts = grant.Preselects
	}
	return r
}

// applicationRow renders a section. A masked contact keeps its city and state. A section on the list of lines
// to mask loses its texts as well, because they may name the contact.
func (b *builder) applicationRow(a *stage.Application, f *filing, number int32, listed bool) snapshot.Application {
	r := f.answer(number)
	keep := func(text string) string { return strings.Clone(fault.Clip(text, maxApplicationText)) }
	r.City, r.State, r.Country, r.Masked = keep(a.City), keep(a.State), keep(a.Country), listed || b.opt.MaskIndividuals
	if !r.Masked {
		r.Name, r.Street, r.ZIP, r.Phone, r.Email = keep(a.Name), keep(a.Street), keep(a.ZIP), keep(a.Phone), keep(a.Email)
	}
	if !listed {
		r.Form, r.Deadlines, r.Restrictions = keep(a.Form), keep(a.Deadlines), keep(a.Restrictions)
	}
	return r
}

func (b *builder) writeApplications(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	return snapshot.WriteTableUntil(ctx, w, snapshot.Applications, slices.Values(c.applications))
}
