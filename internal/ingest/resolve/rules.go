package resolve

import (
	"grantgraph/internal/ein"
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
	if e := r.dominantAmongSeveral(q, known); fires(RegistryDominant, e) && !r.conflictsWithLine(&traits, e) {
		return found(RegistryDominant, e)
	}
	// A name that an organization in the state has is not misspelled.
	if q.zip != 0 && len(n.KX) >= minFuzzy && !r.nameBorneInState(q) {
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
		if kx := q.withoutTown(); kx != "" && q.state != 0 {
			if e := r.bearerByPlace(q, inState(r.u.names.find(kx), q.state)); fires(ZIP, e) && !r.conflictsWithLine(&traits, e) {
				return found(ZIP, e)
			}
		}
		if q.zip != 0 {
			if e := r.reordered(q); fires(ZIP, e) {
				return found(ZIP, e)
			}
		}
	}
	if rule, e := r.cutOff(q); fires(rule, e) {
		return found(rule, e)
	}
	if e := r.street(q, &traits, &words, tenants); !q.careOf && fires(Street, e) {
		return found(Street, e)
	}
	if !r.usesModel() {
		return Match{}
	}
	return r.byModel(q, known)
}
