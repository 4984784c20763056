package search

import (
	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
)

// types is what an organization can be, in words for people. The index holds
// positions in this list, so words are only ever added at its end; a change of
// meaning needs a new format of the index.
var types = [...]struct{ kind, words string }{
	{Nonprofit, "Nonprofit organization"},
	{Foundation, "Private foundation"},
	{Foundation, "Private operating foundation"},
	{Nonprofit, "Donor-advised fund sponsor"},
	{Nonprofit, "Public charity"},
	{Nonprofit, "Church"},
	{Nonprofit, "School"},
	{Nonprofit, "Hospital or medical research"},
	{Nonprofit, "University support organization"},
	{Nonprofit, "Governmental unit"},
	{Nonprofit, "Supporting organization"},
	{Nonprofit, "Public safety testing"},
	{Nonprofit, "Social welfare organization"},
	{Nonprofit, "Labor or agricultural organization"},
	{Nonprofit, "Business league"},
	{Nonprofit, "Social club"},
	{Nonprofit, "Fraternal society"},
	{Nonprofit, "Employee benefit association"},
	{Nonprofit, "Title-holding corporation"},
	{Nonprofit, "Cemetery company"},
	{Nonprofit, "Credit union"},
	{Nonprofit, "Mutual insurance organization"},
	{Nonprofit, "Veterans organization"},
	{Nonprofit, "Federal corporation"},
	{Nonprofit, "Mutual utility or benefit organization"},
	{Nonprofit, "Nonexempt charitable trust"},
}

// Positions in types that a rule names.
const (
	typeNonprofit = 0
	typePF        = 1
	typePOF       = 2
	typeDAF       = 3
	typeCharity   = 4
)

// byFoundation and bySubsection give the type for the codes of the master
// file.
var byFoundation = map[string]uint8{
	"02": typePOF, "03": typePOF, "04": typePF,
	"10": 5, "11": 6, "12": 7, "13": 8, "14": 9, "15": typeCharity, "16": typeCharity,
	"17": 10, "18": 11, "21": 10, "22": 10, "23": 10, "24": 10, "25": typeCharity,
}

var bySubsection = map[string]uint8{
	"01": 23, "02": 18, "03": typeCharity, "04": 12, "05": 13, "06": 14, "07": 15, "08": 16, "09": 17, "10": 16,
	"12": 24, "13": 19, "14": 20, "15": 21, "19": 22, "23": 22, "25": 18, "91": 25, "92": 25,
}

// typeOf names what an organization is. What it gives and files comes before
// the code of the master file, which lags behind.
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
