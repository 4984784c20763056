package irscode

import "strings"

// standing is what a status says about operating in California.
type standing byte

const (
	unsaid standing = iota // nothing, or nothing yet
	allowed
	barred
)

// californiaStandings are the statuses the registry uses. A classification such
// as Mutual Benefit is no sanction, though its rows stand in the list of those
// that may not operate; a dissolution or an enforcement action that is under
// way has decided nothing yet.
var californiaStandings = map[string]standing{
	"current":                                 allowed,
	"current - awaiting reporting":            allowed,
	"current - in process":                    allowed,
	"current - probationary registration":     allowed,
	"current - reporting incomplete":          allowed,
	"exempt":                                  allowed,
	"exempt - facility financing":             allowed,
	"exempt - form 990-pf required":           allowed,
	"exempt - religious":                      allowed,
	"registered - corporate trustee":          allowed,
	"delinquent":                              barred,
	"delinquent - late fees due":              barred,
	"suspended":                               barred,
	"revoked":                                 barred,
	"subject to cease and desist order":       barred,
	"not registered":                          barred,
	"not registered - cease and desist order": barred,
	"dissolved":                               barred,
	"exempt - dissolved":                      barred,
	"never registered - dissolved":            barred,
	"withdrawn":                               barred,
	"exempt - withdrawn":                      barred,
	"never registered - withdrawn":            barred,
	"trust closed":                            barred,
	"closed - registration not required":      unsaid,
	"dissolution pending":                     unsaid,
	"dissolution waiver issued":               unsaid,
	"enforcement action pending":              unsaid,
	"exempt - dissolution pending":            unsaid,
	"exempt - dissolution waiver issued":      unsaid,
	"mutual benefit":                          unsaid,
	"never registered - diss. waiver issued":  unsaid,
	"never registered - dissolution pending":  unsaid,
}

// dashes folds the dash, which the registry's pages write longer than its files
// do.
var dashes = strings.NewReplacer("–", "-", "—", "-")

// MayOperateInCalifornia says whether an organization of a status of the
// Registry of Charities and Fundraisers may operate and solicit there. known is
// false when the status does not say, and for text that is no status of the
// registry.
func MayOperateInCalifornia(status string) (may, known bool) {
	s := californiaStandings[strings.Join(strings.Fields(dashes.Replace(strings.ToLower(status))), " ")]
	return s == allowed, s != unsaid
}
