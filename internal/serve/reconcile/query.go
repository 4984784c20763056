package reconcile

import (
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// Query asks which organization is meant.
type Query struct {
	Names []string // what it is called; any of them
	Types []string // any of them; empty for all
	Where []Condition
	Limit int
}

// Condition is something that the organization should have.
type Condition struct {
	Property string // one of those that are compared
	Values   []string
	Required bool // who does not have it is no candidate
	Quantifier
	Qualifier string // how values are compared; empty is exactMatch, and there is no other
}

// Quantifier says which of the values of a condition must be had.
type Quantifier string

// The quantifiers. The empty one is Any.
const (
	Any  Quantifier = "any"
	All  Quantifier = "all"
	None Quantifier = "none"
)

// agreement is how an organization meets a condition.
type agreement int8

const (
	unknown agreement = iota // the condition cannot be read, or of the organization it is not known
	agrees
	differs
)

// meets compares what an organization has with the values of a condition, all
// written one way. What cannot be read is empty and agrees with nothing.
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

// readers write the values of a property one way, so that they can be compared.
var readers = map[string]func(string) string{
	propState: func(s string) string { code, _ := place.State(s); return code },
	propCity:  cityOf,
	propZIP:   func(s string) string { zip, _ := place.ZIP5(s, ""); return zip },
	propEIN: func(s string) string {
		e, ok := readEIN(s)
		if !ok {
			return ""
		}
		return e.String()
	},
}

// cityOf folds a city; people write the state behind it.
func cityOf(s string) string {
	city, rest, parted := strings.Cut(s, ",")
	if parted {
		if _, ok := place.State(strings.TrimRight(rest, "0123456789- ")); !ok {
			city = s
		}
	}
	return orgname.City(city)
}

// readEIN reads an EIN, with or without the word before it.
func readEIN(s string) (ein.EIN, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 3 && strings.EqualFold(s[:3], "EIN") {
		s = strings.TrimLeft(s[3:], " :#.-")
	}
	e, err := ein.Parse(s)
	return e, err == nil
}

// read is the condition with its values written one way.
func (c Condition) read() Condition {
	values := make([]string, len(c.Values))
	for i, v := range c.Values {
		values[i] = readers[c.Property](v)
	}
	c.Values = values
	return c
}

// wanted are the values that the conditions of a property ask for, as they are
// searched by; none for conditions that rule values out.
func wanted(where []Condition, property string) (list []string) {
	for _, c := range where {
		if c.Property != property || c.Quantifier == None {
			continue
		}
		for _, v := range c.Values {
			if v != "" {
				list = append(list, v)
			}
		}
	}
	return list
}
