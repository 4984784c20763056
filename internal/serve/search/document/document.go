// Package document puts an organization into words: its names, mission, cause, place and the purposes of its grants. Search by
// words and search by meaning read the same documents.
package document

import (
	"context"
	"iter"
	"slices"
	"strings"
	"unicode"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot"
)

const (
	maxOthers   = 24
	maxPrograms = 12
	maxField    = 4 << 10 // bytes of one text
)

// Document is an organization in words.
type Document struct {
	Name     string
	Others   []string // other and former names
	Mission  []string
	Programs []string
	Cause    string // title of its NTEE code
	City     string
	State    string // two letters
	Purposes []string
}

// Source is the rows about one organization. A missing row is nil.
type Source struct {
	EIN      ein.EIN
	Org      *snapshot.Organization
	Filing   *snapshot.Org
	Funder   *snapshot.FunderKind
	Purposes *snapshot.OrgPurposes
}

// Sources reads the organizations of a snapshot with the rows about each, in the order of their numbers. The tables are sorted
// by EIN, so they are read side by side. The rows are valid until the next iteration.
func Sources(ctx context.Context, s *snapshot.Snapshot) iter.Seq2[*Source, error] {
	return func(yield func(*Source, error) bool) {
		filings := follow(s, snapshot.Orgs, func(o *snapshot.Org) string { return o.EIN })
		defer filings.Stop()
		funders := follow(s, snapshot.FunderKinds, func(k *snapshot.FunderKind) string { return k.FunderEIN })
		defer funders.Stop()
		purposes := follow(s, snapshot.Purposes, func(p *snapshot.OrgPurposes) string { return p.EIN })
		defer purposes.Stop()
		n, last := 0, ""
		for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
			if n++; err == nil && n&0xfff == 1 {
				err = ctx.Err()
			}
			src := Source{Org: &o}
			if err == nil {
				// The row is the organization's number in every index: none may be skipped.
				if src.EIN, err = ein.Parse(o.EIN); err != nil || o.Name == "" || o.EIN <= last {
					err = fault.New("inconsistent", "row %d of table organizations has no valid EIN in order or no name: %q", n, o.EIN).Try("build the snapshot again")
				}
			}
			last = o.EIN
			if err == nil {
				src.Filing, err = filings.At(o.EIN)
			}
			if err == nil {
				src.Funder, err = funders.At(o.EIN)
			}
			if err == nil {
				src.Purposes, err = purposes.At(o.EIN)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&src, nil) {
				return
			}
		}
	}
}

// New is the document of an organization.
func New(s *Source) Document {
	o := s.Org
	d := Document{Name: clean(o.Name), City: clean(o.City), State: strings.ToUpper(o.State)}
	for _, list := range [][]string{o.Aliases, o.AlsoKnown, o.Former} {
		d.Others = addAll(d.Others, list, maxOthers, d.Name)
	}
	if code, ok := ntee.Parse(o.NTEE); ok {
		d.Cause = ntee.Title(code)
	}
	if f := s.Filing; f != nil {
		d.Mission = addAll(nil, []string{f.Mission, f.Activity}, 2)
		d.Programs = addAll(nil, f.Programs, maxPrograms, d.Mission...)
	}
	if p := s.Purposes; p != nil {
		d.Purposes = addAll(nil, p.Received, snapshot.MaxPurposes)
		if len(d.Mission) == 0 {
			// A grantmaker that does not describe itself is described by what it pays for.
			d.Purposes = addAll(d.Purposes, p.Given, 2*snapshot.MaxPurposes)
		}
	}
	return d
}

// Told reports whether the document has more than a name and a code.
func (d *Document) Told() bool { return len(d.Mission)+len(d.Programs)+len(d.Purposes) > 0 }

// Text is the document for the encoder, which reads only the beginning: the most telling parts come
// first, and the place is left out.
func (d *Document) Text() string {
	var b strings.Builder
	add := func(s string) {
		if s == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteString(". ")
		}
		b.WriteString(s)
	}
	add(quiet(d.Name))
	for _, s := range d.Mission {
		add(quiet(s))
	}
	for _, s := range d.Programs {
		add(quiet(s))
	}
	add(d.Cause)
	purposes := each.Of(d.Purposes, quiet)
	add(strings.Join(purposes, "; "))
	return b.String()
}

// quiet lowers a text in capitals, which are common in filings.
func quiet(s string) string {
	upper, lower := 0, 0
	for _, r := range s {
		if unicode.IsUpper(r) {
			upper++
		} else if unicode.IsLower(r) {
			lower++
		}
	}
	if upper > lower {
		return strings.ToLower(s)
	}
	return s
}

// addAll appends the texts that are in neither list nor others.
func addAll(list, more []string, most int, others ...string) []string {
	for _, s := range more {
		if s = clean(s); s != "" && len(list) < most && !has(list, s) && !has(others, s) {
			list = append(list, s)
		}
	}
	return list
}

func has(list []string, s string) bool {
	return slices.ContainsFunc(list, func(t string) bool { return strings.EqualFold(s, t) })
}

// clean is the beginning of a text with single spaces.
func clean(s string) string {
	if len(s) > maxField {
		s = strings.ToValidUTF8(s[:maxField], "")
	}
	if isClean(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// isClean reports whether a text is plain ASCII with single spaces, as nearly all are.
func isClean(s string) bool {
	space := true // before the first word too
	for i := range len(s) {
		switch c := s[i]; {
		case c > ' ' && c <= '~':
			space = false
		case c == ' ' && !space:
			space = true
		default:
			return false
		}
	}
	return !space || s == ""
}

// follow opens a table for reading by key. A table that the snapshot lacks is empty.
func follow[T any](s *snapshot.Snapshot, table string, key func(*T) string) *snapshot.Follower[T] {
	rows := snapshot.Rows[T](s, table)
	if !s.HasTable(table) {
		rows = func(func(T, error) bool) {}
	}
	return snapshot.Follow(rows, key)
}
