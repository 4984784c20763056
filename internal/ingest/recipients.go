package ingest

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/classify"
	"grantgraph/internal/ingest/resolve"
	"grantgraph/internal/ingest/source/discover"
	"grantgraph/internal/ingest/source/irs990"
	"grantgraph/internal/ingest/stage"
	"grantgraph/internal/orgname"
	"grantgraph/internal/parallel"
	"grantgraph/internal/radix"
)

// Classes of a row.
const (
	individual = 1 << iota
	unidentified
	related
	suspect // an amount that contradicts its own return
	masked  // the recipient is hidden
	nameConflict
	groupConflict
)

// recipients holds the recipient of each row, as columns parallel to those of lines.
type recipients struct {
	ein         []ein.EIN
	rule        []resolve.Rule
	thousandths []uint16 // of probability, if the rule has no constant one
	class       []uint8
	id          []uint32  // into ids
	ids         *interner // recipient ids
}

func newRecipients(rows int) *recipients {
	return &recipients{
		ein: make([]ein.EIN, rows), rule: make([]resolve.Rule, rows), thousandths: make([]uint16, rows), class: make([]uint8, rows),
		id: make([]uint32, rows), ids: newInterner(),
	}
}

// number numbers the recipients of the rows by identity, or by EIN if the identity is empty.
func (r *recipients) number(identities []string) {
	var key []byte
	byEIN := map[ein.EIN]uint32{}
	for row, identity := range identities {
		if identity != "" {
			key = append(key[:0], identity...)
			r.id[row] = r.ids.id(key)
			continue
		}
		e := r.ein[row]
		id, ok := byEIN[e]
		if !ok {
			key = e.Append(append(key[:0], resolve.EINPrefix...))
			id = r.ids.id(key)
			byEIN[e] = id
		}
		r.id[row] = id
	}
	r.ids.freeze()
}

func (r *recipients) conflict(row uint32) grant.Conflict {
	switch {
	case r.class[row]&nameConflict != 0:
		return grant.NameConflict
	case r.class[row]&groupConflict != 0:
		return grant.GroupConflict
	}
	return grant.NoConflict
}

// keptMatch is a match packed into eight bytes, because there are millions.
type keptMatch struct {
	ein         ein.EIN
	thousandths uint16 // of probability, if the rule has no constant one
	rule        resolve.Rule
	barred      bool
}

func keepMatch(m resolve.Match) keptMatch {
	k := keptMatch{ein: m.EIN, rule: m.Rule, barred: m.Barred}
	if m.Rule == resolve.Model {
		k.thousandths = uint16(m.Prob*1000 + 0.5)
	}
	return k
}

func (k keptMatch) match() resolve.Match {
	return resolve.Match{EIN: k.ein, Rule: k.rule, Prob: probability(k.rule, k.thousandths), Barred: k.barred}
}

func probability(rule resolve.Rule, thousandths uint16) float64 {
	if rule == resolve.Model {
		return float64(thousandths) / 1000
	}
	return rule.Prob()
}

// recipientFacts holds what depends on the recipient alone, not on the funder.
type recipientFacts struct {
	identity string // the identity used if the recipient has no EIN
	match    keptMatch
	own      classify.Named // what the name alone says
	judged   classify.Named // the same by the classifier of people's names, if asksPeople
	conflict grant.Conflict // between the filed EIN and the name
	nameless bool           // there is no named recipient: a pointer to a list, an aggregate, or no name
	keyless  bool           // its key is empty, as that of "C/O A BANK": it names nobody unless it has an EIN
	listing  bool           // its name ends in a word for a list
}

// asksPeople reports whether the classifier of people's names may overrule a match. The most reliable rules
// are not overruled, unless the name was filed in the element for persons.
func asksPeople(rule resolve.Rule, t *resolve.Recipient) bool {
	return rule == resolve.None || rule > resolve.Fuzzy || t.Name1 == "" && t.Name2 == ""
}

type recipientFinder struct {
	*corpus
	resolver  *resolve.Resolver
	people    *classify.People
	ruled     []ein.EIN             // funders that some override is about
	recalls   []bool                // by filing: whether the history knows whom its filer has paid
	relations map[ein.EIN][]ein.EIN // the organizations that each filer names as related
	said      []classify.Relation   // by relation of a line
	facts     []recipientFacts      // by recipient
	funders   funderMatches
}

// funderMatches holds the matches that depend on the funder. Most funders pay a
// recipient for years, so each pair is looked up once.
type funderMatches struct {
	pairs   []uint64 // funder and recipient, sorted
	matches []keptMatch
}

func funderPair(recipient uint32, funder ein.EIN) uint64 {
	return uint64(funder)<<32 | uint64(recipient)
}

