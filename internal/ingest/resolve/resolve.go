// Package resolve finds the organization that a grant line names: its EIN, the rule that found it, and the probability that it
// is right. It also gives every recipient, resolved or not, an identity that depends only on the content of the line.
//
// A Universe is the set of organizations that can be found: the master file, every e-filer, the public lists, and
// bodies (public universities, towns, tribes) that are known only because several funders filed the same EIN for the
// same name. A Resolver runs the rules in a fixed order; the first rule that gives an answer wins. The caller must
// not pass persons and placeholders to the rules; package classify detects them.
package resolve

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ingest/resolve/abroad"
	"grantgraph/internal/ingest/resolve/model"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// Options are what a resolver uses besides the universe. All are optional.
type Options struct {
	Human    *Overrides   // rulings of people, from overrides/human.csv
	Assisted *Overrides   // rulings proposed by a model and checked, from overrides/model.csv
	Model    *model.Model // for lines that no rule decides; nil for none
	History  *History     // past recipients of funders, for the model
	Coverage *Coverage    // how much of each state the universe holds, for the model
	Off      []Rule       // rules that failed their trial and do not run
}

// Resolver runs the rules. It holds no state between calls and is safe for concurrent use; an answer depends
// only on the recipient, the universe and the options.
type Resolver struct {
	u   *Universe
	opt Options
	off [grant.Model + 1]bool
}

func New(u *Universe, opt Options) *Resolver {
	r := &Resolver{u: u, opt: opt}
	for _, rule := range opt.Off {
		r.off[rule] = true
	}
	return r
}

func (r *Resolver) Universe() *Universe { return r.u }

// Funders lists, in order, the funders that some ruling names. Lines of other funders can be answered without knowing
// the funder, unless the answer is the funder itself or is still open.
func (r *Resolver) Funders() []ein.EIN {
	list := append(r.opt.Human.Funders(), r.opt.Assisted.Funders()...)
	slices.Sort(list)
	return slices.Compact(list)
}

// Resolve answers for a recipient without regard to the funder. n is the parsed name of the recipient. The caller
// must not pass persons or placeholders.
func (r *Resolver) Resolve(t *Recipient, n *orgname.Name) Match {
	return r.resolve(&query{t: t, n: n})
}

// ResolveNamed is Resolve for a recipient whose Named result is already known. Named does not depend on street, tax
// status or filed EIN, so recipients that differ only in these share its result.
func (r *Resolver) ResolveNamed(t *Recipient, n *orgname.Name, named ein.EIN) Match {
	// Named gives no answer for a name without a key, but the name's aliases may.
	return r.resolve(&query{t: t, n: n, named: named, nameRead: n.KX != ""})
}

// ForFunder adapts the answer for a recipient to the funder that filed it. Overrides for this funder apply. The
// funder's own EIN in place of the recipient's counts as no EIN. Only the rule filed may find the funder itself. The
// model may use the funder's past recipients. funderKX is the key of the funder's name.
func (r *Resolver) ForFunder(t *Recipient, n *orgname.Name, m Match, funder ein.EIN, funderKX string) Match {
	if funder == ein.None {
		return m
	}
	if row := r.opt.Human.find(t, n, funder); row != nil && row.funder != ein.None && row.ein != funder {
		return row.match()
	}
	if m.Rule == None || m.Rule > OverrideLLM {
		if row := r.opt.Assisted.find(t, n, funder); row != nil && row.funder != ein.None && row.ein != funder && !m.Barred {
			return row.match()
		}
	}
	switch {
	case m.EIN == funder && !(m.Rule == Filed && n.KX != "" && n.KX == funderKX):
		return r.resolve(&query{t: t, n: n, barred: funder, funder: funder})
	case r.HistoryMayChange(m) && !foreign(t) && n.KX != "" && r.mayMeanPaid(n, funder):
		q := &query{t: t, n: n, barred: funder, funder: funder}
		return r.againstStated(q, r.askModelWithHistory(q, m))
	}
	return m
}

// ResolveBlind answers for a line whose filed EIN is hidden, as if its funder had filed no EINs: the line's own
// statement must not help to find it. With absent set, the EIN's organization is also removed from the universe,
// which shows how the rules treat an unknown recipient.
func (r *Resolver) ResolveBlind(t *Recipient, n *orgname.Name, funder, absent ein.EIN) Match {
	line := *t
	line.Filed = ein.None
	return r.resolve(&query{t: &line, n: n, barred: funder, funder: funder, without: funder, absent: absent})
}

// Standing is how far the model gets with the organization that a line means.
type Standing uint8

const (
	NotCandidate Standing = iota
	Outranked             // another candidate scores higher
	Tied                  // no candidate of another organization scores clearly lower
	Refused               // it is the best, but the names may be those of two organizations
	Unsure                // it is the best, with too low a probability
)

func (s Standing) String() string {
	return [...]string{"not among candidates", "another candidate scores higher", "tie", "names of two organizations", "below the threshold"}[s]
}

