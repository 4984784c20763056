package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The fiscal years that can be asked for.
const firstYear, lastYear = 1900, 2100

func yearFilters() []*Declaration {
	bounds := []float64{firstYear, lastYear}
	return []*Declaration{{
		Params: Documented(
			&Param{Name: "year", Type: TextParam, List: true, Example: "2017-2020"},
			&Param{Name: "min_year", Type: IntegerParam, Bounds: bounds},
			&Param{Name: "max_year", Type: IntegerParam, Bounds: bounds},
		),
		Read:      (*Reading).years,
		Write:     writeYears,
		On:        func(f *Filter) bool { return len(f.Years) > 0 },
		Take:      func(from, to *Filter) { to.Years = from.Years },
		Canonical: func(w *Name, f *Filter) { w.years(f.Years) },
		rows: func(g index, f *Filter) []condition {
			if c, ok := g.yearCond(f.Years); ok {
				return []condition{c}
			}
			return nil
		},
		SQL:    func(w *Where, f *Filter) { w.And("%s", yearsSQL(f.Years)) },
		Say:    sayYears,
		choice: chooseYear,
	}}
}

// nothingSpan is a span that no row has, for years that contradict each other.
var nothingSpan = Span{From: 1, To: 1}

func (r *Reading) years() {
	var spans []Span
	for i, item := range r.List("year") {
		if s, ok := r.span(i, item); ok {
			spans = append(spans, s)
		}
	}
	low, hasLow := r.Integer("min_year")
	high, hasHigh := r.Integer("max_year")
	if hasLow && hasHigh && low > high {
		r.Refuse("max_year", -1, "value_error", strconv.FormatInt(high, 10), map[string]any{"ge": low}, "the value is before min_year")
		return
	}
	name := "year"
	switch {
	case len(spans) == 0 && !hasLow && !hasHigh:
		return
	case len(spans) == 0:
		name = "min_year"
		if !hasLow {
			name = "max_year"
		}
		spans = []Span{{From: int(low), To: int(high)}}
	default:
		if !hasHigh {
			high = lastYear
		}
		for i := range spans {
			spans[i].From, spans[i].To = max(spans[i].From, int(low)), min(spans[i].To, int(high))
		}
		spans = slices.DeleteFunc(spans, func(s Span) bool { return s.From > s.To })
		if len(spans) == 0 {
			r.Caveat("year", "No fiscal year satisfies year together with min_year and max_year, so nothing matches.")
			r.Filter.Years = []Span{nothingSpan}
			return
		}
	}
	r.Filter.Years = joinSpans(spans)
	r.judgeYears(name)
}

func (r *Reading) span(i int, item string) (Span, bool) {
	from, to, ranged := strings.Cut(item, "-")
	a, okA := fiscalYear(from)
	b, okB := a, okA
	if ranged {
		b, okB = fiscalYear(to)
	}
	switch {
	case !okA || !okB:
		r.Refuse("year", i, "year_parsing", item, nil, "%q is not a fiscal year; write 2021, 2019,2021 or 2017-2020", clip(item))
		return Span{}, false
	case a > b:
		r.Refuse("year", i, "value_error", item, nil, "the range %s ends before it begins", clip(item))
		return Span{}, false
	}
	return Span{From: a, To: b}, true
}

func fiscalYear(s string) (int, bool) {
	s = strings.TrimSpace(s)
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), len(s) == 4 && err == nil && n >= firstYear && n <= lastYear
}

// joinSpans sorts closed spans and joins those that touch.
func joinSpans(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	joined := spans[:0]
	for _, s := range spans {
		if n := len(joined); n > 0 && (s.From <= joined[n-1].To || s.From-1 == joined[n-1].To) {
			joined[n-1].To = max(joined[n-1].To, s.To)
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// judgeYears tells which of the years asked for are partial or not in the data.
func (r *Reading) judgeYears(name string) {
	counts := &r.Manifest.Counts
	var partial []string
	for _, year := range counts.PartialFiscalYear {
		if slices.ContainsFunc(r.Filter.Years, func(s Span) bool { return s.overlaps(year, year) }) {
			partial = append(partial, strconv.Itoa(year))
		}
	}
	if len(partial) > 0 {
		subject := "Fiscal year " + partial[0] + " is partial and keeps"
		if len(partial) > 1 {
			subject = "Fiscal years " + strings.Join(partial, ", ") + " are partial and keep"
		}
		r.Caveat(name, "%s growing as returns are released; the last complete one is %d.", subject, counts.LastCompleteYear)
	}
	if !slices.ContainsFunc(r.Filter.Years, func(s Span) bool { return s.overlaps(counts.FirstFiscalYear, counts.LastFiscalYear) }) {
		r.Caveat(name, "The data covers fiscal years %d to %d, so nothing matches.", counts.FirstFiscalYear, counts.LastFiscalYear)
	}
}

func (s Span) overlaps(first, last int) bool { return s.From <= last && (s.To == 0 || s.To >= first) }

// spanForms say a span: one year, up to a year, from a year on, and between two.
type spanForms [4]string

func (forms spanForms) of(spans []Span) (said []string) {
	for _, s := range spans {
		switch {
		case s.From == s.To:
			said = append(said, fmt.Sprintf(forms[0], s.From))
		case s.From == 0:
			said = append(said, fmt.Sprintf(forms[1], s.To))
		case s.To == 0:
			said = append(said, fmt.Sprintf(forms[2], s.From))
		default:
			said = append(said, fmt.Sprintf(forms[3], s.From, s.To))
		}
	}
	return said
}

func writeYears(f *Filter, set func(name, value string)) {
	switch s := f.Years[0]; {
	case s == nothingSpan:
		set("year", strconv.Itoa(firstYear))
		set("min_year", strconv.Itoa(firstYear+1))
	case s.To == 0:
		set("min_year", strconv.Itoa(s.From))
	case s.From == 0:
		set("max_year", strconv.Itoa(s.To))
	default:
		set("year", strings.Join(spanForms{"%d", "", "", "%d-%d"}.of(f.Years), ","))
	}
}

func yearsSQL(spans []Span) string {
	parts := spanForms{"tax_year = %d", "tax_year <= %d", "tax_year >= %d", "tax_year BETWEEN %d AND %d"}.of(spans)
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}

func sayYears(w *Words, f *Filter) {
	said := spanForms{"%d", "up to %d", "from %d on", "%d–%d"}.of(f.Years)
	text := "fiscal years " + strings.Join(said, ", ")
	if y := f.Years; len(y) == 1 && y[0].From == y[0].To {
		text = "fiscal year " + said[0]
	}
	w.Chip(UpperFirst(text), func(f *Filter) { f.Years = nil })
	w.Phrase("in " + text)
}
