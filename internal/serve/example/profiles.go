package example

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/snapshot"
)

// table is rows as a table has them.
func table[T any](rows ...T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Profiles are the profiles of the organizations of the other examples.
func Profiles() *profile.Index {
	dollars := func(n int64) *int64 { return &n }
	org := func(e ein.EIN, name, street, city, state, zip, county, foundation, ntee, ruling string, sources int32) snapshot.Organization {
		return snapshot.Organization{
			EIN: e.String(), Name: name, Street: street, City: city, State: state, ZIP5: zip, County: county, NTEE: ntee, Subsection: "03", Foundation: foundation,
			Affiliation: "3", Deductible: "1", Ruling: ruling, FilingReq: "01", LastPeriod: "202412", Sources: sources, Active: true,
		}
	}
	listed := int32(snapshot.SourceBMF | snapshot.SourcePub78)
	orgs := []snapshot.Organization{
		org(1, "EXAMPLE COMMUNITY FOUNDATION", "1 MAIN ST", "SPRINGFIELD", "IL", "62701", "17167", "15", "T31", "199806", listed|snapshot.SourceFiler),
		org(2, "EXAMPLE FAMILY FOUNDATION", "2 OAK AVE", "PORTLAND", "OR", "97201", "41051", "04", "T22", "200511", listed|snapshot.SourceFiler),
		{EIN: ein.EIN(3).String(), Name: "EXAMPLE DONOR ADVISED FUND", City: "DOVER", State: "DE", ZIP5: "19901", County: "10001", Sources: snapshot.SourceFiler, Active: true},
		org(4, "EXAMPLE FOOD PANTRY", "4 MILL RD", "SPRINGFIELD", "IL", "62701", "17167", "15", "K31", "201203", listed),
		org(5, "EXAMPLE CITY MUSEUM", "5 LAKE DR", "CHICAGO", "IL", "60601", "17031", "15", "A50", "198710", listed),
		{EIN: ein.EIN(6).String(), Name: "EXAMPLE LAPSED CLUB", City: "DAYTON", State: "OH", Subsection: "03", Sources: snapshot.SourceRevoked},
		org(7, "EXEMPLARY GAP TRADING COMPANY RELIEF FUND", "7 HARBOR BLVD", "NEWARK", "NJ", "07101", "34013", "15", "M20", "201905", listed),
		org(8, "EXAMPLE COAST ALLIANCE", "8 BAY ST", "OAKLAND", "CA", "94601", "06001", "15", "C30", "200902", listed),
	}
	orgs[0].AlsoKnown, orgs[0].Former = []string{"EXAMPLE COMMUNITY FUND"}, []string{"EXAMPLE COUNTY COMMUNITY CHEST"}
	orgs[3].Revenue, orgs[4].Revenue = dollars(148_000), dollars(840_000)
	filers := []snapshot.Org{
		{EIN: ein.EIN(1).String(), ReturnType: "990", Filing: "example-2022", TaxYear: 2022, Website: "https://community.example.org", FormationYear: "1997",
			Mission: "TO CONNECT PEOPLE WHO CARE WITH CAUSES THAT MATTER IN EXAMPLE COUNTY", TotalRevenue: dollars(4_200_000)},
		{EIN: ein.EIN(2).String(), ReturnType: "990PF", Filing: "example-pf-2020", TaxYear: 2020, TotalRevenue: dollars(610_000)},
	}
	kinds := []snapshot.FunderKind{
		{FunderEIN: ein.EIN(1).String(), Kind: grant.PublicCharity}, {FunderEIN: ein.EIN(2).String(), Kind: grant.PrivateFoundation}, {FunderEIN: ein.EIN(3).String(), Kind: grant.Passthrough, IsDAF: true},
	}
	x, err := profile.New(&profile.Tables{
		Organizations: table(orgs...), Orgs: table(filers...), FunderKinds: table(kinds...),
		Financials: table(communityYear(2021, 3_900_000), communityYear(2022, 4_200_000), familyYear()),
		Returns: table(
			snapshot.Return{EIN: ein.EIN(1).String(), ObjectID: objectID(2021), Form: "990", TaxYear: 2021, PeriodEnd: "2021-12-31", Fate: "chosen"},
			snapshot.Return{EIN: ein.EIN(1).String(), ObjectID: objectID(2022), Form: "990", TaxYear: 2022, PeriodEnd: "2022-12-31", Fate: "chosen", Amended: true},
			snapshot.Return{EIN: ein.EIN(2).String(), ObjectID: objectID(2020), Form: "990PF", TaxYear: 2020, PeriodEnd: "2020-12-31", Fate: "chosen"},
		),
		People: table(
			snapshot.Person{EIN: ein.EIN(2).String(), Filing: "example-pf-2020", TaxYear: 2020, Name: "PAT EXAMPLE", Title: "PRESIDENT", Hours: "5.00", Compensation: dollars(0), Director: true, Officer: true},
			snapshot.Person{EIN: ein.EIN(2).String(), Filing: "example-pf-2020", TaxYear: 2020, Name: "KIM SAMPLE", Title: "TREASURER", Hours: "10.00", Compensation: dollars(24_000), Officer: true},
		),
		ServiceAreas: table(
			snapshot.ServiceArea{EIN: ein.EIN(1).String(), FIPS: "17167", Level: "county", Name: "Sangamon County, IL", Source: "mission", Confidence: 0.9},
			snapshot.ServiceArea{EIN: ein.EIN(2).String(), FIPS: "17", Level: "state", Name: "Illinois", Source: "grants", Confidence: 0.8},
		),
		BoardLinks: table(snapshot.BoardLink{E1: ein.EIN(1).String(), E2: ein.EIN(2).String(), SharedPeople: 1, Conf: 0.92}),
		Families:   table(snapshot.OrgFamily{EIN: ein.EIN(2).String(), FamilyID: "family-example", FamilyName: "EXAMPLE FAMILY", FamilySize: 2, CombinedRevenue: 710_000}),
		Assets: table(snapshot.AssetProfile{EIN: ein.EIN(2).String(), TotalAssetsFMV: dollars(9_100_000), ClassifiedFMV: 8_000_000, PublicEquityFMV: 5_500_000, FixedIncomeFMV: 2_500_000,
			TopHoldingFMV: 5_500_000, Items: 2, SelfManaged: true}),
		Holdings: table(
			snapshot.FoundationHolding{EIN: ein.EIN(2).String(), CanonicalName: "EXAMPLE TOTAL MARKET INDEX FUND", FMV: 5_500_000, EntityType: "fund", AssetClass: "public_equity", Vehicle: "index_fund", Status: "corroborated_public"},
			snapshot.FoundationHolding{EIN: ein.EIN(2).String(), CanonicalName: "EXAMPLE BOND FUND", FMV: 2_500_000, EntityType: "fund", AssetClass: "fixed_income", Status: "corroborated_public"},
		),
		Awards: table(
			snapshot.GovAward{EIN: ein.EIN(5).String(), Level: profile.Federal, Kind: "grant", Agency: "EXAMPLE ENDOWMENT FOR MUSEUMS", Program: "MUSEUMS FOR ALL", Listing: "45.301", AwardID: "EX-2023-0001",
				FiscalYear: 2023, Amount: 150_000, ActionDate: "2023-04-03", Basis: "uei", Confidence: 0.99},
			snapshot.GovAward{EIN: ein.EIN(5).String(), Level: profile.Federal, Kind: "grant", Agency: "EXAMPLE ENDOWMENT FOR MUSEUMS", Program: "MUSEUMS FOR ALL", Listing: "45.301", AwardID: "EX-2021-0007",
				FiscalYear: 2021, Amount: 80_000, ActionDate: "2021-09-14", Basis: "duns", Confidence: 0.95},
			snapshot.GovAward{EIN: ein.EIN(5).String(), Level: profile.State, State: "IL", Kind: "grant", Agency: "EXAMPLE DEPARTMENT OF CULTURE", Program: "CAPITAL GRANTS", AwardID: "IL-77",
				FiscalYear: 2022, Amount: 40_000.5, Basis: "name", Confidence: 0.9},
		),
		Coverage: snapshot.AwardCoverage{FederalThrough: "2025-09-30", StatesRead: []string{"CA", "IL"}},
	})
	if err != nil {
		panic("example: " + err.Error())
	}
	return x
}

func objectID(year int) string { return fmt.Sprintf("%d00000000000001", year) }

func communityYear(year int32, revenue int64) snapshot.Financial {
	dollars := func(n int64) *int64 { return &n }
	months := 7.5
	return snapshot.Financial{
		EIN: ein.EIN(1).String(), Filing: fmt.Sprintf("example-%d", year), ObjectID: objectID(int(year)), ReturnType: "990", TaxYear: year,
		PeriodBegin: fmt.Sprintf("%d-01-01", year), PeriodEnd: fmt.Sprintf("%d-12-31", year), Amended: year == 2022,
		TotalRevenue: &revenue, TotalExpenses: dollars(revenue - 400_000), Surplus: dollars(400_000), TotalAssets: dollars(21_000_000), TotalLiabilities: dollars(1_200_000), NetAssets: dollars(19_800_000),
		GrantsPaid: dollars(2_600_000), MonthsLiquid: &months, Contributions: dollars(revenue - 700_000), Investments: dollars(700_000),
		ProgramExpenses: dollars(revenue - 900_000), ManagementExpenses: dollars(300_000), FundraisingExpenses: dollars(200_000), OfficerPay: dollars(180_000), OtherPay: dollars(410_000), Employees: dollars(11),
		Cash: dollars(900_000), Savings: dollars(1_475_000), Securities: dollars(18_000_000), Payables: dollars(200_000), GrantsPayable: dollars(1_000_000), UnrestrictedNet: dollars(4_800_000), RestrictedNet: dollars(15_000_000),
	}
}

func familyYear() snapshot.Financial {
	dollars := func(n int64) *int64 { return &n }
	return snapshot.Financial{
		EIN: ein.EIN(2).String(), Filing: "example-pf-2020", ObjectID: objectID(2020), ReturnType: "990PF", TaxYear: 2020, PeriodBegin: "2020-01-01", PeriodEnd: "2020-12-31",
		TotalRevenue: dollars(610_000), TotalExpenses: dollars(180_000), Surplus: dollars(430_000), TotalAssets: dollars(8_500_000), TotalAssetsFMV: dollars(9_100_000), NetAssets: dollars(8_500_000),
		GrantsPaid: dollars(75_000), Investments: dollars(160_000), AssetSales: dollars(450_000), CharitableSpending: dollars(110_000), OfficerPay: dollars(24_000), Cash: dollars(40_000), Securities: dollars(8_000_000),
	}
}

// The grants of one organization, as profiles add them up.

// side are the rows of an organization at one end of its grants.
func (x Graph) side(e ein.EIN, side graph.Side) []graph.Grant {
	return slices.DeleteFunc(slices.Clone(x.Rows), func(g graph.Grant) bool {
		if side == graph.Gave {
			return g.Funder.EIN != e
		}
		return g.Recipient.EIN != e
	})
}

// Sums are the totals of what an organization gave or received.
func (x Graph) Sums(ctx context.Context, e ein.EIN, side graph.Side) (graph.PartySums, error) {
	l, err := x.Ledger(ctx, e, side, 0, nil)
	return l.PartySums, err
}

// Ledger adds up what an organization gave or received.
func (x Graph) Ledger(_ context.Context, e ein.EIN, side graph.Side, top int, causeOf func(ein.EIN) byte) (*graph.Ledger, error) {
	l := &graph.Ledger{}
	parties := map[string]int{}
	group := func(list *[]graph.LedgerGroup, key string, g *graph.Grant) {
		i := slices.IndexFunc(*list, func(x graph.LedgerGroup) bool { return x.Key == key })
		if i < 0 {
			i = len(*list)
			*list = append(*list, graph.LedgerGroup{Key: key})
		}
		to := &(*list)[i]
		to.Total, to.Grants, to.Parties = to.Total+g.Amount, to.Grants+1, to.Parties+1
	}
	for _, g := range x.side(e, side) {
		p := graph.Party{ID: g.Recipient.ID, EIN: g.Recipient.EIN, Name: g.Recipient.Name, City: g.Recipient.City, State: g.Recipient.State}
		key, state, letter := g.Recipient.ID, g.State, g.NTEE.Major()
		if side == graph.Received {
			p = graph.Party{EIN: g.Funder.EIN, Name: g.Funder.Name, City: g.Funder.City, State: g.Funder.State, Kind: g.Funder.Kind}
			key, state, letter = p.EIN.String(), p.State, 0
			if causeOf != nil {
				letter = causeOf(p.EIN)
			}
		}
		i, known := parties[key]
		if !known {
			i, parties[key] = len(l.Top), len(l.Top)
			p.FirstYear = g.FiscalYear
			l.Top = append(l.Top, p)
		}
		t := &l.Top[i]
		t.Total, t.Grants = t.Total+g.Amount, t.Grants+1
		t.FirstYear, t.LastYear = min(t.FirstYear, g.FiscalYear), max(t.LastYear, g.FiscalYear)
		if l.Grants == 0 {
			l.FirstYear = g.FiscalYear
		}
		l.Total, l.Grants = l.Total+g.Amount, l.Grants+1
		l.FirstYear, l.LastYear = min(l.FirstYear, g.FiscalYear), max(l.LastYear, g.FiscalYear)
		subject := ""
		if letter != 0 {
			subject = string(rune(letter))
		}
		group(&l.Subjects, subject, &g)
		group(&l.States, state, &g)
		y := slices.IndexFunc(l.Years, func(y graph.LedgerYear) bool { return y.FiscalYear == g.FiscalYear })
		if y < 0 {
			y = len(l.Years)
			l.Years = append(l.Years, graph.LedgerYear{FiscalYear: g.FiscalYear})
		}
		year := &l.Years[y]
		year.Total, year.Grants, year.Parties = year.Total+g.Amount, year.Grants+1, year.Parties+1
	}
	l.Parties = int64(len(l.Top))
	slices.SortFunc(l.Years, func(a, b graph.LedgerYear) int { return a.FiscalYear - b.FiscalYear })
	slices.SortFunc(l.Top, func(a, b graph.Party) int { return cmp.Compare(b.Total, a.Total) })
	l.Top = l.Top[:min(len(l.Top), top)]
	for _, list := range [][]graph.LedgerGroup{l.Subjects, l.States} {
		slices.SortFunc(list, func(a, b graph.LedgerGroup) int { return cmp.Compare(b.Total, a.Total) })
	}
	return l, nil
}

// Cofunders are the other funders of those that a funder gave to.
func (x Graph) Cofunders(_ context.Context, e ein.EIN, _ int) (graph.Neighbors, error) {
	return x.neighbors(e, graph.Gave), nil
}

// SharingFunders are those who received from the funders of an organization.
func (x Graph) SharingFunders(_ context.Context, e ein.EIN, _ int) (graph.Neighbors, error) {
	return x.neighbors(e, graph.Received), nil
}

func (x Graph) neighbors(e ein.EIN, side graph.Side) (n graph.Neighbors) {
	own := x.side(e, side)
	parties := map[string]bool{}
	for _, g := range own {
		if side == graph.Gave {
			parties[g.Recipient.ID] = true
		} else {
			parties[g.Funder.EIN.String()] = true
		}
	}
	for _, g := range x.Rows {
		found := graph.Neighbor{EIN: g.Recipient.EIN, Name: g.Recipient.Name, City: g.Recipient.City, State: g.Recipient.State}
		party := g.Funder.EIN.String()
		if side == graph.Gave {
			found = graph.Neighbor{EIN: g.Funder.EIN, Name: g.Funder.Name, City: g.Funder.City, State: g.Funder.State, Kind: g.Funder.Kind}
			party = g.Recipient.ID
		}
		if !parties[party] || found.EIN == e || found.EIN == ein.None || slices.ContainsFunc(n.List, func(o graph.Neighbor) bool { return o.EIN == found.EIN }) {
			continue
		}
		found.Shared, found.Weight = 1, 0.4
		n.List = append(n.List, found)
	}
	n.Total, n.Examined, n.Parties = len(n.List), len(parties), len(parties)
	return n
}

// NeighborWeight is nothing: the graph is tiny.
func (x Graph) NeighborWeight(ein.EIN) int64 { return 0 }
