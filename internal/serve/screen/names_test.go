package screen

import (
	"slices"
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/snapshot/lists"
)

// TestScreenName compares names that have no EIN.
func TestScreenName(t *testing.T) {
	t.Parallel()
	rows := &Rows{Entities: []Sanctioned{sanctioned(101, "ZARVONIA PETROLEUM TRADING"), sanctioned(102, "OBSIDIAN VANTREK INDUSTRIES")}}
	s := New(current(), rows)
	for _, tc := range []struct{ name, status string }{
		{"Zarvonia Petroleum Trading", PotentialMatch},
		{"Zarvonia Petroleum Trading 石油", PotentialMatch},
		{"Зарвония Петролеум Трейдинг", PotentialMatch}, // spelled in Latin letters first
		{"Maple Hollow Food Pantry", Clear},
		{"石油貿易", NotScreened},         // nothing of it can be compared
		{"石油貿易 Limited", NotScreened}, // nor all of it
		{"Дом", Clear},
		{"—", NotScreened},
	} {
		r := s.ScreenName(client.ScreenedName{Name: tc.name}, nil, noon)
		if b := &r.Compliance.OFACSanctionsScreen; b.Status != tc.status || b.Screened == (tc.status == NotScreened) || b.Screened != (b.MatchCount != nil) {
			t.Errorf("%s: %+v", tc.name, b)
		}
	}
}

// TestWhereabouts says that countries differ only where both are known.
func TestWhereabouts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ country, city, listed, in, want string }{
		{"Iceland", "", "Iceland", "", "country_agrees"},
		{"IC", "", "Iceland", "", "country_agrees"}, // as tax forms write it
		{"Iceland", "", "France", "", "country_differs"},
		{"IS", "", "Iceland", "", ""}, // as others do
		{"CN", "", "China", "", ""},
		{"China", "", "Region: Crimea", "", ""},
		{"China", "", "", "", ""},
		{"Ísland", "", "France", "", ""},
		{"中国", "", "China", "", ""},
		{"", "", "China", "", ""},
		{"", "Varnholm", "", "Varnholm 123", "city_agrees"},
		{"", "中", "", "Varnholm", ""},
		{"", "Akron", "", "Varnholm", ""},
	} {
		subject := &client.ScreenedName{Country: orNull(tc.country), City: orNull(tc.city)}
		got := whereabouts(subject, []lists.SanctionPlace{{Country: tc.listed, City: tc.in}})
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

// TestRuledOutWithoutAllNames does not say that nothing matched when the caller
// ruled out what did.
func TestRuledOutWithoutAllNames(t *testing.T) {
	t.Parallel()
	s := New(current(func(s *lists.Status, _ *lists.Check) {
		if s.Name == lists.Pub78 {
			*s = lists.Status{Name: s.Name, Problem: "it was never loaded"}
		}
	}), tables())
	i := slices.IndexFunc(decisions, func(o invented) bool { return o.about == "the name of a sanctioned entity" })
	for _, tc := range []struct {
		excluded     []int64
		status, note string
	}{
		{nil, PotentialMatch, ""},
		{[]int64{101}, NotScreened, "the caller has ruled out what matched"},
	} {
		b := s.Screen(Query{EIN: numbered(i), Excluded: tc.excluded}, noon).Compliance.OFAC
		if b.Status != tc.status || !strings.Contains(text(b.Note), tc.note) || strings.Contains(text(b.Note), "without a match") {
			t.Errorf("%v: %s, %s", tc.excluded, b.Status, text(b.Note))
		}
	}
}

// TestNamesakesInCalifornia leaves open which of several rows without an EIN is
// meant: none of them is no proof that there is none.
func TestNamesakesInCalifornia(t *testing.T) {
	t.Parallel()
	const name = "REDWOOD NAMESAKE"
	for _, tc := range []struct {
		about        string
		rows         int
		own          bool // a row with the EIN beside them
		listed, ftb  string
		goodStanding string
	}{
		{"none", 0, false, NotListed, NotListed, "?"},
		{"one", 1, false, Listed, Revoked, "no"},
		{"two", 2, false, NotScreened, NotScreened, "?"},
		{"two and its own", 2, true, Listed, Revoked, "no"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()
			id := numbered(0)
			rows := &Rows{Masters: []lists.Master{{EIN: id.String(), Name: name, State: inCalifornia, Subsection: "03"}}}
			add := func(ein string) {
				rows.Registry = append(rows.Registry, lists.Registration{EIN: ein, Name: name, Status: "Current"})
				rows.FTB = append(rows.FTB, lists.FTBRecord{EIN: ein, Name: name, Revoked: "2024-01-01"})
			}
			for range tc.rows {
				add("")
			}
			if tc.own {
				add(id.String())
			}
			ca := New(current(), rows).Screen(Query{EIN: id}, noon).Compliance.StateRegistration.California
			if ca.Status != tc.listed || ca.FTB.Status != tc.ftb || say(ca.GoodStanding) != tc.goodStanding {
				t.Errorf("registry %s, board %s, good standing %s", ca.Status, ca.FTB.Status, say(ca.GoodStanding))
			}
			if (ca.Status == NotScreened) != (ca.RegistryRecords == nil) || (ca.FTB.Status == NotScreened) != (ca.FTBRecords == nil) || (ca.Note == nil) == (ca.Status == NotScreened) {
				t.Errorf("%+v", ca)
			}
		})
	}
}

// TestManyNames clears nobody who has more names than are compared.
func TestManyNames(t *testing.T) {
	t.Parallel()
	id := numbered(0)
	for _, tc := range []struct {
		about string
		names int
		first string
		ofac  string
		shown int // names that were compared
	}{
		{"as many as are compared", mostNames, "MAPLE HOLLOW", Clear, mostNames},
		{"one more", mostNames + 1, "MAPLE HOLLOW", NotScreened, mostNames},
		{"one more, and a match", mostNames + 1, "QUELBRIX MARITIME HOLDINGS", PotentialMatch, mostNames},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()
			rows := tables()
			rows.Masters = []lists.Master{{EIN: id.String(), Name: tc.first, State: "OH"}}
			rows.Pub78, rows.Registry = nil, nil
			for i := range tc.names - 1 {
				rows.Registry = append(rows.Registry, lists.Registration{EIN: id.String(), Name: "REDWOOD CIRCLE " + strings.Repeat("A", i+2), Status: "Current"})
			}
			r := New(current(), rows).Screen(Query{EIN: id}, noon)
			c := &r.Compliance
			if c.OFAC.Status != tc.ofac || len(r.Organization.Names) != tc.shown || (c.IRBScreen.Status == Clear) != (tc.names == mostNames) {
				t.Errorf("sanctions %s, bulletins %s, %d names", c.OFAC.Status, c.IRBScreen.Status, len(r.Organization.Names))
			}
		})
	}
}
