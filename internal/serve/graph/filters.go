package graph

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot"
	embedded "grantgraph/internal/table"
)

// Declaration is everything there is to know about one grant filter. Requests, the OpenAPI document, cursors,
// the cache, evaluation, the SQL shown to people, chips and sentences all read it, so that a filter is added
// in one place: an entry of Filters.
type Declaration struct {
	Params []*Param // the parameters that say it; the first is the filter's name

	// PartOf names the filter that the parameters belong to, for parameters that
	// have no condition of their own. Such an entry has only Params and Read.
	PartOf string

	// Read reads the parameters of a request into Filter.
	Read func(*Reading)
	// Write says the condition in parameters, in the one form that Read reads
	// back to the same condition. It is called only when On.
	Write func(f *Filter, set func(name, value string))

	On        func(*Filter) bool               // reports whether a filter has the condition
	Take      func(from, to *Filter)           // copies the condition
	Canonical func(*Name, *Filter)             // names the condition for cursors and the cache, also when not On
	SQL       func(*Where, *Filter)            // says it over the tables of the warehouse; called only when On
	Say       func(*Words, *Filter)            // says it to people; called only when On
	rows      func(index, *Filter) []condition // finds its rows; called only when On

	// weight bounds the bytes that rows takes; nil for nothing worth counting.
	weight func(*Graph, *Filter) int64
	// bound is the most rows that satisfy the condition, where a few numbers tell.
	bound func(*Graph, *Filter) int64
	// choice is which choices of a form the condition is one of.
	choice choice
}

// index is the graph that a filter is evaluated on, with the set of funders that an area_served place selects.
type index struct {
	*Graph
	reach bitset
}

// Filters are the grant filters. Their order is that of reading and of the
// canonical form; the order of documentation is that of parameters.tsv.
var Filters []*Declaration

func init() {
	// The functions of the entries evaluate filters, which goes over the list.
	Filters = slices.Concat(partyFilters(), yearFilters(), subjectFilters(), placeFilters(), queryFilters(),
		kindFilters(), amountFilters(), matchFilters(), keyFilters(), applicationFilters())
}

// Declared is the filter with a name.
func Declared(name string) *Declaration {
	for _, d := range Filters {
		if d.Params[0].Name == name {
			return d
		}
	}
	panic("graph: there is no filter " + name)
}

// listed fills in the parts of an entry that follow from a list in Filter: its first
// parameter is the list of texts, and each value has a chip.
func listed[T any](d *Declaration, at func(*Filter) *[]T, text func(T) string, words listWords[T]) *Declaration {
	d.Write = func(f *Filter, set func(name, value string)) {
		set(d.Params[0].Name, strings.Join(each.Of(*at(f), text), ","))
	}
	d.On = func(f *Filter) bool { return len(*at(f)) > 0 }
	d.Take = func(from, to *Filter) { *at(to) = *at(from) }
	d.weight = func(_ *Graph, f *Filter) int64 { return 64 * int64(len(*at(f))) }
	d.Say = func(w *Words, f *Filter) {
		list := *at(f)
		w.list(itemList{words.before, words.prefix, len(list), func(i int) string { return words.say(w, list[i]) },
			func(f *Filter, i int) { *at(f) = dropped(*at(f), i) }})
	}
	return d
}

// listWords are the words of a list: before its phrase, before each chip, and for each value.
type listWords[T any] struct {
	before, prefix string
	say            func(*Words, T) string
}

// Clear takes the condition out of a filter.
func (d *Declaration) Clear(f *Filter) { d.Take(&Filter{}, f) }

func (f *Filter) declared(yield func(*Declaration) bool) {
	for _, d := range Filters {
		if d.On != nil && d.On(f) && !yield(d) {
			return
		}
	}
}

func (f *Filter) empty() bool { return f.only() }

// only reports whether the filter has no condition but these.
func (f *Filter) only(names ...string) bool {
	for d := range f.declared {
		if !slices.Contains(names, d.Params[0].Name) {
			return false
		}
	}
	return true
}

