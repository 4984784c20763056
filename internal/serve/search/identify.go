package search

import (
	"context"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/identify"
)

// Identify decides which organization a text means. Without an index of known names,
// as in snapshots of older programs, it knows only the names that lists and returns
// state.
func (x *Index) Identify(ctx context.Context, q identify.Question) identify.Answer {
	e := x.openEngine()
	if e == nil {
		return x.byStatedName(q)
	}
	a := e.Identify(ctx, q)
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return identify.Answer{}
	}
	kept := a.Candidates[:0]
	for _, c := range a.Candidates {
		if int(c.Org) < len(x.orgs) {
			r := x.plain(c.Org)
			c.DisplayName, c.City = orgname.Display(r.Name), r.City
			if c.Name == "" {
				c.Name = r.Name
			}
			kept = append(kept, c)
		}
	}
	a.Candidates = kept
	return a
}

// openEngine is the index of known names, nil if there is none or it is damaged.
func (x *Index) openEngine() *identify.Engine {
	if x.known == nil || x.unknown.Load() {
		return nil
	}
	e, _ := x.known() // Open reports the error
	return e
}

// byStatedName identifies an organization whose name is the text, if it is the only
// one.
func (x *Index) byStatedName(q identify.Question) (a identify.Answer) {
	if e, ok := typedEIN(strings.TrimSpace(q.Text)); ok {
		if r, ok := x.Lookup(e); ok {
			return identify.Answer{Verdict: identify.Certain, Candidates: []identify.Candidate{candidate(&r, identify.TypedEIN, "EIN")}}
		}
	}
	const most = 5
	list := x.Named(q.Text, most)
	list = slices.DeleteFunc(list, func(r Result) bool { return q.State != "" && r.State != q.State })
	for i := range list {
		a.Candidates = append(a.Candidates, candidate(&list[i], onlyStated/float64(len(list)), "registered name"))
	}
	a.Verdict = statedVerdict(len(list))
	return a
}

func candidate(r *Result, p float64, why string) identify.Candidate {
	return identify.Candidate{EIN: r.EIN, Org: r.Org, DisplayName: r.DisplayName, City: r.City, State: r.State, Probability: p, Name: r.Name, Why: why}
}

// arrange puts the organizations that a text means before the others and labels the
// results: strong is the one that is meant, exact is every organization with this
// name, and weak is the rest. If the text means nobody, all results are weak.
func (x *Index) arrange(q, state string, within []uint64, list []found) ([]found, identify.Verdict) {
	e := x.openEngine()
	if e == nil {
		return list, arrangeStated(list)
	}
	a := e.Identify(context.Background(), identify.Question{Text: q, State: state, Limit: maxArranged})
	at := make(map[uint32]int, len(list))
	for i, f := range list {
		at[f.org] = i
	}
	out := make([]found, 0, len(list)+len(a.Candidates))
	for i, c := range a.Candidates {
		if within != nil && !has(within, c.Org) || int(c.Org) >= len(x.orgs) {
			if i == 0 {
				a.Verdict = identify.Nobody // the one that is meant is not asked for
			}
			continue
		}
		if a.Verdict == identify.Nobody && c.Probability < leastArranged {
			continue
		}
		f := found{org: c.Org, class: weak, score: float32(0.69 * c.Probability), named: true, meant: c.Probability}
		if j, known := at[c.Org]; known {
			f.class = min(list[j].class, strong)
			if list[j].class == exact && a.Verdict != identify.Nobody {
				f.class = exact
			}
			list[j].org = taken
		}
		switch sure := i == 0 && a.Verdict >= identify.Likely; {
		case f.class == exact:
			f.score = 1
		case sure:
			f.class, f.score = strong, float32(max(strongFrom, 0.99*c.Probability))
		default:
			f.class = weak
		}
		out = append(out, f)
	}
	for _, f := range list {
		if f.org == taken {
			continue
		}
		if f.class != exact || a.Verdict == identify.Nobody {
			f.partial, f.named = f.class == weak, false
			f.class, f.score = weak, 0.69*f.score
		} else {
			f.named = true
		}
		out = append(out, f)
	}
	for i := 1; i < len(out); i++ {
		out[i].score = min(out[i].score, out[i-1].score)
	}
	return out, a.Verdict
}

// arrangeStated gives the organizations with exactly the name asked for an equal
// probability.
func arrangeStated(list []found) identify.Verdict {
	n := 0
	for i := range list {
		if list[i].partial = list[i].class == weak; list[i].class == exact {
			n++
		}
	}
	for i := range list {
		if list[i].class == exact {
			list[i].meant = onlyStated / float64(n)
		}
	}
	return statedVerdict(n)
}

// onlyStated is the probability of the only organization with a name, where nothing
// else is known.
const onlyStated = 0.96

func statedVerdict(organizations int) identify.Verdict {
	return [...]identify.Verdict{identify.Nobody, identify.Certain, identify.Several}[min(organizations, 2)]
}

const (
	taken       = math.MaxUint32 // marks a result that has its place already
	maxArranged = 10             // organizations that a text may mean

	// leastArranged is the probability from which an organization comes first although
	// the text probably means nobody.
	leastArranged = 0.1
)
