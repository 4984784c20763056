package resolve

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
)

// registry holds the names under which filers have paid an EIN. It finds organizations whose registered name nobody
// uses, and shows which of several namesakes filers nearly always mean.
type registry struct {
	entries hashed[einCount]        // by name key, then EIN, then state
	said    hashed[funderStatement] // the statements behind the counts, in the same order
	issued  ein.Prefixes
}

// einCount is how often one EIN was stated for one name: in a state, or in the whole country if state is 0.
type einCount struct {
	kx      uint64
	ein     ein.EIN
	rows    uint32
	funders uint32
	state   stateCode
}

// funderStatement is one funder's statement of an EIN for a name, with its number of lines.
type funderStatement struct {
	kx     uint64
	ein    ein.EIN
	funder ein.EIN
	rows   uint32
	state  stateCode
}

func (a einCount) foundBy() uint64        { return a.kx }
func (s funderStatement) foundBy() uint64 { return s.kx }

func compareStatements(a, b funderStatement) int {
	if a.kx != b.kx {
		return cmp.Compare(a.kx, b.kx)
	}
	return cmp.Or(cmp.Compare(a.ein, b.ein), cmp.Compare(a.state, b.state), cmp.Compare(a.funder, b.funder))
}

// sumStatements adds up equal statements and sorts them. Most lines repeat from year to year.
func sumStatements(all []funderStatement) []funderStatement {
	slices.SortFunc(all, compareStatements)
	out := all[:0]
	for _, s := range all {
		if n := len(out); n > 0 && compareStatements(out[n-1], s) == 0 {
			out[n-1].rows += s.rows
			continue
		}
		out = append(out, s)
	}
	return out
}

// Below these counts, a statement is a typing error if many filers state another EIN.
const (
	loneFunders = 1
	manyFunders = 10
)

// newRegistry makes a registry from statements that are already added up.
func newRegistry(all []funderStatement, issued ein.Prefixes) registry {
	var counts []einCount
	for of := range radix.Runs(all, func(a, b funderStatement) bool { return a.kx == b.kx }) {
		counts = appendEINCounts(counts, of, &issued)
	}
	return registry{
		entries: newHashed(slices.Clip(counts)),
		said:    newHashed(slices.Clip(all)),
		issued:  issued,
	}
}

// appendEINCounts adds the counts for one name.
func appendEINCounts(to []einCount, said []funderStatement, issued *ein.Prefixes) []einCount {
	from := len(to)
	most := uint32(0)
	for of := range radix.Runs(said, func(a, b funderStatement) bool { return a.ein == b.ein }) {
		all := einCount{kx: of[0].kx, ein: of[0].ein}
		if !issued.Has(all.ein) {
			continue
		}
		var funders []ein.EIN
		for i := range of {
			all.rows += of[i].rows
			funders = append(funders, of[i].funder)
		}
		slices.Sort(funders)
		all.funders = uint32(len(slices.Compact(funders)))
		most = max(most, all.funders)
		to = append(to, all)
		for in := range radix.Runs(of, func(a, b funderStatement) bool { return a.state == b.state }) {
			here := einCount{kx: all.kx, ein: all.ein, state: in[0].state, funders: uint32(len(in))}
			for i := range in {
				here.rows += in[i].rows
			}
			if here.state != 0 {
				to = append(to, here)
			}
		}
	}
	if most < manyFunders {
		return to
	}
	// Drop a lone EIN together with its counts by state.
	lone := map[ein.EIN]bool{}
	for _, a := range to[from:] {
		if a.state == 0 && a.funders <= loneFunders {
			lone[a.ein] = true
		}
	}
	kept := slices.DeleteFunc(to[from:], func(a einCount) bool { return lone[a.ein] })
	return to[:from+len(kept)]
}

func (r *registry) find(kx string) []einCount { return r.entries.of(hashKey(kx)) }

// statements returns the statements about a name, by funder.
func (r *registry) statements(kx string) []funderStatement { return r.said.of(hashKey(kx)) }

// without returns the counts for a name as if one funder had filed nothing and one organization did not exist.
func (r *registry) without(kx string, funder, absent ein.EIN) []einCount {
	said := r.statements(kx)
	kept := make([]funderStatement, 0, len(said))
	for _, s := range said {
		if s.funder != funder && s.ein != absent {
			kept = append(kept, s)
		}
	}
	return appendEINCounts(nil, kept, &r.issued)
}

// believed reports whether enough funders, apart from one, give an EIN for a name to accept it as an organization.
func (r *registry) believed(e, funder ein.EIN, kx string) bool {
	// Statements are sorted by state, so a funder that writes two states appears twice.
	var funders [filedFunders]ein.EIN
	n := 0
	for _, s := range r.statements(kx) {
		if s.ein == e && s.funder != funder && !slices.Contains(funders[:n], s.funder) {
			if funders[n], n = s.funder, n+1; n == filedFunders {
				return true
			}
		}
	}
	return false
}

// Conditions for one EIN to dominate a name, in the country and in one state, and for the only EIN of a name to be
// credible.
const (
	dominantShare                      = 0.95
	dominantRows, dominantFunders      = 5, 3
	dominantRowsIn, dominantFundersIn  = 4, 2
	crediblyOftenRows, credibleFunders = 5, 3
)

