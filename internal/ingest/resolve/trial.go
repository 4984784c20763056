package resolve

import (
	"math"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
)

// A rule is switched off for a build if lines with a known EIN show that it is right less often than it claims. That
// is so if the lower end of the confidence interval of its precision is more than trialSlack below its constant.
// Fewer than trialAnswers answers show nothing.
const (
	trialSlack   = 0.02
	trialAnswers = 300
)

// Trial is the result of one rule on lines whose EIN was hidden.
type Trial struct {
	Rule    Rule
	Answers int // for organizations in the universe, suspect labels set aside
	Right   int
	Low     float64 // lower end of the 95 % interval of its precision
	Off     bool
}

// TryRules resolves lines with a known EIN blindly and returns each rule's result, in order of trust. Overrides are not tried.
func (r *Resolver) TryRules(labels []Label) []Trial {
	rules := New(r.u, Options{})
	labels = sampleLabels(labels)
	answers := make([]Rule, len(labels))
	right := make([]bool, len(answers))
	onAllCores(len(answers), func(from, to int) {
		for i := from; i < to; i++ {
			l := &labels[i]
			if !r.Knows(l.Truth, l.Funder) {
				continue
			}
			m := rules.ResolveBlind(&l.Recipient, l.Name, l.Funder, ein.None)
			right[i] = m.EIN == l.Truth
			if !right[i] && r.u.Bears(m.EIN, l.Name.KX) && !r.u.Bears(l.Truth, l.Name.KX) {
				continue // the label is suspect
			}
			answers[i] = m.Rule
		}
	})
	var by [grant.Model + 1]Trial
	for i, rule := range answers {
		by[rule].Answers++
		by[rule].Right += int(oneIf(right[i]))
	}
	var list []Trial
	for _, rule := range grant.Rules() {
		t := &by[rule]
		if t.Answers == 0 {
			continue
		}
		t.Rule, t.Low = rule, wilsonLow(t.Right, t.Answers)
		t.Off = t.Answers >= trialAnswers && t.Low < rule.Prob()-trialSlack
		list = append(list, *t)
	}
	return list
}

// wilsonLow is the lower end of Wilson's 95 % interval of a proportion.
func wilsonLow(k, n int) float64 {
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	return max((p+z*z/(2*m)-z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m)))/(1+z*z/m), 0)
}
