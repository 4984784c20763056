package resolve

import (
	"cmp"
	"slices"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

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
