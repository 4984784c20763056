package quality

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/money"
)

// WriteTable writes the report as Markdown: a row for each variant, and the figures of the
// whole.
func (r *Report) WriteTable(w io.Writer) error {
	p := printer{w: w}
	row := func(name, names, format string, figure func(*Measure) float64) {
		for i := range r.At {
			names += fmt.Sprintf(format, figure(&r.At[i]))
		}
		p.line("| %s |%s", name, names)
	}
	row("Variant", " Names |", " Found at %.2f |", func(m *Measure) float64 { return m.Threshold })
	p.line("|---|---:|%s", strings.Repeat("---:|", len(r.At)))
	count := func(n int) string { return " " + money.Grouped(int64(n)) + " |" }
	for _, v := range r.variants() {
		row("`"+v+"`", count(r.At[0].Asked[v]), " %.4f |", func(m *Measure) float64 { return m.RecallOf(v) })
	}
	row("**All variants**", count(r.Positives), " %.4f |", (*Measure).Recall)
	row("False hits in a thousand names", count(r.Negatives), " %.3f |", (*Measure).FalsePerThousand)
	row("Precision", " |", " %.4f |", (*Measure).Precision)
	row("F1", " |", " %.4f |", (*Measure).F1)
	return p.err
}

// variants returns the variants that were asked for: those that Make makes, in their order,
// and then others by name.
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
