package graph

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/stem"
)

// About is what a question asks for.
type About uint8

const (
	AboutGrants     About = iota // Transactions
	AboutFunders                 // Funders
	AboutRecipients              // Recipients
	AboutTotals                  // Summary, Excluded, ReachingFunders
	AboutGroups                  // Groups; Page.Limit is the number of groups
)

// Question is everything that an answer of one graph depends on.
type Question struct {
	About  About
	Filter *Filter
	Sort   Sort
	Page   Page
	By     Grouping
}

// Order is a sort key. About.OrderWords lists the keys of an endpoint.
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
	// Mixed ranks recipients that are no organization, such as lines that name nobody,
	// among the others. Without it, they come last in an order by total or count.
	Mixed bool
}

// Page is a part of an ordered result.
type Page struct{ Offset, Limit int }

// Canonical names a question. The name is the same for every way to write the same condition, and different questions have
// different names. Order and repetition do not matter, nor does a value that another value covers, nor how spans of years are
// divided. The length of a text or list is written before it, so that no two questions share a name. Cursors hold a digest of
// the name, so a change of these bytes makes the cursors of clients invalid.
func (q Question) Canonical() []byte {
	w := append(make(Name, 0, 160), byte(q.About), byte(q.By), byte(q.Sort.By))
	w.Flag(q.Sort.Asc)
	w.Flag(q.Sort.Mixed)
	w.Number(int64(max(q.Page.Offset, 0)))
	w.Number(int64(max(q.Page.Limit, 0)))
	for _, d := range Filters {
		if d.Canonical != nil {
			d.Canonical(&w, q.Filter)
		}
	}
	return w
}

// Name is the name of a question or a condition as it grows.
type Name []byte

// years writes spans, and joins spans that touch. A span of all years is not written.
func (w *Name) years(list []Span) {
	var spans []Span
	for _, s := range list {
		s.From = cmp.Or(s.From, math.MinInt)
		s.To = cmp.Or(s.To, math.MaxInt)
		if s.From <= s.To {
			spans = append(spans, s)
		}
	}
	joined := joinSpans(spans)
	if len(joined) == 1 && joined[0] == (Span{math.MinInt, math.MaxInt}) {
		list = nil
	}
	w.Flag(len(list) > 0)
	if len(list) == 0 {
		return
	}
	w.Number(int64(len(joined)))
	for _, s := range joined {
		w.Number(int64(s.From))
		w.Number(int64(s.To))
	}
}

// subject writes the major groups, and the longer prefixes outside of them.
func (w *Name) subject(s *ntee.Subject) {
	w.Flag(!s.Empty())
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
	w.Number(int64(groups))
	w.Texts(uncovered(prefixes, func(one, other string) bool { return strings.HasPrefix(other, one) }))
}

// place writes the places as the evaluation looks them up.
func (w *Name) place(p *Place) {
	w.Flag(!p.empty())
	if p.empty() {
		return
	}
	*w = append(*w, byte(p.Of))
	w.Text(p.Near.ZIP)
	w.Number(int64(p.Near.Miles))
	w.Flag(len(p.Values) > 0)
	if len(p.Values) == 0 {
		return
	}
	*w = append(*w, byte(p.Kind))
	// A city is written with its state behind a separator. The name of the city alone sorts before that, and covers it.
	var names []string
	for _, v := range p.Values {
		name := v.Name
		if p.Kind == City {
			name = orgname.City(name)
		}
		if name == "" {
			continue // no row has an empty name
		}
		if p.Kind == City && v.State != "" {
			name += sep + v.State
		}
		names = append(names, name)
	}
	w.Texts(uncovered(names, func(one, other string) bool {
		switch p.Kind {
		case City:
			return strings.HasPrefix(other, one+sep)
		case ZIP:
			return len(one) == 3 && strings.HasPrefix(other, one)
		}
		return false
	}))
}

// uncovered sorts texts and leaves out those that a text before them covers.
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

// Number writes a number.
func (w *Name) Number(n int64) { *w = binary.AppendVarint(*w, n) }

// Text writes a text and its length.
func (w *Name) Text(s string) {
	w.Number(int64(len(s)))
	*w = append(*w, s...)
}

// Flag writes whether something holds.
func (w *Name) Flag(on bool) {
	b := byte(0)
	if on {
		b = 1
	}
	*w = append(*w, b)
}

// Texts writes a set of texts: neither order nor repetition matters.
func (w *Name) Texts(list []string) {
	list = set(list)
	w.Number(int64(len(list)))
	for _, s := range list {
		w.Text(s)
	}
}

func (w *Name) terms(terms []Term) {
	w.Texts(each.Of(terms, func(t Term) string { return strings.Join(t.stems(), " ") }))
}

// writeSet writes a set of numbers: neither order nor repetition matters.
func writeSet[T ~uint8 | ~uint32](w *Name, list []T) {
	list = set(list)
	w.Number(int64(len(list)))
	for _, v := range list {
		w.Number(int64(v))
	}
}

