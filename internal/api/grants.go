package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"grantgraph/internal/graph"
)

// Page sizes.
const (
	defaultLimit = 25
	maxLimit     = 1000
	maxPage      = 1_000_000_000
)

var (
	formats    = []string{"json", "xml", "csv", "ndjson"}
	grantSlugs = []string{slugProprietary, slugIDType}
	listSlugs  = []string{slugProprietary, slugIDType, slugCursorStale, slugCursorOther}
)

// listParams are the parameters of an endpoint that answers pages of rows.
func listParams(about graph.About, row any) []Param {
	names := about.OrderWords()
	return append(filterParams(),
		Param{Name: "sort_by", Also: words("sort order_by orderby order sort_field sortby ordering sort_key"), EnumAlso: orderWords(names), Type: String, Enum: names, Default: "amount", Description: "Order of the rows. A field that this endpoint cannot order by is reported, not swapped."},
		Param{Name: "sort_order", Also: words("order_direction direction sort_direction sort_dir sort_type dir"), EnumAlso: map[string]string{"ascending": "asc", "up": "asc", "increasing": "asc", "descending": "desc", "down": "desc", "decreasing": "desc"}, Type: String, Enum: []string{"asc", "desc"}, Description: "Direction; desc for amount, year and count, asc for names and states unless given."},
		Param{Name: "page", Also: append(words("page_number pagenumber page_no pageno p pg"), either("page or cursor", "offset start from skip")...), Type: Integer, Min: bound(1), Max: bound(maxPage), Default: 1, Description: "Page number, from 1. A page past the end is empty."},
		Param{Name: "limit", Also: words("size page_size pagesize per_page perpage count rows max_results maxresults results num top take n"), Type: Integer, Min: bound(1), Cap: bound(maxLimit), Default: defaultLimit, Description: "Rows in a page, up to 1,000, or fewer for the key of an agent; more is served at the cap with a caveat."},
		Param{Name: "cursor", Also: words("next_cursor after next page_token next_page next_page_token continuation scroll_id last_record_unique_id"), Type: String, MaxLength: 100, Description: "next_cursor of the page before: pages on through any number of rows. Tied to the build of the dataset and to the filter."},
		Param{Name: "fields", Also: words("columns field select include attributes fl cols"), Type: String, List: true, Enum: columnNames(row), Description: "Columns to return, comma-separated, in this order. Columns not named are left out, also those that the schema of a row says are required."},
		formatParam(formats...),
	)
}

func formatParam(names ...string) Param {
	p := Param{Name: "format", Also: words("output output_format response_format file_type fmt as download_type file_format content_type accept"), Type: String, Enum: names, Default: "json", Description: "Format of the answer. Without it the Accept header decides, where it names one of these by its media type; what it asks for and is not here is answered as JSON."}
	if slices.Contains(names, "csv") {
		p.Description += " csv and ndjson carry the rows alone; their warnings are in the headers X-Service-Warnings and X-Service-Unsupported."
	}
	return p
}

const graphNote = " Amounts are grants paid in the fiscal year, as itemized on Form 990-PF Part XV and Form 990 Schedule I. Figures are associations, never causation."

func transactionsOperation() Operation {
	return Operation{
		ID: "listTransactions", Method: "GET", Path: "/grants/transactions", Tag: "Grants", Access: Grants, Cost: 1, needs: theGraph,
		Summary:     "Grants, one row each",
		Description: "Lists the grants that match the filters, largest first." + graphNote,
		Params:      listParams(graph.AboutGrants, GrantRow{}), Response: List[GrantRow]{}, Formats: formats, Slugs: listSlugs,
		Examples: grantExamples("funder_id=00-0000001"),
		plan: listPlan(graph.AboutGrants, grantRow, func(d *Dataset) question[graph.Grant] {
			return d.Graph.Transactions
		}),
	}
}