func (f *Filter) without(names ...string) *Filter {
	out := *f
	for _, name := range names {
		Declared(name).Clear(&out)
	}
	return &out
}

// Request is where the parameters of a filter come from. Each method reads a
// parameter by its name and reports to the caller what cannot be read.
type Request interface {
	Text(name string) (string, bool)
	List(name string) []string
	Integer(name string) (int64, bool)
	Number(name string) (float64, bool)
	Boolean(name string) bool
	// Choice reads a word of the vocabulary, empty when there is none. understood is false when the caller sent another word.
	Choice(name string) (word string, understood bool)
	Choices(name string) []string

	// Refuse records why a value cannot be read; index is the position in a
	// list, or negative, and limits are the bounds that apply, or nil.
	Refuse(name string, index int, kind, input string, limits map[string]any, format string, args ...any)
	// Ignored records that a value was not applied.
	Ignored(name, format string, args ...any)
	// Caveat records a limit of a filter that was applied.
	Caveat(name, format string, args ...any)
}

// Reading is a request that is being read into a filter.
type Reading struct {
	Request
	Filter    *Filter
	Manifest  *snapshot.Manifest     // of the dataset
	HasCounty func(fips string) bool // asks the dataset for a county
	Failed    error                  // refuses the request as a whole
}

// Read reads every filter of the request.
func (r *Reading) Read() error {
	for _, d := range Filters {
		if d.Read(r); r.Failed != nil {
			break
		}
	}
	return r.Failed
}

// clip shortens what is repeated back to a client.
func clip(s string) string { return fault.Clip(s, 80) }

// Where is the condition of a statement over the tables of the warehouse.
type Where struct {
	Parts   []string // all must hold
	Missing []string // what the tables have no column for
}

// SQL says a filter over the tables of the warehouse.
func (f *Filter) SQL() *Where {
	w := &Where{}
	for d := range f.declared {
		d.SQL(w, f)
	}
	return w
}

// And adds a condition.
func (w *Where) And(format string, args ...any) {
	w.Parts = append(w.Parts, fmt.Sprintf(format, args...))
}

// Lacks says that the tables have no column for something.
func (w *Where) Lacks(what string) {
	if !slices.Contains(w.Missing, what) {
		w.Missing = append(w.Missing, what)
	}
}

// quoted writes texts as a list of SQL literals.
func quoted(list ...string) string {
	return strings.Join(each.Of(list, func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }), ", ")
}

// Words gathers how people read a filter: a chip for each part that can be taken
// off, and the phrases of a sentence that begins with "Grants".
type Words struct {
	Filter  *Filter
	Name    func(ein.EIN) string // of an organization; empty when unknown
	Query   string               // as it was typed
	Chips   []Chip
	Phrases []string

	current *Declaration
}

// Chip is a part of a filter that can be taken off.
type Chip struct {
	Label string
	// Without is the parameters of the filter without this part, as pairs of name
	// and value. An empty value takes the parameter off.
	Without []string
}

// Tell puts one condition of the filter in words.
func (w *Words) Tell(d *Declaration) {
	if d.On != nil && d.On(w.Filter) {
		w.current = d
		d.Say(w, w.Filter)
	}
}

// Phrase adds to the sentence.
func (w *Words) Phrase(text string) { w.Phrases = append(w.Phrases, text) }

// Chip adds a chip. change takes its part out of a copy of the filter.
func (w *Words) Chip(label string, change func(*Filter)) {
	w.Chips = append(w.Chips, Chip{label, w.current.Without(w.Filter, change)})
}

// Without is the parameters of the condition after a change to the filter, as
// pairs of name and value. An empty value takes the parameter off.
func (d *Declaration) Without(f *Filter, change func(*Filter)) (pairs []string) {
	changed := *f
	change(&changed)
	values := map[string]string{}
	if d.On(&changed) {
		d.Write(&changed, func(name, value string) { values[name] = value })
	}
	for _, other := range Filters {
		if other == d || other.PartOf == d.Params[0].Name {
			for _, p := range other.Params {
				pairs = append(pairs, p.Name, values[p.Name])
			}
		}
	}
	return pairs
}

