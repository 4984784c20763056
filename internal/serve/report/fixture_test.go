package report

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/screen"
)

// testKey signs with a key that is made from a word, the same in every run.
type testKey ed25519.PrivateKey

func keyOf(word string) testKey {
	seed := sha256.Sum256([]byte(word))
	return testKey(ed25519.NewKeyFromSeed(seed[:]))
}

func (k testKey) public() ed25519.PublicKey {
	return ed25519.PrivateKey(k).Public().(ed25519.PublicKey)
}
func (k testKey) id() string { return httpsig.Thumbprint(k.public()) }

func (k testKey) published() PublicKey { return PublicKey{ID: k.id(), Public: k.public()} }

func (k testKey) Sign(_ context.Context, message func(string) ([]byte, error)) ([]byte, error) {
	m, err := message(k.id())
	if err != nil {
		return nil, err
	}
	return ed25519.Sign(ed25519.PrivateKey(k), m), nil
}

var issued = time.Date(2026, 11, 16, 6, 17, 3, 999, time.FixedZone("", -8*3600))

const verifyURL = "https://grants.example/verify"

// block is a report as the service sends it.
func issue[C any](t testing.TB, content C) []byte {
	t.Helper()
	r, err := Issue(t.Context(), keyOf("current"), content, verifyURL, issued)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func provenance(source, status string) client.ScreenProvenance {
	if status == screen.NotScreened {
		return client.ScreenProvenance{Status: status, Source: source, Note: new("The list could not be fetched for 45 days and is too old to be used.")}
	}
	return client.ScreenProvenance{
		Screened: true, Status: status, Source: source,
		Revised: new("2026-10-13"), FetchedAt: new("2026-11-16T05:00:00Z"), IsCurrent: new(true),
	}
}

// clear is a report that finds nothing against an invented charity.
func clear() client.ReportContent {
	c := client.ReportContent{EIN: "000000001", Found: true}
	c.Organization = client.ScreenedOrganization{
		EIN: "000000001", OrganizationName: new("Harborlight Community Fund"), OrganizationNameAKA: new("Harborlight <Kids> & Friends"),
		NameSource: new("bmf"), Names: []string{"HARBORLIGHT COMMUNITY FUND", "HARBORLIGHT KIDS"},
		AddressLine1: new("100 Example Street"), City: new("Springfield"), State: new("OH"), StateName: new("Ohio"), ZIP: new("45501-0001"),
	}
	k := &c.Compliance
	k.InBMF, k.Pub78Verified, k.Revoked, k.Conflict = new(true), new(true), new(false), new(false)
	k.BMF = client.MasterFileScreen{
		ScreenProvenance: provenance("bmf", screen.Listed), OrganizationName: new("HARBORLIGHT COMMUNITY FUND"), EIN: new("000000001"),
		SubsectionCode: new("03"), SubsectionDescription: new("501(c)(3)"), Classifications: []string{"Charitable organization"},
		FoundationCode: new("15"), FoundationTypeCode: new("PC"), FoundationTypeDescription: new("Public charity"),
		Foundation509aStatus: new("509(a)(1), 170(b)(1)(A)(vi)"), DeductibilityCode: new("1"), DeductibilityDescription: new("Contributions are deductible"),
		RulingMonth: new(4), RulingYear: new(1998), MostRecentBMF: new("2026-10-13"),
	}
	k.Pub78 = client.Pub78Screen{
		ScreenProvenance: provenance("pub78", screen.Listed), OrganizationName: new("Harborlight Community Fund"), EIN: new("000000001"),
		OrganizationTypes: []client.Pub78OrganizationType{{Code: "PC", OrganizationType: "A public charity", DeductibilityLimitation: new("50%")}},
		MostRecentPub78:   new("2026-10-13"),
	}
	k.Revocation = client.RevocationScreen{ScreenProvenance: provenance("revocation", screen.NotListed), Events: []client.RevocationEvent{}}
	k.OFACSanctionsScreen = client.SanctionsScreen{
		ScreenProvenance: provenance("ofac", screen.Clear), OFACStatus: "No sanctioned entity has a similar name.", Threshold: 0.85,
		NamesScreened: c.Organization.Names, PotentialMatches: []client.SanctionsMatch{}, MatchCount: new(0), ExcludedEntNum: []int64{},
		List: client.SanctionsList{Revised: new("2026-10-13"), RowCount: new(int64(17123)), SHA256: new("ab12")}, Caveat: "A name is not an identity.",
	}
	k.OFAC = k.OFACSanctionsScreen
	k.IRBScreen = client.BulletinScreen{
		ScreenProvenance: provenance("irb", screen.Clear), CoversThrough: new("2026-46"), MostRecentIRB: new("2026-11-09"),
		PotentialMatches: []client.BulletinMatch{}, MatchCount: new(0),
	}
	k.StateRegistration.California = client.CaliforniaScreen{
		ScreenProvenance: provenance("ca_registry", screen.NotListed), FTB: provenance("ca_ftb", screen.NotListed),
		RegistryRecords: []client.CaliforniaRegistryRecord{}, FTBRecords: []client.CaliforniaFTBRecord{},
	}
	k.GroupExemption = client.GroupExemption{IsSubordinate: new(false), IsCentral: new(false), ParentOrganizations: []client.ParentOrganization{}}
	k.BMFFinancials = &client.BMFFinancials{TaxPeriod: new("202512"), AssetAmount: new(int64(48_210_774)), IncomeAmount: new(int64(9_007_199_254))}
	met := func(id, value string) client.RelianceElement {
		return client.RelianceElement{ID: id, Result: screen.Met, Value: &value, Source: new("bmf"), AsOf: new("2026-10-13")}
	}
	k.Reliance = client.Reliance{
		RelianceAvailable: new(true), ReportComplete: new(true),
		Elements: []client.RelianceElement{
			met("organization_name", "HARBORLIGHT COMMUNITY FUND"), met("ein", "00-0000001"),
			met("foundation_status", "509(a)(1), 170(b)(1)(A)(vi)"),
			{ID: "supporting_organization_type", Result: screen.NotApplicable},
			met("contributions_deductible", "Contributions are deductible"),
			met("source_statement", "From the most current update of the IRS business master file"),
			met("bmf_revision_date", "2026-10-13"), met("report_datetime", "2026-11-16T14:17:03Z"), met("retainable_form", "JSON and PDF, signed"),
		},
		Flags: []client.RelianceFlag{
			{ID: "public_notice_of_change", Applies: new(false), Basis: "Rev. Proc. 2018-32, 4.01"},
			{ID: "grantor_knowledge", Basis: "Rev. Proc. 2018-32, 4.04", Note: new("Only the grantor can know this.")},
		},
		BMFExtract: client.MasterFileExtract{Revised: new("2026-10-13"), IsCurrent: new(true), SHA256: new("cd34")},
		Statement:  "Elements of Rev. Proc. 2018-32 as the data shows them; not a legal conclusion.",
	}
	c.Sources = &client.ComplianceSources{}
	c.Sources.BMF = client.ComplianceSource{Revised: new("2026-10-13"), URL: "https://irs.example/bmf?a=1&b=2", RowCount: new(int64(1_900_000)), Screens: true}
	return c
}

// against is a report with findings on every list, more than a page can hold.
func against() client.ReportContent {
	c := clear()
	c.Organization.OrganizationName = new("The Extraordinarily Long-Winded Association for the Advancement, Preservation, Study and Enjoyment of Lighthouses, Harbors, Breakwaters and Related Maritime Structures of the Northern and Southern Great Lakes")
	k := &c.Compliance
	k.Pub78Verified, k.Revoked, k.Conflict = new(false), new(true), new(true)
	k.BMF.DeductibilityCode, k.BMF.DeductibilityDescription = new("2"), new("Contributions are not deductible")
	k.Pub78 = client.Pub78Screen{ScreenProvenance: provenance("pub78", screen.NotListed), ChurchMessage: new("Churches, subordinates of a group and government units may qualify without being listed.")}
	k.Pub78.IsCurrent = new(false)
	k.Revocation = client.RevocationScreen{ScreenProvenance: provenance("revocation", screen.Revoked), RevocationDate: new("2024-05-15"), PostingDate: new("2024-08-12")}
	k.OFACSanctionsScreen.ScreenProvenance = provenance("ofac", screen.PotentialMatch)
	k.OFACSanctionsScreen.MatchCount = new(17)
	for i := range 10 {
		k.OFACSanctionsScreen.PotentialMatches = append(k.OFACSanctionsScreen.PotentialMatches, client.SanctionsMatch{
			EntNum: int64(9000 + i), Name: fmt.Sprintf("HARBORLIGHT TRADING AND GENERAL IMPORT EXPORT COMPANY %d", i),
			MatchedName: "HARBOR LIGHT", QueryName: "HARBORLIGHT", AliasType: "aka", Program: "SDGT", SDNType: "entity", Score: 0.93 - 0.007*float64(i),
			Strength: "strong", Aligned: []client.SanctionsAlignedWord{{Query: "harborlight", List: "harborlight", Similarity: 1, Weight: 0.71}}, Flags: []string{}, Places: []client.SanctionsPlace{},
		})
	}
	k.OFAC = k.OFACSanctionsScreen
	k.IRBScreen.ScreenProvenance = provenance("irb", screen.PotentialMatch)
	k.IRBScreen.MatchCount = new(8)
	for i := range 8 {
		k.IRBScreen.PotentialMatches = append(k.IRBScreen.PotentialMatches, client.BulletinMatch{
			Name: "Harborlight Community Fund", City: new("Springfield"), State: new("OH"), BulletinNumber: fmt.Sprintf("2026-%02d", 40-i),
			BulletinURL: "https://irs.example/irb", QueryName: "HARBORLIGHT COMMUNITY FUND", Score: 1, Strength: "strong",
		})
	}
	ca := &k.StateRegistration.California
	ca.ScreenProvenance, ca.MayOperate, ca.GoodStanding = provenance("ca_registry", screen.Listed), new(false), new(false)
	ca.RegistryRecords = []client.CaliforniaRegistryRecord{{RegistrationNumber: new("CT0000001"), Status: new("Suspended"), List: "may_not_operate", MayOperate: new(false), Name: "HARBORLIGHT", MatchBasis: "ein"}}
	ca.FTB = provenance("ca_ftb", screen.Revoked)
	ca.FTBRecords = []client.CaliforniaFTBRecord{{EntityID: new("0000001"), Name: "HARBORLIGHT", Section: new("23701d"), Revoked: new("2025-02-01"), MatchBasis: "ein"}}
	k.Reliance.RelianceAvailable, k.Reliance.ReportComplete = new(false), new(false)
	k.Reliance.Elements[4] = client.RelianceElement{ID: "contributions_deductible", Result: screen.NotMet, Value: new("Contributions are not deductible"), Reason: new("The master file says that contributions are not deductible.")}
	for _, id := range []string{
		"public_notice_of_change", "reinstated_after_revocation", "terrorist_suspension", "supporting_org_control", "type_iii_not_fi", "so_type_unknown",
		"private_foundation_grantee", "foreign_addressee", "group_subordinate_not_listed", "church_or_government_not_listed", "lists_disagree",
		"extract_not_current", "non_501c3", "california_suspension",
	} {
		k.Reliance.Flags = append(k.Reliance.Flags, client.RelianceFlag{
			ID: id, Applies: new(true), Basis: "Rev. Proc. 2018-32, 4.02",
			Note: new("The exemption was revoked automatically as of 2024-05-15, and the notice was posted on 2024-08-12. Ask the organization for its determination letter."),
		})
	}
	return c
}

// unscreened is a report whose lists could not be used, on an EIN nobody knows.
func unscreened() client.ReportContent {
	c := client.ReportContent{EIN: "000000009"}
	c.Organization = client.ScreenedOrganization{EIN: c.EIN, Names: []string{}}
	k := &c.Compliance
	k.BMF.ScreenProvenance = provenance("bmf", screen.NotScreened)
	k.Pub78.ScreenProvenance = provenance("pub78", screen.NotScreened)
	k.Revocation.ScreenProvenance = provenance("revocation", screen.NotScreened)
	k.OFACSanctionsScreen.ScreenProvenance = provenance("ofac", screen.NotScreened)
	k.OFACSanctionsScreen.Note = new("No source knows a name for this EIN, so that there is no name to compare.")
	k.OFAC = k.OFACSanctionsScreen
	k.IRBScreen.ScreenProvenance = provenance("irb", screen.NotScreened)
	k.StateRegistration.California.ScreenProvenance = provenance("ca_registry", screen.NotScreened)
	k.StateRegistration.California.FTB = provenance("ca_ftb", screen.NotScreened)
	k.Reliance.Flags = []client.RelianceFlag{}
	for _, e := range clear().Compliance.Reliance.Elements {
		k.Reliance.Elements = append(k.Reliance.Elements, client.RelianceElement{ID: e.ID, Result: screen.NotScreened, Reason: new("The master file was not screened.")})
	}
	return c
}

// named is the screen of a name in several scripts, one of which no font here has.
func named() client.NameReportContent {
	c := client.NameReportContent{Subject: client.ScreenedName{Name: "Фонд «Маяк» Φάρος Fundación Ñandú 灯台", Country: new("Türkiye"), City: new("İzmir")}}
	c.Compliance.OFACSanctionsScreen = against().Compliance.OFACSanctionsScreen
	c.Sources = &client.NameSources{OFAC: client.ComplianceSource{Revised: new("2026-11-12"), URL: "https://ofac.example/", Screens: true}}
	return c
}
