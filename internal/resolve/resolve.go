package resolve

import (
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// Resolver runs the rules. It holds no state between calls and is safe for
// concurrent use; an answer depends only on the tuple, the universe and the
// overrides.
type Resolver struct {
	u     *Universe
	human *Overrides
}

// New makes a resolver over a universe. The human overrides may be nil.
func New(u *Universe, human *Overrides) *Resolver { return &Resolver{u, human} }

// Universe is the set of organizations the resolver looks in.
func (r *Resolver) Universe() *Universe { return r.u }

// Resolve answers for a tuple as far as the funder does not matter. n is the
// parsed name of the tuple. The caller keeps persons and placeholders away.
func (r *Resolver) Resolve(t *Tuple, n *orgname.Name) Match {
	return r.resolve(t, n, ein.None)
}

// ForFunder adapts the answer for a tuple to the funder that filed it: an
// override for this funder's lines applies; the funder's own EIN, typed where
// the recipient's belongs, counts as none; and no rule but filed may find the
// funder itself. funderKX is the key of the funder's name.
func (r *Resolver) ForFunder(t *Tuple, n *orgname.Name, m Match, funder ein.EIN, funderKX string) Match {
	if funder == ein.None {
		return m
	}
	if row := r.human.find(t, n, funder); row != nil && row.funder != ein.None && row.ein != funder {
		return row.match()
	}
	if m.EIN != funder {
		return m
	}
	if m.Rule == Filed && n.KX != "" && n.KX == funderKX {
		return m
	}
	return r.resolve(t, n, funder)
}

// resolve runs the rules in their order of execution. A rule that finds the
// barred EIN has found nothing: it is the funder's own.
func (r *Resolver) resolve(t *Tuple, n *orgname.Name, barred ein.EIN) Match {
	if row := r.human.find(t, n, ein.None); row != nil && (row.none || row.ein != barred) {
		return row.match()
	}
	named := ein.None // what the name says
	if !foreign(t) {
		named = r.byName(t, n)
	}
	if t.Filed != barred && r.u.prefixes.Has(t.Filed) {
		if e := r.meant(t, n, named); e != ein.None && e != barred {
			return found(OverrideKeyError, e)
		}
		return found(Filed, t.Filed)
	}
	if named != ein.None && named != barred {
		return found(Name, named)
	}
	if foreign(t) || n.KX == "" {
		return Match{}
	}
	return r.byEvidence(t, n, barred)
}

// foreign reports whether the line has a foreign address; the rules that
// compare names and places are for US lines.
func foreign(t *Tuple) bool { return t.Country != "" }

// byName is the name rule: the key of the name, else that of an alias, belongs
// to exactly one organization in the line's state. A line without a state must
// be unique in the country and say enough to be a name.
func (r *Resolver) byName(t *Tuple, n *orgname.Name) ein.EIN {
	state := lineState(t, n)
	if e := r.unique(n, n.KX, state, false); e != ein.None {
		return e
	}
	for _, a := range n.Aliases {
		kx := orgname.Key(a)
		if len(kx) < minAlias || kx == n.KX {
			continue
		}
		if e := r.unique(n, kx, state, true); e != ein.None {
			return e
		}
	}
	return ein.None
}

// lineState is the state of the line's address, else the one its name ends in.
func lineState(t *Tuple, n *orgname.Name) stateCode {
	if st, ok := place.State(t.State); ok {
		return codeOf(st)
	}
	return codeOf(n.State)
}

// unique finds the one organization with the key, or none. Inactive ones count
// only where no active one has the key.
func (r *Resolver) unique(n *orgname.Name, kx string, state stateCode, viaAlias bool) ein.EIN {
	entries := r.u.names.find(kx)
	if state != 0 {
		entries = inState(entries, state)
	} else if len(kx) < 10 || viaAlias || strings.IndexByte(n.K2, ' ') < 0 {
		return ein.None
	}
	var p pick
	for _, e := range entries {
		o := &r.u.orgs[e.id]
		if (e.alias || viaAlias) && satellite(n, o) {
			continue
		}
		if p.add(o); p.many[0] {
			return ein.None
		}
	}
	return p.one()
}

// pick finds the one organization among candidates. Inactive ones count only
// when there is no active one.
type pick struct {
	found [2]*Org // the first active and the first inactive
	many  [2]bool
}

func (p *pick) add(o *Org) {
	i := 1
	if o.Active {
		i = 0
	}
	if p.found[i] == nil {
		p.found[i] = o
	} else if p.found[i] != o {
		p.many[i] = true
	}
}

// one is the EIN of the only candidate, None when there is none or several.
func (p *pick) one() ein.EIN {
	for i, o := range p.found {
		if o != nil {
			if p.many[i] {
				return ein.None
			}
			return o.EIN
		}
	}
	return ein.None
}

// satellite reports whether the organization, met through another name of it or
// of the line, is by its own name a club, fund or union around the institution
// the line names.
func satellite(n *orgname.Name, o *Org) bool {
	return orgname.Conflicts(*n, orgname.Parse(o.Name))&orgname.Inst != 0
}

// FiledNameConflict reports whether the line states an EIN whose organization
// is known under names that have nothing in common with the line's: no word, no
// initials, neither key within the other. Such a line keeps its EIN; the build
// counts it.
func (r *Resolver) FiledNameConflict(t *Tuple, n *orgname.Name) bool {
	if t.Filed == ein.None || n.KX == "" {
		return false
	}
	o, ok := r.u.Lookup(t.Filed)
	if !ok {
		return false
	}
	if alike(n, o.Name) {
		return false
	}
	for _, a := range o.Aliases {
		if alike(n, a) {
			return false
		}
	}
	return true
}

func alike(n *orgname.Name, other string) bool {
	m := orgname.Parse(other)
	if related(n.K2, n.KX, m.K2, m.KX) || n.KA() == m.KX || m.KA() == n.KX {
		return true
	}
	for _, a := range n.Aliases {
		if p := orgname.Parse(a); related(p.K2, p.KX, m.K2, m.KX) {
			return true
		}
	}
	for _, a := range m.Aliases {
		if p := orgname.Parse(a); related(n.K2, n.KX, p.K2, p.KX) {
			return true
		}
	}
	return false
}

// related reports whether two names have a word of some weight or their letters
// in common.
func related(k2a, kxa, k2b, kxb string) bool {
	if kxa == "" || kxb == "" {
		return true
	}
	if strings.Contains(kxa, kxb) || strings.Contains(kxb, kxa) {
		return true
	}
	for w := range strings.FieldsSeq(k2a) {
		if len(w) < 3 || commonWord(w) {
			continue
		}
		for v := range strings.FieldsSeq(k2b) {
			if w == v {
				return true
			}
		}
	}
	return false
}

// commonWord reports whether a word is so usual in names that sharing it says
// nothing.
func commonWord(w string) bool {
	switch w {
	case "FOUNDATION", "ASSOCIATION", "CENTER", "COMMUNITY", "SERVICES", "SERVICE", "FUND", "TRUST",
		"AMERICAN", "NATIONAL", "SOCIETY", "ORGANIZATION", "COUNCIL", "CLUB", "GROUP", "PROGRAM", "PROJECT":
		return true
	}
	return false
}
