package reconcile

import (
	"net/http"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
)

// extend finds the values of each property for each identifier, none for an unknown one.
func (h *Handler) extend(w http.ResponseWriter, r *http.Request, e *extension) ([][]value, error) {
	d, release, err := h.admit(w, r, len(e.ids))
	if err != nil {
		return nil, err
	}
	defer release()
	from := sourceOf(d, h.Clock())
	rows := make([][]value, len(e.ids))
	for i, id := range e.ids {
		f, known, err := from.of(r.Context(), id)
		if err != nil {
			return nil, err
		}
		rows[i] = make([]value, len(e.properties))
		for j, p := range e.properties {
			if known {
				rows[i][j] = p.value(f)
			}
		}
	}
	return rows, nil
}

type cell struct {
	Str *string `json:"str,omitempty"`
	Int *int64  `json:"int,omitempty"`
}

// cells holds the value of a property, or nothing if it is unknown.
func (v value) cells() []cell {
	switch {
	case v.Number != nil:
		return []cell{{Int: v.Number}}
	case v.Text != "":
		return []cell{{Str: &v.Text}}
	}
	return []cell{}
}

type column struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (e *extension) columns() []column {
	return each.Of(e.properties, func(p *property) column { return column{p.id, p.name} })
}

type extended02 struct {
	Meta []column                     `json:"meta"`
	Rows map[string]map[string][]cell `json:"rows"`
}

func (e *extension) answer02(rows [][]value) *extended02 {
	a := &extended02{Meta: e.columns(), Rows: make(map[string]map[string][]cell, len(rows))}
	for i, id := range e.ids {
		row := make(map[string][]cell, len(e.properties))
		for j, p := range e.properties {
			row[p.id] = rows[i][j].cells()
		}
		a.Rows[id] = row
	}
	return a
}

type extended10 struct {
	Meta []column `json:"meta"`
	Rows []row10  `json:"rows"`
}

type row10 struct {
	ID         string       `json:"id"`
	Properties []property10 `json:"properties"`
}

type property10 struct {
	ID     string `json:"id"`
	Values []cell `json:"values"`
}

func (e *extension) answer10(rows [][]value) *extended10 {
	a := &extended10{Meta: e.columns(), Rows: make([]row10, len(rows))}
	for i, id := range e.ids {
		row := row10{ID: id, Properties: make([]property10, len(e.properties))}
		for j, p := range e.properties {
			row.Properties[j] = property10{p.id, rows[i][j].cells()}
		}
		a.Rows[i] = row
	}
	return a
}

// propose lists the properties for a type. Every type has all of them.
func (h *Handler) propose(w http.ResponseWriter, r *http.Request) error {
	v := r.URL.Query()
	limit, err := whole(v, "limit", len(properties))
	if err != nil {
		return err
	}
	kind := v.Get("type")
	if kind != "" && typeOf(kind) == nil {
		return fault.New(slugType, "There is no type %q.", fault.Clip(kind, maxIDText)).Try("leave the type out, or use one of: %s", typeIDs())
	}
	list := propertySuggestions()
	for i := range list {
		list[i].Qualifiers = nil
	}
	answer := struct {
		Properties []suggestion `json:"properties"`
		Type       string       `json:"type,omitempty"`
		Limit      int          `json:"limit,omitempty"`
	}{list[:min(limit, len(list))], kind, 0}
	if v.Has("limit") {
		answer.Limit = limit
	}
	return write(w, answer)
}
