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
	names   []filedName // of EINs that filers state for several names, by EIN
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
	city   uint16 // a hash of the city; 0 for none
}

// shortCity shortens the number of a city for a funderStatement. Two cities of one state rarely share it.
func shortCity(city uint64) uint16 { return uint16(city ^ city>>16 ^ city>>32 ^ city>>48) }

func (a einCount) foundBy() uint64        { return a.kx }
func (s funderStatement) foundBy() uint64 { return s.kx }

func compareStatements(a, b funderStatement) int {
	if a.kx != b.kx {
		return cmp.Compare(a.kx, b.kx)
	}
	return cmp.Or(cmp.Compare(a.ein, b.ein), cmp.Compare(a.state, b.state), cmp.Compare(a.funder, b.funder), cmp.Compare(a.city, b.city))
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
func newRegistry(all []funderStatement, names []filedName, issued ein.Prefixes) registry {
	var counts []einCount
	for of := range radix.Runs(all, func(a, b funderStatement) bool { return a.kx == b.kx }) {
		counts = appendEINCounts(counts, of, &issued)
	}
	return registry{
		entries: newHashed(slices.Clip(counts)),
		said:    newHashed(slices.Clip(all)),
		issued:  issued,
		names:   severalNames(names),
	}
}

// severalNames keeps the names of EINs with more than one name, sorted by EIN.
func severalNames(names []filedName) (kept []filedName) {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b filedName) int { return cmp.Or(cmp.Compare(a.ein, b.ein), cmp.Compare(a.kx, b.kx)) })
	for of := range radix.Runs(names, func(a, b filedName) bool { return a.ein == b.ein }) {
		if len(of) > 1 {
			kept = append(kept, of...)
		}
	}
	return slices.Clip(kept)
}

