package ask

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api/profiles"
)

// columnsOf are columns of columns.tsv.
func columnsOf(names ...string) []Column {
	return each(names, func(n string) Column { return Column{n, columns.text(n, "label"), columns.text(n, "unit")} })
}

// individual stands for the name of a private person.
const individual = "An individual"

// cells are the cells of an API row in columns of columns.tsv. Private persons are not named.
func cells(row reflect.Value, names []string) (list []any) {
	person, _ := row.Addr().Interface().(interface{ Person() bool })
	for _, name := range names {
		of := columns.text(name, "field")
		cell := field(row, of)
		if id, called, party := strings.Cut(of, ","); party {
			cell = Party{EIN: text(field(row, id)), Name: orgname.Display(text(field(row, called)))}
		}
		if person != nil && person.Person() {
			switch name {
			case "recipient":
				cell = Party{Name: individual}
			case "purpose":
				cell = nil
			}
		}
		list = append(list, cell)
	}
	return list
}

// field is the first of some fields that a row has: a number, a text or nil. Where 1 is the last of them, any other row counts as
// one. A+B is a name in capitals as people write it, with what follows it: a city and its state. Both must be there.
func field(row reflect.Value, paths string) any {
	if first, second, joined := strings.Cut(paths, "+"); joined {
		name, more := orgname.Display(text(field(row, first))), text(field(row, second))
		if second == "" && name != "" {
			return name
		} else if name == "" || more == "" {
			return nil
		}
		return name + ", " + more
	}
	for path := range strings.SplitSeq(paths, "|") {
		if path == "1" {
			return int64(1)
		}
		v := row
		for name := range strings.SplitSeq(path, ".") {
			if v = reflect.Indirect(v); v.IsValid() {
				v = v.FieldByName(name)
			}
		}
		switch v = reflect.Indirect(v); {
		case !v.IsValid():
		case v.CanInt():
			return v.Int()
		case v.CanFloat():
			return v.Float()
		case v.String() != "":
			return v.String()
		}
	}
	return nil
}

// text writes what a sentence or a chart calls a cell.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case Party:
		return x.Name
	}
	return fmt.Sprint(v)
}

func float(v any) (float64, bool) {
	if n := reflect.ValueOf(v); n.CanInt() {
		return float64(n.Int()), true
	}
	f, ok := v.(float64)
	return f, ok
}

// facing are the values that sentences may name.
type facing map[string]any

var gaps = regexp.MustCompile(`\{[^}]*\}`)

// fill fills values into a sentence.
func (known facing) fill(sentence string) string {
	return gaps.ReplaceAllStringFunc(sentence, func(gap string) string {
		name, nouns, count := strings.Cut(gap[1:len(gap)-1], "|")
		v, number := float(known[name])
		switch {
		case count:
			one, several, _ := strings.Cut(nouns, "|")
			return plural.Count(int64(v), one, several)
		case number:
			return Written(v, unitOf(name))
		case known[name] == Party{Name: individual}:
			return strings.ToLower(individual)
		}
		return text(known[name])
	})
}

func unitOf(column string) string { return cmp.Or(columns.text(column, "unit"), UnitCount) }

func (r *run) learn(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		r.known[pairs[i].(string)] = pairs[i+1]
	}
}

// tell adds a row of answers.tsv to the answer: its figures that are known, and
// its sentence. What it learns from pairs stays known.
func (r *run) tell(key string, pairs ...any) {
	r.learn(pairs...)
	key = r.known.fill(key)
	for name := range strings.FieldsSeq(answers.text(key, "figures")) {
		name, from, _ := strings.Cut(r.known.fill(name), "=")
		if v, ok := float(r.known[cmp.Or(from, name)]); ok {
			r.figure(name, v, unitOf(name))
		}
	}
	r.say(answers.text(key, "text"))
}

func (r *run) say(sentence string) {
	r.out.Answer = strings.TrimSpace(r.out.Answer + " " + r.known.fill(sentence))
}

// warn adds a caveat of answers.tsv, if there is one.
func (r *run) warn(key string, pairs ...any) {
	r.learn(pairs...)
	r.caveat(r.known.fill(answers.text("caveat_"+key, "text")))
}

// mostCaveats limits the caveats of an answer.
const mostCaveats = 8

func (r *run) caveat(text string) {
	if text != "" && len(r.out.Caveats) < mostCaveats {
		r.out.Caveats = addNew(r.out.Caveats, text)
	}
}

func (r *run) figure(name string, v float64, unit string) {
	r.out.Figures = append(r.out.Figures, Figure{name, v, unit})
}

// row adds a row. Sentences may name the cells of the first row by their columns,
// its first cell as "first" and its last as "value".
func (r *run) row(cells ...any) {
	if len(r.out.Rows) == 0 {
		r.learn("first", text(cells[0]))
		for i, c := range r.out.Columns {
			r.learn(c.Name, cells[i], "value", Cell(cells[i], c.Unit))
		}
	}
	r.out.Rows = append(r.out.Rows, cells)
}

// chart draws a column of the rows, if there are several.
func (r *run) chart(kind, title string, column int) {
	if len(r.out.Rows) < 2 {
		return
	}
	c := &Chart{Kind: kind, Title: title, Unit: r.out.Columns[column].Unit}
	for _, row := range r.out.Rows {
		v, _ := float(row[column])
		c.Labels, c.Values = append(c.Labels, text(row[0])), append(c.Values, int64(math.Round(v)))
	}
	r.out.Chart = c
}

