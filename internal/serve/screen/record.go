package screen

import "grantgraph/client"

// The record of one screening, as the wire has it.
type (
	Record             = client.ScreeningRecord
	Organization       = client.ScreenedOrganization
	Compliance         = client.Compliance
	Provenance         = client.ScreenProvenance
	BMF                = client.MasterFileScreen
	Pub78              = client.Pub78Screen
	OrganizationType   = client.Pub78OrganizationType
	Revocation         = client.RevocationScreen
	RevocationEvent    = client.RevocationEvent
	Sanctions          = client.SanctionsScreen
	SanctionsList      = client.SanctionsList
	SanctionsMatch     = client.SanctionsMatch
	AlignedWord        = client.SanctionsAlignedWord
	Place              = client.SanctionsPlace
	Bulletins          = client.BulletinScreen
	BulletinMatch      = client.BulletinMatch
	StateRegistration  = client.StateRegistration
	California         = client.CaliforniaScreen
	RegistryRecord     = client.CaliforniaRegistryRecord
	FTBRecord          = client.CaliforniaFTBRecord
	GroupExemption     = client.GroupExemption
	ParentOrganization = client.ParentOrganization
	BMFFinancials      = client.BMFFinancials
	Reliance           = client.Reliance
	Element            = client.RelianceElement
	Flag               = client.RelianceFlag
	BMFExtract         = client.MasterFileExtract
	Subject            = client.ScreenedName
	NameCompliance     = client.NameCompliance
	NameSources        = client.NameSources
)

// NameRecord is the sanctions screen of a name that has no EIN.
type NameRecord struct {
	Subject    Subject
	Compliance NameCompliance
	Sources    *NameSources
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
