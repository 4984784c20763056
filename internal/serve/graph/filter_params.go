package graph

import (
	_ "embed"
	"slices"
	"strings"
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

// paramTexts has a line for each text of a parameter: its name, which text it is,
// and the text. A text is a label, a description, "also" with other words for the
// parameter, "also: MEANT" with words that mean MEANT, or "value: WORD" with other
// words for a value.
//
//go:embed parameters.tsv
var paramTexts string

// Documented is parameters with their texts. Words for values that a parameter
// does not have are left out.
func Documented(params ...*Param) []*Param {
	for line := range strings.Lines(paramTexts) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 3 {
			panic("graph: malformed line of parameters.tsv: " + line)
		}
		i := slices.IndexFunc(params, func(p *Param) bool { return p.Name == cells[0] })
		if i >= 0 {
			params[i].document(cells[1], cells[2])
		}
	}
	return params
}

func (p *Param) document(kind, text string) {
	kind, of, _ := strings.Cut(kind, ": ")
	switch kind {
	case "label":
		p.Label = text
	case "description":
		p.Description = text + p.Description
	case "also":
		for word := range strings.FieldsSeq(text) {
			p.Also = append(p.Also, Synonym{word, of})
		}
	case "value":
		if !slices.Contains(p.Enum, of) {
			return
		}
		if p.EnumAlso == nil {
			p.EnumAlso = map[string]string{}
		}
		for word := range strings.FieldsSeq(text) {
			p.EnumAlso[word] = of
		}
	default:
		panic("graph: parameters.tsv has a text of the kind " + kind)
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
		if i := strings.Index("\n"+paramTexts, "\n"+p.Name+"\t"); i >= 0 {
			return i
		}
		return len(paramTexts)
	}
	slices.SortStableFunc(list, func(a, b *Param) int { return at(a) - at(b) })
	return list
}
