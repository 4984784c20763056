package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
)

// calling is the handler of a tool. A refusal is a result, which the model sees and can correct.
func (s *Service) calling(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var asked http.Header
		if r.Extra != nil {
			asked = r.Extra.Header
		}
		result, err := s.call(ctx, t, r.Params.Arguments, asked)
		if err != nil {
			return s.refusal(t, err), nil
		}
		return result, nil
	}
}

func (s *Service) call(ctx context.Context, t *tool, arguments json.RawMessage, asked http.Header) (*mcp.CallToolResult, error) {
	given := map[string]json.RawMessage{}
	if len(arguments) > 0 && string(arguments) != "null" {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return nil, fault.New("bad_arguments", "The arguments are not an object.").Try("send an object with the arguments of %s", t.name)
		}
	}
	wish, err := t.wish(given)
	if err != nil {
		return nil, err
	}
	r, err := t.request(ctx, s.Reference.Base(), given)
	if err != nil {
		return nil, err
	}
	if address, ok := ctx.Value(from{}).(string); ok {
		r.RemoteAddr = address
	}
	hold, err := s.Budget.Take(ctx, baseWeight)
	if err != nil {
		return nil, err
	}
	defer hold.Release()
	resp, err := s.API.RoundTrip(s.Authorize(r, asked))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fault.New("answer", "The answer broke off.").Try("call the tool again")
	case len(body) > maxAnswer:
		return nil, fault.New("too_large", "The answer has more than %d bytes.", maxAnswer).Try("ask for fewer rows or columns")
	case resp.StatusCode != http.StatusOK:
		return nil, failed(resp, body)
	}
	hold.Resize(copies * int64(len(body)))
	return t.result(resp.Header, body, wish, given)
}

// Memory that a call takes, in bytes: at first baseWeight, then copies times its answer of at most maxAnswer.
const (
	baseWeight = 64 << 10
	maxAnswer  = 4 << 20
	copies     = 8
)

type from struct{}

// withKey passes on the key of a call and no other header.
func withKey(r *http.Request, asked http.Header) *http.Request {
	for _, name := range []string{"X-API-Key", "Authorization"} {
		if v := asked.Values(name); len(v) > 0 {
			r.Header[http.CanonicalHeaderKey(name)] = v
		}
	}
	return r
}

// asking is what a call asks of the form of its result.
type asking struct {
	rows   int   // of the table of results
	beside int   // of every other table, in a compact result
	full   bool  // not compact
	notes  []any // what was asked and is not done
}

// wish reads the arguments that say which form the result has. It bounds the page size, and removes what the API does not know.
func (t *tool) wish(given map[string]json.RawMessage) (a asking, err error) {
	name := cmp.Or(t.paging, "max_rows")
	a = asking{rows: usualRows, beside: usualBeside, full: t.compact == nil || given["fields"] != nil}
	detail, failed := plain("detail", given["detail"], false)
	text, unread := plain(name, given[name], false)
	n, wrong := strconv.Atoi(text)
	switch {
	case cmp.Or(failed, unread) != nil:
		return a, cmp.Or(failed, unread)
	case t.compact != nil && detail != "" && detail != "compact" && detail != "full":
		return a, fault.New("bad_arguments", "detail is neither compact nor full.").Try("leave it out for a compact result")
	case text != "" && (wrong != nil || n < 1):
		if t.paging != "" {
			return a, nil // the API says what is wrong with it
		}
		return a, fault.New("bad_arguments", "max_rows is not a whole number of at least 1.").Try("leave it out for %d", usualRows)
	case text != "":
		a.rows, a.beside = min(n, mostRows), min(n, mostRows)
	}
	if n > mostRows {
		a.notes = append(a.notes, fmt.Sprintf("%s: a result here has at most %d rows, not %d.", name, mostRows, n))
	}
	a.full = a.full || detail == "full"
	delete(given, "detail")
	if delete(given, name); t.paging != "" {
		given[name] = json.RawMessage(strconv.Itoa(a.rows))
	}
	return a, nil
}

// request is the request of a call. The API can suggest better names for unknown arguments.
func (t *tool) request(ctx context.Context, base string, given map[string]json.RawMessage) (*http.Request, error) {
	path, query, body := api.Versioned+t.op.Path, url.Values{}, map[string]json.RawMessage{}
	if t.op.ID == sqlSchema {
		given = maps.Clone(given)
		delete(given, "tables") // an argument of the tool alone
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		raw := given[name]
		if slices.Contains(hidden, name) {
			return nil, fault.New("bad_arguments", "%s is not an argument of %s.", name, t.name).Try("leave it out")
		}
		p := t.query[name]
		if p == nil && t.op.Body != nil && name != "strict" {
			body[name] = raw
			continue
		}
		if string(raw) == "null" {
			continue // the same as leaving it out
		}
		text, err := plain(name, raw, p == nil || p.List)
		if err != nil {
			return nil, err
		}
		if p != nil && p.In == "path" {
			if strings.TrimSpace(text) == "" {
				return nil, missing(name, t)
			}
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text))
			continue
		}
		query.Set(name, text)
	}
	for name, p := range t.query {
		if p.In == "path" && strings.Contains(path, "{"+name+"}") {
			return nil, missing(name, t)
		}
	}
	if !query.Has("strict") {
		query.Set("strict", "1")
	}
	var content io.Reader = http.NoBody
	if t.op.Body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, t.op.Method, base+path+"?"+query.Encode(), content)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if t.op.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

func missing(name string, t *tool) error {
	return fault.New("bad_arguments", "The argument %s is required.", name).Try("call %s again with it", t.name)
}

// plain writes an argument for the query, lists joined by commas. One that is null or not given is empty.
func plain(name string, raw json.RawMessage, list bool) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fault.New("bad_arguments", "The argument %s cannot be read.", fault.Clip(name, 40)).Try("send it as the tool describes it")
	}
	items, many := v.([]any)
	if !many {
		items = []any{v}
	}
	if many && !list {
		return "", fault.New("bad_arguments", "The argument %s takes one value, not a list.", fault.Clip(name, 40)).Try("send one value")
	}
	var parts []string
	for _, item := range items {
		switch item.(type) {
		case string, json.Number, bool:
			parts = append(parts, fmt.Sprint(item))
		default:
			return "", fault.New("bad_arguments", "The argument %s is neither a text, a number, true or false, nor a list of these.",
				fault.Clip(name, 40)).Try("send it as the tool describes it")
		}
	}
	return strings.Join(parts, ","), nil
}
