package screen

import (
	"strings"
	"testing"

	"grantgraph/client"
	"grantgraph/internal/snapshot/lists"
)

func of[T any](v T) *T { return &v }

// screened is what a block rests on whose list was used.
func screened(status string) client.ScreenProvenance {
	return client.ScreenProvenance{Screened: true, Status: status, Revised: of("2026-03-09"), IsCurrent: of(true)}
}

// TestVerdicts reads what is said of each finding.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, list, mark, short, line string
		change                        func(*client.ScreeningRecord)
	}{
		{"master file", lists.BMF, MarkOK, "listed", "Listed as exempt under section 501(c)(3), public charity, ruling of 1998. Contributions are deductible.", func(r *client.ScreeningRecord) {
			r.Compliance.BMF = client.MasterFileScreen{ScreenProvenance: screened(Listed), SubsectionCode: of("03"), SubsectionDescription: of("501(c)(3)"), FoundationTypeDescription: of("Public charity"), RulingYear: of(1998), DeductibilityCode: of("1")}
		}},
		{"a league", lists.BMF, MarkLook, "listed", "Listed as exempt under section 501(c)(4). Contributions are not deductible.", func(r *client.ScreeningRecord) {
			r.Compliance.BMF = client.MasterFileScreen{ScreenProvenance: screened(Listed), SubsectionCode: of("04"), SubsectionDescription: of("501(c)(4)"), DeductibilityCode: of("2")}
		}},
		{"a trust", lists.BMF, MarkLook, "listed", "Listed as a trust under section 4947(a)(2).", func(r *client.ScreeningRecord) {
			r.Compliance.BMF = client.MasterFileScreen{ScreenProvenance: screened(Listed), SubsectionCode: of("91"), SubsectionDescription: of("4947(a)(2)"), DeductibilityCode: of("1")}
		}},
		{"an apostolic association", lists.BMF, MarkLook, "listed", "Listed as exempt under section 501(d).", func(r *client.ScreeningRecord) {
			r.Compliance.BMF = client.MasterFileScreen{ScreenProvenance: screened(Listed), SubsectionCode: of("40"), SubsectionDescription: of("501(d)"), DeductibilityCode: of("1")}
		}},
		{"deductibility not said", lists.BMF, MarkLook, "listed", "It does not say whether contributions are deductible.", func(r *client.ScreeningRecord) {
			r.Compliance.BMF = client.MasterFileScreen{ScreenProvenance: screened(Listed), SubsectionCode: of("03"), SubsectionDescription: of("501(c)(3)")}
		}},
		{"nothing but listed", lists.BMF, MarkLook, "listed", "Listed as an organization exempt from tax.", func(r *client.ScreeningRecord) { r.Compliance.BMF.ScreenProvenance = screened(Listed) }},
		{"an old list", lists.BMF, MarkLook, "not listed", "Not listed. Churches need not be. A newer list than this one has been published.", func(r *client.ScreeningRecord) {
			r.Compliance.BMF = client.MasterFileScreen{ScreenProvenance: screened(NotListed), ChurchMessage: of("churches need not be")}
			r.Compliance.BMF.IsCurrent = of(false)
		}},
		{"Publication 78", lists.Pub78, MarkOK, "listed", "Listed as able", func(r *client.ScreeningRecord) { r.Compliance.Pub78.ScreenProvenance = screened(Listed) }},
		{"not there", lists.Pub78, MarkLook, "not listed", "may qualify without being listed.", func(r *client.ScreeningRecord) { r.Compliance.Pub78.ScreenProvenance = screened(NotListed) }},
		{"revoked", lists.Revocation, MarkLook, "revoked", "as of May 15, 2020, posted August 10, 2020, and the list shows no reinstatement.", func(r *client.ScreeningRecord) {
			r.Compliance.Revocation = client.RevocationScreen{ScreenProvenance: screened(Revoked), RevocationDate: of("2020-05-15"), PostingDate: of("2020-08-10")}
		}},
		{"reinstated", lists.Revocation, MarkLook, "reinstated", "as of May 15, 2020 and reinstated June 1, 2021.", func(r *client.ScreeningRecord) {
			r.Compliance.Revocation = client.RevocationScreen{ScreenProvenance: screened(Reinstated), RevocationDate: of("2020-05-15"), ReinstatementDate: of("2021-06-01")}
		}},
		{"never revoked", lists.Revocation, MarkOK, "not listed", "Not on the list", func(r *client.ScreeningRecord) { r.Compliance.Revocation.ScreenProvenance = screened(NotListed) }},
		{"bulletins", lists.IRB, MarkOK, "no match", "Read through bulletin 2026-10.", func(r *client.ScreeningRecord) {
			r.Compliance.IRBScreen = client.BulletinScreen{ScreenProvenance: screened(Clear), CoversThrough: of("2026-10")}
		}},
		{"a deletion", lists.IRB, MarkLook, "1 similar name", "1 deletion announced in bulletins has a name", func(r *client.ScreeningRecord) {
			r.Compliance.IRBScreen = client.BulletinScreen{ScreenProvenance: screened(PotentialMatch), MatchCount: of(1)}
		}},
		{"sanctions", lists.OFAC, MarkOK, "no match", "No sanctioned entity has a name like the one compared.", func(r *client.ScreeningRecord) {
			r.Compliance.OFACSanctionsScreen = client.SanctionsScreen{ScreenProvenance: screened(Clear), NamesScreened: []string{"A"}}
		}},
		{"evidence withheld", lists.OFAC, MarkLook, "3 similar names", "The names of 3 sanctioned entities resemble", func(r *client.ScreeningRecord) {
			r.Compliance.OFACSanctionsScreen = client.SanctionsScreen{ScreenProvenance: screened(PotentialMatch), MatchCount: of(3)}
		}},
		{"ruled out", lists.OFAC, MarkLook, "ruled out", "ruled out by whoever asked", func(r *client.ScreeningRecord) {
			r.Compliance.OFACSanctionsScreen.ScreenProvenance = screened(RuledOut)
		}},
		{"elsewhere", lists.CARegistry, MarkOK, "not listed", "no finding against", func(r *client.ScreeningRecord) {
			r.Compliance.StateRegistration.California.ScreenProvenance = screened(NotListed)
		}},
		{"at home", lists.CARegistry, MarkLook, "not listed", "although its address is in California", func(r *client.ScreeningRecord) {
			r.Organization.State = of("CA")
			r.Compliance.StateRegistration.California.ScreenProvenance = screened(NotListed)
		}},
		{"delinquent", lists.CARegistry, MarkLook, "may not operate", "does not allow", func(r *client.ScreeningRecord) {
			r.Compliance.StateRegistration.California = client.CaliforniaScreen{ScreenProvenance: screened(Listed), MayOperate: of(false)}
		}},
		{"unclear", lists.CARegistry, MarkLook, "status unclear", "does not say", func(r *client.ScreeningRecord) {
			r.Compliance.StateRegistration.California.ScreenProvenance = screened(Listed)
		}},
		{"current", lists.CARegistry, MarkOK, "may operate", "allows it", func(r *client.ScreeningRecord) {
			r.Compliance.StateRegistration.California = client.CaliforniaScreen{ScreenProvenance: screened(Listed), MayOperate: of(true)}
		}},
		{"tax board", lists.CAFTB, MarkLook, "revoked", "list of revoked exemptions", func(r *client.ScreeningRecord) { r.Compliance.StateRegistration.California.FTB = screened(Revoked) }},
		{"not with the board", lists.CAFTB, MarkOK, "not listed", "Not on the board's list", func(r *client.ScreeningRecord) { r.Compliance.StateRegistration.California.FTB = screened(NotListed) }},
		{"no list", lists.OFAC, MarkNotScreened, "not screened", "we know nothing from this list. The list was never loaded.", func(r *client.ScreeningRecord) {
			r.Compliance.OFACSanctionsScreen.ScreenProvenance = client.ScreenProvenance{Status: NotScreened, Note: of("the list was never loaded")}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := &client.ScreeningRecord{}
			tc.change(r)
			seen := map[string]bool{}
			for _, v := range Verdicts(r) {
				seen[v.List] = true
				if v.List != tc.list {
					// What was never filled in is not screened, and never good news.
					if v.Mark != MarkNotScreened || v.Short != "not screened" {
						t.Errorf("%s: %+v", v.List, v)
					}
					continue
				}
				if v.Mark != tc.mark || v.Short != tc.short || !strings.Contains(v.Line, tc.line) || v.Title == "" {
					t.Errorf("%+v", v)
				}
				if v.Mark != MarkNotScreened && v.Revised != "March 9, 2026" {
					t.Errorf("revised %q", v.Revised)
				}
			}
			if len(seen) != len(lists.All()) {
				t.Errorf("verdicts of %v", seen)
			}
		})
	}
}