func (b *builder) findRecipients(ctx context.Context, c *corpus) (err error) {
	f := &recipientFinder{corpus: c}
	overrides, err := b.overrides(ctx, discover.Overrides, resolve.ReadOverrides, c.universe)
	if err != nil {
		return err
	}
	if f.people, err = b.learnPeople(ctx, c); err != nil {
		return err
	}
	if f.relations, err = b.loadRelations(ctx, c); err != nil {
		return err
	}
	if f.resolver, err = b.resolver(ctx, c, overrides, f.people); err != nil {
		return err
	}
	f.ruled = f.resolver.Funders()
	c.people = f.people
	if err := b.resolveAll(ctx, f); err != nil {
		return err
	}

	rows := len(c.lines.amount)
	c.recipients = newRecipients(rows)
	b.phase("classify", int64(rows))
	f.said = b.readRelations(c.lines)
	f.recalls = make([]bool, len(f.filings))
	err = b.each(ctx, len(f.filings), func(i int) { f.recalls[i] = f.resolver.Recalls(f.filings[i].ein) })
	if err != nil {
		return err
	}
	if err := b.matchFunders(ctx, f); err != nil {
		return err
	}
	identities := make([]string, rows)
	foreign := make([][]uint32, chunkCount(rows)) // rows paid abroad
	err = b.chunks(ctx, rows, func(from, to int) {
		found := &foreign[from/chunkSize]
		for row := from; row < to; row++ {
			identities[row] = f.resolveRow(uint32(row))
			if isAbroad(identities[row]) {
				*found = append(*found, uint32(row))
			}
		}
		b.step(int64(to - from))
	})
	if err != nil {
		return err
	}
	b.maskIndividuals(c, identities)
	if err := b.clusterAbroad(c, identities, slices.Concat(foreign...)); err != nil {
		return err
	}
	c.recipients.number(identities)
	b.countConflicts(c.recipients)

	c.support = make([]grant.Support, c.lines.purposes.len())
	return b.each(ctx, len(c.support), func(i int) {
		c.support[i] = classify.SupportOf(c.lines.purposes.at(uint32(i)))
	})
}

func (b *builder) resolveAll(ctx context.Context, f *recipientFinder) error {
	n := f.lines.recipients.len()
	b.phase("resolve", int64(n))
	f.facts = make([]recipientFacts, n)
	f.lines.telling = make([]uint64, n)
	byPlace := f.lines.byPlace()
	return b.chunks(ctx, n, func(from, to int) {
		var last namedRecipient
		for _, i := range byPlace[from:to] {
			f.facts[i] = f.resolve(i, &last)
		}
		b.step(int64(to - from))
	})
}

// namedRecipient holds what follows from the names and the town of a recipient,
// independent of its street, foundation status and filed EIN.
type namedRecipient struct {
	read    bool
	of      resolve.Recipient
	name    orgname.Name
	ein     ein.EIN // candidates found by the name alone
	own     classify.Named
	telling uint64
	listing bool
}

// readName reads the names of a recipient, unless the previous recipient has the same names.
func (f *recipientFinder) readName(t *resolve.Recipient, last *namedRecipient) {
	if o := &last.of; last.read && o.Name1 == t.Name1 && o.Name2 == t.Name2 && o.Person == t.Person &&
		o.City == t.City && o.State == t.State && o.ZIP == t.ZIP && o.Country == t.Country {
		return
	}
	n, line := t.ParseName(), classifierLine(t)
	*last = namedRecipient{read: true, of: *t, name: n, own: classify.ReadName(&line), listing: classify.Listing(t.Name())}
	last.telling = classify.Signature(classify.Telling(n.K2, t.City))
	if !last.own.Unidentified() {
		last.ein = f.resolver.Named(t, &n)
	}
}

// resolve finds what depends on the i-th recipient alone. last is the previous recipient in order of place.
func (f *recipientFinder) resolve(i uint32, last *namedRecipient) (facts recipientFacts) {
	t := f.lines.recipient(i)
	f.readName(&t, last)
	n, line := &last.name, classifierLine(&t)
	facts.own, facts.listing = last.own, last.listing
	facts.nameless = facts.own.Unidentified()
	facts.keyless = n.KX == ""
	f.lines.telling[i] = last.telling
	if !facts.nameless {
		m := f.resolver.ResolveNamed(&t, n, last.ein)
		if m.EIN == ein.None {
			facts.identity = f.resolver.RecipID(&t, n, m, resolve.Organization, ein.None)
		}
		facts.match = keepMatch(m)
	}
	if t.Filed != ein.None {
		facts.conflict = f.resolver.FiledConflict(&t, n)
	}
	if !isStated(facts.match.rule) && asksPeople(facts.match.rule, &t) {
		facts.judged = facts.own.By(f.people, &line)
	}
	return facts
}

func classifierLine(t *resolve.Recipient) classify.Line {
	return classify.Line{Name1: t.Name1, Name2: t.Name2, Person: t.Person, Street: t.Street, City: t.City}
}

