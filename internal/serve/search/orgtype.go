package search

import (
	_ "embed"

	"grantgraph/internal/grant"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

// The types that are told without a code of the master file, by their rows in orgtypes.tsv.
const (
	typeNonprofit uint8 = iota
	typePF
	typePOF
	typeDAF
	typeCharity
)

//go:embed orgtypes.tsv
var typeFile string

var types, byFoundation, bySubsection = func() (types []table.Row, byFoundation, bySubsection map[string]uint8) {
	types = table.Read("orgtypes.tsv", typeFile, "kind", "words", "foundation", "subsection")
	byFoundation, bySubsection = map[string]uint8{}, map[string]uint8{}
	for i, t := range types {
		for _, code := range t.Fields("foundation") {
			byFoundation[code] = uint8(i)
		}
		for _, code := range t.Fields("subsection") {
			bySubsection[code] = uint8(i)
		}
	}
	return types, byFoundation, bySubsection
}()

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
