package grant

// Answers to the question whether a private foundation accepts applications.
const (
	Accepts    = "yes" // it says how to apply, and did not tick the box of Preselects
	Preselects = "no"  // it ticked the box: it gives only to organizations that it selects itself
	NotStated  = "not_stated"
)

// Applications lists the answers in published order.
func Applications() []string { return []string{Accepts, Preselects, NotStated} }

var applicationTexts = map[string][2]string{
	Accepts:    {"Accepts applications", "that accept applications"},
	Preselects: {"Gives only to organizations it selects", "that give only to organizations they select"},
	NotStated:  {"Applications not stated", "that do not state whether they accept applications"},
}

// ApplicationsLabel is an answer for people, said of one funder.
func ApplicationsLabel(answer string) string { return applicationTexts[answer][0] }

// ApplicationsPhrase is an answer for people, said of the funders of grants.
func ApplicationsPhrase(answer string) string { return applicationTexts[answer][1] }
