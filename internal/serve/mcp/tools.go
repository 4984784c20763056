package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
)

// names are the tools that are not called as their operation is, in the words that
// a model looks for. Every other is named after its operation: findSimilar is
// find_similar.
var names = map[string]string{
	"searchOrganizations": "find_organizations",
	"listTransactions":    "list_grants",
	"getEssentials":       "get_profile",
	"getPremier":          "get_full_profile",
	"getMeta":             "get_dataset",
	"runSQL":              "run_sql",
	"getSQLSchema":        "get_sql_schema",
}

// advice says when to use a tool, where its description leaves that open.
var advice = map[string]string{
	"searchOrganizations": "Use it first, to turn a name into an EIN.",
	"listTransactions":    "Use it for single grants; for sums and rankings the other tools are shorter.",
	"listFunders": "Use it for who funds a cause, a place or a recipient. first_fiscal_year of a row is within the filters: a funder whose first " +
		"year is the year you ask about is new to them.",
	"listRecipients":     "Use it for whom a funder supports, or who is funded for a cause in a place.",
	"summarizeGrants":    "Use it for how much, how many and the course of years, and with by for shares.",
	"getEssentials":      "Use it for who an organization is and its latest figures.",
	"screenOrganization": "Use it before a grant is made to an organization. Here the signed report is left out; the API gives it.",
	"runSQL":             "Use it where no other tool answers; read get_sql_schema first.",
	"getSQLSchema":       "Without tables it lists them; name some to see their columns.",
	"getMeta":            "Use it to say what the data covers and how old it is.",
}

// leftOut are the operations that are no tools, and why. Those for billing systems
// are not even named.
var leftOut = map[string]string{
	"mintAgentKey":     "a key is sent with the connection, so it is got before there is one",
	"getAgentKeyRules": "a key is sent with the connection, so it is got before there is one",
	"answerChallenge":  "a key is sent with the connection, so it is got before there is one",
	"renewChallenge":   "a key is sent with the connection, so it is got before there is one",
	"verifyReport":     "it takes a file",
}

// hidden are parameters that are not for models: answers have one form here, and
// no tool answers from invented data.
var hidden = []string{"format", "example", "compat", "reports", "page"}

// untold are parameters that are taken and not described: each says what another
// says better.
var untold = []string{"id_type", "exclude_daf"}

// Bounds of a page.
const (
	usualRows = 25
	mostRows  = 100
)

// tool is an operation as a model sees it.
type tool struct {
	op        *api.Operation
	name      string
	paging    string // its argument for the size of a page, empty when it has none
	arguments map[string]any
	required  []string
	query     map[string]*api.Param // of the path and the query
	shape     func(object, map[string]json.RawMessage) (object, error)
	words     *strings.Replacer // of the API, and what they are called here
}

// toolName is what the tool of an operation is called.
func toolName(id string) string {
	if name, ok := names[id]; ok {
		return name
	}
	var b strings.Builder
	for _, r := range id {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.TrimPrefix(b.String(), "_")
}

// offered reports whether an operation is a tool.
func offered(op *api.Operation) bool {
	_, out := leftOut[op.ID]
	return !out && op.Access != api.Admin && op.Access != api.Agent && slices.Contains(op.Formats, "json")
}

// makeTools reads the table.
func (s *Service) makeTools() (list []*tool) {
	var words []string
	for _, g := range s.Reference.Groups {
		for i := range g.Operations {
			if op := &g.Operations[i]; offered(op) {
				words = append(words, op.Method+" "+op.Path, toolName(op.ID))
			}
		}
	}
	called := strings.NewReplacer(words...)
	for _, g := range s.Reference.Groups {
		for i := range g.Operations {
			if op := &g.Operations[i]; offered(op) {
				list = append(list, s.makeTool(op, called))
			}
		}
	}
	return list
}

func (s *Service) makeTool(op *api.Operation, words *strings.Replacer) *tool {
	t := &tool{op: op, name: toolName(op.ID), query: map[string]*api.Param{}, words: words, shape: shapes[op.ID]}
	t.arguments, t.required = s.Reference.Arguments(op)
	for i := range op.Params {
		t.query[op.Params[i].Name] = &op.Params[i]
	}
	for _, name := range hidden {
		delete(t.arguments, name)
		delete(t.query, name)
	}
	for _, name := range untold {
		delete(t.arguments, name)
	}
	for _, a := range t.arguments {
		if a, ok := a.(map[string]any); ok {
			if about, ok := a["description"].(string); ok {
				a["description"] = words.Replace(about)
			}
		}
	}
	for _, name := range []string{"limit", "size"} {
		if a, ok := t.arguments[name].(map[string]any); ok {
			t.paging = name
			a["maximum"], a["default"] = mostRows, usualRows
			a["description"] = fmt.Sprintf("Rows in a page, at most %d here; next_cursor leads to the next page.", mostRows)
		}
	}
	if t.paging == "" {
		t.arguments["max_rows"] = map[string]any{"type": "integer", "minimum": 1, "maximum": mostRows, "default": usualRows,
			"description": fmt.Sprintf("How many rows of each table of the answer to show, at most %d.", mostRows)}
	}
	if op.ID == "getSQLSchema" {
		t.arguments["tables"] = map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "maxItems": 10,
			"description": "Names of tables to describe with all their columns; without it every table is listed in short."}
	}
	t.arguments["strict"] = map[string]any{"type": "boolean", "default": true,
		"description": "Whether an argument that would be ignored is an error, which costs nothing. Where it is false the answer comes with a note that the " +
			"filter did not run."}
	return t
}

