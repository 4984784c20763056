package graph

import (
	"fmt"
	"slices"
	"strings"

	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot"
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
		set(d.Params[0].Name, strings.Join(texts(*at(f), text), ","))
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

// texts writes the items of a list.
func texts[T any](list []T, write func(T) string) []string {
	out := each.Of(list, write)
	return out
}

// quoted writes texts as a list of SQL literals.
func quoted(list ...string) string {
	return strings.Join(texts(list, func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }), ", ")
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
		w.Chip(upperFirst(l.prefix+text), func(f *Filter) { l.drop(f, i) })
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

func upperFirst(s string) string {
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