// mostChips bounds the chips of a list. One more chip takes off the others.
const mostChips = 12

// itemList is a condition that has several values.
type itemList struct {
	before string // of the phrase
	prefix string // of a chip
	n      int
	say    func(i int) string
	drop   func(f *Filter, i int) // takes the item out of a copy of the filter
}

// list adds a chip for every value, and one phrase for all of them.
func (w *Words) list(l itemList) {
	if l.n == 0 {
		return
	}
	var said []string
	for i := range min(l.n, mostChips) {
		text := l.say(i)
		said = append(said, text)
		w.Chip(UpperFirst(l.prefix+text), func(f *Filter) { l.drop(f, i) })
	}
	if l.n > mostChips {
		w.Chip(fmt.Sprintf("and %d more", l.n-mostChips), func(f *Filter) {
			for i := l.n - 1; i >= 0; i-- {
				l.drop(f, i)
			}
		})
	}
	w.Phrase(l.before + either(said, l.n))
}

// either joins alternatives: a, b or c. Of more than three the rest is counted.
func either(said []string, all int) string {
	const most = 3
	if all > most {
		return fmt.Sprintf("%s or %d others", strings.Join(said[:most-1], ", "), all-most+1)
	}
	if all == 1 {
		return said[0]
	}
	return strings.Join(said[:all-1], ", ") + " or " + said[all-1]
}

// UpperFirst is a text with a capital letter.
func UpperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// dropped is a copy of a list without one item.
func dropped[T any](list []T, i int) []T { return slices.Delete(slices.Clone(list), i, i+1) }

// Sentence is the filter as people say it.
func (w *Words) Sentence() string {
	if len(w.Phrases) == 0 {
		return "All grants"
	}
	return "Grants " + strings.Join(w.Phrases, ", ")
}

// Filter is the condition of a question. Fields combine with AND, values within a field with OR. The zero Filter is every row.
type Filter struct {
	Funders    []ein.EIN
	Recipients []ein.EIN
	Unlinked   []string // recip_id of recipients without an EIN; a row matches these or Recipients
	Years      []Span   // fiscal years
	Subject    ntee.Subject
	// SubjectBasis says whether inferred causes count for the subject. Without a
	// subject it only decides whether rows show inferred causes.
	SubjectBasis ntee.Basis
	Place        Place
	Countries    []string // FIPS 10-4 codes of the recipient's country; only foreign lines have one
	Query        Query
	Support      grant.Support // rows that have any of these bits
	FunderKind   string        // one of grant.FunderKinds
	Accepts      string        // one of grant.Applications
	Exclude      Class         // rows in any of these classes are left out
	MinAmount    *int64
	MaxAmount    *int64
	MinProb      *float64 // rows without a recipient EIN never match
	Sources      []grant.Rule
	Keys         []string // of grants

	// inferredOnly asks for the rows that only the wider basis has.
	inferredOnly bool
}

// Span is a closed range of fiscal years. A bound of 0 is open.
type Span struct{ From, To int }

// Class is a set of classes of rows.
type Class uint8

// The classes that can be excluded.
const (
	DAF Class = 1 << iota
	Individuals
	RelatedParty
	// Unidentified is the lines that name no organization. It includes Individuals.
	Unidentified
)

// Place is a condition on where the recipient or the funder is.
type Place struct {
	Of     PlaceOf
	Kind   PlaceKind
	Values []PlaceValue // without values there is no condition
	Near   Near         // must hold in addition to the values
}

// Near is a condition on how far a place is from a ZIP code. The zero Near is no condition.
type Near struct {
	ZIP   string // five digits
	Miles int
}

