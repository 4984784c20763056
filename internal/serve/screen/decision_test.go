package screen

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

var noon = time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)

// current is an edition in which every list is loaded, fresh and current, but
// for what change does to it.
func current(change ...func(*lists.Status, *lists.Check)) *lists.Current {
	c := &lists.Current{Edition: &lists.Edition{Snapshot: &snapshot.Snapshot{Manifest: snapshot.Manifest{Version: "20261005T000000Z"}}}}
	for _, name := range lists.Names() {
		state := lists.Status{Name: name, Loaded: true, Rows: 20_000, FetchedAt: noon.AddDate(0, 0, -2), Revised: "2026-10-01", RevisedNewest: "2026-10-01", Files: "f1" + name}
		check := lists.Check{Name: name, CheckedAt: noon.Add(-time.Minute), UpstreamRevised: "2026-10-01"}
		for _, f := range change {
			f(&state, &check)
		}
		c.Edition.Lists = append(c.Edition.Lists, state)
		c.Checks = append(c.Checks, check)
	}
	return c
}

// invented is an organization of the decision table. The master row is written
// as name=value pairs; empty means that the master file does not have it.
type invented struct {
	about    string
	name     string
	master   string // sub found ded fil pf aff grp state status aka
	pub78    string // codes
	revoked  string // revoked/posted/reinstated, several separated by a space
	registry string // status of the registration; ! in front for a row without an EIN
	ftb      string // revoked on; ! likewise
	filed    string

	applies   string // flags that apply
	unknown   string // flags that are not known, beside grantor_knowledge
	available string // reliance_available: yes, no or ?
	conflict  bool
	ofac, irb string // statuses; empty is clear
}

// charity is the master row of most: a public charity that files Form 990.
const charity = "sub=03 found=15 ded=1 fil=01 pf=0 aff=3 grp=0000 state=OH status=01"

// unclassed are the flags that are not known of an organization that is neither
// in the master file nor in Publication 78.
const unclassed = "supporting_org_control type_iii_not_fi so_type_unknown private_foundation_grantee foreign_addressee group_subordinate_not_listed "

