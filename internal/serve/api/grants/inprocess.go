package grants

import "grantgraph/internal/serve/graph"

// What answers say to those who ask in the same process, and not on the wire.

// Filter is what was asked for, as it was read: a page of this service asks more
// about it. It is not to be changed.
func (s *SummaryAnswer) Filter() *graph.Filter { return s.filter }

// Person reports whether the grant is to a private person: the filing names them,
// and no page does.
func (g *GrantRow) Person() bool { return g.person }

// Person reports whether the recipient is a private person.
func (r *RecipientRow) Person() bool { return r.person }