// namesOf lists the names for which filers state an EIN, if there are several.
func (r *registry) namesOf(e ein.EIN) []filedName {
	compare := func(f filedName, e ein.EIN) int { return cmp.Compare(f.ein, e) }
	from, _ := slices.BinarySearchFunc(r.names, e, compare)
	to, _ := slices.BinarySearchFunc(r.names, e+1, compare)
	return r.names[from:to]
}

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
			here := einCount{kx: all.kx, ein: all.ein, state: in[0].state}
			for i := range in {
				here.rows += in[i].rows
				here.funders += uint32(oneIf(i == 0 || in[i].funder != in[i-1].funder))
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

func (r *registry) statements(kx string) []funderStatement { return r.said.of(hashKey(kx)) }

// believed reports whether enough funders, apart from one, give an EIN for a name to accept it as an organization.
func (r *registry) believed(e, funder ein.EIN, kx string) bool {
	return r.fundersOf(hashKey(kx), e, funder) >= filedFunders
}

// Stated counts the funders, apart from one, that state an EIN for a name, up to three.
func (r *Resolver) Stated(kx string, e, without ein.EIN) int {
	return r.u.registry.fundersOf(hashKey(kx), e, without)
}

// fundersOf counts the funders, apart from one, that state an EIN for a name, up to the number that is believed.
func (r *registry) fundersOf(kx uint64, e, without ein.EIN) (n int) {
	// Statements are sorted by state, so a funder that writes two states appears twice.
	var funders [filedFunders]ein.EIN
	for _, s := range r.said.of(kx) {
		if s.ein == e && s.funder != without && n < filedFunders && !slices.Contains(funders[:n], s.funder) {
			funders[n], n = s.funder, n+1
		}
	}
	return n
}

// Conditions for one EIN to dominate a name, in the country and in one state, and for the only EIN of a name to be credible.
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
		eins += int(oneIf(a.state == 0))
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

// onlyEINFiled finds the only EIN that filers state for a name in the line's state, or anywhere for a line without a
// state. Two funders are enough; one is enough if no other organization has the name. Otherwise, it finds the only EIN
// that filers state in the country, if they do so often enough and the place fits.
func (r *Resolver) onlyEINFiled(q *query, known []einCount) ein.EIN {
	n := q.n
	acronym := strings.IndexByte(n.K2, ' ') < 0 && len(n.KX) <= 6
	here := onlyStated(known, q.state)
	if here != nil && (here.funders >= agreeingFunders || !r.borneByOther(q, here.ein)) && (q.state != 0 || !acronym && len(n.KX) >= minNational) &&
		r.placeAllows(q, known, here.ein) && !r.statedForAnother(q, here) {
		return here.ein
	}
	only := onlyStated(known, 0)
	if only == nil || only.rows < crediblyOftenRows && only.funders < credibleFunders || acronym && here == nil {
		return ein.None
	}
	if o, ok := r.u.Lookup(only.ein); ok && o.State != "" && codeOf(o.State) != q.state && here == nil {
		return ein.None
	}
	if traits := n.Traits(); !r.placeAllows(q, known, only.ein) || r.conflictsWithLine(&traits, only.ein, otherBody) {
		return ein.None
	}
	return only.ein
}

// agreeingFunders is how many funders must state the same EIN for a name that other organizations have, too.
const agreeingFunders = 2

// onlyStated is the count of the only EIN that filers state for a name in a state, or in the country if the state is
// 0; nil if there are none or several.
func onlyStated(known []einCount, state stateCode) (only *einCount) {
	for i := range known {
		if a := &known[i]; a.state == state {
			if only != nil {
				return nil
			}
			only = a
		}
	}
	return only
}

// againstStated compares the answer of a rule with the only EIN that filers state for the same name in the line's city
// and state. The EIN that two funders state wins over any other organization, and one that one funder states wins over
// a group return. If one funder states another EIN, a rule that does not find the exact name says nothing.
func (r *Resolver) againstStated(q *query, m Match) Match {
	switch m.Rule {
	case Name, Fuzzy, Address, ZIP, Street, Model:
	default:
		return m
	}
	here := onlyStated(r.einCounts(q), q.state)
	if here == nil || here.ein == m.EIN || here.ein == q.barred || r.off[Registry] || !r.statedInCity(q, here.ein) {
		return m
	}
	o, ok := r.u.Lookup(m.EIN)
	groupReturn := ok && strings.Contains(strings.ToUpper(o.Name), "GROUP") && !strings.Contains(q.n.K2, "GROUP")
	switch wins := groupReturn || here.funders >= agreeingFunders; {
	case m.Rule == Name && !wins || r.statedForAnother(q, here):
		return m
	case wins:
		return found(Registry, here.ein)
	}
	return Match{}
}

// statedInCity reports whether a filer states an EIN for the line's name in the line's city.
func (r *Resolver) statedInCity(q *query, e ein.EIN) bool {
	city := shortCity(q.inCity())
	return city != 0 && slices.ContainsFunc(r.u.registry.statements(q.n.KX), func(s funderStatement) bool {
		return s.ein == e && s.state == q.state && s.city == city && s.funder != q.without
	})
}

// borneByOther reports whether an organization other than the stated one has the line's name.
func (r *Resolver) borneByOther(q *query, stated ein.EIN) bool {
	return slices.ContainsFunc(r.bearersOf(q), func(e nameEntry) bool { return r.u.eins[e.id] != stated && !r.excluded(q, e.id) })
}

// statedForAnother reports whether the stated EIN belongs to another organization than the one the line names: it is
// registered under a name that the line cannot mean, as many funders state it for such a name, or it is mistyped.
func (r *Resolver) statedForAnother(q *query, stated *einCount) bool {
	line, own, d := *q.t, q.n.Traits(), &r.u.index
	line.Filed = stated.ein
	if i, ok := r.u.position(stated.ein); !ok {
		mistyped := func(p namePrefix) bool {
			org := d.orgOf(p.name)
			return ein.OneSlip(stated.ein, r.u.eins[org]) && !d.facts[org].is(filedOnly)
		}
		if stated.funders == 1 && slices.ContainsFunc(d.withPrefix(q.n.KX), mistyped) {
			return true // the EIN of an organization whose name begins alike
		}
	} else {
		other := d.traits(uint32(i))
		if own.Conflicts(&other)&(orgname.Num|orgname.Dir|orgname.Aff) != 0 || !d.facts[i].is(filedOnly) && r.FiledNameConflict(&line, q.n) {
			return true
		}
	}
	enough := min(int(stated.funders), filedFunders)
	return slices.ContainsFunc(r.u.registry.namesOf(stated.ein), func(f filedName) bool {
		funders := r.u.registry.fundersOf(f.kx, f.ein, q.without)
		if f.kx == stated.kx || funders < enough {
			return false
		}
		n := orgname.Parse(f.spelling)
		if d.stationOf(n.K2, q.state) != noStation {
			return false // a station is a part of the organization that holds its license
		}
		// Filers state the EIN of a foundation for its university more often than the reverse.
		if len(n.K2) < len(q.n.K2) && funders == enough && strings.Contains(q.n.K2, n.K2) {
			return false
		}
		// A school or a museum of a university uses the EIN of the university.
		other := n.Traits()
		return !related(q.n.K2, q.n.KX, n.K2, n.KX) || own.Conflicts(&other)&hardConflicts&^orgname.Inst != 0
	})
}

// einCounts returns the registry's counts for a line's name, or nothing if the name is a single generic word.
func (r *Resolver) einCounts(q *query) []einCount {
	n, known := q.n, r.u.registry.entries.of(hashKey(q.n.KX))
	if len(known) > 0 && (q.without != ein.None || q.absent != ein.None) {
		// As if one funder had filed nothing and one organization did not exist.
		hidden := func(s funderStatement) bool { return s.funder == q.without || s.ein == q.absent }
		known = appendEINCounts(nil, slices.DeleteFunc(slices.Clone(r.u.registry.statements(n.KX)), hidden), &r.u.registry.issued)
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

// otherBody are conflicts with another number or direction, or with a body at the institution that a line names.
const otherBody = orgname.Num | orgname.Dir | orgname.Inst

// conflictsWithLine reports whether an EIN is registered under a name that conflicts with the line's.
func (r *Resolver) conflictsWithLine(traits *orgname.Traits, e ein.EIN, by orgname.Veto) bool {
	i, ok := r.u.position(e)
	if !ok {
		return false
	}
	other := r.u.index.traits(uint32(i))
	return traits.Conflicts(&other)&by != 0
}