var decisions = []invented{
	{about: "a sound public charity", name: "MAPLE HOLLOW FOOD PANTRY", master: charity, pub78: "PC", available: "yes"},
	{about: "a church that is listed", name: "MAPLE HOLLOW CHAPEL", master: charity + " found=10 fil=06", pub78: "PC", available: "yes"},
	{about: "a church that is not listed", name: "QUARRY LANE CHAPEL", master: charity + " found=10 fil=06", applies: "church_or_government_not_listed", available: "yes"},
	{about: "a religious organization that need not file", name: "QUARRY LANE MISSION", master: charity + " fil=13", applies: "church_or_government_not_listed", available: "yes"},
	{about: "an instrumentality of a state", name: "QUARRY LANE WATER BOARD", master: charity + " fil=14", applies: "church_or_government_not_listed", available: "yes"},
	{about: "a governmental unit", name: "QUARRY LANE TOWNSHIP", master: charity + " found=14", applies: "church_or_government_not_listed", available: "yes"},
	{about: "a school", name: "MAPLE HOLLOW ACADEMY", master: charity + " found=11", pub78: "PC", available: "yes"},
	{about: "a hospital", name: "MAPLE HOLLOW CLINIC", master: charity + " found=12", pub78: "PC", available: "yes"},
	{about: "for a public college", name: "MAPLE HOLLOW COLLEGE FUND", master: charity + " found=13", pub78: "PC", available: "yes"},
	{about: "509(a)(2)", name: "MAPLE HOLLOW THEATRE", master: charity + " found=16", pub78: "PC", available: "yes"},
	{about: "testing for public safety", name: "MAPLE HOLLOW SAFETY LAB", master: charity + " found=18", pub78: "PC", available: "yes"},
	{about: "agricultural research", name: "MAPLE HOLLOW SEED LAB", master: charity + " found=25", pub78: "PC", available: "yes"},
	{about: "a private foundation", name: "BIRCH FAMILY FUND", master: charity + " found=04 fil=00 pf=1", pub78: "PF", applies: "private_foundation_grantee", available: "yes"},
	{about: "an operating foundation", name: "BIRCH OPERATING FUND", master: charity + " found=03 fil=00 pf=1", pub78: "POF", applies: "private_foundation_grantee", available: "yes"},
	{about: "an exempt operating foundation", name: "BIRCH EXEMPT FUND", master: charity + " found=02 fil=00 pf=1", pub78: "POF", available: "yes"},
	{about: "an operating foundation in Publication 78 alone", name: "BIRCH LISTED FUND", pub78: "POF", applies: "lists_disagree",
		unknown: "non_501c3 private_foundation_grantee", available: "no", conflict: true},
	{about: "supporting, type I", name: "CEDAR SUPPORT ONE", master: charity + " found=21", pub78: "SO", applies: "supporting_org_control", available: "yes"},
	{about: "supporting, type II", name: "CEDAR SUPPORT TWO", master: charity + " found=22", pub78: "SO", applies: "supporting_org_control", available: "yes"},
	{about: "supporting, type III functionally integrated", name: "CEDAR SUPPORT THREE", master: charity + " found=23", pub78: "SO", applies: "supporting_org_control", available: "yes"},
	{about: "supporting, type III other", name: "CEDAR SUPPORT FOUR", master: charity + " found=24", pub78: "SONFI", applies: "supporting_org_control type_iii_not_fi", available: "yes"},
	{about: "supporting, type not stated", name: "CEDAR SUPPORT FIVE", master: charity + " found=17", pub78: "SOUNK", applies: "supporting_org_control so_type_unknown", available: "no"},
	{about: "type III only by Publication 78", name: "CEDAR SUPPORT SIX", master: charity + " found=21", pub78: "SONFI", applies: "supporting_org_control type_iii_not_fi", available: "yes"},
	{about: "status in suspense", name: "ALDER SUSPENSE", master: charity + " found=09", pub78: "UNKWN", available: "no"},
	{about: "no foundation code", name: "ALDER BLANK", master: charity + " found=", pub78: "PC", available: "no"},
	{about: "a business league", name: "ALDER BOARD OF TRADE", master: charity + " sub=06 found=00 ded=2", applies: "non_501c3", available: "no"},
	{about: "a veterans' post, deductible", name: "ALDER VETERANS POST", master: charity + " sub=19 found=00 ded=1", pub78: "EO", applies: "non_501c3", available: "no"},
	{about: "a lodge", name: "ALDER LODGE", master: charity + " sub=10 found=00 ded=1", pub78: "EO,LODGE", applies: "non_501c3", available: "no"},
	{about: "by treaty", name: "ALDER TREATY FUND", master: charity + " ded=4 state=", pub78: "FORGN,PC", applies: "foreign_addressee", available: "yes"},
	{about: "a foreign address", name: "ALDER ABROAD", master: charity + " state=", pub78: "FORGN,PC", applies: "foreign_addressee", available: "yes"},
	{about: "deductibility not stated", name: "ALDER MUTE", master: charity + " ded=", pub78: "PC", available: "no"},
	{about: "revoked", name: "ASPEN REVOKED", revoked: "2020-05-15/2020-08-11/", applies: "public_notice_of_change", unknown: unclassed + "church_or_government_not_listed non_501c3", available: "no"},
	{about: "revoked and still in the master file", name: "ASPEN LAGGING", master: charity, pub78: "PC", revoked: "2020-05-15/2020-08-11/", applies: "public_notice_of_change", available: "no"},
	{about: "revoked, no posting date", name: "ASPEN UNPOSTED", master: charity, pub78: "PC", revoked: "2020-05-15//", applies: "public_notice_of_change", available: "no"},
	{about: "reinstated the same day", name: "ASPEN REINSTATED", master: charity, pub78: "PC", revoked: "2020-05-15/2020-08-11/2020-05-15", applies: "reinstated_after_revocation", available: "yes"},
	{about: "reinstated later", name: "ASPEN LATER", master: charity, pub78: "PC", revoked: "2020-05-15/2020-08-11/2021-03-01", applies: "reinstated_after_revocation", available: "yes"},
	{about: "revoked twice, reinstated once", name: "ASPEN TWICE", master: charity, pub78: "PC", revoked: "2012-05-15/2012-08-11/2013-01-01 2020-05-15/2020-08-11/",
		applies: "public_notice_of_change reinstated_after_revocation", available: "no"},
	{about: "revoked twice, the later row reinstates", name: "ASPEN RECOVERED", master: charity, pub78: "PC", revoked: "2012-05-15/2012-08-11/ 2020-05-15/2020-08-11/2020-05-15",
		applies: "reinstated_after_revocation", available: "yes"},
	{about: "revoked, then restored by a row of an older date", name: "ASPEN ODD", master: charity, pub78: "PC", revoked: "2012-05-15/2012-08-11/2014-01-01 2013-05-15/2013-08-11/",
		applies: "reinstated_after_revocation", available: "yes"},
	{about: "in a group, not listed", name: "POPLAR CHAPTER ONE", master: charity + " aff=9 grp=1234", applies: "group_subordinate_not_listed", available: "yes"},
	{about: "in a group, listed itself", name: "POPLAR CHAPTER TWO", master: charity + " aff=9 grp=1234", pub78: "PC", available: "yes"},
	{about: "an intermediate of a group", name: "POPLAR REGION", master: charity + " aff=7 grp=1234", applies: "group_subordinate_not_listed", available: "yes"},
	{about: "in a group without a central organization", name: "POPLAR ORPHAN", master: charity + " aff=9 grp=9999", applies: "group_subordinate_not_listed", available: "yes"},
	{about: "the central organization", name: "POPLAR NATIONAL", master: charity + " aff=6 grp=1234", pub78: "PC,GROUP", available: "yes"},
	{about: "a group number but independent", name: "POPLAR LOOSE", master: charity + " aff=3 grp=1234", applies: "lists_disagree", available: "yes", conflict: true},
	{about: "in the master file alone", name: "ELM UNLISTED", master: charity, applies: "lists_disagree", available: "yes", conflict: true},
	{about: "in Publication 78 alone", name: "ELM PUBLISHED", pub78: "PC", applies: "lists_disagree", unknown: "non_501c3", available: "no", conflict: true},
	{about: "not deductible but published", name: "ELM CONTRARY", master: charity + " ded=2", pub78: "PC", applies: "lists_disagree", available: "yes", conflict: true},
	{about: "of two classes", name: "ELM DIVIDED", master: charity, pub78: "PF", applies: "lists_disagree private_foundation_grantee", available: "yes", conflict: true},
	{about: "a code that is documented nowhere", name: "ELM NOVEL", master: charity, pub78: "XYZ", available: "yes"},
	{about: "of an unlisted class", name: "ELM UNDETERMINED", master: charity, pub78: "UNKWN", available: "yes"},
	{about: "the name of a sanctioned entity", name: "ZARVONIA PETROLEUM TRADING COMPANY", master: charity, pub78: "PC", applies: "terrorist_suspension", available: "no", ofac: PotentialMatch},
	{about: "its other name is that of one", name: "PLAIN HELPERS", master: charity + " aka=QUELBRIX_MARITIME_HOLDINGS", pub78: "PC", applies: "terrorist_suspension", available: "no", ofac: PotentialMatch},
	{about: "the name of an entity of a program about no terrorism", name: "ZORVETH SHIPPING LINES", master: charity, pub78: "PC", available: "no", ofac: PotentialMatch},
	{about: "similar to one", name: "QUELBRIX MARITIME SERVICES HOLDINGS FUND", master: charity, pub78: "PC", unknown: "terrorist_suspension", available: "?", ofac: PotentialMatch},
	{about: "named in a bulletin", name: "HOLLOW PINE CHARITY", master: charity, pub78: "PC", applies: "public_notice_of_change", available: "no", irb: PotentialMatch},
	{about: "named in a bulletin, another state", name: "HOLLOW PINE CHARITY", master: charity + " state=TX", pub78: "PC", available: "yes"},
	{about: "similar to one named in a bulletin", name: "HOLLOW PINES CHARITY", master: charity, pub78: "PC", unknown: "public_notice_of_change", available: "?", irb: PotentialMatch},
	{about: "named in a bulletin without a state", name: "STATELESS MERCY HOUSE", master: charity, pub78: "PC", unknown: "public_notice_of_change", available: "?", irb: PotentialMatch},
	{about: "registered in California", name: "REDWOOD GIVING", master: charity + " state=CA", pub78: "PC", registry: "Current", available: "yes"},
	{about: "delinquent in California", name: "REDWOOD LATE", master: charity + " state=CA", pub78: "PC", registry: "Delinquent", available: "yes"},
	{about: "revoked by the Franchise Tax Board", name: "REDWOOD TAXED", master: charity + " state=CA", pub78: "PC", registry: "Delinquent", ftb: "2024-01-01", available: "yes"},
	{about: "revoked by the Franchise Tax Board, registry lags", name: "REDWOOD LAG", master: charity + " state=CA", pub78: "PC", registry: "Current", ftb: "2024-01-01", applies: "california_suspension", available: "yes"},
	{about: "revoked by the IRS, registry lags", name: "REDWOOD GONE", master: charity + " state=CA", pub78: "PC", registry: "Current", revoked: "2020-05-15/2020-08-11/",
		applies: "california_suspension public_notice_of_change", available: "no"},
	{about: "a status that says nothing", name: "REDWOOD PENDING", master: charity + " state=CA", pub78: "PC", registry: "Dissolution Pending", available: "yes"},
	{about: "registered by name alone", name: "REDWOOD NAMED", master: charity + " state=CA", pub78: "PC", registry: "!Current", available: "yes"},
	{about: "taxed by name alone", name: "REDWOOD ONLYNAMED", master: charity + " state=CA", pub78: "PC", ftb: "!2024-01-01", available: "yes"},
	{about: "the same name elsewhere is somebody else", name: "REDWOOD NAMED ELSEWHERE", master: charity + " state=NV", pub78: "PC", registry: "!Current", available: "yes"},
	{about: "known from filings alone", filed: "FILED ONLY SOCIETY", name: "", unknown: unclassed + "church_or_government_not_listed non_501c3", available: "no"},
	{about: "known to nobody", name: "", unknown: unclassed + "church_or_government_not_listed non_501c3 public_notice_of_change terrorist_suspension", available: "no", ofac: NotScreened, irb: NotScreened},
}

