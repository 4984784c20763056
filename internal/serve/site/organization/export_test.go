package organization

// Exported for the tests of the package.
var (
	StandingMarks = standingMarks
	WebsiteLink   = websiteLink
)

// Mark is a short statement with its sign.
type Mark = mark
