package sheet

import (
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/table"
)

// Result is the result of one row: a record, or the reason why there is none.
type Result struct {
	Record   *client.ScreeningRecord
	At       time.Time // when it was screened
	ReportID string    // of the report that was kept; empty when none was
	Problem  string    // why the row was not screened
}

// Words of the added cells.
const (
	notScreened = "not screened"
	withheld    = "withheld"
	unknown     = "unknown"
)

// added are the columns of the record, which follow the columns of the sheet.
var added = []struct {
	name string
	cell func(*client.ScreeningRecord) string
}{
	{"found", func(r *client.ScreeningRecord) string { return strconv.FormatBool(r.Found) }},
	{"organization_name", func(r *client.ScreeningRecord) string { return text(r.Organization.OrganizationName) }},
	{"in_bmf", func(r *client.ScreeningRecord) string { return verdict(r.Compliance.InBMF) }},
	{"pub78_verified", func(r *client.ScreeningRecord) string { return verdict(r.Compliance.Pub78Verified) }},
	{"revoked", func(r *client.ScreeningRecord) string { return verdict(r.Compliance.Revoked) }},
	{"conflict", func(r *client.ScreeningRecord) string { return verdict(r.Compliance.Conflict) }},
	{"subsection", func(r *client.ScreeningRecord) string { return ofMaster(r, r.Compliance.BMF.SubsectionDescription) }},
	{"foundation_type", func(r *client.ScreeningRecord) string { return ofMaster(r, r.Compliance.BMF.FoundationTypeCode) }},
	{"deductibility", func(r *client.ScreeningRecord) string { return ofMaster(r, r.Compliance.BMF.DeductibilityDescription) }},
	{"ofac_status", func(r *client.ScreeningRecord) string {
		return status(&r.Compliance.OFACSanctionsScreen.ScreenProvenance)
	}},
	{"ofac_best_match", func(r *client.ScreeningRecord) string {
		return bestMatch(r, func(m *client.SanctionsMatch) string { return m.Name })
	}},
	{"ofac_best_score", func(r *client.ScreeningRecord) string {
		return bestMatch(r, func(m *client.SanctionsMatch) string { return strconv.FormatFloat(m.Score, 'f', -1, 64) })
	}},
	{"irb_status", func(r *client.ScreeningRecord) string { return status(&r.Compliance.IRBScreen.ScreenProvenance) }},
	{"irb_covers_through", func(r *client.ScreeningRecord) string {
		return ofList(r.Compliance.IRBScreen.Screened, r.Compliance.IRBScreen.CoversThrough)
	}},
	{"ca_registry_status", func(r *client.ScreeningRecord) string {
		return status(&r.Compliance.StateRegistration.California.ScreenProvenance)
	}},
	{"ca_may_operate", func(r *client.ScreeningRecord) string {
		ca := &r.Compliance.StateRegistration.California
		switch {
		case !ca.Screened:
			return notScreened
		case ca.Status == screen.NotListed && ca.MayOperate == nil:
			return inWords(screen.NotListed)
		case ca.MayOperate == nil:
			return unknown
		}
		return strconv.FormatBool(*ca.MayOperate)
	}},
	{"ca_ftb_status", func(r *client.ScreeningRecord) string { return status(&r.Compliance.StateRegistration.California.FTB) }},
	{"reliance_available", func(r *client.ScreeningRecord) string { return ofReliance(r, r.Compliance.Reliance.RelianceAvailable) }},
	{"report_complete", func(r *client.ScreeningRecord) string { return ofReliance(r, r.Compliance.Reliance.ReportComplete) }},
	{"flags", flags},
}

// appended are the columns of the screening, which come last.
var appended = []string{"screened_at", "bmf_revised", "ofac_revised", "report_id", "error"}

func Headers() (list []string) {
	for _, c := range added {
		list = append(list, c.name)
	}
	return append(list, appended...)
}