// clearLead is the least difference of scores that is no tie.
const clearLead = 0.5

// Standing says how far the model gets with an organization for a line that is resolved blindly.
func (r *Resolver) Standing(t *Recipient, n *orgname.Name, funder, truth ein.EIN) Standing {
	q, d := r.blindQuery(&Label{Recipient: *t, Name: n, Funder: funder}, ein.None), &r.u.index
	s := r.u.searches.get()
	defer r.u.searches.pool.Put(s)
	known := r.einCounts(q)
	r.candidates(q, s, known)
	is := func(c candidate) bool { return r.u.eins[d.orgOf(c.name)] == truth }
	if !slices.ContainsFunc(s.found, is) {
		return NotCandidate
	}
	if r.opt.Model == nil {
		return Unsure
	}
	r.measure(q, s, known)
	own := slices.IndexFunc(s.found, is)
	best, second := r.bestTwo(q, s)
	switch {
	case own < 0:
		return Refused
	case !is(s.found[best]):
		for i, c := range s.found {
			if is(c) && s.by[best]-s.by[i] < clearLead {
				return Tied
			}
		}
		return Outranked
	case s.by[best]-second < clearLead:
		return Tied
	case byChance(&s.rows[best]) || r.ofRelative(q, s, best):
		return Refused
	}
	return Unsure
}

// Knows reports whether an organization would be in the universe if a funder had filed no EINs.
func (r *Resolver) Knows(e, funder ein.EIN) bool {
	i, ok := r.u.position(e)
	return ok && !r.excluded(&query{without: funder}, uint32(i))
}

// Rule is the way in which an EIN was found; see package grant.
type Rule = grant.Rule

// The rules, under short names for this package.
const (
	None             = grant.None
	Filed            = grant.Filed
	OverrideHuman    = grant.OverrideHuman
	OverrideKeyError = grant.OverrideKeyError
	Name             = grant.Name
	RegistryDominant = grant.RegistryDominant
	Fuzzy            = grant.Fuzzy
	OverrideLLM      = grant.OverrideLLM
	Registry         = grant.Registry
	Address          = grant.Address
	ZIP              = grant.ZIP
	Street           = grant.Street
	Model            = grant.Model
)

// Party is the kind of recipient a line names.
type Party uint8

const (
	Organization Party = iota
	Individual
	Unidentified // a placeholder, an aggregate, or no name
)

// EINPrefix begins the id of a recipient that has an EIN.
const EINPrefix = "ein-"

// RecipID is the identity of a recipient. It depends only on the content of the line, so it survives rebuilds. It
// merges too little rather than too much: a person paid by two funders has two identities.
//
//	ein-123456789      an organization with an EIN
//	intl-uk-abcdefghij a foreign organization, by name within its country
//	nm-0123456789ab    any other recipient
//
// n is the parsed name of the line, or the person's name if the line names a person.
func (r *Resolver) RecipID(t *Recipient, n *orgname.Name, m Match, party Party, funder ein.EIN) string {
	if m.EIN != ein.None {
		return EINPrefix + m.EIN.String()
	}
	switch {
	case party == Individual && n.KX != "":
		return nameID("p", funder.String(), n.KX)
	case party != Organization || n.KX == "":
		return nameID("u", funder.String())
	case foreign(t):
		return abroad.ID(t.Country, n.KX)
	}
	state := lineState(t, n).String()
	if strings.IndexByte(n.K2, ' ') < 0 || r.u.Named(n.KX) >= 2 {
		return nameID("o", n.KX, state, orgname.City(t.City))
	}
	return nameID("o", n.KX, state)
}

// MaskedID is the identity of a person whose name is withheld, made from the key of one of the grants to that person.
// A digest of the name would let a reader confirm a guess.
func MaskedID(grantKey string) string { return nameID("m", grantKey) }

// nameID is a digest of parts. Different lists of parts never produce the same input.
func nameID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return "nm-" + hex.EncodeToString(h.Sum(nil))[:12]
}

// query is one recipient on its way through the rules, with data that several rules use.
type query struct {
	t       *Recipient
	n       *orgname.Name
	barred  ein.EIN // the funder itself; a rule that finds it has found nothing
	funder  ein.EIN // the funder, if its history and rulings count
	without ein.EIN // a funder whose statements are ignored
	absent  ein.EIN // an organization treated as unknown

	named    ein.EIN // what the name says
	nameRead bool    // named is set in advance

	state    stateCode
	zip      uint32
	careOf   bool     // the address belongs to someone else
	street   string   // key of the street, empty if the street is of no use
	atStreet []tenant // organizations there
	city     uint64   // the city as a number, 0 for none; read it with inCity

	streetRead, cityRead bool

	bearers     []nameEntry   // organizations with the name; read them with bearersOf
	bearersRead *orgname.Name // the name that bearers belong to

	station station // how the name denotes a station; set with the candidates
}

