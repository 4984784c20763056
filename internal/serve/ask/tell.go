package ask

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/table"
)

//go:embed answers.tsv
var answersText string

//go:embed columns.tsv
var columnsText string

// telling is a row of answers.tsv.
type telling struct {
	figures []string
	text    string
}

var answers = sync.OnceValue(func() map[string]telling {
	m := map[string]telling{}
	for _, r := range table.Read("answers.tsv", answersText, "key", "figures", "text") {
		m[r.Text("key")] = telling{r.Fields("figures"), r.Text("text")}
	}
	return m
})

// column is a row of columns.tsv: a column, and the fields of API rows that it
// shows.
type column struct {
	Column
	field string
}

var columns = sync.OnceValue(func() map[string]column {
	m := map[string]column{}
	for _, r := range table.Read("columns.tsv", columnsText, "name", "label", "unit", "field") {
		m[r.Text("name")] = column{Column{r.Text("name"), r.Text("label"), r.Text("unit")}, r.Text("field")}
	}
	return m
})

func columnsOf(names ...string) (list []Column) {
	for _, n := range names {
		list = append(list, columns()[n].Column)
	}
	return list
}

// list shows rows of the API in columns of columns.tsv.
func (r *run) list(rows any, most int, names ...string) {
	r.out.Columns = columnsOf(names...)
	v := reflect.ValueOf(rows)
	for i := range min(v.Len(), most) {
		cells := make([]any, len(names))
		for k, name := range names {
			cells[k] = cellOf(v.Index(i), name)
		}
		r.row(cells...)
	}
}

// individual stands for the name of a private person.
const individual = "An individual"

// cellOf is the cell of an API row in a column. Private persons are not named.
func cellOf(row reflect.Value, name string) any {
	c := columns()[name]
	person, _ := row.Addr().Interface().(interface{ Person() bool })
	hidden := person != nil && person.Person() && (name == "recipient" || name == "purpose")
	switch {
	case c.Unit == UnitParty && hidden:
		return Party{Name: individual}
	case hidden:
		return nil
	case c.Unit != UnitParty:
		return field(row, c.field)
	}
	if p := row.FieldByName("Party"); p.IsValid() {
		return p.Interface()
	}
	ein, name, _ := strings.Cut(c.field, ",")
	return Party{EIN: text(field(row, ein)), Name: orgname.Display(text(field(row, name)))}
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
		if v.IsValid() && v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		switch v = reflect.Indirect(v); {
		case !v.IsValid():
		case v.CanInt():
			return v.Int()
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
			return Written(v, columns()[name].Unit)
		}
		return text(known[name])
	})
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

// tell adds a row of answers.tsv to the answer: its figures that are known, and
// its sentence. What it learns from pairs stays known.
func (r *run) tell(key string, pairs ...any) {
	r.learn(pairs...)
	for _, name := range answers()[key].figures {
		if v, ok := float(r.known[name]); ok {
			r.figure(name, v, cmp.Or(columns()[name].Unit, UnitCount))
		}
	}
	r.say(r.known.fill(answers()[key].text))
}

func (r *run) learn(pairs ...any) {
	for i := 0; i < len(pairs); i += 2 {
		r.known[pairs[i].(string)] = pairs[i+1]
	}
}

func (r *run) say(text string) {
	if r.out.Answer != "" && text != "" {
		text = " " + text
	}
	r.out.Answer += text
}

// warn adds a caveat of answers.tsv.
func (r *run) warn(key string, pairs ...any) {
	r.learn(pairs...)
	r.caveat(r.known.fill(answers()["caveat_"+key].text))
}

func (r *run) figure(name string, v float64, unit string) {
	r.out.Figures = append(r.out.Figures, Figure{name, v, unit})
}

// row adds a row. Sentences may name the cells of the first row by their columns,
// and its first cell as "first".
func (r *run) row(cells ...any) {
	if len(r.out.Rows) == 0 {
		r.learn("first", text(cells[0]))
		for i, c := range r.out.Columns {
			r.learn(c.Name, cells[i])
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
