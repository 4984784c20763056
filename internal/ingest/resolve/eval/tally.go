package eval

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/calibration"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/money"
	"grantgraph/internal/scorecard"
)

type Verdict uint8

const (
	Silent  Verdict = iota // no EIN was given
	Right                  // the EIN is the label's
	Wrong                  // the EIN is another one
	Suspect                // it differs from the label, and the label looks wrong
)

type Outcome struct {
	Rule    grant.Rule
	Prob    float64
	Verdict Verdict
	Present bool // the organization is in the universe, so it could be found
	Covered bool // the register of the line's state was loaded
	Blocked bool // the organization is among the model's candidates
	Strange bool // no registered name of the labelled organization shares a word with the line
	Class   string
	Amount  int64
	Slices  []Slice

	Standing resolve.Standing // of the labelled organization, if another answer or none was given
}

// Slice is a kind of line: a state, a year, a length of name.
type Slice struct{ Kind, Value string }

type Count struct {
	N       int     `json:"n"`         // answers for organizations that could be found
	Agree   int     `json:"agree"`     // of them, right
	Suspect int     `json:"suspect"`   // of them, set aside because the label looks wrong
	Absent  int     `json:"absent"`    // answers for organizations that could not be found: all wrong
	Dollars int64   `json:"dollars"`   // paid by the lines of N
	AgreeUS int64   `json:"agree_usd"` // paid by the lines of Agree
	Sum     float64 `json:"-"`         // of the probabilities claimed
}

// Precision is the share of answers that are right, ignoring suspect labels.
func (c *Count) Precision() float64 { return scorecard.Share(c.Agree, c.N-c.Suspect) }

// Raw is the share of answers that agree with the label, including suspect labels.
func (c *Count) Raw() float64 { return scorecard.Share(c.Agree, c.N) }

func (c *Count) add(o *Outcome) {
	if !o.Present {
		c.Absent++
		return
	}
	c.N++
	c.Sum += o.Prob
	c.Dollars += o.Amount
	switch o.Verdict {
	case Right:
		c.Agree++
		c.AgreeUS += o.Amount
	case Suspect:
		c.Suspect++
	}
}

type Tally struct {
	Lines   int // lines with a label
	Present int // of them, with an organization that could be found
	Strange int // of those, with a label that shares no word with the line
	Linked  int // lines that got an EIN
	Dollars, LinkedDollars,
	PresentDollars, FoundDollars int64

	Blocked, Unnamed, UnnamedBlocked int // lines whose organization is a candidate: of all lines present, and of those no exact name decides

	Missed [resolve.Unsure + 1]Miss // lines present without a right answer, by cause

	All    Count
	Rules  [grant.Model + 1]Count
	Slices map[Slice]*[grant.Model + 1]Count
	Bins   calibration.Bins // by claimed probability, all answers
	Own    calibration.Bins // the model's answers only
	Known  calibration.Bins // answers whose organization is in the universe
	OwnIn  calibration.Bins // the model's answers whose organization is in the universe

	squares, loss float64
	top           float64 // highest probability the model claimed
}

// Miss counts lines whose organization was not found for one reason.
type Miss struct{ Lines, Strange, Silent int }

func (*Tally) Why(cause int) resolve.Standing { return resolve.Standing(cause) }

func NewTally() *Tally { return &Tally{Slices: map[Slice]*[grant.Model + 1]Count{}} }

func (t *Tally) Add(o *Outcome) {
	t.Lines++
	t.Dollars += o.Amount
	if o.Present {
		t.Present++
		t.PresentDollars += o.Amount
		t.Strange += oneIf(o.Strange)
		t.Blocked += oneIf(o.Blocked)
		t.Unnamed += oneIf(o.Rule != grant.Name)
		t.UnnamedBlocked += oneIf(o.Rule != grant.Name && o.Blocked)
		if o.Verdict == Right {
			t.FoundDollars += o.Amount
		} else if o.Verdict != Suspect {
			m := &t.Missed[o.Standing]
			m.Lines, m.Strange, m.Silent = m.Lines+1, m.Strange+oneIf(o.Strange), m.Silent+oneIf(o.Verdict == Silent)
		}
	}
	if o.Verdict == Silent {
		return
	}
	if o.Rule == grant.Model {
		t.top = max(t.top, o.Prob)
	}
	t.Linked++
	t.LinkedDollars += o.Amount
	t.All.add(o)
	t.Rules[o.Rule].add(o)
	for _, s := range o.Slices {
		by := t.Slices[s]
		if by == nil {
			by = new([grant.Model + 1]Count)
			t.Slices[s] = by
		}
		by[o.Rule].add(o)
	}
	if o.Verdict == Suspect {
		return
	}
	right := float64(oneIf(o.Verdict == Right))
	t.squares += (o.Prob - right) * (o.Prob - right)
	p := min(max(o.Prob, 1e-6), 1-1e-6)
	t.loss -= right*math.Log(p) + (1-right)*math.Log(1-p)
	for _, b := range []struct {
		bins *calibration.Bins
		in   bool
	}{{&t.Bins, true}, {&t.Own, o.Rule == grant.Model}, {&t.Known, o.Present}, {&t.OwnIn, o.Present && o.Rule == grant.Model}} {
		if b.in {
			b.bins.Add(o.Prob, 1, right == 1)
		}
	}
}

