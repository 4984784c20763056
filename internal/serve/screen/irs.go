package screen

import (
	"cmp"
	"slices"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/irscode"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/snapshot/lists"
)

// This file screens against the IRS's own lists, which are looked up by EIN.

func (c *screening) organization() client.ScreenedOrganization {
	r, m := c.rows, &c.rows.master
	o := client.ScreenedOrganization{EIN: c.query.EIN.String(), Names: c.names}
	city, state := m.City, m.State
	switch {
	case r.inMaster:
		o.OrganizationName, o.OrganizationNameAKA, o.NameSource = orNull(m.Name), orNull(m.SortName), orNull(lists.BMF)
		o.AddressLine1, o.ZIP = orNull(m.Street), orNull(m.ZIP[:min(len(m.ZIP), 5)])
	case len(r.deductible) > 0:
		o.OrganizationName, o.NameSource = orNull(r.deductible[0].Name), orNull(lists.Pub78)
		city, state = r.deductible[0].City, r.deductible[0].State
	case len(r.revocations) > 0:
		v := r.revocations[len(r.revocations)-1]
		o.OrganizationName, o.OrganizationNameAKA, o.NameSource = orNull(v.Name), orNull(v.DBA), orNull(lists.Revocation)
		city, state = v.City, v.State
	case len(c.query.Filed) > 0:
		o.OrganizationName, o.NameSource = orNull(c.query.Filed[0]), orNull("filings")
	}
	o.City, o.State = orNull(city), orNull(state)
	if region, ok := place.RegionOf(state); ok {
		o.StateName = orNull(region.Name)
	}
	return o
}

// state returns the state of the organization, or "" if no source gives it.
func (r *rowsOf) state() string {
	s := r.master.State
	for _, p := range r.deductible {
		s = cmp.Or(s, p.State)
	}
	for _, v := range r.revocations {
		s = cmp.Or(s, v.State)
	}
	return s
}

func listedOr(found bool) string {
	if found {
		return Listed
	}
	return NotListed
}

func (c *screening) bmf() client.MasterFileScreen {
	b := client.MasterFileScreen{ScreenProvenance: c.provenance(lists.BMF, listedOr(c.rows.inMaster)), Classifications: []string{}}
	b.MostRecentBMF = b.Revised
	if !b.Screened {
		return b
	}
	m := &c.rows.master
	if !c.rows.inMaster {
		b.ChurchMessage = orNull(churchMessage)
		return b
	}
	b.OrganizationName, b.EIN = orNull(m.Name), orNull(m.EIN)
	b.SubsectionCode, b.SubsectionDescription = orNull(m.Subsection), orNull(irscode.SubsectionLabel(m.Subsection))
	b.Classifications = append(b.Classifications, irscode.ClassificationLabels(m.Subsection, m.Classification)...)
	b.FoundationCode, b.FoundationCodeDescription = orNull(m.Foundation), orNull(irscode.FoundationLabel(m.Foundation))
	kind := irscode.FoundationType(m.Foundation)
	b.FoundationTypeCode, b.FoundationTypeDescription = orNull(kind), orNull(irscode.FoundationTypeLabel(kind))
	b.Foundation509aStatus = orNull(irscode.Section509a(m.Foundation))
	b.DeductibilityCode, b.DeductibilityDescription = orNull(m.Deductibility), orNull(irscode.DeductibilityLabel(m.Deductibility))
	b.ExemptStatusCode, b.ExemptStatusDescription = orNull(m.Status), orNull(irscode.StatusLabel(m.Status))
	b.AffiliationCode, b.AffiliationDescription = orNull(m.Affiliation), orNull(irscode.AffiliationLabel(m.Affiliation))
	b.OrganizationCode, b.OrganizationCodeDescription = orNull(m.Organization), orNull(irscode.OrganizationLabel(m.Organization))
	b.FilingReqCode, b.FilingReqDescription = orNull(m.FilingReq+m.PFFilingReq), orNull(filingLabel(m))
	if code, ok := ntee.Parse(m.NTEE); ok {
		b.NTEECode, b.NTEEDescription = orNull(string(code)), orNull(cmp.Or(ntee.Title(code), code.Label()))
	}
	b.RulingYear, b.RulingMonth = irscode.RulingDate(m.Ruling)
	return b
}

// filingLabel says which return the organization must file. The code for Form 990-PF has a column of its own.
func filingLabel(m *lists.Master) string {
	if m.PFFilingReq == "1" {
		return irscode.PFFilingLabel(m.PFFilingReq)
	}
	return irscode.FilingLabel(m.FilingReq)
}