// Cells returns the added cells of a row, in the order of their columns. Every cell that
// rests on a list that was not screened says so.
func (r *Result) Cells() []string {
	list := make([]string, 0, len(added)+len(appended))
	for _, c := range added {
		s := notScreened
		if r.Record != nil {
			s = c.cell(r.Record)
		}
		list = append(list, s)
	}
	at, bmf, ofac := notScreened, notScreened, notScreened
	if r.Record != nil {
		at = r.At.UTC().Format(time.RFC3339)
		bmf = ofList(r.Record.Compliance.BMF.Screened, r.Record.Compliance.BMF.Revised)
		ofac = ofList(r.Record.Compliance.OFACSanctionsScreen.Screened, r.Record.Compliance.OFACSanctionsScreen.Revised)
	}
	list = append(list, at, bmf, ofac, r.ReportID, r.Problem)
	for i := range list {
		list[i] = table.Harmless(strings.Join(strings.Fields(list[i]), " "))
	}
	return list
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// inWords writes a status of the record for a spreadsheet.
func inWords(status string) string { return strings.ReplaceAll(status, "_", " ") }

func verdict(b *bool) string {
	if b == nil {
		return notScreened
	}
	return strconv.FormatBool(*b)
}

func status(p *client.ScreenProvenance) string {
	if !p.Screened {
		return notScreened
	}
	return inWords(p.Status)
}

func ofList(screened bool, s *string) string {
	if !screened {
		return notScreened
	}
	return text(s)
}

// ofMaster returns the cell of a field of the master file.
func ofMaster(r *client.ScreeningRecord, s *string) string {
	if b := &r.Compliance.BMF; b.Screened && b.Status == screen.NotListed {
		return inWords(screen.NotListed)
	}
	return ofList(r.Compliance.BMF.Screened, s)
}

func bestMatch(r *client.ScreeningRecord, what func(*client.SanctionsMatch) string) string {
	o := &r.Compliance.OFACSanctionsScreen
	switch {
	case !o.Screened:
		return notScreened
	case len(o.PotentialMatches) > 0:
		return what(&o.PotentialMatches[0])
	case o.PotentialMatches == nil && o.MatchCount != nil && *o.MatchCount > 0:
		return withheld
	}
	return ""
}

// ofReliance returns the cell of a conclusion from several lists. It may be unknown although
// all lists were screened, if nobody checked whether they are current.
func ofReliance(r *client.ScreeningRecord, b *bool) string {
	if c := &r.Compliance; b == nil && c.BMF.Screened && c.Pub78.Screened && c.Revocation.Screened {
		return unknown
	}
	return verdict(b)
}

func flags(r *client.ScreeningRecord) string {
	var ids []string
	for _, f := range r.Compliance.Reliance.Flags {
		if f.Applies != nil && *f.Applies {
			ids = append(ids, f.ID)
		}
	}
	return strings.Join(ids, "; ")
}

// Tally counts the results of rows. Each row counts in All and in the first other field that applies.
type Tally struct {
	All         int64 `json:"rows"`
	Unreadable  int64 `json:"unreadable"`   // no readable EIN, or refused by the service
	NotFound    int64 `json:"not_found"`    // no list and no filing has the EIN
	CloserLook  int64 `json:"closer_look"`  // a list calls for a closer look, or two lists disagree
	NotScreened int64 `json:"not_screened"` // no list does, but one could not be used
	NoFindings  int64 `json:"no_findings"`  // every list was used, and no list does

	// Unused counts, for each list that could not be used, the rows of known organizations, whatever else was found.
	Unused map[string]int64 `json:"not_screened_by_list,omitempty"`
}

// Add counts a row. The verdicts decide whether somebody should look closer, as on the page of the record.
func (t *Tally) Add(r *Result) {
	t.All++
	if r.Record == nil {
		t.Unreadable++
		return
	}
	if !r.Record.Found {
		t.NotFound++
		return
	}
	closer, all := r.Record.Compliance.Conflict != nil && *r.Record.Compliance.Conflict, true
	for _, v := range screen.Verdicts(r.Record) {
		closer = closer || v.Mark == screen.MarkLook
		if v.Mark == screen.MarkNotScreened {
			all = false
			if t.Unused == nil {
				t.Unused = map[string]int64{}
			}
			t.Unused[v.List]++
		}
	}
	switch {
	case closer:
		t.CloserLook++
	case !all:
		t.NotScreened++
	default:
		t.NoFindings++
	}
}
