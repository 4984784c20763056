package lists_test

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/url"

	"grantgraph/client"
)

// The operations on lists, as the served module of the Go client has them.

func (c caller) CreateList(ctx context.Context, body client.ListRequest, q url.Values) (*client.ListAnswer, error) {
	return ask[client.ListAnswer](ctx, c.Client, client.Request{Method: "POST", Path: "/lists", Query: q, Body: body})
}

func (c caller) GetLists(ctx context.Context, q url.Values) (*client.ListsAnswer, error) {
	return ask[client.ListsAnswer](ctx, c.Client, client.Request{Path: "/lists", Query: q})
}

func (c caller) GetList(ctx context.Context, list string, q url.Values) iter.Seq2[client.ListMember, error] {
	return rows[client.ListMember](ctx, c.Client, "/lists/"+url.PathEscape(list), q)
}

func (c caller) GetListPage(ctx context.Context, list string, q url.Values) (*client.ListPage[client.ListMember], error) {
	return ask[client.ListPage[client.ListMember]](ctx, c.Client, client.Request{Path: "/lists/" + url.PathEscape(list), Query: q})
}

func (c caller) ChangeList(ctx context.Context, list string, body client.ListRequest, q url.Values) (*client.ListAnswer, error) {
	return ask[client.ListAnswer](ctx, c.Client, client.Request{Method: "POST", Path: "/lists/" + url.PathEscape(list), Query: q, Body: body})
}

func (c caller) DeleteList(ctx context.Context, list string, q url.Values) (*client.ListsAnswer, error) {
	return ask[client.ListsAnswer](ctx, c.Client, client.Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/delete", Query: q})
}

func (c caller) AddToList(ctx context.Context, list string, body client.AddRequest, q url.Values) (*client.MembersChanged, error) {
	return ask[client.MembersChanged](ctx, c.Client, client.Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/add", Query: q, Body: body})
}

func (c caller) RemoveFromList(ctx context.Context, list string, body client.RemoveRequest, q url.Values) (*client.MembersChanged, error) {
	return ask[client.MembersChanged](ctx, c.Client, client.Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/remove", Query: q, Body: body})
}

func (c caller) ScreenList(ctx context.Context, list string, q url.Values) (*client.ListPage[client.ListResult], error) {
	return ask[client.ListPage[client.ListResult]](ctx, c.Client, client.Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/screen", Query: q})
}

func (c caller) GetListRuns(ctx context.Context, list string, q url.Values) (*client.ListRunsAnswer, error) {
	return ask[client.ListRunsAnswer](ctx, c.Client, client.Request{Path: "/lists/" + url.PathEscape(list) + "/runs", Query: q})
}

func (c caller) GetListResults(ctx context.Context, list string, run string, q url.Values) iter.Seq2[client.ListResult, error] {
	return rows[client.ListResult](ctx, c.Client, "/lists/"+url.PathEscape(list)+"/runs/"+url.PathEscape(run), q)
}

func (c caller) GetListResultsPage(ctx context.Context, list string, run string, q url.Values) (*client.ListPage[client.ListResult], error) {
	return ask[client.ListPage[client.ListResult]](ctx, c.Client, client.Request{Path: "/lists/" + url.PathEscape(list) + "/runs/" + url.PathEscape(run), Query: q})
}

func (c caller) DeleteListRun(ctx context.Context, list string, run string, q url.Values) (*client.ListRunsAnswer, error) {
	return ask[client.ListRunsAnswer](ctx, c.Client, client.Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/runs/" + url.PathEscape(run) + "/delete", Query: q})
}

func (c caller) GetWatch(ctx context.Context, list string, q url.Values) (*client.WatchAnswer, error) {
	return ask[client.WatchAnswer](ctx, c.Client, client.Request{Path: "/lists/" + url.PathEscape(list) + "/watch", Query: q})
}

func (c caller) GetAlerts(ctx context.Context, list string, q url.Values) iter.Seq2[client.Alert, error] {
	return rows[client.Alert](ctx, c.Client, "/lists/"+url.PathEscape(list)+"/alerts", q)
}

func (c caller) GetAlertsPage(ctx context.Context, list string, q url.Values) (*client.ListPage[client.Alert], error) {
	return ask[client.ListPage[client.Alert]](ctx, c.Client, client.Request{Path: "/lists/" + url.PathEscape(list) + "/alerts", Query: q})
}

func (c caller) SetWatch(ctx context.Context, list string, body client.WatchRequest, q url.Values) (*client.WatchAnswer, error) {
	return ask[client.WatchAnswer](ctx, c.Client, client.Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/watch", Query: q, Body: body})
}

func (c caller) TestWebhook(ctx context.Context, list string, q url.Values) (*client.WatchAnswer, error) {
	return ask[client.WatchAnswer](ctx, c.Client, client.Request{Method: "POST", Path: "/lists/" + url.PathEscape(list) + "/watch/test", Query: q})
}

func ask[T any](ctx context.Context, c *client.Client, r client.Request) (*T, error) {
	resp, err := c.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	out := new(T)
	return out, json.Unmarshal(resp.Body, out)
}

// rows are the rows of all pages.
func rows[T any](ctx context.Context, c *client.Client, path string, given url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		q := url.Values{"limit": {"1000"}}
		for maps.Copy(q, given); ; {
			page, err := ask[client.List[T]](ctx, c, client.Request{Path: path, Query: q})
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, row := range page.Results {
				if !yield(row, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			q.Set("cursor", *page.NextCursor)
		}
	}
}
