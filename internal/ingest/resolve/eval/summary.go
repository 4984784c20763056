package eval

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/scorecard"
)

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

type Gate struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Bound float64 `json:"bound"`
	Upper bool    `json:"upper,omitempty"` // the bound is a maximum
	Skip  string  `json:"skip,omitempty"`  // why the gate cannot be judged
	Pass  bool    `json:"pass"`
}

func atLeast(name string, value, bound float64) Gate {
	return Gate{Name: name, Value: round(value), Bound: bound, Pass: value >= bound}
}

func atMost(name string, value, bound float64) Gate {
	return Gate{Name: name, Value: round(value), Bound: bound, Upper: true, Pass: value <= bound}
}

func (t *Tally) Summary() Summary {
	s := Summary{
		Lines: t.Lines, Present: t.Present, Linked: t.Linked, Coverage: round(t.Coverage()),
		Precision: round(t.All.Precision()), Recall: round(t.Recall()), ECE: round(t.Known.ExpectedError()), AllECE: round(t.Bins.ExpectedError()),
		RawPrecision: round(t.All.Raw()), RawRecall: round(t.RawRecall()),
		AllPrecision: round(t.strict()),
		Suspects:     t.All.Suspect, Brier: round(t.Brier()), LogLoss: round(t.LogLoss()),
		Blocking: round(scorecard.Share(t.Blocked, t.Present)), BlockingRest: round(scorecard.Share(t.UnnamedBlocked, t.Unnamed)),
		Dollars: round(scorecard.Share(t.LinkedDollars, t.Dollars)), ModelECE: round(t.Own.ExpectedError()),
	}
	for _, r := range t.Fired() {
		low, high := Wilson(r.Agree, r.N-r.Suspect)
		s.Rules = append(s.Rules, RuleFigures{Rule: r.Rule, N: r.N, Agree: r.Agree, Precision: round(r.Precision()),
			Low: round(low), High: round(high), Suspect: r.Suspect, Absent: r.Absent})
	}
	return s
}

// Summary computes the figures of labelled lines. The figures at the top level are those of covered states.
func (res *Result) Summary() Summary {
	s := res.Tally.Summary()
	covered, uncovered, all := res.Covered.mix(), res.Uncovered.mix(), res.Tally.mix()
	covered.Model.Smooth, covered.Model.Lines, covered.Model.Chance = round(res.smooth.Error), res.smooth.Answers, round(res.smooth.Chance)
	covered.Model.Low, covered.Model.High = round(res.smooth.Low), round(res.smooth.High)
	all.Precision, all.ECE = all.AllPrecision, all.AllECE
	s.Covered, s.Uncovered, s.All = &covered, &uncovered, &all
	s.Precision, s.Recall, s.ECE, s.ModelECE = covered.Precision, covered.Recall, covered.ECE, covered.ModelECE
	s.Model, s.Gates = res.Model, res.Gates
	s.MaskedFires = round(scorecard.Share(res.Masked.Linked, res.Masked.Lines))
	s.LeftOut, s.SetAside = res.Left.Lost(), res.SetAside
	return s
}

func round(f float64) float64 { return scorecard.Round(f, 5) }

//go:embed tables.md
var tablesText string

// tables are the pages: labelled lines, a world, the rankings and the hardness of a snapshot.
var tables = scorecard.Template("resolution", tablesText)

func (c *Count) Interval() string {
	low, high := Wilson(c.Agree, c.N-c.Suspect)
	return decimal(low) + " to " + decimal(high)
}

// Outside is how many lines have an organization that is not in the universe.
func (t *Tally) Outside() int { return t.Lines - t.Present }

func (*Tally) Claims() (list [10]string) {
	for i := range list {
		list[i] = fmt.Sprintf("%.1f to %.1f", float64(i)/10, float64(i+1)/10)
	}
	return list
}

type RuleCount struct {
	*Count
	Rule grant.Rule
}

func (r RuleCount) Constant() string {
	if r.Rule == grant.Model {
		return decimal(r.Sum/float64(max(r.N, 1))) + " (mean)"
	}
	return decimal(r.Rule.Prob())
}

// Fired are the rules that answered, in order of trust.
func (t *Tally) Fired() (list []RuleCount) {
	for _, r := range grant.Rules() {
		if c := &t.Rules[r]; c.N+c.Absent > 0 {
			list = append(list, RuleCount{c, r})
		}
	}
	return list
}

// SliceCount is the count of one kind of line, with the rule that is right least often.
type SliceCount struct {
	Slice
	Count
	Weakest string
}

// SliceCounts are the kinds of line that have at least the given number of answers.
func (t *Tally) SliceCounts(least int) (list []SliceCount) {
	for _, s := range t.slices() {
		all, worstHigh := SliceCount{Slice: s}, 2.0
		for _, r := range grant.Rules() {
			c := &t.Slices[s][r]
			all.N, all.Agree, all.Suspect = all.N+c.N, all.Agree+c.Agree, all.Suspect+c.Suspect
			if n := c.N - c.Suspect; n >= 10 {
				if _, high := Wilson(c.Agree, n); high < worstHigh {
					all.Weakest, worstHigh = fmt.Sprintf("`%s` %s of %s", r, count(c.Agree), count(n)), high
				}
			}
		}
		if all.N >= least {
			list = append(list, all)
		}
	}
	return list
}

func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 3, 64) }

func count(n int) string { return money.Grouped(int64(n)) }
