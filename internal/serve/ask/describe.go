package ask

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/grant"
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

// Chips shows the plan part by part. Each chip offers other values and the plan without that part.
func (p *Plan) Chips() []Chip {
	list := []Chip{p.chip("measure", "Asked for", p.measureName(), p.measureOptions())}
	for _, row := range planParts {
		field, side, name := row.Text("field"), row.Text("side"), row.Text("label")
		value, options := p.part(field, side), []Option(nil)
		switch field {
		case "order":
			if p.Measure != "which" {
				value = ""
			}
		case "funders", "recipients", "organizations":
			value = p.partyNames(field)
		case "places":
			if options = p.sideOptions(side); p.Of == "organizations" {
				name, options = "In", nil
			}
		case "funder_types":
			if options = p.kindOptions(); value == "" && len(options) > 1 && p.Of == "funders" {
				value = "all"
			}
		}
		if value != "" {
			list = append(list, p.chip(field, name, value, options))
		}
	}
	return list
}

// chip is a part of the plan, and the plan without it.
func (p *Plan) chip(field, label, value string, options []Option) Chip {
	c := Chip{Field: field, Label: label, Value: value, Options: options}
	if without := p.without(field); without.String() != p.String() && without.Validate() == nil {
		c.Off = without.String()
	}
	return c
}

// option is the plan with one change, if that plan can be run.
func (p *Plan) option(label string, chosen bool, change func(c *Plan)) []Option {
	c := p.clone()
	if change(c); c.Validate() != nil {
		return nil
	}
	return []Option{{label, c.String(), chosen}}
}

func (p *Plan) measureName() string {
	value := label("measure", p.Measure)
	switch {
	case p.every():
		value += " of " + p.Of + ", every year"
	case p.Measure == "which":
		value += " of " + label("of", p.Of)
	case p.Measure == "how_many":
		value += " " + label("of", p.Of)
	case p.Measure == "fact":
		value = capital(label("fact", p.Fact))
	case p.Of == "awards":
		value += ", government awards"
	}
	if p.Figure != "" && p.Figure != "dollars" {
		value += ", " + p.figure("noun")
	}
	return value
}

// offered is what else may be asked of the same grants: a measure, and of what.
var offered = strings.Fields("how_much how_many average median largest smallest trend which,funders which,recipients which,causes which,states")

func (p *Plan) measureOptions() (list []Option) {
	for _, pair := range offered {
		measure, of, ranking := strings.Cut(pair, ",")
		name, chosen := label("measure", measure), measure == p.Measure
		if of = cmp.Or(of, "grants"); ranking {
			name, chosen = "Ranking of "+of, chosen && of == p.Of
		}
		if p.ofGrants() && p.Measure != "compare" && (ranking || p.Measure != "change" && p.Measure != "share") {
			list = append(list, p.option(name, chosen, func(c *Plan) {
				if !chosen {
					c.Measure, c.Of, c.Figure, c.By, c.Part, c.Order, c.Least, c.Both, c.InTotal = measure, of, "", "", nil, "", false, false, false
				}
			})...)
		}
	}
	return list
}

func (p *Plan) partyNames(field string) string {
	of, word := p.field(field).([]Party), "and"
	if len(of) > 1 && !p.Both && p.By != field {
		word = "or"
	}
	return joinWords(each(of, Party.numbered), word)
}

// sideOptions offer the places of one side as those of the other.
func (p *Plan) sideOptions(side string) (list []Option) {
	for _, to := range []string{"recipient", "funder"} {
		list = append(list, p.option(capital(to)+"s in "+p.part("places", side), to == side, func(c *Plan) {
			for i := range c.Places {
				if c.Places[i].Of == side {
					c.Places[i].Of = to
				}
			}
		})...)
	}
	return list
}

func (p *Plan) kindOptions() []Option {
	if p.By == "funder_types" || !p.ofGrants() || len(p.Funders) > 0 {
		return nil
	}
	list := p.option("All funders", len(p.FunderTypes) == 0, func(c *Plan) { *c = *c.without("funder_types") })
	for _, k := range grant.FunderKinds() {
		list = append(list, p.option(capital(grant.KindPlural(k)), slices.Equal(p.FunderTypes, []string{k}), func(c *Plan) { c.FunderTypes = []string{k} })...)
	}
	return list
}
