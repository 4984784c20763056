package organization

// What the tests of the package look into.
var (
	StandingMarks = standingMarks
	WebsiteLink   = websiteLink
)

// Mark is a short statement with its sign.
type Mark = mark
