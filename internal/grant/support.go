package grant

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

var supportIDs = [Strategies]string{
	"general_operating", "program", "capital", "endowment", "scholarship", "fellowship",
	"research", "capacity_building", "matching", "emergency_relief", "equipment", "sponsorship",
}

var supportLabels = [Strategies]string{
	"General operating support", "Program support", "Capital support", "Endowment", "Scholarships and student aid",
	"Fellowships and prizes", "Research", "Capacity building", "Matching and challenge grants",
	"Emergency and disaster relief", "Equipment and technology", "Sponsorship and events",
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
	for i, s := range supportIDs {
		if s == id {
			return 1 << i, true
		}
	}
	return 0, false
}

// IDs lists the ids of the set, in published order. It is never nil, so that
// it is written as an empty list.
func (s Support) IDs() []string {
	ids := []string{}
	for i, id := range supportIDs {
		if s&(1<<i) != 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// Label is the text for people of a set of one strategy; empty for any other.
func (s Support) Label() string {
	for i := range Strategies {
		if s == 1<<i {
			return supportLabels[i]
		}
	}
	return ""
}
