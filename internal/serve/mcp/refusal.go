package mcp

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode"

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
		said := func(text string) string { return plainer.Replace(s.said(oneLine(text))) }
		fmt.Fprintf(&b, "%s (%s)\n", said(r.Message), r.Failure.Error)
		for _, p := range r.detail {
			if !strings.Contains(r.Message, p.Msg) {
				fmt.Fprintf(&b, "- %s: %s\n", where(p.Loc), said(p.Msg))
			}
		}
		if r.Hint != "" {
			fmt.Fprintf(&b, "What to do: %s\n", said(r.Hint))
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

//go:embed key.txt
var keyText string

// howToGetAKey leaves out the line for agents where the service has no keys for them.
func (s *Service) howToGetAKey() string {
	text := keyText
	if s.Reference.Operation("mintAgentKey") == nil {
		text = text[:strings.Index(text, "An agent gets one")] + text[strings.Index(text, "Without a key"):]
	}
	var open []string
	for _, t := range s.tools {
		if t.op.Access == api.Open {
			open = append(open, t.name)
		}
	}
	return strings.NewReplacer("{base}", s.Reference.Base(), "{open}", strings.Join(open, ", ")).Replace(text)
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

// oneLine removes line breaks and invisible characters from a text of strangers.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsGraphic(r):
			return r
		}
		return -1
	}, s)), " ")
}
