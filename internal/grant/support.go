package grant

import "slices"

// Support is the set of support strategies a purpose text describes. The bits
// are in published order and never change meaning: they are stored.
type Support uint16

// The strategies.
const (
	GeneralOperating Support = 1 << iota
	Program
	Capital
	Endowment
	Scholarship
	Fellowship
	Research
	CapacityBuilding
	Matching
	EmergencyRelief
	Equipment
	Sponsorship
)

// Strategies is the number of them.
const Strategies = 12

// strategies holds the id and the text for people of each, in the order of their bits.
var strategies = [Strategies]struct{ id, label string }{
	{"general_operating", "General operating support"},
	{"program", "Program support"},
	{"capital", "Capital support"},
	{"endowment", "Endowment"},
	{"scholarship", "Scholarships and student aid"},
	{"fellowship", "Fellowships and prizes"},
	{"research", "Research"},
	{"capacity_building", "Capacity building"},
	{"matching", "Matching and challenge grants"},
	{"emergency_relief", "Emergency and disaster relief"},
	{"equipment", "Equipment and technology"},
	{"sponsorship", "Sponsorship and events"},
}

// Supports lists every strategy in published order.
func Supports() []Support {
	all := make([]Support, Strategies)
	for i := range all {
		all[i] = 1 << i
	}
	return all
}

// ParseSupport reads one strategy's id.
func ParseSupport(id string) (Support, bool) {
	for i := range strategies {
		if strategies[i].id == id {
			return 1 << i, true
		}
	}
	return 0, false
}

// IDs lists the ids of the set, in published order. It is never nil, so that it is written as an empty list.
func (s Support) IDs() []string {
	ids := []string{}
	for i := range strategies {
		if s&(1<<i) != 0 {
			ids = append(ids, strategies[i].id)
		}
	}
	return ids
}

// Label is the text for people of a set of one strategy; empty for any other.
func (s Support) Label() string {
	if i := slices.Index(Supports(), s); i >= 0 {
		return strategies[i].label
	}
	return ""
}
