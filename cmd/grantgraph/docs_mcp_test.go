package main

import (
	"encoding/json"
	"net/http"
	"testing"

	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/mcp"
)

// TestMCPPage holds the tables of docs/mcp.md against the tools, the resources and
// the prompts there are, and reads its settings as a program would.
func TestMCPPage(t *testing.T) {
	t.Parallel()
	const page = "../../docs/mcp.md"
	examples, err := serve.Examples(guideBase)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := api.Describe(guideBase, examples)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := mcp.New(mcp.Config{Reference: reference, API: http.DefaultTransport})
	if err != nil {
		t.Fatal(err)
	}
	writeTables(t, page, tools.ToolTable(), tools.ResourceTable(), tools.PromptTable())
	settings := 0
	for _, m := range fence.FindAllStringSubmatch(textOf(t, page), -1) {
		if m[1] != "json" {
			continue
		}
		var s struct {
			Servers map[string]struct {
				URL     string   `json:"url"`
				Command string   `json:"command"`
				Args    []string `json:"args"`
			} `json:"mcpServers"`
		}
		if err := json.Unmarshal([]byte(m[3]), &s); err != nil {
			t.Errorf("%v: %s", err, m[3])
		}
		one := s.Servers["grantgraph"]
		if settings++; one.URL != guideBase+mcp.Path && (one.Command != "grantgraph" || len(one.Args) < 3 || one.Args[0] != "mcp") {
			t.Errorf("these settings start nothing: %s", m[3])
		}
	}
	if settings < 3 {
		t.Errorf("%d settings found", settings)
	}
}
