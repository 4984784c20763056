package mcp

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var (
	ToolName = toolName
	LeftOut  = leftOut
)

// MaxBody is how large a message may be.
const MaxBody = maxBody

// Call calls a tool without the protocol. It returns nil if there is no such tool.
func (s *Service) Call(ctx context.Context, name string, arguments json.RawMessage, header http.Header) *mcp.CallToolResult {
	for _, t := range s.tools {
		if t.name == name {
			r, err := s.calling(t)(ctx, &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: name, Arguments: arguments}, Extra: &mcp.RequestExtra{Header: header}})
			if err != nil {
				panic(err)
			}
			return r
		}
	}
	return nil
}

func Check(body []byte) error {
	_, _, err := check(body)
	return err
}
