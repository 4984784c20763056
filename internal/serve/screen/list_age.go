package screen

import (
	"fmt"
	"time"

	"grantgraph/internal/snapshot/lists"
)

// skew is how far the clocks of two machines may differ. A later date was written by a
// wrong clock, and by it a list would never be too old.
const skew = 24 * time.Hour

// tooOld says why a list is too old to clear anybody, and returns "" for a list that may
// be used. A list counts for its MaxAge from the time at which it was last known to be
// the publisher's current list. current is false if the publisher has a newer list, and
// nil if nobody knows.
func tooOld(l lists.List, state lists.Status, check lists.Check, current *bool, at time.Time) string {
	// A check that found the same list upstream counts like a fetch at that time. It does
	// not count if what came since was refused.
	confirmed := state.FetchedAt
	if check.Problem == "" && state.Problem == "" && check.CheckedAt.After(confirmed) && check.CheckedAt.Before(at.Add(skew)) &&
		(current == nil || *current) {
		confirmed = check.CheckedAt
	}
	days := func(d time.Duration) int { return int(d.Hours() / 24) }
	switch age := at.Sub(confirmed); {
	case age < -skew:
		return "Not used: it says it was fetched in the future, so its age is not known."
	case age > l.MaxAge:
		return fmt.Sprintf("Not used: it was last known to be what upstream has %d days ago, and counts for %d.", days(age), days(l.MaxAge))
	}
	return ""
}