// set returns the values in order, each once. Most filters of a question are empty, so this must cost nothing for them.
func set[T cmp.Ordered](list []T) []T {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// Query is a parsed free-text condition over purpose, name as filed and canonical recipient name; see ParseQuery.
type Query struct {
	Must    []Term
	MustNot []Term
}

// Term is one word or, with several words, a phrase of adjacent words.
type Term struct{ Words []string }

// MaxTerms is how many terms a query may have. Reading a request refuses more: if
// it left terms out, the answer would be to another question.
const MaxTerms = 32

// ParseQuery reads a free-text condition. The text is folded to ASCII capitals and cut into words, runs of A-Z and 0-9. Every
// word must match; words inside "quotes" must stand next to each other in one field; a leading - on a word or on a quoted
// phrase excludes it. A hyphenated word is two words, and a phrase when it is excluded. Words match by their stems, in phrases
// too. ok is false if the text has no word; then the condition must not run.
func ParseQuery(s string) (q Query, ok bool) {
	for rest := orgname.Fold(s); rest != ""; {
		var item string
		var not, phrase bool
		item, not, phrase, rest = nextItem(rest)
		words := slices.Collect(stem.Cut(item))
		switch {
		case len(words) == 0:
		case not:
			q.MustNot = append(q.MustNot, Term{words})
		case phrase:
			q.Must = append(q.Must, Term{words})
		default:
			for _, w := range words {
				q.Must = append(q.Must, Term{[]string{w}})
			}
		}
	}
	return q, len(q.Must)+len(q.MustNot) > 0
}

// nextItem takes the first item off a query: a run without spaces, or a text in quotes, whose closing quote may be missing.
func nextItem(s string) (item string, not, phrase bool, rest string) {
	s = strings.TrimLeft(s, " ")
	item = strings.TrimLeft(s, "-")
	not = len(item) < len(s)
	if item, phrase = strings.CutPrefix(item, `"`); phrase {
		item, rest, _ = strings.Cut(item, `"`)
	} else if end := strings.IndexAny(item, ` "`); end >= 0 {
		item, rest = item[:end], item[end:]
	}
	return item, not, phrase, rest
}

func (t Term) stems() []string { return each.Of(t.Words, stem.Of) }

// vocabulary is the published words of an enumeration, in published order. A
// value may have several words; the service writes the first of them.
type vocabulary[T comparable] []struct {
	value T
	word  string
}

func (v vocabulary[T]) parse(word string) (value T, ok bool) {
	for i := range v {
		if v[i].word == word {
			return v[i].value, true
		}
	}
	return value, false
}

func (v vocabulary[T]) word(value T) string {
	for i := range v {
		if v[i].value == value {
			return v[i].word
		}
	}
	return ""
}

func (v vocabulary[T]) words() []string {
	list := make([]string, len(v))
	for i := range v {
		list[i] = v[i].word
	}
	return list
}

var (
	placeOfWords = vocabulary[PlaceOf]{
		{RecipientPlace, "recipient"},
		{FunderPlace, "funder"},
		{AreaServed, "area_served"},
	}
	placeKindWords = vocabulary[PlaceKind]{
		{State, "state"},
		{ZIP, "zip"},
		{City, "city"},
		{County, "county_fips"},
		{Country, "country"},
	}
	orderWords = vocabulary[Order]{
		{ByAmount, "amount"},
		{ByYear, "year"},
		{ByYear, "year_issued"},
		{ByCount, "count"},
		{ByFunderName, "funder_name"},
		{ByFunderState, "funder_state"},
		{ByRecipName, "recip_name"},
		{ByRecipState, "recip_state"},
	}
	// kindNumbers are the numbers of the kinds of funders in the file.
	kindNumbers = vocabulary[uint32]{
		{0, grant.PrivateFoundation},
		{1, grant.PublicCharity},
		{2, grant.Passthrough},
	}
)

// Classes are the classes of rows in published order.
var Classes = []struct {
	Class
	word   string
	Label  string // in the form and in sentences
	column string // in the tables of the warehouse
}{
	{DAF, grant.DAF, "Donor-advised and pass-through funds", "is_daf"},
	{Individuals, grant.Individuals, "Grants to individuals", "is_individual"},
	{RelatedParty, grant.RelatedParty, "Related parties", "is_related_party"},
	{Unidentified, grant.Unidentified, "Grants with no named recipient, and grants to individuals", "is_unidentified"},
}

// ClassWords lists the words of the classes in published order.
func ClassWords() []string { return allClasses.Words() }

// ParseClass is the class of a word.
func ParseClass(word string) (Class, bool) {
	for _, c := range Classes {
		if c.word == word {
			return c.Class, true
		}
	}
	return 0, false
}

// Words lists the words of a set of classes in published order. The list is never
// nil, so that an empty set is written as an empty list.
func (c Class) Words() []string {
	words := []string{}
	for _, one := range Classes {
		if c&one.Class != 0 {
			words = append(words, one.word)
		}
	}
	return words
}

// String is the words of a set of classes, separated by commas.
func (c Class) String() string { return strings.Join(c.Words(), ",") }

// String is the published word.
func (p PlaceOf) String() string { return placeOfWords.word(p) }

// String is the published word.
func (k PlaceKind) String() string { return placeKindWords.word(k) }

// ParseOrder is the order of a word. More than one word may name an order.
func ParseOrder(word string) (Order, bool) { return orderWords.parse(word) }

// String is the published word.
func (o Order) String() string { return orderWords.word(o) }

// OrderWords lists the words of the orders that a question has, in published order.
func (a About) OrderWords() []string {
	var words []string
	for i := range orderWords {
		if a.hasOrder(orderWords[i].value) {
			words = append(words, orderWords[i].word)
		}
	}
	return words
}

// hasOrder reports whether the answer to a question can be put in an order.
func (a About) hasOrder(o Order) bool {
	switch o {
	case ByAmount:
		return a != AboutTotals && a != AboutGroups
	case ByCount:
		return a == AboutFunders || a == AboutRecipients
	case ByYear:
		return a == AboutGrants
	case ByFunderName, ByFunderState:
		return a == AboutGrants || a == AboutFunders
	case ByRecipName, ByRecipState:
		return a == AboutGrants || a == AboutRecipients
	}
	return false
}
