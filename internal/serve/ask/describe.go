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

// and joins words into a list: "A, B and C".
func and(list []string) string { return joinWords(list, "and") }

func joinWords(list []string, word string) string {
	switch n := len(list); n {
	case 0:
		return ""
	case 1:
		return list[0]
	case 2:
		return list[0] + " " + word + " " + list[1]
	default:
		return strings.Join(list[:n-1], ", ") + " " + word + " " + list[n-1]
	}
}

// each writes the items of a list.
func each[T any](list []T, write func(T) string) (out []string) {
	for _, x := range list {
		out = append(out, write(x))
	}
	return out
}

func names(list []Party) []string { return each(list, func(o Party) string { return o.Name }) }

// inWords writes years for a sentence.
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

// amounts writes the limits on amounts in words.
func (p *Plan) amounts() string {
	switch {
	case p.MinAmount != nil && p.MaxAmount != nil && *p.MinAmount == *p.MaxAmount:
		return "exactly " + money.Dollars(*p.MinAmount)
	case p.MinAmount != nil && p.MaxAmount != nil:
		return money.Dollars(*p.MinAmount) + " to " + money.Dollars(*p.MaxAmount)
	case p.MinAmount != nil:
		if n := *p.MinAmount; n > 1 && (n-1)%100 == 0 {
			return "more than " + money.Dollars(n-1)
		}
		return "at least " + money.Dollars(*p.MinAmount)
	case p.MaxAmount != nil:
		if n := *p.MaxAmount; (n+1)%100 == 0 {
			return "less than " + money.Dollars(n+1)
		}
		return "at most " + money.Dollars(*p.MaxAmount)
	}
	return ""
}

func placeNames(list []Place, of string) (out []string) {
	for _, l := range list {
		if l.Of != of && of != "" {
			continue
		}
		name := cmp.Or(l.Name, l.Value)
		if l.Kind == "near" {
			name = fmt.Sprintf("within %d miles of ZIP code %s", cmp.Or(l.Miles, 25), l.Value)
		}
		out = append(out, name)
	}
	return out
}

func kindNames(list []string) []string { return each(list, grant.KindPlural) }

func supportNames(list []string) (out []string) {
	for _, id := range list {
		if s, ok := grant.ParseSupport(id); ok {
			out = append(out, strings.ToLower(s.Label()))
		}
	}
	return out
}

func causeNames(list []Cause) []string {
	return each(list, func(c Cause) string {
		if c.Name != "" {
			return c.Name
		}
		return causeName(c.Subject)
	})
}

func (p *Plan) yearNames() []string { return each(p.Years, Span.inWords) }

func subjects(list []Cause) []string { return each(list, func(c Cause) string { return c.Subject }) }

// describe writes the filters of a plan as the end of a sentence: "by A to B in
// Ohio for Education in 2022".
func (p *Plan) describe() string {
	b := []string{p.giver(), p.taker()}
	add := func(before, what, after string) {
		if what != "" {
			b = append(b, before+what+after)
		}
	}
	add("for ", joinWords(causeNames(p.Causes), "or"), "")
	add("with purposes that describe ", joinWords(supportNames(p.Support), "or"), "")
	add("that mention “", strings.Trim(p.Words, `"`), "”")
	add("of ", p.amounts(), "")
	years := "in fiscal year "
	if len(p.Years) > 1 || len(p.Years) == 1 && p.Years[0].From != p.Years[0].To {
		years = "in fiscal years "
	}
	add(years, and(p.yearNames()), "")
	for _, e := range []string{"daf", "individuals"} {
		if slices.Contains(p.Exclude, e) {
			add("without ", excludedWords[e], "")
		}
	}
	return strings.Join(slices.DeleteFunc(b, func(s string) bool { return s == "" }), " ")
}

// in writes the places of one side.
func (p *Plan) in(side string) string {
	list := placeNames(p.Places, side)
	if len(list) == 0 {
		return ""
	}
	if p.Places[0].Kind == "near" {
		return " " + joinWords(list, "or")
	}
	return " in " + joinWords(list, "or")
}

// giver writes who gives.
func (p *Plan) giver() string {
	from := p.in("funder")
	switch kinds := and(kindNames(p.FunderTypes)); {
	case len(p.Funders) > 0:
		return "by " + and(names(p.Funders)) + from
	case kinds != "":
		return "by " + kinds + from
	case from != "":
		return "by funders" + from
	}
	return ""
}

// taker writes who receives.
func (p *Plan) taker() string {
	to := p.in("recipient")
	switch {
	case len(p.Recipients) > 0:
		return "to " + and(names(p.Recipients)) + to
	case p.Only == "individuals":
		return "to individuals" + to
	case to != "":
		return "to recipients" + to
	case p.Abroad:
		return "to recipients abroad"
	}
	return ""
}

// spaced puts a space before a text, unless the text is empty.
func spaced(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

func roundHalf(v float64) float64 {
	if v < 0 {
		return float64(int64(v - 0.5))
	}
	return float64(int64(v + 0.5))
}
