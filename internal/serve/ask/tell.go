package ask

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
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
// one. A+B is a name in capitals as people write it, with what follows it: a city and its state. Both must be there. A/B is a
// quotient.
func field(row reflect.Value, paths string) any {
	for path := range strings.SplitSeq(paths, "|") {
		if v := oneField(row, path); v != nil {
			return v
		}
	}
	return nil
}

func oneField(row reflect.Value, path string) any {
	if first, second, joined := strings.Cut(path, "+"); joined {
		name, more := orgname.Display(text(field(row, first))), text(field(row, second))
		if name == "" || more == "" && second != "" {
			return nil
		}
		return strings.TrimSuffix(name+", "+more, ", ")
	}
	if above, below, divided := strings.Cut(path, "/"); divided {
		n, _ := float(field(row, above))
		of, _ := float(field(row, below))
		return n / max(of, 1)
	}
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

// tell adds a row of sentences.tsv to the answer: its figures that are known, and
// its sentence. What it learns from pairs stays known.
func (r *run) tell(key string, pairs ...any) {
	r.learn(pairs...)
	key = r.known.fill(key)
	for name := range strings.FieldsSeq(sentences.text(key, "figures")) {
		name, from, _ := strings.Cut(r.known.fill(name), "=")
		if v, ok := float(r.known[cmp.Or(from, name)]); ok {
			r.figure(name, v, unitOf(name))
		}
	}
	r.say(sentences.text(key, "text"))
}

func (r *run) say(sentence string) {
	text := strings.ReplaceAll(r.known.fill(sentence), ",.", ".") // the last filter ends in a comma
	r.out.Answer = strings.TrimSpace(r.out.Answer + " " + text)
}

// qualify adds a sentence to the answer: if it tells of more dollars than the answer itself, in the same sentence as the figure.
func (r *run) qualify(sentence string, more bool) {
	if !more || r.headline == 0 || r.headline > len(r.out.Answer) {
		r.say(sentence)
		return
	}
	text := r.known.fill(sentence)
	head, rest := strings.TrimSuffix(r.out.Answer[:r.headline], "."), r.out.Answer[r.headline:]
	r.out.Answer = head + "; " + strings.ToLower(text[:1]) + text[1:] + rest
}

// warn adds a caveat of sentences.tsv, if there is one.
func (r *run) warn(key string, pairs ...any) {
	r.learn(pairs...)
	r.caveat(r.known.fill(sentences.text("caveat_"+key, "text")))
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

// chart draws the figure of the rows, if there are several.
func (r *run) chart(kind, title string) {
	if len(r.out.Rows) < 2 || kind == "" {
		return
	}
	c := &Chart{Kind: kind, Title: title, Unit: r.out.Columns[r.figured].Unit}
	for _, row := range r.out.Rows {
		v, _ := float(row[r.figured])
		c.Labels, c.Values = append(c.Labels, text(row[0])), append(c.Values, int64(math.Round(v)))
	}
	if r.kind.Text("rows") == "ByYear" {
		c.Partial = each(r.summed.ByYear, func(y client.Year) bool { return y.Partial })
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

func (c Cause) name() string { return cmp.Or(c.Name, ntee.SubjectName(c.Subject)) }

func (c Cause) subject() string { return c.Subject }

func (l Place) name() string {
	if l.Kind == "near" {
		return fmt.Sprintf("within %d miles of ZIP code %s", cmp.Or(l.Miles, 25), l.Value)
	}
	if name := cmp.Or(l.Name, l.Value); l.Kind != "country" || !is("article", strings.ReplaceAll(strings.ToLower(name), " ", "_")) {
		return name
	}
	return "the " + l.Name
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
	return strings.ReplaceAll(spaced(strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " ")), " ,", ",")
}

// given is what without kinds and places of funders, for a sentence that begins with the funders and who they are.
func (p *Plan) given() string {
	c := p.without("funder_types")
	c.Places = slices.DeleteFunc(slices.Clone(c.Places), func(l Place) bool { return l.Of == "funder" })
	return c.what()
}

// who says which funders are meant, behind the word: " that are private foundations in Ohio".
func (p *Plan) who() (text string) {
	if kinds := p.part("funder_types", ""); kinds != "" {
		text = " that are " + kinds
	}
	return text + spaced(p.in("funder"))
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
