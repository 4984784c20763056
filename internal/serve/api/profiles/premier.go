package profiles

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/irscode"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/snapshot"
)

func (a *PremierAnswer) addFinancials(c *api.Call, p *profile.Profile, absent *absences) {
	a.FinancialsByYear = []client.FinancialYear{}
	for i := range p.Financials {
		a.FinancialsByYear = append(a.FinancialsByYear, financialYear(c, p.EIN, &p.Financials[i]))
	}
	if len(p.Financials) == 0 {
		absent.unfiled("financials_by_year")
	}
}

func financialYear(c *api.Call, filer ein.EIN, f *snapshot.Financial) client.FinancialYear {
	return client.FinancialYear{
		ProfileFinancials: financials(c, filer, f), Amended: f.Amended, Surplus: f.Surplus, TotalAssetsFMV: f.TotalAssetsFMV, GovernmentGrants: f.GovernmentGrants,
		Employees: f.Employees, Volunteers: f.Volunteers,
		Income: client.ProfileIncome{
			Contributions: f.Contributions, Dues: f.Dues, ProgramServices: f.ProgramServices, Investments: f.Investments, Rents: f.Rents,
			AssetSales: f.AssetSales, Events: f.Events, InventorySales: f.InventorySales, Royalties: f.Royalties, Other: f.OtherIncome,
		},
		ExpensesByFunction: client.ProfileExpenses{
			Program: f.ProgramExpenses, Management: f.ManagementExpenses, Fundraising: f.FundraisingExpenses, CharitableSpending: f.CharitableSpending,
			OfficerPay: f.OfficerPay, OtherPay: f.OtherPay,
		},
		BalanceSheet: client.ProfileBalanceSheet{
			Cash: f.Cash, Savings: f.Savings, Receivables: f.Receivables, Inventories: f.Inventories, Securities: f.Securities, OtherInvestments: f.OtherInvestments,
			Property: f.Property, OtherAssets: f.OtherAssets, Payables: f.Payables, GrantsPayable: f.GrantsPayable, DeferredRevenue: f.DeferredRevenue,
			Debt: f.Debt, OtherLiabilities: f.OtherLiabilities, Unrestricted: f.UnrestrictedNet, Restricted: f.RestrictedNet,
		},
	}
}

func (a *PremierAnswer) addServiceAreas(c *api.Call, p *profile.Profile, absent *absences) {
	a.ServiceArea = []client.ProfileServiceArea{}
	for _, s := range p.ServiceAreas {
		a.ServiceArea = append(a.ServiceArea, client.ProfileServiceArea{FIPS: s.FIPS, Level: s.Level, Name: s.Name, Source: s.Source, Confidence: s.Confidence})
	}
	if n := p.InAll.ServiceAreas; n > len(p.ServiceAreas) {
		c.Caveat("ein", fmt.Sprintf("service_area has the first %d of %d places.", len(p.ServiceAreas), n))
	}
	if len(p.ServiceAreas) == 0 {
		absent.none("service_area", "None of its texts says where it works.")
	}
}

func (p Parts) addGrants(ctx context.Context, c *api.Call, a *PremierAnswer, e ein.EIN, absent *absences) error {
	g, causeOf := p.Graph(c.Data), p.Profiles(c.Data).Cause
	if a.Given.GrantCount > 0 {
		l, err := g.Ledger(ctx, e, graph.Gave, topParties, nil)
		if err != nil {
			return err
		}
		a.GrantsOut = grantsOut(l)
	} else {
		absent.none("grants_out", "We have no return that itemizes its grants.")
	}
	if a.Received.GrantCount > 0 {
		l, err := g.Ledger(ctx, e, graph.Received, topParties, causeOf)
		if err != nil {
			return err
		}
		a.FundingIn = fundingIn(l)
	} else {
		absent.none("funding_in", "None of the returns we have itemizes a grant to it.")
	}
	return nil
}

func (a *PremierAnswer) addCofunders(c *api.Call, n neighbors.Neighbors, absent *absences) {
	a.Cofunders = []client.Cofunder{}
	for _, x := range n.List[:min(len(n.List), topCofunders)] {
		a.Cofunders = append(a.Cofunders, client.Cofunder{
			FunderEIN: x.EIN.String(), FunderName: x.Name, FunderCity: api.OrNull(x.City), FunderState: api.OrNull(x.State), FunderType: api.OrNull(x.Kind),
			SharedRecipients: x.Shared, Score: rounded(x.Weight),
		})
	}
	switch {
	case n.Parties == 0:
		absent.none("cofunders", "It itemized no grants, so it has no co-funders.")
	case len(n.List) == 0:
		absent.none("cofunders", "No other funder of its grantees was found.")
	}
	if n.Parties > 0 {
		a.CofunderScope = &client.CofunderScope{CofunderCount: n.Total, RecipientsExamined: n.Examined, RecipientCount: n.Parties}
	}
	if n.Examined < n.Parties {
		c.Caveat("ein", fmt.Sprintf("cofunders were found among %d of its %d recipients: those with the fewest funders, which say the most about who "+
			"funds together.", n.Examined, n.Parties))
	}
}

