// Package eval measures how well recipients are resolved. It hides the EINs that filers stated, or takes the truth of
// an invented world, asks the resolver, and counts. It reports the share of right answers by rule and by kind of
// line, how well the probabilities are calibrated, and whether a build passes its gates.
package eval

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"grantgraph/internal/calibration"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/ingest/source/rows"
	"grantgraph/internal/parallel"
	"grantgraph/internal/scorecard"
)

type Options struct {
	// Folds fits the model on four fifths of the organizations and tests it on the lines of the rest, in turn.
	// Without Folds, the model that ships with the program answers.
	Folds bool
	// Model replaces the shipped model.
	Model *model.Model
	// Read counts the rows from which the cases were read.
	Read rows.Tally
	// List, if set, receives every answer that is not right, as CSV.
	List io.Writer
}

type Result struct {
	Tally     *Tally // all lines
	Covered   *Tally // lines of states whose register was loaded
	Uncovered *Tally // lines of other states
	Masked    *Tally // lines of Covered with their organization removed: every answer is wrong
	Gates     []Gate
	Model     string
	Left      rows.Tally // rows of the file that gave no case

	pooled map[*Case]*pooled  // the model's answers for lines of covered states, in every drawing
	smooth calibration.Smooth // of these

	// SetAside counts the labels of filers that put one EIN on many unrelated names.
	SetAside int
}

func newResult(model string) *Result {
	return &Result{Tally: NewTally(), Covered: NewTally(), Uncovered: NewTally(), Masked: NewTally(), Model: model, pooled: map[*Case]*pooled{}}
}

type pooled struct{ n, claimed, right float64 }

// calibrate measures the calibration of the pooled answers, in the order of the cases.
func (res *Result) calibrate(cases []*Case) {
	var list []calibration.Pooled
	for _, c := range cases {
		if p := res.pooled[c]; p != nil {
			list = append(list, calibration.Pooled{Claimed: p.claimed / p.n, Right: p.right / p.n})
		}
	}
	res.smooth = calibration.Smoothed(list)
	res.Gates = res.realGates()
}

// Labelled resolves every case blindly. The universe must have been taught the cases. A case whose EIN prefix was
// never issued has no label.
func Labelled(ctx context.Context, u *resolve.Universe, cases []Case, opt Options) (*Result, error) {
	res := newResult("prior")
	res.Left.Add(rows.Tally{Rejected: opt.Read.Rejected})
	var list *csv.Writer
	if opt.List != nil {
		list = csv.NewWriter(opt.List)
		list.Write([]string{"verdict", "cause", "rule", "match_prob", "present", "name", "street", "city", "state", "zip", "label_ein", "label_name",
			"found_ein", "found_name"})
	}
	if opt.Model != nil {
		res.Model = opt.Model.Origin + ", from a file"
	}
	if opt.Folds {
		res.Model = "five parts by EIN, each tested with a model fitted on the other four"
	}
	cases, res.SetAside = withoutFillers(cases)
	issued := u.Prefixes()
	cases = slices.DeleteFunc(cases, func(c Case) bool {
		if issued.Has(c.Truth) {
			return false
		}
		res.Left.Reject(ReasonPrefix)
		return true
	})
	history := historyOf(u, cases)
	if err := res.ask(ctx, u, cases, history, opt, 0, list); err != nil {
		return nil, err
	}
	for drawing := 1; opt.Folds && drawing < drawings; drawing++ {
		again := newResult("")
		again.pooled = res.pooled
		if err := again.ask(ctx, u, cases, history, opt, drawing, nil); err != nil {
			return nil, err
		}
	}
	if list != nil {
		list.Flush()
		if err := list.Error(); err != nil {
			return nil, err
		}
	}
	all := make([]*Case, len(cases))
	for i := range cases {
		all[i] = &cases[i]
	}
	res.calibrate(all)
	return res, nil
}

