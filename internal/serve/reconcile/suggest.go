package reconcile

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
	"grantgraph/internal/money"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/search"
)

const (
	suggested    = 10
	maxSuggested = 50
	maxSkipped   = 150 // later results are never served
)

type suggestion struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Notable     []Type      `json:"notable,omitempty"`
	Broader     []Type      `json:"broader,omitempty"`
	Qualifiers  []qualifier `json:"matchQualifiers,omitempty"`
}

type qualifier struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (h *Handler) suggest(w http.ResponseWriter, r *http.Request) error {
	kind := r.PathValue("kind")
	if kind != "entity" && kind != "property" && kind != "type" {
		return h.missing()
	}
	v := r.URL.Query()
	prefix := strings.TrimSpace(v.Get("prefix"))
	if len(prefix) > maxText {
		return malformed("The prefix is longer than %d bytes.", maxText)
	}
	limit, err := whole(v, "limit", suggested)
	if err != nil {
		return err
	}
	// The draft renamed the parameter.
	skip, err := whole(v, "cursor", 0)
	if err == nil && v.Has("offset") {
		skip, err = whole(v, "offset", 0)
	}
	if err != nil {
		return err
	}
	limit, skip = min(limit, maxSuggested), min(skip, maxSkipped)
	d, release, err := h.look(w, r)
	if err != nil {
		return err
	}
	defer release()
	var list []suggestion
	switch kind {
	case "entity":
		for _, found := range d.Search.Find(prefix, "", skip+limit) {
			list = append(list, suggestion{ID: found.EIN.String(), Name: nameOf(&found), Description: describe(&found), Notable: typesOf(found.Kind)[:1]})
		}
	case "property":
		list = matching(prefix, propertySuggestions())
	case "type":
		list = matching(prefix, each.Of(types, func(t Type) suggestion {
			return suggestion{ID: t.ID, Name: t.Name, Description: t.Description, Broader: t.Broader}
		}))
	}
	list = list[min(skip, len(list)):]
	answer := struct {
		Result []suggestion `json:"result"`
	}{append([]suggestion{}, list[:min(limit, len(list))]...)}
	return write(w, answer)
}

func whole(v url.Values, name string, otherwise int) (int, error) {
	text := v.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, malformed("%s is not a whole number.", name)
	}
	return n, nil
}

func propertySuggestions() (list []suggestion) {
	for _, p := range properties {
		s := suggestion{ID: p.id, Name: p.name, Description: p.about}
		if compared(p.id) {
			s.Qualifiers = []qualifier{{exactMatch, "The same value"}}
		}
		list = append(list, s)
	}
	return list
}

// matching lists the suggestions with an identifier or a word of the name that begins with prefix. An empty prefix matches all.
func matching(prefix string, all []suggestion) (list []suggestion) {
	prefix = strings.ToLower(prefix)
	for _, s := range all {
		name := strings.ToLower(s.Name)
		if strings.HasPrefix(s.ID, prefix) || strings.HasPrefix(name, prefix) || strings.Contains(name, " "+prefix) {
			list = append(list, s)
		}
	}
	return list
}

// flyout shows a suggestion while the user points at it. Only version 0.2 has it.
func (h *Handler) flyout(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("id")
	d, release, err := h.look(w, r)
	if err != nil {
		return err
	}
	defer release()
	var title, about string
	switch r.PathValue("kind") {
	case "entity":
		if e, ok := identify.ReadEIN(id); ok {
			var found search.Result
			if found, ok = d.Search.Lookup(e); ok {
				title, about = nameOf(&found), describe(&found)
			}
		}
	case "property":
		if p := propertyOf(id); p != nil {
			title, about = p.name, p.about
		}
	case "type":
		if t := typeOf(id); t != nil {
			title, about = t.Name, t.Description
		}
	default:
		return h.missing()
	}
	if title == "" {
		return fault.New(slugMissing, "There is no %s of that name.", r.PathValue("kind")).Try("take an identifier that was suggested")
	}
	return write(w, struct {
		ID   string `json:"id"`
		HTML string `json:"html"`
	}{id, fmt.Sprintf("<p><strong>%s</strong></p><p>%s</p>", html.EscapeString(title), html.EscapeString(about))})
}

//go:embed preview.html
var previewText string

//go:embed preview.css
var previewStyle []byte

// styleAddress is the address of the preview style. It changes with the style.
var styleAddress = func() string {
	sum := sha256.Sum256(previewStyle)
	return Root02 + "/preview." + hex.EncodeToString(sum[:4]) + ".css"
}()

var previewPage = template.Must(template.New("preview").Parse(previewText))

// preview shows an organization in a frame of another site's page. Only this address allows framing.
func (h *Handler) preview(w http.ResponseWriter, r *http.Request) error {
	d, release, err := h.look(w, r)
	if err != nil {
		return err
	}
	defer release()
	type line struct{ Name, Value string }
	page := struct {
		Style, Title, EIN, Place, Address string
		Known                             bool
		Lines                             []line
	}{Style: styleAddress, Title: "No such organization"}
	status := http.StatusNotFound
	if e, ok := identify.ReadEIN(r.URL.Query().Get("id")); ok {
		f, known, err := sourceOf(d, h.Clock()).of(r.Context(), e.String())
		if err != nil {
			return err
		}
		if known {
			status = http.StatusOK
			page.Known, page.Title, page.EIN, page.Place = true, nameOf(&f.Result), e.Hyphenated(), placeOf(f.Result.City, f.Result.State)
			page.Address = h.BaseURL + "/org/" + e.String()
			add := func(name, value string) {
				if value != "" {
					page.Lines = append(page.Lines, line{name, value})
				}
			}
			add("Kind", f.Type)
			add("Cause", f.Cause)
			if f.Row.Revenue != nil {
				add("Revenue", fmt.Sprintf("%s in fiscal %d", money.Dollars(*f.Row.Revenue), f.FiscalYear))
			}
			for _, s := range []struct {
				name          string
				total, grants int64
			}{{"Gave", f.gave.Total, f.gave.Grants}, {"Received", f.received.Total, f.received.Grants}} {
				switch s.grants {
				case 0:
				case 1:
					add(s.name, money.Dollars(s.total)+" in 1 grant")
				default:
					add(s.name, fmt.Sprintf("%s in %s grants", money.Dollars(s.total), money.Grouped(s.grants)))
				}
			}
			add("Standing", f.standing())
		}
	}
	var b bytes.Buffer
	if err := previewPage.Execute(&b, page); err != nil {
		return fmt.Errorf("drawing a preview: %w", err)
	}
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors *; base-uri 'none'; form-action 'none'")
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(b.Len()))
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
	return nil
}

func serveStyle(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(previewStyle)
}
