package directory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"grantgraph/internal/ntee"
)

// Filter says which organizations are wanted. All fields that are set must hold. Of the values in a list, any may hold.
type Filter struct {
	States          []string // codes
	Cities          []City
	ZIPs            []string       // five digits, or the first three
	Counties        []string       // FIPS codes
	Causes          []ntee.Subject // each of them must hold
	ReturnTypes     []string       // of the latest filing
	Subsections     []string       // two digits
	FoundationCodes []string       // two digits
	Groups          []string       // group exemption numbers
	Accepts         []string       // of grant.Applications

	Revenue, Assets, Expenses, GrantsPaid Range // of the latest filing
	RulingYear                            Range

	Pub78, Revoked, InBMF *bool // status on the compliance lists
}

// City is a city as folded by package orgname. An empty state means any state.
type City struct{ Name, State string }

// Standing reports whether the answer changes with the compliance lists.
func (f *Filter) Standing() bool { return f.Pub78 != nil || f.Revoked != nil || f.InBMF != nil }

// Canonical writes equal filters the same way.
func (f *Filter) Canonical() string {
	var b strings.Builder
	list := func(name string, items []string) {
		if len(items) == 0 {
			return
		}
		items = slices.Clone(items)
		slices.Sort(items)
		fmt.Fprintf(&b, "%s=%q;", name, slices.Compact(items))
	}
	list("state", f.States)
	cities := slices.Clone(f.Cities)
	slices.SortFunc(cities, func(a, b City) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.State, b.State)) })
	if cities = slices.Compact(cities); len(cities) > 0 {
		fmt.Fprintf(&b, "city=%q;", cities)
	}
	list("zip", f.ZIPs)
	list("county", f.Counties)
	var causes []string
	for i := range f.Causes {
		var items []string
		for _, it := range f.Causes[i].Items {
			items = append(items, fmt.Sprintf("%x%s", it.Majors, it.Prefix))
		}
		slices.Sort(items)
		causes = append(causes, strings.Join(slices.Compact(items), ","))
	}
	list("cause", causes)
	list("form", f.ReturnTypes)
	list("subsection", f.Subsections)
	list("foundation", f.FoundationCodes)
	list("group", f.Groups)
	list("accepts", f.Accepts)
	for _, r := range []struct {
		name string
		of   Range
	}{{"revenue", f.Revenue}, {"assets", f.Assets}, {"expenses", f.Expenses}, {"grants", f.GrantsPaid}, {"ruling", f.RulingYear}} {
		if r.of.Min != nil {
			fmt.Fprintf(&b, "%s>=%d;", r.name, *r.of.Min)
		}
		if r.of.Max != nil {
			fmt.Fprintf(&b, "%s<=%d;", r.name, *r.of.Max)
		}
	}
	for _, s := range []struct {
		name string
		is   *bool
	}{{"pub78", f.Pub78}, {"revoked", f.Revoked}, {"bmf", f.InBMF}} {
		if s.is != nil {
			fmt.Fprintf(&b, "%s=%t;", s.name, *s.is)
		}
	}
	return b.String()
}
