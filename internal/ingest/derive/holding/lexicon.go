package holding

import (
	_ "embed"
	"maps"
	"reflect"
	"slices"
	"strings"

	"grantgraph/internal/table"
)

// cue is a set of hints from the words of a description.
type cue uint64

//go:embed cues.tsv
var cuesText string

// cueLists maps the name of each cue to its words and phrases. cueNames holds the names in the order of their bits.
var (
	cueLists = table.Lists("cues.tsv", cuesText, "cue", "phrase")
	cueNames = slices.Sorted(maps.Keys(cueLists))
)

// cues are the bits of the cues. A field is named like its words and phrases in cues.tsv, without underscores.
var cues = func() (bits struct {
	Blank, Program, Crypto, Art, SurelyArt, MoneyMarket, Cash, Deposit, Venture, Buyout, Partners, Property, Land, Hedge, Offshore,
	Debt, Income, Note, Equity, ETF, Fund, Family, Impact, Government, Account, LP, LLC, Ltd, Trust, Equipment, Receivable, Pipeline,
	Private, WeakEquity, BondHouse, PRI, Structured cue
}) {
	fields := reflect.ValueOf(&bits).Elem()
	for i, name := range cueNames {
		fields.FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, strings.ReplaceAll(name, "_", "")) }).SetUint(1 << i)
	}
	if len(cueNames) != fields.NumField() {
		panic("cues.tsv lacks a cue")
	}
	return bits
}()

// generic are words for a kind of asset that name no particular asset.
var generic = wordSets.Of("generic")

// isGeneric reports whether a name only states a kind of asset.
func isGeneric(list []string) bool {
	return !slices.ContainsFunc(list, func(w string) bool { return !generic[w] })
}

// isPointer reports whether a text is not a name: "N/A", "None", "Total", a number.
func isPointer(list []string) bool {
	if len(list) > 2 {
		return false
	}
	if slices.Contains([]string{"NA", "N A", "NONE", "TOTAL", "TOTALS", "VARIOUS", "OTHER", "STATEMENT", "ATTACHED", "SEE", "UNKNOWN", "DESCRIPTION", "NAME",
		"NIL"}, strings.Join(list, " ")) {
		return true
	}
	return !slices.ContainsFunc(list, func(w string) bool { return strings.Trim(w, "0123456789") != "" })
}

// phrase is the rest of a cue after its first word.
type phrase struct {
	rest []string
	cue  cue
}

var phrases = func() map[string][]phrase {
	m := make(map[string][]phrase)
	for i, name := range cueNames {
		for _, p := range cueLists[name] {
			words := strings.Fields(p)
			m[words[0]] = append(m[words[0]], phrase{words[1:], 1 << i})
		}
	}
	return m
}()

// scan finds the cues in a list of words. A word may have become several when its abbreviation was spelled out.
func scan(list []string) (c cue) {
	words := list
	if slices.ContainsFunc(list, func(w string) bool { return strings.Contains(w, " ") }) {
		words = strings.Fields(strings.Join(list, " "))
	}
	for i, w := range words {
		for _, p := range phrases[w] {
			if after := words[i+1:]; len(p.rest) <= len(after) && slices.Equal(p.rest, after[:len(p.rest)]) {
				c |= p.cue
			}
		}
	}
	return c
}

// numeral reports whether a word numbers a series of funds: FUND III, CAPITAL IX-B, PARTNERS 4.
func numeral(list []string) bool {
	for i, w := range list {
		if i == 0 || slices.Contains([]string{"SERIES", "CLASS", "TRANCHE", "CL", "SER"}, list[i-1]) {
			continue
		}
		if len(w) > 1 {
			w = strings.TrimSuffix(strings.TrimSuffix(w, "A"), "B")
		}
		if w == "" || len(w) > 5 {
			continue
		}
		switch {
		case strings.Trim(w, "IVX") == "" && (len(w) > 1 || i == len(list)-1 && (w != "X" || product[list[i-1]])):
			return true
		case len(w) <= 2 && strings.Trim(w, "0123456789") == "" && w != "0" && i >= len(list)-2:
			return true
		}
	}
	return false
}
