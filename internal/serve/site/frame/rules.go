package frame

import (
	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
)

// ruleWords explains each rule to somebody new to it.
var ruleWords = map[string]string{
	grant.Filed.String():            "the filer stated the EIN",
	grant.OverrideHuman.String():    "somebody looked it up",
	grant.OverrideKeyError.String(): "the EIN filed is one typing error away",
	grant.Name.String():             "exact name, the only one in its state",
	grant.RegistryDominant.String(): "a name several share, one of them nearly always meant",
	grant.Fuzzy.String():            "one letter off, same ZIP",
	grant.OverrideLLM.String():      "a proposal of a language model, checked",
	grant.Registry.String():         "a name other filers gave with this EIN",
	grant.Address.String():          "a similar name at the same address",
	grant.ZIP.String():              "a name several share, one of them in the ZIP",
	grant.Street.String():           "the only organization at the address",
	grant.Model.String():            "the statistical model, with its own probability for each row",
	snapshot.Unresolved:             "no organization identified",
}

// RuleWords says how a rule finds the recipient of a grant. name is a value of
// ein_source, or empty for no rule.
func RuleWords(name string) string {
	if name == "" {
		name = snapshot.Unresolved
	}
	return ruleWords[name]
}