// numbered is the EIN of a row of the table.
func numbered(i int) ein.EIN {
	e, err := ein.Parse(fmt.Sprintf("00%07d", i+1))
	if err != nil {
		panic(err)
	}
	return e
}

// tables are the lists that the table describes.
func tables() *Rows {
	r := &Rows{
		Entities: []Sanctioned{
			sanctioned(101, "ZARVONIA PETROLEUM TRADING COMPANY", "ZARVONIA OIL"),
			sanctioned(102, "QUELBRIX MARITIME HOLDINGS"),
			{Sanction: lists.Sanction{Num: 104, Name: "ZORVETH SHIPPING LINES", Programs: []string{"NPWMD", "IFSR"}},
				Names: []lists.SanctionName{{Num: 104, Kind: "primary", Name: "ZORVETH SHIPPING LINES"}}},
			sanctioned(103, "OBSIDIAN VANTREK INDUSTRIES"),
		},
		Deleted: []lists.Deletion{
			{Bulletin: "2025-07", Published: "2025-02-10", Announcement: "2025-4", Name: "Hollow Pine Charity", City: "Akron", State: "OH", Effective: "2023-01-01"},
			{Bulletin: "2025-09", Published: "2025-02-24", Name: "Stateless Mercy House"},
		},
		BulletinsInAll: []lists.Bulletin{{Number: "2025-09", Date: "2025-02-24"}, {Number: "2026-40", Date: "2026-09-28"}},
	}
	for i, o := range decisions {
		id := numbered(i).String()
		if o.master != "" {
			r.Masters = append(r.Masters, masterRow(id, o))
		}
		if o.pub78 != "" {
			r.Pub78 = append(r.Pub78, lists.Deductible{EIN: id, Name: o.name, Country: "United States", Codes: o.pub78})
		}
		for _, event := range strings.Fields(o.revoked) {
			day := strings.Split(event, "/")
			r.Revoked = append(r.Revoked, lists.RevocationRow{EIN: id, Name: o.name, Revoked: day[0], Posted: day[1], Reinstated: day[2]})
		}
		if status, named := strings.CutPrefix(o.registry, "!"); o.registry != "" {
			r.Registry = append(r.Registry, lists.Registration{EIN: unless(named, id), List: "may-operate", Status: status, Name: o.name, State: "CA"})
		}
		if day, named := strings.CutPrefix(o.ftb, "!"); o.ftb != "" {
			r.FTB = append(r.FTB, lists.FTBRecord{EIN: unless(named, id), EntityID: "1234567", Name: o.name, Revoked: day})
		}
	}
	return r
}

