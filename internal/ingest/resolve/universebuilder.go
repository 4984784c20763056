package resolve

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
	"grantgraph/internal/place"
)

// filedFunders is how many distinct funders must file one EIN for one name
// before an organization that no list knows is believed to exist.
const filedFunders = 3

// minAlias is the length below which a key found in parentheses or after "DBA"
// is too short to find an organization by.
const minAlias = 6

// maxNames bounds the other names kept for one organization; some file under a
// new spelling every year.
const maxNames = 32

// UniverseBuilder gathers what the sources say about organizations. What it
// builds depends on the set of statements, not on their order. It is not safe
// for concurrent use.
type UniverseBuilder struct {
	statements []statement
	last       map[ein.EIN]int32 // latest statement about an EIN, as index+1
	text       arena
	words      map[string]string // cities, ZIPs and codes, each kept once
	codes      map[codes]*codes

	filed     []funderStatement // every EIN filed; gathered now and then
	sumAt     int
	unlisted  []unlistedLine
	spellings map[keyAndEIN]string // what filers call an EIN, one spelling for each key
}

// codes are the register's codes for an organization; few combinations exist.
type codes struct {
	ntee, subsection, foundation, affiliation, group string
	deductible, filingReq                            string
}

// statement is what one source says about one organization.
type statement struct {
	name, street, city string
	zip5               string
	codes              *codes
	revenue            int64
	ein                ein.EIN
	asOf               int32
	ruling, lastPeriod int32
	next               int32 // the statement before this one about the same EIN, as index+1
	state              stateCode
	source             Source
	active             bool
	alias              bool // only another name, no address
	sort               bool // an alias that is a sort name
}

// keyAndEIN is a name key that filers gave an EIN for.
type keyAndEIN struct {
	kx  uint64
	ein ein.EIN
}

// unlistedLine is one line that gave an EIN no list was known to hold.
type unlistedLine struct {
	filed, funder ein.EIN
	kx            uint64
	spelling      string
	at            Location
}

// NewUniverse starts an empty universe.
func NewUniverse() *UniverseBuilder {
	return &UniverseBuilder{
		last:  map[ein.EIN]int32{},
		words: map[string]string{},
		codes: map[codes]*codes{},
		sumAt: 1 << 20,

		spellings: map[keyAndEIN]string{},
	}
}

// Add records what one source says about an organization. Sources names that
// source; an Org without one, without an EIN or without a name says nothing
// and is ignored. The strings are copied.
func (b *UniverseBuilder) Add(o Org) {
	if o.Sources == 0 || o.EIN == ein.None || strings.TrimSpace(o.Name) == "" {
		return
	}
	s := statement{
		name: o.Name, street: o.Street, city: b.keepWord(o.City), zip5: b.keepWord(o.ZIP5),
		codes:  b.keepCodes(codes{o.NTEE, o.Subsection, o.Foundation, o.Affiliation, o.Group, o.Deductible, o.FilingReq}),
		ruling: o.Ruling, lastPeriod: o.LastPeriod,
		revenue: o.Revenue, ein: o.EIN, asOf: o.AsOf, state: codeOf(o.State), source: o.Sources, active: o.Active,
	}
	b.addStatement(s)
	for _, a := range o.Aliases {
		if strings.TrimSpace(a) != "" {
			b.addStatement(statement{name: a, codes: b.keepCodes(codes{}), ein: o.EIN, asOf: o.AsOf, source: o.Sources, active: o.Active, alias: true})
		}
	}
	if s := strings.TrimSpace(o.SortName); s != "" && s != o.Name {
		b.addStatement(statement{name: s, codes: b.keepCodes(codes{}), ein: o.EIN, asOf: o.AsOf, source: o.Sources, active: o.Active, alias: true, sort: true})
	}
	for _, l := range o.Others {
		b.addStatement(statement{
			name: o.Name, street: l.Street, city: b.keepWord(l.City), zip5: b.keepWord(l.ZIP5), state: codeOf(l.State),
			codes: b.keepCodes(codes{}), ein: o.EIN, asOf: o.AsOf - 1, source: o.Sources, active: o.Active,
		})
	}
}

