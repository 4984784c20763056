package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/snapshot/lists"
)

const (
	lastYear = "20251201T000000Z"
	newYear  = "20260101T000000Z"
	spring   = "20260401T000000Z"
)

// organizations are the names and addresses of a build.
func organizations(of map[ein.EIN][2]string) func(ein.EIN) (string, string, bool) {
	return func(e ein.EIN) (string, string, bool) {
		o, known := of[e]
		return o[0], o[1], known
	}
}

// state invents what a server has: changes of the lists since lastYear and since newYear, and of a build since lastYear.
func state(t *testing.T, before, after []change.ListChange, filers []change.Filer) *State {
	t.Helper()
	editions := []change.InventedEdition{{Version: lastYear}, {Version: newYear, Changes: before}}
	if after != nil {
		editions = append(editions, change.InventedEdition{Version: spring, Changes: after})
	}
	log, err := change.NewLog(editions)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := change.New([]change.Invented{{Version: lastYear, Filers: filers}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close(); changes.Close() })
	return &State{Log: log, Build: newYear, Changes: changes, Organization: organizations(map[ein.EIN][2]string{
		70000001: {"EXEMPLARY FUND", "1 WAY, DOVER, DE 19901"}, 80000002: {"SECOND SOCIETY", ""},
	})}
}

func told(alerts []account.Alert) string {
	var list []string
	for i := range alerts {
		a := &alerts[i]
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s>%s %s", a.EIN, a.Kind, a.From, a.To, a.Reference)))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func TestCompare(t *testing.T) {
	t.Parallel()
	match := &change.Match{Listed: "SHADOW TRADING", Name: "SHADOW TRADING FUND", Score: .9, Strength: "strong"}
	start := account.WatchMark{Edition: lastYear, Build: lastYear}
	first := account.WatchedMember{EIN: 70000001, Listed: "First", Name: "EXEMPLARY FUND", Address: "1 WAY, DOVER, DE 19901"}
	second := account.WatchedMember{EIN: 80000002, Listed: "Second"}
	both := []account.WatchedMember{first, second}
	one := func(list, what, was string) []change.ListChange {
		return []change.ListChange{{List: list, Change: what, Was: was, EIN: 70000001}, {List: list, Change: what, Was: was, EIN: 90000003}}
	}
	for _, c := range []struct {
		name          string
		from          account.WatchMark
		members       []account.WatchedMember
		before, after []change.ListChange
		filers        []change.Filer
		want          string
	}{
		{name: "nothing", from: start, members: both},
		{name: "begins", from: account.WatchMark{}, members: both, before: one(lists.Revocation, "revoked", "")},
		{name: "revoked", from: start, members: both, before: one(lists.Revocation, "revoked", ""), want: "070000001 revoked 20251201T000000Z>20260101T000000Z"},
		{name: "reinstated", from: start, members: both, before: one(lists.Revocation, "reinstated", "revoked"), want: "070000001 reinstated 20251201T000000Z>20260101T000000Z"},
		{name: "off Publication 78", from: start, members: both, before: one(lists.Pub78, "delisted", "listed"), want: "070000001 off_pub78 20251201T000000Z>20260101T000000Z"},
		{name: "back in Publication 78", from: start, members: both, before: one(lists.Pub78, "listed", ""), want: "070000001 on_pub78 20251201T000000Z>20260101T000000Z"},
		{name: "there and back", from: start, members: both, before: one(lists.Pub78, "delisted", "listed"), after: one(lists.Pub78, "listed", "")},
		{name: "off the master file", from: start, members: both, before: one(lists.BMF, "delisted", "listed"), want: "070000001 off_bmf 20251201T000000Z>20260101T000000Z"},
		{name: "California", from: start, members: both, before: one(lists.CARegistry, "may_not_operate", "may_operate"), want: "070000001 ca_may_not_operate 20251201T000000Z>20260101T000000Z"},
		{name: "a sanctioned name", from: start, members: both, before: []change.ListChange{{List: change.Matches, Change: change.PotentialMatch, EIN: 70000001, Reference: "900001", Match: match}},
			want: "070000001 sanctions_match 20251201T000000Z>20260101T000000Z 900001"},
		{name: "no longer", from: start, members: both, before: []change.ListChange{{List: change.Matches, Change: change.NoLongerMatched, Was: change.PotentialMatch, EIN: 70000001, Reference: "900001", Match: match}},
			want: "070000001 sanctions_match_ended 20251201T000000Z>20260101T000000Z 900001"},
		{name: "a list without EINs", from: start, members: both, before: []change.ListChange{{List: lists.OFAC, Change: "listed", Name: "A", Reference: "1"}}},
		{name: "grants", from: start, members: both, filers: []change.Filer{
			{EIN: 70000001, Funder: 1, Counts: change.Counts{ReturnsNew: 1, ReturnsAmended: 2, RowsAdded: 30}}, {EIN: 90000003, Counts: change.Counts{ReturnsNew: 1}}},
			want: "070000001 amended_returns 20251201T000000Z>20260101T000000Z\n070000001 new_grants 20251201T000000Z>20260101T000000Z\n070000001 new_returns 20251201T000000Z>20260101T000000Z"},
		{name: "moved", from: start, members: []account.WatchedMember{{EIN: 70000001, Name: "EXEMPLARY FUND", Address: "9 OLD WAY"}},
			want: "070000001 address_changed 20251201T000000Z>20260101T000000Z"},
		{name: "renamed", from: start, members: []account.WatchedMember{{EIN: 70000001, Name: "OLD FUND", Address: first.Address}},
			want: "070000001 name_changed 20251201T000000Z>20260101T000000Z"},
		{name: "an address that is not known now", from: start, members: []account.WatchedMember{{EIN: 80000002, Name: "SECOND SOCIETY", Address: "9 OLD WAY"}}},
		{name: "an organization that is not known now", from: start, members: []account.WatchedMember{{EIN: 90000003, Name: "THIRD", Address: "9 OLD WAY"}}},
		{name: "from an edition that is not in the log", from: account.WatchMark{Edition: "20240101T000000Z", Build: newYear}, members: both,
			before: one(lists.Revocation, "revoked", ""), want: "not_compared 20240101T000000Z>20260101T000000Z"},
		{name: "from a build that is not kept", from: account.WatchMark{Edition: newYear, Build: "20240101T000000Z"}, members: both,
			want: "not_compared 20240101T000000Z>20260101T000000Z"},
		{name: "a server that is behind", from: account.WatchMark{Edition: "20270101T000000Z", Build: "20270101T000000Z"},
			members: []account.WatchedMember{{EIN: 70000001, Name: "NEWER NAME"}}, before: one(lists.Revocation, "revoked", "")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := state(t, c.before, c.after, c.filers)
			alerts, _, to := Compare(c.from, slices.Clone(c.members), s)
			if got := told(alerts); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			want := s.Mark()
			if want.Edition, want.Build = max(want.Edition, c.from.Edition), max(want.Build, c.from.Build); to != want {
				t.Errorf("from %v to %v", c.from, to)
			}
			for i := range alerts {
				a := &alerts[i]
				if Title(a) == "" || strings.ContainsAny(Text(a), "{}") || a.EIN == 70000001 && a.Name == "" || a.Source == "" {
					t.Errorf("%+v: %s. %s", a, Title(a), Text(a))
				}
			}
			// From where it has come to, nothing is left to tell.
			if again, _, _ := Compare(to, c.members[:0], s); len(again) != 0 {
				t.Errorf("again: %s", told(again))
			}
		})
	}
}

