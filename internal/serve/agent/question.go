package agent

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"grantgraph/internal/ein"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/graph"
)

// family is a kind of question; its letter is that of the call. None asks for a count, which is easy to guess.
type family string

const (
	amountOf   family = "A1" // the amount that went to a recipient
	receiverOf family = "A2" // the recipient of an amount
	purposeOf  family = "A3" // the filed purpose
	totalOf    family = "B1" // the total of a recipient
	sharedBy   family = "X1" // the organization in the first call and in the second
	newcomerIn family = "C1" // the funder that came last
	gapBetween family = "C2" // how much more one funder gave than another
)

// makers make the question of each family, unless it has no answer or an ambiguous one.
var makers = map[family]func(*pages, spec) (it item, ok bool){
	amountOf: (*pages).amountOf, receiverOf: (*pages).receiverOf, purposeOf: (*pages).purposeOf, totalOf: (*pages).totalOf,
	sharedBy: (*pages).sharedBy, newcomerIn: (*pages).newcomerIn, gapBetween: (*pages).gapBetween,
}

// spec selects one question of a family. It is stored with the challenge and never contains the answer.
type spec struct {
	Family    family `json:"family"`
	Row       int    `json:"row,omitempty"`       // from 1
	Than      int    `json:"than,omitempty"`      // the row compared with
	Recipient string `json:"recipient,omitempty"` // identity of the recipient named
	Amount    int64  `json:"amount,omitempty"`    // named in the question
}

type item struct {
	spec  spec
	text  string
	named string // the name in the text, if there is one
	kind  AnswerType
	forms []string // accepted normal forms, the answer first
	space float64  // how many answers a guesser has to choose from
}

// pages are the rows that the calls of a challenge return, and their organizations.
type pages struct {
	grants     []graph.Grant
	recipients []graph.RecipientTotal
	funders    []graph.FunderTotal

	inGrants, inRecipients, inFunders cast
	purposes                          []string // of the grants, in the form that is compared
	other                             ein.EIN  // the funder of the second call
}

func newPages(t *trio, grants []graph.Grant, recipients []graph.RecipientTotal, funders []graph.FunderTotal) *pages {
	p := &pages{grants: grants, recipients: recipients, funders: funders, other: t.Other, inGrants: grantCast(grants)}
	for i := range recipients {
		p.inRecipients.add(recipients[i].ID, recipients[i].EIN, recipients[i].Name)
	}
	for i := range funders {
		p.inFunders.add(funderID(funders[i].EIN), funders[i].EIN, funders[i].Name)
	}
	for i := range grants {
		p.purposes = append(p.purposes, wording(grants[i].Purpose))
	}
	return p
}

// The fewest answers that a guesser must have to choose from.
const (
	minValues     = 500 // numbers
	minCandidates = 8   // organizations or texts on a page
	minSpace      = 1e5 // all questions together
)

// question makes the question of a spec; ok is false without an answer, or with one that is ambiguous or easy to guess.
func (p *pages) question(s spec) (it item, ok bool) {
	if maker := makers[s.Family]; maker != nil {
		it, ok = maker(p, s)
	}
	it.spec = s
	if it.kind == Organization || it.kind == Text {
		ok = ok && it.space >= minCandidates
	} else {
		ok = ok && it.space >= minValues
	}
	return it, ok && !it.told(it.text, it.named)
}

// specs lists all possible questions about the pages, by call and family.
func (p *pages) specs() [3][][]spec {
	var a1, a2, a3, b1, c2 []spec
	for i := range p.grants {
		g := &p.grants[i]
		if i >= 2 && i < 9 { // the largest grants are known from elsewhere
			a1 = append(a1, spec{Family: amountOf, Recipient: g.Recipient.ID})
		}
		a2 = append(a2, spec{Family: receiverOf, Amount: g.Amount})
		a3 = append(a3, spec{Family: purposeOf, Row: i + 1})
	}
	for i := range p.recipients {
		b1 = append(b1, spec{Family: totalOf, Row: i + 1})
	}
	for i := range p.funders {
		for j := i + 1; j < len(p.funders); j++ {
			c2 = append(c2, spec{Family: gapBetween, Row: i + 1, Than: j + 1})
		}
	}
	return [3][][]spec{{a1, a2, a3}, {b1, {{Family: sharedBy}}}, {{{Family: newcomerIn}}, c2}}
}

func (p *pages) amountOf(s spec) (item, bool) {
	to := func(g graph.Grant) bool { return g.Recipient.ID == s.Recipient }
	at := slices.IndexFunc(p.grants, to)
	if at < 0 || slices.ContainsFunc(p.grants[at+1:], to) {
		return item{}, false
	}
	g := &p.grants[at]
	if _, ok := p.inGrants.only(s.Recipient); !ok || !quotable(g.Recipient.Name) || p.paid(g.Amount) != 1 {
		return item{}, false
	}
	it := number(g.Amount, "In the rows of call 1, what is the amount, in whole dollars, of the grant whose recip_name is %q?", g.Recipient.Name)
	it.named = g.Recipient.Name
	return it, true
}

