package ingest

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"

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