// codes returns the deductibility codes of Publication 78, each once.
func (r *rowsOf) codes() []string { return pub78Codes(r.deductible) }

func pub78Codes(rows []lists.Deductible) []string {
	list := []string{}
	for _, p := range rows {
		for _, code := range irscode.Pub78Codes(p.Codes) {
			if !slices.Contains(list, code) {
				list = append(list, code)
			}
		}
	}
	return list
}

func (c *screening) pub78() client.Pub78Screen {
	found := len(c.rows.deductible) > 0
	p := client.Pub78Screen{ScreenProvenance: c.provenance(lists.Pub78, listedOr(found))}
	p.MostRecentPub78 = p.Revised
	if !p.Screened {
		return p
	}
	p.OrganizationTypes = []client.Pub78OrganizationType{}
	if !found {
		p.ChurchMessage = orNull(churchMessage)
		return p
	}
	row := &c.rows.deductible[0]
	p.OrganizationName, p.EIN, p.City, p.State, p.Country = orNull(row.Name), orNull(row.EIN), orNull(row.City), orNull(row.State), orNull(row.Country)
	for _, code := range c.rows.codes() {
		label := irscode.Pub78Label(code)
		p.OrganizationTypes = append(p.OrganizationTypes, client.Pub78OrganizationType{
			Code: code, OrganizationType: cmp.Or(label, code), DeductibilityLimitation: orNull(irscode.Pub78Limit(code)), DeductibilityStatusDescription: orNull(label),
		})
	}
	return p
}

func (c *screening) revocation() client.RevocationScreen {
	v := client.RevocationScreen{ScreenProvenance: c.provenance(lists.Revocation, NotListed), Events: []client.RevocationEvent{}}
	if !v.Screened || len(c.rows.revocations) == 0 {
		return v
	}
	for _, row := range c.rows.revocations {
		v.Events = append(v.Events, client.RevocationEvent{
			OrganizationName: orNull(row.Name), RevocationDate: row.Revoked, PostingDate: orNull(row.Posted), ReinstatementDate: orNull(row.Reinstated),
		})
	}
	slices.SortStableFunc(v.Events, func(a, b client.RevocationEvent) int { return cmp.Compare(a.RevocationDate, b.RevocationDate) })
	last := c.rows.decidingRevocation()
	v.RevocationDate, v.PostingDate = orNull(last.Revoked), orNull(last.Posted)
	v.ReinstatementDate, v.RevocationCode = orNull(last.Reinstated), orNull(last.Subsection)
	v.Status = Reinstated
	if last.Reinstated == "" {
		v.Status = Revoked
	}
	return v
}

// decidingRevocation returns the row that decides: the latest revocation that stands, or else the latest reinstatement.
func (r *rowsOf) decidingRevocation() *lists.RevocationRow { return deciding(r.revocations) }

func (r *rowsOf) revoked() bool { return StandsRevoked(r.revocations) }

// StandsRevoked reports whether a revocation stands: no row has a reinstatement of the same day or later.
func StandsRevoked(rows []lists.RevocationRow) bool {
	row := deciding(rows)
	return row != nil && row.Reinstated == ""
}

func deciding(rows []lists.RevocationRow) *lists.RevocationRow {
	var restored, standing *lists.RevocationRow
	for i := range rows {
		if row := &rows[i]; row.Reinstated != "" && (restored == nil || row.Reinstated > restored.Reinstated) {
			restored = row
		}
	}
	for i := range rows {
		row := &rows[i]
		if row.Reinstated == "" && (restored == nil || row.Revoked > restored.Reinstated) && (standing == nil || row.Revoked > standing.Revoked) {
			standing = row
		}
	}
	if standing != nil {
		return standing
	}
	return restored
}

func (c *screening) group() client.GroupExemption {
	g := client.GroupExemption{}
	if !c.sources.BMF.Screens {
		return g
	}
	m := &c.rows.master
	g.ParentOrganizations = []client.ParentOrganization{}
	g.IsSubordinate, g.IsCentral = new(irscode.InGroup(m.Affiliation)), new(isCentral(m))
	if number := groupNumber(m); number != "" {
		g.GroupExemption = &number
		if !*g.IsCentral {
			g.ParentOrganizations = c.parents(number)
		}
	}
	return g
}

func groupNumber(m *lists.Master) string {
	if m.Group == "0000" || m.Group == "0" {
		return ""
	}
	return m.Group
}

