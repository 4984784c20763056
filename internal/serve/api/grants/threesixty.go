package grants

import (
	"encoding/json"
	"fmt"

	"grantgraph/internal/ein"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
)

// threeSixty is a page of grants in the 360Giving Data Standard, version 1.2.
type threeSixty struct {
	*api.List[GrantRow]
	base, issued string
}

type given360 struct {
	ID           string              `json:"id"`
	Title        string              `json:"title"`
	Description  string              `json:"description"`
	Currency     string              `json:"currency"`
	Amount       int64               `json:"amountAwarded"`
	Date         string              `json:"awardDate"`
	Organization []organization      `json:"recipientOrganization,omitempty"`
	Individual   *organization       `json:"recipientIndividual,omitempty"`
	Funder       []organization      `json:"fundingOrganization"`
	Causes       []map[string]string `json:"classifications,omitempty"`
	Source       string              `json:"dataSource"`
	Modified     string              `json:"dateModified"`
}

type organization struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	City       string `json:"addressLocality,omitempty"`
	Region     string `json:"addressRegion,omitempty"`
	PostalCode string `json:"postalCode,omitempty"`
}

// File writes the grants. Private persons stay unnamed, and the date is the end of the period, because returns state no dates of grants.
func (t threeSixty) File() (name string, body []byte) {
	list := make([]given360, 0, len(t.Results))
	for i := range t.Results {
		g := &t.Results[i]
		one := given360{
			ID: "grantgraph-" + g.GrantKey, Currency: "USD", Amount: g.Amount, Date: text(g.Filing.TaxPeriodEnd),
			Source: t.base + "/grant/" + g.GrantKey, Modified: t.issued,
			Funder: []organization{{orgID(g.FunderEIN), g.FunderName, text(g.FunderCity), text(g.FunderState), ""}},
		}
		to := organization{g.RecipID, g.RecipName, text(g.RecipCity), text(g.RecipState), text(g.RecipZipcode)}
		if g.RecipEIN != nil {
			to.ID = orgID(*g.RecipEIN)
		}
		called, tail := orgname.Display(g.RecipName), " The return states no purpose."
		if g.person {
			one.Individual, called, tail = &organization{ID: "grantgraph-individual-" + g.GrantKey, Name: "Individual Recipient"}, "an individual", ""
		} else {
			one.Organization, one.Description = []organization{to}, text(g.Purpose)
		}
		one.Title = money.Dollars(g.Amount) + " to " + called
		if one.Description == "" {
			one.Description = fmt.Sprintf("Paid in fiscal year %d.%s", g.FiscalYear, tail)
		}
		if g.NTEECode != nil && g.SubjectLabel != nil {
			one.Causes = []map[string]string{{"vocabulary": "NTEE", "code": *g.NTEECode, "title": *g.SubjectLabel}}
		}
		list = append(list, one)
	}
	body, err := json.Marshal(map[string]any{"version": "1.2", "title": "Grants", "issued": t.issued, "grants": list})
	if err != nil {
		panic(err) // texts and numbers only
	}
	return "grants-360giving.json", body
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// orgID is the identifier of an organization of the United States, as org-id.guide has it.
func orgID(text string) string {
	if e, err := ein.Parse(text); err == nil {
		return "US-EIN-" + e.String()
	}
	return text
}