func (p *Place) empty() bool { return len(p.Values) == 0 && p.Near == Near{} }

// PlaceOf says whose place is meant.
type PlaceOf uint8

const (
	RecipientPlace PlaceOf = iota
	FunderPlace
	// AreaServed selects funders that paid any recipient in the place within the filter's years, whatever the
	// other conditions, and then all rows of these funders that satisfy the other conditions, years included.
	AreaServed
)

// PlaceKind says how the values are read.
type PlaceKind uint8

const (
	State   PlaceKind = iota // two-letter code
	ZIP                      // five digits, or a prefix of three
	City                     // folded by orgname.City, with an optional State
	County                   // five-digit FIPS
	Country                  // FIPS 10-4; only foreign lines have one, and no funder
)

// PlaceValue is one place. State is only used with City.
type PlaceValue struct{ Name, State string }

// onlyRecipient reports whether the filter asks for one recipient and, beside it, for years alone.
func (f *Filter) onlyRecipient() bool {
	return len(f.Recipients) == 1 && len(f.Unlinked) == 0 && !f.inferredOnly && f.only("recip_id", "year")
}

// Param is one parameter of a filter, as requests send it.
type Param struct {
	Name      string
	Type      string // one of the types below
	List      bool   // a comma-separated list
	Enum      []string
	Bounds    []float64 // the least and the largest number
	MaxLength int       // in bytes; 0 for the usual bound
	MaxItems  int       // of a list; 0 for the usual bound
	Default   any
	Example   any

	// The texts below are in parameters.tsv, or in the entry.

	Label       string // in the form; empty for none
	Description string
	Also        []Synonym         // other words for the parameter, which are answered with its name
	EnumAlso    map[string]string // other words for values, and the value that each stands for
}

// Synonym is another word for a parameter.
type Synonym struct {
	Word string
	Say  string // what was meant; empty for the name of the parameter
}

// The types of parameters.
const (
	TextParam    = "string"
	IntegerParam = "integer"
	NumberParam  = "number"
	BooleanParam = "boolean"
)

// paramFile has a line for each text of a parameter. The kind of a text is label, description, "also" for other words for the
// parameter, "also: MEANT" for words that mean MEANT, or "value: WORD" for other words for a value.
//
//go:embed parameters.tsv
var paramFile string

var paramTexts = embedded.Read("parameters.tsv", paramFile, "parameter", "kind", "text")

// Documented is parameters with their texts. Words for values that a parameter does not have are left out.
func Documented(params ...*Param) []*Param {
	for _, row := range paramTexts {
		for _, p := range params {
			if p.Name == row.Text("parameter") {
				p.document(row)
			}
		}
	}
	return params
}

func (p *Param) document(row embedded.Row) {
	kind, of, _ := strings.Cut(row.Text("kind"), ": ")
	text, words := row.Text("text"), row.Fields("text")
	switch kind {
	case "label":
		p.Label = text
	case "description":
		p.Description = strings.TrimSpace(text + " " + p.Description)
	case "also":
		for _, word := range words {
			p.Also = append(p.Also, Synonym{word, of})
		}
	case "value":
		if !slices.Contains(p.Enum, of) {
			return
		}
		if p.EnumAlso == nil {
			p.EnumAlso = map[string]string{}
		}
		for _, word := range words {
			p.EnumAlso[word] = of
		}
	default:
		row.Fail("unknown kind %s", kind)
	}
}

// Params are the parameters of all filters in the order of documentation, which
// is that of parameters.tsv. Parameters that are not in the file come last.
func Params() []*Param {
	var list []*Param
	for _, d := range Filters {
		list = append(list, d.Params...)
	}
	at := func(p *Param) int {
		if i := slices.IndexFunc(paramTexts, func(row embedded.Row) bool { return row.Text("parameter") == p.Name }); i >= 0 {
			return i
		}
		return len(paramTexts)
	}
	slices.SortStableFunc(list, func(a, b *Param) int { return at(a) - at(b) })
	return list
}
