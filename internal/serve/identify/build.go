package identify

import (
	"context"
	"io"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/hash"
	"grantgraph/internal/orgname"
	"grantgraph/internal/radix"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
	"grantgraph/internal/typo"
)

const fileName = "identify/names.gg"

// Build writes the index of the names that organizations go by.
func Build(ctx context.Context, w *snapshot.Writer) error {
	c, err := read(ctx, w.Unpublished(), nil)
	if err != nil {
		return err
	}
	return w.WriteFile(fileName, func(out io.Writer) error { return c.write(out) })
}

// orgRow, funderRow and the like are what is read of the tables.
type orgRow struct {
	EIN       string   `parquet:"ein"`
	Name      string   `parquet:"name"`
	Aliases   []string `parquet:"aliases,list"`
	AlsoKnown []string `parquet:"also_known_as,list"`
	Former    []string `parquet:"former_names,list"`
	City      string   `parquet:"city,optional"`
	State     string   `parquet:"state,optional"`
	Revenue   *int64   `parquet:"revenue,optional"`
	Active    bool     `parquet:"active"`
	Sources   int32    `parquet:"sources"`
}

type einRow struct {
	EIN string `parquet:"ein"`
}

type funderRow struct {
	FunderEIN string `parquet:"funder_ein"`
	Grantees  int64  `parquet:"n_grantees"`
	TotalOut  int64  `parquet:"total_out"`
}

type filingRow struct {
	EIN          string `parquet:"ein"`
	TotalRevenue *int64 `parquet:"total_revenue,optional"`
}

// read makes the index from the tables of a snapshot. It leaves out the lines of the
// funders that skip reports, which measurements hold out.
func read(ctx context.Context, s *snapshot.Snapshot, skip func(ein.EIN) bool) (*columns, error) {
	var eins []ein.EIN
	for o, err := range snapshot.Rows[einRow](s, snapshot.Organizations) {
		if err != nil {
			return nil, err
		}
		eins = append(eins, ein.Stored(o.EIN))
	}
	position := func(e ein.EIN) (uint32, bool) {
		i := sort.Search(len(eins), func(i int) bool { return eins[i] >= e })
		return uint32(i), i < len(eins) && eins[i] == e
	}
	l := &learner{position: position, skip: skip, orgs: make([]mentioned, len(eins))}
	if err := l.learn(ctx, s); err != nil {
		return nil, err
	}
	b := newBuilder(len(eins))
	for i, e := range eins {
		b.orgs[i].EIN = uint32(e)
	}
	for r, err := range rowsOf[funderRow](s, snapshot.FunderKinds) {
		if err != nil {
			return nil, err
		}
		if org, ok := position(ein.Stored(r.FunderEIN)); ok {
			b.orgs[org].Out, b.orgs[org].Grantees = r.TotalOut, uint32(min(r.Grantees, math.MaxUint32))
		}
	}
	for r, err := range rowsOf[filingRow](s, snapshot.Orgs) {
		if err != nil {
			return nil, err
		}
		if org, ok := position(ein.Stored(r.EIN)); ok && r.TotalRevenue != nil {
			b.orgs[org].Revenue = *r.TotalRevenue
		}
	}
	org := uint32(0)
	for o, err := range snapshot.Rows[orgRow](s, snapshot.Organizations) {
		if err == nil && org&0xfff == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		b.add(org, &o, l)
		org++
	}
	return b.index(), nil
}

// rowsOf reads a table. A table that the snapshot lacks is empty.
func rowsOf[T any](s *snapshot.Snapshot, table string) iter.Seq2[T, error] {
	if !s.HasTable(table) {
		return func(func(T, error) bool) {}
	}
	return snapshot.Rows[T](s, table)
}

type builder struct {
	columns
	ids    map[string]uint32 // the vocabulary
	list   []string          // the same in the order of arrival
	names  []nameText
	flat   []uint32 // the words of names, as numbers in list
	cities map[string]uint32

	seen []uint64 // keys of the organization's names so far
	at   []int    // and where they are in names

	loose  map[uint64]mentioned // by name, the grants that no EIN is known for
	owners map[uint64]uint32    // of these names, how many organizations have them

	unproven bool // the name being added is

	unlisted map[uint64][]uint32 // by name, the organizations that only funders know
}

// nameText is a name on its way into the index.
type nameText struct {
	nameRecord
	from, to uint32 // in flat
	key      uint64
	initials []string
	unproven bool // it may be the name of another organization
}

func newBuilder(orgs int) *builder {
	b := &builder{ids: map[string]uint32{}, cities: map[string]uint32{"": 0}, owners: map[uint64]uint32{}, unlisted: map[uint64][]uint32{}}
	b.cityStart = []uint32{0, 0}
	b.orgs = make([]orgRecord, orgs)
	return b
}

