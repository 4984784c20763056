package irs990

import (
	"cmp"
	"reflect"
)

// maxAddends is the largest number of form lines that make up one figure of Books.
const maxAddends = 6

// addends holds the form lines behind each figure of Books that is a sum of several lines. They are summed
// when the return ends: a line that was filed twice counts once, and a line that was not filed adds nothing.
// Each field has the name of its figure in Books.
type addends struct {
	Investments, Events                                [maxAddends]Amount
	Receivables, Securities, OtherInvestments          [maxAddends]Amount
	OtherAssets, Debt, OtherLiabilities, RestrictedNet [maxAddends]Amount
}

var summed = func() (list [][2]field) {
	for f := range reflect.TypeFor[addends]().Fields() {
		list = append(list, [2]field{fieldAt("addends." + f.Name), fieldAt("Books." + f.Name)})
	}
	return list
}()

func (a Amount) add(b Amount) Amount {
	if !b.Set {
		return a
	}
	return Amount{Value: a.Value + b.Value, Set: true}
}

// finish settles the fields that can come from more than one place.
func (rd *Reader) finish() {
	r := rd.ret
	r.Mission = cmp.Or(rd.mission, r.Activity, rd.purpose)
	r.Money.NetAssets = r.Money.NetAssets.Or(rd.netAssets)
	r.Money.AssetsFMV = r.Money.AssetsFMV.Or(rd.assetsFMV)
	for _, a := range rd.income {
		r.Money.InvestmentIncome = r.Money.InvestmentIncome.add(a)
	}
	r.Money.GrantsPaid = r.Money.GrantsPaid.Or(r.Declared.PFPaidCharity).Or(r.Declared.PFPaidBooks)
	rd.finishBooks()
}

// finishBooks sums the figures that several lines make up, and copies lines that were read for other figures.
func (rd *Reader) finishBooks() {
	r, b := rd.ret, &rd.ret.Books
	switch r.Form {
	case "990EZ", "990EO":
		rd.addends.Investments[0] = r.Money.InvestmentIncome
		b.OtherIncome = r.Money.OtherIncome
	case "990PF":
		copy(rd.addends.Investments[:], rd.income[:2])
		b.AssetSales, b.OtherIncome = rd.income[2], r.Money.OtherIncome
	}
	for _, s := range summed {
		total := (*Amount)(s[1].at(rd))
		for _, a := range (*[maxAddends]Amount)(s[0].at(rd)) {
			*total = total.add(a)
		}
	}
}
