package reconcile

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
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
