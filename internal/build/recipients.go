package build

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"grantgraph/internal/classify"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/orgname"
	"grantgraph/internal/resolve"
	"grantgraph/internal/resolve/model"
	"grantgraph/internal/source/irs990"
)

// Classes of a row.
const (
	individual = 1 << iota
	unidentified
	related
	suspect // an amount that its own return contradicts
)

// linked is what the build found out about each row, as columns beside those
// of lines, and about each funder.
type linked struct {
	ein         []ein.EIN
	rule        []resolve.Rule
	thousandths []uint16 // thousandths of probability, where the rule has no constant one
	model       *model.Model
	class       []uint8
	recip       []uint32 // into recips
	recips      *interner
	support     []grant.Support // per purpose, not per row

	rows    []uint32 // row numbers in the order of the grants table
	funders []funder // in EIN order
	kind    map[ein.EIN]*funder
}

// prob is the probability that the EIN of a row is right.
func (l *linked) prob(row uint32) float64 {
	if l.rule[row] == resolve.Model {
		return float64(l.thousandths[row]) / 1000
	}
	return l.rule[row].Prob()
}

// recipientFacts is what follows from a tuple alone.
type recipientFacts struct {
	match    resolve.Match
	nameless bool   // names nobody: a pointer to a list, an aggregate, nothing
	keyless  bool   // nothing is left of its name, as of "C/O A BANK": nobody, unless an EIN says who
	unknown  bool   // no organization has its name
	identity string // as an organization
}

// link resolves the recipient of every row, classifies rows and funders, and
// puts the rows in order.
func (b *builder) link(ctx context.Context, p *plan, c *choice, g *lines, u *resolve.Universe, overrides *resolve.Overrides, filers map[ein.EIN]*filer) (*linked, error) {
	people, err := b.learnPeople(ctx, p, c, u)
	if err != nil {
		return nil, err
	}
	relations, err := b.loadRelations(ctx, p, c)
	if err != nil {
		return nil, err
	}
	r, m, err := b.resolver(ctx, c, g, u, overrides, people)
	if err != nil {
		return nil, err
	}

	b.phase("resolve", int64(g.tuples.len()))
	known, err := b.openMatchCache(ctx, g.tuples.len())
	if err != nil {
		return nil, err
	}
	verdicts := make([]recipientFacts, g.tuples.len())
	neighbours := g.neighbours()
	err = b.chunks(ctx, len(verdicts), func(from, to int) {
		for _, i := range neighbours[from:to] {
			verdicts[i] = resolveRecipient(r, known, int(i), string(g.tuples.at(i)))
		}
		b.step(int64(to - from))
	})
	if err != nil {
		return nil, err
	}
	if err := b.saveMatchCache(known); err != nil {
		return nil, err
	}
	b.keptMatches, b.newMatches = int(known.kept.Load()), int(known.asked.Load())

	l := &linked{
		ein: make([]ein.EIN, len(g.amount)), rule: make([]resolve.Rule, len(g.amount)), class: make([]uint8, len(g.amount)),
		recip: make([]uint32, len(g.amount)), recips: newInterner(), thousandths: make([]uint16, len(g.amount)), model: m,
	}
	b.phase("classify", int64(len(g.amount)))
	relatedAttr, ruled := b.readAttrs(g), r.Funders()
	identities := make([]string, len(g.amount)) // where it differs from the tuple's
	err = b.chunks(ctx, len(g.amount), func(from, to int) {
		for row := from; row < to; row++ {
			identities[row] = b.resolveRow(r, c, g, l, row, &verdicts[g.tuple[row]], people, ruled, filers, relations, relatedAttr)
		}
		b.step(int64(to - from))
	})
	if err != nil {
		return nil, err
	}
	for row := range identities {
		if identities[row] == "" {
			identities[row] = verdicts[g.tuple[row]].identity
		}
	}
	if err := b.clusterAbroad(c, g, identities); err != nil {
		return nil, err
	}
	var key []byte
	for row, id := range identities {
		key = append(key[:0], id...)
		l.recip[row] = l.recips.id(key)
	}
	b.countConflicts(r, g, l, verdicts)

	l.support = make([]grant.Support, g.purposes.len())
	err = b.chunks(ctx, len(l.support), func(from, to int) {
		for i := from; i < to; i++ {
			l.support[i] = classify.SupportOf(string(g.purposes.at(uint32(i))))
		}
	})
	if err != nil {
		return nil, err
	}
	l.sort(c, g)
	l.sortFunders(c, g, filers)
	return l, nil
}

