package ingest

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/snapshot"
)

// financials holds the figures of the chosen returns. They arrive in the order of the sources and are written
// in the order of their filers. Each return takes one bit per figure of the table and a few bytes per filed
// figure: about 100 bytes, while a row of the table takes 1,000.
type financials struct {
	arena []byte
	at    []uint64 // by filing: where its figures begin, plus one
}

type figure struct {
	column **int64
	filed  irs990.Amount
}

// figures are the filed columns of a row, in a fixed order.
func figures(row *snapshot.Financial, r *stage.FullReturn) []figure {
	b := &r.Books
	return []figure{
		{&row.TotalRevenue, r.Revenue}, {&row.TotalExpenses, r.Expenses}, {&row.Surplus, r.Surplus},
		{&row.TotalAssets, r.Assets}, {&row.TotalAssetsFMV, r.AssetsFMV}, {&row.TotalLiabilities, r.Liabilities},
		{&row.NetAssets, r.NetAssets}, {&row.GrantsPaid, r.GrantsPaid}, {&row.Contributions, r.Contributions},
		{&row.GovernmentGrants, r.GovernmentGrants}, {&row.Dues, b.Dues}, {&row.ProgramServices, r.ProgramRevenue},
		{&row.Investments, b.Investments}, {&row.Rents, b.Rents}, {&row.AssetSales, b.AssetSales}, {&row.Events, b.Events},
		{&row.InventorySales, b.InventorySales}, {&row.Royalties, b.Royalties}, {&row.OtherIncome, b.OtherIncome},
		{&row.ProgramExpenses, b.ProgramExpenses}, {&row.ManagementExpenses, b.ManagementExpenses},
		{&row.FundraisingExpenses, b.FundraisingExpenses}, {&row.CharitableSpending, b.CharitableSpending},
		{&row.OfficerPay, b.OfficerPay}, {&row.OtherPay, b.OtherPay}, {&row.Employees, b.Employees}, {&row.Volunteers, b.Volunteers},
		{&row.Cash, r.Cash}, {&row.Savings, r.Savings}, {&row.Receivables, b.Receivables}, {&row.Inventories, b.Inventories},
		{&row.Securities, b.Securities}, {&row.OtherInvestments, b.OtherInvestments}, {&row.Property, b.Property},
		{&row.OtherAssets, b.OtherAssets}, {&row.Payables, b.Payables}, {&row.GrantsPayable, b.GrantsPayable},
		{&row.DeferredRevenue, b.DeferredRevenue}, {&row.Debt, b.Debt}, {&row.OtherLiabilities, b.OtherLiabilities},
		{&row.UnrestrictedNet, b.UnrestrictedNet}, {&row.RestrictedNet, b.RestrictedNet},
	}
}

func (s *financials) add(at int32, r *stage.FullReturn) {
	s.at[at] = uint64(len(s.arena)) + 1
	s.arena = binary.AppendUvarint(s.arena, uint64(len(r.PeriodBegin)))
	s.arena = append(s.arena, r.PeriodBegin...)
	var filed uint64
	list := figures(&snapshot.Financial{}, r)
	for i, f := range list {
		if f.filed.Set {
			filed |= 1 << i
		}
	}
	s.arena = binary.LittleEndian.AppendUint64(s.arena, filed)
	for _, f := range list {
		if f.filed.Set {
			s.arena = binary.AppendVarint(s.arena, f.filed.Value)
		}
	}
}

func (s *financials) row(at int32, f *filing) snapshot.Financial {
	rest := s.arena[s.at[at]-1:]
	n, size := binary.Uvarint(rest)
	rest = rest[size:]
	row := snapshot.Financial{
		EIN: f.ein.String(), Filing: f.key(), ReturnType: f.form.String(), TaxYear: int32(f.year),
		PeriodBegin: string(rest[:n]), PeriodEnd: formatDate(f.periodEnd), Amended: f.amended, ObjectID: f.objectID(),
	}
	rest = rest[n:]
	filed := binary.LittleEndian.Uint64(rest)
	rest = rest[8:]
	amounts := make([]int64, bits.OnesCount64(filed))
	for i, f := range figures(&row, &stage.FullReturn{}) {
		if filed&(1<<i) != 0 {
			amounts[0], size = binary.Varint(rest)
			*f.column, amounts, rest = &amounts[0], amounts[1:], rest[size:]
		}
	}
	row.MonthsLiquid = monthsLiquid(row.Cash, row.Savings, row.TotalExpenses)
	return row
}

// monthsLiquid is how many months of expenses cash and savings would cover, to a hundredth of a month, or nil if not known.
func monthsLiquid(cash, savings, expenses *int64) *float64 {
	if cash == nil && savings == nil || expenses == nil || *expenses <= 0 {
		return nil
	}
	var liquid int64
	for _, a := range [...]*int64{cash, savings} {
		if a != nil {
			liquid += *a
		}
	}
	return new(math.Round(float64(liquid)*1200/float64(*expenses)) / 100)
}

// write writes the table, in order of EIN, period end and filing.
func (s *financials) write(ctx context.Context, w *snapshot.Writer, filings []filing) error {
	order := make([]int32, 0, len(filings))
	for i := range s.at {
		if s.at[i] != 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(x, y int32) int {
		a, b := &filings[x], &filings[y]
		return cmp.Or(cmp.Compare(a.ein, b.ein), cmp.Compare(a.periodEnd, b.periodEnd), strings.Compare(a.key(), b.key()))
	})
	return snapshot.WriteTableUntil(ctx, w, snapshot.Financials, snapshot.Each(order, func(at int32) snapshot.Financial { return s.row(at, &filings[at]) }))
}

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
