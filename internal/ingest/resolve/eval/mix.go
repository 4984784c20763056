package eval

import "grantgraph/internal/scorecard"

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
	m.Model.Precision = round(scorecard.Share(m.Model.Right, m.Model.Answers))
	m.Model.KnownECE, m.Model.Chance = round(t.OwnIn.ExpectedError()), round(t.Own.ChanceError())
	return m
}

// Drawings is how many times the folds are drawn.
func (*Summary) Drawings() int { return drawings }
