package quality

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"grantgraph/internal/money"
)

// WriteTable writes the report as Markdown: a row for each variant, and the
// figures of the whole.
func (r *Report) WriteTable(w io.Writer) error {
	p := printer{w: w}
	p.line("| Variant | Names |%s", r.columns(func(m *Measure) string { return fmt.Sprintf(" Found at %.2f |", m.Threshold) }))
	p.line("|---|---:|%s", r.columns(func(*Measure) string { return "---:|" }))
	for _, v := range r.variants() {
		p.line("| `%s` | %s |%s", v, money.Grouped(int64(r.At[0].Asked[v])), r.columns(func(m *Measure) string { return fmt.Sprintf(" %.4f |", m.RecallOf(v)) }))
	}
	p.line("| **All variants** | %s |%s", money.Grouped(int64(r.Positives)), r.columns(func(m *Measure) string { return fmt.Sprintf(" %.4f |", m.Recall()) }))
	p.line("| False hits in a thousand names | %s |%s", money.Grouped(int64(r.Negatives)), r.columns(func(m *Measure) string { return fmt.Sprintf(" %.3f |", m.FalsePerThousand()) }))
	p.line("| Precision | |%s", r.columns(func(m *Measure) string { return fmt.Sprintf(" %.4f |", m.Precision()) }))
	p.line("| F1 | |%s", r.columns(func(m *Measure) string { return fmt.Sprintf(" %.4f |", m.F1()) }))
	return p.err
}

func (r *Report) columns(cell func(*Measure) string) (row string) {
	for i := range r.At {
		row += cell(&r.At[i])
	}
	return row
}

// variants are those that were asked for: those that Make makes in their order,
// then others by name.
func (r *Report) variants() []string {
	var others []string
	known := Variants()
	for v := range r.At[0].Asked {
		if !slices.Contains(known, v) {
			others = append(others, v)
		}
	}
	slices.Sort(others)
	known = slices.DeleteFunc(known, func(v string) bool { return r.At[0].Asked[v] == 0 })
	return append(known, others...)
}

// figures is a measure as JSON.
type figures struct {
	Recall           float64            `json:"recall"`
	RecallByVariant  map[string]float64 `json:"recall_by_variant"`
	FalsePerThousand float64            `json:"false_per_thousand"`
	F1               float64            `json:"f1"`
}

// WriteJSON writes the report as one line: an object with a member for each
// threshold.
func (r *Report) WriteJSON(w io.Writer) error {
	all := map[string]figures{}
	for i := range r.At {
		m := &r.At[i]
		f := figures{round(m.Recall()), map[string]float64{}, round(m.FalsePerThousand()), round(m.F1())}
		for v := range m.Asked {
			f.RecallByVariant[v] = round(m.RecallOf(v))
		}
		all[strconv.FormatFloat(m.Threshold, 'f', 2, 64)] = f
	}
	return json.NewEncoder(w).Encode(all)
}

// round keeps six places.
func round(f float64) float64 { return math.Round(f*1e6) / 1e6 }

// printer writes lines until one fails.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}