// funderMatters reports whether the match may depend on the funder of a row.
func (f *recipientFinder) funderMatters(m keptMatch, row uint32) bool {
	filing := f.lines.filing[row]
	funder := f.filings[filing].ein
	return m.ein == funder || f.recalls[filing] && f.resolver.HistoryMayChange(m.match()) || contains(f.ruled, funder)
}

func (b *builder) matchFunders(ctx context.Context, f *recipientFinder) error {
	pairs, err := b.funderPairs(ctx, f)
	if err != nil {
		return err
	}
	f.funders = funderMatches{pairs, make([]keptMatch, len(pairs))}
	// The pairs of one funder are next to each other, so its history is read once.
	return b.each(ctx, len(pairs), func(i int) {
		no, funder := uint32(pairs[i]), ein.EIN(pairs[i]>>32)
		t := f.lines.recipient(no)
		n := t.ParseName()
		m := f.facts[no].match.match()
		var funderKey string
		if m.EIN == funder {
			funderKey = orgname.Key(f.filers[funder].name)
		}
		f.funders.matches[i] = keepMatch(f.resolver.ForFunder(&t, &n, m, funder, funderKey))
	})
}

// funderPairs are the pairs of funder and recipient whose match depends on both, sorted.
func (b *builder) funderPairs(ctx context.Context, f *recipientFinder) ([]uint64, error) {
	rows := len(f.lines.recipientNo)
	parts := make([][]uint64, chunkCount(rows))
	err := b.chunks(ctx, rows, func(from, to int) {
		var pairs []uint64
		for row := from; row < to; row++ {
			if no := f.lines.recipientNo[row]; f.funderMatters(f.facts[no].match, uint32(row)) {
				pairs = append(pairs, funderPair(no, f.filingOf(uint32(row)).ein))
			}
		}
		slices.Sort(pairs)
		parts[from/chunkSize] = slices.Compact(pairs)
	})
	if err != nil {
		return nil, err
	}
	pairs := slices.Concat(parts...)
	slices.Sort(pairs)
	return slices.Compact(pairs), nil
}

// resolveRow decides the recipient and the classes of one row. It returns the identity of a recipient without an EIN.
func (f *recipientFinder) resolveRow(row uint32) string {
	filing := f.filingOf(row)
	facts := &f.facts[f.lines.recipientNo[row]]
	m := facts.match
	if f.funderMatters(m, row) {
		at, _ := slices.BinarySearch(f.funders.pairs, funderPair(f.lines.recipientNo[row], filing.ein))
		m = f.funders.matches[at]
	}
	var t resolve.Recipient
	split := func() *resolve.Recipient {
		if t == (resolve.Recipient{}) {
			t = f.recipientOf(row)
		}
		return &t
	}

	var class uint8
	// A filed EIN is kept. For a person, a name that agrees with an organization's name is not enough for a match.
	if !isStated(m.rule) {
		said := f.said[f.lines.relationNo[row]]
		purpose := f.lines.purposes.at(f.lines.purpose[row])
		pf := irs990.Part(f.lines.part[row]) == irs990.PFPaid
		judged := facts.judged
		if m.rule != facts.match.rule {
			if judged = 0; asksPeople(m.rule, split()) {
				line := classifierLine(&t)
				judged = facts.own.By(f.people, &line)
			}
		}
		if judged == 0 {
			judged = facts.own // nobody asked the classifier
		}
		person := judged.Individual(said, purpose, pf)
		switch {
		case person:
			class |= individual | unidentified
			m = keptMatch{}
		case facts.nameless, facts.keyless && m.ein == ein.None,
			m.ein == ein.None && facts.listing && classify.OwnList(split().Name(), f.filers[filing.ein].name):
			class |= unidentified
		}
	}
	if f.said[f.lines.relationNo[row]].Related || m.ein != ein.None && (m.ein == filing.ein || contains(f.relations[filing.ein], m.ein)) {
		class |= related
	}
	if a := f.lines.amount[row]; filing.declared >= 0 && a > 1_000_000 && a*100 > filing.declared*105 {
		class |= suspect
	}
	if m.rule == resolve.Filed {
		switch facts.conflict {
		case grant.NameConflict:
			class |= nameConflict
		case grant.GroupConflict:
			class |= groupConflict
		}
	}
	r := f.recipients
	r.ein[row], r.rule[row], r.thousandths[row], r.class[row] = m.ein, m.rule, m.thousandths, class

	party := resolve.Organization
	switch {
	case class&individual != 0:
		party = resolve.Individual
	case class&unidentified != 0:
		party = resolve.Unidentified
	}
	switch {
	case m.ein != ein.None:
		return ""
	case party == resolve.Organization && m == facts.match:
		return facts.identity
	}
	n := split().ParseName()
	return f.resolver.RecipID(&t, &n, m.match(), party, filing.ein)
}

