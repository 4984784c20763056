package irscode

import (
	_ "embed"
	"strings"

	"grantgraph/internal/table"
)

//go:embed pub78.tsv
var pub78Text string

// donees are the label and the limit of each deductibility code, as the IRS's own
// table has them.
var donees = func() map[string][2]string {
	m := map[string][2]string{}
	for _, r := range table.Read("pub78.tsv", pub78Text, "code", "limit", "label") {
		m[r.Text("code")] = [2]string{r.Text("label"), r.Text("limit")}
	}
	return m
}()

// Pub78Codes splits the deductibility codes of a row of Publication 78. It keeps
// codes that Pub78Label does not know.
func Pub78Codes(s string) []string {
	var list []string
	for code := range strings.SplitSeq(s, ",") {
		if code = strings.TrimSpace(code); code != "" {
			list = append(list, code)
		}
	}
	return list
}

// Pub78Label says what a deductibility status code of Publication 78 means.
func Pub78Label(code string) string { return donees[code][0] }

// Pub78Limit says how much of an individual's income a contribution to an
// organization of a code may take.
func Pub78Limit(code string) string { return donees[code][1] }