func fundersOperation() Operation {
	return Operation{
		ID: "listFunders", Method: "GET", Path: "/grants/funders", Tag: "Grants", Access: Grants, Cost: 1, needs: theGraph,
		Summary:     "Funders, ranked by dollars",
		Description: "Lists the funders of the grants that match the filters, with the totals of those grants, ranked by total dollars." + graphNote,
		Params:      listParams(graph.AboutFunders, FunderRow{}), Response: List[FunderRow]{}, Formats: formats, Slugs: listSlugs,
		Examples: grantExamples("recip_id=00-0000004"),
		plan: listPlan(graph.AboutFunders, funderRow, func(d *Dataset) question[graph.FunderTotal] {
			return d.Graph.Funders
		}),
	}
}

func recipientsOperation() Operation {
	return Operation{
		ID: "listRecipients", Method: "GET", Path: "/grants/recipients", Tag: "Grants", Access: Grants, Cost: 1, needs: theGraph,
		Summary:     "Recipients, ranked by dollars",
		Description: "Lists the recipients of the grants that match the filters, with the totals of those grants, ranked by dollars received." + graphNote,
		Params:      listParams(graph.AboutRecipients, RecipientRow{}), Response: List[RecipientRow]{}, Formats: formats, Slugs: listSlugs,
		Examples: grantExamples("funder_id=00-0000001"),
		plan: listPlan(graph.AboutRecipients, recipientRow, func(d *Dataset) question[graph.RecipientTotal] {
			return d.Graph.Recipients
		}),
	}
}

func summaryOperation() Operation {
	return Operation{
		ID: "summarizeGrants", Method: "GET", Path: "/grants/summary", Tag: "Grants", Access: Grants, Cost: 1, needs: theGraph,
		Summary:     "Totals, overall and by year",
		Description: "Sums up the grants that match the filters: dollars, grants, distinct funders and distinct recipients, overall and by fiscal year." + graphNote,
		Params:      append(filterParams(), formatParam(formats...)), Response: SummaryAnswer{}, Formats: formats, Slugs: grantSlugs,
		Examples: grantExamples("year=2020-2022"),
		plan:     summaryPlan,
	}
}

// question is a method of the graph that answers a page of rows.
type question[T any] func(context.Context, *graph.Filter, graph.Sort, graph.Page) ([]T, int64, error)

// listPlan is the plan of an endpoint that answers pages of rows.
func listPlan[T, R any](about graph.About, wire func(*T) R, ask func(*Dataset) question[T]) func(*call) (run, error) {
	return func(c *call) (run, error) {
		f, err := readFilter(c.params, c.data)
		if err != nil {
			return nil, err
		}
		sort := readSort(c.params)
		c.readFormat()
		c.fields = c.params.choices("fields")
		page, err := readPage(c, &f.filter, sort)
		if err != nil {
			return nil, err
		}
		c.weight = c.data.Graph.Weight(about, &f.filter, page) + int64(page.Limit)*rowWeight
		return func(ctx context.Context) (answer, error) {
			found, hits, err := ask(c.data)(ctx, &f.filter, sort, page)
			if err != nil {
				return nil, err
			}
			rows := make([]R, len(found))
			for i := range found {
				rows[i] = wire(&found[i])
			}
			list := &List[R]{head: success, Hits: hits, Page: int64(page.Offset/page.Limit) + 1, Limit: page.Limit,
				ResultsCount: len(rows), TotalPages: (hits + int64(page.Limit) - 1) / int64(page.Limit), Results: rows}
			if end := int64(page.Offset) + int64(len(rows)); len(rows) > 0 && end < hits {
				next := encodeCursor(c.data.Manifest.Version, questionText(c.op, &f.filter, sort), end)
				list.NextCursor = &next
			}
			if list.Service, err = c.grantService(ctx, f); err != nil {
				return nil, err
			}
			if len(c.fields) > 0 {
				return list.pick(c.fields), nil
			}
			return list, nil
		}, nil
	}
}

func summaryPlan(c *call) (run, error) {
	f, err := readFilter(c.params, c.data)
	if err != nil {
		return nil, err
	}
	c.readFormat()
	c.weight = c.data.Graph.Weight(graph.AboutTotals, &f.filter, graph.Page{})
	return func(ctx context.Context) (answer, error) {
		totals, years, err := c.data.Graph.Summary(ctx, &f.filter)
		if err != nil {
			return nil, err
		}
		out := &SummaryAnswer{head: success, Summary: Sums{totals.Amount, totals.Grants, totals.Funders, totals.Recipients}, ByYear: []Year{}}
		for _, y := range years {
			out.ByYear = append(out.ByYear, Year{y.FiscalYear, y.Amount, y.Grants, y.Funders, y.Recipients, y.Partial})
		}
		out.Service, err = c.grantService(ctx, f)
		return out, err
	}, nil
}

