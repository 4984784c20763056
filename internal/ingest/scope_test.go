package ingest

import (
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
)

// TestScope builds for chosen states and filers. Recipients are found as in a whole build.
func TestScope(t *testing.T) {
	t.Parallel()
	w := sample()
	archive := w["990/2022_TEOS_XML_01A.zip"]
	larch := archive["202200019349100002_public.xml"]
	archive["202200019349100002_public.xml"] = strings.Replace(larch, "<StateAbbreviationCd>OH", "<StateAbbreviationCd>PA", 1)
	root := w.lay(t)
	one := ein.EIN(80000002)
	for _, c := range []struct {
		scope   Scope
		says    string
		funders string
		outside int64
	}{
		{Scope{}, "", "070000001 080000002", 0},
		{Scope{States: []string{"OH"}}, "filers in OH", "070000001", 1},
		{Scope{States: []string{"OH", "PA"}}, "filers in OH, PA", "070000001 080000002", 0},
		{Scope{EINs: []ein.EIN{one}}, "1 chosen filer", "080000002", 2},
		{Scope{States: []string{"OH"}, EINs: []ein.EIN{one}}, "filers in OH and 1 chosen filer", "070000001 080000002", 0},
	} {
		result := run(t, Options{Sources: root, Data: t.TempDir(), Scope: c.scope})
		var funders []string
		for _, g := range rowsOf[snapshot.Grant](t, result.Snapshot, snapshot.Grants) {
			if !slices.Contains(funders, g.FunderEIN) {
				funders = append(funders, g.FunderEIN)
			}
			if strings.HasPrefix(strings.ToUpper(g.RecipientRaw), "HARLOW") && g.RecipientEIN != "090000003" {
				t.Errorf("%q: %s is %q", c.scope, g.RecipientRaw, g.RecipientEIN)
			}
		}
		slices.Sort(funders)
		r := result.Report.Returns
		if got := strings.Join(funders, " "); got != c.funders || result.Snapshot.Manifest.Scope != c.says || r.Outside != c.outside ||
			r.Chosen+r.Superseded+r.Duplicate+r.Outside != r.Read {
			t.Errorf("%q: funders %s, scope %q, %+v", c.scope, got, result.Snapshot.Manifest.Scope, r)
		}
		if said := strings.Join(result.Report.Warnings, "\n"); strings.Contains(said, "only the returns of") != (c.says != "") {
			t.Errorf("%q: %s", c.scope, said)
		}
	}
}