// addStatement keeps a statement unless the same has been said: most
// organizations file the same name and address year after year.
func (b *UniverseBuilder) addStatement(s statement) {
	head := b.last[s.ein]
	for at := head; at != 0; at = b.statements[at-1].next {
		have := &b.statements[at-1]
		if have.source == s.source && have.alias == s.alias && have.sort == s.sort && have.active == s.active && have.codes == s.codes &&
			have.name == s.name && have.street == s.street && have.city == s.city && have.zip5 == s.zip5 && have.state == s.state {
			if s.asOf > have.asOf || s.asOf == have.asOf && s.revenue > have.revenue {
				have.asOf, have.revenue = s.asOf, s.revenue
			}
			return
		}
	}
	s.name, s.street, s.next = b.text.keep(s.name), b.text.keep(s.street), head
	b.statements = append(b.statements, s)
	b.last[s.ein] = int32(len(b.statements))
}

// AddFiled records that a funder stated an EIN for a recipient whose name has
// the key kx; once for every line that does. It counts towards the recipient's
// Pop and teaches the rules what names the recipient goes by, and an EIN that
// no source turns out to know becomes an organization when three distinct
// funders gave it for the same key. The strings are copied.
func (b *UniverseBuilder) AddFiled(funder, filed ein.EIN, kx, spelling string, at Location) {
	if filed == ein.None || filed == funder || kx == "" || strings.TrimSpace(spelling) == "" {
		return
	}
	if codeOf(at.State) == 0 {
		at.State, _ = place.State(at.State) // as the line is read when it is asked for
	}
	key := hashKey(kx)
	b.filed = append(b.filed, funderStatement{key, filed, funder, 1, codeOf(at.State)})
	if len(b.filed) >= b.sumAt {
		b.filed = sumStatements(b.filed)
		b.sumAt = max(1<<20, 2*len(b.filed))
	}
	// Any spelling with the key will do for its words; the first in order is
	// kept, so that the order of arrival does not show.
	as := keyAndEIN{key, filed}
	if have, ok := b.spellings[as]; !ok || spelling < have {
		b.spellings[as] = b.text.keep(spelling)
	}
	if b.last[filed] != 0 {
		return
	}
	b.unlisted = append(b.unlisted, unlistedLine{filed, funder, key, b.keepWord(spelling),
		Location{b.keepWord(at.Street), b.keepWord(at.City), b.keepWord(at.State), b.keepWord(at.ZIP5)}})
}

// Build makes the universe. The builder is spent.
func (b *UniverseBuilder) Build() *Universe {
	u := &Universe{prefixes: ein.Issued()}
	for i := range b.statements {
		u.prefixes.Add(b.statements[i].ein)
	}
	b.addFiledOnly(&u.prefixes)
	u.orgs = b.mergeStatements()
	said, spellings := b.filed, b.spellings
	*b = UniverseBuilder{}
	said = sumStatements(said)
	u.pairs = filedPairs(said)
	u.indexEINs()
	for i := range u.orgs {
		o := &u.orgs[i]
		o.Pop = u.Funders(o.EIN)
	}
	u.names, u.index = indexOrgs(u.orgs, u.filedNames(spellings))
	parallel.All(
		func() { u.crowds = newCrowds(u.names.entries, u.orgs) },
		func() { u.registry = newRegistry(said, u.prefixes) },
	)
	u.covered = coveredStates(u.orgs)
	return u
}

// mergeStatements makes the organizations, in order of EIN. The statements about
// each are found by the way they hang together, so that few are sorted at a time.
func (b *UniverseBuilder) mergeStatements() []Org {
	eins := slices.Sorted(maps.Keys(b.last))
	orgs := make([]Org, len(eins))
	onAllCores(len(eins), func(from, to int) {
		var said []statement
		for i := from; i < to; i++ {
			said = said[:0]
			for at := b.last[eins[i]]; at != 0; at = b.statements[at-1].next {
				said = append(said, b.statements[at-1])
			}
			slices.SortFunc(said, byAuthority)
			orgs[i] = merge(said)
		}
	})
	return orgs
}

// filedPairs are the EINs that were filed with the funders that filed them.
func filedPairs(said []funderStatement) []uint64 {
	pairs := make([]uint64, len(said))
	for i := range said {
		pairs[i] = uint64(said[i].ein)<<32 | uint64(said[i].funder)
	}
	slices.Sort(pairs)
	return slices.Clip(slices.Compact(pairs))
}

// coveredStates are the states that a register was loaded for: those with at
// least a tenth of the registered organizations of an average state. A universe
// made of a few states' files holds strays from all others.
func coveredStates(orgs []Org) map[stateCode]bool {
	counts := map[stateCode]int{}
	total := 0
	for i := range orgs {
		if orgs[i].Sources&BMF != 0 && orgs[i].State != "" {
			counts[codeOf(orgs[i].State)]++
			total++
		}
	}
	covered := map[stateCode]bool{}
	for state, n := range counts {
		covered[state] = n*600 >= total
	}
	return covered
}

