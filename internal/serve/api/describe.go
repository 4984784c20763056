package api

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/each"
)

// catalogPath is where RFC 9727 looks for the catalogue of APIs of a site.
const catalogPath = "/.well-known/api-catalog"

// openapiType is the media type of OpenAPI documents, for clients that ask for it.
const openapiType = "application/vnd.oai.openapi+json"

const interfaceVersion = "1.0.0"

// describe answers the addresses that describe the service; handled is false for others.
func (s *Handler) describe(r *http.Request, out *reply) (handled bool, err error) {
	var kind string
	var body []byte
	switch strings.TrimSuffix(r.URL.Path, "/") {
	case "/openapi.json", Versioned + "/openapi.json", legacy + "/openapi.json":
		doc, err := s.openapi()
		if err != nil {
			return true, err
		}
		// A browser shows JSON, but would offer the type of OpenAPI for download.
		kind, body = contentTypes["json"], doc
		out.header.Add("Vary", "Accept")
		if strings.Contains(r.Header.Get("Accept"), openapiType) {
			kind = openapiType + "; charset=utf-8"
		}
	case "/llms.txt":
		kind, body = "text/plain; charset=utf-8", s.overview
	case catalogPath:
		kind, body = `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`, s.catalog()
	case Versioned, legacy:
		kind, body = contentTypes["json"], s.listing()
	default:
		return false, nil
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return true, out.otherMethod(r, "GET, HEAD")
	}
	tag := `W/"` + fmt.Sprintf("%x", mark(body)) + `"`
	out.header.Set("ETag", tag)
	out.header.Set("Cache-Control", "public, max-age=300")
	out.header.Set("Content-Type", kind)
	out.status, out.body = http.StatusOK, body
	if matches(r.Header, tag) {
		out.status, out.body = http.StatusNotModified, nil
	}
	return true, nil
}

func (s *Handler) catalog() []byte {
	link := func(href, kind string) []map[string]string {
		return []map[string]string{{"href": s.config.BaseURL + href, "type": kind}}
	}
	// The operations are what the API consists of; each is linked to its page.
	items := []map[string]string{}
	for i := range s.table.ops {
		op := &s.table.ops[i]
		if op.listed() {
			items = append(items, map[string]string{
				"href": s.config.BaseURL + "/docs/api/" + op.ID, "type": "text/html", "title": op.Method + " " + Versioned + op.Path + ": " + op.Summary,
			})
		}
	}
	return compact(map[string]any{"linkset": []map[string]any{{
		"anchor":       s.config.BaseURL + Versioned,
		"service-desc": link("/openapi.json", openapiType),
		"service-doc":  append(link("/llms.txt", "text/plain"), link("/docs", "text/html")...),
		"service-meta": link(Versioned+"/meta", "application/json"),
		"item":         items,
	}, {
		"anchor":       s.config.BaseURL + toolsPath,
		"service-desc": link(toolsPath+"/server-card", "application/mcp-server-card+json"),
		"service-doc":  link("/docs/mcp", "text/html"),
	}}})
}

const toolsPath = "/mcp"

// listed reports whether an operation is published: offered, and not for billing systems.
func (op *Operation) listed() bool { return op.Access != Admin && !op.Off }

func (s *Handler) listing() []byte {
	l := client.Listing{Head: Success, Name: title, Version: interfaceVersion, OpenAPI: s.config.BaseURL + "/openapi.json"}
	for i := range s.table.ops {
		op := &s.table.ops[i]
		if op.Off {
			continue
		}
		l.Operations = append(l.Operations, client.Entry{
			ID: op.ID, Method: op.Method, URL: s.config.BaseURL + Versioned + op.Path, Summary: op.Summary,
			Access: string(op.Access), Cost: op.Cost, Example: s.config.BaseURL + op.Target(&op.Examples[0]) + "?example=1",
		})
	}
	return compact(l)
}

func compact(v any) []byte {
	var b bytes.Buffer
	if err := encoder(&b).Encode(v); err != nil {
		panic("api: " + err.Error())
	}
	return b.Bytes()
}

func (s *Handler) llms() []byte {
	base := s.config.BaseURL
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n> %s\n\n", title, pitch)
	fmt.Fprintf(&b, "Every answer is JSON with `code` and `message`, unless `format` asks for something else; read `x_service.warnings` before "+
		"trusting a filter: a parameter in `x_service.unsupported` did NOT run. "+
		"`strict=1` turns those into errors. Find EINs with `/search` first. Send a key as `X-API-Key`. `example=1` on any endpoint answers from "+
		"invented data without a key.\n\n")
	for _, g := range s.table.groups {
		if g.Note != "" {
			b.WriteString(g.Note + "\n\n")
		}
	}
	b.WriteString("## Endpoints\n\n")
	for i := range s.table.ops {
		op := &s.table.ops[i]
		if !op.listed() {
			continue
		}
		name := op.Method + " " + op.Path
		if op.Method == http.MethodGet { // following a link is a GET
			name = fmt.Sprintf("[%s](%s%s?example=1)", name, base, op.Target(&op.Examples[0]))
		}
		fmt.Fprintf(&b, "- %s: %s. Needs %s; %s.", name, op.Summary, op.Who(), op.Price())
		if len(op.Params) > 0 {
			b.WriteString(" Parameters: " + strings.Join(each.Of(op.Params, func(p Param) string { return p.Name }), ", ") + ".")
		}
		b.WriteByte('\n')
	}
	b.WriteString("\n## Errors\n\n")
	for _, r := range s.table.refusals {
		fmt.Fprintf(&b, "- %d `%s`: %s\n", r.Status, r.Slug, r.Means)
	}
	fmt.Fprintf(&b, "\n## Tools\n\n- [%s%s](%s/docs/mcp): the same operations as tools of the Model Context Protocol, over streamable HTTP, with "+
		"the same keys and the same price; [server card](%s%s/server-card)\n", base, toolsPath, base, base, toolsPath)
	fmt.Fprintf(&b, "\n## Description\n\n- [Documentation](%s/docs): guides, every parameter and field, every error and what to do about it\n- "+
		"[OpenAPI 3.1](%s/openapi.json): every parameter, field and status\n- [Metadata](%s%s/meta): build stamp, scope, sources\n", base, base, base, Versioned)
	return []byte(b.String())
}