func unless(no bool, text string) string {
	if no {
		return ""
	}
	return text
}

func masterRow(id string, o invented) lists.Master {
	v := map[string]string{}
	for pair := range strings.FieldsSeq(o.master) {
		name, value, _ := strings.Cut(pair, "=")
		v[name] = value
	}
	return lists.Master{EIN: id, Name: o.name, SortName: strings.ReplaceAll(v["aka"], "_", " "), State: v["state"], Group: v["grp"], Subsection: v["sub"], Affiliation: v["aff"],
		Ruling: "199807", Deductibility: v["ded"], Foundation: v["found"], Status: v["status"], FilingReq: v["fil"], PFFilingReq: v["pf"], NTEE: "K31"}
}

func sanctioned(num int64, name string, aliases ...string) Sanctioned {
	s := Sanctioned{Sanction: lists.Sanction{Num: num, Name: name, Programs: []string{"SDGT"}}, Places: []lists.SanctionPlace{{Num: num, City: "Varnholm", Country: "Freedonia"}}}
	s.Names = append(s.Names, lists.SanctionName{Num: num, Kind: "primary", Name: name})
	for _, a := range aliases {
		s.Names = append(s.Names, lists.SanctionName{Num: num, Kind: "aka", Name: a})
	}
	return s
}

