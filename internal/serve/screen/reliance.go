package screen

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/irscode"
	"grantgraph/internal/snapshot/lists"
	"grantgraph/internal/table"
)

// This file states what Rev. Proc. 2018-32 requires of a report by a third party, and when a grantor cannot rely on the report.
// Each element and each flag says what the data shows. None is a legal conclusion, and none says what a grantor may do.

const relianceStatement = "This report contains the elements marked met, taken from the editions of the lists named in it. " +
	"It is a record of what the IRS had published, not legal advice and not a determination; " +
	"what the grantor itself knows or is responsible for, data cannot show."

func (c *screening) reliance(o *client.Compliance) client.Reliance {
	s := &c.sources.BMF
	r := client.Reliance{
		Elements: c.elements(o), Flags: c.flags(o), Statement: relianceStatement,
		BMFExtract: client.MasterFileExtract{Revised: s.Revised, FetchedAt: s.FetchedAt, IsCurrent: s.IsCurrent, SHA256: s.SHA256},
	}
	r.ReportComplete = complete(r.Elements)
	if o.BMF.Screened && o.Pub78.Screened && o.Revocation.Screened {
		r.RelianceAvailable = all(r.ReportComplete, not(o.Revoked), not(strongBulletin(&o.IRBScreen)),
			new(c.rows.master.Subsection == "03"), not(strongSanction(&o.OFAC)))
	}
	return r
}

// all returns true if all are true, false if one is false, and otherwise nil for unknown.
func all(list ...*bool) *bool {
	result := new(true)
	for _, b := range list {
		if b == nil {
			result = nil
		} else if !*b {
			return b
		}
	}
	return result
}

func not(b *bool) *bool {
	if b == nil {
		return nil
	}
	return new(!*b)
}

// complete reports whether all elements are met, or nil if a list was not screened.
func complete(elements []client.RelianceElement) *bool {
	result := new(true)
	for _, e := range elements {
		switch e.Result {
		case NotScreened:
			return nil
		case NotMet:
			result = new(false)
		}
	}
	return result
}

// strongBulletin reports whether a bulletin names the organization: true if name and state
// are the same, nil if the name is only similar.
func strongBulletin(b *client.BulletinScreen) *bool {
	return strong(b.Status, b.PotentialMatches, func(m client.BulletinMatch) bool { return m.Strength == Strong })
}

// strongSanction reports the same of the sanctions list. It ignores matches that the caller has ruled out.
func strongSanction(b *client.SanctionsScreen) *bool {
	return strong(b.Status, b.PotentialMatches, func(m client.SanctionsMatch) bool { return m.Strength != Possible && !m.RuledOut })
}

func strong[M any](status string, matches []M, is func(M) bool) *bool {
	switch {
	case status == Clear:
		return new(false)
	case status == PotentialMatch && slices.ContainsFunc(matches, is):
		return new(true)
	}
	return nil
}

// terrorism are the programs of the designations that suspend an exemption under section 501(p)(2). Programs about countries
// or narcotics suspend none.
var terrorism = []string{"FTO", "SDGT", "SDT"}

// suspended reports what strongSanction does, of the programs that suspend an exemption.
func suspended(b *client.SanctionsScreen) *bool {
	if b.Status != PotentialMatch {
		return strongSanction(b)
	}
	other := func(m client.SanctionsMatch) bool {
		return m.RuledOut || !slices.ContainsFunc(strings.Split(m.Program, ", "), func(p string) bool { return slices.Contains(terrorism, p) })
	}
	left := *b
	left.PotentialMatches = slices.DeleteFunc(slices.Clone(b.PotentialMatches), other)
	if len(left.PotentialMatches) == 0 && *b.MatchCount == len(b.PotentialMatches) {
		return new(false)
	}
	return strongSanction(&left)
}

// privateFoundation says whether the grantee is a private foundation to which a grant by a private foundation needs expenditure
// responsibility. Only the master file tells exempt operating foundations from other operating ones.
func (c *screening) privateFoundation(bmf, pub bool) client.RelianceFlag {
	const id = "private_foundation_grantee"
	in, code := bmf && c.rows.inMaster, c.rows.master.Foundation
	listed := func(code string) bool { return pub && slices.Contains(c.rows.codes(), code) }
	switch {
	case in && code == "04", listed("PF"):
		return flag(id, new(true), "")
	case in && code == "02":
		return flag(id+".exempt", when(pub, false), "")
	case in && code == "03", in && listed("POF"):
		return flag(id+".operating", new(true), "")
	case listed("POF"):
		return flag(id+".unknown", nil, "")
	}
	return flag(id, when(bmf && pub && (in || len(c.rows.deductible) > 0), false), "")
}

func (c *screening) elements(o *client.Compliance) []client.RelianceElement {
	m, in := &c.rows.master, c.rows.inMaster
	classed := in && irscode.FoundationType(m.Foundation) != ""
	return []client.RelianceElement{
		c.fromMaster("organization_name", in && m.Name != "", m.Name, "The master file does not list the EIN."),
		c.fromMaster("ein", in, m.EIN, "The master file does not list the EIN."),
		c.fromMaster("foundation_status", classed, irscode.FoundationLabel(m.Foundation), foundationReason(in, m.Foundation)),
		c.supportingType(),
		c.deductible(o),
		c.mostCurrent(),
		c.revisionDate(),
		{ID: "report_datetime", Result: Met, Value: instant(c.at)},
		{ID: "retainable_form", Result: Met, Value: orNull("Signed JSON, and a PDF that carries it")},
	}
}

