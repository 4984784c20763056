package api

import "grantgraph/internal/ein"

// issued tells real EINs from invented ones.
var issued = ein.Issued()

// FilingURL is where a return can be read. Invented returns and returns without
// an identifier have no page.
func FilingURL(filer ein.EIN, objectID string) *string {
	if objectID == "" || !issued.Has(filer) {
		return nil
	}
	return OrNull("https://projects.propublica.org/nonprofits/organizations/" + filer.String() + "/" + objectID + "/full")
}
