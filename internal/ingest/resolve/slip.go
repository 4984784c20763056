package resolve

import (
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
)

// strangeOverlap is the share of word weight that an organization in the line's state may have in common with the
// line and still count as unrelated.
const strangeOverlap = 0.2

// correctSlip is the rule override_keyerror. It finds the organization whose EIN the filer mistyped: the one to which the name,
// the name and place, or nearly all other filers lead. Its EIN must be one typing error away from the filed EIN (ein.OneSlip),
// and the filed EIN must not belong to an organization that the line could mean. named is what the name alone leads to.
func (r *Resolver) correctSlip(q *query, named ein.EIN) ein.EIN {
	t, n := q.t, q.n
	if foreign(t) || n.KX == "" {
		return ein.None
	}
	if named == ein.None {
		named = r.sameNameByPlace(q)
	}
	if named == ein.None {
		named = r.usualOneSlipAway(q)
	}
	if named == ein.None || !ein.OneSlip(t.Filed, named) {
		return ein.None
	}
	i, ok := r.u.position(t.Filed)
	if !ok {
		return named
	}
	d := &r.u.index
	words := d.lineWords(n.K2)
	w := d.weigh(&words, uint32(i), nil)
	if w.rarest >= rareWord {
		return ein.None
	}
	if codeOf(r.u.orgs[i].State) == q.state && w.overlap >= strangeOverlap {
		return ein.None
	}
	return named
}

// usualOneSlipAway finds the EIN that filers nearly always state for the line's name, if it is one typing error away
// from the filed EIN.
func (r *Resolver) usualOneSlipAway(q *query) ein.EIN {
	known := r.einCounts(q)
	if !slices.ContainsFunc(known, func(a einCount) bool { return ein.OneSlip(q.t.Filed, a.ein) }) {
		return ein.None
	}
	e := r.dominant(q, known)
	if traits := orgname.TraitsOf(q.n.K2); e != ein.None && r.conflictsWithLine(&traits, e) {
		return ein.None
	}
	return e
}
