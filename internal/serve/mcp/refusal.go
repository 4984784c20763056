package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/api"
)

type refused struct {
	client.Failure
	detail []client.Problem
	wait   string // Retry-After
}

func (r *refused) Error() string { return r.Message }

func failed(resp *http.Response, body []byte) error {
	var said struct {
		client.Failure
		Detail json.RawMessage `json:"detail"`
	}
	if err := json.Unmarshal(body, &said); err != nil || said.Message == "" {
		return fault.New("answer", "The service responded with status %d.", resp.StatusCode).Try("call the tool again later")
	}
	r := &refused{Failure: said.Failure, wait: resp.Header.Get("Retry-After")}
	r.Code = resp.StatusCode
	_ = json.Unmarshal(said.Detail, &r.detail) // the detail of some errors is not a list
	return r
}

// refusal tells the model what is wrong with a call and what to do next.
func (s *Service) refusal(t *tool, err error) *mcp.CallToolResult {
	var b strings.Builder
	meta := mcp.Meta{}
	if r, ok := err.(*refused); ok {
		meta["error"], meta["status"] = r.Failure.Error, r.Code
		fmt.Fprintf(&b, "%s (%s)\n", oneLine(r.Message), r.Failure.Error)
		for _, p := range r.detail {
			fmt.Fprintf(&b, "- %s: %s\n", where(p.Loc), oneLine(p.Msg))
		}
		if r.Hint != "" {
			fmt.Fprintf(&b, "What to do: %s\n", oneLine(t.words.Replace(r.Hint)))
		}
		if r.wait != "" {
			meta["retry_after_seconds"] = r.wait
			fmt.Fprintf(&b, "Wait %s seconds before calling again.\n", oneLine(r.wait))
		}
		if r.Code == http.StatusUnauthorized {
			b.WriteString(s.howToGetAKey())
		}
	} else if f, ok := fault.Of(err); ok {
		meta["error"] = f.Slug
		fmt.Fprintf(&b, "%s (%s)\n", f.Message, f.Slug)
		if f.Hint != "" {
			fmt.Fprintf(&b, "What to do: %s\n", f.Hint)
		}
	} else {
		meta["error"] = "unavailable"
		s.Log.Error("a tool failed", "tool", t.name, "error", err)
		b.WriteString("The tool could not be run. (unavailable)\nWhat to do: call it again in a moment\n")
	}
	return &mcp.CallToolResult{Meta: meta, IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: strings.TrimRight(b.String(), "\n")}}}
}

func (s *Service) howToGetAKey() string {
	base := s.Reference.Base()
	text := fmt.Sprintf("The key is sent with the connection to %s%s: in the header X-API-Key, or as Authorization: Bearer <key>. People get one at "+
		"%s/signup.\n", base, Path, base)
	if op := s.Reference.Operation("mintAgentKey"); op != nil {
		text += fmt.Sprintf("An agent gets one without an account: %s %s%s%s with the JSON {\"purpose\": \"what it is for\", \"source\": \"how you learned of "+
			"this service\"}; %s/docs/guide/agents says how it is unlocked.\n",
			op.Method, base, api.Versioned, op.Path, base)
	}
	var open []string
	for _, t := range s.tools {
		if t.op.Access == api.Open {
			open = append(open, t.name)
		}
	}
	return text + "Without a key these work: " + strings.Join(open, ", ") + ".\n"
}

// where is the location of a problem, without its first part, which a model does not know.
func where(loc []any) string {
	var parts []string
	for i, l := range loc {
		if i > 0 || len(loc) == 1 {
			parts = append(parts, oneLine(fmt.Sprint(l)))
		}
	}
	return strings.Join(parts, ".")
}

const methodListen = "subscriptions/listen"

func notOffered(method string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method + " is not offered: nothing here changes while you wait"}
}