func rounded(x float64) float64 { return math.Round(x*10_000) / 10_000 }

func letterOrNull(key string) (letter, label *string) {
	if key == "" {
		return nil, nil
	}
	return &key, api.OrNull(ntee.Label(key[0]))
}

func grantsOut(l *ledger.Ledger) *client.GrantsOut {
	out := &client.GrantsOut{
		RecipientCount: l.Parties, ByYear: []client.GivenYear{}, BySubject: []client.GivenSubject{}, ByState: []client.GivenState{},
		TopRecipients: []client.TopRecipient{},
	}
	sums := func(total, grants, parties int64) client.GivenSums {
		return client.GivenSums{TotalAmount: total, GrantCount: grants, RecipientCount: parties}
	}
	for _, y := range l.Years {
		out.ByYear = append(out.ByYear, client.GivenYear{FiscalYear: y.FiscalYear, GivenSums: sums(y.Total, y.Grants, y.Parties), Partial: y.Partial})
	}
	for _, g := range l.Subjects {
		letter, label := letterOrNull(g.Key)
		out.BySubject = append(out.BySubject, client.GivenSubject{Subject: letter, SubjectLabel: label, GivenSums: sums(g.Total, g.Grants, g.Parties)})
	}
	for _, g := range l.States {
		out.ByState = append(out.ByState, client.GivenState{State: api.OrNull(g.Key), GivenSums: sums(g.Total, g.Grants, g.Parties)})
	}
	for _, p := range l.Top {
		out.TopRecipients = append(out.TopRecipients, client.TopRecipient{
			RecipID: p.ID, RecipEIN: api.OrNull(p.EIN.String()), RecipName: p.Name, RecipCity: api.OrNull(p.City), RecipState: api.OrNull(p.State),
			TotalAmount: p.Total, GrantCount: p.Grants, FirstFiscalYear: p.FirstYear, LastFiscalYear: p.LastYear,
		})
	}
	return out
}

func fundingIn(l *ledger.Ledger) *client.FundingIn {
	in := &client.FundingIn{
		FunderCount: l.Parties, ByYear: []client.ReceivedYear{}, BySubject: []client.ReceivedSubject{}, ByState: []client.ReceivedState{},
		TopFunders: []client.TopFunder{},
	}
	sums := func(total, grants, parties int64) client.ReceivedSums {
		return client.ReceivedSums{TotalAmount: total, GrantCount: grants, FunderCount: parties}
	}
	for _, y := range l.Years {
		in.ByYear = append(in.ByYear, client.ReceivedYear{FiscalYear: y.FiscalYear, ReceivedSums: sums(y.Total, y.Grants, y.Parties), Partial: y.Partial})
	}
	for _, g := range l.Subjects {
		letter, label := letterOrNull(g.Key)
		in.BySubject = append(in.BySubject, client.ReceivedSubject{Subject: letter, SubjectLabel: label, ReceivedSums: sums(g.Total, g.Grants, g.Parties)})
	}
	for _, g := range l.States {
		in.ByState = append(in.ByState, client.ReceivedState{State: api.OrNull(g.Key), ReceivedSums: sums(g.Total, g.Grants, g.Parties)})
	}
	for _, p := range l.Top {
		in.TopFunders = append(in.TopFunders, client.TopFunder{
			FunderEIN: p.EIN.String(), FunderName: p.Name, FunderCity: api.OrNull(p.City), FunderState: api.OrNull(p.State), FunderType: api.OrNull(p.Kind),
			TotalAmount: p.Total, GrantCount: p.Grants, FirstFiscalYear: p.FirstYear, LastFiscalYear: p.LastYear,
		})
	}
	return in
}