func (c *screening) element(id, list string) client.RelianceElement {
	return client.RelianceElement{ID: id, Result: NotScreened, Source: orNull(list), AsOf: listsOf(c.sources)[list].Revised}
}

func (c *screening) fromMaster(id string, met bool, value, reason string) client.RelianceElement {
	e := c.element(id, lists.BMF)
	switch {
	case !c.sources.BMF.Screens:
		e.Reason = c.sources.BMF.Note
	case met:
		e.Result, e.Value = Met, orNull(value)
	default:
		e.Result, e.Value, e.Reason = NotMet, orNull(value), orNull(reason)
	}
	return e
}

func foundationReason(in bool, code string) string {
	switch {
	case !in:
		return "The master file does not list the EIN."
	case code == "00":
		return "The master file carries no status under section 509(a), because the organization is not exempt under section 501(c)(3)."
	case code == "09":
		return "The IRS has not determined the status yet."
	}
	return "The master file gives no status under section 509(a)."
}

func (c *screening) supportingType() client.RelianceElement {
	code := c.rows.master.Foundation
	typed := c.rows.inMaster && slices.Contains([]string{"21", "22", "23", "24"}, code)
	e := c.fromMaster("supporting_organization_type", typed, irscode.FoundationLabel(code),
		"The master file says that it is a supporting organization and not of which type; the type must be obtained another way.")
	if e.Result == NotMet && code != "17" {
		e.Result, e.Value, e.Reason = NotApplicable, nil, orNull("The master file does not list it as a supporting organization.")
	}
	return e
}

func (c *screening) deductible(o *client.Compliance) client.RelianceElement {
	e := c.element("contributions_deductible", lists.BMF)
	switch {
	case !o.BMF.Screened:
		e.Reason = c.sources.BMF.Note
		return e
	case !o.Pub78.Screened:
		e.Source, e.AsOf, e.Reason = orNull(lists.Pub78), c.sources.Pub78.Revised, c.sources.Pub78.Note
		return e
	}
	m := &c.rows.master
	e.Result, e.Value = Met, orNull(irscode.DeductibilityLabel(m.Deductibility))
	switch {
	case !c.rows.inMaster:
		e.Result, e.Value, e.Reason = NotMet, nil, orNull("The master file does not list the EIN.")
	case e.Value == nil:
		e.Result, e.Reason = NotMet, orNull("The master file does not say whether contributions are deductible.")
	case m.Deductibility != "1" || *o.Pub78Verified:
	case c.rows.mayBeUnlisted():
		e.Result = NotApplicable
		e.Reason = orNull("It may receive deductible contributions without a listing of its own in Publication 78" + c.coveredBy(o) + ".")
	default:
		e.Reason = orNull(c.rows.disagreement())
	}
	return e
}

// coveredBy names the central organization whose listing covers a subordinate.
func (c *screening) coveredBy(o *client.Compliance) string {
	for _, p := range o.GroupExemption.ParentOrganizations {
		if slices.Contains(p.Pub78Codes, "GROUP") {
			return "; its central organization " + p.OrganizationName + " (" + p.EIN + ") is listed as GROUP"
		}
	}
	return ""
}

func (c *screening) mostCurrent() client.RelianceElement {
	s, e := &c.sources.BMF, c.element("source_statement", lists.BMF)
	switch {
	case !s.Screens:
		e.Reason = s.Note
	case s.IsCurrent == nil:
		e.Reason = orNull("Nobody has looked at what the IRS has posted since, so it is not known whether this extract is the most current.")
	case *s.IsCurrent:
		e.Result = Met
		e.Value = orNull("The data is from the most current monthly update of the master file extract that the IRS had posted when last looked at.")
	default:
		e.Result, e.Reason = NotMet, orNull(fmt.Sprintf("The IRS has posted an extract of %s since.", *s.UpstreamRevised))
	}
	return e
}

func (c *screening) revisionDate() client.RelianceElement {
	revised := text(c.sources.BMF.Revised)
	return c.fromMaster("bmf_revision_date", revised != "", revised, "The revision date of the extract is not known.")
}

//go:embed reliance_flags.tsv
var flagTable string

var flagRows = func() map[string]table.Row {
	rows := map[string]table.Row{}
	for _, row := range table.Read("reliance_flags.tsv", flagTable, "flag", "basis", "note", "limit") {
		rows[row.Text("flag")] = row
	}
	return rows
}()

// churchMessage explains why some organizations may be absent from a list.
var churchMessage = flagRows["church_or_government_not_listed"].Text("note")

