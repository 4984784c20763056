package resolve

import (
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
)

// query is one recipient on its way through the rules, with what several of them
// look at.
type query struct {
	t       *Recipient
	n       *orgname.Name
	barred  ein.EIN // a rule that finds it has found nothing: the funder's own
	funder  ein.EIN // whose line it is, where that is to count
	without ein.EIN // a funder whose statements do not count
	absent  ein.EIN // an organization that is taken for unknown

	named    ein.EIN // what the name says
	nameRead bool    // that is known beforehand

	state    stateCode
	zip      uint32
	careOf   bool     // the address is someone else's
	street   string   // key of the street, empty when it says nothing
	atStreet []tenant // who is there
	city     uint64   // the city as a number, 0 for none; asked for with inCity

	streetRead, cityRead bool

	bearers     []nameEntry   // of the name; asked for with bearersOf
	bearersRead *orgname.Name // the name they are of

	station station // how the name is that of a station; set with the candidates
}

// prepare reads the place of the line.
func (q *query) prepare() {
	q.state = lineState(q.t, q.n)
	zip5, _ := place.ZIP5(q.t.ZIP, q.state.String())
	q.zip = zipCode(zip5)
	// A line in care of a bank or an accountant has their address.
	q.careOf = q.n.CareOf || orgname.IsCareOf(q.t.Street)
}

// prepareStreet reads the street, which few lines come to need, and who is there.
func (r *Resolver) prepareStreet(q *query) {
	if q.streetRead || q.careOf || q.zip == 0 {
		return
	}
	q.street, q.streetRead = orgname.StreetKey(q.t.Street), true
	if q.street != "" {
		q.atStreet = r.u.index.atStreet(q.zip, q.street)
	}
}

// bearersOf are the organizations, anywhere, that bear the name of the line. Most
// rules ask for them.
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

// lineState is the state of the line's address, else the one its name ends in.
func lineState(t *Recipient, n *orgname.Name) stateCode {
	if st, ok := place.State(t.State); ok {
		return codeOf(st)
	}
	return codeOf(n.State)
}

// excluded reports whether an organization does not exist for this query.
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

// tenants are the organizations at the line's address, unless they are so many
// that it says nothing.
func (r *Resolver) tenants(q *query) []tenant {
	if r.prepareStreet(q); len(q.atStreet) > maxTenants {
		return nil
	}
	return q.atStreet
}

// excludedName reports whether a name does not exist for this query: its
// organization does not, or only the funder left out uses it.
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
	for _, s := range r.u.registry.statements(d.kx[name]) {
		if s.ein == e && s.funder != q.without {
			return false
		}
	}
	return true
}

// spelledOut is the name of a line with the code of its own state at the end
// written out, or with COUNTY for a CO that is no company since it stands behind
// OF; empty where there is neither.
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

// withoutTown is the key of a line's name without its own city at the end, empty
// where it does not end in it or where little would be left. Churches are
// registered without their town.
func (q *query) withoutTown() string {
	city := orgname.City(q.t.City)
	if city == "" {
		return ""
	}
	rest, ok := strings.CutSuffix(q.n.K2, city)
	rest, apart := strings.CutSuffix(rest, " ")
	if !ok || !apart || strings.Count(rest, " ") < 2 {
		return ""
	}
	return joined(rest)
}