// ask resolves the cases, each fold of one drawing with the model fitted on the other folds.
func (res *Result) ask(ctx context.Context, u *resolve.Universe, cases []Case, history *resolve.History, opt Options, drawing int, list *csv.Writer) error {
	rounds := 1
	if opt.Folds {
		rounds = parts
	}
	for part := range rounds {
		chosen := make([]*Case, 0, len(cases))
		var labels []resolve.Label
		for i := range cases {
			c := &cases[i]
			if !opt.Folds || partOf(c.Truth, drawing) == part {
				chosen = append(chosen, c)
			} else {
				labels = append(labels, c.label())
			}
		}
		if !opt.Folds { // how much of a state is loaded is public knowledge, so all cases may inform it
			for _, c := range chosen {
				labels = append(labels, c.label())
			}
		}
		plain := resolve.New(u, resolve.Options{History: history})
		coverage := plain.MeasureCoverage(labels, 0, 0)
		m := opt.Model
		switch {
		case opt.Folds:
			m = plain.TrainSmall(labels, coverage.Outside)
		case m == nil:
			m = resolve.Prior()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		res.askAll(resolve.New(u, resolve.Options{Model: m, History: history, Coverage: coverage}), chosen, list)
	}
	return nil
}

// withoutFillers removes and counts the cases whose filer put one EIN on many unrelated names.
func withoutFillers(cases []Case) (kept []Case, aside int) {
	labels := make([]resolve.Label, len(cases))
	for i := range cases {
		labels[i] = cases[i].label()
	}
	marks, aside := resolve.SetAside(labels)
	kept = make([]Case, 0, len(cases)-aside)
	for i := range cases {
		if !marks[i] {
			kept = append(kept, cases[i])
		}
	}
	return kept, aside
}

// historyOf collects the organizations that the funders of the cases name unambiguously.
func historyOf(u *resolve.Universe, cases []Case) *resolve.History {
	r := resolve.New(u, resolve.Options{})
	var list []resolve.Payment
	for i := range cases {
		c := &cases[i]
		if e := r.Named(&c.Recipient, &c.name); e != ein.None {
			list = append(list, resolve.Payment{Funder: c.Funder, Recipient: e})
		}
	}
	return resolve.NewHistory(list)
}

// parts is the number of folds. It is large enough that each model is fitted on nearly as many lines as the shipped model.
const parts = 5

// drawings is how many times the folds are drawn. The first drawing gives the figures. One drawing has too few model
// answers to show whether the model is calibrated, so calibration uses all drawings.
const drawings = 5

// partOf assigns an organization to a fold by a hash of its EIN, so that folds are unrelated to the data.
func partOf(e ein.EIN, drawing int) int {
	return int(uint64(e)*0x9e3779b97f4a7c15*uint64(2*drawing+1)>>32) % parts
}

// Fit makes a model from all cases, in the same way as the shipped model.
func Fit(u *resolve.Universe, cases []Case) *model.Model {
	cases, _ = withoutFillers(cases)
	labels := make([]resolve.Label, len(cases))
	for i := range cases {
		labels[i] = cases[i].label()
	}
	r := resolve.New(u, resolve.Options{History: historyOf(u, cases)})
	m := r.TrainSmall(labels, r.MeasureCoverage(labels, 0, 0).Outside)
	m.Origin = "prior"
	return m
}

func (c *Case) label() resolve.Label {
	return resolve.Label{Recipient: c.Recipient, Name: &c.name, Funder: c.Funder, Truth: c.Truth}
}

// askAll runs the cases on all cores and counts in their order.
func (res *Result) askAll(r *resolve.Resolver, cases []*Case, list *csv.Writer) {
	type caseResult struct {
		outcome Outcome
		match   resolve.Match
		masked  *Outcome
	}
	results := make([]caseResult, len(cases))
	parallel.Ranges(len(cases), parallel.Parts(len(cases), 64), func(_, from, to int) {
		for i := from; i < to; i++ {
			c, a := cases[i], &results[i]
			a.outcome, a.match = Ask(r, c)
			if a.outcome.Present {
				m := r.ResolveBlind(&c.Recipient, &c.name, c.Funder, c.Truth)
				a.masked = &Outcome{Rule: m.Rule, Prob: m.Prob}
				if m.EIN != ein.None {
					a.masked.Verdict = Wrong
				}
			}
		}
	})
	for i := range results {
		a := &results[i]
		res.Tally.Add(&a.outcome)
		if a.outcome.Covered {
			res.Covered.Add(&a.outcome)
			if o := &a.outcome; o.Rule == grant.Model && o.Verdict != Suspect {
				p := res.pooled[cases[i]]
				if p == nil {
					p = &pooled{}
					res.pooled[cases[i]] = p
				}
				p.n, p.claimed, p.right = p.n+1, p.claimed+o.Prob, p.right+float64(oneIf(o.Verdict == Right))
			}
		} else {
			res.Uncovered.Add(&a.outcome)
		}
		if a.masked != nil {
			res.Masked.Add(a.masked)
		}
		if list != nil && a.outcome.Verdict != Right {
			writeAnswer(list, r, cases[i], &a.outcome, a.match)
		}
	}
}

func writeAnswer(list *csv.Writer, r *resolve.Resolver, c *Case, o *Outcome, m resolve.Match) {
	name := func(e ein.EIN) string {
		if org, ok := r.Universe().Lookup(e); ok {
			return org.Name
		}
		return ""
	}
	list.Write([]string{o.Verdict.String(), o.Standing.String(), m.Rule.String(), decimal(m.Prob), fmt.Sprint(o.Present),
		strings.TrimSpace(c.Name1 + " " + c.Name2), c.Street, c.City, c.State, c.ZIP, c.Truth.String(), name(c.Truth), m.EIN.String(), name(m.EIN)})
}

func (v Verdict) String() string {
	return [...]string{"silent", "right", "wrong", "suspect"}[v]
}

// Bounds of the gates for real lines. A gate with too few lines is not judged.
const (
	ruleSlack   = 0.02
	ruleAnswers = 300
	fewLines    = 100
)

// Names of the gates that are skipped if they have too few lines.
const (
	gatePrecision   = "precision, covered states, suspects set aside"
	gateRecall      = "recall, covered states"
	gateAllAnswers  = "precision of all answers"
	gateCandidates  = "organization is among the candidates"
	gateUnnamed     = "organization is among the candidates, without an exact name match"
	gateCalibration = "calibration error of the model, covered states, pooled and smoothed"
)

// realGates judges lines of covered states, and all answers.
func (res *Result) realGates() []Gate {
	t, c := res.Tally, res.Covered
	gates := []Gate{
		atLeast(gatePrecision, c.All.Precision(), 0.985),
		atLeast(gateRecall, c.Recall(), 0.91),
		atLeast(gateAllAnswers, t.strict(), 0.95),
		atLeast(gateCandidates, scorecard.Share(t.Blocked, t.Present), 0.92),
		atLeast(gateUnnamed, scorecard.Share(t.UnnamedBlocked, t.Unnamed), 0.80),
		atMost(gateCalibration, res.smooth.Error, 0.03),
		atMost("highest probability of the model", t.top, model.Cap),
	}
	skip := func(name, why string) {
		i := slices.IndexFunc(gates, func(g Gate) bool { return g.Name == name })
		gates[i].Skip, gates[i].Pass = why, true
	}
	for _, x := range []struct {
		name  string
		lines int
	}{{gatePrecision, c.Present}, {gateRecall, c.Present}, {gateAllAnswers, t.Linked}, {gateCandidates, t.Present}, {gateUnnamed, t.Unnamed}} {
		if x.lines < fewLines {
			skip(x.name, fmt.Sprintf("%d lines, fewer than %d", x.lines, fewLines))
		}
	}
	if m := &res.smooth; m.Error > 0.03 && m.Error <= m.Chance {
		skip(gateCalibration, fmt.Sprintf("%d lines; chance alone makes up to %.3f of them", m.Answers, m.Chance))
	}
	for _, r := range grant.Rules() {
		c := &t.Rules[r]
		if r == grant.Model || c.N == 0 {
			continue
		}
		low, _ := calibration.Wilson(c.Agree, c.N-c.Suspect)
		g := atLeast(fmt.Sprintf("`%s`: lower bound of precision", r), low, round(r.Prob()-ruleSlack))
		if c.N < ruleAnswers {
			g.Skip, g.Pass = fmt.Sprintf("%d answers, fewer than %d", c.N, ruleAnswers), true
		}
		gates = append(gates, g)
	}
	return gates
}

// MaskedRule is how often a rule answers although the organization was removed.
type MaskedRule struct {
	Rule   grant.Rule
	N      int // answers with the organization there
	False  int // answers with it removed, all of them wrong
	Rate   float64
	Honest float64 // precision if OutsideShare of the lines have no organization
}

// OutsideShare is the share of lines without an organization that MaskedRules assumes.
func (*Result) OutsideShare() float64 { return 0.15 }

func (res *Result) MaskedRules() (list []MaskedRule) {
	outside := res.OutsideShare()
	for _, r := range grant.Rules() {
		c, m := &res.Tally.Rules[r], MaskedRule{Rule: r, N: res.Tally.Rules[r].N, False: res.Masked.Rules[r].Absent}
		if m.N == 0 && m.False == 0 {
			continue
		}
		m.Rate = scorecard.Share(m.False, res.Masked.Lines)
		h := scorecard.Share(c.N, res.Tally.Present)
		if d := h*(1-outside) + outside*m.Rate; d > 0 {
			m.Honest = h * c.Precision() * (1 - outside) / d
		}
		list = append(list, m)
	}
	return list
}

func (res *Result) Print(w io.Writer, onlyJSON bool) error {
	return scorecard.Print(w, tables.Lookup("labelled"), res, res.Summary(), onlyJSON)
}

func Failed(gates []Gate) []Gate {
	return slices.DeleteFunc(slices.Clone(gates), func(g Gate) bool { return g.Pass })
}