func (p *pages) paid(amount int64) (n int) {
	for i := range p.grants {
		if p.grants[i].Amount == amount {
			n++
		}
	}
	return n
}

func (p *pages) receiverOf(s spec) (item, bool) {
	i := slices.IndexFunc(p.grants, func(g graph.Grant) bool { return g.Amount == s.Amount })
	if i < 0 || p.paid(s.Amount) != 1 {
		return item{}, false
	}
	who, ok := p.inGrants.only(p.grants[i].Recipient.ID)
	if !ok {
		return item{}, false
	}
	return item{
		text: fmt.Sprintf("In the rows of call 1, which recipient got a grant of exactly $%s? Answer with its name or its EIN.", money.Grouped(s.Amount)),
		kind: Organization, forms: p.inGrants.forms(who), space: float64(recipients(p.grants)),
	}, true
}

func recipients(rows []graph.Grant) int {
	seen := make(map[string]bool, len(rows))
	for i := range rows {
		seen[rows[i].Recipient.ID] = true
	}
	return len(seen)
}

const (
	minWords, maxWords = 3, 8
	minText            = 12
)

func (p *pages) purposeOf(s spec) (item, bool) {
	if s.Row < 1 || s.Row > len(p.grants) {
		return item{}, false
	}
	text := p.purposes[s.Row-1]
	if n := strings.Count(text, " ") + 1; n < minWords || n > maxWords || len(text) < minText || len(text) > slipTo {
		return item{}, false
	}
	kinds := make(map[string]bool)
	for i, other := range p.purposes {
		if i != s.Row-1 && mistaken(text, other) {
			return item{}, false
		}
		kinds[other] = true
	}
	delete(kinds, "")
	return item{
		text: fmt.Sprintf("In the rows of call 1, what purpose is filed on row %d, counting from 1? Answer with its wording.", s.Row),
		kind: Text, forms: []string{textForm + text}, space: float64(len(kinds)),
	}, true
}

func (p *pages) totalOf(s spec) (item, bool) {
	if s.Row < 1 || s.Row > len(p.recipients) {
		return item{}, false
	}
	r := &p.recipients[s.Row-1]
	for i := range p.recipients {
		if i != s.Row-1 && p.recipients[i].Total == r.Total {
			return item{}, false
		}
	}
	return number(r.Total, "In the rows of call 2, what is the total_amount, in whole dollars, of the recipient on row %d, counting from 1?", s.Row), true
}

func (p *pages) sharedBy(spec) (item, bool) {
	// An agent knows the funders of both calls, so neither may be a recipient of the other.
	second := slices.Clone(p.inRecipients)
	second.add(funderID(p.other), p.other)
	var both []string
	for _, first := range p.inGrants {
		for _, other := range second {
			alike := first.ein != ein.None && first.ein == other.ein ||
				slices.ContainsFunc(first.keys, func(k string) bool { return slices.Contains(other.keys, k) })
			switch {
			case first.id == other.id:
				both = append(both, first.id)
			case alike:
				return item{}, false
			}
		}
	}
	if len(both) != 1 {
		return item{}, false
	}
	paid := slices.ContainsFunc(p.grants, func(g graph.Grant) bool { return g.Recipient.ID == both[0] })
	who, ok := p.inGrants.only(both[0])
	if _, also := p.inRecipients.only(both[0]); !ok || !also || !paid {
		return item{}, false
	}
	all := slices.Clone(p.inGrants)
	for _, party := range p.inRecipients {
		if party.id != both[0] {
			all = append(all, party)
		}
	}
	return item{
		text: "Which organization is a recipient both in the rows of call 1 and in the rows of call 2? Answer with its name or its EIN.",
		kind: Organization, forms: all.forms(who), space: float64(min(recipients(p.grants), len(p.inRecipients))),
	}, true
}

func (p *pages) newcomerIn(spec) (item, bool) {
	at, same := -1, false
	for i := range p.funders {
		switch {
		case at < 0 || p.funders[i].FirstYear > p.funders[at].FirstYear:
			at, same = i, false
		case p.funders[i].FirstYear == p.funders[at].FirstYear:
			same = true
		}
	}
	if at < 0 || same {
		return item{}, false
	}
	who, ok := p.inFunders.only(funderID(p.funders[at].EIN))
	if !ok {
		return item{}, false
	}
	return item{
		text: "In the rows of call 3, which funder has the latest first_fiscal_year? Answer with its name or its EIN.",
		kind: Organization, forms: p.inFunders.forms(who), space: float64(len(p.inFunders)),
	}, true
}

func (p *pages) gapBetween(s spec) (item, bool) {
	if s.Row < 1 || s.Row >= s.Than || s.Than > len(p.funders) {
		return item{}, false
	}
	return number(p.funders[s.Row-1].Total-p.funders[s.Than-1].Total,
		"In the rows of call 3, by how many whole dollars is the total_amount of row %d larger than that of row %d, counting from 1?", s.Row, s.Than), true
}

