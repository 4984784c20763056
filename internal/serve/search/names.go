package search

import (
	"context"
	"math"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/identify"
)

const (
	maxQuestion = 300 // bytes that are read
	maxNames    = 200 // matches by name
	maxMeant    = 10  // organizations that a text may mean

	// leastMeant is the probability from which an organization may be meant, and
	// leastFirst that from which it comes first although the text probably means nobody.
	leastMeant = 0.002
	leastFirst = 0.1
)

// Identify decides which organization a text means. Without the index of known names, which may be damaged, it knows only EINs.
func (x *Index) Identify(ctx context.Context, q identify.Question) identify.Answer {
	return x.identify(ctx, q, identify.View{Registered: x.registered})
}

// Named lists organizations whose names have words of a text, those that are hardly meant too.
func (x *Index) Named(ctx context.Context, q identify.Question) []identify.Candidate {
	return x.identify(ctx, q, identify.View{All: true, Registered: x.registered}).Candidates
}

func (x *Index) identify(ctx context.Context, q identify.Question, v identify.View) (a identify.Answer) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return a
	}
	if e := x.openEngine(); e != nil {
		a = e.Identify(ctx, q, v)
	} else if org, ok := x.typed(q.Text); ok {
		a.Verdict = identify.Certain
		a.Candidates = []identify.Candidate{{EIN: ein.EIN(x.orgs[org].EIN), Org: org, Probability: identify.TypedEIN, Why: "EIN"}}
	}
	kept := a.Candidates[:0]
	for _, c := range a.Candidates {
		if int(c.Org) < len(x.orgs) {
			r := x.plain(c.Org)
			c.DisplayName, c.City, c.State = orgname.Display(r.Name), r.City, r.State
			if c.Name == "" {
				c.Name = r.Name
			}
			kept = append(kept, c)
		}
	}
	a.Candidates = kept
	return a
}

// openEngine is the index of known names, nil if it is damaged.
func (x *Index) openEngine() *identify.Engine {
	if x.unknown.Load() {
		return nil
	}
	e, _ := x.known() // Open reports the error
	return e
}

func (x *Index) registered(org uint32) string {
	if int(org) >= len(x.orgs) {
		return "" // the index of known names is a file of its own
	}
	return string(x.nameOf(org))
}

// typed is the organization whose EIN the question is.
func (x *Index) typed(q string) (org uint32, ok bool) {
	if e, ok := identify.ReadEIN(q); ok {
		return x.position(e)
	}
	return 0, false
}

// Find finds the organizations that q may mean, best first: by name, part of a name, initials, or EIN in any
// format. With a state, it finds only organizations there. A question of fewer than two characters finds
// nothing. limit is at most 200; 0 or less means 10.
func (x *Index) Find(q, state string, limit int) []Result {
	a, _, err := x.search(context.Background(), Ask{Text: q, Mode: names, State: strings.ToUpper(strings.TrimSpace(state)), Limit: min(limit, maxNames)})
	if err != nil {
		return nil
	}
	return a.Results
}

// named is the organizations that a question may mean, and all, within a set if there is one, whose
// names agree with it in part.
type named struct {
	meant identify.Answer
	names []found
}

func (x *Index) byName(ctx context.Context, q, state string, within []uint64) (n named) {
	e := x.openEngine()
	if e == nil {
		return n
	}
	about, view := identify.Question{Text: q, State: state, Limit: maxNames}, identify.View{All: true, Registered: x.registered}
	n.meant = e.Identify(ctx, about, view)
	all := n.meant
	if view.Within = within; within != nil {
		all = e.Identify(ctx, about, view)
	}
	_, states, _ := SplitPlace(q)
	for _, c := range all.Candidates {
		if int(c.Org) >= len(x.orgs) {
			continue
		}
		f := found{org: c.Org, class: weak, order: float32(c.Fit), named: true}
		switch {
		case c.Exact:
			f.class = exact
		case c.Whole && !x.elsewhere(c.Org, states):
			f.class = strong
		}
		f.score = f.class.scaled(f.order)
		n.names = append(n.names, f)
	}
	for i, c := range n.meant.Candidates {
		if i == maxMeant || c.Probability < leastMeant {
			n.meant.Candidates = n.meant.Candidates[:i]
			break
		}
	}
	return n
}

// arrange puts the organizations that a text means before the others and labels the results: strong is the one that is meant,
// exact is every organization with this name, and weak is the rest. If the text means nobody, all results are weak.
func (x *Index) arrange(a identify.Answer, within []uint64, list []found) ([]found, identify.Verdict) {
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
		if a.Verdict == identify.Nobody && c.Probability < leastFirst {
			continue
		}
		f := found{org: c.Org, class: weak, score: float32(0.69 * c.Probability), named: true, meant: c.Probability}
		switch {
		case c.Exact && a.Verdict != identify.Nobody:
			f.class, f.score = exact, 1
		case i == 0 && a.Verdict >= identify.Likely:
			f.class, f.score = strong, float32(max(strongFrom, 0.99*c.Probability))
		}
		if j, known := at[c.Org]; known {
			list[j].org = taken
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
		}
		out = append(out, f)
	}
	for i := 1; i < len(out); i++ {
		out[i].score = min(out[i].score, out[i-1].score)
	}
	return out, a.Verdict
}

// taken marks a result that has its place already.
const taken = math.MaxUint32
