// Package resolve says which organization a grant line names: its EIN, the
// rule that found it and how likely that is to be right; and it gives every
// recipient, resolved or not, an identity that is a pure function of what the
// line says.
//
// A Universe is the set of organizations that can be found: the master file,
// every e-filer, the public lists, and the bodies (public universities, towns,
// tribes) that are known only because several funders filed the same EIN for
// the same name. A Resolver runs the rules over it in a fixed order; the first
// that fires wins. Persons and placeholders must be kept away from the rules
// by the caller; package classify tells them apart.
package resolve

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/orgname"
)

// Options are what a resolver knows besides the universe. All may be left out.
type Options struct {
	Human    *Overrides   // rulings of people, from overrides/human.csv
	Assisted *Overrides   // rulings proposed by a model and checked, from overrides/model.csv
	Model    *model.Model // for the lines that no rule decides; nil for none
	History  *History     // whom funders have paid, for the model
	Coverage *Coverage    // of how much the universe holds, for the model
	Off      []Rule       // rules that failed their trial and do not run
}

// Resolver runs the rules. It holds no state between calls and is safe for
// concurrent use; an answer depends only on the recipient, the universe and the
// options.
type Resolver struct {
	u   *Universe
	opt Options
	off [grant.Model + 1]bool
}

// New makes a resolver over a universe.
func New(u *Universe, opt Options) *Resolver {
	r := &Resolver{u: u, opt: opt}
	for _, rule := range opt.Off {
		r.off[rule] = true
	}
	return r
}

// Universe is the set of organizations the resolver looks in.
func (r *Resolver) Universe() *Universe { return r.u }

// Funders lists, in order, the funders that some ruling is about. Lines of all
// others can be answered without asking who filed them, unless the answer is
// the filer or open.
func (r *Resolver) Funders() []ein.EIN {
	list := append(r.opt.Human.Funders(), r.opt.Assisted.Funders()...)
	slices.Sort(list)
	return slices.Compact(list)
}

// Resolve answers for a recipient as far as the funder does not matter. n is the
// parsed name of the recipient. The caller keeps persons and placeholders away.
func (r *Resolver) Resolve(t *Recipient, n *orgname.Name) Match {
	return r.resolve(&query{t: t, n: n})
}

// ResolveNamed is Resolve for a recipient of which it is known what Named says.
// That depends on neither the street nor the tax status nor the EIN that was
// filed, so recipients that differ in these alone share it.
func (r *Resolver) ResolveNamed(t *Recipient, n *orgname.Name, named ein.EIN) Match {
	// Named is silent on a name without a key; its aliases may lead somewhere.
	return r.resolve(&query{t: t, n: n, named: named, nameRead: n.KX != ""})
}

// ForFunder adapts the answer for a recipient to the funder that filed it: an
// override for this funder's lines applies; the funder's own EIN, typed where
// the recipient's belongs, counts as none; no rule but filed may find the funder
// itself; and the model may think of whom the funder has paid before. funderKX is the key of the funder's name.
func (r *Resolver) ForFunder(t *Recipient, n *orgname.Name, m Match, funder ein.EIN, funderKX string) Match {
	if funder == ein.None {
		return m
	}
	if row := r.opt.Human.find(t, n, funder); row != nil && row.funder != ein.None && row.ein != funder {
		return row.match()
	}
	if m.Rule == None || m.Rule > OverrideLLM {
		if row := r.opt.Assisted.find(t, n, funder); row != nil && row.funder != ein.None && row.ein != funder && !m.Barred {
			return row.match()
		}
	}
	switch {
	case m.EIN == funder && !(m.Rule == Filed && n.KX != "" && n.KX == funderKX):
		return r.resolve(&query{t: t, n: n, barred: funder, funder: funder})
	case r.HistoryMayChange(m) && !foreign(t) && n.KX != "" && r.mayMeanPaid(n, funder):
		return r.askModelWithHistory(&query{t: t, n: n, barred: funder, funder: funder}, m)
	}
	return m
}

// ResolveBlind answers for a line whose filed EIN is hidden, as though its
// funder had filed no EINs at all: what the line itself taught the universe
// must not help to find it. With absent set, the organization of that EIN is
// taken out of the universe, which shows what the rules do with a recipient
// nobody knows.
func (r *Resolver) ResolveBlind(t *Recipient, n *orgname.Name, funder, absent ein.EIN) Match {
	line := *t
	line.Filed = ein.None
	return r.resolve(&query{t: &line, n: n, barred: funder, funder: funder, without: funder, absent: absent})
}

// Considers reports whether an organization is among the candidates of a line
// that is asked for blindly: what is not can be found by no model.
func (r *Resolver) Considers(t *Recipient, n *orgname.Name, funder, truth ein.EIN) bool {
	q := r.blindQuery(&Label{Recipient: *t, Name: n, Funder: funder}, ein.None)
	s := r.u.searches.get()
	defer r.u.searches.pool.Put(s)
	r.candidates(q, s, r.einCounts(q))
	for i := range s.found {
		if r.u.orgs[r.u.index.orgOf(s.found[i].name)].EIN == truth {
			return true
		}
	}
	return false
}

// Knows reports whether an organization would be in the universe had a funder
// filed no EINs.
func (r *Resolver) Knows(e, funder ein.EIN) bool {
	i, ok := r.u.position(e)
	return ok && !r.excluded(&query{without: funder}, uint32(i))
}
