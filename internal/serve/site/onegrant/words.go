package onegrant

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	geo "grantgraph/internal/place"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/frame"
)

// kindNames are the kinds of funders as people call them.
var kindNames = map[string]string{
	grant.PrivateFoundation: "Private foundation",
	grant.PublicCharity:     "Public charity",
	grant.Passthrough:       "Donor-advised or pass-through fund",
}

func formName(returnType string) string {
	if returnType == "" {
		return ""
	}
	return "Form " + strings.Replace(returnType, "990PF", "990-PF", 1)
}

// comparison is one property in the filed line and in the recognized organization.
type comparison struct {
	What, Filed, Resolved string
	Verdict               string // empty if either side has no value
}

// compare sets the filed line beside the organization. Without a recognized organization, only the line has values.
func compare(g *graph.Grant) []comparison {
	verdict := func(same bool, a, b string) string {
		switch {
		case g.Recipient.EIN == ein.None || a == "" || b == "":
			return ""
		case same:
			return "same"
		}
		return "differs"
	}
	org := *g.Recipient
	if org.EIN == ein.None {
		org = graph.Recipient{}
	}
	country := func(code string) string { return frame.Place("", "", code) }
	names := verdict(orgname.Key(g.NameFiled) == orgname.Key(org.Name), g.NameFiled, org.Name)
	if names == "same" && !strings.EqualFold(g.NameFiled, org.Name) {
		names = "same but for spelling"
	}
	list := []comparison{
		{"Name", g.NameFiled, orgname.Display(org.Name), names},
		{"EIN", statedEIN(g), org.EIN.Hyphenated(), ""},
		{"City", g.City, orgname.Display(org.City), verdict(orgname.City(g.City) == orgname.City(org.City), g.City, org.City)},
		{"State", g.State, org.State, verdict(g.State == org.State, g.State, org.State)},
		{"ZIP code", g.ZIP, org.ZIP, verdict(g.ZIP == org.ZIP, g.ZIP, org.ZIP)},
	}
	if g.Country != "" || org.Country != "" {
		list = append(list, comparison{"Country", country(g.Country), country(org.Country), verdict(g.Country == org.Country, g.Country, org.Country)})
	}
	return list
}

// statedEIN says which EIN the filer gave for the recipient, as far as the rule tells. The row does not keep the filed EIN.
func statedEIN(g *graph.Grant) string {
	switch {
	case g.Rule == grant.Filed:
		return g.Recipient.EIN.Hyphenated()
	case g.Rule == grant.OverrideKeyError:
		return "another, one keying slip away"
	case g.Rule == grant.OverrideHuman:
		return "not kept"
	case g.ReturnType == "990PF":
		return "the form has no field for it"
	}
	return "none that could be used"
}

// evidence lists further facts about the match, in sentences.
func evidence(g *graph.Grant, pair *graph.Totals) (list []string) {
	if g.Matched {
		list = append(list, "The recipient is in the United States and has an EIN, so this grant is in the matched tier.")
	} else {
		list = append(list, "The recipient has no EIN or is abroad, so the grant is of the universe tier: it counts in totals but has no organization page of "+
			"its own.")
	}
	if pair.Grants > 1 {
		list = append(list, fmt.Sprintf("It is one of %s grants, %s in all, in which this funder was found to pay this organization.",
			money.Grouped(pair.Grants), money.Dollars(pair.Amount)))
	}
	if g.Rule == grant.Model {
		list = append(list, "The statistical model computed this probability for this grant. We do not keep the features it weighed.")
	} else if g.Rule != grant.None {
		list = append(list, "The probability is the rule's, measured on grants whose EIN is known. Nobody judged this grant alone.")
	}
	if g.Classes&graph.DAF != 0 {
		list = append(list, "The funder is a donor-advised or pass-through fund, so the same money may also be counted as a grant to that fund.")
	}
	if g.Classes&graph.RelatedParty != 0 {
		list = append(list, "The funder and the recipient are related, according to the filing or its list of related organizations.")
	}
	return list
}

func citation(g *graph.Grant, form, version, address string) string {
	parts := []string{
		"Grant of " + money.Dollars(g.Amount) + " from " + orgname.Display(g.Funder.Name) + " (EIN " + g.Funder.EIN.Hyphenated() + ") to " +
			orgname.Display(g.Recipient.Name),
		"fiscal year " + strconv.Itoa(g.FiscalYear),
	}
	if g.Recipient.EIN != ein.None {
		parts[0] += " (EIN " + g.Recipient.EIN.Hyphenated() + ")"
	}
	if form != "" {
		parts = append(parts, form)
	}
	if g.ObjectID != "" {
		parts = append(parts, "object id "+g.ObjectID)
	}
	return strings.Join(append(parts, "Grantgraph dataset "+version, address), ", ") + "."
}

// ruling is a line for the corrections file, and when to use it.
type ruling struct{ When, Line string }

// unknownEIN stands for an EIN that the reader must fill in; a build refuses it.
const unknownEIN = "EIN"

// rulings are lines for the corrections file, in the columns that the build reads: kx, state, zip5, filed_ein, funder_ein, ein,
// action, reason, source_url, author and date. They select by name, state and funder. If the name leaves no key, the filed EIN
// selects the line; without one there is no ruling.
func rulings(g *graph.Grant, filing, address string) []ruling {
	name := orgname.ParseLine(g.NameFiled, "", g.City, g.State)
	selects := []string{name.KX, g.State, "", "", g.Funder.EIN.String()}
	if _, ok := geo.State(g.State); !ok {
		selects[1] = ""
	}
	if g.Rule == grant.Filed {
		selects[3] = g.Recipient.EIN.String()
	}
	if selects[0] == "" && selects[3] == "" {
		return nil
	}
	source := cmp.Or(filing, address)
	line := func(e, action, reason string) string {
		var b strings.Builder
		w := csv.NewWriter(&b)
		_ = w.Write(append(append([]string{}, selects...), e, action, reason, source, "", "")) // a Builder never fails
		w.Flush()
		return strings.TrimSuffix(b.String(), "\n")
	}
	list := []ruling{{"You know which organization it is: write its EIN in place of " + unknownEIN + ".",
		line(unknownEIN, "set", "The grant went to another organization")}}
	if g.Recipient.EIN != ein.None {
		list = append(list, ruling{"You only know that it is not this organization.", line("", "none", "The line does not mean "+g.Recipient.EIN.Hyphenated())})
	} else {
		list[0].Line = line(unknownEIN, "set", "The grant went to this organization")
	}
	return list
}

// statement is the SQL that finds the same row. The warehouse has no key of a
// grant, so a line that was filed twice is found twice.
func statement(g *graph.Grant) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	return fmt.Sprintf(`SELECT *
FROM grants
WHERE funder_ein = %s
  AND recip_id = %s
  AND tax_year = %d
  AND amount = %d
  AND recipient_raw = %s`, quote(g.Funder.EIN.String()), quote(g.Recipient.ID), g.FiscalYear, g.Amount, quote(strings.ToUpper(g.NameFiled)))
}
