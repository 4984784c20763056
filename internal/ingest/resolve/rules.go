package resolve

import (
	"slices"

	"grantgraph/internal/calibration"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
)

func (r *Resolver) resolve(q *query) Match {
	t, n := q.t, q.n
	if row := r.opt.Human.find(t, n, ein.None); row != nil && (row.none || row.ein != q.barred) {
		return row.match()
	}
	q.prepare()
	if !q.nameRead && !foreign(t) {
		q.named = r.byName(q)
	}
	named := q.named
	if t.Filed != q.barred && r.u.prefixes.Has(t.Filed) {
		if !r.off[OverrideKeyError] {
			if e := r.correctSlip(q, named); e != ein.None && e != q.barred {
				return found(OverrideKeyError, e)
			}
		}
		return found(Filed, t.Filed)
	}
	if named != ein.None && named != q.barred && !r.off[Name] && !r.chapterAtAddress(q, named) {
		return r.againstStated(q, found(Name, named))
	}
	if foreign(t) || n.KX == "" {
		return r.assistedRuling(q)
	}
	return r.againstStated(q, r.byOtherRules(q))
}

// assistedRuling looks for a ruling that a model proposed.
func (r *Resolver) assistedRuling(q *query) Match {
	if row := r.opt.Assisted.find(q.t, q.n, ein.None); row != nil && (row.none || row.ein != q.barred) {
		return row.match()
	}
	return Match{}
}

// foreign reports whether the line has a foreign address. The rules that compare names and places are for US lines.
func foreign(t *Recipient) bool { return t.Country != "" }

// byOtherRules runs the rules for a line whose name is not unique or not exactly an organization's. They use what
// other filers meant by the name, or require the place to agree as well.
func (r *Resolver) byOtherRules(q *query) Match {
	n, d := q.n, &r.u.index
	fires := func(rule Rule, e ein.EIN) bool { return e != ein.None && e != q.barred && !r.off[rule] }

	traits := orgname.TraitsOf(n.K2)
	known := r.einCounts(q)
	if e := r.dominantAmongSeveral(q, known); fires(RegistryDominant, e) && !r.conflictsWithLine(&traits, e, otherBody) {
		return found(RegistryDominant, e)
	}
	// A name that an organization in the state has is not misspelled.
	borne := func(e nameEntry) bool { return !r.excluded(q, e.id) }
	if q.zip != 0 && len(n.KX) >= minFuzzy && !slices.ContainsFunc(inState(r.bearersOf(q), q.state), borne) {
		if e := r.fuzzy(q, &traits); fires(Fuzzy, e) {
			return found(Fuzzy, e)
		}
	}
	if m := r.assistedRuling(q); m != (Match{}) {
		return m
	}
	if e := r.onlyEINFiled(q, known); fires(Registry, e) {
		return found(Registry, e)
	}
	tenants := r.tenants(q)
	var words lineWords
	if q.street != "" {
		words = d.lineWords(n.K2)
	}
	if !q.careOf {
		if e := r.address(q, &traits, &words, tenants); fires(Address, e) {
			return found(Address, e)
		}
		if e := r.sameNameByPlace(q); fires(ZIP, e) {
			return found(ZIP, e)
		}
		if e := r.reordered(q); fires(ZIP, e) {
			return found(ZIP, e)
		}
	}
	if rule, e := r.cutOff(q); fires(rule, e) {
		return found(rule, e)
	}
	if e := r.wholeNameWithin(q, &traits); !q.careOf && fires(ZIP, e) {
		return found(ZIP, e)
	}
	if e := r.street(q, &traits, &words, tenants); !q.careOf && fires(Street, e) {
		return found(Street, e)
	}
	if !r.usesModel() {
		return Match{}
	}
	return r.byModel(q, known)
}

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
		t.Rule = rule
		t.Low, _ = calibration.Wilson(t.Right, t.Answers)
		t.Off = t.Answers >= trialAnswers && t.Low < rule.Prob()-trialSlack
		list = append(list, *t)
	}
	return list
}
