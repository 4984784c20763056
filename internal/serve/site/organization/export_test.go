package organization

import (
	"grantgraph/client"
)

// Exported for the tests of the package.
var WebsiteLink = websiteLink

// Standing is what pages say of a standing.
func Standing(s client.ProfileStanding) (string, error) {
	text, err := templates.Fragment("overview", "standing", s)
	return string(text), err
}
