package quality

import (
	"context"

	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/screen/likeness"
)

// Report is the result of a measurement.
type Report struct {
	Names     int // of the list
	Positives int // asked for
	Negatives int
	At        []Measure // by threshold
}

// Measure is the quality at one threshold.
type Measure struct {
	Threshold float64
	Found     int            // positives found
	False     int            // negatives taken for an entry
	Asked     map[string]int // positives by variant
	Hits      map[string]int // found by variant
	negatives int
}

// Thresholds returns the thresholds that are measured.
func Thresholds() []float64 { return []float64{likeness.Threshold, 0.85} }

// Evaluate searches the list for every case, on all cores. A positive counts as found when
// one of its hits is the entry; a negative counts as false when it has any hit.
func Evaluate(ctx context.Context, l *likeness.List, cases []Case) (*Report, error) {
	type outcome struct{ entry, any float64 } // best scores
	outcomes := make([]outcome, len(cases))
	const chunk = 256
	err := parallel.Each(ctx, 0, (len(cases)+chunk-1)/chunk, func(_ context.Context, k int) error {
		for i := k * chunk; i < min(len(cases), (k+1)*chunk); i++ {
			c := &cases[i]
			for _, h := range l.Find(c.Query, likeness.Threshold) {
				outcomes[i].any = max(outcomes[i].any, h.Score)
				if h.ID == c.ID {
					outcomes[i].entry = max(outcomes[i].entry, h.Score)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rep := &Report{Names: l.Len()}
	for _, c := range cases {
		if c.Negative {
			rep.Negatives++
		} else {
			rep.Positives++
		}
	}
	for _, t := range Thresholds() {
		m := Measure{Threshold: t, Asked: map[string]int{}, Hits: map[string]int{}, negatives: rep.Negatives}
		for i, c := range cases {
			switch {
			case c.Negative && outcomes[i].any >= t:
				m.False++
			case c.Negative:
			case outcomes[i].entry >= t:
				m.Found++
				m.Hits[c.Variant]++
				fallthrough
			default:
				m.Asked[c.Variant]++
			}
		}
		rep.At = append(rep.At, m)
	}
	return rep, nil
}

// Recall returns the share of positives that were found.
func (m *Measure) Recall() float64 {
	asked := 0
	for _, n := range m.Asked {
		asked += n
	}
	return share(m.Found, asked)
}

// RecallOf returns the same for one variant.
func (m *Measure) RecallOf(variant string) float64 { return share(m.Hits[variant], m.Asked[variant]) }

// FalsePerThousand returns how many of a thousand unrelated names have a hit.
func (m *Measure) FalsePerThousand() float64 { return 1000 * share(m.False, m.negatives) }

// Precision returns the share of right answers among the names with a hit.
func (m *Measure) Precision() float64 { return share(m.Found, m.Found+m.False) }

// F1 returns the harmonic mean of precision and recall.
func (m *Measure) F1() float64 {
	p, r := m.Precision(), m.Recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
