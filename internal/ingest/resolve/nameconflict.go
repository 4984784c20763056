package resolve

import (
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
)

// FiledConflict reports how a line's filed EIN and its name disagree. The line keeps its EIN and the probability of a
// filed EIN. The row is marked, and the build counts it.
func (r *Resolver) FiledConflict(t *Recipient, n *orgname.Name) grant.Conflict {
	switch {
	case r.groupForMember(t, n):
		return grant.GroupConflict
	case r.FiledNameConflict(t, n):
		return grant.NameConflict
	}
	return grant.NoConflict
}

// groupForMember reports whether the line states the EIN of a group's central organization but names a member that
// has its own EIN.
func (r *Resolver) groupForMember(t *Recipient, n *orgname.Name) bool {
	i, ok := r.u.position(t.Filed)
	if !ok || !r.u.index.facts[i].is(central) || !r.u.index.facts[i].is(grouped) || n.KX == "" || r.u.Bears(t.Filed, n.KX) {
		return false
	}
	o := &r.u.orgs[i]
	entries := r.u.names.find(n.KX)
	if state := lineState(t, n); state != 0 {
		entries = inState(entries, state)
	}
	return slices.ContainsFunc(entries, func(e nameEntry) bool {
		m := &r.u.orgs[e.id]
		return m.Group == o.Group && m.EIN != o.EIN && !m.central()
	})
}

// FiledNameConflict reports whether the line's filed EIN belongs to an organization whose known names are all
// unrelated to the line's name: no shared distinctive word, no initials, neither key within the other. It reports
// false if enough funders file the EIN for that name to make it another name of the organization.
func (r *Resolver) FiledNameConflict(t *Recipient, n *orgname.Name) bool {
	if t.Filed == ein.None || n.KX == "" {
		return false
	}
	i, ok := r.u.position(t.Filed)
	if !ok {
		return false
	}
	// Most names share something. Check that first, because it does not require parsing the organization's name again.
	if d := &r.u.index; related(n.K2, n.KX, d.k2[i], d.kx[i]) {
		return false
	}
	o := &r.u.orgs[i]
	if alike(n, o.Name) || r.u.registry.believed(t.Filed, ein.None, n.KX) {
		return false
	}
	return !slices.ContainsFunc(o.Aliases, func(a string) bool { return alike(n, a) })
}

func alike(n *orgname.Name, other string) bool {
	m := orgname.Parse(other)
	if related(n.K2, n.KX, m.K2, m.KX) || n.KA() == m.KX || m.KA() == n.KX {
		return true
	}
	relatedTo := func(name *orgname.Name) func(string) bool {
		return func(alias string) bool {
			p := orgname.Parse(alias)
			return related(name.K2, name.KX, p.K2, p.KX)
		}
	}
	return slices.ContainsFunc(n.Aliases, relatedTo(&m)) || slices.ContainsFunc(m.Aliases, relatedTo(n))
}

// related reports whether two names share a word of some weight or their letters.
func related(k2a, kxa, k2b, kxb string) bool {
	if kxa == "" || kxb == "" {
		return true
	}
	if strings.Contains(kxa, kxb) || strings.Contains(kxb, kxa) {
		return true
	}
	// A name made only of common words must be compared by those.
	plain := !hasTelling(k2a) || !hasTelling(k2b)
	return sharesWord(k2a, k2b, func(w string) bool { return plain || !commonWord(w) })
}

// sharesWord reports whether two names share a word that counts and is no initial.
func sharesWord(a, b string, counts func(w string) bool) bool {
	for w := range wordsOf(a) {
		if len(w) >= 3 && counts(w) && hasField(b, w) {
			return true
		}
	}
	return false
}

// hasTelling reports whether a name has a distinctive word.
func hasTelling(k2 string) bool {
	for w := range strings.FieldsSeq(k2) {
		if len(w) >= 3 && !commonWord(w) {
			return true
		}
	}
	return false
}

// commonWord reports whether a word is so common in names that sharing it means nothing.
func commonWord(w string) bool {
	switch w {
	case "FOUNDATION", "ASSOCIATION", "CENTER", "COMMUNITY", "SERVICES", "SERVICE", "FUND", "TRUST",
		"AMERICAN", "NATIONAL", "SOCIETY", "ORGANIZATION", "COUNCIL", "CLUB", "GROUP", "PROGRAM", "PROJECT",
		"CHURCH", "SCHOOL", "SCHOOLS", "HIGH", "ELEMENTARY", "UNIVERSITY", "COLLEGE", "HOSPITAL", "HEALTH", "MEDICAL", "COUNTY", "CITY", "STATE",
		"UNITED", "INTERNATIONAL", "INSTITUTE", "HOUSE", "HOME", "FAMILY", "CHILDREN", "YOUTH", "PUBLIC", "EDUCATION", "MINISTRIES", "CATHOLIC", "SAINT",
		"NORTH", "SOUTH", "EAST", "WEST", "NEW", "THE", "AND", "FOR":
		return true
	}
	return false
}
