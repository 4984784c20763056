package screen

import (
	"fmt"
	"time"

	"grantgraph/internal/snapshot/lists"
)

// skew is how far the clocks of two machines may differ. A later date is of a wrong clock.
const skew = 24 * time.Hour

// tooOld says why a list is too old to clear anybody, or "". It counts for its MaxAge from when it was last known to be the
// publisher's current list. current is false if the publisher has a newer one.
func tooOld(l lists.List, state lists.Status, check lists.Check, current *bool, at time.Time) string {
	known := confirmed(state, check, current, at)
	days := func(d time.Duration) int { return int(d.Hours() / 24) }
	switch age := at.Sub(known); {
	case known.IsZero():
		return "Not used: it is of unknown age, because it was not fetched by this service and does not say when it was published."
	case age < -skew:
		return "Not used: it says it was fetched or published in the future, so we don't know its age."
	case age > l.MaxAge:
		return fmt.Sprintf("Not used: it was last known to be what upstream has %d days ago, and counts for %d.", days(age), days(l.MaxAge))
	}
	return ""
}

// confirmed is when a list was last known to be the publisher's current one. A check that found the same list counts like a
// fetch, unless what came since was refused, or a person has put the list there.
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
