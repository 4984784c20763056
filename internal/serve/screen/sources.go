package screen

import (
	"slices"
	"time"

	"grantgraph/client"
	"grantgraph/internal/snapshot/lists"
)

// SourcesOf returns the state of each list at a time. A list that was never loaded has nulls and a note that says why.
func SourcesOf(now *lists.Current, at time.Time) *client.ComplianceSources {
	s := &client.ComplianceSources{}
	for name, source := range listsOf(s) {
		*source = SourceOf(now, name, at)
	}
	return s
}

func listsOf(s *client.ComplianceSources) map[string]*client.ComplianceSource {
	return map[string]*client.ComplianceSource{
		lists.IRB: &s.IRB, lists.CARegistry: &s.CARegistry, lists.BMF: &s.BMF, lists.Pub78: &s.Pub78,
		lists.CAFTB: &s.CAFTB, lists.OFAC: &s.OFAC, lists.Revocation: &s.Revocation,
	}
}

func SourceOf(now *lists.Current, name string, at time.Time) client.ComplianceSource {
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
		s.IsCurrent = new(*s.RevisedNewest >= *s.UpstreamRevised)
	}
	switch {
	case state.Problem != "":
		s.Note = orNull("The last good list is served; what came since was not taken: " + state.Problem + ".")
	case check.Problem != "":
		s.Note = orNull("The last good list is served; upstream could not be taken: " + check.Problem + ".")
	}
	switch why := tooOld(l, state, check, s.IsCurrent, at); {
	case state.Rows == 0:
		s.Note = orNull("Not used: it has no rows.")
	case why != "":
		s.Note = &why
	case state.Incomplete != "":
		s.Note = orNull("Not used: incomplete list (" + state.Incomplete + ").")
	default:
		s.Screens = true
	}
	return s
}

func listOf(name string) lists.List {
	all := lists.All()
	return all[slices.IndexFunc(all, func(l lists.List) bool { return l.Name == name })]
}

// orNull returns nil for an empty text: null on the wire means that it is not known.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// instant returns a time in the form of the wire, nil when it is not known.
func instant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return orNull(t.UTC().Format(time.RFC3339))
}
