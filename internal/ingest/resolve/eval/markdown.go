package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/money"
)

// Summary is the result as one line of JSON.
type Summary struct {
	Lines        int     `json:"lines"`
	LeftOut      int64   `json:"left_out,omitempty"` // rows of the file without a usable label
	Present      int     `json:"present"`
	Linked       int     `json:"linked"`
	Coverage     float64 `json:"coverage"`
	Precision    float64 `json:"precision"`
	Recall       float64 `json:"recall"`
	ECE          float64 `json:"ece"`
	RawPrecision float64 `json:"raw_precision"`
	RawRecall    float64 `json:"raw_recall"`
	AllECE       float64 `json:"all_ece"`       // same meaning as the next field
	AllPrecision float64 `json:"all_precision"` // including answers for organizations outside the universe
	Suspects     int     `json:"suspects"`
	Brier        float64 `json:"brier"`
	LogLoss      float64 `json:"log_loss"`
	Blocking     float64 `json:"blocking_recall"`
	BlockingRest float64 `json:"blocking_recall_not_name"`
	Dollars      float64 `json:"dollars_linked"`
	MaskedFires  float64 `json:"masked_false_fires"`
	Model        string  `json:"model,omitempty"`
	ModelECE     float64 `json:"model_ece"` // the model's answers only; every answer other than the label counts as wrong

	// Labelled lines by whether their state's register was loaded. The figures above then cover loaded states only,
	// except for the counts of rows and rules.
	SetAside  int  `json:"set_aside,omitempty"` // labels of filers that put one EIN on many unrelated names
	Covered   *Mix `json:"covered,omitempty"`
	Uncovered *Mix `json:"uncovered,omitempty"`
	All       *Mix `json:"all,omitempty"`

	Rules Rules  `json:"rules"`
	Gates []Gate `json:"gates,omitempty"`
}

// Rules are the figures of each rule that fired, in order of trust.
type Rules []RuleFigures

// RuleFigures is how often one rule was right, ignoring suspect labels.
type RuleFigures struct {
	Rule      grant.Rule `json:"-"`
	N         int        `json:"n"`
	Agree     int        `json:"agree"`
	Precision float64    `json:"precision"`
	Low       float64    `json:"wilson_lo"`
	High      float64    `json:"wilson_hi"`
	Suspect   int        `json:"suspect"`
	Absent    int        `json:"absent"`
}

// MarshalJSON writes an object keyed by the rules' names, in order of trust.
func (r Rules) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range r {
		if i > 0 {
			b.WriteByte(',')
		}
		body, err := json.Marshal(f)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", f.Rule, body)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// Gate is one bound that a build must meet.
type Gate struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Bound float64 `json:"bound"`
	Upper bool    `json:"upper,omitempty"` // the bound is a maximum
	Skip  string  `json:"skip,omitempty"`  // why the gate cannot be judged
	Pass  bool    `json:"pass"`
}

// atLeast makes a gate with a minimum, atMost a gate with a maximum.
func atLeast(name string, value, bound float64) Gate {
	return Gate{Name: name, Value: round(value), Bound: bound, Pass: value >= bound}
}

func atMost(name string, value, bound float64) Gate {
	return Gate{Name: name, Value: round(value), Bound: bound, Upper: true, Pass: value <= bound}
}