// prepare reads the place of the line.
func (q *query) prepare() {
	q.state = lineState(q.t, q.n)
	zip5, _ := place.ZIP5(q.t.ZIP, q.state.String())
	q.zip = zipCode(zip5)
	// A line in care of a bank or an accountant has the bank's or accountant's address.
	q.careOf = q.n.CareOf || orgname.IsCareOf(q.t.Street)
}

// prepareStreet reads the street and its tenants. Few lines need them.
func (r *Resolver) prepareStreet(q *query) {
	if q.streetRead || q.careOf || q.zip == 0 {
		return
	}
	q.street, q.streetRead = orgname.StreetKey(q.t.Street), true
	if q.street != "" {
		q.atStreet = r.u.index.streets.of(streetPlace(q.zip, q.street))
	}
}

// bearersOf lists the organizations in the country that have the line's name. Most rules need the list.
func (r *Resolver) bearersOf(q *query) []nameEntry {
	if q.bearersRead != q.n {
		q.bearers, q.bearersRead = r.u.names.find(q.n.KX), q.n
	}
	return q.bearers
}

// inCity is the city of the line as a number, 0 for none.
func (q *query) inCity() uint64 {
	if !q.cityRead {
		q.city, q.cityRead = cityPlace(q.t.City), true
	}
	return q.city
}

// lineState is the state of the line's address, or else the state at the end of its name.
func lineState(t *Recipient, n *orgname.Name) stateCode {
	if st, _ := place.SettleState(t.City, t.State, t.ZIP); st != "" {
		return codeOf(st)
	}
	return codeOf(n.State)
}

// excluded reports whether this query must ignore an organization.
func (r *Resolver) excluded(q *query, id uint32) bool {
	if q.without == ein.None && q.absent == ein.None {
		return false
	}
	e := r.u.eins[id]
	if e == q.absent {
		return true
	}
	return q.without != ein.None && r.u.index.facts[id].is(filedOnly) && !r.u.registry.believed(e, q.without, r.u.index.kx[id])
}

// tenants are the organizations at the line's address, or none if the address has too many.
func (r *Resolver) tenants(q *query) []tenant {
	if r.prepareStreet(q); len(q.atStreet) > maxTenants {
		return nil
	}
	return q.atStreet
}

// excludedName reports whether this query must ignore a name: its organization is ignored, or only the ignored funder
// uses the name.
func (r *Resolver) excludedName(q *query, name uint32) bool {
	if q.without == ein.None && q.absent == ein.None {
		return false
	}
	d := &r.u.index
	org := d.orgOf(name)
	if r.excluded(q, org) {
		return true
	}
	if int(name) < d.firstFiled || q.without == ein.None {
		return false
	}
	e := r.u.eins[org]
	return !slices.ContainsFunc(r.u.registry.statements(d.kx[name]), func(s funderStatement) bool { return s.ein == e && s.funder != q.without })
}

// spelledOut is the name of a line with its state code at the end written out, or with CO after OF written as COUNTY.
// It is empty if the name has neither.
func (q *query) spelledOut() string {
	k2 := q.n.K2
	if n := len(k2); q.state != 0 && n > 3 && k2[n-3] == ' ' && k2[n-2:] == q.state.String() {
		return k2[:n-2] + stateKeys[q.state]
	}
	name := strings.TrimRight(q.t.Name1, " .")
	if n := len(name); q.t.Name2 == "" && n > 3 && strings.EqualFold(name[n-3:], " CO") && strings.Contains(strings.ToUpper(name), " OF ") {
		return k2 + " COUNTY"
	}
	return ""
}

// Recipient is what a grant line says about its recipient, as filed. Lines repeat, so the caller resolves each
// distinct recipient once. Country is empty for a line with a US address or no address.
type Recipient struct {
	Name1, Name2                      string
	Person                            string // the element for a person's name, filed instead of a business name
	Street, City, State, ZIP, Country string
	Filed                             ein.EIN
	TaxStatus                         TaxStatus // used only by the model
}

// Name is the recipient as filed: the organization, or else the person.
func (t *Recipient) Name() string {
	if t.Name2 == "" {
		return cmp.Or(t.Name1, t.Person)
	}
	return strings.TrimLeft(t.Name1+" "+t.Name2, " ")
}

func (t *Recipient) ParseName() orgname.Name {
	if t.Name1 == "" && t.Name2 == "" {
		return orgname.Parse(t.Person)
	}
	return orgname.ParseLine(t.Name1, t.Name2, t.City, t.State)
}

// Match is the result for a recipient. The zero Match means "no EIN".
type Match struct {
	EIN  ein.EIN
	Rule Rule
	Prob float64
	// Barred is set if a person has ruled that the line has no EIN, so that no later step looks for one.
	Barred bool
}

func found(r Rule, e ein.EIN) Match { return Match{EIN: e, Rule: r, Prob: r.Prob()} }
