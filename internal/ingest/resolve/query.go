package resolve

import (
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

	state  stateCode
	zip    uint32
	careOf bool   // the address is someone else's
	street string // key of the street, empty when it says nothing

	wantsBasis       bool   // the candidates are to be digested
	candidatesDigest uint64 // 0 where the rules did not come to candidates
}

// prepare reads the place of the line.
func (q *query) prepare() {
	q.state = lineState(q.t, q.n)
	zip5, _ := place.ZIP5(q.t.ZIP, q.state.String())
	q.zip = zipCode(zip5)
	// A line in care of a bank or an accountant has their address.
	q.careOf = q.n.CareOf || orgname.IsCareOf(q.t.Street)
}

// prepareStreet reads the street, which few lines come to need.
func (q *query) prepareStreet() {
	if !q.careOf && q.zip != 0 {
		q.street = orgname.StreetKey(q.t.Street)
	}
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
	o := &r.u.orgs[id]
	if o.EIN == q.absent {
		return true
	}
	return q.without != ein.None && o.Sources == FiledOnly && !r.u.registry.believed(o.EIN, q.without, r.u.index.kx[id])
}

// tenants are the organizations at the line's address, unless they are so many
// that it says nothing.
func (r *Resolver) tenants(q *query) []tenant {
	if q.prepareStreet(); q.street == "" {
		return nil
	}
	list := tenantsAt(r.u.index.streets, streetPlace(q.zip, q.street))
	if len(list) > maxTenants {
		return nil
	}
	return list
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
	e := r.u.orgs[org].EIN
	for _, s := range r.u.registry.statements(d.kx[name]) {
		if s.ein == e && s.funder != q.without {
			return false
		}
	}
	return true
}
