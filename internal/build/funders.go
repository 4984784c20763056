package build

import (
	"slices"

	"grantgraph/internal/classify"
	"grantgraph/internal/ein"
)

// funder is one grantmaker with its rows.
type funder struct {
	ein      ein.EIN
	from, to int // into linked.rows
	grantees int
	total    int64
	kind     classify.Kind
	*filer
}

// sortFunders takes the funders from the ordered rows and says what kind each
// is.
func (l *linked) sortFunders(c *choice, g *lines, filers map[ein.EIN]*filer) {
	for from := 0; from < len(l.rows); {
		e := c.filings[g.filing[l.rows[from]]].ein
		to := from + 1
		for to < len(l.rows) && c.filings[g.filing[l.rows[to]]].ein == e {
			to++
		}
		fl := filers[e]
		f := funder{ein: e, from: from, to: to, filer: fl}
		facts := classify.FunderFacts{Name: fl.name, ReturnType: c.filings[fl.filing].form.String(), Grants: to - from, DAFGrantsYearPaid: fl.dafOf}
		if fl.dafHeld != nil {
			facts.DAFCount = *fl.dafHeld
		}
		if fl.dafPaid != nil {
			facts.DAFGrants = *fl.dafPaid
		}
		amounts := make([]int64, 0, to-from)
		yearly := make([]uint64, 0, to-from) // year and recipient
		for i, row := range l.rows[from:to] {
			if i == 0 || l.recip[row] != l.recip[l.rows[from+i-1]] {
				f.grantees++
			}
			f.total += g.amount[row]
			amounts = append(amounts, g.amount[row])
			yearly = append(yearly, uint64(c.filings[g.filing[row]].year)<<32|uint64(l.recip[row]))
		}
		slices.Sort(amounts)
		slices.Sort(yearly)
		inYear := 0
		for i := range yearly {
			switch {
			case i > 0 && yearly[i] == yearly[i-1]:
				continue
			case i > 0 && yearly[i]>>32 == yearly[i-1]>>32:
				inYear++
			default:
				inYear = 1
			}
			facts.GranteesBestYear = max(facts.GranteesBestYear, inYear)
		}
		facts.Grantees, facts.TotalOut, facts.MedianGrant = f.grantees, f.total, amounts[len(amounts)/2]
		f.kind = classify.KindOf(facts)
		l.funders = append(l.funders, f)
		from = to
	}
	l.kind = make(map[ein.EIN]*funder, len(l.funders))
	for i := range l.funders {
		l.kind[l.funders[i].ein] = &l.funders[i]
	}
}
