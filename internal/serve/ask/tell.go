package ask

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/money"
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

var columns = sync.OnceValue(func() map[string]Column {
	m := map[string]Column{}
	for _, r := range table.Read("columns.tsv", columnsText, "name", "label", "unit") {
		m[r.Text("name")] = Column{r.Text("name"), r.Text("label"), r.Text("unit")}
	}
	return m
})

func columnsOf(names ...string) (list []Column) {
	for _, n := range names {
		list = append(list, columns()[n])
	}
	return list
}

// facing are the values that sentences may name.
type facing map[string]any

var gaps = regexp.MustCompile(`\{[^}]*\}`)

// fill fills values into a sentence.
func (known facing) fill(text string) string {
	return gaps.ReplaceAllStringFunc(text, func(gap string) string {
		name, nouns, count := strings.Cut(gap[1:len(gap)-1], "|")
		v, number := float(known[name])
		switch {
		case count:
			one, several, _ := strings.Cut(nouns, "|")
			return plural.Count(int64(v), one, several)
		case number:
			return written(v, columns()[name].Unit)
		}
		return fmt.Sprint(known[name])
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
			unit := columns()[name].Unit
			if unit == "" {
				unit = UnitCount
			}
			r.figure(name, v, unit)
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

func (r *run) row(cells ...any) { r.out.Rows = append(r.out.Rows, cells) }

// chart draws a column of the rows, if there are several.
func (r *run) chart(kind, title string, column int) {
	if len(r.out.Rows) < 2 {
		return
	}
	c := &Chart{Kind: kind, Title: title, Unit: r.out.Columns[column].Unit}
	for _, row := range r.out.Rows {
		label := fmt.Sprint(row[0])
		if p, ok := row[0].(Party); ok {
			label = p.Name
		}
		v, _ := float(row[column])
		c.Labels, c.Values = append(c.Labels, label), append(c.Values, int64(roundHalf(v)))
	}
	r.out.Chart = c
}

// optional is what a pointer points to, or nil.
func optional[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
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
