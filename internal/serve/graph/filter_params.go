package graph

import (
	_ "embed"
	"slices"
	"strings"

	embedded "grantgraph/internal/table"
)

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