// Summary computes the figures.
func (t *Tally) Summary() Summary {
	s := Summary{
		Lines: t.Lines, Present: t.Present, Linked: t.Linked, Coverage: round(t.Coverage()),
		Precision: round(t.All.Precision()), Recall: round(t.Recall()), ECE: round(t.Known.ExpectedError()), AllECE: round(t.Bins.ExpectedError()),
		RawPrecision: round(t.All.Raw()), RawRecall: round(t.RawRecall()),
		AllPrecision: round(t.strict()),
		Suspects:     t.All.Suspect, Brier: round(t.Brier()), LogLoss: round(t.LogLoss()),
		Blocking: round(share(t.Blocked, t.Present)), BlockingRest: round(share(t.UnnamedBlocked, t.Unnamed)),
		Dollars: round(share(t.LinkedDollars, t.Dollars)), ModelECE: round(t.Own.ExpectedError()),
	}
	for _, r := range grant.Rules() {
		c := &t.Rules[r]
		if c.N+c.Absent == 0 {
			continue
		}
		low, high := Wilson(c.Agree, c.N-c.Suspect)
		s.Rules = append(s.Rules, RuleFigures{Rule: r, N: c.N, Agree: c.Agree, Precision: round(c.Precision()),
			Low: round(low), High: round(high), Suspect: c.Suspect, Absent: c.Absent})
	}
	return s
}

// Summary computes the figures of labelled lines. The figures at the top level are those of covered states.
func (res *Result) Summary() Summary {
	s := res.Tally.Summary()
	covered, uncovered, all := res.Covered.mix(), res.Uncovered.mix(), res.Tally.mix()
	covered.Model.Drawn, covered.Model.DrawnN = round(res.drawn.ExpectedError()), int(res.drawn.Weight)
	all.Precision, all.ECE = all.AllPrecision, all.AllECE
	s.Covered, s.Uncovered, s.All = &covered, &uncovered, &all
	s.Precision, s.Recall, s.ECE, s.ModelECE = covered.Precision, covered.Recall, covered.ECE, covered.ModelECE
	s.Model, s.Gates = res.Model, res.Gates
	s.MaskedFires = round(share(res.Masked.Linked, res.Masked.Lines))
	s.LeftOut, s.SetAside = res.Left.Lost(), res.SetAside
	return s
}

// writeJSON writes one line.
func writeJSON(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(body, '\n'))
	return err
}

func round(f float64) float64 { return math.Round(f*1e5) / 1e5 }

// Markdown writes the tables.
func (t *Tally) Markdown(w io.Writer) {
	row(w, "Lines", "", "")
	row(w, "---", "---:", "---:")
	row(w, "with a label", count(t.Lines), "")
	row(w, "organization in the universe", count(t.Present), percent(t.Coverage()))
	row(w, "of those, found", count(t.All.Agree), percent(t.RawRecall()))
	row(w, "of those, found (suspects set aside)", "", percent(t.Recall()))
	row(w, "of those, label without a word of the line", count(t.Strange), percent(share(t.Strange, t.Present)))
	row(w, "answers for organizations in the universe", count(t.All.N), "")
	row(w, "of those, right", count(t.All.Agree), percent(t.All.Raw()))
	row(w, "of those, label suspect", count(t.All.Suspect), "")
	row(w, "of those, right (suspects set aside)", "", percent(t.All.Precision()))
	row(w, "answers for organizations outside the universe", count(t.All.Absent), percent(share(t.All.Absent, t.Lines-t.Present)))
	if t.Blocked > 0 {
		row(w, "candidates hold the organization", count(t.Blocked), percent(share(t.Blocked, t.Present)))
		row(w, "the same where no exact name decides", count(t.UnnamedBlocked), percent(share(t.UnnamedBlocked, t.Unnamed)))
	}
	if t.Dollars > 0 {
		row(w, "dollars linked", "", percent(share(t.LinkedDollars, t.Dollars)))
	}
	fmt.Fprintln(w)
	t.rules(w)
	t.reliability(w)
}

func (t *Tally) rules(w io.Writer) {
	row(w, "Rule", "answers", "right", "suspect label", "precision", "Wilson 95 %", "constant", "outside the universe")
	row(w, "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:")
	line := func(name string, c *Count, constant string) {
		low, high := Wilson(c.Agree, c.N-c.Suspect)
		row(w, name, count(c.N), count(c.Agree), count(c.Suspect), decimal(c.Precision()), decimal(low)+" to "+decimal(high), constant, count(c.Absent))
	}
	for _, r := range grant.Rules() {
		if c := &t.Rules[r]; c.N+c.Absent > 0 {
			constant := decimal(r.Prob())
			if r == grant.Model {
				constant = decimal(c.Sum/float64(max(c.N, 1))) + " (mean)"
			}
			line("`"+r.String()+"`", c, constant)
		}
	}
	line("all", &t.All, "")
	fmt.Fprintln(w)
}