// neighbours are the tuples in order of place. Lines of one town are led to the
// same organizations, which are then still at hand.
func (g *lines) neighbours() []uint32 {
	at := make([]uint64, g.tuples.len())
	for i := range at {
		t := splitTuple(string(g.tuples.at(uint32(i))))
		for k := range 2 {
			at[i] = at[i]<<8 | uint64(letter(t.state, k))
		}
		for k := range 5 {
			at[i] = at[i]<<8 | uint64(letter(t.zip, k))
		}
	}
	return order(len(at), func(a, b uint32) int { return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b)) })
}

// letter is the k-th byte of a text, 0 where it has fewer.
func letter(s string, k int) byte {
	if k < len(s) {
		return s[k]
	}
	return 0
}

// resolveRecipient works out what tuple number at says by itself.
func resolveRecipient(r *resolve.Resolver, known *matchCache, at int, key string) (v recipientFacts) {
	t := splitTuple(key)
	n := t.parse()
	v.nameless = classify.Unidentified(&classify.Line{Name1: t.name1, Name2: t.name2, Person: t.person}, false)
	v.keyless = n.KX == ""
	rt := t.resolve()
	if !v.nameless {
		v.match = known.resolve(r, at, key, &rt, &n)
	}
	party := resolve.Organization
	if v.nameless {
		party = resolve.Unidentified
	} else {
		v.identity = r.RecipID(&rt, &n, v.match, party, ein.None)
	}
	v.unknown = v.match.EIN == ein.None && r.Universe().Named(n.KX) == 0
	return v
}

// parse takes the name of a tuple apart: the organization's, else the
// person's.
func (t *tuple) parse() orgname.Name {
	if t.name1 == "" && t.name2 == "" {
		return orgname.Parse(t.person)
	}
	return orgname.ParseLine(t.name1, t.name2, t.city, t.state)
}

func (t *tuple) resolve() resolve.Recipient {
	return resolve.Recipient{Name1: t.name1, Name2: t.name2, Street: t.street, City: t.city, State: t.state, ZIP: t.zip, Country: t.country, Filed: t.filed, TaxStatus: t.standing}
}

// resolveRow settles one row: whom it paid and which classes it is in. It
// returns the identity of the recipient where that depends on more than the
// tuple.
func (b *builder) resolveRow(r *resolve.Resolver, c *choice, g *lines, l *linked, row int, v *recipientFacts, people *classify.People,
	ruled []ein.EIN, filers map[ein.EIN]*filer, relations map[ein.EIN][]ein.EIN, relatedAttr []bool) string {
	f := &c.filings[g.filing[row]]
	m := v.match
	var t tuple
	split := func() *tuple {
		if t == (tuple{}) {
			t = splitTuple(string(g.tuples.at(g.tuple[row])))
		}
		return &t
	}
	own := m.EIN == f.ein
	if own || r.HistoryMayChange(m) || contains(ruled, f.ein) {
		rt, n := split().resolve(), t.parse()
		m = r.ForFunder(&rt, &n, m, f.ein, orgname.Key(filers[f.ein].name))
	}

	var class uint8
	// An EIN that was stated stands. A name that merely agrees with an
	// organization's does not make a person one.
	if !stated(m.Rule) {
		relationship, status := splitAttr(string(g.attrs.at(g.attr[row])))
		split()
		line := classify.Line{
			Name1: t.name1, Name2: t.name2, Person: t.person, Street: t.street, Status: status, Relationship: relationship,
			Purpose: string(g.purposes.at(g.purpose[row])), PF: irs990.Part(g.part[row]) == irs990.PFPaid,
		}
		// What the line says of itself comes before the rules; the classifier,
		// which only knows how people are called, after the surer ones. Where
		// the name stands in the element for persons, that is enough to ask it
		// first.
		person := classify.Individual(&line, nil)
		if !person && (m.Rule == resolve.None || m.Rule > resolve.Fuzzy || t.name1 == "" && t.name2 == "") {
			person = classify.Individual(&line, people)
		}
		switch {
		case person:
			class |= individual | unidentified
			m = resolve.Match{}
		case v.nameless, v.keyless && m.EIN == ein.None:
			class |= unidentified
		case v.unknown && m.EIN == ein.None && t.country == "" && f.account.Rows == 1 && g.amount[row] == f.declared:
			// One line for everything, naming nobody known: a pointer to a
			// list that was not e-filed. Abroad, hardly anybody is known.
			class |= unidentified
		}
	}
	if relatedAttr[g.attr[row]] || m.EIN != ein.None && (m.EIN == f.ein || contains(relations[f.ein], m.EIN)) {
		class |= related
	}
	if a := g.amount[row]; f.declared >= 0 && a > 1_000_000 && a*100 > f.declared*105 {
		class |= suspect
	}
	l.ein[row], l.rule[row], l.class[row] = m.EIN, m.Rule, class
	if m.Rule == resolve.Model {
		l.thousandths[row] = thousandths(m.Prob)
	}

	party := resolve.Organization
	switch {
	case class&individual != 0:
		party = resolve.Individual
	case class&unidentified != 0:
		party = resolve.Unidentified
	}
	if party == resolve.Organization && m == v.match {
		return ""
	}
	rt, n := split().resolve(), t.parse()
	return r.RecipID(&rt, &n, m, party, f.ein)
}

