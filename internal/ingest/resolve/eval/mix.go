package eval

import (
	"fmt"
	"io"
)

// Mix is the quality of the answers for one kind of line.
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
	Chance    float64 `json:"ece_chance"`  // error to expect from this many answers if every probability were exact
	Drawn     float64 `json:"ece_drawn"`   // for its answers in all drawings of the folds
	DrawnN    int     `json:"drawn"`       // number of those answers
}

// mix computes the figures.
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
	m.Model.Precision = round(share(m.Model.Right, m.Model.Answers))
	m.Model.KnownECE, m.Model.Chance = round(t.OwnIn.ExpectedError()), round(t.Own.ChanceError())
	return m
}

// mixes writes the figures of each kind of line.
func (s *Summary) mixes(w io.Writer) {
	row(w, "Lines", "with a label", "organization in the universe", "answers", "right", "precision", "recall", "calibration error", "of the model",
		"its answers", "right", "claimed")
	row(w, "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:", "---:")
	for _, l := range []struct {
		name string
		mix  *Mix
	}{{"of covered states", s.Covered}, {"of other states", s.Uncovered}, {"all answers", s.All}} {
		m := l.mix
		row(w, l.name, count(m.Lines), count(m.Present), count(m.Answers), count(m.Right), decimal(m.Precision), decimal(m.Recall), decimal(m.ECE),
			decimal(m.ModelECE), count(m.Model.Answers), decimal(m.Model.Precision), decimal(m.Model.Claimed))
	}
	fmt.Fprintf(w, "\nPrecision in the first two rows is of the answers for organizations in the universe, in the last of all answers: any that is not the "+
		"label is wrong. "+
		"Of the model every answer is judged so in every row. Were each of its probabilities exactly right, chance alone would make a calibration error of %s "+
		"of its answers in covered states.\n\n",
		decimal(s.Covered.Model.Chance))
	if m := &s.Covered.Model; m.DrawnN > m.Answers {
		fmt.Fprintf(w, "So the parts are drawn %d times: over the model's %s answers for lines of covered states in all drawings, which are of the same lines, "+
			"its calibration error is %s.\n\n",
			drawings, count(m.DrawnN), decimal(m.Drawn))
	}
}
