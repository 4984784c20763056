package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/each"
	"grantgraph/internal/serve/api"
)

// Addresses of the documents by which a client finds the service. Older clients look at the well-known ones.
const (
	cardPath    = Path + "/server-card"
	catalogPath = "/.well-known/ai-catalog.json"
	cardType    = "application/mcp-server-card+json"
	cardSchema  = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
)

var wellKnown = []string{"/.well-known/mcp.json", "/.well-known/mcp/server-card.json"}

type document struct {
	kind string
	body []byte
	tag  string
}

func newDocument(kind string, v any) document {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic("mcp: " + err.Error()) // plain values always encode
	}
	sum := sha256.Sum256(b.Bytes())
	return document{kind, b.Bytes(), `W/"` + hex.EncodeToString(sum[:8]) + `"`}
}

func (d document) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "Use GET.")
		return
	}
	w.Header().Set("ETag", d.tag)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	w.Header().Set("Content-Type", d.kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.body))
}

func (s *Service) documents() map[string]document {
	base := s.Reference.Base()
	card := newDocument(cardType, s.card())
	// Browsers and older clients do not know the media type of cards.
	plain := document{"application/json", card.body, card.tag}
	docs := map[string]document{cardPath: card, catalogPath: newDocument("application/ai-catalog+json", map[string]any{
		"specVersion": "1.0",
		"entries":     []map[string]string{{"identifier": "urn:air:" + host(base) + ":mcp:grantgraph", "type": cardType, "url": base + cardPath}},
	})}
	for _, path := range wellKnown {
		docs[path] = plain
	}
	return docs
}

// card is the Server Card of the service (SEP-2127).
func (s *Service) card() map[string]any {
	base := s.Reference.Base()
	key := map[string]any{"name": "X-API-Key", "isRequired": false, "isSecret": true,
		"description": "A key of the service; without it the tools that need none work. Authorization: Bearer is taken as well."}
	return map[string]any{
		"$schema": cardSchema, "name": reversed(host(base)) + "/grantgraph", "version": s.Version, "title": "Grantgraph",
		"description": "Who funded whom in the United States, from public tax filings, as tools that only read.",
		"websiteUrl":  base + "/docs/mcp",
		"remotes": []map[string]any{{"type": "streamable-http", "url": base + Path, "headers": []any{key},
			"supportedProtocolVersions": mcp.SupportedProtocolVersions()}},
		"_meta": map[string]any{"grantgraph/operations": s.listed(), "grantgraph/agent-key": base + api.Versioned + "/agent-key",
			"grantgraph/prompts": each.Of(prompts, func(p *mcp.Prompt) string { return p.Name })},
	}
}

// listed lists every operation with its tools, or with why it is no tool.
func (s *Service) listed() (list []map[string]any) {
	for _, g := range s.Reference.Groups {
		for i := range g.Operations {
			op := &g.Operations[i]
			for _, d := range declaredOf(op) {
				one := map[string]any{"operation": op.ID, "why": d.leftOut}
				if d.name != "" {
					one = map[string]any{"operation": op.ID, "tool": d.name, "title": op.Summary, "access": op.Access, "cost": op.Cost}
				}
				list = append(list, one)
			}
		}
	}
	return list
}

func host(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "localhost"
	}
	return u.Hostname()
}

// reversed is a host name with its parts in reverse order. An IP address keeps its order and has "-" for ":".
func reversed(host string) string {
	host = strings.ReplaceAll(host, ":", "-")
	parts := strings.Split(host, ".")
	if strings.Trim(host, "0123456789.") != "" {
		slices.Reverse(parts)
	}
	return strings.Join(parts, ".")
}
