package reconcile

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/search"
)

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
