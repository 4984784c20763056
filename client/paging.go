package client

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"strconv"
)

// ListOrganizations iterates over all organizations that match, page by page. Without Size it asks for the largest pages.
func (c *Client) ListOrganizations(ctx context.Context, body OrganizationQuery) iter.Seq2[OrganizationRow, error] {
	body.Size = cmp.Or(body.Size, int64(byCursor))
	return func(yield func(OrganizationRow, error) bool) {
		body, seen := body, int64(0) // a caller may walk the sequence again
		for {
			page, err := c.ListOrganizationsPage(ctx, body, url.Values{"strict": {"1"}})
			if err != nil {
				yield(OrganizationRow{}, err)
				return
			}
			for _, row := range page.Results {
				if !yield(row, nil) {
					return
				}
			}
			seen += int64(len(page.Results))
			switch next := page.NextCursor; {
			case next == nil:
				return
			case len(page.Results) == 0 || seen > page.Hits || *next == body.Cursor:
				yield(OrganizationRow{}, c.endless())
				return
			default:
				body.Cursor, body.From = *next, 0
			}
		}
	}
}

// paging says how a list goes on, by a cursor or the number of the page, and has the size of the largest pages.
type paging int

const (
	byCursor paging = 1000
	byNumber paging = 100
)

// rows iterates over all rows of a list. A loop sees no warnings, so a parameter that is not honored is an error by default.
func rows[T any](ctx context.Context, c *Client, path string, given url.Values, by paging) iter.Seq2[T, error] {
	query := url.Values{"strict": {"1"}, "limit": {strconv.Itoa(int(by))}}
	maps.Copy(query, given)
	return func(yield func(T, error) bool) {
		var none T
		q, seen := maps.Clone(query), int64(0) // a caller may walk the sequence again
		for {
			page, err := ask[List[T]](ctx, c, Request{Path: path, Query: q})
			if err != nil {
				yield(none, err)
				return
			}
			for _, row := range page.Results {
				if !yield(row, nil) {
					return
				}
			}
			seen += int64(len(page.Results))
			next := page.NextCursor
			switch {
			case by == byCursor && next == nil, by == byNumber && page.Page >= page.TotalPages:
				return
			case len(page.Results) == 0 || seen > page.Hits || next != nil && *next == q.Get("cursor"):
				yield(none, c.endless())
				return
			case by == byCursor:
				q.Del("page")
				q.Set("cursor", *next)
			default:
				q.Set("page", strconv.FormatInt(page.Page+1, 10))
			}
		}
	}
}

// endless is the error of a list that would never end.
func (c *Client) endless() error {
	return c.unexpected(nil, "names a next page and does not come to an end")
}

func ask[T any](ctx context.Context, c *Client, r Request) (*T, error) {
	resp, err := c.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	out := new(T)
	// Members that this program does not know are ignored. The members that every answer has must be there,
	// or an empty object would look like an answer without rows.
	var head Head
	if json.Unmarshal(resp.Body, &head) != nil || head.Code != 200 || json.Unmarshal(resp.Body, out) != nil {
		e := c.unexpected(nil, "to "+versioned+r.Path+" is not what this operation answers")
		e.Status, e.RequestID = resp.Status, resp.Header.Get("X-Request-Id")
		return nil, e
	}
	return out, nil
}

// Operations lists what the service offers. It needs no key.
func (c *Client) Operations(ctx context.Context) (*Listing, error) {
	return ask[Listing](ctx, c, Request{})
}