// mostParents is how many central organizations are shown. A group has one; a handful of groups share a number.
const mostParents = 10

func (c *screening) parents(group string) []client.ParentOrganization {
	list := []client.ParentOrganization{}
	for _, m := range RowsNamed(&c.tables.Centrals, group) {
		if len(list) == mostParents {
			break
		}
		p := client.ParentOrganization{EIN: m.EIN, OrganizationName: m.Name, GroupExemption: group}
		if e, err := ein.Parse(m.EIN); err == nil && c.sources.Pub78.Screens {
			p.Pub78Codes = pub78Codes(RowsWith(&c.tables.Deductibles, e))
		}
		list = append(list, p)
	}
	return list
}

func (c *screening) financials() *client.BMFFinancials {
	f := &client.BMFFinancials{}
	if m := &c.rows.master; c.rows.inMaster && c.sources.BMF.Screens {
		*f = client.BMFFinancials{
			TaxPeriod: orNull(m.TaxPeriod), AssetAmount: m.Assets, IncomeAmount: m.Income, RevenueAmount: m.Revenue,
			AssetCode: orNull(m.AssetCode), AssetBand: orNull(irscode.BandLabel(m.AssetCode)),
			IncomeCode: orNull(m.IncomeCode), IncomeBand: orNull(irscode.BandLabel(m.IncomeCode)), AccountingPeriod: orNull(m.AccountingPeriod),
		}
	}
	return f
}

// disagreement says how the master file and Publication 78 differ, or returns "".
func (r *rowsOf) disagreement() string {
	m, codes := &r.master, r.codes()
	listed := len(r.deductible) > 0
	switch {
	case !r.inMaster && listed:
		return "Publication 78 lists the EIN and the master file does not."
	case r.inMaster && !listed && m.Deductibility == "1" && m.Subsection == "03" && !r.mayBeUnlisted():
		return "The master file says that contributions are deductible, and Publication 78 does not list the EIN."
	case r.inMaster && listed && m.Deductibility == "2":
		return "Publication 78 lists the EIN, and the master file says that contributions are not deductible."
	}
	if a, b := irscode.FoundationType(m.Foundation), pub78Type(codes); a != "" && b != "" && a != b {
		return "The master file says " + irscode.FoundationTypeLabel(a) + ", Publication 78 " + irscode.FoundationTypeLabel(b) + "."
	}
	return ""
}

// mayBeUnlisted reports whether contributions may be deductible without a listing of its own in Publication 78.
func (r *rowsOf) mayBeUnlisted() bool {
	m := &r.master
	return irscode.InGroup(m.Affiliation) && groupNumber(m) != "" || irscode.ChurchOrGovernment(m.Foundation, m.FilingReq)
}

// pub78Type returns the class that codes of Publication 78 name, as irscode.FoundationType names it, or "".
func pub78Type(codes []string) string {
	for _, code := range codes {
		switch code {
		case "PC", "PF", "POF":
			return code
		case "SO", "SONFI", "SOUNK":
			return "SO"
		}
	}
	return ""
}

// Exemption is what the IRS's lists say about one organization. A field is nil, never false, if its list is out of service.
type Exemption struct {
	InBMF             *bool
	Pub78Verified     *bool
	Revoked           *bool
	RevocationDate    string // of the revocation that decides; empty for none
	ReinstatementDate string
	AsOf              string // the oldest revision among the lists used, YYYY-MM-DD; empty when none was used
}

// Exemption looks an organization up in the lists that are usable at a time.
func (s *Screener) Exemption(e ein.EIN, at time.Time) (x Exemption) {
	sources := s.Sources(at)
	used := func(source *client.ComplianceSource) bool {
		if source.Screens {
			for _, date := range []*string{source.Revised, source.FetchedAt} {
				if date != nil && len(*date) >= len(time.DateOnly) {
					if day := (*date)[:len(time.DateOnly)]; x.AsOf == "" || day < x.AsOf {
						x.AsOf = day
					}
					break
				}
			}
		}
		return source.Screens
	}
	rows := s.find(e)
	if used(&sources.BMF) && !s.elsewhere(rows) {
		x.InBMF = new(rows.inMaster)
	}
	if used(&sources.Pub78) {
		x.Pub78Verified = new(len(rows.deductible) > 0)
	}
	if used(&sources.Revocation) {
		x.Revoked = new(rows.revoked())
		if last := rows.decidingRevocation(); last != nil {
			x.RevocationDate, x.ReinstatementDate = last.Revoked, last.Reinstated
		}
	}
	return x
}
