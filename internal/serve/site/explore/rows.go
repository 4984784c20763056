package explore

import (
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
	Href  string // empty where one cannot order by it
	Sort  string // ascending, descending or nothing, as ARIA says it
	Class string
}

// grantLine is one grant.
type grantLine struct {
	Href                     string
	Year                     int
	Partial                  bool
	Funder, FunderHref       string
	FunderWhere              string
	Recipient, RecipHref     string
	RecipWhere               string
	Purpose                  string
	Amount                   int64
	Person, Nobody, DAF, Kin bool
}

// funderLine is one funder.
type funderLine struct {
	Name, Href, Where, Kind string
	Explore                 string
	Amount, Grants, Parties int64
	Years                   string
}

// partyLine is one recipient.
type partyLine struct {
	Name, Href, Where       string
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

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func orgHref(ein, name string) string { return "/org/" + ein + "/" + search.Slug(name) }

// rows asks for the rows of a tab. What of its order or page cannot be read is
// told, and there are no rows then.
func (e *explorer) rows(r *http.Request, caller api.Caller, v view, x *figures, p *page) (problems []string, err error) {
	q := v.clone().query
	if n := v.query.Get("page"); n != "" {
		q.Set("page", n)
	}
	q.Set("limit", strconv.Itoa(perPage))
	release := func() {}
	switch v.tab {
	case tabGrants:
		var list *api.List[grants.GrantRow]
		if list, release, err = frame.Answer[*api.List[grants.GrantRow]](e.Frame, r, caller, paths[v.tab], q); err == nil {
			partial := partialYears(p.Summary)
			for i := range list.Results {
				p.Grants = append(p.Grants, newGrantLine(&list.Results[i], partial))
			}
			p.page(v, list.Hits, list.Page, list.TotalPages, len(list.Results))
		}
		p.Heads = heads(v, []head{{Label: "Year"}, {Label: "Funder"}, {Label: "Recipient"}, {Label: "Purpose"}, {Label: "Amount", Class: "n"}}, []string{"year", "funder_name", "recip_name", "", "amount"})
	case tabFunders:
		var list *api.List[client.FunderRow]
		if list, release, err = frame.Answer[*api.List[client.FunderRow]](e.Frame, r, caller, paths[v.tab], q); err == nil {
			for i := range list.Results {
				p.Funders = append(p.Funders, newFunderLine(v, &list.Results[i]))
			}
			p.page(v, list.Hits, list.Page, list.TotalPages, len(list.Results))
		}
		p.Heads = heads(v, []head{{Label: "Funder"}, {Label: "Years"}, {Label: "Recipients", Class: "n"}, {Label: "Grants", Class: "n"}, {Label: "Dollars", Class: "n"}}, []string{"funder_name", "", "", "count", "amount"})
	case tabRecipients:
		q.Set("exclude", recipientExclude(v))
		var list *api.List[grants.RecipientRow]
		if list, release, err = frame.Answer[*api.List[grants.RecipientRow]](e.Frame, r, caller, paths[v.tab], q); err == nil {
			for i := range list.Results {
				p.Recipients = append(p.Recipients, newPartyLine(v, &list.Results[i]))
			}
			p.page(v, list.Hits, list.Page, list.TotalPages, len(list.Results))
			p.Apart = apart(x)
		}
		p.Heads = heads(v, []head{{Label: "Recipient"}, {Label: "Years"}, {Label: "Funders", Class: "n"}, {Label: "Grants", Class: "n"}, {Label: "Dollars", Class: "n"}}, []string{"recip_name", "", "", "count", "amount"})
	}
	release()
	if names, reasons := refused(err); len(names) > 0 {
		return reasons, nil
	}
	return nil, err
}

// recipientExclude leaves out of a ranking of recipients who is not to be named,
// beside what the visitor leaves out.
func recipientExclude(v view) string {
	list := v.items("exclude")
	for _, word := range []string{grant.Individuals, grant.Unidentified} {
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return strings.Join(list, ",")
}

// apart is the two lines of a ranking that stand for those.
func apart(x *figures) (list []apartLine) {
	if x.People.Grants > 0 {
		list = append(list, apartLine{"Individuals (" + counted(x.People.Grants, "grant") + ")", x.People.Amount, x.People.Grants})
	}
	if x.Nobody.Grants > 0 {
		list = append(list, apartLine{"Unidentified (" + counted(x.Nobody.Grants, "grant") + " whose line names nobody)", x.Nobody.Amount, x.Nobody.Grants})
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
		Funder: orgname.Display(g.FunderName), FunderHref: orgHref(g.FunderEIN, g.FunderName), FunderWhere: frame.Place(text(g.FunderCity), text(g.FunderState), ""),
		DAF: slices.Contains(g.Provenance.Classes, grant.DAF), Kin: slices.Contains(g.Provenance.Classes, grant.RelatedParty)}
	if g.Person() {
		line.Person, line.Recipient, line.RecipWhere = true, individual, text(g.RecipState)
		return line
	}
	line.Href = "/grant/" + url.PathEscape(g.GrantKey)
	line.Recipient, line.RecipWhere, line.Purpose = orgname.Display(g.RecipName), frame.Place(text(g.RecipCity), text(g.RecipState), text(g.RecipCountry)), text(g.Purpose)
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

func newFunderLine(v view, f *client.FunderRow) funderLine {
	grantsOf := v.clone()
	grantsOf.tab = tabGrants
	return funderLine{Name: orgname.Display(f.FunderName), Href: orgHref(f.FunderEIN, f.FunderName), Where: frame.Place(text(f.FunderCity), text(f.FunderState), ""),
		Kind: grant.KindLabel(f.FunderType), Explore: unordered(grantsOf).with("funder_id", f.FunderEIN), Amount: f.TotalAmount, Grants: f.GrantCount, Parties: f.RecipientCount, Years: span(f.FirstFiscalYear, f.LastFiscalYear)}
}

func newPartyLine(v view, f *grants.RecipientRow) partyLine {
	line := partyLine{Amount: f.TotalAmount, Grants: f.GrantCount, Parties: f.FunderCount, Years: span(f.FirstFiscalYear, f.LastFiscalYear)}
	if f.Person() {
		line.Name, line.Where = individual, text(f.RecipState)
		return line
	}
	line.Name, line.Where = orgname.Display(f.RecipName), frame.Place(text(f.RecipCity), text(f.RecipState), text(f.RecipCountry))
	if f.RecipEIN != nil {
		grantsOf := v.clone()
		grantsOf.tab = tabGrants
		line.Href, line.Explore = orgHref(*f.RecipEIN, f.RecipName), unordered(grantsOf).with("recip_id", *f.RecipEIN)
	}
	return line
}

// unordered is a view in the order that its tab has by itself.
func unordered(v view) view {
	for _, name := range ordering {
		v.query.Del(name)
	}
	return v
}

// heads are the heads of the columns of a tab. Following one orders by it, and
// following it again turns the order around.
func heads(v view, list []head, orders []string) []head {
	by, direction := v.query.Get("sort_by"), strings.ToLower(v.query.Get("sort_order"))
	if by == "" {
		by = "amount"
	}
	for i := range list {
		order := orders[i]
		if order == "" {
			continue
		}
		named := strings.HasSuffix(order, "_name") // runs upwards by itself
		now := "desc"
		if named {
			now = "asc"
		}
		to := now
		if by == order {
			if direction == "asc" || direction == "desc" {
				now = direction
			}
			list[i].Sort = map[string]string{"asc": "ascending", "desc": "descending"}[now]
			to = map[string]string{"asc": "desc", "desc": "asc"}[now]
		}
		pair := []string{"sort_by", order, "sort_order", to}
		if named == (to == "asc") {
			pair[3] = "" // as it is without being said
		}
		if order == "amount" && to == "desc" {
			pair[1] = ""
		}
		list[i].Href = v.with(pair...)
	}
	return list
}

// page says where in the rows the page is.
func (p *page) page(v view, hits, number, pages int64, rows int) {
	p.Paging = paging{Page: number, Pages: max(pages, 1), Hits: hits, From: (number-1)*perPage + 1, To: (number-1)*perPage + int64(rows)}
	if number > 1 {
		prev := min(number-1, p.Paging.Pages)
		p.Paging.Prev = v.at(prev)
	}
	if number < pages {
		p.Paging.Next = v.at(number + 1)
	}
}

// at is the address of another page of the view.
func (v view) at(page int64) string {
	out := v.clone()
	if page > 1 {
		out.query.Set("page", strconv.FormatInt(page, 10))
	}
	return out.path()
}
