package synth

// An example of the documentation searches for a charity in Ohio that helps veterans
// with housing, of middle size and in good standing. The first organization of Ohio is
// that charity, so that the example finds it in a world of any seed and size.

const (
	veteransName    = "Juniper Homes for Veterans"
	veteransOldName = "Juniper Soldiers Home" // until 2022
	veteransMission = "To help veterans in Ohio find and keep a safe, affordable home. We offer transitional housing, " +
		"help with the rent and case management to veterans who are homeless or about to lose their homes, " +
		"and we build permanent homes with them."
)

// pickVeterans finds the first organization of Ohio. It is the best known of its area,
// and therefore no satellite of another.
func (w *world) pickVeterans() {
	w.veterans = -1
	for i := range min(len(w.slots), w.orgs) {
		if w.states[w.slots[i].state] == "OH" {
			w.veterans = i
			return
		}
	}
}

// asVeterans turns that organization into the charity.
func (w *world) asVeterans(e *entity) {
	e.class, e.field, e.section, e.listed = cityCause, fieldIndex("W30"), "03", true
	e.core = append(e.core[:0], veteransName...)
	e.old, e.since = append(e.old[:0], veteransOldName...), 2022
	e.alias = e.alias[:0]
	e.the, e.suffix, e.group, e.lead, e.parent = false, "Inc", 0, 0, false
	e.founded = 1987
	e.money = 21*one + one/4 // two and a half million dollars a year
}

func (w *world) isVeterans(e *entity) bool { return e.id == idOrg+w.veterans }
