package mcp_test

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/mcp"
)

// serverCard is the Server Card of the service (SEP-2127).
type serverCard struct {
	Schema      string         `json:"$schema"`
	Name        string         `json:"name"`
	Version     string         `json:"version"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Website     string         `json:"websiteUrl"`
	Remotes     []remote       `json:"remotes"`
	Meta        map[string]any `json:"_meta"`
}

type remote struct {
	Type     string   `json:"type"`
	URL      string   `json:"url"`
	Headers  []header `json:"headers"`
	Versions []string `json:"supportedProtocolVersions"`
}

type header struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Required    bool   `json:"isRequired"`
	Secret      bool   `json:"isSecret"`
}

// listedTool is an operation of the API in the card: its tool, or why it is not a tool.
type listedTool struct {
	Operation string `json:"operation"`
	Tool      string `json:"tool,omitempty"`
	Title     string `json:"title,omitempty"`
	Access    string `json:"access,omitempty"`
	Cost      *int   `json:"cost,omitempty"`
	Why       string `json:"why,omitempty"`
}

// TestDiscovery looks for every operation in every document by which the service is
// found. Every operation must be a tool, or be left out with a reason.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	w := apitest.New(t)
	s, _ := open(t, w)
	document := func(path string) string {
		t.Helper()
		var rec *httptest.ResponseRecorder
		if strings.Contains(path, "mcp") || strings.Contains(path, "ai-catalog") {
			rec = httptest.NewRecorder()
			s.ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
		} else {
			rec = w.Get(t, "GET", path, "")
		}
		if rec.Code != 200 {
			t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
		}
		return rec.Body.String()
	}
	overview, openapi := document("/llms.txt"), document("/openapi.json")+document(api.AdminDocument)
	var catalog struct {
		Linkset []struct {
			Anchor string              `json:"anchor"`
			Item   []map[string]string `json:"item"`
			Desc   []map[string]string `json:"service-desc"`
			Doc    []map[string]string `json:"service-doc"`
		} `json:"linkset"`
	}
	if err := json.Unmarshal([]byte(document("/.well-known/api-catalog")), &catalog); err != nil || len(catalog.Linkset) != 2 {
		t.Fatalf("%v: %+v", err, catalog)
	}
	items := map[string]bool{}
	for _, item := range catalog.Linkset[0].Item {
		items[item["href"]] = true
	}
	if tools := catalog.Linkset[1]; tools.Anchor != apitest.Base+"/mcp" || tools.Desc[0]["href"] != apitest.Base+"/mcp/server-card" || tools.Doc[0]["href"] != apitest.Base+"/docs/mcp" {
		t.Errorf("the catalog leads to the tools by %+v", tools)
	}
	if !strings.Contains(overview, apitest.Base+"/mcp") {
		t.Error("llms.txt does not lead to the tools")
	}
	var card serverCard
	text := document("/.well-known/mcp.json")
	if err := json.Unmarshal([]byte(text), &card); err != nil {
		t.Fatal(err)
	}
	var listed []listedTool
	again, _ := json.Marshal(card.Meta["grantgraph/operations"])
	if err := json.Unmarshal(again, &listed); err != nil {
		t.Fatal(err)
	}
	inCard := map[string]listedTool{}
	for _, one := range slices.Backward(listed) { // an operation may be several tools
		inCard[one.Operation] = one
	}
	n := 0
	for _, g := range w.Reference().Groups {
		for i := range g.Operations {
			op := &g.Operations[i]
			if !strings.Contains(openapi, `"operationId":"`+op.ID+`"`) {
				t.Errorf("%s is missing from openapi.json", op.ID)
			}
			if op.Access == api.Admin {
				if _, there := inCard[op.ID]; there || items[apitest.Base+"/docs/api/"+op.ID] || strings.Contains(overview, op.Path) {
					t.Errorf("%s is for billing systems, and is told to everybody", op.ID)
				}
				continue
			}
			n++
			if !strings.Contains(overview, op.Method+" "+op.Path+"]") && !strings.Contains(overview, "- "+op.Method+" "+op.Path+":") {
				t.Errorf("%s is missing from llms.txt", op.ID)
			}
			if !items[apitest.Base+"/docs/api/"+op.ID] {
				t.Errorf("%s is missing from the API catalog", op.ID)
			}
			switch one, ok := inCard[op.ID]; {
			case !ok:
				t.Errorf("%s is missing from the server card", op.ID)
			case one.Tool == "" && one.Why == "":
				t.Errorf("%s is no tool, and nobody says why", op.ID)
			case one.Tool != "" && (one.Tool != mcp.Declared()[op.ID][0] || one.Access != string(op.Access) || *one.Cost != op.Cost):
				t.Errorf("%s is told of as %+v", op.ID, one)
			}
		}
	}
	if n != len(items) || n != len(inCard) || n < 15 {
		t.Errorf("%d operations, %d in the catalog, %d in the card", n, len(items), len(inCard))
	}
	for id := range mcp.Declared() {
		if w.Reference().Operation(id) == nil {
			t.Errorf("%s is in tools.tsv, and there is no such operation", id)
		}
	}
	// Members that the format of cards requires.
	for what, ok := range map[string]bool{
		"$schema": card.Schema == "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name":    regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(card.Name) && card.Name == "org.example.grants/grantgraph",
		"version": card.Version == "1.2.3", "title": card.Title != "" && len(card.Title) <= 100,
		"description": card.Description != "" && len(card.Description) <= 100,
		"remotes":     len(card.Remotes) == 1 && card.Remotes[0].Type == "streamable-http" && card.Remotes[0].URL == apitest.Base+"/mcp" && len(card.Remotes[0].Versions) > 3,
	} {
		if !ok {
			t.Errorf("%s of the card is not as its format asks: %s", what, text)
		}
	}
	for _, same := range []string{"/mcp/server-card", "/.well-known/mcp/server-card.json"} {
		if document(same) != text {
			t.Errorf("%s is another card", same)
		}
	}
	if !strings.Contains(document("/.well-known/ai-catalog.json"), apitest.Base+"/mcp/server-card") {
		t.Error("the AI catalog does not lead to the card")
	}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest("GET", "/mcp/server-card", nil))
	r := httptest.NewRequest("GET", "/mcp/server-card", nil)
	r.Header.Set("If-None-Match", rec.Header().Get("ETag"))
	second := httptest.NewRecorder()
	s.ServeHTTP(second, r)
	if rec.Header().Get("Content-Type") != "application/mcp-server-card+json" || second.Code != 304 || second.Body.Len() > 0 {
		t.Errorf("%v, then %d", rec.Header(), second.Code)
	}
}