// filedNames are what filers call the organizations of the universe.
func (u *Universe) filedNames(spellings map[keyAndEIN]string) []otherName {
	list := make([]otherName, 0, len(spellings))
	for as, spelling := range spellings {
		if i, ok := u.position(as.ein); ok {
			list = append(list, otherName{uint32(i), spelling, ""})
		}
	}
	onAllCores(len(list), func(from, to int) {
		var text arena
		for i := from; i < to; i++ {
			n := orgname.Parse(list[i].k2)
			list[i].k2, list[i].kx = text.keep(n.K2), text.keep(n.KX)
		}
	})
	slices.SortFunc(list, func(a, b otherName) int {
		return cmp.Or(cmp.Compare(a.org, b.org), strings.Compare(a.kx, b.kx), strings.Compare(a.k2, b.k2))
	})
	return slices.CompactFunc(list, func(a, b otherName) bool { return a.org == b.org && a.kx == b.kx })
}

// byAuthority puts the statements about one EIN in the order in which they are
// believed: stronger source, then later, then whole statements before aliases,
// then by content so that the order of arrival does not show.
func byAuthority(a, b statement) int {
	if a.ein != b.ein {
		return cmp.Compare(a.ein, b.ein)
	}
	return cmp.Or(
		cmp.Compare(a.source.rank(), b.source.rank()),
		cmp.Compare(b.asOf, a.asOf),
		yesFirst(!a.alias, !b.alias),
		yesFirst(!a.sort, !b.sort),
		yesFirst(a.active, b.active),
		strings.Compare(a.name, b.name),
		strings.Compare(a.street, b.street),
		strings.Compare(a.city, b.city),
		cmp.Compare(a.state, b.state),
		strings.Compare(a.zip5, b.zip5),
		cmp.Compare(b.revenue, a.revenue),
		cmp.Compare(a.source, b.source),
		a.codes.compare(b.codes),
		cmp.Compare(a.ruling, b.ruling),
		cmp.Compare(b.lastPeriod, a.lastPeriod),
	)
}

func yesFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func (c *codes) compare(d *codes) int {
	if c == d {
		return 0
	}
	return cmp.Or(strings.Compare(c.ntee, d.ntee), strings.Compare(c.subsection, d.subsection),
		strings.Compare(c.foundation, d.foundation), strings.Compare(c.affiliation, d.affiliation),
		strings.Compare(c.group, d.group), strings.Compare(c.deductible, d.deductible), strings.Compare(c.filingReq, d.filingReq))
}

