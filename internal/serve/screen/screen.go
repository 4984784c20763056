// Package screen says what the compliance lists have about an organization: the IRS's lists by EIN, sanctions and bulletin
// deletions by name, and California's registry. It makes the whole record from the lists. It has no HTTP, keys or signatures,
// and it decides nothing for the reader: a screen is a signal for a person who looks closer.
//
// A Screener belongs to one edition of the lists, and everything in a record comes from that edition, also while a newer
// edition is loaded. A list that is missing, damaged or too old is not_screened, never clear. The same holds for results that
// depend on it: a name screen without all sources of names may have missed a name, so it finds matches but clears nobody.
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

// Screener screens against one edition of the lists. It is safe for concurrent use and must be closed.
type Screener struct {
	now       *lists.Current
	tables    *Tables
	sanctions *sanctions
	bulletins *bulletins
}

// New makes a screener from rows in memory.
func New(now *lists.Current, rows *Rows) *Screener { return newScreener(now, rows.tables()) }

func newScreener(now *lists.Current, t *Tables) *Screener {
	return &Screener{now: now, tables: t, sanctions: newSanctions(t.Sanctioned), bulletins: newBulletins(t.Deletions)}
}

// Open opens the edition. Without an edition there are no rows, and every list is not_screened.
func Open(now *lists.Current) (*Screener, error) {
	if now.Edition == nil {
		return New(now, &Rows{}), nil
	}
	tables, err := OpenTables(now.Edition)
	if err != nil {
		return nil, err
	}
	return newScreener(now, tables), nil
}

// With returns a screener of the same edition with newer checks of the publishers. It shares the tables, which are closed once.
func (s *Screener) With(now *lists.Current) *Screener {
	next := *s
	next.now = now
	return &next
}

// Lost reports whether lists were made and cannot be used. Their users are refused
// before they pay, and not told that nobody was screened.
func (s *Screener) Lost() bool { return s.now.Problem != "" }

func (s *Screener) Close() error { return s.tables.Close() }

// Caveats are part of every record.
var Caveats = []string{
	"Screens are triage signals, not determinations.",
	"A screen whose source is unavailable reports not screened, never clear.",
	"The sanctions screen is an entity NAME screen. At the moment of disbursement use the sanctions authority's live index, " +
		"because a designation is effective before the flat files carry it.",
}

// InventedData is the first caveat of a record from lists that were made up.
const InventedData = "INVENTED DATA: these organizations and these lists do not exist. This record screens nobody."

func (s *Screener) caveats() []string {
	if s.now.Edition != nil && s.now.Edition.Manifest.Invented {
		return append([]string{InventedData}, Caveats...)
	}
	return Caveats
}

type Query struct {
	EIN      ein.EIN
	Filed    []string // names of the organization in filings, best first; may be empty
	Unfiled  bool     // the names in filings could not be looked up
	Excluded []int64  // sanctioned entities that the caller has ruled out
}

func (s *Screener) Sources(at time.Time) *client.ComplianceSources { return SourcesOf(s.now, at) }

func (s *Screener) Known(e ein.EIN) bool { return s.find(e).known() }

// Organization returns the organization of an EIN without screening it; known is false when no list has the EIN.
func (s *Screener) Organization(q Query) (o client.ScreenedOrganization, known bool) {
	c := s.begin(q)
	return c.organization(), c.rows.known()
}

// rowsOf are the rows of one organization, also of lists that are too old to screen
// against: they still give the organization a name.
type rowsOf struct {
	master      lists.Master
	inMaster    bool
	deductible  []lists.Deductible
	revocations []lists.RevocationRow
	registry    []lists.Registration
	ftb         []lists.FTBRecord
}

func (s *Screener) find(e ein.EIN) *rowsOf {
	r := &rowsOf{
		deductible: RowsWith(&s.tables.Deductibles, e), revocations: RowsWith(&s.tables.Revocations, e),
		registry: RowsWith(&s.tables.Registrations, e), ftb: RowsWith(&s.tables.FTBRecords, e),
	}
	r.master, r.inMaster = s.tables.Master(e)
	return r
}

