package resolve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
)

// minAlias is the length below which a key found in parentheses or after "DBA" is too short to find an organization by.
const minAlias = 6

// maxNames bounds the other names kept for one organization, because some file under a new spelling every year.
const maxNames = 32

// UniverseBuilder gathers what the sources say about organizations. The result depends on the set of statements, not
// on their order. It is safe for concurrent use until Build.
type UniverseBuilder struct {
	listed [listedParts]listedPart // by EIN, in order
	filed  [filedParts]filedPart   // by name key, in order
}

// listedParts is the number of EIN ranges into which the statements are divided. Each range has its own lock, so that
// several sources can be read at once.
const listedParts = 32

// listedPart holds the statements about a range of EINs.
type listedPart struct {
	mu         sync.Mutex
	statements []statement
	last       map[ein.EIN]int32 // latest statement about an EIN, as index+1
	text       arena
	words      map[string]string // cities, each kept once
	codes      map[codes]*codes
}

func (b *UniverseBuilder) partOf(e ein.EIN) *listedPart {
	return &b.listed[min(e/((1_000_000_000+listedParts-1)/listedParts), listedParts-1)]
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

func NewUniverse() *UniverseBuilder {
	b := &UniverseBuilder{}
	for i := range b.listed {
		d := &b.listed[i]
		d.last, d.words, d.codes = map[ein.EIN]int32{}, map[string]string{}, map[codes]*codes{}
	}
	return b
}

// Add records what one source says about an organization. Sources names the source. Add ignores an Org without a
// source, an EIN or a name. It copies the strings.
func (b *UniverseBuilder) Add(o Org) {
	if o.Sources == 0 || o.EIN == ein.None || strings.TrimSpace(o.Name) == "" {
		return
	}
	d := b.partOf(o.EIN)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.add(statement{
		name: o.Name, street: o.Street, city: d.keepWord(o.City), zip5: d.keepZIP(o.ZIP5),
		codes:  d.keepCodes(codes{o.NTEE, o.Subsection, o.Foundation, o.Affiliation, o.Group, o.Deductible, o.FilingReq}),
		ruling: o.Ruling, lastPeriod: o.LastPeriod,
		revenue: o.Revenue, ein: o.EIN, asOf: o.AsOf, state: codeOf(o.State), source: o.Sources, active: o.Active,
	})
	for _, a := range o.Aliases {
		if strings.TrimSpace(a) != "" {
			d.add(statement{name: a, codes: noCodes, ein: o.EIN, asOf: o.AsOf, source: o.Sources, active: o.Active, alias: true})
		}
	}
	if s := strings.TrimSpace(o.SortName); s != "" && s != o.Name {
		d.add(statement{name: s, codes: noCodes, ein: o.EIN, asOf: o.AsOf, source: o.Sources, active: o.Active, alias: true, sort: true})
	}
	for _, l := range o.Others {
		d.add(statement{
			name: o.Name, street: l.Street, city: d.keepWord(l.City), zip5: d.keepZIP(l.ZIP5), state: codeOf(l.State),
			codes: noCodes, ein: o.EIN, asOf: o.AsOf - 1, source: o.Sources, active: o.Active,
		})
	}
}

// add keeps a statement unless it repeats an earlier one: most organizations file the same name and address every year.
func (d *listedPart) add(s statement) {
	head := d.last[s.ein]
	for at := head; at != 0; at = d.statements[at-1].next {
		have := &d.statements[at-1]
		if have.source == s.source && have.alias == s.alias && have.sort == s.sort && have.active == s.active && have.codes == s.codes &&
			have.name == s.name && have.street == s.street && have.city == s.city && have.zip5 == s.zip5 && have.state == s.state {
			if byAuthority(&s, have) < 0 {
				have.asOf, have.revenue, have.ruling, have.lastPeriod = s.asOf, s.revenue, s.ruling, s.lastPeriod
			}
			return
		}
	}
	s.name, s.street, s.next = d.text.keep(s.name), d.text.keep(s.street), head
	d.statements = append(d.statements, s)
	d.last[s.ein] = int32(len(d.statements))
}

// knows reports whether a list that was already read has the EIN.
func (b *UniverseBuilder) knows(e ein.EIN) bool {
	d := b.partOf(e)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last[e] != 0
}

// Build makes the universe. The builder cannot be used afterward.
func (b *UniverseBuilder) Build() *Universe {
	u := &Universe{prefixes: ein.Issued()}
	for i := range b.listed {
		for k := range b.listed[i].statements {
			u.prefixes.Add(b.listed[i].statements[k].ein)
		}
	}
	b.addFiledOnly(&u.prefixes)
	u.orgs = b.mergeStatements()
	said, names := b.sumFiled()
	*b = UniverseBuilder{}
	u.indexEINs()
	var filed []otherName
	parallel.All(
		func() { u.pairs = filedPairs(said); u.countFunders() },
		func() { filed = u.filedNames(names) },
	)
	u.names, u.index = indexOrgs(u.orgs, filed)
	parallel.All(
		func() { u.crowds = newCrowds(u.names.list, u.orgs) },
		func() { u.registry = newRegistry(said, names, u.prefixes) },
	)
	u.covered = coveredStates(u.orgs)
	return u
}

// mergeStatements makes the organizations, in order of EIN. The statements about each are linked, so that only a few
// are sorted at a time.
func (b *UniverseBuilder) mergeStatements() []Org {
	starts := make([]int, listedParts+1)
	for i := range b.listed {
		starts[i+1] = starts[i] + len(b.listed[i].last)
	}
	orgs := make([]Org, starts[listedParts])
	eachOnAllCores(listedParts, func(i int) {
		d := &b.listed[i]
		var said []*statement
		for k, e := range slices.Sorted(maps.Keys(d.last)) {
			said = said[:0]
			for at := d.last[e]; at != 0; at = d.statements[at-1].next {
				said = append(said, &d.statements[at-1])
			}
			slices.SortFunc(said, byAuthority)
			orgs[starts[i]+k] = merge(said)
		}
		*d = listedPart{}
	})
	return orgs
}

func eachOnAllCores(n int, fn func(i int)) {
	_ = parallel.Each(context.Background(), 0, n, func(_ context.Context, i int) error {
		fn(i)
		return nil
	})
}

// countFunders counts the distinct funders that filed the EIN of each organization. Both lists are sorted by EIN.
func (u *Universe) countFunders() {
	at := 0
	for i := range u.orgs {
		o := &u.orgs[i]
		for at < len(u.pairs) && ein.EIN(u.pairs[at]>>32) < o.EIN {
			at++
		}
		from := at
		for at < len(u.pairs) && ein.EIN(u.pairs[at]>>32) == o.EIN {
			at++
		}
		o.Pop = int32(at - from)
	}
}

// coveredStates are the states whose register was loaded: those with at least a tenth of the registered organizations
// of an average state. The register files of a few states also hold some organizations of other states.
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

// byAuthority sorts the statements about one EIN by authority: stronger source, then later date, then whole
// statements before aliases, then content. Sorting by content makes the result independent of the order of arrival.
func byAuthority(a, b *statement) int {
	if a.ein != b.ein {
		return cmp.Compare(a.ein, b.ein)
	}
	return cmp.Or(
		cmp.Compare(a.source.rank(), b.source.rank()),
		cmp.Compare(b.asOf, a.asOf),
		cmp.Compare(oneIf(a.alias), oneIf(b.alias)),
		cmp.Compare(oneIf(a.sort), oneIf(b.sort)),
		cmp.Compare(oneIf(b.active), oneIf(a.active)),
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

func (c *codes) compare(d *codes) int {
	if c == d {
		return 0
	}
	return cmp.Or(strings.Compare(c.ntee, d.ntee), strings.Compare(c.subsection, d.subsection),
		strings.Compare(c.foundation, d.foundation), strings.Compare(c.affiliation, d.affiliation),
		strings.Compare(c.group, d.group), strings.Compare(c.deductible, d.deductible), strings.Compare(c.filingReq, d.filingReq))
}

// merge makes one organization from the statements about it. The first statement wins, and later ones only add what
// is missing. An address is taken as a whole, so a street and a ZIP never come from different sources.
func merge(said []*statement) Org {
	o := Org{EIN: said[0].ein, AsOf: said[0].asOf, Name: said[0].name}
	placed := false
	for _, s := range said {
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
		fill(&o.Revenue, s.revenue)
	}
	slices.Sort(o.Aliases)
	if _, renamed := formerPart(o.Name); renamed || len(o.Aliases) > 0 {
		o.Known = knownNames(o.Name, said)
	}
	return o
}

func fill[T comparable](field *T, value T) { *field = cmp.Or(*field, value) }

// appendNames adds the keys of one organization in every state where it has an address. It calls other for each name
// besides the organization's own name n.
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
	// A sort name serves for lookup only, not for comparing names.
	for kx := range sortNameKeys(o, n) {
		put(kx, true)
	}
	return to
}

func (d *listedPart) keepWord(s string) string {
	if s == "" {
		return ""
	}
	if w, ok := d.words[s]; ok {
		return w
	}
	w := d.text.keep(s)
	d.words[w] = w
	return w
}

// keepZIP is keepWord for ZIPs, which come from a list of all ZIPs.
func (d *listedPart) keepZIP(zip5 string) string {
	if zip := zipCode(zip5); zip != 0 {
		return zipTexts()[zip]
	}
	return d.keepWord(zip5)
}

// zipTexts are all numbers of five digits.
var zipTexts = sync.OnceValue(func() []string {
	list := make([]string, maxZIP+1)
	digits := make([]byte, 0, 5*len(list))
	for i := range list {
		digits = fmt.Appendf(digits, "%05d", i)
	}
	all := string(digits)
	for i := range list {
		list[i] = all[5*i : 5*i+5]
	}
	return list
})

// noCodes is for organizations without any code in the register.
var noCodes = &codes{}

func (d *listedPart) keepCodes(c codes) *codes {
	if c == *noCodes {
		return noCodes
	}
	if p, ok := d.codes[c]; ok {
		return p
	}
	p := &codes{strings.Clone(c.ntee), strings.Clone(c.subsection), strings.Clone(c.foundation), strings.Clone(c.affiliation), strings.Clone(c.group),
		strings.Clone(c.deductible), strings.Clone(c.filingReq)}
	d.codes[*p] = p
	return p
}