// Cell writes a cell of a row that is not an organization.
func Cell(v any, unit string) string {
	if n, ok := float(v); ok {
		return Written(n, unit)
	}
	return text(v)
}

// Written writes a figure with its unit.
func Written(v float64, unit string) string {
	switch unit {
	case UnitDollars:
		return money.Dollars(int64(math.Round(v)))
	case UnitPercent:
		return strconv.FormatFloat(v, 'f', 1, 64) + "%"
	case UnitYear:
		return strconv.Itoa(int(v))
	}
	return money.Grouped(int64(math.Round(v)))
}

// FigureName is what people call a figure.
func FigureName(name string) string {
	return cmp.Or(columns.text(name, "label"), capital(label("figure", name)))
}

// label is what a word of a plan is called; words that are in no table are called by themselves.
func label(field, word string) string {
	switch field {
	case "support":
		s, _ := grant.ParseSupport(word)
		return strings.ToLower(s.Label())
	case "funder_types":
		return grant.KindPlural(word)
	}
	return cmp.Or(labels.text(strings.TrimSpace(field+" "+word), "label"), strings.ReplaceAll(word, "_", " "))
}

// fact answers one fact for each organization.
func (r *run) fact() {
	p, about := r.p, facts[r.p.Fact]
	unit, from := about.Text("unit"), about.Text("field")
	filed := strings.HasPrefix(from, "Financials")
	r.out.Columns = append(columnsOf("organization"), Column{p.Fact, capital(label("fact", p.Fact)), unit})
	if filed {
		r.out.Columns = append(r.out.Columns, columnsOf("fiscal_year")...)
	}
	if len(p.Years) == 1 {
		r.learn("when", " for fiscal year "+p.Years[0].inWords())
	}
	for _, o := range p.Organizations {
		core := r.profile(o)
		value := field(reflect.ValueOf(core), from)
		if p.Fact == "ein" {
			value = hyphenated(core.Organization.EIN)
		}
		row := []any{o, value, nil}[:len(r.out.Columns)]
		r.learn("name", o.Name, "noun", about.Text("noun"), "in", "", "fact", Cell(value, unit))
		if value != nil && filed {
			row[2] = int64(core.Financials.FiscalYear)
			r.learn("in", fmt.Sprintf(" in fiscal year %d", row[2]))
		}
		r.row(row...)
		if v, ok := value.(int64); ok {
			name := p.Fact
			if len(p.Organizations) > 1 {
				name = o.Name
			}
			r.figure(name, float64(v), unit)
		}
		if value == nil {
			r.tell("fact_unknown")
		} else {
			r.say(about.Text("text"))
		}
	}
}

// profile requests an organization and its figures: those of the year that the plan names, or else of the latest return.
func (r *run) profile(o Party) *client.ProfileCore {
	if len(r.p.Years) != 1 || r.p.Fact == "ein" {
		return &get[client.EssentialsAnswer](r, "/essentials/"+o.EIN, url.Values{}).ProfileCore
	}
	a := get[profiles.PremierAnswer](r, "/premier/"+o.EIN, url.Values{})
	core, y := a.ProfileCore, r.p.Years[0]
	core.Financials = nil
	for i := range a.FinancialsByYear {
		if f := &a.FinancialsByYear[i]; y == (Span{f.FiscalYear, f.FiscalYear}) {
			core.Financials = &f.ProfileFinancials
			break
		}
	}
	return &core
}

// awards adds up the awards of governments to an organization by year.
func (r *run) awards() {
	p := r.p
	if p.Measure == "how_many" && p.Level != "" {
		r.invalid("awards are counted over all levels of government")
	}
	a := get[profiles.FundingAnswer](r, "/gov-funding/"+p.Organizations[0].EIN, url.Values{"limit": {"25"}})
	var total, count int64
	r.out.Columns = columnsOf("fiscal_year", "total_amount")
	for i := range a.ByYear {
		y, dollars, known := &a.ByYear[i], int64(0), false
		for level, n := range map[string]*int64{"federal": y.FederalAmount, "state": y.StateAmount} {
			if !p.unasked(y.FiscalYear) && n != nil && (p.Level == "" || p.Level == level) {
				dollars, known = dollars+*n, true
			}
		}
		if known {
			total, count = total+dollars, count+y.AwardCount
			if r.row(int64(y.FiscalYear), dollars); p.Measure == "trend" {
				r.figure(strconv.Itoa(y.FiscalYear), float64(dollars), UnitDollars)
			}
		}
	}
	if len(p.Years) > 0 {
		r.learn("when", " in fiscal year "+p.Years[0].inWords())
	} else if p.Level == "" {
		count = a.Summary.AwardCount
	}
	r.chart("years", "Dollars by fiscal year of the government", 1)
	if len(r.out.Rows) == 0 || count == 0 {
		r.tell("awards_none")
		r.figure("total_amount", 0, UnitDollars)
		return
	}
	first, last := r.out.Rows[0], r.out.Rows[len(r.out.Rows)-1]
	r.tell("awards_"+p.Measure, "award_count", count, "total_amount", total, "a", Cell(first[1], UnitDollars), "from", text(first[0]),
		"b", Cell(last[1], UnitDollars), "to", text(last[0]))
}