// dominantAmongSeveral finds the EIN that filers nearly always state for a name shared by several organizations.
func (r *Resolver) dominantAmongSeveral(q *query, known []einCount) ein.EIN {
	eins := 0
	for _, a := range known {
		if a.state == 0 {
			eins++
		}
	}
	if eins < 2 && !r.nameKnown(q) {
		return ein.None
	}
	return r.dominant(q, known)
}

// dominant finds the EIN that filers nearly always state for a name.
func (r *Resolver) dominant(q *query, known []einCount) ein.EIN {
	state := q.state
	var rows, rowsIn uint32
	for _, a := range known {
		switch a.state {
		case 0:
			rows += a.rows
		case state:
			rowsIn += a.rows
		}
	}
	inState := ein.None
	for _, a := range known {
		switch {
		case a.state == 0:
			if a.rows >= dominantRows && a.funders >= dominantFunders && float64(a.rows) >= dominantShare*float64(rows) && r.placeAllows(q, known, a.ein) {
				return a.ein
			}
		case a.state == state:
			if a.rows >= dominantRowsIn && a.funders >= dominantFundersIn && float64(a.rows) >= dominantShare*float64(rowsIn) && r.placeAllows(q, known, a.ein) {
				inState = a.ein
			}
		}
	}
	return inState
}

// manyStates is the number of states in which filers must state an EIN for a name before the name counts as national.
// A national name means the same organization everywhere.
const manyStates = 3

// placeAllows reports whether the place of a line allows the EIN that dominates its name. Other filers' statements do
// not count for a line from a state where nobody used the EIN, or from the town of a namesake.
func (r *Resolver) placeAllows(q *query, known []einCount, e ein.EIN) bool {
	if by := r.sameNameByPlace(q); by != ein.None && by != e {
		return false
	}
	if q.state == 0 {
		return true
	}
	states, here := 0, false
	for _, a := range known {
		if a.ein == e && a.state != 0 {
			states++
			here = here || a.state == q.state
		}
	}
	i, ok := r.u.position(e)
	if !ok {
		return here || states >= manyStates
	}
	o := &r.u.orgs[i]
	if !here && states < manyStates && codeOf(o.State) != q.state {
		return false
	}
	for _, entry := range inState(r.bearersOf(q), q.state) {
		if rival := &r.u.orgs[entry.id]; int(entry.id) != i && rival.Active && !r.excluded(q, entry.id) {
			city := q.inCity()
			return q.zip == 0 && city == 0 || q.zip != 0 && r.isInZIP(uint32(i), q.zip) || city != 0 &&
				(r.u.index.facts[i].city == r.u.index.cityNo(city) || o.hadCity(city, q.state))
		}
	}
	return true
}

// onlyEINFiled finds the only EIN ever stated for a name, if filers stated it often enough and in a place that fits.
func (r *Resolver) onlyEINFiled(q *query, known []einCount) ein.EIN {
	n, state := q.n, q.state
	var only *einCount
	seenHere := false
	for i := range known {
		a := &known[i]
		switch {
		case a.state == 0 && only != nil:
			return ein.None
		case a.state == 0:
			only = a
		case a.state == state:
			seenHere = true
		}
	}
	if only == nil || only.rows < crediblyOftenRows && only.funders < credibleFunders {
		return ein.None
	}
	if acronym := strings.IndexByte(n.K2, ' ') < 0 && len(n.KX) <= 6; acronym && !seenHere {
		return ein.None
	}
	if o, ok := r.u.Lookup(only.ein); ok && o.State != "" && codeOf(o.State) != state && !seenHere {
		return ein.None
	}
	if !r.placeAllows(q, known, only.ein) {
		return ein.None
	}
	return only.ein
}

// einCounts returns the registry's counts for a line's name, or nothing if the name is a single generic word.
func (r *Resolver) einCounts(q *query) []einCount {
	n, known := q.n, r.u.registry.find(q.n.KX)
	if len(known) > 0 && (q.without != ein.None || q.absent != ein.None) {
		known = r.u.registry.without(n.KX, q.without, q.absent)
	}
	if len(known) > 0 && strings.IndexByte(n.K2, ' ') < 0 && len(r.bearersOf(q)) > genericOrgs {
		return nil
	}
	return known
}

// nameKnown reports whether any organization has the line's name.
func (r *Resolver) nameKnown(q *query) bool {
	return slices.ContainsFunc(r.bearersOf(q), func(e nameEntry) bool { return !r.excluded(q, e.id) })
}

// genericOrgs is the number of organizations from which a single word counts as generic.
const genericOrgs = 20

// conflictsWithLine reports whether an EIN is registered under a name that the line cannot mean: another number or
// direction, or a body at the institution that the line names.
func (r *Resolver) conflictsWithLine(traits *orgname.Traits, e ein.EIN) bool {
	i, ok := r.u.position(e)
	if !ok {
		return false
	}
	other := r.u.index.traits(uint32(i))
	return traits.Conflicts(&other)&(orgname.Num|orgname.Dir|orgname.Inst) != 0
}