func (a *PremierAnswer) addPro(p *profile.Profile, coverage snapshot.AwardCoverage, absent *absences) {
	a.addGovernance(p, absent)
	if f := p.Family; f != nil && f.FamilySize > 1 {
		a.Family = &client.ProfileFamily{FamilyID: f.FamilyID, FamilyName: f.FamilyName, FamilySize: int(f.FamilySize), CombinedRevenue: f.CombinedRevenue}
	} else {
		absent.none("family", "It belongs to no group of organizations that is known of.")
	}
	switch w := &p.Awarded; {
	case w.Awards > 0:
		federal, states := w.Dollars(&coverage)
		a.Government = &client.ProfileGovernment{FederalAmount: federal, StateAmount: states, AwardCount: w.Awards}
	case coverage.FederalThrough == "" && len(coverage.StatesRead) == 0:
		absent.add("government", SourceNotLoaded, "This dataset has no files of government awards.")
	default:
		absent.none("government", "The award files we have list no awards to it; /gov-funding says what they cover.")
	}
	a.addAssets(p, absent)
}

func (a *PremierAnswer) addGovernance(p *profile.Profile, absent *absences) {
	if len(p.People) == 0 && len(p.BoardLinks) == 0 {
		if len(p.Filings) == 0 {
			absent.unfiled("governance")
		} else {
			absent.none("governance", "Its latest return names no one.")
		}
		return
	}
	g := &client.ProfileGovernance{
		People: []client.ProfilePerson{}, PeopleCount: p.InAll.People, BoardLinks: []client.ProfileBoardLink{}, BoardLinkCount: p.InAll.BoardLinks,
	}
	for i := range p.People {
		g.People = append(g.People, person(&p.People[i]))
		g.FiscalYear = &g.People[0].FiscalYear
	}
	for _, l := range p.BoardLinks {
		g.BoardLinks = append(g.BoardLinks, client.ProfileBoardLink{
			EIN: l.Other.String(), Name: l.OtherName, SharedPeople: int(l.SharedPeople), PossibleSharedPeople: int(l.Possible), SameState: l.SameState,
			Confidence: l.Confidence,
		})
	}
	a.Governance = g
}

func person(p *snapshot.Person) client.ProfilePerson {
	w := client.ProfilePerson{
		Name: cmp.Or(p.Name, p.Business), Title: api.OrNull(p.Title), Compensation: p.Compensation, RelatedCompensation: p.Related, OtherCompensation: p.Other,
		Roles: []string{}, FiscalYear: int(p.TaxYear),
	}
	if hours, err := strconv.ParseFloat(strings.TrimSpace(p.Hours), 64); err == nil && hours >= 0 && hours <= 168 {
		w.HoursPerWeek = &hours
	}
	for _, r := range []struct {
		has  bool
		word string
	}{
		{p.Director, "director"}, {p.Institution, "institutional_trustee"}, {p.Officer, "officer"}, {p.KeyEmployee, "key_employee"},
		{p.HighestPaid, "highest_paid"}, {p.Former, "former"},
	} {
		if r.has {
			w.Roles = append(w.Roles, r.word)
		}
	}
	return w
}

func mayHold(p *profile.Profile) bool {
	return p.ReturnType == privateFoundationForm || irscode.PrivateFoundation(p.Foundation)
}

func (a *PremierAnswer) addAssets(p *profile.Profile, absent *absences) {
	s := p.Assets
	if s == nil {
		switch {
		case !mayHold(p):
			absent.add("assets", NotAPrivateFoundation, noInvestments)
		case len(p.Filings) == 0:
			absent.unfiled("assets")
		default:
			absent.none("assets", "Its latest return lists no investments.")
		}
		return
	}
	a.Assets = &client.ProfileAssets{
		Profile: client.ProfileAssetProfile{
			TotalAssetsFMV: s.TotalAssetsFMV, ClassifiedFMV: s.ClassifiedFMV, ClassifiedPct: s.ClassifiedPct, PublicEquityFMV: s.PublicEquityFMV,
			FixedIncomeFMV: s.FixedIncomeFMV, AltsFMV: s.AltsFMV, PEFMV: s.PEFMV, VCFMV: s.VCFMV, HedgeFMV: s.HedgeFMV, ImpactFMV: s.ImpactFMV,
			TopHoldingFMV: s.TopHoldingFMV, TopHoldingPct: s.TopHoldingPct,
			Items: s.Items, SelfManaged: s.SelfManaged,
		},
		Holdings: []client.ProfileHolding{}, HoldingCount: p.InAll.Holdings,
	}
	for _, h := range p.Holdings {
		a.Assets.Holdings = append(a.Assets.Holdings, client.ProfileHolding{
			Name: h.CanonicalName, FMV: h.FMV, EntityType: h.EntityType, AssetClass: h.AssetClass, Vehicle: api.OrNull(h.Vehicle),
			Manager: api.OrNull(h.Manager), IsImpact: h.IsImpact,
		})
	}
}
