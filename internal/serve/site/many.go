package site

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/table"
)

type manyPage struct {
	form
	standing
	Lists    []string // titles of the columns
	Rows     []manyRow
	Unread   []unreadLine
	More     int
	Repeated int
	CSV      template.URL
	File     string
	At       time.Time
	Caveat   string
}

type manyRow struct {
	EIN      ein.EIN
	Name     string
	Found    bool
	Verdicts []screen.Verdict
}

func (s *Site) screenMany(v *visit) {
	hold, ok := s.frame.Reserve(v.w, v.r, weightMany)
	if !ok {
		return
	}
	defer hold.Release()
	set := frame.DatasetOf(v.r)
	if set.Screen.Lost() {
		s.frame.Damaged(v.w, v.r)
		return
	}
	list, err := readMany(v.r)
	if err == nil && list.over > 0 {
		err = fault.New("too_many_eins", "There are more than %d EINs; send at most that many at a time", mostEINs)
	}
	if err == nil && len(list.eins) == 0 {
		err = fault.New("no_eins", "There is no EIN in what you sent")
	}
	if err != nil {
		page, ok := s.checkPage(v)
		if !ok {
			return
		}
		f, _ := fault.Of(err)
		page.Problem, page.Pasted = sentence(f.Message)+" Nothing was counted.", v.field("eins")
		if list != nil {
			page.Refused = list.unread
		}
		s.pages.Render(v.w, http.StatusUnprocessableEntity, "check", page)
		return
	}
	if !paid(v.account.Plan) {
		s.showPlans(v, "Screening several at once needs a paid plan", "Your free account has one screening of one organization. Nothing was counted.")
		return
	}
	if !s.charge(v) {
		return
	}
	at := s.Clock()
	page := &manyPage{Unread: list.unread, More: list.more, Repeated: list.repeated, At: at, Caveat: liveIndex, File: "screening-" + frame.Date(at) + ".csv"}
	table := [][]string{manyColumns}
	for _, e := range list.eins {
		if v.r.Context().Err() != nil {
			return // the visitor has left
		}
		_, q := subjectOf(set, e)
		r := set.Screen.Screen(q, at)
		row := manyRow{EIN: e, Name: orgname.Display(frame.Text(r.Organization.OrganizationName)), Found: r.Found, Verdicts: screen.Verdicts(r)}
		page.Rows = append(page.Rows, row)
		table = append(table, manyCells(r, row.Verdicts, at))
	}
	for _, x := range page.Rows[0].Verdicts {
		page.Lists = append(page.Lists, x.Title)
	}
	for _, u := range list.unread {
		line := make([]string, len(manyColumns))
		line[0], line[len(line)-1] = u.Text, u.Where+" is not an EIN and was not screened"
		table = append(table, line)
	}
	text, err := harmlessCSV(table)
	if err != nil {
		s.fail(v, err)
		return
	}
	page.CSV = dataURL("text/csv;charset=utf-8", text)
	if page.standing, err = s.standing(v); err != nil {
		s.fail(v, err)
		return
	}
	page.form = *s.form(v, "Several organizations, screened")
	s.pages.Render(v.w, http.StatusOK, "many", page)
}

// readMany reads the EINs of the form: first those of the field, then those of the
// file.
func readMany(r *http.Request) (*einList, error) {
	list := &einList{}
	list.readText(r.PostForm.Get("eins"))
	if r.MultipartForm == nil {
		return list, nil
	}
	for _, head := range r.MultipartForm.File["file"] {
		if head.Size == 0 {
			continue // no file was chosen
		}
		if head.Size > mostFile {
			return list, fault.New("file_too_long", "The file has more than %s", frame.Size(mostFile))
		}
		file, err := contentOf(head)
		if err != nil {
			return list, badTable(err)
		}
		if err := list.readCSV(file); err != nil {
			return list, err
		}
	}
	return list, nil
}

var manyColumns = []string{"ein", "name", "found", "in_bmf", "pub78_verified", "revoked", "ofac_status", "irb_status", "ca_registry_status",
	"ca_may_operate", "ca_ftb_status",
	"reliance_available", "conflict", "bmf_revised", "pub78_revised", "revocation_revised", "irb_revised", "ofac_revised", "ca_registry_revised",
	"ca_ftb_revised", "screened_at", "notes"}

// manyCells is a record as a row of the file. A cell that depends on an unscreened
// list says so, and so do the notes. Other unknown values are empty cells.
func manyCells(r *client.ScreeningRecord, verdicts []screen.Verdict, at time.Time) []string {
	c := &r.Compliance
	california := &c.StateRegistration.California
	var notes []string
	if !r.Found {
		notes = append(notes, "no list and no filing knows this EIN")
	}
	for _, v := range verdicts {
		if v.Mark != screen.MarkOK {
			notes = append(notes, v.Title+": "+v.Short)
		}
	}
	for _, f := range c.Reliance.Flags {
		if f.Applies != nil && *f.Applies {
			notes = append(notes, cmp.Or(flagNames[f.ID], f.ID))
		}
	}
	bit := func(b *bool, from ...*client.ScreenProvenance) string {
		switch {
		case b != nil:
			return strconv.FormatBool(*b)
		case slices.ContainsFunc(from, func(p *client.ScreenProvenance) bool { return !p.Screened }):
			return screen.NotScreened
		}
		return ""
	}
	status := func(p *client.ScreenProvenance) string {
		if !p.Screened {
			return screen.NotScreened
		}
		return p.Status
	}
	date := func(p *client.ScreenProvenance) string { return frame.Text(p.Revised) }
	bmf, pub78, revocation := &c.BMF.ScreenProvenance, &c.Pub78.ScreenProvenance, &c.Revocation.ScreenProvenance
	return []string{hyphened(r.EIN), frame.Text(r.Organization.OrganizationName), bit(&r.Found), bit(c.InBMF, bmf),
		bit(c.Pub78Verified, pub78), bit(c.Revoked, revocation),
		status(&c.OFACSanctionsScreen.ScreenProvenance), status(&c.IRBScreen.ScreenProvenance),
		status(&california.ScreenProvenance), bit(california.MayOperate, &california.ScreenProvenance), status(&california.FTB),
		bit(c.Reliance.RelianceAvailable, bmf, pub78, revocation), bit(c.Conflict, bmf, pub78),
		date(bmf), date(pub78), date(revocation), date(&c.IRBScreen.ScreenProvenance), date(&c.OFACSanctionsScreen.ScreenProvenance),
		date(&california.ScreenProvenance), date(&california.FTB),
		at.UTC().Format(time.RFC3339), strings.Join(notes, "; ")}
}

func harmlessCSV(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = table.Harmless(cell)
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
