package place

import (
	"cmp"
	_ "embed"
	"slices"

	"grantgraph/internal/table"
)

// Nation is a country or dependency with the FIPS 10-4 code that tax forms use. Many codes mean something else in ISO 3166: AU
// is Austria here and Australia there.
type Nation struct {
	Code string
	Name string
}

// Country returns the name that goes with a FIPS 10-4 country code, in any case. Codes that the e-file schemas have retired are
// known too, because old filings carry them.
func Country(code string) (name string, ok bool) {
	if len(code) != 2 {
		return "", false
	}
	a, b := code[0]&^0x20, code[1]&^0x20
	i, ok := slices.BinarySearchFunc(nations, [2]byte{a, b}, func(n Nation, k [2]byte) int {
		return cmp.Or(cmp.Compare(n.Code[0], k[0]), cmp.Compare(n.Code[1], k[1]))
	})
	if !ok {
		return "", false
	}
	return nations[i].Name, true
}

// Countries lists every country, sorted by code.
func Countries() []Nation { return slices.Clone(nations) }

//go:embed countries.tsv
var countriesText string

var nations = func() (list []Nation) {
	for _, r := range table.Read("countries.tsv", countriesText, "code", "name") {
		list = append(list, Nation{r.Text("code"), r.Text("name")})
	}
	return list
}()