func number(v int64, format string, args ...any) item {
	return item{text: fmt.Sprintf(format, args...), kind: Integer, forms: []string{integerForm + strconv.FormatInt(v, 10)}, space: values(v)}
}

// values returns how many figures up to v are as round as v: a guesser has to choose from them. The steps are 1, 2.5 and 5
// times the powers of ten: 250,000 is the first of its kind, 61,250 the 245th.
func values(v int64) float64 {
	if v <= 0 {
		return 0
	}
	step := int64(1)
	for power := int64(1); power <= v && power <= math.MaxInt64/100; power *= 10 {
		middle := power * 10 / 4
		if power == 1 {
			middle = 0 // there is no step of 2.5 between whole dollars
		}
		for _, s := range [...]int64{power, middle, power * 5} {
			if s > step && v%s == 0 {
				step = s
			}
		}
	}
	return float64(v / step)
}

const maxQuote = 120

func quotable(name string) bool {
	return name != "" && len(name) <= maxQuote && !strings.ContainsFunc(name, func(r rune) bool {
		return r == '"' || r == '\\' || r == unicode.ReplacementChar || !unicode.IsPrint(r)
	})
}

// told reports whether a text, or the name in it, reveals the answer.
func (it *item) told(text, named string) bool {
	folded := orgname.Fold(strings.ReplaceAll(text, ",", ""))
	switch it.kind {
	case Integer:
		for _, run := range strings.FieldsFunc(folded, func(r rune) bool { return r < '0' || r > '9' }) {
			if integerForm+run == it.forms[0] {
				return true
			}
		}
	case Text:
		return strings.Contains(wording(text), it.forms[0][kindLen:])
	case Organization:
		squeezed := strings.ReplaceAll(wording(text), " ", "")
		return slices.ContainsFunc(it.forms, func(form string) bool { return strings.Contains(squeezed, form[kindLen:]) }) ||
			named != "" && slices.Contains(it.forms, nameForm+orgname.Key(named))
	}
	return false
}

// party is an organization with the keys of its names on the page, the canonical one first.
type party struct {
	id   string // recip_id, or the same for a funder
	ein  ein.EIN
	keys []string
}

// cast is the organizations of a page, each once, even if it is both funder and recipient.
type cast []party

func (c *cast) add(id string, e ein.EIN, names ...string) {
	i := slices.IndexFunc(*c, func(p party) bool { return p.id == id })
	if i < 0 {
		i = len(*c)
		*c = append(*c, party{id: id, ein: e})
	}
	p := &(*c)[i]
	for _, name := range names {
		if kx := orgname.Key(name); kx != "" && !slices.Contains(p.keys, kx) {
			p.keys = append(p.keys, kx)
		}
	}
}

func funderID(e ein.EIN) string { return "ein-" + e.String() }

func grantCast(rows []graph.Grant) (c cast) {
	for i := range rows {
		r := rows[i].Recipient
		c.add(r.ID, r.EIN, r.Name, rows[i].NameFiled)
	}
	for i := range rows {
		f := rows[i].Funder
		c.add(funderID(f.EIN), f.EIN, f.Name)
	}
	return c
}

// The lengths of keys of names that questions use, and of the shortest prefix accepted for one.
const (
	minKey    = 5
	maxKey    = 100
	minPrefix = 10
)

// only finds an organization by its identity: it has an EIN, and no other of the page has that EIN or name.
func (c cast) only(id string) (party, bool) {
	i := slices.IndexFunc(c, func(p party) bool { return p.id == id })
	if i < 0 || c[i].ein == ein.None || len(c[i].keys) == 0 {
		return party{}, false
	}
	p := c[i]
	if n := len(p.keys[0]); n < minKey || n > maxKey {
		return party{}, false
	}
	for j, other := range c {
		if j != i && (other.ein == p.ein || slices.Contains(other.keys, p.keys[0])) {
			return party{}, false
		}
	}
	return p, true
}

// forms returns the accepted ways to name the party: its names, its EIN, and prefixes with which no other name begins.
func (c cast) forms(p party) []string {
	list := []string{nameForm + p.keys[0], einForm + p.ein.String()}
	for k, key := range p.keys {
		alike := 0 // length of the prefix that another organization shares
		for _, other := range c {
			if other.id == p.id {
				continue
			}
			for _, theirs := range other.keys {
				alike = max(alike, common(key, theirs))
			}
		}
		if k > 0 && (alike == len(key) || len(key) > maxKey) {
			continue
		}
		for n := max(minPrefix, alike+1); n < len(key); n++ {
			list = append(list, nameForm+key[:n])
		}
		list = append(list, nameForm+key)
	}
	return unique(list)
}

func unique(list []string) []string {
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(s string) bool {
		twice := seen[s]
		seen[s] = true
		return twice
	})
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