func (o invented) query(i int) Query {
	q := Query{EIN: numbered(i)}
	if o.filed != "" {
		q.Filed = []string{o.filed}
	}
	return q
}

func say(b *bool) string {
	switch {
	case b == nil:
		return "?"
	case *b:
		return "yes"
	}
	return "no"
}

// TestRules holds that every rule says what it rests on and what it does not mean, and what the
// cases of expenditure responsibility and of two revocations say.
func TestRules(t *testing.T) {
	t.Parallel()
	for id, row := range flagRows {
		if row.Text("basis") == "" || row.Text("limit") == "" {
			t.Errorf("the rule %s has no basis or no limit", id)
		}
	}
	s := New(current(), tables())
	for about, want := range map[string]string{
		"a private foundation":                             "4966(c)(1)(B)(ii)",
		"an operating foundation":                          "4966(c)(2)(A) and 170(b)(1)(A)(vii)",
		"an exempt operating foundation":                   "4945(d)(4)(A)(iii)",
		"an operating foundation in Publication 78 alone":  "4945(d)(4)(A)(iii)",
		"revoked, then restored by a row of an older date": "2012-05-15 2014-01-01 reinstated",
		"revoked twice, reinstated once":                   "2020-05-15  revoked",
	} {
		i := slices.IndexFunc(decisions, func(o invented) bool { return o.about == about })
		c := &s.Screen(decisions[i].query(i), noon).Compliance
		v := &c.Revocation
		got := text(v.RevocationDate) + " " + text(v.ReinstatementDate) + " " + v.Status
		for _, f := range c.Reliance.Flags {
			if f.ID == "private_foundation_grantee" {
				got += f.Basis
			}
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", about, got, want)
		}
	}
}

// TestDecisions holds every organization against what its rows mean.
func TestDecisions(t *testing.T) {
	t.Parallel()
	if len(decisions) < 60 {
		t.Fatalf("the table has %d organizations", len(decisions))
	}
	s := New(current(), tables())
	shown := map[string]bool{}
	for i, o := range decisions {
		t.Run(o.about, func(t *testing.T) {
			r := s.Screen(o.query(i), noon)
			c := &r.Compliance
			var applies, unknown []string
			for _, f := range c.Reliance.Flags {
				switch say(f.Applies) {
				case "yes":
					applies = append(applies, f.ID)
					shown[f.ID] = true
				case "?":
					unknown = append(unknown, f.ID)
				}
			}
			slices.Sort(applies)
			slices.Sort(unknown)
			want := append(strings.Fields(o.unknown), "grantor_knowledge")
			slices.Sort(want)
			wantApplies := strings.Fields(o.applies)
			slices.Sort(wantApplies)
			if !slices.Equal(applies, wantApplies) || !slices.Equal(unknown, want) {
				t.Errorf("flags %v, want %v; unknown %v, want %v", applies, wantApplies, unknown, want)
			}
			if got := say(c.Reliance.RelianceAvailable); got != o.available {
				t.Errorf("reliance_available is %s, want %s (complete %s)", got, o.available, say(c.Reliance.ReportComplete))
			}
			if got := say(c.Conflict); got != say(new(o.conflict)) {
				t.Errorf("conflict is %s", got)
			}
			if want := or(o.ofac, Clear); c.OFAC.Status != want || !reflect.DeepEqual(c.OFAC, c.OFACSanctionsScreen) {
				t.Errorf("sanctions %s, want %s: %+v", c.OFAC.Status, want, c.OFAC.PotentialMatches)
			}
			if want := or(o.irb, Clear); c.IRBScreen.Status != want {
				t.Errorf("bulletins %s, want %s: %+v", c.IRBScreen.Status, want, c.IRBScreen.PotentialMatches)
			}
			if found := o.master+o.pub78+o.revoked+o.filed != ""; r.Found != found {
				t.Errorf("found is %v", r.Found)
			}
			if len(c.Reliance.Elements) != 9 {
				t.Errorf("%d elements", len(c.Reliance.Elements))
			}
		})
	}
	for _, f := range s.Screen(Query{EIN: numbered(0)}, noon).Compliance.Reliance.Flags {
		if !shown[f.ID] && f.ID != "grantor_knowledge" && f.ID != "extract_not_current" { // these two are below
			t.Errorf("no organization of the table has the flag %s", f.ID)
		}
	}
}