// stated reports whether the EIN was given by the filer or ruled on, rather
// than found.
func stated(r resolve.Rule) bool {
	return r == resolve.Filed || r == resolve.OverrideHuman || r == resolve.OverrideKeyError
}

func contains(sorted []ein.EIN, e ein.EIN) bool {
	_, ok := slices.BinarySearch(sorted, e)
	return ok
}

// readAttrs reads every distinct relationship text once.
func (b *builder) readAttrs(g *lines) []bool {
	relatedAttr := make([]bool, g.attrs.len())
	unknown := make([]bool, len(relatedAttr))
	for i := range relatedAttr {
		relationship, _ := splitAttr(string(g.attrs.at(uint32(i))))
		is, known := classify.RelatedText(relationship)
		relatedAttr[i], unknown[i] = is, !known
	}
	for _, a := range g.attr {
		if unknown[a] {
			b.report.UnknownRelations++
		}
	}
	return relatedAttr
}

// countConflicts counts the rows whose filed EIN belongs to an organization of
// quite another name.
func (b *builder) countConflicts(r *resolve.Resolver, g *lines, l *linked, verdicts []recipientFacts) {
	conflict := make([]int8, len(verdicts)) // 0 not looked at, 1 no, 2 yes
	for row, rule := range l.rule {
		if rule != resolve.Filed {
			continue
		}
		at := g.tuple[row]
		if conflict[at] == 0 {
			t := splitTuple(string(g.tuples.at(at)))
			rt, n := t.resolve(), t.parse()
			conflict[at] = 1
			if r.FiledNameConflict(&rt, &n) {
				conflict[at] = 2
			}
		}
		if conflict[at] == 2 {
			b.report.FiledNameConflicts++
		}
	}
}

// learnPeople trains the person classifier on the officers of the chosen
// returns against the names of organizations.
func (b *builder) learnPeople(ctx context.Context, p *plan, c *choice, u *resolve.Universe) (*classify.People, error) {
	b.phase("people", int64(len(p.shards)))
	t := classify.NewTrainer()
	for i := range p.shards {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for s, err := range readStaged[stagedPerson](ctx, b, &p.shards[i], "people") {
			if err != nil {
				return nil, err
			}
			if at := c.bySeq[i][s.Seq]; at >= 0 && c.filings[at].fate == chosen && s.Name != "" {
				t.AddPerson(s.Name)
			}
		}
		b.step(1)
	}
	for o := range u.All() {
		t.AddOrg(o.Name)
	}
	return t.Train(), nil
}

// loadRelations reads which organizations each filer names as related to it,
// in any year.
func (b *builder) loadRelations(ctx context.Context, p *plan, c *choice) (map[ein.EIN][]ein.EIN, error) {
	relations := make(map[ein.EIN][]ein.EIN)
	for i := range p.shards {
		for s, err := range readStaged[stagedRelated](ctx, b, &p.shards[i], "related") {
			if err != nil {
				return nil, err
			}
			at := c.bySeq[i][s.Seq]
			if at < 0 || c.filings[at].fate != chosen {
				continue
			}
			if e, ok := ein.Filed(s.EIN); ok {
				f := c.filings[at].ein
				relations[f] = append(relations[f], e)
			}
		}
	}
	for f, list := range relations {
		slices.Sort(list)
		relations[f] = slices.Compact(list)
	}
	return relations, nil
}

// sort puts the rows in the order of the grants table: funder, recipient,
// year, amount, and the filing's own order.
func (l *linked) sort(c *choice, g *lines) {
	rank := make([]uint32, l.recips.len())
	for i, id := range order(l.recips.len(), func(a, b uint32) int { return strings.Compare(string(l.recips.at(a)), string(l.recips.at(b))) }) {
		rank[id] = uint32(i)
	}
	pair := make([]uint64, len(g.amount))
	for row := range pair {
		pair[row] = uint64(c.filings[g.filing[row]].ein)<<32 | uint64(rank[l.recip[row]])
	}
	l.rows = order(len(g.amount), func(a, b uint32) int {
		if pair[a] != pair[b] {
			return cmp.Compare(pair[a], pair[b])
		}
		return cmp.Or(
			cmp.Compare(c.filings[g.filing[a]].year, c.filings[g.filing[b]].year),
			cmp.Compare(g.amount[a], g.amount[b]),
			cmp.Compare(g.origin[a], g.origin[b]),
			cmp.Compare(g.part[a], g.part[b]),
			cmp.Compare(g.line[a], g.line[b]),
		)
	})
}