// flag makes one flag from its rule in the table: the flag's own, or that of a case, which is a name with a dot. applies is nil
// if the data does not show whether it applies. An empty note is replaced by that of the table.
func flag(rule string, applies *bool, note string) client.RelianceFlag {
	row := flagRows[rule]
	id, _, _ := strings.Cut(rule, ".")
	note = strings.TrimSpace(cmp.Or(note, row.Text("note")) + " " + row.Text("limit"))
	return client.RelianceFlag{ID: id, Applies: applies, Basis: row.Text("basis"), Note: &note}
}

// when returns a fact that is known only if a list was screened, and otherwise nil.
func when(screened, applies bool) *bool {
	if !screened {
		return nil
	}
	return &applies
}

// either returns true if one of two facts is true, and nil if neither is true and one is unknown.
func either(a, b *bool) *bool { return not(all(not(a), not(b))) }

func (c *screening) flags(o *client.Compliance) []client.RelianceFlag {
	m, codes := &c.rows.master, c.rows.codes()
	bmf, pub := o.BMF.Screened, o.Pub78.Screened
	unlisted := len(c.rows.deductible) == 0
	// The class of an organization that is in neither list is unknown.
	classed := c.rows.inMaster || !unlisted
	master := func(codes ...string) *bool { return when(bmf && classed, slices.Contains(codes, m.Foundation)) }
	listed := func(want ...string) *bool {
		return when(pub && classed, slices.ContainsFunc(codes, func(code string) bool { return slices.Contains(want, code) }))
	}
	group := when(bmf && pub && classed, groupNumber(m) != "" && irscode.InGroup(m.Affiliation) && unlisted)
	reinstated := slices.ContainsFunc(c.rows.revocations, func(v lists.RevocationRow) bool { return v.Reinstated != "" })
	return []client.RelianceFlag{
		flag("public_notice_of_change", either(o.Revoked, strongBulletin(&o.IRBScreen)), c.noticeNote(o)),
		flag("reinstated_after_revocation", when(o.Revocation.Screened, reinstated), c.reinstatementNote(o)),
		flag("grantor_knowledge", nil, ""),
		flag("terrorist_suspension", suspended(&o.OFAC), sanctionNote(&o.OFAC)),
		flag("supporting_org_control", either(master("17", "21", "22", "23", "24"), listed("SO", "SONFI", "SOUNK")), ""),
		flag("type_iii_not_fi", either(master("24"), listed("SONFI")), ""),
		flag("so_type_unknown", either(master("17"), listed("SOUNK")), ""),
		c.privateFoundation(bmf, pub),
		flag("foreign_addressee", either(when(bmf && classed, m.Deductibility == "4"), listed("FORGN")), ""),
		flag("group_subordinate_not_listed", group, ""),
		flag("church_or_government_not_listed", c.churchNotListed(bmf, pub, unlisted), ""),
		flag("lists_disagree", o.Conflict, c.rows.disagreement()),
		flag("extract_not_current", not(c.sources.BMF.IsCurrent), ""),
		flag("non_501c3", when(bmf && c.rows.inMaster, m.Subsection != "03"), ""),
		flag("california_suspension", c.californiaLags(o), ""),
	}
}

// churchNotListed is known only of an organization in the master file: an organization in no list may be a church or not.
func (c *screening) churchNotListed(bmf, pub, unlisted bool) *bool {
	switch m := &c.rows.master; {
	case !bmf || !pub:
		return nil
	case !unlisted:
		return new(false)
	case !c.rows.inMaster:
		return nil
	default:
		return new(irscode.ChurchOrGovernment(m.Foundation, m.FilingReq))
	}
}

func (c *screening) californiaLags(o *client.Compliance) *bool {
	ca := &o.StateRegistration.California
	switch {
	case !ca.Screened:
		return nil
	case ca.MayOperate == nil || !*ca.MayOperate:
		return new(false)
	}
	return either(o.Revoked, when(ca.FTB.Screened, ca.FTB.Status == Revoked))
}

func (c *screening) noticeNote(o *client.Compliance) string {
	var notes []string
	if o.Revoked != nil && *o.Revoked {
		last := c.rows.decidingRevocation()
		posted := cmp.Or(last.Posted, "on a day the list does not give")
		notes = append(notes, "Revoked automatically, effective "+last.Revoked+"; reliance ended when it was posted, "+posted+".")
	}
	if b := &o.IRBScreen; b.Status == PotentialMatch {
		notes = append(notes, fmt.Sprintf("Bulletin %s announced the deletion of an organization of this or a similar name; a bulletin gives no EIN.",
			b.PotentialMatches[0].BulletinNumber))
	}
	return strings.Join(notes, " ")
}

func (c *screening) reinstatementNote(o *client.Compliance) string {
	if !o.Revocation.Screened {
		return ""
	}
	var last lists.RevocationRow
	for _, v := range c.rows.revocations {
		if v.Reinstated > last.Reinstated {
			last = v
		}
	}
	if last.Reinstated == "" {
		return ""
	}
	return "Revoked effective " + last.Revoked + ", reinstated " + last.Reinstated + "."
}

func sanctionNote(b *client.SanctionsScreen) string {
	switch b.Status {
	case PotentialMatch, RuledOut:
		return b.OFACStatus
	case NotScreened:
		return "The sanctions list was not screened."
	}
	return ""
}
