package ingest

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/snapshot"
)

// fullReturn is a staged return with its figures by kind.
type fullReturn struct {
	stagedReturn
	books stagedBooks
}

// readReturns reads the returns of a shard. The two tables that hold them have a
// row for each, in the same order.
func (b *builder) readReturns(ctx context.Context, s *shard) iter.Seq2[fullReturn, error] {
	return func(yield func(fullReturn, error) bool) {
		next, stop := iter.Pull2(readStaged[stagedBooks](ctx, b, s, "books"))
		defer stop()
		for r, err := range readStaged[stagedReturn](ctx, b, s, "returns") {
			full := fullReturn{stagedReturn: r}
			if err == nil {
				var ok bool
				if full.books, err, ok = next(); err == nil && (!ok || full.books.Seq != r.Seq) {
					err = fmt.Errorf("the staged shard %s has no figures of its return %d", s.key, r.Seq)
				}
			}
			if !yield(full, err) || err != nil {
				return
			}
		}
	}
}

// financials holds the figures of the chosen returns while they come in the
// order of the sources and are to be written in that of their filers. Each takes
// a bit for every figure of the table and a few bytes for those that were filed:
// about a hundred bytes in all, where a row of the table has a thousand.
type financials struct {
	arena []byte
	at    []uint64 // by filing: where its figures begin, plus one
}

func newFinancials(filings int) *financials { return &financials{at: make([]uint64, filings)} }

// has reports whether a return has figures of its own. A 990-T has none of the
// table's: it is about a tax.
func (f *filing) hasFinancials() bool {
	return f.form == form990 || f.form == form990EZ || f.form == form990PF
}

// figures are the columns of a row that were filed, in a fixed order.
func figures(r *snapshot.Financial) []**int64 {
	return []**int64{
		&r.TotalRevenue, &r.TotalExpenses, &r.Surplus, &r.TotalAssets, &r.TotalAssetsFMV, &r.TotalLiabilities, &r.NetAssets, &r.GrantsPaid,
		&r.Contributions, &r.GovernmentGrants, &r.Dues, &r.ProgramServices, &r.Investments, &r.Rents, &r.AssetSales, &r.Events, &r.InventorySales, &r.Royalties, &r.OtherIncome,
		&r.ProgramExpenses, &r.ManagementExpenses, &r.FundraisingExpenses, &r.CharitableSpending, &r.OfficerPay, &r.OtherPay, &r.Employees, &r.Volunteers,
		&r.Cash, &r.Savings, &r.Receivables, &r.Inventories, &r.Securities, &r.OtherInvestments, &r.Property, &r.OtherAssets,
		&r.Payables, &r.GrantsPayable, &r.DeferredRevenue, &r.Debt, &r.OtherLiabilities, &r.UnrestrictedNet, &r.RestrictedNet,
	}
}

// add takes the figures of the return that is filing number at.
func (s *financials) add(at int32, r *fullReturn) {
	b := &r.books
	row := snapshot.Financial{
		TotalRevenue: r.Revenue, TotalExpenses: r.Expenses, Surplus: r.Surplus, TotalAssets: r.Assets, TotalAssetsFMV: r.AssetsFMV,
		TotalLiabilities: r.Liabilities, NetAssets: r.NetAssets, GrantsPaid: r.GrantsPaid,
		Contributions: r.Contributions, GovernmentGrants: r.GovernmentGrants, Dues: b.Dues, ProgramServices: r.ProgramRevenue, Investments: b.Investments,
		Rents: b.Rents, AssetSales: b.AssetSales, Events: b.Events, InventorySales: b.InventorySales, Royalties: b.Royalties, OtherIncome: b.OtherIncome,
		ProgramExpenses: b.ProgramExpenses, ManagementExpenses: b.ManagementExpenses, FundraisingExpenses: b.FundraisingExpenses,
		CharitableSpending: b.CharitableSpending, OfficerPay: b.OfficerPay, OtherPay: b.OtherPay, Employees: b.Employees, Volunteers: b.Volunteers,
		Cash: r.Cash, Savings: r.Savings, Receivables: b.Receivables, Inventories: b.Inventories, Securities: b.Securities,
		OtherInvestments: b.OtherInvestments, Property: b.Property, OtherAssets: b.OtherAssets,
		Payables: b.Payables, GrantsPayable: b.GrantsPayable, DeferredRevenue: b.DeferredRevenue, Debt: b.Debt, OtherLiabilities: b.OtherLiabilities,
		UnrestrictedNet: b.UnrestrictedNet, RestrictedNet: b.RestrictedNet,
	}
	s.at[at] = uint64(len(s.arena)) + 1
	s.arena = binary.AppendUvarint(s.arena, uint64(len(r.PeriodBegin)))
	s.arena = append(s.arena, r.PeriodBegin...)
	var filed uint64
	list := figures(&row)
	for i, v := range list {
		if *v != nil {
			filed |= 1 << i
		}
	}
	s.arena = binary.LittleEndian.AppendUint64(s.arena, filed)
	for _, v := range list {
		if *v != nil {
			s.arena = binary.AppendVarint(s.arena, **v)
		}
	}
}

// row is the row of a filing.
func (s *financials) row(at int32, f *filing) snapshot.Financial {
	rest := s.arena[s.at[at]-1:]
	n, size := binary.Uvarint(rest)
	rest = rest[size:]
	row := snapshot.Financial{
		EIN: f.ein.String(), Filing: f.key(), ReturnType: f.form.String(), TaxYear: int32(f.year),
		PeriodBegin: string(rest[:n]), PeriodEnd: formatDate(f.periodEnd), Amended: f.amended,
	}
	if f.object != 0 {
		row.ObjectID = row.Filing
	}
	rest = rest[n:]
	filed := binary.LittleEndian.Uint64(rest)
	rest = rest[8:]
	amounts := make([]int64, bits.OnesCount64(filed))
	for i, v := range figures(&row) {
		if filed&(1<<i) != 0 {
			amounts[0], size = binary.Varint(rest)
			*v, amounts, rest = &amounts[0], amounts[1:], rest[size:]
		}
	}
	row.MonthsLiquid = monthsLiquid(row.Cash, row.Savings, row.TotalExpenses)
	return row
}

// monthsLiquid is how many months of expenses cash and savings would pay for,
// nil when that is not known.
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
	months := float64(liquid) * 12 / float64(*expenses)
	return &months
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
	return writeTable(ctx, w, snapshot.Financials, func(yield func(snapshot.Financial) bool) {
		for _, at := range order {
			if !yield(s.row(at, &filings[at])) {
				return
			}
		}
	})
}
