package screen

import "grantgraph/client"

// NameRecord is the sanctions screen of a name that has no EIN.
type NameRecord struct {
	Subject    client.ScreenedName
	Compliance client.NameCompliance
	Sources    *client.NameSources
}

// Words of Provenance.Status.
const (
	NotScreened    = "not_screened"
	Listed         = "listed"
	NotListed      = "not_listed"
	Revoked        = "revoked"
	Reinstated     = "reinstated"
	Clear          = "clear"
	PotentialMatch = "potential_match"
	RuledOut       = "ruled_out"
)

// Words of Element.Result.
const (
	Met           = "met"
	NotMet        = "not_met"
	NotApplicable = "not_applicable"
)
