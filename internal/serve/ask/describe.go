package ask

import (
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

func names(list []Party) (out []string) {
	for _, o := range list {
		out = append(out, o.Name)
	}
	return out
}

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
		name := l.Name
		if name == "" {
			name = l.Value
		}
		if l.Kind == "near" {
			miles := l.Miles
			if miles == 0 {
				miles = 25
			}
			name = fmt.Sprintf("within %d miles of ZIP code %s", miles, l.Value)
		}
		out = append(out, name)
	}
	return out
}

func near(list []Place) bool { return len(list) > 0 && list[0].Kind == "near" }

// kindNames names the kinds of funders.
func kindNames(list []string) (out []string) {
	for _, k := range list {
		out = append(out, grant.KindPlural(k))
	}
	return out
}

func supportNames(list []string) (out []string) {
	for _, id := range list {
		if s, ok := grant.ParseSupport(id); ok {
			out = append(out, strings.ToLower(s.Label()))
		}
	}
	return out
}

func causeNames(list []Cause) (out []string) {
	for _, c := range list {
		if c.Name != "" {
			out = append(out, c.Name)
		} else {
			out = append(out, causeName(c.Subject))
		}
	}
	return out
}

// describe writes the filters of a plan as the end of a sentence: "by A to B in
// Ohio for Education in 2022".
func (p *Plan) describe() string {
	var b []string
	add := func(format string, args ...any) { b = append(b, fmt.Sprintf(format, args...)) }
	from, to := placeNames(p.Places, "funder"), placeNames(p.Places, "recipient")
	in := func(list []string) string {
		if near(p.Places) {
			return joinWords(list, "or")
		}
		return "in " + joinWords(list, "or")
	}
	switch kinds := kindNames(p.FunderTypes); {
	case len(p.Funders) > 0:
		add("by %s", and(names(p.Funders)))
		if len(from) > 0 {
			add("%s", in(from))
		}
	case len(kinds) > 0 && len(from) > 0:
		add("by %s %s", and(kinds), in(from))
	case len(kinds) > 0:
		add("by %s", and(kinds))
	case len(from) > 0:
		add("by funders %s", in(from))
	}
	switch {
	case len(p.Recipients) > 0:
		add("to %s", and(names(p.Recipients)))
		if len(to) > 0 {
			add("%s", in(to))
		}
	case p.Only == "individuals":
		add("to individuals")
		if len(to) > 0 {
			add("%s", in(to))
		}
	case len(to) > 0:
		add("to recipients %s", in(to))
	case p.Abroad:
		add("to recipients abroad")
	}
	if len(p.Causes) > 0 {
		add("for %s", joinWords(causeNames(p.Causes), "or"))
	}
	if len(p.Support) > 0 {
		add("with purposes that describe %s", joinWords(supportNames(p.Support), "or"))
	}
	if p.Words != "" {
		add("that mention %s", "“"+strings.Trim(p.Words, `"`)+"”")
	}
	if a := p.amounts(); a != "" {
		add("of %s", a)
	}
	if len(p.Years) > 0 {
		var years []string
		for _, s := range p.Years {
			years = append(years, s.inWords())
		}
		add("in fiscal year%s %s", map[bool]string{true: "s"}[len(years) > 1 || p.Years[0].From != p.Years[0].To], and(years))
	}
	if slices.Contains(p.Exclude, "daf") {
		add("without donor-advised funds")
	}
	if slices.Contains(p.Exclude, "individuals") {
		add("without individuals")
	}
	return strings.Join(b, " ")
}

// spaced puts a space before a text, unless the text is empty.
func spaced(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

// written writes a figure with its unit.
func written(v float64, unit string) string {
	switch unit {
	case UnitDollars:
		return money.Dollars(int64(roundHalf(v)))
	case UnitPercent:
		return strconv.FormatFloat(v, 'f', 1, 64) + "%"
	case UnitYear:
		return strconv.Itoa(int(v))
	}
	return money.Grouped(int64(roundHalf(v)))
}

func roundHalf(v float64) float64 {
	if v < 0 {
		return float64(int64(v - 0.5))
	}
	return float64(int64(v + 0.5))
}
