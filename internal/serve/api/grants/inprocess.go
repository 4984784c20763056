package grants

// What rows say to pages in the same process, and not on the wire.

// Person reports whether the grant is to a private person: the filing names them,
// and no page does.
func (g *GrantRow) Person() bool { return g.person }

// Person reports whether the recipient is a private person.
func (r *RecipientRow) Person() bool { return r.person }