// Two flags do not depend on the organization.
func TestFlagsOfEveryOrganization(t *testing.T) {
	t.Parallel()
	upstream := func(revised string) func(*lists.Status, *lists.Check) {
		return func(_ *lists.Status, c *lists.Check) { c.UpstreamRevised = revised }
	}
	for _, tt := range []struct {
		flag, revised, want string
	}{
		{"grantor_knowledge", "2026-10-01", "?"}, // what a grantor knows is in no list
		{"extract_not_current", "2026-10-01", "no"},
		{"extract_not_current", "2026-10-04", "yes"},
		{"extract_not_current", "", "?"}, // nobody has looked
	} {
		flags := New(current(upstream(tt.revised)), tables()).Screen(Query{EIN: numbered(0)}, noon).Compliance.Reliance.Flags
		i := slices.IndexFunc(flags, func(f client.RelianceFlag) bool { return f.ID == tt.flag })
		if i < 0 || say(flags[i].Applies) != tt.want {
			t.Errorf("%s with an extract of %q: want %s of %+v", tt.flag, tt.revised, tt.want, flags)
		}
	}
}

// The page about screening gives each flag the provisions that the record gives.
func TestFlagsInDocs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/screening.md")
	if err != nil {
		t.Fatal(err)
	}
	for flag, row := range flagRows {
		if basis := row.Text("basis"); !strings.Contains(flag, ".") && !strings.Contains(string(page), "| `"+flag+"` | "+basis+" |") {
			t.Errorf("docs/screening.md does not say that %s rests on %s", flag, basis)
		}
	}
}

func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}

// verdicts are all that a record says, by name; those that put a mind at rest
// are marked.
func verdicts(r *client.ScreeningRecord) map[string]verdict {
	c := &r.Compliance
	v := map[string]verdict{}
	status := func(name string, p client.ScreenProvenance, reassuring ...string) {
		v[name] = verdict{p.Status, slices.Contains(reassuring, p.Status)}
		v[name+".screened"] = verdict{fmt.Sprint(p.Screened), p.Screened}
	}
	tri := func(name string, b *bool, reassuring bool) { v[name] = verdict{say(b), b != nil && *b == reassuring} }
	status("bmf", c.BMF.ScreenProvenance, Listed)
	status("pub78", c.Pub78.ScreenProvenance, Listed)
	status("revocation", c.Revocation.ScreenProvenance, NotListed, Reinstated)
	status("ofac", c.OFAC.ScreenProvenance, Clear, RuledOut)
	status("irb", c.IRBScreen.ScreenProvenance, Clear)
	status("california", c.StateRegistration.California.ScreenProvenance, Listed, NotListed)
	status("ftb", c.StateRegistration.California.FTB, NotListed)
	tri("in_bmf", c.InBMF, true)
	tri("pub78_verified", c.Pub78Verified, true)
	tri("revoked", c.Revoked, false)
	tri("conflict", c.Conflict, false)
	tri("may_operate", c.StateRegistration.California.MayOperate, true)
	tri("good_standing", c.StateRegistration.California.GoodStanding, true)
	tri("reliance_available", c.Reliance.RelianceAvailable, true)
	tri("report_complete", c.Reliance.ReportComplete, true)
	for _, e := range c.Reliance.Elements {
		v["element "+e.ID] = verdict{e.Result, e.Result == Met || e.Result == NotApplicable}
	}
	for _, f := range c.Reliance.Flags {
		tri("flag "+f.ID, f.Applies, false)
	}
	return v
}

type verdict struct {
	word       string
	reassuring bool
}

