// Package directory lists organizations by their properties: place, cause, form, size and status on the compliance lists. It
// answers any combination of filters in any order, with an exact count and any page of the result. It knows nothing of HTTP.
// Package search looks at names.
//
// An organization's number is its row in the table of organizations, which is in EIN order. A set of organizations has a bit
// for each number. The index is made when a snapshot is built and is memory-mapped when it is served. Every value of a
// dimension, such as a state, has the list of its organizations, and a set if the list would be longer. Every figure has the
// organizations in its order, and the sets of the first sixteenth of that order, the first two sixteenths and so on. So a range
// of dollars is the difference of two sets and a small remainder. A filter is an intersection of such sets. A page is cut from
// the order of a figure by testing which organizations are in the set, starting at the last cut before the page; small sets are
// sorted instead. No request reads more than the order of one figure and some sets, however deep its page is.
package directory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/mapped"
)

// Index is the organizations of a snapshot. It is safe for concurrent use. Rows are copies, so they stay valid after Close.
type Index struct {
	mapped.Guard
	columns

	sets freeSets
}

// ErrClosed is the error of a question to an index that is closed.
var ErrClosed = errors.New("directory: the index is closed")

// Open maps the index of a snapshot and reads all of it once to verify it.
func Open(s *snapshot.Snapshot) (*Index, error) {
	return mapped.Load(s.Dir, fileName, fileKind, func(f *mapped.File) *Index {
		x := newIndex(f)
		for i := range s.Manifest.Files {
			switch file := &s.Manifest.Files[i]; {
			case file.Path == fileName && file.Bytes != f.Size():
				f.Fail("it has %d bytes, its snapshot says %d", f.Size(), file.Bytes)
			case file.Table() == snapshot.Organizations && file.Rows != int64(len(x.eins)):
				f.Fail("it has %d organizations, its snapshot has %d, so it belongs to another one", len(x.eins), file.Rows)
			}
		}
		return x
	})
}

func newIndex(f *mapped.File) *Index {
	x := &Index{Guard: mapped.Guarded(f, ErrClosed)}
	x.layout(mapped.Layout{From: f})
	return x
}

func (x *Index) Len() int { return len(x.eins) }

// EINs returns a copy of the EINs by number, in rising order.
func (x *Index) EINs() []ein.EIN {
	if x.Begin() != nil {
		return nil
	}
	defer x.End()
	return slices.Clone(x.eins)
}

func (x *Index) Number(e ein.EIN) (org uint32, ok bool) {
	if x.Begin() != nil {
		return 0, false
	}
	defer x.End()
	i, ok := slices.BinarySearch(x.eins, e)
	return uint32(i), ok
}

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
