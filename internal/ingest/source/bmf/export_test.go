package bmf

// Foreign reports whether the register holds a foreign address. Such rows have
// no state; City is the name of the country and Street the whole address.
func (r *Record) Foreign() bool { return r.State == "" }
