package synth

// The annual returns of the register, its widest tables, and the codes by which it classifies charities.

// opening writes the columns that both parts of a return begin with.
func (x *registerTable) opening(k int) {
	p := x.period(k)
	x.begin(0)
	x.put(k == 0, k+1, p.cycle(), p.start, p.end, p.due, p.received)
}

// salaryBands is how many columns count employees by salary.
const salaryBands = 16

func (x *registerTable) partA() {
	kept := 2
	if x.c.income > 500_000 {
		kept = 5
	}
	for k := range x.years(kept) {
		income, spent := x.turnover(k)
		r := rng{sub(x.c.key, 'A', k)}
		x.opening(k)
		x.put(pounds(income), pounds(spent), r.odds(5500), r.odds(200), nil, r.odds(150), nil, r.odds(2200))
		if r.odds(900) {
			x.put(true, 1+r.n(4))
		} else {
			x.put(false, nil)
		}
		if r.odds(2000) {
			x.put(true, 1+r.n(6), nil, pounds(income*int64(5+r.n(40))/100))
		} else {
			x.put(false, nil, nil, nil)
		}
		paid := income > 2_000_000
		x.put(r.odds(500), nil, r.odds(800), false, r.odds(500), r.odds(200), false, paid)
		for i := range salaryBands {
			if paid {
				x.put(r.n(8) >> min(i, 4))
			} else {
				x.put(nil)
			}
		}
		x.put(nil, zipf(r.next(), 400, 8))
		x.end()
	}
}

// partB is filed by the larger charities only.
func (x *registerTable) partB() {
	if x.c.income <= 500_000 {
		return
	}
	for k := range x.years(5) {
		income, spent := x.turnover(k)
		r := rng{sub(x.c.key, 'B', k)}
		share := func(of pounds, most int) pounds { return of * pounds(r.n(most)) / 100 }
		in, out, zero := pounds(income), pounds(spent), pounds(0)
		x.opening(k)
		trading, invested, legacies := share(in, 15), share(in, 12), share(in, 8)
		donations := share(in, 60)
		x.put(donations, in-donations-trading-invested, trading, invested, zero, in, min(legacies, donations), zero)
		raising, grants, governance := share(out, 20), share(out, 45), share(out, 4)
		x.put(raising, out-raising, zero, out, share(invested, 5), grants, governance, share(out, 18), share(out, 5))
		x.put(share(in, 20)-in/20, nil, nil, zero, share(in, 80))
		fixed, cash, owed, late := share(in, 250), share(in, 70), share(in, 30), share(in, 20)
		invests := share(fixed, 80)
		net := fixed + cash - owed - late
		x.put(fixed, fixed-invests, invests, nil, share(in, 10), owed+late, share(in, 10), net, owed, late, cash)
		endowed, restricted := share(net, 20), share(net, 30)
		x.put(endowed, net-endowed-restricted, restricted, net, income/35_000, true, false)
		x.end()
	}
}

// classes are what, whom and how, with the register's codes.
func (x *registerTable) classes() {
	if x.c.removed {
		return
	}
	r := rng{sub(x.c.key, 'C', 0)}
	few := func(first int, kind string, of []string) {
		at := r.n(len(of))
		for n := range 1 + r.n(3) {
			i := (at + n*3) % len(of)
			x.row(0, first+i, kind, of[i])
		}
	}
	few(101, "What", words["uk what"])
	few(201, "Who", words["uk who"])
	few(301, "How", words["uk how"])
}
