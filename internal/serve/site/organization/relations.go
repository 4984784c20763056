package organization

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
)

const rowsShown = 50

// mostPages is the last page of a list that can be opened.
const mostPages = 1_000_000

type relationsPage struct {
	*view
	*ledger.Relations
	Gave    bool // lists recipients, else funders
	Sums    graph.PartySums
	Persons graph.Cost
	Nobody  graph.Cost
	Missing []int // years without a return of the funder
	Arrive  []int // years whose funders' returns are still arriving
	Filters []choice
	Orders  []choice
	Pager   pager
}

type choice struct {
	Text, Path string
	Count      int64
	Current    bool
}

type pager struct {
	First, Last, All int64
	Page, Pages      int64
	Before, After    string // paths, or empty
}

// newPager divides a list into pages. path returns the address of a page.
func newPager(page, all int64, shown int, path func(page int64) string) pager {
	p := pager{Page: page, All: all, Pages: max(1, (all+rowsShown-1)/rowsShown)}
	p.First = (page-1)*rowsShown + 1
	p.Last = p.First + int64(shown) - 1
	if page > 1 {
		p.Before = path(min(page-1, p.Pages))
	}
	if page < p.Pages {
		p.After = path(page + 1)
	}
	return p
}

// Values in the addresses.
var (
	markNames  = []string{"", "new", "repeat", "lapsed"} // in the order of ledger.Mark
	orderNames = []string{"", "grants", "latest"}        // in the order of ledger.RelationOrder
)

func (s *room) showRelations(side graph.Side) func(http.ResponseWriter, *http.Request, *view) error {
	return func(w http.ResponseWriter, r *http.Request, v *view) error { return s.drawRelations(w, r, v, side) }
}

func (s *room) drawRelations(w http.ResponseWriter, r *http.Request, v *view, side graph.Side) error {
	page := relationsPage{view: v, Gave: side == graph.Gave}
	q := ledger.RelationsQuestion{EIN: v.EIN, Side: side, Apart: unnamed, Page: graph.Page{Limit: rowsShown}, Complete: v.complete(side)}
	mark, order, number := r.FormValue("mark"), r.FormValue("order"), v.pageNumber(r)
	if i := slices.Index(markNames, mark); i >= 0 {
		q.Only = ledger.Mark(i)
	} else {
		v.Problems = append(v.Problems, "Mark: choose new, repeat or lapsed.")
	}
	if i := slices.Index(orderNames, order); i >= 0 {
		q.Order = ledger.RelationOrder(i)
	} else {
		v.Problems = append(v.Problems, "Order: choose grants or latest, or leave the order out for dollars.")
	}
	q.Page.Offset = int(number-1) * rowsShown
	hold, err := s.Budget.Take(r.Context(), ledger.Weight(v.set.Graph, v.EIN, side))
	if err != nil {
		return err
	}
	defer hold.Release()
	if page.Relations, err = ledger.ReadRelations(r.Context(), v.set.Graph, q); err != nil {
		return err
	}
	if page.Sums, err = v.set.Graph.Sums(r.Context(), v.EIN, side); err != nil {
		return err
	}
	page.Persons, page.Nobody = page.Apart[0], page.Apart[1]
	page.judge(side)
	page.link(v.Canonical, markNames[q.Only], orderNames[q.Order], number)
	v.API, v.SQL = v.relationsElsewhere(side, q.Order, number)
	if mark != "" || q.Order == ledger.LatestYear {
		v.Wider = "The API lists all of them, by dollars or by number of grants: new, repeat and lapsed, and the latest year, are worked out for this page from " +
			"the rows of the SQL below."
	}
	return s.pages.Render(w, v.status(), "relations", &page)
}

