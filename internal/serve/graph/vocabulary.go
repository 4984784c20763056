package graph

import (
	"strings"

	"grantgraph/internal/grant"
)

// vocabulary is the published words of an enumeration, in published order. It
// is the one place where words and values meet. A value may have several
// words; the first is the one it is written with.
type vocabulary[T comparable] []struct {
	value T
	word  string
}

// parse is the value of a word.
func (v vocabulary[T]) parse(word string) (value T, ok bool) {
	for i := range v {
		if v[i].word == word {
			return v[i].value, true
		}
	}
	return value, false
}

// word is the word of a value, empty when it has none.
func (v vocabulary[T]) word(value T) string {
	for i := range v {
		if v[i].value == value {
			return v[i].word
		}
	}
	return ""
}

// words lists all words.
func (v vocabulary[T]) words() []string {
	list := make([]string, len(v))
	for i := range v {
		list[i] = v[i].word
	}
	return list
}

var (
	classWords = vocabulary[Class]{
		{DAF, grant.DAF},
		{Individuals, grant.Individuals},
		{RelatedParty, grant.RelatedParty},
		{Unidentified, grant.Unidentified},
	}
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

// ClassWords lists the words of the classes in published order.
func ClassWords() []string { return classWords.words() }

// ParseClass is the class of a word.
func ParseClass(word string) (Class, bool) { return classWords.parse(word) }

// Words lists the words of a set of classes in published order. It is never
// nil, so that it is written as an empty list.
func (c Class) Words() []string {
	words := []string{}
	for i := range classWords {
		if c&classWords[i].value != 0 {
			words = append(words, classWords[i].word)
		}
	}
	return words
}

// String is the words of a set of classes, separated by commas.
func (c Class) String() string { return strings.Join(c.Words(), ",") }

// PlaceOfWords lists the words for whose place is meant.
func PlaceOfWords() []string { return placeOfWords.words() }

// ParsePlaceOf is the inverse of String.
func ParsePlaceOf(word string) (PlaceOf, bool) { return placeOfWords.parse(word) }

// String is the published word.
func (p PlaceOf) String() string { return placeOfWords.word(p) }

// PlaceKindWords lists the words for the kinds of places.
func PlaceKindWords() []string { return placeKindWords.words() }

// ParsePlaceKind is the inverse of String.
func ParsePlaceKind(word string) (PlaceKind, bool) { return placeKindWords.parse(word) }

// String is the published word.
func (k PlaceKind) String() string { return placeKindWords.word(k) }

// ParseOrder is the order of a word. More than one word may name an order.
func ParseOrder(word string) (Order, bool) { return orderWords.parse(word) }

// String is the published word.
func (o Order) String() string { return orderWords.word(o) }

// OrderWords lists the words of the orders that a question has, in published
// order.
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
