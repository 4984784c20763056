package explore

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
)

// head is the head of a column, with the order it gives.
type head struct {
	Label string
	order string // as sort_by says it; empty if rows cannot be ordered by the column
	Class string
	Href  string
	Sort  string // ascending, descending or nothing, as ARIA says it
}

var columns = map[string][]head{
	tabGrants: {{Label: "Year", order: "year"}, {Label: "Funder", order: "funder_name"}, {Label: "Recipient", order: "recip_name"},
		{Label: "Purpose"}, {Label: "Amount", order: "amount", Class: "n"}},
	tabFunders: {{Label: "Funder", order: "funder_name"}, {Label: "Years"}, {Label: "Recipients", Class: "n"},
		{Label: "Grants", order: "count", Class: "n"}, {Label: "Dollars", order: "amount", Class: "n"}},
	tabRecipients: {{Label: "Recipient", order: "recip_name"}, {Label: "Years"}, {Label: "Funders", Class: "n"},
		{Label: "Grants", order: "count", Class: "n"}, {Label: "Dollars", order: "amount", Class: "n"}},
}

type grantLine struct {
	Href                         string
	Year                         int
	Partial                      bool
	Funder, FunderHref           string
	FunderWhere                  string
	Recipient, RecipHref         string
	RecipWhere                   string
	Purpose                      string
	Amount                       int64
	Person, Nobody, DAF, Related bool
}

type partyLine struct {
	Name, Href, Where       string
	EIN                     string // empty for a recipient without one
	Kind                    string // of a funder
	Explore                 string
	Amount, Grants, Parties int64
	Years                   string
}

// apartLine is the grants of a ranking that name no organization.
type apartLine struct {
	Label          string
	Amount, Grants int64
}

// individual is what pages call a private person.
const individual = "An individual"

func orgHref(ein, name string) string { return "/org/" + ein + "/" + search.Slug(name) }

// rows asks for the rows of a tab. If the order or the page cannot be read, there are no rows, and problems says why.
func (e *explorer) rows(r *http.Request, caller api.Caller, v view, x *figures, p *page) (problems []string, err error) {
	switch v.tab {
	case tabGrants:
		partial := partialYears(p.Summary)
		p.Grants, err = lines(e, r, caller, v, p, func(g *grants.GrantRow) grantLine { return newGrantLine(g, partial) })
	case tabFunders:
		p.Parties, err = lines(e, r, caller, v, p, func(f *client.FunderRow) partyLine { return newFunderLine(v, f) })
	case tabRecipients:
		p.Parties, err = lines(e, r, caller, v, p, func(f *grants.RecipientRow) partyLine { return newRecipientLine(v, f) })
		p.Apart = apart(x)
	}
	p.Heads = heads(v)
	if names, reasons := refused(err); len(names) > 0 {
		p.Apart = nil
		return reasons, nil
	}
	return nil, err
}

func lines[R, L any](e *explorer, r *http.Request, caller api.Caller, v view, p *page, line func(*R) L) (out []L, err error) {
	list, release, err := frame.Answer[*api.List[R]](e.Frame, r, caller, paths[v.tab], v.rowQuery())
	defer release()
	if err != nil {
		return nil, err
	}
	for i := range list.Results {
		out = append(out, line(&list.Results[i]))
	}
	p.page(v, list.Hits, list.Page, list.TotalPages, len(list.Results))
	return out, nil
}

func (v view) rowQuery() url.Values {
	q := v.asked()
	if n := v.query.Get("page"); n != "" {
		q.Set("page", n)
	}
	if v.tab != tabSummary {
		q.Set("limit", strconv.Itoa(perPage))
	}
	if v.tab == tabRecipients {
		q.Set("exclude", recipientExclude(v))
	}
	return q
}

