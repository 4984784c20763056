package irscode

import (
	_ "embed"
	"strings"

	"grantgraph/internal/table"
)

// californiaStandings says for each status of the registry whether an
// organization may operate: yes, no, or unsaid. A classification such as Mutual
// Benefit is no sanction, though its rows are in the list of those that may not
// operate. A dissolution or an enforcement action under way has decided nothing.
var californiaStandings = table.Map("california.tsv", californiaText, "status", "operate")

//go:embed california.tsv
var californiaText string

// dashes replaces the longer dash of the registry's pages by that of its files.
var dashes = strings.NewReplacer("–", "-", "—", "-")

// MayOperateInCalifornia says whether an organization of a status of the
// Registry of Charities and Fundraisers may operate and solicit there. known is
// false if the status does not say so, or if the registry has no such status.
func MayOperateInCalifornia(status string) (may, known bool) {
	s := californiaStandings[strings.Join(strings.Fields(dashes.Replace(strings.ToLower(status))), " ")]
	return s == "yes", s == "yes" || s == "no"
}
