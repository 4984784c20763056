package screen

import (
	"fmt"
	"slices"
	"time"

	"grantgraph/client"
	"grantgraph/internal/snapshot/lists"
)

// SourcesOf tells the state of each list at a moment. A list that was never
// loaded has nulls and says why.
func SourcesOf(now *lists.Current, at time.Time) *client.ComplianceSources {
	s := &client.ComplianceSources{}
	for name, source := range listsOf(s) {
		*source = sourceOf(now, name, at)
	}
	return s
}

// listsOf are the lists by their names.
func listsOf(s *client.ComplianceSources) map[string]*client.ComplianceSource {
	return map[string]*client.ComplianceSource{
		lists.IRB: &s.IRB, lists.CARegistry: &s.CARegistry, lists.BMF: &s.BMF, lists.Pub78: &s.Pub78,
		lists.CAFTB: &s.CAFTB, lists.OFAC: &s.OFAC, lists.Revocation: &s.Revocation,
	}
}

// skew is how far the clocks of two machines may be apart. What is dated later
// than that was written by a clock that was wrong, and would never be too old.
const skew = 24 * time.Hour

// sourceOf tells the state of one list.
func sourceOf(now *lists.Current, name string, at time.Time) client.ComplianceSource {
	l, state := listOf(name), now.Status(name)
	s := client.ComplianceSource{URL: l.Page, Publishes: l.Publishes, Polled: l.Polled, Caveat: orNull(l.Caveat)}
	check, checked := now.Check(name)
	if checked {
		s.UpstreamCheckedAt, s.UpstreamRevised = instant(check.CheckedAt), orNull(check.UpstreamRevised)
	}
	if !state.Loaded {
		s.Note = orNull("Not loaded: " + state.Problem + ".")
		return s
	}
	s.FetchedAt, s.RowCount, s.SHA256 = instant(state.FetchedAt), &state.Rows, orNull(state.Files)
	s.Revised, s.RevisedNewest = orNull(state.Revised), orNull(state.RevisedNewest)
	if s.RevisedNewest != nil && s.UpstreamRevised != nil {
		current := *s.RevisedNewest >= *s.UpstreamRevised
		s.IsCurrent = &current
	}
	switch {
	case state.Problem != "":
		s.Note = orNull("The last good list is served; what came since was not taken: " + state.Problem + ".")
	case check.Problem != "":
		s.Note = orNull("The last good list is served; upstream could not be taken: " + check.Problem + ".")
	}
	if state.Rows == 0 {
		s.Note = orNull("Not used: it has no rows.")
		return s
	}
	// What was looked at upstream without trouble, and found to be the same, is
	// as good as fetched then. It is not the same when what came was refused.
	confirmed := state.FetchedAt
	if checked && check.Problem == "" && state.Problem == "" && check.CheckedAt.After(confirmed) && check.CheckedAt.Before(at.Add(skew)) && (s.IsCurrent == nil || *s.IsCurrent) {
		confirmed = check.CheckedAt
	}
	age := at.Sub(confirmed)
	if age < -skew {
		s.Note = orNull("Not used: it says it was fetched in the future, so its age is not known.")
		return s
	}
	if age > l.MaxAge {
		s.Note = orNull(fmt.Sprintf("Not used: it was last known to be what upstream has %d days ago, and counts for %d.", int(age.Hours()/24), int(l.MaxAge.Hours()/24)))
		return s
	}
	s.Screens = true
	return s
}

func listOf(name string) lists.List {
	all := lists.All()
	return all[slices.IndexFunc(all, func(l lists.List) bool { return l.Name == name })]
}

// orNull is how the wire says that something is not known.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// instant is a time as the wire has it, null when it is not known.
func instant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return orNull(t.UTC().Format(time.RFC3339))
}
