package search

import (
	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
)

// Types of organizations. The index stores these numbers, so add new ones only at the
// end. A change of meaning needs a new version of the index.
const (
	typeNonprofit uint8 = iota
	typePF
	typePOF
	typeDAF
	typeCharity
	typeChurch
	typeSchool
	typeHospital
	typeUniversity
	typeGovernment
	typeSupporting
	typeSafety
	typeWelfare
	typeLabor
	typeLeague
	typeClub
	typeFraternal
	typeBenefit
	typeTitle
	typeCemetery
	typeCreditUnion
	typeInsurance
	typeVeterans
	typeFederal
	typeUtility
	typeTrust
)

// types holds the kind and the words shown to people.
var types = [...]struct{ kind, words string }{
	typeNonprofit:   {Nonprofit, "Nonprofit organization"},
	typePF:          {Foundation, "Private foundation"},
	typePOF:         {Foundation, "Private operating foundation"},
	typeDAF:         {Nonprofit, "Donor-advised fund sponsor"},
	typeCharity:     {Nonprofit, "Public charity"},
	typeChurch:      {Nonprofit, "Church"},
	typeSchool:      {Nonprofit, "School"},
	typeHospital:    {Nonprofit, "Hospital or medical research"},
	typeUniversity:  {Nonprofit, "University support organization"},
	typeGovernment:  {Nonprofit, "Governmental unit"},
	typeSupporting:  {Nonprofit, "Supporting organization"},
	typeSafety:      {Nonprofit, "Public safety testing"},
	typeWelfare:     {Nonprofit, "Social welfare organization"},
	typeLabor:       {Nonprofit, "Labor or agricultural organization"},
	typeLeague:      {Nonprofit, "Business league"},
	typeClub:        {Nonprofit, "Social club"},
	typeFraternal:   {Nonprofit, "Fraternal society"},
	typeBenefit:     {Nonprofit, "Employee benefit association"},
	typeTitle:       {Nonprofit, "Title-holding corporation"},
	typeCemetery:    {Nonprofit, "Cemetery company"},
	typeCreditUnion: {Nonprofit, "Credit union"},
	typeInsurance:   {Nonprofit, "Mutual insurance organization"},
	typeVeterans:    {Nonprofit, "Veterans organization"},
	typeFederal:     {Nonprofit, "Federal corporation"},
	typeUtility:     {Nonprofit, "Mutual utility or benefit organization"},
	typeTrust:       {Nonprofit, "Nonexempt charitable trust"},
}

// byFoundation and bySubsection map codes of the master file to types.
var byFoundation = map[string]uint8{
	"02": typePOF, "03": typePOF, "04": typePF,
	"10": typeChurch, "11": typeSchool, "12": typeHospital, "13": typeUniversity, "14": typeGovernment, "15": typeCharity, "16": typeCharity,
	"17": typeSupporting, "18": typeSafety, "21": typeSupporting, "22": typeSupporting, "23": typeSupporting, "24": typeSupporting, "25": typeCharity,
}

var bySubsection = map[string]uint8{
	"01": typeFederal, "02": typeTitle, "03": typeCharity, "04": typeWelfare, "05": typeLabor, "06": typeLeague, "07": typeClub, "08": typeFraternal,
	"09": typeBenefit, "10": typeFraternal,
	"12": typeUtility, "13": typeCemetery, "14": typeCreditUnion, "15": typeInsurance, "19": typeVeterans, "23": typeVeterans, "25": typeTitle,
	"91": typeTrust, "92": typeTrust,
}

// typeOf names the type of an organization. What the organization gives and files
// counts more than the code of the master file, which lags behind.
func typeOf(o *snapshot.Organization, kind *snapshot.FunderKind, returnType string) uint8 {
	if kind != nil && (kind.IsDAF || kind.Kind == grant.Passthrough) {
		return typeDAF
	}
	t, coded := byFoundation[o.Foundation]
	if returnType == "990PF" || kind != nil && kind.Kind == grant.PrivateFoundation {
		if t == typePOF {
			return t
		}
		return typePF
	}
	if coded {
		return t
	}
	if t, ok := bySubsection[o.Subsection]; ok {
		return t
	}
	if kind != nil {
		return typeCharity
	}
	return typeNonprofit
}
