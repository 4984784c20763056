package report

import (
	"testing"

	"grantgraph/client"
	"grantgraph/internal/serve/screen"
)

// TestMarks gives one list after the other a finding, and the mark stands beside
// that list alone.
func TestMarks(t *testing.T) {
	t.Parallel()
	blocks := func(c *client.ReportContent) []*client.ScreenProvenance {
		k := &c.Compliance
		ca := &k.StateRegistration.California
		return []*client.ScreenProvenance{&k.BMF.ScreenProvenance, &k.Pub78.ScreenProvenance, &k.Revocation.ScreenProvenance, &k.IRBScreen.ScreenProvenance, &k.OFACSanctionsScreen.ScreenProvenance, &ca.ScreenProvenance, &ca.FTB}
	}
	bad := []string{screen.NotListed, screen.NotListed, screen.Revoked, screen.PotentialMatch, screen.PotentialMatch, screen.Listed, screen.Revoked}
	for i, status := range bad {
		for _, tc := range []struct {
			status   string
			screened bool
			want     mark
		}{{status, true, lookCloser}, {screen.NotScreened, false, notScreened}, {"surprise", true, notScreened}} {
			c := clear()
			b := blocks(&c)[i]
			b.Status, b.Screened = tc.status, tc.screened
			for n, f := range (&shownContent{ReportContent: c}).findings() {
				want := nothingFound
				if n == i {
					want = tc.want
				}
				if f.mark != want || f.from.Source != blocks(&c)[n].Source {
					t.Errorf("%s %s: %s has the mark %s, want %s", b.Source, tc.status, f.list, f.mark, want)
				}
			}
		}
	}
	for status, want := range map[string]mark{screen.Clear: nothingFound, screen.PotentialMatch: lookCloser, screen.RuledOut: lookCloser, screen.NotScreened: notScreened, "surprise": notScreened} {
		n := named()
		n.Compliance.OFACSanctionsScreen.Status = status
		if got := (&shownContent{named: &n}).findings(); len(got) != 1 || got[0].mark != want {
			t.Errorf("a name that is %s: %+v", status, got)
		}
	}
}