// grantService is the extension block of an answer from the graph.
func (c *call) grantService(ctx context.Context, f *filterReader) (Service, error) {
	if f.reaches {
		n, err := c.data.Graph.ReachingFunders(ctx, &f.filter)
		if err != nil {
			return Service{}, err
		}
		reached := fmt.Sprintf("the %d funders", n)
		if n == 1 {
			reached = "the one funder"
		}
		c.warn.caveat("location_type", fmt.Sprintf("area_served selected %s whose giving reaches the place; the answer covers all their grants within the other filters, including those made elsewhere.", reached))
	}
	s := c.service()
	if f.filter.Exclude != 0 {
		costs, err := c.data.Graph.Excluded(ctx, &f.filter)
		if err != nil {
			return Service{}, err
		}
		cost := func(class graph.Class) *Cost {
			if f.filter.Exclude&class == 0 {
				return nil
			}
			return &Cost{costs[class].Grants, costs[class].Amount}
		}
		s.Excluded = &Excluded{cost(graph.DAF), cost(graph.Individuals), cost(graph.RelatedParty)}
	}
	return s, nil
}

// readSort reads sort_by and sort_order. Names and states run upwards unless
// the caller says otherwise, figures downwards. Where the field is not
// understood its direction is not applied to another one.
func readSort(r *reader) graph.Sort {
	var sort graph.Sort
	name, understood := r.choice("sort_by")
	if name != "" {
		sort.By, _ = graph.ParseOrder(name)
	}
	switch sort.By {
	case graph.ByFunderName, graph.ByFunderState, graph.ByRecipName, graph.ByRecipState:
		sort.Asc = true
	}
	direction, _ := r.choice("sort_order")
	switch {
	case direction != "" && !understood:
		r.warn.ignored("sort_order", "sort_by was not applied, so neither was its direction.")
	case direction != "":
		sort.Asc = direction == "asc"
	}
	return sort
}

// readPage reads limit, page and cursor.
func readPage(c *call, f *graph.Filter, sort graph.Sort) (graph.Page, error) {
	r := c.params
	most, whom := int64(maxLimit), ""
	if rows := int64(c.tier.Terms().Rows); c.tier != "" && rows < most {
		most, whom = rows, fmt.Sprintf(" to a key of the %s tier", c.tier)
	}
	size := min(defaultLimit, most)
	if n, ok := r.integer("limit"); ok {
		if size = n; size > most {
			size = most
			r.warn.caveat("limit", fmt.Sprintf("At most %d rows are served in a page%s, so limit was lowered to that.", most, whom))
		}
	}
	page := graph.Page{Limit: int(size)}
	number, numbered := r.integer("page")
	if numbered {
		page.Offset = int((number - 1) * size)
	}
	cursor, given := r.text("cursor")
	if !given {
		return page, nil
	}
	offset, readable, err := decodeCursor(cursor, c.data.Manifest.Version, questionText(c.op, f, sort))
	switch {
	case err != nil:
		return page, err
	case !readable:
		r.problem(r.param("cursor"), -1, "cursor_parsing", cursor, nil, "the value is not a cursor; send next_cursor as it was returned")
	case numbered:
		r.warn.ignored("page", "The cursor says where the page begins, so page was not applied.")
	}
	page.Offset = int(offset)
	return page, nil
}

// questionText is the canonical form of a question: filters are sorted and
// without repetitions, so equal questions have equal texts.
func questionText(op *Operation, f *graph.Filter, sort graph.Sort) string {
	b, err := json.Marshal(struct {
		Op     string
		Filter *graph.Filter
		Sort   graph.Sort
	}{op.ID, f, sort})
	if err != nil {
		panic("api: a filter cannot be written as JSON: " + err.Error()) // it holds only plain values
	}
	return string(b)
}
