// Package screen says what the compliance lists know of an organization: the
// IRS's lists by EIN, sanctions and bulletin deletions by name, and California's
// registry. Lists in, the whole record out; it knows no HTTP, no keys and no
// signatures, and it decides nothing for the reader: a screen is a signal for
// somebody who looks closer.
//
// A Screener is of one edition of the lists, and everything in a record is from
// it, also while a newer edition is taken up beside it. A list that is missing,
// damaged or too old to be trusted is not_screened, never clear.
package screen

import (
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/snapshot/lists"
)

// Screener screens against one edition of the lists. It is safe for concurrent
// use and must be closed.
type Screener struct {
	now    *lists.Current
	tables Tables
}

// Query is what to screen.
type Query struct {
	EIN      ein.EIN
	Filed    []string // names that filings give the organization, best first; may be empty
	Excluded []int64  // sanctioned entities that the caller has ruled out
}

// New makes a screener from tables that are open.
func New(now *lists.Current, tables Tables) *Screener { return &Screener{now: now, tables: tables} }

// Known reports whether any list has the EIN.
func (s *Screener) Known(e ein.EIN) bool { return false }

// Screen makes the record of an organization, at a moment that decides which
// lists are too old.
func (s *Screener) Screen(q Query, at time.Time) *Record { return &Record{} }

// ScreenName compares a name with the sanctions list alone.
func (s *Screener) ScreenName(subject Subject, excluded []int64, at time.Time) *NameRecord {
	return &NameRecord{}
}

// Sources tells the state of each list at a moment.
func (s *Screener) Sources(at time.Time) *Sources { return SourcesOf(s.now, at) }

// Withheld are the paths of the evidence that a free or trial key does not get.
var Withheld = []string{
	"compliance.ofac_sanctions_screen.potential_matches",
	"compliance.ofac.potential_matches",
	"compliance.irb_screen.potential_matches",
	"compliance.state_registration.california.registry_records",
	"compliance.state_registration.california.ftb_records",
	"compliance.group_exemption.parent_organizations",
	"compliance.pub78.organization_types",
	"compliance.bmf_financials",
	"compliance.reliance.elements",
	"sources",
}

// Withhold takes the evidence out of a record.
func (r *Record) Withhold() {
	c := &r.Compliance
	c.OFACSanctionsScreen.PotentialMatches, c.OFAC.PotentialMatches, c.IRBScreen.PotentialMatches = nil, nil, nil
	c.StateRegistration.California.RegistryRecords, c.StateRegistration.California.FTBRecords = nil, nil
	c.GroupExemption.ParentOrganizations, c.Pub78.OrganizationTypes = nil, nil
	c.BMFFinancials, c.Reliance.Elements, r.Sources = nil, nil, nil
}