// merge makes one organization of what is said about it, believing the first
// statement and letting later ones add only what is missing. An address is
// taken whole: a street of one source never joins the ZIP of another.
func merge(said []statement) Org {
	o := Org{EIN: said[0].ein, AsOf: said[0].asOf, Name: said[0].name}
	placed := false
	for i := range said {
		s := &said[i]
		o.Sources |= s.source
		o.Active = o.Active || s.active
		o.AsOf = max(o.AsOf, s.asOf)
		if s.sort {
			fill(&o.SortName, s.name)
			continue
		}
		if s.name != o.Name && len(o.Aliases) < maxNames && !slices.Contains(o.Aliases, s.name) {
			o.Aliases = append(o.Aliases, s.name)
		}
		if s.state != 0 || s.zip5 != "" || s.street != "" {
			at := Location{s.street, s.city, s.state.String(), s.zip5}
			switch own := (Location{o.Street, o.City, o.State, o.ZIP5}); {
			case !placed:
				o.Street, o.City, o.State, o.ZIP5 = at.Street, at.City, at.State, at.ZIP5
				placed = true
			case at != own && len(o.Others) < maxNames && !slices.Contains(o.Others, at):
				o.Others = append(o.Others, at)
			}
		}
		if o.City == "" && !placed {
			o.City = s.city
		}
		fill(&o.NTEE, s.codes.ntee)
		fill(&o.Subsection, s.codes.subsection)
		fill(&o.Foundation, s.codes.foundation)
		fill(&o.Affiliation, s.codes.affiliation)
		fill(&o.Group, s.codes.group)
		if s.source == BMF {
			fill(&o.Deductible, s.codes.deductible)
			fill(&o.FilingReq, s.codes.filingReq)
			fill(&o.Ruling, s.ruling)
			fill(&o.LastPeriod, s.lastPeriod)
		}
		if o.Revenue == 0 {
			o.Revenue = s.revenue
		}
	}
	slices.Sort(o.Aliases)
	if _, renamed := formerPart(o.Name); renamed || len(o.Aliases) > 0 {
		o.Known = knownNames(o.Name, said)
	}
	return o
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// addFiledOnly turns the evidence of filed EINs into organizations. An EIN with
// a prefix that was never issued is nobody's, however many file it.
func (b *UniverseBuilder) addFiledOnly(issued *ein.Prefixes) {
	lines := slices.DeleteFunc(b.unlisted, func(f unlistedLine) bool { return b.last[f.filed] != 0 || !issued.Has(f.filed) })
	slices.SortFunc(lines, func(x, y unlistedLine) int {
		return cmp.Or(cmp.Compare(x.filed, y.filed), cmp.Compare(x.kx, y.kx), cmp.Compare(x.funder, y.funder))
	})
	for i := 0; i < len(lines); {
		j, funders := i, 0
		for ; j < len(lines) && lines[j].filed == lines[i].filed && lines[j].kx == lines[i].kx; j++ {
			if j == i || lines[j].funder != lines[j-1].funder {
				funders++
			}
		}
		if funders >= filedFunders {
			spelling := mostFrequent(lines[i:j], func(f *unlistedLine) string { return f.spelling }, strings.Compare)
			at := mostFrequent(lines[i:j], func(f *unlistedLine) Location { return f.at }, CompareLocations)
			// A name given by more funders is believed first.
			b.Add(Org{EIN: lines[i].filed, Name: spelling, Street: at.Street, City: at.City, State: at.State, ZIP5: at.ZIP5,
				Sources: FiledOnly, Active: true, AsOf: int32(funders)})
		}
		i = j
	}
	b.unlisted = nil
}

// CompareLocations orders addresses by state, ZIP, city and street.
func CompareLocations(a, b Location) int {
	return cmp.Or(strings.Compare(a.State, b.State), strings.Compare(a.ZIP5, b.ZIP5),
		strings.Compare(a.City, b.City), strings.Compare(a.Street, b.Street))
}

// mostFrequent is the value most lines have, the first in order among equals.
func mostFrequent[T comparable](lines []unlistedLine, of func(*unlistedLine) T, compare func(a, b T) int) T {
	counts := map[T]int{}
	for i := range lines {
		counts[of(&lines[i])]++
	}
	best, most := of(&lines[0]), 0
	for v, n := range counts {
		if n > most || n == most && compare(v, best) < 0 {
			best, most = v, n
		}
	}
	return best
}

// appendNames adds the keys of one organization, in every state it has an
// address in, and shows each name it bears besides its own, n, to other.
func appendNames(to []nameEntry, id uint32, o *Org, n *orgname.Name, other func(*orgname.Name)) []nameEntry {
	put := func(kx string, alias bool) {
		h := hashKey(kx)
		to = append(to, nameEntry{h, id, codeOf(o.State), alias})
		for _, at := range o.Others {
			if at.State != o.State {
				to = append(to, nameEntry{h, id, codeOf(at.State), alias})
			}
		}
	}
	if n.KX != "" {
		put(n.KX, false)
	}
	add := func(n *orgname.Name) {
		if len(n.KX) >= minAlias {
			put(n.KX, true)
			other(n)
		}
	}
	for _, a := range n.Aliases {
		m := orgname.Parse(a)
		add(&m)
	}
	for _, a := range o.Aliases {
		m := orgname.Parse(a)
		add(&m)
		for _, a := range m.Aliases {
			m := orgname.Parse(a)
			add(&m)
		}
	}
	// By a sort name lines are looked up, but it is no name to compare with.
	for kx := range sortNameKeys(o, n) {
		put(kx, true)
	}
	return to
}

func (b *UniverseBuilder) keepWord(s string) string {
	if s == "" {
		return ""
	}
	if w, ok := b.words[s]; ok {
		return w
	}
	w := b.text.keep(s)
	b.words[w] = w
	return w
}

func (b *UniverseBuilder) keepCodes(c codes) *codes {
	if p, ok := b.codes[c]; ok {
		return p
	}
	p := &codes{strings.Clone(c.ntee), strings.Clone(c.subsection), strings.Clone(c.foundation), strings.Clone(c.affiliation), strings.Clone(c.group),
		strings.Clone(c.deductible), strings.Clone(c.filingReq)}
	b.codes[*p] = p
	return p
}
