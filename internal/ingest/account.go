package ingest

import (
	"context"
	"iter"

	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/snapshot"
)

// asides holds the lists of a return that make no grants.
type asides struct {
	sums   [irs990.Parts]asideSum
	abroad []asideLine // of Schedule F, in the order of the return
}

type asideSum struct {
	lines         int32
	cash, noncash int64
}

type asideLine struct {
	part                      uint8
	line                      int32
	region, purpose           uint32 // into corpus.asideTexts
	recipients, cash, noncash int64
}

// gatherAsides reads the lists of the chosen returns that make no grants.
func (c *corpus) gatherAsides(ctx context.Context) error {
	c.asides, c.asideTexts = map[*filing]*asides{}, newInterner()
	return eachChosen(ctx, c, func(l *stage.Aside, f *filing) error {
		a := c.asides[f]
		if a == nil {
			a = &asides{}
			c.asides[f] = a
		}
		part := irs990.Part(l.Part)
		s := &a.sums[part%irs990.Parts]
		s.lines++
		s.cash += l.Cash
		s.noncash += l.NonCash
		if part == irs990.ScheduleF || part == irs990.ScheduleFPeople {
			a.abroad = append(a.abroad, asideLine{uint8(l.Part), l.Line, c.asideTexts.id([]byte(l.Region)), c.asideTexts.id([]byte(l.Purpose)),
				l.Recipients, l.Cash, l.NonCash})
		}
		return nil
	})
}

// accountOf says where the dollars are that a return says were given: the amounts that
// are not zero, in the order of grant.Amounts.
func (c *corpus) accountOf(f *filing) (list []snapshot.GrantAccount) {
	a, of := &f.account, c.asides[f]
	if of == nil {
		of = &asides{}
	}
	people, orgs, peopleAbroad, future := of.sums[irs990.ScheduleIPeople], of.sums[irs990.ScheduleF], of.sums[irs990.ScheduleFPeople], of.sums[irs990.PFFuture]
	type amount struct {
		lines   int32
		dollars int64
	}
	amounts := map[string]amount{
		grant.Itemized: {a.Rows, a.Sum}, grant.Reversals: {a.Negative, a.NegativeSum}, grant.NonCash: {a.GoodsLines, a.Goods},
		grant.People: {people.lines, people.cash}, grant.PeopleNonCash: {people.lines, people.noncash},
		grant.Abroad: {orgs.lines, orgs.cash}, grant.AbroadNonCash: {orgs.lines, orgs.noncash},
		grant.PeopleAbroad: {peopleAbroad.lines, peopleAbroad.cash}, grant.PeopleAbroadGoods: {peopleAbroad.lines, peopleAbroad.noncash},
		grant.FutureCommitments: {future.lines, future.cash},
	}
	if f.given >= 0 {
		rest := f.given
		for _, k := range grant.Amounts() {
			if k.Given {
				rest -= amounts[k.Kind].dollars
			}
		}
		amounts[grant.Unlisted], amounts[grant.DeclaredTotal] = amount{0, rest}, amount{0, f.given}
	}
	for _, k := range grant.Amounts() {
		if x := amounts[k.Kind]; x.dollars != 0 {
			list = append(list, snapshot.GrantAccount{EIN: f.ein.String(), Filing: f.key(), ObjectID: f.objectID(), ReturnType: f.form.String(),
				TaxYear: int32(f.year), PeriodEnd: formatDate(f.periodEnd), Kind: k.Kind, Given: k.Given, Lines: x.lines, Amount: x.dollars})
		}
	}
	return list
}

// eachFiling makes the rows of a table from the chosen returns, in the order of their filers.
func eachFiling[T any](c *corpus, rows func(*filing) []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range c.filings {
			if f := &c.filings[i]; f.fate == chosen {
				for _, r := range rows(f) {
					if !yield(r) {
						return
					}
				}
			}
		}
	}
}

func (b *builder) writeAccounts(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	sums := map[string]*Count{}
	for _, k := range grant.Amounts() {
		sums[k.Kind] = &Count{Name: k.Kind}
	}
	err := snapshot.WriteTableUntil(ctx, w, snapshot.GrantAccounts, eachFiling(c, func(f *filing) []snapshot.GrantAccount {
		list := c.accountOf(f)
		for i := range list {
			s := sums[list[i].Kind]
			s.Grants += int64(list[i].Lines)
			s.TotalAmount += list[i].Amount
		}
		return list
	}))
	b.report.Account = each.Append(b.report.Account, grant.Amounts(), func(k grant.Amount) Count { return *sums[k.Kind] })
	return err
}

// writeAbroad writes the lines of Schedule F of the chosen returns.
func (b *builder) writeAbroad(ctx context.Context, w *snapshot.Writer, c *corpus) error {
	return snapshot.WriteTableUntil(ctx, w, snapshot.GrantsAbroad, eachFiling(c, func(f *filing) (list []snapshot.GrantAbroad) {
		a := c.asides[f]
		if a == nil {
			return nil
		}
		for _, l := range a.abroad {
			list = append(list, snapshot.GrantAbroad{EIN: f.ein.String(), Filing: f.key(), ObjectID: f.objectID(), TaxYear: int32(f.year),
				Part: partName(l.part), Line: l.line, Individuals: irs990.Part(l.part) == irs990.ScheduleFPeople, Region: c.asideTexts.at(l.region),
				Purpose: c.asideTexts.at(l.purpose), Recipients: l.recipients, Amount: l.cash, NonCash: l.noncash})
		}
		return list
	}))
}
