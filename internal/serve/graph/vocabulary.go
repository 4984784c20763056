package graph

import (
	"strings"

	"grantgraph/internal/grant"
)

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