// TestSourceTakenAway takes each list away in turn, in each of the ways in which
// lists go, and nothing becomes clear that was not.
func TestSourceTakenAway(t *testing.T) {
	t.Parallel()
	whole := New(current(), tables())
	ways := map[string]func(*lists.Status, *lists.Check){
		"missing": func(s *lists.Status, _ *lists.Check) {
			*s = lists.Status{Name: s.Name, Problem: "there is no file of it among the sources"}
		},
		"unreadable": func(s *lists.Status, _ *lists.Check) {
			*s = lists.Status{Name: s.Name, Problem: "sdn.csv: not a sanctions list"}
		},
		"shrunken": func(s *lists.Status, _ *lists.Check) {
			*s = lists.Status{Name: s.Name, Problem: "it has 11 entries where at least 10000 are expected, so it is cut short"}
		},
		"empty": func(s *lists.Status, _ *lists.Check) { s.Rows = 0 },
		"stale": func(s *lists.Status, c *lists.Check) {
			s.FetchedAt = noon.Add(-listOf(s.Name).MaxAge - time.Hour)
			c.CheckedAt = s.FetchedAt
		},
		"of unknown age": func(s *lists.Status, c *lists.Check) {
			s.FetchedAt, s.Revised, s.RevisedNewest, c.UpstreamRevised = time.Time{}, "", "", ""
		},
		"lacking a month of": func(s *lists.Status, _ *lists.Check) {
			s.Incomplete = "there is no bulletin between 2026-05 and 2026-20"
		},
		"put there by hand and of 2019": func(s *lists.Status, c *lists.Check) {
			s.FetchedAt, s.Revised, s.RevisedNewest, c.UpstreamRevised = time.Time{}, "2019-05", "2019-05", ""
		},
		"stale because what came is refused": func(s *lists.Status, c *lists.Check) {
			s.FetchedAt, s.Problem, c.UpstreamRevised = noon.Add(-listOf(s.Name).MaxAge-time.Hour), "sdn.csv: not a sanctions list", ""
		},
		"stale because upstream fails": func(s *lists.Status, c *lists.Check) {
			s.FetchedAt, c.Problem = noon.Add(-listOf(s.Name).MaxAge-time.Hour), "it answers 503"
		},
	}
	for way, change := range ways {
		for _, name := range lists.Names() {
			t.Run(way+" "+name, func(t *testing.T) {
				t.Parallel()
				rows := tables()
				if !strings.HasPrefix(way, "stale") && !strings.Contains(way, "of ") {
					rows.without(name)
				}
				s := New(current(func(s *lists.Status, c *lists.Check) {
					if s.Name == name {
						change(s, c)
					}
				}), rows)
				for i, o := range decisions {
					before, after := verdicts(whole.Screen(o.query(i), noon)), verdicts(s.Screen(o.query(i), noon))
					for what, now := range after {
						if was := before[what]; now.reassuring && !was.reassuring {
							t.Errorf("%s: %s was %s and becomes %s", o.about, what, was.word, now.word)
						}
					}
					if got := after[blockOf[name]+".screened"].word; got != "false" {
						t.Errorf("%s: %s is screened", o.about, name)
					}
					switch name {
					case lists.BMF, lists.Pub78, lists.Revocation:
						if after["reliance_available"].word != "?" {
							t.Errorf("%s: reliance_available is %s", o.about, after["reliance_available"].word)
						}
					}
				}
			})
		}
	}
}

var blockOf = map[string]string{lists.BMF: "bmf", lists.Pub78: "pub78", lists.Revocation: "revocation", lists.OFAC: "ofac", lists.IRB: "irb", lists.CARegistry: "california", lists.CAFTB: "ftb"}

// without takes the rows of a list away.
func (r *Rows) without(name string) {
	switch name {
	case lists.BMF:
		r.Masters = nil
	case lists.Pub78:
		r.Pub78 = nil
	case lists.Revocation:
		r.Revoked = nil
	case lists.OFAC:
		r.Entities = nil
	case lists.IRB:
		r.Deleted, r.BulletinsInAll = nil, nil
	case lists.CARegistry:
		r.Registry = nil
	case lists.CAFTB:
		r.FTB = nil
	}
}

// TestMasterOfSomeStates holds that a master file of some states knows nobody elsewhere.
func TestMasterOfSomeStates(t *testing.T) {
	t.Parallel()
	s := New(current(func(s *lists.Status, _ *lists.Check) {
		if s.Name == lists.BMF {
			s.Parts = []string{"eo_oh", "eo_wy"}
		}
	}), &Rows{Masters: []lists.Master{{EIN: "000000001", Name: "MAPLE HOLLOW", State: "OH", Subsection: "03"}}, Pub78: []lists.Deductible{
		{EIN: "000000002", Name: "Elm Hollow", State: "WY", Codes: "PC"}, {EIN: "000000003", Name: "Oak Hollow", State: "TX", Codes: "PC"}}})
	for id, want := range map[string]string{"000000001": "yes", "000000002": "no", "000000003": "?", "000000004": "?"} {
		e, err := ein.Parse(id)
		if err != nil {
			t.Fatal(err)
		}
		r, x := s.Screen(Query{EIN: e}, noon), s.Exemption(e, noon)
		if got := say(r.Compliance.InBMF); got != want || say(x.InBMF) != want || (want == "?") != (r.Compliance.OFAC.Status == NotScreened) {
			t.Errorf("%s: in the master file %s and %s, want %s; sanctions %s", id, got, say(x.InBMF), want, r.Compliance.OFAC.Status)
		}
	}
}

