package ask

import (
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/grant"
)

// measureWords are the names of the measures for people to read.
var measureWords = map[string]string{
	"how_much": "How much", "how_many": "How many", "average": "Average grant", "median": "Median grant", "largest": "Largest grants",
	"smallest": "Smallest grants",
	"which":    "Ranking", "trend": "By year", "compare": "Comparison", "change": "Change between two years", "share": "Share", "exists": "Whether there is any",
	"similar": "Similar organizations", "cofunders": "Co-funders", "fact": "Fact", "screen": "Compliance check",
}

// Chips shows the plan part by part. Each chip offers other values and the plan
// without that part.
func (p *Plan) Chips() []Chip {
	var list []Chip
	add := func(field, label, value string, options ...Option) {
		c := Chip{Field: field, Label: label, Value: value, Options: options}
		if without := p.without(field); without.String() != p.String() {
			without.Part = slices.DeleteFunc(without.Part, func(f string) bool { return f == field })
			if without.Validate() == nil {
				c.Off = without.String()
			}
		}
		list = append(list, c)
	}
	// option is the plan with one change, if that plan can be run.
	option := func(label string, chosen bool, change func(c *Plan)) []Option {
		c := p.clone()
		change(c)
		if c.Validate() != nil {
			return nil
		}
		return []Option{{label, c.String(), chosen}}
	}
	var measures []Option
	for _, m := range []string{"how_much", "how_many", "average", "median", "largest", "smallest", "trend"} {
		if p.Of == "organizations" || p.Of == "awards" || slices.Contains([]string{"compare", "change", "share"}, p.Measure) {
			break
		}
		measures = append(measures, option(measureWords[m], m == p.Measure, func(c *Plan) {
			c.Measure, c.By, c.Part, c.Order, c.Least, c.Both = m, "", nil, "", false, false
			if m != p.Measure {
				c.Of = "grants"
			}
		})...)
	}
	if p.Of != "organizations" && p.Of != "awards" && p.Measure != "compare" {
		for _, of := range []string{"funders", "recipients", "causes", "states"} {
			measures = append(measures, option("Ranking of "+of, p.Measure == "which" && p.Of == of, func(c *Plan) {
				if c.Measure != "which" || c.Of != of {
					c.Measure, c.Of, c.By, c.Part, c.Figure, c.Both = "which", of, "", nil, "", false
				}
			})...)
		}
	}
	value := measureWords[p.Measure]
	switch {
	case p.Measure == "which", p.Measure == "how_many":
		value += " " + map[bool]string{true: "of "}[p.Measure == "which"] + strings.ReplaceAll(p.Of, "_", " ")
	case p.Measure == "fact":
		value = capital(strings.ReplaceAll(p.Fact, "_", " "))
	case p.Of == "awards":
		value += ", government awards"
	}
	if p.Figure != "" && p.Figure != "dollars" {
		value += ", " + figureNouns[p.Figure]
	}
	add("measure", "Asked for", value, measures...)
	if p.Level != "" {
		add("level", "Government", capital(p.Level))
	}
	if p.Measure == "which" && p.Order != "" {
		add("order", "Ranked by", strings.ReplaceAll(p.Order, "_", " "))
	}
	if p.Top != 0 {
		add("top", "Rows", strconv.Itoa(p.Top))
	}
	parties := func(field, label string, of []Party) {
		if len(of) == 0 {
			return
		}
		word := "and"
		if len(of) > 1 && !p.Both && p.By != field {
			word = "or"
		}
		var said []string
		for _, o := range of {
			said = append(said, o.Name+" ("+o.EIN[:2]+"-"+o.EIN[2:]+")")
		}
		add(field, label, joinWords(said, word))
	}
	parties("funders", "Funder", p.Funders)
	parties("recipients", "Recipient", p.Recipients)
	parties("organizations", "Organization", p.Organizations)
	for _, side := range []string{"funder", "recipient"} {
		if places := placeNames(p.Places, side); len(places) > 0 {
			label := "Recipients in"
			if side == "funder" {
				label = "Funders in"
			}
			if p.Of == "organizations" {
				label = "In"
			}
			var sides []Option
			if p.Of != "organizations" {
				for _, to := range []string{"recipient", "funder"} {
					sides = append(sides, option(capital(to)+"s in "+joinWords(places, "or"), to == side, func(c *Plan) {
						for i := range c.Places {
							if c.Places[i].Of == side {
								c.Places[i].Of = to
							}
						}
					})...)
				}
			}
			add("places", label, joinWords(places, "or"), sides...)
		}
	}
	if p.Abroad {
		add("abroad", "Recipients", "abroad")
	}
	if len(p.Causes) > 0 {
		add("causes", "Cause", joinWords(causeNames(p.Causes), "or"))
	}
	if p.Words != "" {
		add("words", "Words", strings.Trim(p.Words, `"`))
	}
	if len(p.Support) > 0 {
		add("support", "Support", joinWords(supportNames(p.Support), "or"))
	}
	var kinds []Option
	if p.By != "funder_types" && p.Of != "organizations" && p.Of != "awards" && len(p.Funders) == 0 {
		kinds = append(kinds, option("All funders", len(p.FunderTypes) == 0, func(c *Plan) {
			c.FunderTypes = nil
			c.Part = slices.DeleteFunc(c.Part, func(f string) bool { return f == "funder_types" })
		})...)
		for _, k := range grant.FunderKinds() {
			kinds = append(kinds, option(capital(kindNames([]string{k})[0]), slices.Equal(p.FunderTypes, []string{k}), func(c *Plan) { c.FunderTypes = []string{k} })...)
		}
	}
	switch {
	case len(p.FunderTypes) > 0:
		add("funder_types", "Kind of funder", and(kindNames(p.FunderTypes)), kinds...)
	case len(kinds) > 1 && p.Of == "funders":
		add("funder_types", "Kind of funder", "all", kinds...)
	}
	if a := p.amounts(); a != "" {
		add("amounts", "Amount", a)
	}
	if len(p.Years) > 0 {
		var years []string
		for _, s := range p.Years {
			years = append(years, s.inWords())
		}
		add("years", "Fiscal year", and(years))
	}
	if p.Only != "" {
		add("only", "Only", strings.ReplaceAll(p.Only, "_", " "))
	}
	if len(p.Exclude) > 0 {
		var out []string
		for _, e := range p.Exclude {
			out = append(out, map[string]string{"daf": "donor-advised funds", "individuals": "individuals", "related_party": "related parties"}[e])
		}
		add("exclude", "Without", and(out))
	}
	return list
}
