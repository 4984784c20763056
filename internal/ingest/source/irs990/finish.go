package irs990

import "reflect"

// maxAddends is how many lines make up a figure of Books at most.
const maxAddends = 6

// addends are the lines that make up the figures of Books that have several. They
// are summed when the return ends: a line that was filed twice counts once, and a
// line that was not filed adds nothing. The fields have the names of those of
// Books.
type addends struct {
	Investments, Events                                [maxAddends]Amount
	Receivables, Securities, OtherInvestments          [maxAddends]Amount
	OtherAssets, Debt, OtherLiabilities, RestrictedNet [maxAddends]Amount
}

// summed pairs each field of addends with the figure that it makes up.
var summed = func() (list [][2]field) {
	for f := range reflect.TypeFor[addends]().Fields() {
		list = append(list, [2]field{fieldAt("addends." + f.Name), fieldAt("Books." + f.Name)})
	}
	return list
}()

// add is the sum of an amount and another that may not have been filed.
func (a Amount) add(b Amount) Amount {
	if !b.Set {
		return a
	}
	return Amount{Value: a.Value + b.Value, Set: true}
}

// finish settles the fields that can come from more than one place.
func (rd *Reader) finish() {
	r := rd.ret
	for _, mission := range [...]string{rd.mission, r.Activity, rd.purpose} {
		if mission != "" {
			r.Mission = mission
			break
		}
	}
	r.Money.NetAssets = r.Money.NetAssets.Or(rd.netAssets)
	r.Money.AssetsFMV = r.Money.AssetsFMV.Or(rd.assetsFMV)
	for _, a := range rd.income {
		r.Money.InvestmentIncome = r.Money.InvestmentIncome.add(a)
	}
	r.Money.GrantsPaid = r.Money.GrantsPaid.Or(r.Declared.PFPaidCharity).Or(r.Declared.PFPaidBooks)
	rd.finishBooks()
}

// finishBooks sums the figures that several lines make up, and takes over the
// lines that have a place among the other figures.
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