// isStated reports whether the EIN was filed or set by an override, rather than found.
func isStated(r resolve.Rule) bool {
	return r == resolve.Filed || r == resolve.OverrideHuman || r == resolve.OverrideKeyError
}

func contains(sorted []ein.EIN, e ein.EIN) bool {
	_, ok := slices.BinarySearch(sorted, e)
	return ok
}

func (b *builder) readRelations(g *lines) []classify.Relation {
	said := make([]classify.Relation, g.relations.len())
	for i := range said {
		said[i] = classify.ReadRelation(relationKey(g.relations.at(uint32(i))).split())
	}
	for _, at := range g.relationNo {
		if said[at].Unclear {
			b.report.UnknownRelations++
		}
	}
	return said
}

// countConflicts counts the rows whose filed EIN belongs to an organization with a very different name, or to
// the central organization of a group while the line names a member.
func (b *builder) countConflicts(r *recipients) {
	for _, class := range r.class {
		switch {
		case class&nameConflict != 0:
			b.report.FiledNameConflicts++
		case class&groupConflict != 0:
			b.report.FiledGroupConflicts++
		}
	}
}

// learnPeople trains the person classifier on the officers of the chosen returns against the names of organizations.
func (b *builder) learnPeople(ctx context.Context, c *corpus) (*classify.People, error) {
	b.phase("people", int64(c.stage.Shards()))
	t := classify.NewTrainer()
	for i := range c.stage.Shards() {
		for s, err := range stage.Rows[stage.PersonName](ctx, c.stage, i) {
			if err != nil {
				return nil, err
			}
			if c.chosenFiling(i, s.Seq) != nil && s.Name != "" {
				t.AddPerson(s.Name)
			}
		}
		b.step(1)
	}
	for o := range c.universe.All() {
		t.AddOrg(o.Name)
	}
	return t.Train(), nil
}

// loadRelations reads which organizations name each other as related, in any year:
// each has those that it names and those that name it.
func (b *builder) loadRelations(ctx context.Context, c *corpus) (map[ein.EIN][]ein.EIN, error) {
	relations := make(map[ein.EIN][]ein.EIN)
	err := eachChosen(ctx, c, func(s *stage.RelatedEIN, f *filing) error {
		if e, ok := ein.Filed(s.EIN); ok {
			relations[f.ein], relations[e] = append(relations[f.ein], e), append(relations[e], f.ein)
		}
		return nil
	})
	for f, list := range relations {
		slices.Sort(list)
		relations[f] = slices.Compact(list)
	}
	return relations, err
}

// Recipients are processed by place and then by name, for two reasons. Recipients of one town lead to the
// same organizations, which are then still in the cache. Recipients that differ only in street, foundation
// status or EIN are next to each other, so their common work is done once.

// The sort key of a recipient is one number: its place in the high bits, and a hash of its name and city in
// the low bits, so that equal recipients come together.
const (
	placeBits = 18
	nameBits  = 64 - placeBits
)

func (g *lines) byPlace() []uint32 {
	n := g.recipients.len()
	keys, places := make([]uint64, n), make([]uint32, n)
	parallel.Ranges(n, parallel.Parts(n, 32<<10), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			names, city, state, zip := g.recipientKey(uint32(i)).nameAndPlace()
			hash := maphash.String(orderSeed, names) ^ maphash.String(orderSeed, city)
			keys[i] = placeNumber(state, zip)<<nameBits | hash>>placeBits
			places[i] = uint32(keys[i] >> nameBits)
		}
	})
	starts, order := radix.Group(places, 1<<placeBits)
	parallel.Ranges(1<<placeBits, 64, func(_, lo, hi int) {
		for place := lo; place < hi; place++ {
			slices.SortFunc(order[starts[place]:starts[place+1]], func(a, b uint32) int {
				return cmp.Or(cmp.Compare(keys[a], keys[b]), cmp.Compare(a, b))
			})
		}
	})
	return order
}

var orderSeed = maphash.MakeSeed()

// placeNumber is the ZIP code if there is one, or else the state. Neighboring ZIP codes are mostly in one state.
func placeNumber(state, zip string) (at uint64) {
	const zips = 100_000
	for i := range 5 {
		if i >= len(zip) || zip[i] < '0' || zip[i] > '9' {
			return zips + stateNumber(state)
		}
		at = at*10 + uint64(zip[i]-'0')
	}
	return at
}

// stateNumber gives each state code a number; any other text gives 0.
func stateNumber(state string) uint64 {
	if len(state) != 2 || state[0] < 'A' || state[0] > 'Z' || state[1] < 'A' || state[1] > 'Z' {
		return 0
	}
	return 1 + uint64(state[0]-'A')*26 + uint64(state[1]-'A')
}
