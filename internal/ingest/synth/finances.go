package synth

// finances are the figures of one year. They add up: revenue is the sum of its
// parts, net assets are last year's plus the surplus.
type finances struct {
	revenue, expenses, surplus                        int64
	contributions, program, investment, other, public int64
	net, netBefore, assets, liabilities, cash         int64
	grants, salaries                                  int64
}

// netAssets is what an entity owns at the end of a fiscal year.
func netAssets(e *entity, scaleLog int, fiscal int) int64 {
	base := int64(exp2(min(max(scaleLog, 4*one), 38*one)))
	wobble := int64(scale(sub(e.key, 'W', fiscal), 13)) - 6
	return base * (100 + 4*int64(fiscal-firstFiscal) + wobble) / 100
}

// financesOf are the figures of an entity for a year in which it paid the given grants. wealth is log2 of its usual net assets.
func financesOf(e *entity, fiscal int, grants int64, wealth int) finances {
	var b finances
	own := int64(exp2(min(e.money, 36*one))) * (92 + int64(scale(sub(e.key, 'X', fiscal), 17)) + int64(fiscal-firstFiscal)) / 100
	b.grants = grants
	b.expenses = own + grants
	b.net = netAssets(e, wealth, fiscal)
	b.netBefore = netAssets(e, wealth, fiscal-1)
	b.surplus = b.net - b.netBefore
	b.revenue = b.expenses + b.surplus
	b.liabilities = b.net * int64(scale(sub(e.key, 'L', 0), 9)) / 100
	b.assets = b.net + b.liabilities
	b.cash = b.assets * int64(3+scale(sub(e.key, 'C', 0), 20)) / 100
	b.salaries = own * int64(30+scale(sub(e.key, 'P', 0), 35)) / 100
	rest := b.revenue
	if rest <= 0 {
		b.investment = rest
		return b
	}
	b.investment = min(b.net*int64(1+scale(sub(e.key, 'I', fiscal), 5))/100, rest)
	rest -= b.investment
	if !e.class.is(privateFoundation) {
		share := int64(8 + scale(sub(e.key, 'R', 0), 25))
		switch e.class {
		case hospital, college, school:
			share += 55
		}
		b.program = rest * share / 100
		b.other = rest * int64(scale(sub(e.key, 'H', 0), 4)) / 100
	}
	b.contributions = rest - b.program - b.other
	if !e.class.is(privateFoundation) && odds(sub(e.key, 'G', 0), 4500) {
		b.public = b.contributions * int64(5+scale(sub(e.key, 'G', 1), 60)) / 100
	}
	return b
}

// dues are what members paid, part of the contributions.
func (b *finances) dues(e *entity) int64 {
	if b.contributions <= 0 || !odds(sub(e.key, 'B', 5), 2000) {
		return 0
	}
	return b.contributions * int64(2+scale(sub(e.key, 'B', 6), 15)) / 100
}

// property is what land, buildings and equipment are worth.
func (b *finances) property(e *entity) int64 {
	return max(b.assets-b.cash, 0) * int64(scale(sub(e.key, 'B', 7), 60)) / 100
}

// bossPay is what the director earns, nothing where there is no staff to direct.
func (b *finances) bossPay() int64 {
	if b.salaries <= 300_000 {
		return 0
	}
	return min(60_000+b.expenses/90, 900_000, b.salaries)
}

type functions struct{ program, management, fundraising int64 }

// byFunction is what the money was spent on. It adds up to all expenses.
func (b *finances) byFunction(e *entity) functions {
	f := functions{
		program:     b.expenses * int64(68+scale(sub(e.key, 'B', 8), 24)) / 100,
		fundraising: b.expenses * int64(1+scale(sub(e.key, 'B', 9), 7)) / 100,
	}
	f.management = b.expenses - f.program - f.fundraising
	return f
}

// orgWealth is log2 of the usual net assets of a recipient organization.
func orgWealth(e *entity) int { return e.money - one/2 + scale(sub(e.key, 'w', 1), 2*one) }

// funderWealth is log2 of the usual net assets of a funder: for a foundation, some twenty years of its grants.
func (w *world) funderWealth(e *entity, pf bool) int {
	table, years := &siAmounts, 2
	if pf {
		table, years = &pfAmounts, 18
	}
	typical := table.at(blend(sub(e.key, 'u', 0), 1<<63+1<<61))
	a := uint64(typical)*uint64(w.planned(e.rank)/8+1)*uint64(years) + exp2(min(e.money, 36*one))*4
	return log2(a) + scale(sub(e.key, 'w', 1), one)
}
