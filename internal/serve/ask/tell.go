package ask

import (
	"cmp"
	"embed"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/table"
)

// columnsOf are columns of columns.tsv.
func columnsOf(names ...string) (list []Column) {
	for _, n := range names {
		list = append(list, Column{n, columns[n].Text("label"), columns[n].Text("unit")})
	}
	return list
}

// individual stands for the name of a private person.
const individual = "An individual"

// cells are the cells of an API row in columns of columns.tsv. Private persons are
// not named.
func cells(row reflect.Value, names []string) (list []any) {
	person, _ := row.Addr().Interface().(interface{ Person() bool })
	for _, name := range names {
		of := columns[name].Text("field")
		first, second, party := strings.Cut(of, ",")
		switch hidden := person != nil && person.Person() && (name == "recipient" || name == "purpose"); {
		case party && hidden:
			list = append(list, Party{Name: individual})
		case hidden:
			list = append(list, nil)
		case name == "agency":
			list = append(list, orgname.Display(text(field(row, of))))
		case party:
			list = append(list, Party{EIN: text(field(row, first)), Name: orgname.Display(text(field(row, second)))})
		default:
			list = append(list, field(row, of))
		}
	}
	return list
}

// field is the first of some fields that a row has: a number, a text or nil.
func field(row reflect.Value, paths string) any {
	for path := range strings.SplitSeq(paths, "|") {
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
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
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

func unitOf(column string) string {
	if c, ok := columns[column]; ok {
		return c.Text("unit")
	}
	return UnitCount
}

func (r *run) learn(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		r.known[pairs[i].(string)] = pairs[i+1]
	}
}

// tell adds a row of answers.tsv to the answer: its figures that are known, and
// its sentence. What it learns from pairs stays known.
func (r *run) tell(key string, pairs ...any) {
	r.learn(pairs...)
	row := answers[r.known.fill(key)]
	for _, name := range row.Fields("figures") {
		name, from, _ := strings.Cut(r.known.fill(name), "=")
		if v, ok := float(r.known[cmp.Or(from, name)]); ok {
			r.figure(name, v, unitOf(name))
		}
	}
	r.say(row.Text("text"))
}

// say adds a sentence to the answer.
func (r *run) say(sentence string) {
	r.out.Answer = strings.TrimSpace(r.out.Answer + " " + r.known.fill(sentence))
}

// warn adds a caveat of answers.tsv.
func (r *run) warn(key string, pairs ...any) {
	r.learn(pairs...)
	r.caveat(r.known.fill(answers["caveat_"+key].Text("text")))
}

func (r *run) caveat(text string) {
	if text != "" && len(r.out.Caveats) < 8 {
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

//go:embed answers.tsv columns.tsv facts.tsv figures.tsv groups.tsv kinds.tsv labels.tsv parts.tsv
var files embed.FS

// The tables behind answers, by the cells of their first column. The head of each
// file says what it holds.
var (
	kinds   = byFirst(read("kinds.tsv", "kind", "run", "request", "rows", "columns", "chart", "orders", "say", "none", "warn"))
	answers = byFirst(read("answers.tsv", "key", "figures", "text"))
	columns = byFirst(read("columns.tsv", "name", "label", "unit", "field"))
	facts   = byFirst(read("facts.tsv", "fact", "unit", "field", "noun", "text"))
	figures = byFirst(read("figures.tsv", "figure", "noun", "start", "column"))
	groups  = byFirst(read("groups.tsv", "of", "by", "one", "several", "count"))
	labels  = byFirst(read("labels.tsv", "word", "label"))
)

var _, planParts = read("parts.tsv", "field", "side", "label", "phrase")

func read(file string, columns ...string) (first string, rows []table.Row) {
	text, err := files.ReadFile(file)
	if err != nil {
		panic(err) // a file that is not embedded
	}
	return columns[0], table.Read(file, string(text), columns...)
}

func byFirst(first string, rows []table.Row) map[string]table.Row {
	m := map[string]table.Row{}
	for _, r := range rows {
		m[r.Text(first)] = r
	}
	return m
}

// FigureName is what people call a figure.
func FigureName(name string) string {
	if c, ok := columns[name]; ok {
		return c.Text("label")
	}
	return capital(label("figure", name))
}

// label is what a word of a plan is called; words that are in no table are called
// by themselves.
func label(field, word string) string {
	if r, ok := labels[strings.TrimSpace(field+" "+word)]; ok {
		return r.Text("label")
	}
	return strings.ReplaceAll(word, "_", " ")
}