func (r *rowsOf) known() bool {
	return r.inMaster || len(r.deductible) > 0 || len(r.revocations) > 0 || len(r.registry) > 0 || len(r.ftb) > 0
}

const mostNames = 20

// names returns the names of the organization as the sources spell them; of names that differ only in spelling, the first. all
// is false when the organization has more names than are screened.
func (r *rowsOf) names(filed []string) (list []string, all bool) {
	list, all = []string{}, true
	// Keys are computed only when there are two names that differ in more than capitals.
	var keys []string // of the first names of the list
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

// nameKey returns the same key for names that differ only in spelling.
func nameKey(name string) string { return cmp.Or(orgname.Key(name), orgname.Fold(name)) }

type screening struct {
	*Screener
	query    Query
	rows     *rowsOf
	names    []string
	allNames bool // the organization has no further names
	sources  *client.ComplianceSources
	at       time.Time
}

func (s *Screener) begin(q Query) *screening {
	c := &screening{Screener: s, query: q, rows: s.find(q.EIN)}
	c.names, c.allNames = c.rows.names(q.Filed)
	return c
}

// Screen makes the record of an organization. The time decides which lists are too old.
func (s *Screener) Screen(q Query, at time.Time) *client.ScreeningRecord {
	c := s.begin(q)
	c.sources, c.at = s.Sources(at), at
	rows := c.rows
	if s.elsewhere(rows) {
		c.sources.BMF.Screens, c.sources.BMF.Note = false, orNull(partialMaster)
	}
	r := &client.ScreeningRecord{
		EIN: q.EIN.String(), Found: rows.known() || len(q.Filed) > 0, Organization: c.organization(), Sources: c.sources,
		Compliance: client.Compliance{
			BMF: c.bmf(), Pub78: c.pub78(), Revocation: c.revocation(), OFAC: c.ofac(), IRBScreen: c.irb(),
			GroupExemption: c.group(), BMFFinancials: c.financials(), Caveats: s.caveats(),
		},
	}
	o := &r.Compliance
	o.OFACSanctionsScreen = o.OFAC
	o.InBMF = when(o.BMF.Screened, rows.inMaster)
	o.Pub78Verified = when(o.Pub78.Screened, len(rows.deductible) > 0)
	o.Revoked = when(o.Revocation.Screened, o.Revocation.Status == Revoked)
	o.Conflict = when(o.BMF.Screened && o.Pub78.Screened, rows.disagreement() != "")
	o.StateRegistration.California = c.california(o.Revoked)
	o.Reliance = c.reliance(o)
	return r
}

// partialMaster says why the master file says nothing about an organization.
const partialMaster = "Not used for this organization: the master file that is loaded covers only some states, and not the state of this organization."

// elsewhere reports whether the master file does not have an organization because it covers only some states.
func (s *Screener) elsewhere(r *rowsOf) bool {
	state := s.now.Status(lists.BMF)
	return !r.inMaster && !state.Covers(r.state())
}

func (c *screening) provenance(list, status string) client.ScreenProvenance {
	return provenance(c.sources, list, status)
}

func provenance(s *client.ComplianceSources, list, status string) client.ScreenProvenance {
	source := listsOf(s)[list]
	p := client.ScreenProvenance{
		Screened: source.Screens, Status: status, Source: list, Revised: source.Revised, FetchedAt: source.FetchedAt, IsCurrent: source.IsCurrent, Note: source.Note,
	}
	if list == lists.IRB {
		p.Revised = source.RevisedNewest // bulletins are a series, and the newest one counts
	}
	if !p.Screened {
		p.Status = NotScreened
	}
	return p
}

// unscreen marks a block as not screened, for another reason than the state of its list.
func unscreen(p *client.ScreenProvenance, note string) {
	p.Screened, p.Status, p.Note = false, NotScreened, &note
}

// namesMissing says why the compared names may be incomplete: a source of names cannot be
// used, or there are too many names. It returns "" when they are complete.
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

// Withheld are the paths of the evidence that a free or trial key does not receive.
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

// Withhold removes the evidence from a record.
func Withhold(r *client.ScreeningRecord) {
	c := &r.Compliance
	c.OFACSanctionsScreen.PotentialMatches, c.OFAC.PotentialMatches, c.IRBScreen.PotentialMatches = nil, nil, nil
	c.StateRegistration.California.RegistryRecords, c.StateRegistration.California.FTBRecords = nil, nil
	c.GroupExemption.ParentOrganizations, c.Pub78.OrganizationTypes = nil, nil
	c.BMFFinancials, c.Reliance.Elements, r.Sources = nil, nil, nil
}

// NameRecord is the sanctions screen of a name that has no EIN.
type NameRecord struct {
	Subject    client.ScreenedName
	Compliance client.NameCompliance
	Sources    *client.NameSources
}

// Words of Provenance.Status.
const (
	NotScreened    = "not_screened"
	Listed         = "listed"
	NotListed      = "not_listed"
	Revoked        = "revoked"
	Reinstated     = "reinstated"
	Clear          = "clear"
	PotentialMatch = "potential_match"
	RuledOut       = "ruled_out"
)

// Words of Element.Result.
const (
	Met           = "met"
	NotMet        = "not_met"
	NotApplicable = "not_applicable"
)

// SourcesOf returns the state of each list at a time. A list that was never loaded has nulls and a note that says why.
func SourcesOf(now *lists.Current, at time.Time) *client.ComplianceSources {
	s := &client.ComplianceSources{}
	for name, source := range listsOf(s) {
		*source = SourceOf(now, name, at)
	}
	return s
}

func listsOf(s *client.ComplianceSources) map[string]*client.ComplianceSource {
	return map[string]*client.ComplianceSource{
		lists.IRB: &s.IRB, lists.CARegistry: &s.CARegistry, lists.BMF: &s.BMF, lists.Pub78: &s.Pub78,
		lists.CAFTB: &s.CAFTB, lists.OFAC: &s.OFAC, lists.Revocation: &s.Revocation,
	}
}

func SourceOf(now *lists.Current, name string, at time.Time) client.ComplianceSource {
	l, state := listOf(name), now.Status(name)
	s := client.ComplianceSource{URL: l.Page, Publishes: l.Publishes, Polled: l.Polled, Caveat: orNull(l.Caveat)}
	check, checked := now.Check(name)
	if checked {
		s.UpstreamCheckedAt, s.UpstreamRevised = instant(check.CheckedAt), orNull(check.UpstreamRevised)
	}
	if !state.Loaded {
		s.Note = orNull("Not loaded: " + state.Problem + ".")
		return s
	}
	s.FetchedAt, s.RowCount, s.SHA256 = instant(state.FetchedAt), &state.Rows, orNull(state.Files)
	s.Revised, s.RevisedNewest = orNull(state.Revised), orNull(state.RevisedNewest)
	if s.RevisedNewest != nil && s.UpstreamRevised != nil {
		s.IsCurrent = new(*s.RevisedNewest >= *s.UpstreamRevised)
	}
	switch {
	case state.Problem != "":
		s.Note = orNull("The last good list is served; what came since was not taken: " + state.Problem + ".")
	case check.Problem != "":
		s.Note = orNull("The last good list is served; upstream could not be taken: " + check.Problem + ".")
	}
	switch why := tooOld(l, state, check, s.IsCurrent, at); {
	case state.Rows == 0:
		s.Note = orNull("Not used: it has no rows.")
	case why != "":
		s.Note = &why
	case state.Incomplete != "":
		s.Note = orNull("Not used: incomplete list (" + state.Incomplete + ").")
	default:
		s.Screens = true
	}
	return s
}

func listOf(name string) lists.List {
	all := lists.All()
	return all[slices.IndexFunc(all, func(l lists.List) bool { return l.Name == name })]
}

// orNull returns nil for an empty text: null on the wire means that it is not known.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// instant returns a time in the form of the wire, nil when it is not known.
func instant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return orNull(t.UTC().Format(time.RFC3339))
}