func (b *builder) add(org uint32, o *orgRow, l *learner) {
	r, m := &b.orgs[org], &l.orgs[org]
	copy(r.State[:], o.State)
	city := orgname.City(o.City)
	id, known := b.cities[city]
	if !known {
		id = uint32(len(b.cities))
		b.cities[city] = id
		b.cityText = append(b.cityText, city...)
		b.cityStart = append(b.cityStart, uint32(len(b.cityText)))
	}
	r.City, r.In, r.Filers, b.loose = id, m.dollars, m.filers, l.loose
	if o.Revenue != nil {
		r.Revenue = max(r.Revenue, *o.Revenue)
	}
	if o.Active {
		r.Active = 1
	}
	b.seen, b.at = b.seen[:0], b.at[:0]
	listed := o.Sources != snapshot.SourceFunders && o.Sources != snapshot.SourceLine
	if !listed {
		key := hash.Of(orgname.Key(o.Name))
		b.unlisted[key] = append(b.unlisted[key], org)
	}
	b.spell(org, o.Name, registered, 0, 1)
	for _, list := range [][]string{o.Aliases, o.AlsoKnown, o.Former} {
		for _, name := range list {
			b.spell(org, name, other, 0, 1)
		}
	}
	n := 0
	for _, c := range l.of(org) {
		if n == maxCalled {
			break
		}
		if c.share >= leastShare {
			kind, kin := byFilers, c.near && b.kin(c.name, listed)
			if c.near && !kin {
				kind = byAddress
			}
			b.unproven = c.unproven() && !kin
			b.spell(org, c.name, kind, c.filers, c.share)
			b.unproven = false
			n++
		}
	}
}

// kin reports whether a name begins with the same two words as a name of the organization so far and may mean it, as at the
// same address. An organization that no list has goes by what a filer calls it, maybe the name of a fund or a program.
func (b *builder) kin(name string, listed bool) bool {
	n := orgname.Parse(name)
	words, traits := strings.Fields(n.K2), n.Traits()
	for _, at := range b.at {
		own := b.flat[b.names[at].from:b.names[at].to]
		if len(own) < 2 || len(words) < len(own) || b.list[own[0]] != words[0] || b.list[own[1]] != words[1] || b.names[at].Kind > other {
			continue
		}
		var text []string
		for _, w := range own {
			text = append(text, b.list[w])
		}
		if theirs := orgname.TraitsOf(strings.Join(text, " ")); !listed || traits.Conflicts(&theirs)&^(orgname.State|orgname.Inst) == 0 {
			return true
		}
	}
	return false
}

// spell adds a name, its other spellings and the names inside it: trade names and texts
// in parentheses, unless these name a beneficiary.
func (b *builder) spell(org uint32, name string, kind uint8, filers uint32, share float32) {
	n := orgname.Parse(name)
	b.addName(org, &n, name, kind, filers, share)
	if short, ok := Shorten(n.K2); ok {
		b.addName(org, &orgname.Name{K2: short, KX: strings.ReplaceAll(short, " ", "")}, short, kind, filers, share)
	}
	if whole, ok := withoutCut(name); ok {
		inner := orgname.Parse(whole)
		b.addName(org, &inner, whole, kind, filers, share)
	}
	if n.FBO {
		return
	}
	for _, a := range n.Aliases {
		inner := orgname.Parse(a)
		b.addName(org, &inner, a, max(kind, other), filers, share)
	}
}

func (b *builder) addName(org uint32, n *orgname.Name, name string, kind uint8, filers uint32, share float32) {
	if n.KX == "" {
		return
	}
	key := hash.Of(n.KX)
	if i := slices.Index(b.seen, key); i >= 0 {
		t := &b.names[b.at[i]]
		t.Filers += uint16(min(filers, uint32(math.MaxUint16-t.Filers)))
		for _, s := range initialsOf(name, n) {
			if !slices.Contains(t.initials, s) {
				t.initials = append(t.initials, s)
			}
		}
		return
	}
	b.seen, b.at = append(b.seen, key), append(b.at, len(b.names))
	if _, ok := b.loose[key]; ok && !b.unproven {
		b.owners[key]++
	}
	t := nameText{key: key, initials: initialsOf(name, n), unproven: b.unproven}
	t.nameRecord = nameRecord{Org: org, Kind: kind, Filers: uint16(min(filers, math.MaxUint16)), Share: uint8(255 * share)}
	b.addWords(&t, strings.Fields(n.K2))
}

func (b *builder) addWords(t *nameText, words []string) {
	t.from = uint32(len(b.flat))
	for _, w := range words[:min(len(words), maxWords)] {
		id, known := b.ids[w]
		if !known {
			id = uint32(len(b.list))
			b.list = append(b.list, strings.Clone(w))
			b.ids[b.list[id]] = id
		}
		b.flat = append(b.flat, id)
	}
	t.to = uint32(len(b.flat))
	b.names = append(b.names, *t)
}

