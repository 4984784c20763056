package mcp

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var (
	ToolName = toolName
	Check    = check
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