// recipientExclude is what a ranking of recipients leaves out: recipients that the
// page must not name or cannot name, and the classes that the visitor chose.
func recipientExclude(v view) string {
	list := v.items("exclude")
	for _, word := range []string{grant.Individuals, grant.Unidentified} {
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return strings.Join(list, ",")
}

// apart are the lines of a ranking that stand for recipients without a name.
func apart(x *figures) (list []apartLine) {
	if x.People.Grants > 0 {
		list = append(list, apartLine{"Individuals (" + counted(x.People.Grants, "grant") + ")", x.People.Amount, x.People.Grants})
	}
	if x.Nobody.Grants > 0 {
		list = append(list, apartLine{"Unidentified (" + counted(x.Nobody.Grants, "grant") + " with no named recipient)", x.Nobody.Amount, x.Nobody.Grants})
	}
	return list
}

func partialYears(a *grants.SummaryAnswer) map[int]bool {
	out := map[int]bool{}
	for _, y := range a.ByYear {
		out[y.FiscalYear] = y.Partial
	}
	return out
}

func newGrantLine(g *grants.GrantRow, partial map[int]bool) grantLine {
	line := grantLine{Year: g.FiscalYear, Partial: partial[g.FiscalYear], Amount: g.Amount,
		Funder: orgname.Display(g.FunderName), FunderHref: orgHref(g.FunderEIN, g.FunderName),
		FunderWhere: frame.Place(frame.Text(g.FunderCity), frame.Text(g.FunderState), ""),
		DAF:         slices.Contains(g.Provenance.Classes, grant.DAF), Related: slices.Contains(g.Provenance.Classes, grant.RelatedParty)}
	if g.Person() {
		line.Person, line.Recipient, line.RecipWhere = true, individual, frame.Text(g.RecipState)
		return line
	}
	line.Href = "/grant/" + url.PathEscape(g.GrantKey)
	line.Recipient, line.Purpose = orgname.Display(g.RecipName), frame.Text(g.Purpose)
	line.RecipWhere = frame.Place(frame.Text(g.RecipCity), frame.Text(g.RecipState), frame.Text(g.RecipCountry))
	line.Nobody = slices.Contains(g.Provenance.Classes, grant.Unidentified)
	if g.RecipEIN != nil {
		line.RecipHref = orgHref(*g.RecipEIN, g.RecipName)
	}
	return line
}

func span(first, last int) string {
	if first == last {
		return strconv.Itoa(first)
	}
	return strconv.Itoa(first) + "–" + strconv.Itoa(last)
}

func newFunderLine(v view, f *client.FunderRow) partyLine {
	return partyLine{Name: orgname.Display(f.FunderName), EIN: f.FunderEIN, Href: orgHref(f.FunderEIN, f.FunderName),
		Where: frame.Place(frame.Text(f.FunderCity), frame.Text(f.FunderState), ""), Kind: grant.KindLabel(f.FunderType),
		Explore: v.grantsOf("funder_id", f.FunderEIN), Amount: f.TotalAmount, Grants: f.GrantCount, Parties: f.RecipientCount,
		Years: span(f.FirstFiscalYear, f.LastFiscalYear)}
}

func newRecipientLine(v view, f *grants.RecipientRow) partyLine {
	line := partyLine{Amount: f.TotalAmount, Grants: f.GrantCount, Parties: f.FunderCount, Years: span(f.FirstFiscalYear, f.LastFiscalYear)}
	if f.Person() {
		line.Name, line.Where = individual, frame.Text(f.RecipState)
		return line
	}
	line.Name, line.Where = orgname.Display(f.RecipName), frame.Place(frame.Text(f.RecipCity), frame.Text(f.RecipState), frame.Text(f.RecipCountry))
	if f.RecipEIN != nil {
		line.EIN, line.Href, line.Explore = *f.RecipEIN, orgHref(*f.RecipEIN, f.RecipName), v.grantsOf("recip_id", *f.RecipEIN)
	}
	return line
}

// grantsOf is the address of the grants of one funder or recipient of the view.
func (v view) grantsOf(name, ein string) string {
	return view{tabGrants, v.filters()}.with(name, ein)
}

// heads are the heads of the columns of a tab. Following a head orders by its
// column, and following it again reverses the order.
func heads(v view) []head {
	list := slices.Clone(columns[v.tab])
	by, direction := cmp.Or(v.query.Get("sort_by"), "amount"), strings.ToLower(v.query.Get("sort_order"))
	for i := range list {
		h := &list[i]
		if h.order == "" {
			continue
		}
		named := strings.HasSuffix(h.order, "_name")
		ascends := named // unless the address says otherwise
		if by == h.order {
			if direction == "asc" || direction == "desc" {
				ascends = direction == "asc"
			}
			h.Sort = "descending"
			if ascends {
				h.Sort = "ascending"
			}
			ascends = !ascends
		}
		pair := []string{"sort_by", h.order, "sort_order", "desc"}
		if ascends {
			pair[3] = "asc"
		}
		if named == ascends {
			pair[3] = "" // the direction that the order has by default
		}
		if h.order == "amount" && !ascends {
			pair[1] = ""
		}
		h.Href = v.with(pair...)
	}
	return list
}

func (p *page) page(v view, hits, number, pages int64, rows int) {
	p.Paging = paging{Page: number, Pages: max(pages, 1), Hits: hits, From: (number-1)*perPage + 1, To: (number-1)*perPage + int64(rows)}
	if number > 1 {
		p.Paging.Prev = v.at(min(number-1, p.Paging.Pages))
	}
	if number < pages {
		p.Paging.Next = v.at(number + 1)
	}
}

func (v view) at(page int64) string {
	out := v.clone()
	if page > 1 {
		out.query.Set("page", strconv.FormatInt(page, 10))
	}
	return out.path()
}
