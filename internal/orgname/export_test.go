package orgname

// Conflicts compares two names by their K2.
func Conflicts(a, b Name) Veto {
	t, u := a.Traits(), b.Traits()
	return t.Conflicts(&u)
}
