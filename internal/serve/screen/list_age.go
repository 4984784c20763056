package screen

import (
	"fmt"
	"time"

	"grantgraph/internal/snapshot/lists"
)

// skew is how far the clocks of two machines may differ. A later date was written by a
// wrong clock, and by it a list would never be too old.
const skew = 24 * time.Hour

// tooOld says why a list is too old to clear anybody, and returns "" for a list that may be used. A list counts for its MaxAge
// from the time at which it was last known to be the publisher's current list. current is false if the publisher has a newer
// list, and nil if nobody knows.
func tooOld(l lists.List, state lists.Status, check lists.Check, current *bool, at time.Time) string {
	known := confirmed(state, check, current, at)
	days := func(d time.Duration) int { return int(d.Hours() / 24) }
	switch age := at.Sub(known); {
	case known.IsZero():
		return "Not used: it is of unknown age, because it was not fetched by this service and does not say when it was published."
	case age < -skew:
		return "Not used: it says it was fetched or published in the future, so its age is not known."
	case age > l.MaxAge:
		return fmt.Sprintf("Not used: it was last known to be what upstream has %d days ago, and counts for %d.", days(age), days(l.MaxAge))
	}
	return ""
}

// confirmed is when a list was last known to be the publisher's current list, zero if nobody knows. A check that found the same
// list upstream counts like a fetch at that time. It does not count if what came since was refused, nor for a list that a
// person has put there unless its date is that of upstream.
func confirmed(state lists.Status, check lists.Check, current *bool, at time.Time) time.Time {
	known := state.Knew()
	if check.Problem == "" && state.Problem == "" && check.CheckedAt.After(known) && check.CheckedAt.Before(at.Add(skew)) &&
		(current == nil && !state.FetchedAt.IsZero() || current != nil && *current) {
		return check.CheckedAt
	}
	return known
}

// Freshness says of a list how old it is and whether screenings use it.
type Freshness struct {
	Name      string    `json:"name"`
	Title     string    `json:"title"`
	Confirmed time.Time `json:"confirmed_at,omitzero"` // when it was last known to be what its publisher has; zero if it is not loaded
	Clears    bool      `json:"clears"`
	Note      string    `json:"note,omitempty"` // why it is not used, or why a newer list was not taken
}

func FreshnessOf(now *lists.Current, at time.Time) []Freshness {
	all := []Freshness{}
	for _, l := range lists.All() {
		source := SourceOf(now, l.Name, at)
		f := Freshness{Name: l.Name, Title: l.Title, Clears: source.Screens}
		if source.Note != nil {
			f.Note = *source.Note
		}
		if state := now.Status(l.Name); state.Loaded {
			check, _ := now.Check(l.Name)
			f.Confirmed = confirmed(state, check, source.IsCurrent, at)
		}
		all = append(all, f)
	}
	return all
}
