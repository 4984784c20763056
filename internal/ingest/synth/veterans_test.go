package synth

import (
	"bytes"
	"testing"

	"grantgraph/internal/ingest/source/irs990"
)

// TestVeterans: every world has the charity that the documentation looks for,
// and it is as the documentation says.
func TestVeterans(t *testing.T) {
	t.Parallel()
	zips := shippedZIPs()
	for _, grants := range []int{10, 1_000, 2_000, 20_000, 200_000} {
		for seed := range uint64(12) {
			w := newWorld(seed, grants, zips)
			if w.veterans < 0 {
				t.Fatalf("%d grants, seed %d: there is none", grants, seed)
			}
			var e entity
			w.org(w.veterans, &e)
			c := w.irsCodes(&e)
			if e.zip.State != "OH" || !e.listed || w.exemption(&e) != good || w.pub78Code(&e, &c) == "" || fields[e.field].code[0] != 'W' {
				t.Fatalf("%d grants, seed %d: %+v, %q", grants, seed, e, w.pub78Code(&e, &c))
			}
			if _, named := w.namedInBulletin[w.veterans]; named {
				t.Errorf("%d grants, seed %d: a bulletin names it", grants, seed)
			}
			filed := 0
			for fiscal := firstFiscal; fiscal <= lastFiscal; fiscal++ {
				if !w.orgFiles(w.veterans, fiscal) {
					continue
				}
				filed++
				if bk := financesOf(&e, fiscal, 0, orgWealth(&e)); bk.revenue < 1_000_000 || bk.revenue > 10_000_000 {
					t.Errorf("%d grants, seed %d: revenue %d in %d", grants, seed, bk.revenue, fiscal)
				}
			}
			if filed == 0 {
				t.Errorf("%d grants, seed %d: it files nothing", grants, seed)
			}
			g := &gen{w: w}
			if m := g.appendMission(nil, &e); !bytes.Contains(m, []byte("veterans")) || !bytes.Contains(m, []byte("housing")) {
				t.Errorf("mission %q", m)
			}
		}
	}
}

// checkBooks: the kinds of a return add up to its sums.
func checkBooks(t *testing.T, r *returnReading) {
	t.Helper()
	sum := func(list ...irs990.Amount) (n int64) {
		for _, a := range list {
			n += a.Value
		}
		return n
	}
	m, b := &r.Money, &r.Books
	income := sum(m.Contributions, m.ProgramRevenue, b.Investments, b.Rents, b.AssetSales, b.Events, b.InventorySales, b.Royalties, b.OtherIncome)
	assets := sum(m.Cash, m.Savings, b.Receivables, b.Inventories, b.Securities, b.OtherInvestments, b.Property, b.OtherAssets)
	owed := sum(b.Payables, b.GrantsPayable, b.DeferredRevenue, b.Debt, b.OtherLiabilities)
	net := sum(b.UnrestrictedNet, b.RestrictedNet)
	spent := sum(b.ProgramExpenses, b.ManagementExpenses, b.FundraisingExpenses)
	switch r.Form {
	case "990EZ":
		income += b.Dues.Value
		owed, net, spent = m.Liabilities.Value, m.NetAssets.Value, m.Expenses.Value
	case "990PF":
		spent = m.Expenses.Value
	case "990T":
		return
	}
	if income != m.Revenue.Value || assets != m.Assets.Value || owed != m.Liabilities.Value || net != m.NetAssets.Value || spent != m.Expenses.Value ||
		m.Assets.Value != m.Liabilities.Value+m.NetAssets.Value {
		t.Errorf("%s, a %s: income %d, assets %d, owed %d, net %d, spent %d of %+v", r.object, r.Form, income, assets, owed, net, spent, *m)
	}
}
