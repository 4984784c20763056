package ask

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/grant"
)

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
