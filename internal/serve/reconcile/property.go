package reconcile

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
)

const (
	propState = "state"
	propCity  = "city"
	propZIP   = "zip"
	propEIN   = "ein"
)

type facts struct {
	search.Result
	directory.Row
	gave, received graph.PartySums
}

// value is the value of a property: a text, a whole number, or nothing if unknown.
type value struct {
	Text   string
	Number *int64
}

func text(s string) value { return value{Text: s} }

func number(n *int64) value { return value{Number: n} }

// truth is "yes" or "no", because the protocol has no booleans here.
func truth(b *bool) value {
	switch {
	case b == nil:
		return value{}
	case *b:
		return text("yes")
	}
	return text("no")
}

type property struct {
	id, name, about string
	value           func(*facts) value
}

// properties lists all properties. Those by which queries are compared come first.
var properties = []property{
	{propState, "State", "State or territory of the registered address, as two letters. Tells namesakes apart.",
		func(f *facts) value { return text(f.Result.State) }},
	{propCity, "City", "City of the registered address. Tells namesakes apart.", func(f *facts) value { return text(orgname.Display(f.Result.City)) }},
	{propZIP, "ZIP code", "Five digits, of the registered address. Tells namesakes apart.", func(f *facts) value { return text(f.ZIP) }},
	{propEIN, "EIN", "Employer identification number, which is also the identifier. A query that states it needs no comparison of names.",
		func(f *facts) value { return text(f.Result.EIN.Hyphenated()) }},
	{"name", "Name", "The registered name, in capitals as the register has it.", func(f *facts) value { return text(f.Result.Name) }},
	{"kind", "Kind", "What kind of organization it is, such as public charity or private foundation.", func(f *facts) value { return text(f.Type) }},
	{"cause", "Cause", "The cause of its registered NTEE code.", func(f *facts) value { return text(f.Cause) }},
	{"ntee", "NTEE code", "As it is registered.", func(f *facts) value { return text(string(f.Result.NTEE)) }},
	{"ruling_year", "Year of exemption", "Year in which the IRS recognized it as exempt.", func(f *facts) value { return year(f.RulingYear) }},
	{"fiscal_year", "Fiscal year", "Year in which the period of its latest return ends: revenue, expenses, assets and grants paid are of that return.",
		func(f *facts) value { return year(f.FiscalYear) }},
	{"revenue", "Revenue", "Dollars, of its latest return.", func(f *facts) value { return number(f.Row.Revenue) }},
	{"expenses", "Expenses", "Dollars, of its latest return.", func(f *facts) value { return number(f.Expenses) }},
	{"assets", "Assets", "Dollars at the end of the year, of its latest return.", func(f *facts) value { return number(f.Assets) }},
	{"grants_paid", "Grants paid in the year", "Dollars, as its latest return states them.", func(f *facts) value { return number(f.GrantsPaid) }},
	{"given_total", "Dollars given", "The sum of the grants that its returns list, of all years.", func(f *facts) value { return number(&f.gave.Total) }},
	{"given_grants", "Grants given", "How many grants its returns list, of all years.", func(f *facts) value { return number(&f.gave.Grants) }},
	{"received_total", "Dollars received", "The sum of the grants to it that the returns of others list, of all years.",
		func(f *facts) value { return number(&f.received.Total) }},
	{"received_grants", "Grants received", "How many grants to it the returns of others list, of all years.",
		func(f *facts) value { return number(&f.received.Grants) }},
	{"received_funders", "Funders", "How many organizations list a grant to it, of all years.", func(f *facts) value { return number(&f.received.Parties) }},
	{"standing", "Standing with the IRS", "One of: exemption revoked; deductible (it is in Publication 78); registered (it is in the master file only); not " +
		"listed. Empty while a list is out of service.", func(f *facts) value { return text(f.standing()) }},
	{"pub78", "In Publication 78", "yes or no. Empty while the list is out of service.", func(f *facts) value { return truth(f.Pub78) }},
	{"revoked", "Exemption revoked", "yes when it is on the list of automatic revocations and was not reinstated. Empty while the list is out of service.",
		func(f *facts) value { return truth(f.OnRevoked) }},
}

