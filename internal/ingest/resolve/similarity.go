package resolve

import (
	"math/bits"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
)

// lettersCompared is how many letters of two keys count for their similarity.
const lettersCompared = 60

// mayBeVeryAlike reports whether two keys can reach the similarity veryAlike, judging by their beginnings and
// lengths. It assumes that every letter of the shorter key has a partner.
func mayBeVeryAlike(a, b string) bool {
	short, long := min(len(a), lettersCompared), min(len(b), lettersCompared)
	if short > long {
		short, long = long, short
	}
	if short == 0 {
		return false
	}
	head := 0.1 * float64(commonHead(a, b))
	jaro := (2 + float64(short)/float64(long)) / 3
	return jaro+head*(1-jaro) > veryAlike-1e-9
}

// commonHead is the number of letters with which both keys begin, at most four.
func commonHead(a, b string) (n int) {
	for n < min(len(a), len(b), 4) && a[n] == b[n] {
		n++
	}
	return n
}

// similar is the Jaro-Winkler similarity of two keys, of which the first lettersCompared count. The build compares hundreds of
// millions of keys, so this function finds partners in bit sets without a branch. That needs keys of capitals and digits;
// package likeness, which compares words of any alphabet, has a plain function for the same measure.
func similar(a, b string) float64 {
	a, b = a[:min(len(a), lettersCompared)], b[:min(len(b), lettersCompared)]
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return 0
	}
	// The letters of a common beginning are partners.
	head := 0
	for head < len(a) && a[head] == b[head] {
		head++
	}
	// in has for each letter the places in the rest of b where it stands, so that the letters of a find their
	// partners without a loop over b. Capitals and digits differ in their low six bits.
	var in [64]uint64
	for j := head; j < len(b); j++ {
		in[b[j]&63] |= 1 << (j & 63) // j is less than 64, which the compiler cannot know
	}
	// The loop has no branch on whether a letter has a partner, because the processor
	// could not predict it. Without a partner, partner is 0 and sets no bit.
	window := max(len(b)/2-1, 0)
	usedA := uint64(1)<<head - 1
	usedB := usedA
	near := uint64(1)<<(head+window+1) - 1 // beyond 63 the shift leaves 0, and this all
	near &^= uint64(1)<<max(head-window, 0) - 1
	for i := head; i < len(a); i++ {
		free := in[a[i]&63] & near &^ usedB
		partner := free & -free
		usedA |= (partner | -partner) >> 63 << (i & 63)
		usedB |= partner
		near <<= 1
		near |= uint64(i-window) >> 63 // the first letters are near the first of b
	}
	matches := bits.OnesCount64(usedA)
	if matches == 0 {
		return 0
	}
	swapped := uint32(0)
	beyond := ^uint64(0) << head
	for x, y := usedA&beyond, usedB&beyond; x != 0; x, y = x&(x-1), y&(y-1) {
		differ := uint32(a[bits.TrailingZeros64(x)] ^ b[bits.TrailingZeros64(y)])
		swapped += -differ >> 31 // 1 where they differ, without a branch
	}
	m := float64(matches)
	jaro := (m/float64(len(a)) + m/float64(len(b)) + (m-float64(swapped)/2)/m) / 3
	return jaro + float64(commonHead(a, b))*0.1*(1-jaro)
}

// isAcronym reports whether a key is the initials of a name.
func isAcronym(kx, k2 string) bool {
	n := 0
	for i := range len(k2) {
		if i == 0 || k2[i-1] == ' ' {
			if n == len(kx) || kx[n] != k2[i] {
				return false
			}
			n++
		}
	}
	return n == len(kx) && n >= 3
}

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
	if traits := orgname.TraitsOf(q.n.K2); e != ein.None && r.conflictsWithLine(&traits, e, otherBody) {
		return ein.None
	}
	return e
}

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
