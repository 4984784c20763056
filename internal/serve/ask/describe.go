package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/money"
)

// joinWords joins words into a list: "A, B and C".
func joinWords(list []string, word string) string {
	n := len(list)
	if n < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:n-1], ", ") + " " + word + " " + list[n-1]
}

func each[T, O any](list []T, write func(T) O) (out []O) {
	for _, x := range list {
		out = append(out, write(x))
	}
	return out
}

func addNew[T comparable](list []T, item T) []T {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}

func capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// spaced puts a space before a text, unless the text is empty.
func spaced(s string) string { return strings.TrimSuffix(" "+s, " ") }

func (s Span) inWords() string {
	switch {
	case s.From == s.To:
		return strconv.Itoa(s.From)
	case s.To == 0:
		return fmt.Sprintf("%d and later", s.From)
	case s.From == 0:
		return fmt.Sprintf("%d and earlier", s.To)
	}
	return fmt.Sprintf("%d to %d", s.From, s.To)
}

func (p *Plan) amounts() string {
	least, most := p.MinAmount, p.MaxAmount
	switch {
	case least == nil && most == nil:
		return ""
	case least == nil && (*most+1)%100 == 0:
		return "less than " + money.Dollars(*most+1)
	case least == nil:
		return "at most " + money.Dollars(*most)
	case most == nil && *least > 1 && (*least-1)%100 == 0:
		return "more than " + money.Dollars(*least-1)
	case most == nil:
		return "at least " + money.Dollars(*least)
	case *least == *most:
		return "exactly " + money.Dollars(*least)
	}
	return money.Dollars(*least) + " to " + money.Dollars(*most)
}

// part writes a part of the plan in words. It is empty if the plan does not have it.
// Places are those of one side, or of both if the side is empty.
func (p *Plan) part(field, side string) string {
	var list []string
	switch x := p.field(field).(type) {
	case []Party:
		list = each(x, Party.name)
	case []Cause:
		list = each(x, Cause.name)
	case []Span:
		list = each(x, Span.inWords)
	case []Place:
		list = each(slices.DeleteFunc(slices.Clone(x), func(l Place) bool { return side != "" && l.Of != side }), Place.name)
	case []string:
		list = each(x, func(s string) string { return label(field, s) })
	case string:
		if field == "words" {
			return strings.Trim(x, `"`)
		}
		return label("part", x)
	case int:
		return strings.TrimPrefix(strconv.Itoa(x), "0")
	case bool:
		return map[bool]string{true: field}[x]
	case nil:
		if text := p.amounts(); text != "" && p.InTotal {
			return text + " in all"
		}
		return p.amounts()
	}
	word := "and"
	if is("either", field) {
		word = "or"
	}
	return joinWords(list, word)
}

func (o Party) name() string { return o.Name }

// numbered is the name with the EIN, if there is one.
func (o Party) numbered() string {
	if o.EIN == "" {
		return o.Name
	}
	return o.Name + " (" + hyphenated(o.EIN) + ")"
}

func (c Cause) name() string { return cmp.Or(c.Name, CauseName(c.Subject)) }

func (c Cause) subject() string { return c.Subject }

func (l Place) name() string {
	if l.Kind == "near" {
		return fmt.Sprintf("within %d miles of ZIP code %s", cmp.Or(l.Miles, 25), l.Value)
	}
	return cmp.Or(l.Name, l.Value)
}

// what writes the filters of a plan as the end of a sentence, behind a word: " by A to B in Ohio for Education in 2022".
func (p *Plan) what() string {
	said := []string{p.giver(), p.taker()}
	for _, row := range planParts {
		what, phrase := p.part(row.Text("field"), ""), row.Text("phrase")
		switch {
		case phrase == "" || what == "":
			continue
		case row.Text("field") == "amounts" && p.Of == "organizations":
			phrase = "with " + label("order", p.Order) + " " + phrase
		case row.Text("field") == "years" && (len(p.Years) > 1 || p.Years[0].From != p.Years[0].To):
			phrase = "in fiscal years …"
		}
		said = append(said, strings.Replace(phrase, "…", what, 1))
	}
	return spaced(strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " "))
}

// unsaid is what the filters of the plan leave to be said of a grant.
func (p *Plan) unsaid() (text string) {
	if len(p.Funders) != 1 {
		text += " from {funder}"
	}
	if len(p.Recipients) != 1 {
		text += " to {recipient}"
	}
	if len(p.Years) != 1 || p.Years[0].From != p.Years[0].To {
		text += " in fiscal year {fiscal_year}"
	}
	return text
}

func (p *Plan) in(side string) string {
	list := p.part("places", side)
	if list != "" && p.Places[0].Kind != "near" {
		list = "in " + list
	}
	return list
}

func (p *Plan) giver() string {
	return someone("by", cmp.Or(p.part("funders", ""), p.part("funder_types", "")), "funders", p.in("funder"))
}

func (p *Plan) taker() string {
	who, to := p.part("recipients", ""), p.in("recipient")
	if p.Of == "organizations" {
		return to
	}
	if who == "" && p.Only == "individuals" {
		who = "individuals"
	}
	if to == "" && who == "" && p.Abroad {
		to = "abroad"
	}
	return someone("to", who, "recipients", to)
}

// someone writes a side of grants: who it is, or anybody of that side, and where.
func someone(preposition, who, anybody, where string) string {
	if who == "" && where == "" {
		return ""
	}
	return preposition + " " + cmp.Or(who, anybody) + spaced(where)
}
