// Package cause infers the cause of organizations without a code in the master file. In each build it learns from the
// organizations with a code how names, texts and codes go with causes. It uses a multinomial logistic regression on
// sparse features, and the causes of related organizations. Each cause has a threshold, set on organizations that the
// model had not seen. A cause whose precision cannot be shown is never inferred.
//
// The same organizations give the same bytes on any number of cores: labels are learned in a fixed order with fixed arithmetic.
package cause

import (
	"cmp"
	"context"
	"math"
	"slices"

	"grantgraph/internal/ntee"
	"grantgraph/internal/parallel"
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

const (
	// MinLabels is the least number of organizations with a code. With fewer, nothing is inferred because no
	// threshold could be trusted.
	MinLabels = 2000
	// maxLabels bounds the labels for learning. More labels are thinned out by a hash of their EINs, which does not
	// depend on the order of reading.
	maxLabels = 300_000
	// minSeen is how often a feature must occur to be learned.
	minSeen = 4
	// folds is the number of folds for cross-validation.
	folds = 3
	// epochs is the number of passes over the labels.
	epochs = 4
	// rate is the learning rate for a weight that has not moved yet. A higher rate would memorize wrong codes, which
	// are frequent, at the expense of strong evidence.
	rate = 0.3
	// biasRate is the learning rate of the bias.
	biasRate = 0.01
	// Target is the precision that each inferred cause must reach, as a lower confidence bound.
	Target = 0.96
	// minFamilies is the least number of families on which a cause must be measured to be inferred at all.
	minFamilies = 100
	// sureness is how many standard errors the lower bound is below the estimate.
	sureness = 1.28
)

// causes is the number of letters that can be inferred: A to Y.
const causes = 25

// Letter is the cause of a registered code; zero if there is none to learn. Z means unknown.
func Letter(code string) byte {
	c, ok := ntee.Parse(code)
	if m := c.Major(); ok && m >= 'A' && m < 'A'+causes {
		return m
	}
	return 0
}

type Trainer struct {
	ev     evidence
	limit  uint64 // only labels whose hash is at most this are kept
	labels []label
	feats  []feature
	kin    []relative
	seen   int
}

// label is one organization with a code. Its features are a range of the common list.
type label struct {
	hash       uint64 // of the EIN
	name       uint64 // hash of the name's key
	group      uint64 // hash of the group, 0 for none
	family     uint64 // the family, which is always in one part of a measurement
	from       uint32
	names, all uint16
	cause      uint8
}

func NewTrainer() *Trainer { return &Trainer{limit: math.MaxUint64} }

func (t *Trainer) Add(o *Org, letter byte) {
	t.seen++
	for _, f := range families(o) {
		if f != 0 {
			t.kin = append(t.kin, relative{f, letter - 'A'})
		}
	}
	h := spread(uint64(o.EIN))
	if h > t.limit {
		return
	}
	t.ev.read(o)
	name, group := kindred(o)
	t.labels = append(t.labels, label{
		hash: h, name: name, group: group, from: uint32(len(t.feats)),
		names: uint16(len(t.ev.names)), all: uint16(len(t.ev.names) + len(t.ev.texts)), cause: letter - 'A',
	})
	t.feats = append(append(t.feats, t.ev.names...), t.ev.texts...)
	if len(t.labels) > maxLabels {
		t.thin()
	}
}

// thin drops the half of the labels with the larger hashes.
func (t *Trainer) thin() {
	t.limit /= 2
	kept, feats := t.labels[:0], t.feats[:0]
	for _, l := range t.labels {
		if l.hash > t.limit {
			continue
		}
		from := l.from
		l.from = uint32(len(feats))
		feats = append(feats, t.feats[from:from+uint32(l.all)]...)
		kept = append(kept, l)
	}
	t.labels, t.feats = kept, feats
}

// Train learns the causes. The result depends only on the labels, not on their order or the number of workers. With
// too few labels, the model infers nothing. The trainer cannot be used afterward.
func (t *Trainer) Train(ctx context.Context, workers int) (*Model, error) {
	m := &Model{Labels: t.seen}
	for c := range m.Causes {
		m.Causes[c].Min = never
	}
	if t.seen < MinLabels {
		return m, nil
	}
	// Learn in the order of hashes, because neighbors in the table are alike.
	slices.SortFunc(t.labels, func(a, b label) int { return cmp.Compare(a.hash, b.hash) })
	t.setFamilies()
	m.Learned = len(t.labels)
	m.kin, m.Kin = kinOf(t.kin)
	m.ids = t.intern()
	held := make([]guess, len(t.labels))
	err := parallel.Each(ctx, workers, folds+1, func(ctx context.Context, k int) error {
		w, err := t.learn(ctx, len(m.ids), func(l *label) bool { return l.fold() != k })
		if err != nil {
			return err
		}
		if k == folds { // none was left out
			m.weights = w
			return nil
		}
		var p scores
		for i := range t.labels {
			if l := &t.labels[i]; l.fold() == k {
				w.predict(t.evidence(l), &p)
				held[i] = p.guess()
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	m.setThresholds(t.labels, held)
	*t = Trainer{}
	return m, nil
}

// setFamilies assigns the labels to parts so that organizations with the same group or name are in the same part.
// Otherwise a test would find what was learned from a sibling. A name that occurs in a group goes with the group.
func (t *Trainer) setFamilies() {
	groups := groupsOf(len(t.labels), func(i int) (name, group uint64) { return t.labels[i].name, t.labels[i].group })
	for i := range t.labels {
		l := &t.labels[i]
		l.family = familyOf(l.name, l.group, groups)
	}
}

func (l *label) fold() int { return int(l.family % folds) }

// groupsOf maps the name of every member of a group to the group, or to the least of several.
func groupsOf(n int, kindred func(i int) (name, group uint64)) map[uint64]uint64 {
	groups := make(map[uint64]uint64)
	for i := range n {
		if name, group := kindred(i); group != 0 {
			groups[name] = min(cmp.Or(groups[name], group), group)
		}
	}
	return groups
}

// familyOf identifies the organizations that must stay in one part with this one.
func familyOf(name, group uint64, groups map[uint64]uint64) uint64 {
	return spread(cmp.Or(group, groups[name], name)) >> 8
}

// intern numbers the features that occur often enough and drops the others.
func (t *Trainer) intern() map[feature]uint32 {
	// A counter is shared by all hashes with the same prefix, so it may be too high but never too low. A few rare
	// features are kept as a result.
	const bucket = 8
	counts := make([]uint8, 1<<(32-bucket))
	for _, f := range t.feats {
		if c := &counts[f>>bucket]; *c < minSeen {
			*c++
		}
	}
	ids := make(map[feature]uint32)
	kept := make([]feature, 0, len(t.feats))
	for i := range t.labels {
		l := &t.labels[i]
		from, names := len(kept), 0
		for j, f := range t.feats[l.from : l.from+uint32(l.all)] {
			if counts[f>>bucket] < minSeen {
				continue
			}
			id, ok := ids[f]
			if !ok {
				id = uint32(len(ids))
				ids[f] = id
			}
			kept = append(kept, feature(id))
			if j < int(l.names) {
				names++
			}
		}
		l.from, l.names, l.all = uint32(from), uint16(names), uint16(len(kept)-from)
	}
	t.feats = kept
	return ids
}

func (t *Trainer) evidence(l *label) numbered {
	list := t.feats[l.from : l.from+uint32(l.all)]
	return numbered{list[:l.names], list[l.names:]}
}

// learn fits weights to the chosen labels, one at a time and in order.
func (t *Trainer) learn(ctx context.Context, features int, in func(*label) bool) (*weights, error) {
	w := &weights{rows: make([]row, features), moved: make([]float32, features)}
	var p scores
	for range epochs {
		for i := range t.labels {
			if i%8192 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if l := &t.labels[i]; in(l) {
				n := t.evidence(l)
				w.predict(n, &p)
				w.step(n, &p, l.cause)
			}
		}
	}
	w.moved = nil
	return w, nil
}