// complete says which years are complete. A funder's year is complete if its return
// was read; a recipient's, if the returns of funders have arrived.
func (v *view) complete(side graph.Side) func(int) bool {
	if side == graph.Gave {
		read := v.returned()
		return func(year int) bool { return read[year] }
	}
	arriving := v.set.Snapshot.Manifest.Counts.PartialFiscalYear
	return func(year int) bool { return !slices.Contains(arriving, year) }
}

func (p *relationsPage) judge(side graph.Side) {
	complete := p.complete(side)
	for _, y := range p.Years {
		switch {
		case complete(y):
		case side == graph.Gave:
			p.Missing = append(p.Missing, y)
		default:
			p.Arrive = append(p.Arrive, y)
		}
	}
}

func (p *relationsPage) Partial(year int) bool {
	return slices.Contains(p.Missing, year) || slices.Contains(p.Arrive, year)
}

func (p *relationsPage) link(path, mark, order string, number int64) {
	to := func(mark, order string, number int64) string {
		return pageOf(path, url.Values{"mark": {mark}, "order": {order}}, number)
	}
	if p.Latest != 0 {
		all := int64(0)
		for _, n := range p.Marked {
			all += n
		}
		for i, name := range markNames {
			title, n := map[string]string{"": "All", "new": "New", "repeat": "Repeat", "lapsed": "Lapsed"}[name], all
			if i > 0 {
				n = p.Marked[i]
			}
			p.Filters = append(p.Filters, choice{title, to(name, order, 1), n, name == mark})
		}
	}
	for i, title := range []string{"dollars", "number of grants", "latest year"} {
		p.Orders = append(p.Orders, choice{Text: title, Path: to(mark, orderNames[i], 1), Current: orderNames[i] == order})
	}
	p.Pager = newPager(number, p.Hits, len(p.List), func(n int64) string { return to(mark, order, n) })
}

// pageOf is the address of a page of a list. It leaves out empty parameters.
func pageOf(path string, q url.Values, number int64) string {
	maps.DeleteFunc(q, func(_ string, values []string) bool { return values[0] == "" })
	if number > 1 {
		q.Set("page", strconv.FormatInt(number, 10))
	}
	return strings.TrimSuffix(path+"?"+q.Encode(), "?")
}

// relationsElsewhere is the same list as an API call and in SQL.
func (v *view) relationsElsewhere(side graph.Side, order ledger.RelationOrder, number int64) (call, sql string) {
	e := v.EIN.String()
	path, group, whose := "/grants/funders?recip_id=", "funder_ein", "recipient_ein"
	if side == graph.Gave {
		path, group, whose = "/grants/recipients?exclude=individuals,unidentified&funder_id=", "recip_id", "funder_ein"
	}
	call = v.BaseURL + api.Versioned + path + e + "&limit=" + strconv.Itoa(rowsShown)
	if order == ledger.MostGrants {
		call += "&sort_by=count"
	}
	if number > 1 {
		call += "&page=" + strconv.FormatInt(number, 10)
	}
	sql = "SELECT " + group + ", tax_year, sum(amount) AS dollars, count(*) AS grants,\n       sum(sum(amount)) OVER (PARTITION BY " + group +
		") AS in_all\nFROM grants WHERE " + whose + " = '" + e + "'"
	if side == graph.Gave {
		sql += " AND NOT is_unidentified"
	}
	return call, sql + "\nGROUP BY " + group + ", tax_year\nORDER BY in_all DESC, " + group + ", tax_year"
}

// pageNumber reads the page number. An invalid one is reported, and is 1.
func (v *view) pageNumber(r *http.Request) int64 {
	t := r.FormValue("page")
	if t == "" {
		return 1
	}
	n, err := strconv.ParseInt(t, 10, 64)
	if err != nil || n < 1 || n > mostPages {
		v.Problems = append(v.Problems, "Page: enter a number, starting with 1.")
		return 1
	}
	return n
}

// status is the HTTP status of a page: the API's, if a parameter could not be read.
func (v *view) status() int {
	if len(v.Problems) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}
