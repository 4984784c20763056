// Package screen says what the compliance lists know of an organization: the
// IRS's lists by EIN, sanctions and bulletin deletions by name, and California's
// registry. Lists in, the whole record out; it knows no HTTP, no keys and no
// signatures, and it decides nothing for the reader: a screen is a signal for
// somebody who looks closer.
//
// A Screener is of one edition of the lists, and everything in a record is from
// it, also while a newer edition is taken up beside it. A list that is missing,
// damaged or too old to be trusted is not_screened, never clear. The same holds
// for what depends on it: a name screen without all sources of names may have
// missed one, so it finds matches but clears nobody.
package screen

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/snapshot/lists"
)

// Screener screens against one edition of the lists. It is safe for concurrent
// use and must be closed.
type Screener struct {
	now       *lists.Current
	tables    Tables
	sanctions *sanctions
	bulletins *bulletins
}

// New makes a screener from tables that are open, and closes them with it.
func New(now *lists.Current, tables Tables) *Screener {
	return &Screener{now: now, tables: tables, sanctions: newSanctions(tables.Sanctioned()), bulletins: newBulletins(tables.Deletions())}
}

// Open opens what is known of the lists. Without an edition there are no rows,
// and everything is not_screened.
func Open(now *lists.Current) (*Screener, error) {
	if now.Edition == nil {
		return New(now, &Rows{}), nil
	}
	tables, err := OpenTables(now.Edition)
	if err != nil {
		return nil, err
	}
	return New(now, tables), nil
}

// With is the screener of the same edition when more is known of upstream. It
// shares the tables, which are closed once.
func (s *Screener) With(now *lists.Current) *Screener {
	next := *s
	next.now = now
	return &next
}

// Close closes the tables.
func (s *Screener) Close() error { return s.tables.Close() }

// Caveats are part of every record.
var Caveats = []string{
	"Screens are triage signals, not determinations.",
	"A screen whose source is unavailable reports not screened, never clear.",
	"The sanctions screen is an entity NAME screen. At the moment of disbursement use the sanctions authority's live index, because a designation is effective before the flat files carry it.",
}

// Query is what to screen.
type Query struct {
	EIN      ein.EIN
	Filed    []string // names that filings give the organization, best first; may be empty
	Unfiled  bool     // what names filings give could not be looked up
	Excluded []int64  // sanctioned entities that the caller has ruled out
}

// Sources tells the state of each list at a moment.
func (s *Screener) Sources(at time.Time) *client.ComplianceSources { return SourcesOf(s.now, at) }

// Known reports whether any list has the EIN.
func (s *Screener) Known(e ein.EIN) bool { return s.find(e).known() }

// Organization is who the sources say that is, without screening anything; known
// is false when no list has the EIN.
func (s *Screener) Organization(q Query) (o client.ScreenedOrganization, known bool) {
	c := s.begin(q)
	return c.organization(), c.rows.known()
}

// rowsOf are the rows of one organization, also of lists that are too old to
// screen against: they still give it a name.
type rowsOf struct {
	master      lists.Master
	inMaster    bool
	deductible  []lists.Deductible
	revocations []lists.RevocationRow
	registry    []lists.Registration
	ftb         []lists.FTBRecord
}

func (s *Screener) find(e ein.EIN) *rowsOf {
	r := &rowsOf{deductible: s.tables.Deductibles(e), revocations: s.tables.Revocations(e), registry: s.tables.Registrations(e), ftb: s.tables.FTBRecords(e)}
	r.master, r.inMaster = s.tables.Master(e)
	return r
}

func (r *rowsOf) known() bool {
	return r.inMaster || len(r.deductible) > 0 || len(r.revocations) > 0 || len(r.registry) > 0 || len(r.ftb) > 0
}

// mostNames is how many names of an organization are screened.
const mostNames = 20

// names are the names of the organization, as the sources write them; of those
// that differ only in how they are written, the first. all is false when it has
// more than are screened.
func (r *rowsOf) names(filed []string) (list []string, all bool) {
	list, all = []string{}, true
	// Most organizations have one name in all sources, in capitals or not: how names
	// are written is looked at only where there are two.
	var keys []string // of the list, as far as they were asked for
	known := func(name string) bool {
		if slices.ContainsFunc(list, func(other string) bool { return orgname.SameLetters(name, other) }) {
			return true
		}
		for _, other := range list[len(keys):] {
			keys = append(keys, nameKey(other))
		}
		return len(list) > 0 && slices.Contains(keys, nameKey(name))
	}
	add := func(name string) {
		if name == "" || known(name) || orgname.IsCareOf(name) {
			return
		}
		if all = len(list) < mostNames; all {
			list = append(list, name)
		}
	}
	add(r.master.Name)
	add(r.master.SortName)
	for _, p := range r.deductible {
		add(p.Name)
	}
	for _, v := range r.revocations {
		add(v.Name)
		add(v.DBA)
	}
	for _, name := range filed {
		add(name)
	}
	for _, c := range r.registry {
		add(c.Name)
	}
	for _, c := range r.ftb {
		add(c.Name)
	}
	return list, all
}