// strict is the share of all answers that equal the label, ignoring suspect labels.
func (t *Tally) strict() float64 {
	return scorecard.Share(t.All.Agree, t.All.N+t.All.Absent-t.All.Suspect)
}

// Brier is the mean squared difference between claimed probability and outcome.
func (t *Tally) Brier() float64 { return t.squares / max(t.Bins.Weight, 1) }

func (t *Tally) LogLoss() float64 { return t.loss / max(t.Bins.Weight, 1) }

// Coverage is the share of lines whose organization could be found.
func (t *Tally) Coverage() float64 { return scorecard.Share(t.Present, t.Lines) }

// Recall is the share of findable organizations that were found, ignoring suspect labels.
func (t *Tally) Recall() float64 { return scorecard.Share(t.All.Agree, t.Present-t.All.Suspect) }

// RawRecall is the share of all findable organizations that were found.
func (t *Tally) RawRecall() float64 { return scorecard.Share(t.All.Agree, t.Present) }

func (t *Tally) slices() []Slice {
	return slices.SortedFunc(maps.Keys(t.Slices), func(a, b Slice) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Value, b.Value))
	})
}

type Mix struct {
	Lines     int     `json:"lines"`
	Present   int     `json:"present"` // with an organization in the universe
	Answers   int     `json:"answers"`
	Right     int     `json:"right"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"` // of the lines present
	ECE       float64 `json:"ece"`
	ModelECE  float64 `json:"model_ece"` // the model's answers only

	// The same figures with every answer other than the label counted as wrong, even if the labelled organization is
	// not in the universe.
	AllPrecision float64 `json:"all_precision"`
	AllECE       float64 `json:"all_ece"`

	Model ModelMix `json:"model"`
}

// ModelMix covers the model's answers. Every answer other than the label counts as wrong.
type ModelMix struct {
	Answers   int     `json:"answers"`
	Right     int     `json:"right"`
	Claimed   float64 `json:"claimed"` // mean probability
	Precision float64 `json:"precision"`
	KnownECE  float64 `json:"ece_present"` // for organizations in the universe
	Smooth    float64 `json:"ece_smooth"`  // for its lines in all drawings of the folds
	Low       float64 `json:"ece_low"`     // its 95 % interval
	High      float64 `json:"ece_high"`
	Chance    float64 `json:"ece_chance"` // the error that chance alone exceeds in one of twenty cases if every probability is exact
	Lines     int     `json:"lines"`      // that were answered in some drawing
}

func (t *Tally) mix() Mix {
	m := Mix{Lines: t.Lines, Present: t.Present, Answers: t.Linked, Right: t.All.Agree,
		Precision: round(t.All.Precision()), Recall: round(t.Recall()), ECE: round(t.Known.ExpectedError()), ModelECE: round(t.Own.ExpectedError()),
		AllPrecision: round(t.strict()), AllECE: round(t.Bins.ExpectedError())}
	claimed := 0.0
	for _, b := range t.Own.Tenths {
		m.Model.Answers += int(b.Weight)
		m.Model.Right += int(b.Right)
		claimed += b.Claimed
	}
	m.Model.Claimed = round(claimed / float64(max(m.Model.Answers, 1)))
	m.Model.Precision = round(scorecard.Share(m.Model.Right, m.Model.Answers))
	m.Model.KnownECE = round(t.OwnIn.ExpectedError())
	return m
}

func (Summary) Drawings() int { return drawings }

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
		low, high := calibration.Wilson(r.Agree, r.N-r.Suspect)
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
	low, high := calibration.Wilson(c.Agree, c.N-c.Suspect)
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
				if _, high := calibration.Wilson(c.Agree, n); high < worstHigh {
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