// TestSeen remembers names and addresses once.
func TestSeen(t *testing.T) {
	t.Parallel()
	s := state(t, nil, nil, nil)
	members := []account.WatchedMember{{EIN: 70000001, Listed: "First"}, {EIN: 90000003, Listed: "Unknown"}}
	alerts, seen, to := Compare(account.WatchMark{}, members, s)
	if len(alerts) != 0 || len(seen) != 1 || seen[0].Name != "EXEMPLARY FUND" || seen[0].Address != "1 WAY, DOVER, DE 19901" {
		t.Errorf("%v %+v", alerts, seen)
	}
	if _, seen, _ = Compare(to, seen, s); len(seen) != 0 {
		t.Errorf("again: %+v", seen)
	}
}

// TestOutOfService keeps the mark of a part that cannot be compared now.
func TestOutOfService(t *testing.T) {
	t.Parallel()
	from := account.WatchMark{Edition: lastYear, Build: lastYear}
	s := &State{Log: &change.Log{}, Build: newYear, Organization: organizations(nil)}
	if alerts, _, to := Compare(from, []account.WatchedMember{{EIN: 70000001}}, s); len(alerts) != 0 || to != from {
		t.Errorf("%v to %v", alerts, to)
	}
}

// TestKinds has a text for every change of a list that is followed by EIN.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, name := range append(lists.Names(), change.Matches) {
		if change.ByName(name) {
			continue
		}
		for _, word := range change.Words(name) {
			if _, known := kinds[name+" "+word]; !known {
				t.Errorf("%s of %s has no text", word, name)
			}
		}
	}
}
