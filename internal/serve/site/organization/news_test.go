package organization_test

import (
	"strings"
	"testing"

	"grantgraph/internal/serve/change"
)

// TestNews shows news of an organization, and nothing if there are none.
func TestNews(t *testing.T) {
	t.Parallel()
	p := open(t)
	rows := p.rows(t)
	e := rows[0].Funder.EIN
	for name, c := range map[string]struct {
		filers []change.Filer
		want   string // empty for no news
	}{
		"new and amended": {[]change.Filer{{EIN: uint32(e), Funder: 1, Counts: change.Counts{ReturnsNew: 1, ReturnsAmended: 2, RowsAdded: 1200, RowsChanged: 1}}},
			"Since the build of October 1, 2026: 1 new return, 2 amended returns, 1,200 added grants, 1 changed grant."},
		"gone":        {[]change.Filer{{EIN: uint32(e), Funder: 1, Counts: change.Counts{ReturnsRemoved: 1, RowsRemoved: 3}}}, "Since the build of October 1, 2026: 1 withdrawn return, 3 removed grants."},
		"another one": {[]change.Filer{{EIN: uint32(e) + 1, Counts: change.Counts{ReturnsNew: 1}}}, ""},
		"nothing new": {nil, ""},
	} {
		x, err := change.New([]change.Invented{{Version: "20261001T000000Z", Filers: c.filers}})
		if err != nil {
			t.Fatal(err)
		}
		p.set.Changes = x
		at := p.home(t, e)
		page := p.get(t, at)
		page.want(t, at, 200, c.want)
		if has := strings.Contains(page.body, "New in this build"); has != (c.want != "") {
			t.Errorf("%s: news are shown: %t", name, has)
		}
	}
	p.set.Changes = nil // unavailable
	if page := p.get(t, p.home(t, e)); page.status != 200 || strings.Contains(page.body, "New in this build") {
		t.Errorf("without the file of changes: %d", page.status)
	}
}
