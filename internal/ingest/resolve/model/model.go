// Package model is the arithmetic of the resolution model: a logistic regression over named features, and a monotone
// map from its score to a calibrated probability. It knows nothing of organizations; package resolve measures the
// features and asks for the probability.
//
// A model is a small JSON file. The same training rows give the same file, bit for bit, on the same kind of machine.
package model

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// The bounds of every probability that the model may claim. An inferred answer is never as certain as an exact match of names.
const (
	Cap   = 0.965
	Floor = 0.01
)

// Accept is the least probability at which an answer is given. AcceptUncovered is the same for states whose register
// was not loaded.
const (
	Accept          = 0.50
	AcceptUncovered = 0.90
)

// marginWeight and marginCap determine how much the lead over the second-best candidate adds to the score.
const (
	marginWeight = 0.75
	marginCap    = 6
)

type Model struct {
	Origin   string    `json:"origin"` // "trained" on the corpus at hand, or "prior"
	Features []string  `json:"features"`
	Mean     []float64 `json:"mean"`
	Scale    []float64 `json:"scale"`
	Weights  []float64 `json:"weights"` // for standardized features
	Bias     float64   `json:"bias"`
	Knots    []Knot    `json:"knots"`   // of the calibration, sorted by score
	Outside  float64   `json:"outside"` // share of lines without an organization that the calibration assumes
	Metrics  Metrics   `json:"metrics"`

	raw  []float64 // weights for features that are not standardized
	bias float64
}

// Knot is one point of the calibration. Probabilities between two knots are interpolated.
type Knot struct {
	Score float64 `json:"score"`
	Prob  float64 `json:"prob"`
}

// Metrics is the model's performance on lines it was not fitted on.
type Metrics struct {
	Labels     int     `json:"labels"`     // lines with a known organization that no rule resolved
	Fitted     int     `json:"fitted"`     // of them, used to fit the weights
	Calibrated int     `json:"calibrated"` // used to calibrate
	Tested     int     `json:"tested"`     // used for the figures below
	Masked     int     `json:"masked"`     // tested lines whose organization was removed
	Blocking   float64 `json:"blocking"`   // share of tested lines whose organization is a candidate
	Top        float64 `json:"top"`        // share whose best candidate is right
	Accepted   int     `json:"accepted"`
	Precision  float64 `json:"precision"` // among accepted answers, with masked lines weighted to their share
	Recall     float64 `json:"recall"`
	ECE        float64 `json:"ece"`
	LogLoss    float64 `json:"log_loss"`
}

// ErrModel is wrapped by every error in a model file.
var ErrModel = errors.New("model file")

// Read reads a model and checks that it has exactly the given features, in any order.
func Read(r io.Reader, features []string) (*Model, error) {
	dec := json.NewDecoder(io.LimitReader(r, 1<<20))
	dec.DisallowUnknownFields()
	m := new(Model)
	if err := dec.Decode(m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return m, m.prepare(features)
}

// prepare checks the model and puts its weights in the order of features.
func (m *Model) prepare(features []string) error {
	n := len(m.Features)
	if n == 0 || len(m.Mean) != n || len(m.Scale) != n || len(m.Weights) != n {
		return fmt.Errorf("%w: %d features, %d means, %d scales and %d weights", ErrModel, n, len(m.Mean), len(m.Scale), len(m.Weights))
	}
	if len(m.Knots) == 0 {
		return fmt.Errorf("%w: no calibration", ErrModel)
	}
	for i, k := range m.Knots {
		if !finite(k.Score) || !(k.Prob >= 0 && k.Prob <= Cap) || i > 0 && (k.Score < m.Knots[i-1].Score || k.Prob < m.Knots[i-1].Prob) {
			return fmt.Errorf("%w: the calibration does not rise, or leaves 0 to %g, at score %g", ErrModel, Cap, k.Score)
		}
	}
	if !finite(m.Bias) {
		return fmt.Errorf("%w: the bias is not a number", ErrModel)
	}
	m.raw, m.bias = make([]float64, len(features)), m.Bias
	for i, name := range m.Features {
		at := slices.Index(features, name)
		switch {
		case at < 0:
			return fmt.Errorf("%w: the feature %q is not known; the file is of another version", ErrModel, name)
		case slices.Contains(m.Features[:i], name):
			return fmt.Errorf("%w: the feature %q stands twice", ErrModel, name)
		case !(m.Scale[i] > 0) || !finite(m.Scale[i]) || !finite(m.Mean[i]) || !finite(m.Weights[i]):
			return fmt.Errorf("%w: the feature %q has no finite mean, scale and weight", ErrModel, name)
		}
		m.raw[at] = m.Weights[i] / m.Scale[i]
		m.bias -= m.Weights[i] * m.Mean[i] / m.Scale[i]
	}
	return nil
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

func (m *Model) WriteTo(w io.Writer) (int64, error) {
	body, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrModel, err)
	}
	n, err := w.Write(append(body, '\n'))
	return int64(n), err
}

// Score is the log-odds of one candidate by its features.
func (m *Model) Score(x []float64) float64 {
	s := m.bias
	for i, w := range m.raw {
		s += w * x[i]
	}
	return s
}

// Combined is the score of the best candidate, adjusted for its lead over the second. Without a second candidate, whose
// score is then minus infinity, the lead is the maximum.
func Combined(best, second float64) float64 {
	return best + marginWeight*min(max(best-second, 0), marginCap)
}

// Round rounds a probability to three decimals, which is finer than the calibration. Rows store it in thousandths.
func Round(p float64) float64 { return math.Round(p*1000) / 1000 }

// Prob turns a combined score into a probability. shift is the change in log-odds that the line has an answer at all,
// compared with the lines of the calibration.
func (m *Model) Prob(score, shift float64) float64 {
	p := m.calibrated(score)
	if shift == 0 {
		return p
	}
	return clamp(1 / (1 + (1-p)/p*math.Exp(-shift)))
}

// calibrated is the probability of a score on lines like those of the calibration. NaN gets the lowest probability.
func (m *Model) calibrated(score float64) float64 {
	k := m.Knots
	switch {
	case !(score > k[0].Score):
		return k[0].Prob
	case score >= k[len(k)-1].Score:
		return k[len(k)-1].Prob
	}
	hi, _ := slices.BinarySearchFunc(k, score, func(k Knot, s float64) int {
		if k.Score < s {
			return -1
		}
		return 1
	})
	a, b := k[hi-1], k[hi]
	if b.Score == a.Score {
		return b.Prob
	}
	return a.Prob + (b.Prob-a.Prob)*(score-a.Score)/(b.Score-a.Score)
}

//go:embed prior.json
var prior []byte

// Prior reads the model that ships with the program.
func Prior(features []string) (*Model, error) { return Read(bytes.NewReader(prior), features) }