// TestUnscreenedIsNeverClear makes up blocks of every status: a list that was
// not screened, and one with a word that it does not use, is not screened
// whatever else stands in the block.
func TestUnscreenedIsNeverClear(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"", "surprise", NotScreened, Listed, NotListed, Revoked, Reinstated, Clear, PotentialMatch, RuledOut} {
		for _, used := range []bool{true, false} {
			r := &client.ScreeningRecord{}
			c := &r.Compliance
			for _, b := range []*client.ScreenProvenance{&c.BMF.ScreenProvenance, &c.Pub78.ScreenProvenance, &c.Revocation.ScreenProvenance, &c.IRBScreen.ScreenProvenance, &c.OFACSanctionsScreen.ScreenProvenance,
				&c.StateRegistration.California.ScreenProvenance, &c.StateRegistration.California.FTB} {
				*b = screened(status)
				b.Screened = used
			}
			for _, v := range Verdicts(r) {
				unscreened := v.Mark == MarkNotScreened
				if unscreened != strings.HasPrefix(v.Line, "Not screened:") || !used && !unscreened {
					t.Errorf("%q, %t: %+v", status, used, v)
				}
				if (status == "" || status == "surprise" || status == NotScreened) && !unscreened {
					t.Errorf("%q is %s on %s", status, v.Mark, v.List)
				}
			}
		}
	}
}