// TestUnreadableName: a name that could not be compared as a whole is found when
// it resembles one of the list, and is not cleared when it does not.
func TestUnreadableName(t *testing.T) {
	t.Parallel()
	rows := &Rows{Entities: []Sanctioned{sanctioned(1, "ZARQUON OVERSEAS HOLDING")}}
	s := New(current(), rows)
	for name, want := range map[string]string{
		"Maple Hollow Food Pantry":            Clear,
		"Café Señor":                          Clear,
		"Клуб садоводов":                      Clear, // Russian is spelled in Latin letters
		"Zarquon Overseas Holding":            PotentialMatch,
		"Zarquon Overseas Holding 控股":         PotentialMatch,
		"控股":                                  NotScreened,
		"控股 Inc":                              NotScreened,
		"جمعية Foundation 1":                  NotScreened,
		"Ζarquon Overseas Χoλding":            NotScreened, // Greek letters that look Latin
		"...":                                 NotScreened,
		"&":                                   Clear, // is the word AND
		strings.Repeat("a1 ", 60) + "zarquon": NotScreened,
		strings.Repeat("Pantry ", 50) + "zarquon": NotScreened,
	} {
		b := s.ScreenName(client.ScreenedName{Name: name}, nil, noon).Compliance.OFACSanctionsScreen
		if b.Status != want || b.Screened != (want != NotScreened) || (b.MatchCount == nil) != (want == NotScreened) {
			t.Errorf("%q is %s, %v; want %s", name, b.Status, b.Screened, want)
		}
		rows := &Rows{Masters: []lists.Master{{EIN: numbered(1).String(), Name: "MAPLE HOLLOW"}}, Entities: rows.Entities}
		c := New(current(), rows).Screen(Query{EIN: numbered(1), Filed: []string{name}}, noon).Compliance
		if c.OFAC.Status != want || c.IRBScreen.Status == Clear && want == NotScreened {
			t.Errorf("%q of an organization is %s and %s; want %s", name, c.OFAC.Status, c.IRBScreen.Status, want)
		}
	}
}

// TestDatesInTheFuture: a wrong clock must not keep a list from becoming too old.
func TestDatesInTheFuture(t *testing.T) {
	t.Parallel()
	later := noon.AddDate(3, 0, 0)
	checked := func(_ *lists.Status, c *lists.Check) { c.CheckedAt = noon.AddDate(70, 0, 0) }
	fetched := func(s *lists.Status, _ *lists.Check) { s.FetchedAt = noon.AddDate(70, 0, 0) }
	for name, now := range map[string]*lists.Current{"checked": current(checked), "fetched": current(fetched), "both": current(checked, fetched)} {
		c := New(now, tables()).Screen(decisions[0].query(0), later).Compliance
		if c.BMF.Screened || c.Revoked != nil || c.OFAC.Status != NotScreened || c.OFAC.Note == nil {
			t.Errorf("%s in the future: %+v", name, c.OFAC.ScreenProvenance)
		}
	}
}

// TestUnfiled: without the names in filings a name may be missing, so that nobody
// is cleared by those that are left; what they resemble is found all the same.
func TestUnfiled(t *testing.T) {
	t.Parallel()
	s := New(current(), tables())
	for i, o := range decisions {
		q := o.query(i)
		q.Unfiled = true
		c := s.Screen(q, noon).Compliance
		if c.OFAC.Status == Clear || c.OFAC.Status == RuledOut || c.IRBScreen.Status == Clear {
			t.Errorf("%s: %s, %s", o.about, c.OFAC.Status, c.IRBScreen.Status)
		}
		if whole := s.Screen(o.query(i), noon).Compliance; whole.OFAC.Status == PotentialMatch && c.OFAC.Status != PotentialMatch || whole.BMF.Status != c.BMF.Status {
			t.Errorf("%s: %s, %s", o.about, c.OFAC.Status, c.BMF.Status)
		}
	}
}