func year(n int) value {
	if n == 0 {
		return value{}
	}
	y := int64(n)
	return number(&y)
}

// standing is the exempt status by the lists of the IRS, or empty if it is unknown.
func (f *facts) standing() string {
	is := func(b *bool) bool { return b != nil && *b }
	switch {
	case is(f.OnRevoked):
		return "exemption revoked"
	case f.OnRevoked == nil || f.Pub78 == nil || f.InBMF == nil:
		return ""
	case *f.Pub78:
		return "deductible"
	case *f.InBMF:
		return "registered"
	}
	return "not listed"
}

func propertyOf(id string) *property {
	for i := range properties {
		if properties[i].id == id {
			return &properties[i]
		}
	}
	return nil
}

func compared(id string) bool { return readers[id] != nil }

func propertyIDs(which func(string) bool) string {
	var list []string
	for _, p := range properties {
		if which(p.id) {
			list = append(list, p.id)
		}
	}
	return strings.Join(list, ", ")
}

type source struct {
	*dataset.Dataset
	standing *screen.Standing // with the lists that are usable now
}

func sourceOf(d *dataset.Dataset, now time.Time) *source {
	s := &source{Dataset: d}
	if d.Standing == nil {
		return s
	}
	usable, from := *d.Standing, d.Screen.Sources(now)
	for _, l := range []struct {
		of  *client.ComplianceSource
		set *[]uint64
	}{{&from.BMF, &usable.InBMF}, {&from.Pub78, &usable.Pub78}, {&from.Revocation, &usable.Revoked}} {
		if !l.of.Screens {
			*l.set = nil
		}
	}
	s.standing = &usable
	return s
}

// of reads the facts about an organization. known is false if there is none.
func (s *source) of(ctx context.Context, id string) (f *facts, known bool, err error) {
	e, err := ein.Parse(id)
	if err != nil {
		return nil, false, nil
	}
	f = &facts{}
	if f.Result, known = s.Search.Lookup(e); !known {
		return nil, false, nil
	}
	f.Row, _ = s.Directory.Row(f.Org, s.standing)
	if f.gave, err = s.Graph.Sums(ctx, e, graph.Gave); err != nil {
		return nil, false, err
	}
	f.received, err = s.Graph.Sums(ctx, e, graph.Received)
	return f, true, err
}

type Type struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Broader     []Type `json:"broader,omitempty"`
}

var everything = Type{ID: "organization", Name: "Organization", Description: "Any exempt organization, funder or recipient of grants."}

// types lists all types: the general one first, then its parts.
var types = []Type{
	everything,
	{ID: search.Foundation, Name: "Private foundation", Description: "Organizations that file Form 990-PF.",
		Broader: []Type{{ID: everything.ID, Name: everything.Name}}},
	{ID: search.Nonprofit, Name: "Nonprofit other than a private foundation", Description: "Public charities and all others.",
		Broader: []Type{{ID: everything.ID, Name: everything.Name}}},
}

func typeOf(id string) *Type {
	for i := range types {
		if types[i].ID == id {
			return &types[i]
		}
	}
	return nil
}

func isOfType(kind string, any []string) bool {
	return len(any) == 0 || slices.Contains(any, everything.ID) || slices.Contains(any, kind)
}

func typesOf(kind string) []Type {
	list := []Type{{ID: everything.ID, Name: everything.Name}}
	if t := typeOf(kind); t != nil {
		list = append([]Type{{ID: t.ID, Name: t.Name}}, list...)
	}
	return list
}

// nameOf is the display name of an organization. It is never empty.
func nameOf(r *search.Result) string {
	return cmp.Or(orgname.Display(r.Name), "EIN "+r.EIN.Hyphenated())
}

// describe tells an organization from its namesakes in one line.
func describe(r *search.Result) string {
	parts := []string{placeOf(r.City, r.State), r.Type, r.Cause, "EIN " + r.EIN.Hyphenated()}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

func placeOf(city, state string) string { return strings.Trim(orgname.Display(city)+", "+state, ", ") }

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
