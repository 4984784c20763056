package reconcile

import (
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/identify"
)

type Query struct {
	Names []string // any of these names
	Types []string // any of these types; empty for all
	Where []Condition
	Limit int

	Notice     string // what of the query could not be applied; empty for nothing
	doubtful   bool   // no candidate may be called a match
	impossible bool   // nothing can meet the query
}

// Condition is something that the organization should have.
type Condition struct {
	Property string // a property by which queries are compared
	Values   []string
	Required bool // only organizations that meet it are candidates
	Quantifier
	Qualifier string // how values are compared; empty means exactMatch, the only one
}

// Quantifier says how many values of a condition must match.
type Quantifier string

const (
	Any  Quantifier = "any"
	All  Quantifier = "all"
	None Quantifier = "none"
)

type agreement int8

const (
	unknown agreement = iota // the condition is unreadable, or the organization has no known value
	agrees
	differs
)

// meets compares the normalized value of an organization with those of a condition. An empty one agrees with nothing.
func (q Quantifier) meets(has string, values []string) agreement {
	if has == "" {
		return unknown
	}
	same, other := 0, 0
	for _, v := range values {
		switch v {
		case "":
		case has:
			same++
		default:
			other++
		}
	}
	if same+other == 0 {
		return unknown
	}
	met := same > 0
	switch q {
	case All:
		met = other == 0
	case None:
		met = same == 0
	}
	if met {
		return agrees
	}
	return differs
}

// readers normalize the values of a property so that they can be compared.
var readers = map[string]func(string) string{
	propState: func(s string) string { code, _ := place.State(s); return code },
	propCity:  cityOf,
	propZIP:   func(s string) string { zip, _ := place.ZIP5(s, ""); return zip },
	propEIN: func(s string) string {
		e, ok := identify.ReadEIN(s)
		if !ok {
			return ""
		}
		return e.String()
	},
}

func cityOf(s string) string {
	city, rest, parted := strings.Cut(s, ",")
	if parted {
		if _, ok := place.State(strings.TrimRight(rest, "0123456789- ")); !ok {
			city = s
		}
	}
	return orgname.City(city)
}

func (c Condition) read() Condition {
	c.Values = each.Of(c.Values, readers[c.Property])
	return c
}

// wanted lists the values asked for of a property. Conditions that exclude values add nothing.
func wanted(where []Condition, property string) (list []string) {
	for _, c := range where {
		if c.Property == property && c.Quantifier != None {
			list = append(list, slices.DeleteFunc(slices.Clone(c.Values), func(v string) bool { return v == "" })...)
		}
	}
	return list
}

// only is the one value asked for of a property, empty if there are several or none.
func only(where []Condition, property string) string {
	list := wanted(where, property)
	if len(list) == 0 || slices.ContainsFunc(list, func(v string) bool { return v != list[0] }) {
		return ""
	}
	return list[0]
}
