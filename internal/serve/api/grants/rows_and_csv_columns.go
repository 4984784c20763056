package grants

import (
	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
)

// GrantRow is one grant. Its fields are the columns of CSV, in the same order.
type GrantRow struct {
	client.GrantRow

	person bool
}

// Person reports whether the grant is to a private person, whom our pages do not name.
func (g *GrantRow) Person() bool { return g.person }

// RecipientRow is one recipient with the totals of its matching grants.
type RecipientRow struct {
	client.RecipientRow

	person bool
}

func (r *RecipientRow) Person() bool { return r.person }

type SummaryAnswer struct{ client.SummaryAnswer }

// Table is the groups if there are any, else the years.
func (s *SummaryAnswer) Table() (any, *int64, *string) {
	if s.Groups != nil {
		return s.Groups.Rows, api.Count(s.Groups.Rows), nil
	}
	return s.ByYear, api.Count(s.ByYear), nil
}

func foreign(code *string) *string {
	if *code == "US" {
		return nil
	}
	return api.RefOrNull(code)
}

// grantRow is a grant on the wire. An inferred cause shows only where it counts.
func grantRow(c *api.Call, g *graph.Grant, f *graph.Filter) GrantRow {
	row := GrantRow{GrantRow: client.GrantRow{
		GrantKey:       g.Key,
		FunderEIN:      g.Funder.EIN.String(),
		FunderName:     g.Funder.Name,
		FunderCity:     api.RefOrNull(&g.Funder.City),
		FunderState:    api.RefOrNull(&g.Funder.State),
		FunderType:     g.Funder.Kind,
		RecipID:        g.Recipient.ID,
		RecipEIN:       api.OrNull(g.Recipient.EIN.String()),
		RecipName:      g.Recipient.Name,
		RecipNameFiled: g.NameFiled,
		RecipCity:      api.RefOrNull(&g.City),
		RecipState:     api.RefOrNull(&g.State),
		RecipZipcode:   api.RefOrNull(&g.ZIP),
		RecipCountry:   foreign(&g.Country),
		Amount:         g.Amount,
		FiscalYear:     g.FiscalYear,
		NTEECode:       api.OrNull(string(g.NTEE)),
		Support:        g.Support.IDs(),
		Purpose:        api.RefOrNull(&g.Purpose),
		Filing: client.FilingRef{
			ObjectID:     api.RefOrNull(&g.ObjectID),
			ReturnType:   api.RefOrNull(&g.ReturnType),
			TaxPeriodEnd: api.RefOrNull(&g.PeriodEnd),
			URL:          c.FilingURL(g.Funder.EIN, g.ObjectID),
		},
		Provenance: client.Provenance{SourceTier: grant.Universe, Classes: g.Classes.Words()},
	}, person: g.Classes&graph.Individuals != 0 || g.Recipient.EIN == ein.None && g.Recipient.Classes&graph.Individuals != 0}
	if letter, source := f.SubjectBasis.Cause(g.NTEE, g.Inferred); letter != 0 {
		row.Subject, row.SubjectLabel, row.SubjectSource = api.OrNull(string(rune(letter))), api.OrNull(ntee.Label(letter)), &source
	}
	row.Provenance.EINConflict, row.Provenance.StateConflict = api.OrNull(g.Conflict.String()), g.Outvoted
	if g.Matched {
		row.Provenance.SourceTier = grant.Matched
	}
	if g.Rule != grant.None {
		row.Provenance.MatchProb, row.Provenance.EINSource = &g.Prob, api.OrNull(g.Rule.String())
	}
	return row
}

func funderRow(f *graph.FunderTotal) client.FunderRow {
	return client.FunderRow{
		FunderEIN: f.EIN.String(), FunderName: f.Name,
		TotalAmount: f.Total, GrantCount: f.Grants, RecipientCount: f.Recipients,
		FirstFiscalYear: f.FirstYear, LastFiscalYear: f.LastYear,
		FunderCity: api.RefOrNull(&f.City), FunderState: api.RefOrNull(&f.State), FunderType: f.Kind,
	}
}

func recipientRow(r *graph.RecipientTotal) RecipientRow {
	return RecipientRow{RecipientRow: client.RecipientRow{
		RecipID: r.ID, RecipEIN: api.OrNull(r.EIN.String()), RecipName: r.Name,
		RecipCity: api.RefOrNull(&r.City), RecipState: api.RefOrNull(&r.State), RecipZipcode: api.RefOrNull(&r.ZIP), RecipCountry: foreign(&r.Country),
		TotalAmount: r.Total, GrantCount: r.Grants, FunderCount: r.Funders,
		FirstFiscalYear: r.FirstYear, LastFiscalYear: r.LastYear,
		Unidentified: r.EIN == ein.None && r.Classes&(graph.Individuals|graph.Unidentified) != 0,
	}, person: r.EIN == ein.None && r.Classes&graph.Individuals != 0}
}