func (t *Tally) reliability(w io.Writer) {
	row(w, "Claimed", "answers", "mean claimed", "right", "of the model", "mean claimed", "right")
	row(w, "---", "---:", "---:", "---:", "---:", "---:", "---:")
	for i := range t.Bins.Tenths {
		a, b := &t.Bins.Tenths[i], &t.Own.Tenths[i]
		if a.Weight == 0 {
			continue
		}
		cells := []string{fmt.Sprintf("%.1f to %.1f", float64(i)/10, float64(i+1)/10), count(int(a.Weight)), decimal(a.Claimed / a.Weight),
			decimal(a.Right / a.Weight), "", "", ""}
		if b.Weight > 0 {
			cells[4], cells[5], cells[6] = count(int(b.Weight)), decimal(b.Claimed/b.Weight), decimal(b.Right/b.Weight)
		}
		row(w, cells...)
	}
	fmt.Fprintf(w, "\nExpected calibration error %s (where the organization is in the universe %s, model alone %s), Brier score %s, log loss %s.\n\n",
		decimal(t.Bins.ExpectedError()), decimal(t.Known.ExpectedError()), decimal(t.Own.ExpectedError()), decimal(t.Brier()), decimal(t.LogLoss()))
}

// SlicesMarkdown writes the precision of every kind of line that has at least the given number of answers.
func (t *Tally) SlicesMarkdown(w io.Writer, least int) {
	row(w, "Lines by", "value", "answers", "right", "suspect label", "precision", "Wilson 95 %", "weakest rule")
	row(w, "---", "---", "---:", "---:", "---:", "---:", "---:", "---")
	for _, s := range t.slices() {
		by := t.Slices[s]
		var all Count
		worst, worstHigh := "", 2.0
		for _, r := range grant.Rules() {
			c := &by[r]
			all.N, all.Agree, all.Suspect = all.N+c.N, all.Agree+c.Agree, all.Suspect+c.Suspect
			if n := c.N - c.Suspect; n >= 10 {
				if _, high := Wilson(c.Agree, n); high < worstHigh {
					worst, worstHigh = fmt.Sprintf("`%s` %s of %s", r, count(c.Agree), count(n)), high
				}
			}
		}
		if all.N < least {
			continue
		}
		low, high := Wilson(all.Agree, all.N-all.Suspect)
		row(w, s.Kind, s.Value, count(all.N), count(all.Agree), count(all.Suspect), decimal(all.Precision()), decimal(low)+" to "+decimal(high), worst)
	}
	fmt.Fprintln(w)
}

// GatesMarkdown writes the gates with their verdicts.
func GatesMarkdown(w io.Writer, gates []Gate) {
	row(w, "Gate", "value", "bound", "")
	row(w, "---", "---:", "---:", "---")
	for _, g := range gates {
		bound, verdict := "≥ "+decimal(g.Bound), "pass"
		if g.Upper {
			bound = "≤ " + decimal(g.Bound)
		}
		switch {
		case g.Skip != "":
			verdict = "not judged: " + g.Skip
		case !g.Pass:
			verdict = "**fail**"
		}
		row(w, g.Name, decimal(g.Value), bound, verdict)
	}
	fmt.Fprintln(w)
}

func row(w io.Writer, cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", "\\|")
	}
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 3, 64) }

func percent(f float64) string { return strconv.FormatFloat(100*f, 'f', 1, 64) + " %" }

// count writes n with separators between thousands.
func count(n int) string { return money.Grouped(int64(n)) }
