package organization

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/site/frame"
)

type grantsPage struct {
	*view
	Gave       bool
	Directions []choice
	Rows       []grantLine
	Hits       int64
	Years      []int
	Year       string // the selected year
	Sort       string
	Sorts      []choice // Path is the value of the form
	Pager      pager
	Warnings   []string
}

type grantLine struct {
	grants.GrantRow
	Person bool // recipient is a private person and not named
	Nobody bool // no recipient is named
}

// sorts are the orders: the value in the address, its label, the API's parameter.
var sorts = []struct{ name, title, by, order string }{
	{"", "largest first", "amount", "desc"},
	{"smallest", "smallest first", "amount", "asc"},
	{"latest", "latest year first", "year", "desc"},
	{"earliest", "earliest year first", "year", "asc"},
	{"name", "by name", "", "asc"},
}

func (s *room) showGrants(w http.ResponseWriter, r *http.Request, v *view) error {
	page := &grantsPage{view: v, Gave: v.Core.Given.GrantCount > 0, Year: r.FormValue("year"), Sort: r.FormValue("sort")}
	switch direction := r.FormValue("direction"); direction {
	case "":
	case "gave", "received":
		page.Gave = direction == "gave"
	default:
		v.Problems = append(v.Problems, "Direction: choose gave or received.")
	}
	q := page.question(v.pageNumber(r))
	v.API = v.BaseURL + api.Versioned + "/grants/transactions?" + q.Encode()
	page.read(v.years(page.Gave))
	list, release, err := frame.Answer[*api.List[grants.GrantRow]](s.Frame, r, api.Caller{}, "/grants/transactions", q)
	defer release()
	if err != nil {
		if err := v.readProblems(err); err != nil {
			return err
		}
		return s.pages.Render(w, v.status(), "grants", page)
	}
	page.Hits = list.Hits
	page.Rows = each.Append(page.Rows, list.Results, newGrantLine)
	page.Warnings = each.Append(page.Warnings, list.Service.Warnings, func(warning client.Warning) string { return warning.Reason })
	page.Pager = newPager(list.Page, list.Hits, len(page.Rows), page.path)
	v.SQL = page.sql()
	return s.pages.Render(w, v.status(), "grants", page)
}

// newGrantLine shows of a grant to a private person only what is public.
func newGrantLine(row grants.GrantRow) grantLine {
	has := func(class string) bool { return slices.Contains(row.Provenance.Classes, class) }
	if !has(grant.Individuals) {
		return grantLine{GrantRow: row, Nobody: has(grant.Unidentified) && row.RecipEIN == nil}
	}
	return grantLine{Person: true, GrantRow: grants.GrantRow{GrantRow: client.GrantRow{
		FunderEIN: row.FunderEIN, FunderName: row.FunderName, RecipState: row.RecipState, Amount: row.Amount, FiscalYear: row.FiscalYear,
	}}}
}

// years lists the years in which an organization gave, or received.
func (v *view) years(gave bool) (list []int) {
	first, last := v.Core.Received.FirstFiscalYear, v.Core.Received.LastFiscalYear
	if gave {
		first, last = v.Core.Given.FirstFiscalYear, v.Core.Given.LastFiscalYear
	}
	if first == nil || last == nil {
		return nil
	}
	for y := *last; y >= *first; y-- {
		list = append(list, y)
	}
	return list
}

func (p *grantsPage) question(number int64) url.Values {
	q := url.Values{"limit": {strconv.Itoa(rowsShown)}}
	side, name := "recip_id", "funder_name"
	if p.Gave {
		side, name = "funder_id", "recip_name"
	}
	q.Set(side, p.EIN.String())
	if number > 1 {
		q.Set("page", strconv.FormatInt(number, 10))
	}
	if p.Year != "" {
		q.Set("year", p.Year)
	}
	i := slices.IndexFunc(sorts, func(s struct{ name, title, by, order string }) bool { return s.name == p.Sort })
	if i < 0 {
		p.Problems = append(p.Problems, "Order: choose one of those offered.")
		p.Sort, i = "", 0
	}
	if i > 0 {
		by := cmp.Or(sorts[i].by, name)
		q.Set("sort_by", by)
		q.Set("sort_order", sorts[i].order)
	}
	return q
}

func (p *grantsPage) path(number int64) string { return p.address(p.Gave, number) }

func (p *grantsPage) address(gave bool, number int64) string {
	direction := "received"
	if gave {
		direction = "gave"
	}
	return pageOf(p.Canonical, url.Values{"direction": {direction}, "year": {p.Year}, "sort": {p.Sort}}, number)
}

func (p *grantsPage) read(years []int) {
	p.Years = years
	p.Directions = []choice{
		{"Gave", p.address(true, 1), p.Core.Given.GrantCount, p.Gave},
		{"Received", p.address(false, 1), p.Core.Received.GrantCount, !p.Gave},
	}
	for _, s := range sorts {
		p.Sorts = append(p.Sorts, choice{Text: s.title, Path: s.name, Current: s.name == p.Sort})
	}
}

func (p *grantsPage) Asked(year int) bool { return strconv.Itoa(year) == p.Year }

func (p *grantsPage) sql() string {
	side := "recipient_ein"
	if p.Gave {
		side = "funder_ein"
	}
	t := "SELECT funder_ein, recip_id, recipient_ein, recipient_raw, amount, tax_year, purpose_raw\nFROM grants WHERE " + side + " = '" + p.EIN.String() + "'"
	if y, err := strconv.Atoi(p.Year); err == nil {
		t += " AND tax_year = " + strconv.Itoa(y)
	}
	return t + "\nORDER BY amount DESC\nLIMIT " + strconv.Itoa(rowsShown)
}
