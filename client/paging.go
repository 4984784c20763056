package client

import (
	"context"
	"encoding/json"
)

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