// nameKey is the same for names that differ only in how they are written.
func nameKey(name string) string { return cmp.Or(orgname.Key(name), orgname.Fold(name)) }

// screening is one screening under way.
type screening struct {
	*Screener
	query    Query
	rows     *rowsOf
	names    []string
	allNames bool // it has no others
	sources  *client.ComplianceSources
	at       time.Time
}

func (s *Screener) begin(q Query) *screening {
	c := &screening{Screener: s, query: q, rows: s.find(q.EIN)}
	c.names, c.allNames = c.rows.names(q.Filed)
	return c
}

// Screen makes the record of an organization, at a moment that decides which
// lists are too old.
func (s *Screener) Screen(q Query, at time.Time) *client.ScreeningRecord {
	c := s.begin(q)
	c.sources, c.at = s.Sources(at), at
	rows := c.rows
	r := &client.ScreeningRecord{
		EIN: q.EIN.String(), Found: rows.known() || len(q.Filed) > 0, Organization: c.organization(), Sources: c.sources,
		Compliance: client.Compliance{
			BMF: c.bmf(), Pub78: c.pub78(), Revocation: c.revocation(), OFAC: c.ofac(), IRBScreen: c.irb(), GroupExemption: c.group(), BMFFinancials: c.financials(), Caveats: Caveats,
		},
	}
	o := &r.Compliance
	o.OFACSanctionsScreen = o.OFAC
	if o.BMF.Screened {
		o.InBMF = truth(rows.inMaster)
	}
	if o.Pub78.Screened {
		o.Pub78Verified = truth(len(rows.deductible) > 0)
	}
	if o.Revocation.Screened {
		o.Revoked = truth(o.Revocation.Status == Revoked)
	}
	if o.BMF.Screened && o.Pub78.Screened {
		o.Conflict = truth(rows.disagreement() != "")
	}
	o.StateRegistration.California = c.california(o.Revoked)
	o.Reliance = c.reliance(o)
	return r
}

func truth(b bool) *bool { return &b }

// provenance begins a block about a list.
func (c *screening) provenance(list, status string) client.ScreenProvenance {
	return provenance(c.sources, list, status)
}

func provenance(s *client.ComplianceSources, list, status string) client.ScreenProvenance {
	source := listsOf(s)[list]
	p := client.ScreenProvenance{Screened: source.Screens, Status: status, Source: list, Revised: source.Revised, FetchedAt: source.FetchedAt, IsCurrent: source.IsCurrent, Note: source.Note}
	if list == lists.IRB {
		p.Revised = source.RevisedNewest // a series, of which the newest counts
	}
	if !p.Screened {
		p.Status = NotScreened
	}
	return p
}

// unscreen makes a block one that was not screened, for another reason than
// the state of its list.
func unscreen(p *client.ScreenProvenance, note string) {
	p.Screened, p.Status, p.Note = false, NotScreened, &note
}

// namesMissing says why names may be missing among those that are compared: a
// source of them cannot be used, or there are too many. It is empty when none is.
func (c *screening) namesMissing() string {
	for _, list := range []string{lists.BMF, lists.Pub78, lists.Revocation} {
		if !listsOf(c.sources)[list].Screens {
			return "Other names of the organization may be missing, because a list that gives them was not screened: " + listOf(list).Title + "."
		}
	}
	if c.query.Unfiled {
		return "Other names of the organization may be missing, because the names in filings are out of service."
	}
	if !c.allNames {
		return fmt.Sprintf("The organization has more than %d names, and the others were not compared.", mostNames)
	}
	return ""
}

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
func Withhold(r *client.ScreeningRecord) {
	c := &r.Compliance
	c.OFACSanctionsScreen.PotentialMatches, c.OFAC.PotentialMatches, c.IRBScreen.PotentialMatches = nil, nil, nil
	c.StateRegistration.California.RegistryRecords, c.StateRegistration.California.FTBRecords = nil, nil
	c.GroupExemption.ParentOrganizations, c.Pub78.OrganizationTypes = nil, nil
	c.BMFFinancials, c.Reliance.Elements, r.Sources = nil, nil, nil
}
