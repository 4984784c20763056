package example

import (
	"context"
	"fmt"
	"sync"

	"grantgraph/internal/grant"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
)

// Directory lists the organizations of the examples, those of the master file
// and the one that was revoked, and how they stand with the lists.
func Directory() (*directory.Index, *screen.Standing) { return listed().x, listed().standing }

type listedOrgs struct {
	x        *directory.Index
	standing *screen.Standing
}

// listed makes it once: nothing changes it, and it holds no file open.
var listed = sync.OnceValue(func() listedOrgs {
	var orgs []snapshot.Organization
	var filings []snapshot.Org
	known := rows()
	for i := range known.Masters {
		m := &known.Masters[i]
		if len(known.Revoked) > 0 && known.Revoked[0].EIN < m.EIN {
			v := known.Revoked[0]
			orgs = append(orgs, snapshot.Organization{EIN: v.EIN, Name: v.Name, City: v.City, State: v.State, Subsection: v.Subsection})
			known.Revoked = nil
		}
		orgs = append(orgs, snapshot.Organization{EIN: m.EIN, Name: m.Name, City: m.City, State: m.State, ZIP5: m.ZIP[:5], NTEE: m.NTEE, Subsection: m.Subsection, Foundation: m.Foundation, Ruling: m.Ruling})
		filing := snapshot.Org{EIN: m.EIN, Name: m.Name, ReturnType: "990", TaxYear: 2024, PeriodEnd: "2024-12-31", TotalRevenue: m.Revenue, TotalAssets: m.Assets}
		if m.Foundation == "04" {
			filing.ReturnType = "990PF"
		}
		expenses := *m.Revenue * 9 / 10
		filing.TotalExpenses = &expenses
		switch m.EIN {
		case "000000001", "000000002":
			paid := *m.Revenue / 2
			filing.GrantsPaid = &paid
		}
		filings = append(filings, filing)
	}
	funders := []snapshot.FunderKind{{FunderEIN: "000000001", Kind: grant.PublicCharity}, {FunderEIN: "000000002", Kind: grant.PrivateFoundation}}
	x, err := directory.Of(orgs, filings, funders)
	if err != nil {
		panic(fmt.Sprint("example: the directory cannot be made: ", err)) // a mistake in the rows, met by every test
	}
	standing, err := screen.NewStanding(x.EINs(), Screener())
	if err != nil {
		panic(fmt.Sprint("example: ", err))
	}
	return listedOrgs{x, standing}
})

// Search finds all organizations of the index that are looked for, whatever the
// words.
func (x Index) Search(_ context.Context, a search.Ask) (search.Answer, error) {
	found := search.Answer{Mode: search.Text}
	if len(a.Text) < 2 {
		return found, nil
	}
	for _, r := range x {
		org, ok := listed().x.Number(r.EIN)
		if a.Within == nil || ok && a.Within[org>>6]>>(org&63)&1 != 0 {
			r.Org = org
			if found.Hits++; found.Hits <= a.Limit {
				found.Results = append(found.Results, r)
			}
		}
	}
	return found, nil
}

// Matching is the same as a set.
func (x Index) Matching(ctx context.Context, a search.Ask) ([]uint64, error) {
	set := make([]uint64, (listed().x.Len()+63)/64)
	a.Limit = len(x)
	found, err := x.Search(ctx, a)
	for _, r := range found.Results {
		set[r.Org>>6] |= 1 << (r.Org & 63)
	}
	return set, err
}
