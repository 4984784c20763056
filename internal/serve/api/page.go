package api

import (
	"fmt"

	"grantgraph/client"
)

// ReadPage reads limit, page and cursor of a question.
func (c *Call) ReadPage(asked []byte) (offset, limit int, err error) {
	r := c.Params
	p := r.Param("limit")
	most, whom := int64(*p.Cap), ""
	if rows := int64(c.Caller.Tier.Terms().Rows); c.Caller.Tier != "" && rows < most {
		most, whom = rows, fmt.Sprintf(" to a key of the %s tier", c.Caller.Tier)
	}
	size := min(int64(p.Default.(int)), most)
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

// ListOf is the envelope of a page of rows. The caller adds the tail, once all
// warnings are there.
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