// addSplit adds, for every name of the register with two words run together, the name
// with the words separated. It is a guess, so it counts as another name.
func (b *builder) addSplit() {
	counts := make([]int, len(b.list))
	for i := range b.names {
		for _, w := range b.flat[b.names[i].from:b.names[i].to] {
			counts[w]++
		}
	}
	count := func(word string) int {
		if id, known := b.ids[word]; known && int(id) < len(counts) {
			return counts[id]
		}
		return 0
	}
	var words []string
	for _, t := range b.names {
		if t.Kind > other {
			continue
		}
		words = words[:0]
		for _, w := range b.flat[t.from:t.to] {
			words = append(words, b.list[w])
		}
		if parted, ok := splitGlued(words, count); ok {
			t.Kind, t.initials, t.key = other, nil, hash.Of(strings.Join(parted, ""))
			b.addWords(&t, parted)
		}
	}
}

// addLoose gives the grants without a known EIN to the only organization that has their name, and
// removes unproven names that another organization has.
func (b *builder) addLoose() {
	for i := range b.names {
		n := &b.names[i]
		m, ok := b.loose[n.key]
		if !ok || n.unproven || b.owners[n.key] != 1 {
			continue
		}
		o := &b.orgs[n.Org]
		o.In, o.Filers = o.In+m.dollars, o.Filers+m.filers
		n.Filers += uint16(min(m.filers, uint32(math.MaxUint16-n.Filers)))
	}
	b.names = slices.DeleteFunc(b.names, func(n nameText) bool { return n.unproven && b.owners[n.key] > 0 })
}

// dropMistyped removes organizations that only funders know and whose EIN is one slip from that of
// a better known one of the same name: a filer mistyped it.
func (b *builder) dropMistyped() {
	mistyped := map[uint32]bool{}
	for i := range b.names {
		n := &b.names[i]
		for _, org := range b.unlisted[n.key] {
			mine, theirs := ein.EIN(b.orgs[org].EIN).String(), ein.EIN(b.orgs[n.Org].EIN).String()
			if b.orgs[org].Filers < b.orgs[n.Org].Filers && typo.OneSlip(mine, theirs) {
				mistyped[org] = true
			}
		}
	}
	b.names = slices.DeleteFunc(b.names, func(n nameText) bool { return mistyped[n.Org] })
}

// index sorts the names by prominence and makes the lists.
func (b *builder) index() *columns {
	c := &b.columns
	b.dropMistyped()
	b.addLoose()
	b.addSplit()
	var place []uint32
	c.words, place = typo.VocabularyOf(b.list)
	sorted := radix.Order(len(b.names), func(i uint32) uint64 {
		org := b.names[i].Org
		p := math.Float32bits(float32(c.orgs[org].prior(Either)))
		return uint64(^p)<<32 | uint64(org)
	}, nil)
	var keys, initials []radix.Item
	counts := make([]uint32, len(place)+1)
	for i, no := range sorted {
		n := &b.names[no]
		c.names = append(c.names, n.nameRecord)
		c.nameStart = append(c.nameStart, uint32(len(c.nameWords)))
		for k, w := range b.flat[n.from:n.to] {
			c.nameWords = append(c.nameWords, place[w])
			if !slices.Contains(b.flat[n.from:int(n.from)+k], w) {
				counts[place[w]+1]++
			}
		}
		keys = append(keys, radix.Item{Key: n.key, Of: uint32(i)})
		for _, s := range n.initials {
			initials = append(initials, radix.Item{Key: hash.Of(s), Of: uint32(i)})
		}
	}
	c.nameStart = append(c.nameStart, uint32(len(c.nameWords)))
	for w := range place {
		counts[w+1] += counts[w]
	}
	c.listStart = slices.Clone(counts)
	c.lists = make([]uint32, counts[len(place)])
	for i := range c.names {
		words := c.wordsOf(uint32(i))
		for k, w := range words {
			if !slices.Contains(words[:k], w) {
				c.lists[counts[w]] = uint32(i)
				counts[w]++
			}
		}
	}
	c.keys = tableOf(keys, math.MaxInt)
	c.initials = tableOf(initials, maxInitials)
	return c
}

// tableOf makes a table of at most most names for each key, the most prominent first.
func tableOf(list []radix.Item, most int) (t hashTable) {
	radix.Sort(list)
	run := 0
	for i, x := range list {
		if run++; i == 0 || list[i-1].Key != x.Key {
			run = 0
		}
		if run < most {
			t.hashes, t.names = append(t.hashes, x.Key), append(t.names, x.Of)
		}
	}
	return t
}

// small are the words that initials usually leave out.
var small = table.SetOf("AND OF THE FOR A AN IN AT TO ON WITH BY FROM INC")

// initialsOf lists the initials that may stand for a name: without small words, with a leading "The", with all words, and of
// the part before "at": UNC is the University of North Carolina at Chapel Hill.
func initialsOf(name string, n *orgname.Name) (list []string) {
	words := strings.Fields(n.K1)
	var main, all []byte
	part := ""
	for i, w := range words {
		if w == "AT" && i > 1 && part == "" {
			part = string(main)
		}
		all = append(all, w[0])
		if !small[w] {
			main = append(main, w[0])
		}
	}
	add := func(s string) {
		if len(s) >= 3 && len(s) <= 8 && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	add(string(main))
	add(n.KA())
	add(string(all))
	add(part)
	if strings.HasPrefix(strings.ToUpper(name), "THE ") {
		add("T" + string(main))
	}
	return list
}
