package api

import (
	"fmt"

	"grantgraph/client"
)

// Page sizes.
const (
	defaultLimit = 25
	maxLimit     = 1000
	maxPage      = 1_000_000_000
)

// PageParams are the parameters of an operation that pages through any number of
// rows.
func PageParams() []Param {
	return []Param{
		{Name: "page", Also: append(Words("page_number pagenumber page_no pageno p pg"), Either("page or cursor", "offset start from skip")...), Type: Integer, Min: Bound(1), Max: Bound(maxPage), Default: 1, Description: "Page number, from 1. A page past the end is empty."},
		{Name: "limit", Also: Words("size page_size pagesize per_page perpage count rows max_results maxresults results num top take n"), Type: Integer, Min: Bound(1), Cap: Bound(maxLimit), Default: defaultLimit, Description: "Rows in a page, up to 1,000, or fewer for the key of an agent; more is served at the cap with a caveat."},
		{Name: "cursor", Also: Words("next_cursor after next page_token next_page next_page_token continuation scroll_id last_record_unique_id"), Type: String, MaxLength: 100, Description: "next_cursor of the page before: pages on through any number of rows. Tied to the build of the dataset and to the filter."},
	}
}

// ReadPage reads limit, page and cursor of a question.
func (c *Call) ReadPage(asked []byte) (offset, limit int, err error) {
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
	number, numbered := r.Integer("page")
	if numbered {
		offset = int((number - 1) * size)
	}
	from, given, err := c.ReadCursor(asked)
	switch {
	case err != nil || !given:
		return offset, int(size), err
	case numbered:
		r.Warn.Ignored("page", "The cursor says where the page begins, so page was not applied.")
	}
	return int(from), int(size), nil
}

// ListOf is the envelope of a page of the rows that a question has. Its tail is
// for the caller to add, once all warnings are there.
func ListOf[T any](c *Call, asked []byte, rows []T, hits int64, offset, limit int) *List[T] {
	list := &List[T]{List: client.List[T]{
		Head: Success, Hits: hits, Page: int64(offset/limit) + 1, Limit: limit,
		ResultsCount: len(rows), TotalPages: (hits + int64(limit) - 1) / int64(limit), Results: rows,
	}}
	if end := int64(offset) + int64(len(rows)); len(rows) > 0 && end < hits {
		next := c.Cursor(asked, end)
		list.NextCursor = &next
	}
	return list
}
