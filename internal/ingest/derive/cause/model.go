// Package cause infers the cause of organizations without a code in the master file. In each build it learns from the
// organizations with a code how names, texts and codes go with causes. It uses a multinomial logistic regression on
// sparse features, and the causes of related organizations. Each cause has a threshold, set on organizations that the
// model had not seen. A cause whose precision cannot be shown is never inferred.
//
// The same organizations give the same bytes on any number of cores: labels are learned in a fixed order with fixed arithmetic.
package cause

import (
	"cmp"
	"math"
	"slices"
)

// Model infers causes from evidence. It is safe for concurrent use.
type Model struct {
	Labels  int               // organizations with a registered cause
	Learned int               // of them, those used to learn the weights; 0 if there were too few
	Causes  [causes]Threshold // A to Y
	Kin     Measured          // result of predicting registered causes from relatives

	kin     map[uint64]family
	ids     map[feature]uint32
	weights *weights
}

// Threshold is the least probability at which a cause is inferred, with its result on organizations that were not learned from.
type Threshold struct {
	Min float32 // the least probability; above 1 means never
	Measured
}

// never is a threshold that no probability reaches.
const never = 2

// Never reports whether names and texts are never enough to infer the cause.
func (t *Threshold) Never() bool { return t.Min > 1 }

type guess struct {
	cause uint8 // 0 for A
	prob  float32
}

type row [causes]float32

type weights struct {
	bias  row
	rows  []row
	moved []float32 // sum of squared gradients so far, while learning
}

type numbered struct{ names, texts []feature }

// scale gives many features of a kind the same total influence as few.
func scale(list []feature) float32 { return float32(1 / math.Sqrt(float64(max(len(list), 1)))) }

type scores [causes]float32

// predict computes the probability of every cause. It rounds products before adding them, so that no machine uses
// fused multiply-add.
func (w *weights) predict(n numbered, p *scores) {
	*p = scores(w.bias)
	for _, list := range [...][]feature{n.names, n.texts} {
		by := scale(list)
		for _, f := range list {
			r := &w.rows[f]
			for c := range p {
				p[c] += float32(r[c] * by)
			}
		}
	}
	most := slices.Max(p[:])
	var sum float64
	for c := range p {
		e := math.Exp(float64(p[c] - most))
		p[c] = float32(e)
		sum += e
	}
	for c := range p {
		p[c] = float32(float64(p[c]) / sum)
	}
}

// step moves the weights toward the right answer. Weights that have already moved much move less. It overwrites the
// probabilities.
func (w *weights) step(n numbered, p *scores, right uint8) {
	p[right]--
	var square float32
	for c := range p {
		square += float32(p[c] * p[c])
		w.bias[c] -= float32(p[c] * biasRate)
	}
	for _, list := range [...][]feature{n.names, n.texts} {
		by := scale(list)
		slope := float32(float32(square*by) * by)
		for _, f := range list {
			w.moved[f] += slope
			move := float32(rate * float64(by) / math.Sqrt(float64(w.moved[f])+1e-6))
			r := &w.rows[f]
			for c := range r {
				r[c] -= float32(move * p[c])
			}
		}
	}
}

// guess is the most likely cause; among equals, the first.
func (p *scores) guess() guess {
	best := 0
	for c := range p {
		if p[c] > p[best] {
			best = c
		}
	}
	return guess{uint8(best), p[best]}
}

// setThresholds sets each cause's threshold: the least probability at which guesses are right often enough, by the lower
// confidence bound. A family counts as one observation for the bound, because what is true of one legion post is true of all.
func (m *Model) setThresholds(labels []label, held []guess) {
	by := make([][]int, causes)
	for i, g := range held {
		by[g.cause] = append(by[g.cause], i)
	}
	for c, list := range by {
		slices.SortFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(held[b].prob, held[a].prob), cmp.Compare(a, b))
		})
		right := 0
		families := make(map[uint64]bool)
		for n, i := range list {
			families[labels[i].family] = true
			if int(labels[i].cause) == c {
				right++
			}
			whole := n == len(list)-1 || held[list[n+1]].prob < held[i].prob
			if whole && len(families) >= minFamilies && lowerBound(float64(right)/float64(n+1), len(families)) >= Target {
				m.Causes[c] = Threshold{held[i].prob, Measured{n + 1, right}}
			}
		}
	}
}

// lowerBound is Wilson's lower bound of a share observed among n.
func lowerBound(p float64, n int) float64 {
	if n == 0 {
		return 0
	}
	const z2 = sureness * sureness
	x := float64(n)
	return (p + z2/(2*x) - sureness*math.Sqrt(p*(1-p)/x+z2/(4*x*x))) / (1 + z2/x)
}

// Reader infers causes, one organization at a time. It reuses its memory, so each worker needs its own.
type Reader struct {
	m  *Model
	ev evidence
	n  numbered
}

func (m *Model) Reader() *Reader { return &Reader{m: m} }

// Infer is the cause of an organization and its confidence; ok is false if the evidence is too weak.
func (r *Reader) Infer(o *Org) (letter byte, confidence float64, ok bool) {
	r.ev.read(o)
	return r.InferFrom(&Evidence{families: families(o), names: r.ev.names, texts: r.ev.texts})
}

func (r *Reader) InferFrom(e *Evidence) (letter byte, confidence float64, ok bool) {
	if r.m.weights == nil {
		return 0, 0, false
	}
	if kin, ok := r.m.relatives(e.families); ok {
		return 'A' + kin.cause, rounded(kin.share), true
	}
	r.n.names, r.n.texts = r.m.number(r.n.names[:0], e.names), r.m.number(r.n.texts[:0], e.texts)
	var p scores
	r.m.weights.predict(r.n, &p)
	g := p.guess()
	if g.prob < r.m.Causes[g.cause].Min {
		return 0, 0, false
	}
	return 'A' + g.cause, rounded(g.prob), true
}

func (m *Model) relatives(families [2]uint64) (kin family, ok bool) {
	for _, f := range families {
		if kin, ok = m.kin[f]; ok {
			return kin, true
		}
	}
	return family{}, false
}

func rounded(p float32) float64 { return math.Floor(float64(p)*1000) / 1000 }

func (m *Model) number(to, list []feature) []feature {
	for _, f := range list {
		if id, ok := m.ids[f]; ok {
			to = append(to, feature(id))
		}
	}
	return to
}
