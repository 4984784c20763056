package resolve

import "grantgraph/internal/grant"

// Rule is the way in which an EIN was found; see package grant.
type Rule = grant.Rule

// The rules, under short names for this package.
const (
	None             = grant.None
	Filed            = grant.Filed
	OverrideHuman    = grant.OverrideHuman
	OverrideKeyError = grant.OverrideKeyError
	Name             = grant.Name
	RegistryDominant = grant.RegistryDominant
	Fuzzy            = grant.Fuzzy
	OverrideLLM      = grant.OverrideLLM
	Registry         = grant.Registry
	Address          = grant.Address
	ZIP              = grant.ZIP
	Street           = grant.Street
	Model            = grant.Model
)
