package grant

// Rule is the way in which an EIN was found. The order is that of published
// trust, strongest first, which is not the order of execution.
type Rule uint8

const (
	None             Rule = iota
	Filed                 // the filer stated the EIN
	OverrideHuman         // a person has looked at it
	OverrideKeyError      // the EIN filed is one typing error away from the organization named
	Name                  // exact normalized name, unique within the state
	RegistryDominant      // an ambiguous alias that one EIN dominates
	Fuzzy                 // one edit away from a registered name, ZIP agreeing
	OverrideLLM           // model-assisted override
	Registry              // an alias that filers have given with an EIN
	Address               // name alike at the same address
	ZIP                   // name ambiguous in the state but not in the ZIP or city
	Street                // the only tenant at the address
	Model                 // the calibrated model
)

// rules holds the name of each rule on the wire and its constant probability.
var rules = [...]struct {
	name string
	prob float64
}{
	None:             {"", 0},
	Filed:            {"filed", 0.995},
	OverrideHuman:    {"override_human", 0.99},
	OverrideKeyError: {"override_keyerror", 0.98},
	Name:             {"name", 0.970},
	RegistryDominant: {"registry-dominant", 0.970},
	Fuzzy:            {"fuzzy", 0.961},
	OverrideLLM:      {"override_llm", 0.95},
	Registry:         {"registry", 0.944},
	Address:          {"address", 0.944},
	ZIP:              {"zip", 0.934},
	Street:           {"street", 0.834},
	Model:            {"model", 0},
}

// Rules lists every rule that can find an EIN, strongest first.
func Rules() []Rule {
	all := make([]Rule, 0, len(rules)-1)
	for r := Filed; r <= Model; r++ {
		all = append(all, r)
	}
	return all
}

// String is the rule's name on the wire; empty for None.
func (r Rule) String() string {
	if int(r) >= len(rules) {
		return ""
	}
	return rules[r].name
}

// ParseRule is the inverse of String.
func ParseRule(name string) (Rule, bool) {
	for r := Filed; r <= Model; r++ {
		if rules[r].name == name {
			return r, true
		}
	}
	return None, false
}

// Prob is the constant probability that an EIN found by the rule is right. It
// is 0 for None, and for Model, whose probability is the row's own.
func (r Rule) Prob() float64 {
	if int(r) >= len(rules) {
		return 0
	}
	return rules[r].prob
}
