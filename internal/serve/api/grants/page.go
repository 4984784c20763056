package grants

import (
	"fmt"

	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/graph"
)

// Page sizes.
const (
	defaultLimit = 25
	maxLimit     = 1000
	maxPage      = 1_000_000_000
)

// listParams are the parameters of an endpoint that answers pages of rows.
func listParams(about graph.About, row any) []api.Param {
	names := about.OrderWords()
	return append(filterParams(),
		api.Param{Name: "sort_by", Also: api.Words("sort order_by orderby order sort_field sortby ordering sort_key"), EnumAlso: orderWords(names), Type: api.String, Enum: names, Default: "amount", Description: "Order of the rows. A field that this endpoint cannot order by is reported, not swapped."},
		api.Param{Name: "sort_order", Also: api.Words("order_direction direction sort_direction sort_dir sort_type dir"), EnumAlso: map[string]string{"ascending": "asc", "up": "asc", "increasing": "asc", "descending": "desc", "down": "desc", "decreasing": "desc"}, Type: api.String, Enum: []string{"asc", "desc"}, Description: "Direction; desc for amount, year and count, asc for names and states unless given."},
		api.Param{Name: "page", Also: append(api.Words("page_number pagenumber page_no pageno p pg"), api.Either("page or cursor", "offset start from skip")...), Type: api.Integer, Min: api.Bound(1), Max: api.Bound(maxPage), Default: 1, Description: "Page number, from 1. A page past the end is empty."},
		api.Param{Name: "limit", Also: api.Words("size page_size pagesize per_page perpage count rows max_results maxresults results num top take n"), Type: api.Integer, Min: api.Bound(1), Cap: api.Bound(maxLimit), Default: defaultLimit, Description: "Rows in a page, up to 1,000, or fewer for the key of an agent; more is served at the cap with a caveat."},
		api.Param{Name: "cursor", Also: api.Words("next_cursor after next page_token next_page next_page_token continuation scroll_id last_record_unique_id"), Type: api.String, MaxLength: 100, Description: "next_cursor of the page before: pages on through any number of rows. Tied to the build of the dataset and to the filter."},
		api.Param{Name: "fields", Also: api.Words("columns field select include attributes fl cols"), Type: api.String, List: true, Enum: api.ColumnNames(row), Description: "Columns to return, comma-separated, in this order. Columns not named are left out, also those that the schema of a row says are required."},
		api.FormatParam(api.Formats...),
	)
}

// readSort reads sort_by and sort_order. Names and states run upwards unless
// the caller says otherwise, figures downwards. Where the field is not
// understood its direction is not applied to another one.
func readSort(r *api.Reader) graph.Sort {
	var sort graph.Sort
	name, understood := r.Choice("sort_by")
	if name != "" {
		sort.By, _ = graph.ParseOrder(name)
	}
	switch sort.By {
	case graph.ByFunderName, graph.ByFunderState, graph.ByRecipName, graph.ByRecipState:
		sort.Asc = true
	}
	direction, _ := r.Choice("sort_order")
	switch {
	case direction != "" && !understood:
		r.Warn.Ignored("sort_order", "sort_by was not applied, so neither was its direction.")
	case direction != "":
		sort.Asc = direction == "asc"
	}
	return sort
}

// readPage reads limit, page and cursor of a question.
func readPage(c *api.Call, asked []byte) (graph.Page, error) {
	r := c.Params
	most, whom := int64(maxLimit), ""
	if rows := int64(c.Caller.Tier.Terms().Rows); c.Caller.Tier != "" && rows < most {
		most, whom = rows, fmt.Sprintf(" to a key of the %s tier", c.Caller.Tier)
	}
	size := min(defaultLimit, most)
	if n, ok := r.Integer("limit"); ok {
		if size = n; size > most {
			size = most
			r.Warn.Caveat("limit", fmt.Sprintf("At most %d rows are served in a page%s, so limit was lowered to that.", most, whom))
		}
	}
	page := graph.Page{Limit: int(size)}
	number, numbered := r.Integer("page")
	if numbered {
		page.Offset = int((number - 1) * size)
	}
	offset, given, err := c.ReadCursor(asked)
	switch {
	case err != nil || !given:
		return page, err
	case numbered:
		r.Warn.Ignored("page", "The cursor says where the page begins, so page was not applied.")
	}
	page.Offset = int(offset)
	return page, nil
}