// described is the tool as clients list it.
func (t *tool) described() *mcp.Tool {
	no := false
	about := t.op.Description
	if more := advice[t.op.ID]; more != "" {
		about += " " + more
	}
	return &mcp.Tool{
		Name: t.name, Title: t.op.Summary,
		Description: t.words.Replace(about) + fmt.Sprintf(" Needs %s; %s.", t.op.Who(), t.op.Price()),
		InputSchema: map[string]any{"type": "object", "properties": t.arguments, "required": append([]string{}, t.required...), "additionalProperties": false},
		// What a call does beside answering is to be counted.
		Annotations:  &mcp.ToolAnnotations{Title: t.op.Summary, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
		OutputSchema: resultSchema(t.op.Response, t.shape != nil),
	}
}

// calling is the handler of a tool. What is wrong with a call is in its result, as
// the protocol wants it: there the model sees it and can do better.
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

// call makes a request of the arguments of a call, and a result of its answer.
func (s *Service) call(ctx context.Context, t *tool, arguments json.RawMessage, asked http.Header) (*mcp.CallToolResult, error) {
	given := map[string]json.RawMessage{}
	if len(arguments) > 0 && string(arguments) != "null" {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return nil, fault.New("bad_arguments", "The arguments are not an object.").Try("send an object with the arguments of %s", t.name)
		}
	}
	rows, err := t.rows(given)
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
	return t.result(resp.Header, body, rows, given)
}

// What an answer takes of the memory that all requests share while it is put into
// another form, in bytes.
const (
	baseWeight = 64 << 10
	maxAnswer  = 4 << 20
	copies     = 8
)

// from is where the context of a call has the address of the client.
type from struct{}

// withKey sends the key of a call along, as it was sent, and nothing else.
func withKey(r *http.Request, asked http.Header) *http.Request {
	for _, name := range []string{"X-API-Key", "Authorization"} {
		if v := asked.Values(name); len(v) > 0 {
			r.Header[http.CanonicalHeaderKey(name)] = v
		}
	}
	return r
}

// rows takes out of the arguments how many rows of a table are shown, and bounds
// the size of a page.
func (t *tool) rows(given map[string]json.RawMessage) (n int, err error) {
	name := t.paging
	if name == "" {
		name = "max_rows"
	}
	n = usualRows
	if raw, ok := given[name]; ok && string(raw) != "null" {
		text, err := plain(name, raw, false)
		if err != nil {
			return 0, err
		}
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			if t.paging != "" {
				return usualRows, nil // the API says what is wrong with it
			}
			return 0, fault.New("bad_arguments", "max_rows is not a whole number of at least 1.").Try("leave it out for %d", usualRows)
		}
	}
	n = min(n, mostRows)
	if t.paging == "" {
		delete(given, name)
	} else {
		given[name] = json.RawMessage(strconv.Itoa(n))
	}
	return n, nil
}

// request is what a call asks of the API. What the API does not know is sent as
// well, so that it can say what was meant.
func (t *tool) request(ctx context.Context, base string, given map[string]json.RawMessage) (*http.Request, error) {
	path, query, body := api.Versioned+t.op.Path, url.Values{}, map[string]json.RawMessage{}
	if t.op.ID == "getSQLSchema" {
		given = maps.Clone(given)
		delete(given, "tables") // which the tool itself looks at
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
			continue // as if it were not there
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

// plain is the value of an argument as the query of the API has it: lists are
// joined by commas, switches are 1 or 0.
func plain(name string, raw json.RawMessage, list bool) (string, error) {
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
		switch x := item.(type) {
		case string:
			parts = append(parts, x)
		case json.Number:
			parts = append(parts, x.String())
		case bool:
			parts = append(parts, map[bool]string{true: "1", false: "0"}[x])
		default:
			return "", fault.New("bad_arguments", "The argument %s is neither a text, a number, true or false, nor a list of these.",
				fault.Clip(name, 40)).Try("send it as the tool describes it")
		}
	}
	return strings.Join(parts, ","), nil
}

// responseOf is the type of the answer of an operation.
func responseOf(op *api.Operation) reflect.Type {
	t := reflect.TypeOf(op.Response)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
