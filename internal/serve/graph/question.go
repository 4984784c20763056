package graph

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
)

// About is what a question asks for.
type About uint8

const (
	AboutGrants     About = iota // Transactions
	AboutFunders                 // Funders
	AboutRecipients              // Recipients
	AboutTotals                  // Summary, Excluded, ReachingFunders
	AboutGroups                  // Groups; the page is what Top says
)

// Question is all that an answer of one graph depends on.
type Question struct {
	About  About
	Filter *Filter
	Sort   Sort
	Page   Page
	By     Grouping
}

// Order is a sort key. Which ones an endpoint has, its method says.
type Order uint8

const (
	ByAmount Order = iota // transactions: amount; aggregates: total
	ByYear
	ByCount
	ByFunderName
	ByFunderState
	ByRecipName
	ByRecipState
)

// Sort is an order and its direction. Ties are broken by amount (or total)
// descending, then by grant key, funder EIN or recipient identity ascending.
type Sort struct {
	By  Order
	Asc bool
}

// Page is a part of an ordered result.
type Page struct{ Offset, Limit int }

// Canonical names a question: it is the same for every way to write the same
// condition, and differs for questions that differ. Order and repetition do
// not matter, nor does a value that another one covers, nor how spans of years
// are divided. Everything of no fixed length is preceded by its length, so no
// two questions share a name. It is not meant to be stored: another version of
// this program may write it otherwise.
func (q Question) Canonical() []byte {
	w := canonical{byte(q.About), byte(q.By), byte(q.Sort.By)}
	w.flag(q.Sort.Asc)
	w.number(int64(max(q.Page.Offset, 0)))
	w.number(int64(max(q.Page.Limit, 0)))
	w.filter(q.Filter)
	return w
}

// canonical is the name of a question as it grows.
type canonical []byte

func (w *canonical) filter(f *Filter) {
	writeSet(w, f.Funders)
	writeSet(w, f.Recipients)
	w.years(f.Years)
	w.subject(&f.Subject)
	*w = append(*w, byte(f.SubjectBasis))
	w.place(&f.Place)
	w.texts(slices.Clone(f.Countries))
	for _, terms := range [...][]Term{f.Query.Must, f.Query.MustNot} {
		list := make([]string, len(terms))
		for i, t := range terms {
			list[i] = strings.Join(t.stems(), " ")
		}
		w.texts(list)
	}
	w.flag(f.Support != 0)
	w.number(int64(f.Support & (1<<grant.Strategies - 1)))
	w.text(f.FunderKind)
	w.number(int64(uint8(f.Exclude) & classMask))
	for _, amount := range [...]*int64{f.MinAmount, f.MaxAmount} {
		w.flag(amount != nil)
		if amount != nil {
			w.number(*amount)
		}
	}
	w.flag(f.MinProb != nil)
	if f.MinProb != nil {
		*w = binary.BigEndian.AppendUint64(*w, math.Float64bits(*f.MinProb+0)) // -0 is 0
	}
	writeSet(w, f.Sources)
	w.flag(len(f.Keys) > 0)
	w.texts(slices.Clone(f.Keys))
}

// years writes spans joined where they touch. All years are no condition.
func (w *canonical) years(list []Span) {
	var spans []Span
	for _, s := range list {
		if s.From == 0 {
			s.From = math.MinInt
		}
		if s.To == 0 {
			s.To = math.MaxInt
		}
		if s.From <= s.To {
			spans = append(spans, s)
		}
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	joined := spans[:0]
	for _, s := range spans {
		if n := len(joined); n > 0 && (s.From <= joined[n-1].To || s.From-1 == joined[n-1].To) {
			joined[n-1].To = max(joined[n-1].To, s.To)
		} else {
			joined = append(joined, s)
		}
	}
	if len(joined) == 1 && joined[0] == (Span{math.MinInt, math.MaxInt}) {
		list = nil
	}
	w.flag(len(list) > 0)
	if len(list) == 0 {
		return
	}
	w.number(int64(len(joined)))
	for _, s := range joined {
		w.number(int64(s.From))
		w.number(int64(s.To))
	}
}

// subject writes the major groups, and the longer prefixes outside of them.
func (w *canonical) subject(s *ntee.Subject) {
	w.flag(!s.Empty())
	if s.Empty() {
		return
	}
	var groups uint32
	var prefixes []string
	for _, it := range s.Items {
		if it.Kind == ntee.Prefix {
			prefixes = append(prefixes, string(it.Prefix))
		} else {
			groups |= it.Majors & (1<<majors - 1)
		}
	}
	prefixes = slices.DeleteFunc(prefixes, func(p string) bool {
		major := ntee.Code(p).Major()
		return major != 0 && groups>>(major-'A')&1 != 0
	})
	w.number(int64(groups))
	w.texts(uncovered(prefixes, func(one, other string) bool { return strings.HasPrefix(other, one) }))
}

// place writes the places as the evaluation looks them up.
func (w *canonical) place(p *Place) {
	w.flag(!p.empty())
	if p.empty() {
		return
	}
	*w = append(*w, byte(p.Of))
	w.text(p.Near.ZIP)
	w.number(int64(p.Near.Miles))
	w.flag(len(p.Values) > 0)
	if len(p.Values) == 0 {
		return
	}
	*w = append(*w, byte(p.Kind))
	// A city is written with its state behind a separator; a name without one
	// comes before it and covers it.
	var names []string
	for _, v := range p.Values {
		name := v.Name
		if p.Kind == City {
			name = orgname.City(name)
		}
		if name == "" {
			continue // nobody is there
		}
		if p.Kind == City && v.State != "" {
			name += sep + v.State
		}
		names = append(names, name)
	}
	w.texts(uncovered(names, func(one, other string) bool {
		switch p.Kind {
		case City:
			return strings.HasPrefix(other, one+sep)
		case ZIP:
			return len(one) == 3 && strings.HasPrefix(other, one)
		}
		return false
	}))
}

// uncovered leaves out what a text before it in order covers.
func uncovered(list []string, covers func(one, other string) bool) []string {
	slices.Sort(list)
	kept := list[:0]
	for _, s := range list {
		if n := len(kept); n == 0 || !covers(kept[n-1], s) {
			kept = append(kept, s)
		}
	}
	return kept
}

func (w *canonical) number(n int64) { *w = binary.AppendVarint(*w, n) }

func (w *canonical) text(s string) {
	w.number(int64(len(s)))
	*w = append(*w, s...)
}

func (w *canonical) flag(on bool) {
	b := byte(0)
	if on {
		b = 1
	}
	*w = append(*w, b)
}

// texts writes texts of which neither order nor repetition matters. It sorts
// the list.
func (w *canonical) texts(list []string) {
	slices.Sort(list)
	list = slices.Compact(list)
	w.number(int64(len(list)))
	for _, s := range list {
		w.text(s)
	}
}

// writeSet writes numbers of which neither order nor repetition matters.
func writeSet[T ~uint8 | ~uint32](w *canonical, list []T) {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	w.number(int64(len(list)))
	for _, v := range list {
		w.number(int64(v))
	}
}
