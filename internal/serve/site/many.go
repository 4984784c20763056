package site

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	unicode16 "golang.org/x/text/encoding/unicode"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/screen/sheet"
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

func (s *Site) screenMany(v *visit) error {
	hold, err := s.Budget.Take(v.r.Context(), weightMany)
	if err != nil {
		return err
	}
	defer hold.Release()
	set := frame.DatasetOf(v.r)
	if set.Screen.Lost() {
		return frame.Damaged
	}
	list, err := readMany(v.r)
	if err == nil && list.over > 0 {
		err = fault.New("too_many_eins", "There are more than %d EINs; send at most that many at a time", mostEINs)
	}
	if err == nil && len(list.eins) == 0 {
		err = fault.New("no_eins", "We found no EIN in what you sent")
	}
	if err != nil {
		f, _ := fault.Of(err)
		page, err := s.checkPage(v)
		if err != nil {
			return err
		}
		page.Problem, page.Pasted = sentence(f.Message)+" Nothing was counted.", v.field("eins")
		if list != nil {
			page.Refused = list.unread
		}
		return s.pages.Render(v.w, http.StatusUnprocessableEntity, "check", page)
	}
	if !paid(v.account.Plan) {
		return &beyondPlan{"Screening several at once needs a paid plan", "Your free account has one screening of one organization. Nothing was counted."}
	}
	if err := s.chargeFor(v, notScreened); err != nil {
		return err
	}
	at := s.Clock()
	page := &manyPage{Unread: list.unread, More: list.more, Repeated: list.repeated, At: at, Caveat: liveIndex, File: "screening-" + frame.Date(at) + ".csv"}
	table := [][]string{manyColumns}
	for _, e := range list.eins {
		if err := v.r.Context().Err(); err != nil {
			return err // the visitor has left
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
		return s.fail(v, err)
	}
	page.CSV = dataURL("text/csv;charset=utf-8", text)
	if page.standing, err = s.standing(v); err != nil {
		return err
	}
	page.form = *s.form(v, "Several organizations, screened")
	return s.pages.Render(v.w, http.StatusOK, "many", page)
}

// readMany reads the EINs of the form: those of the field, then those of the file.
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

// mostEINs is how many EINs are screened at a time, as in the API.
const mostEINs = 100

// einList is a list of EINs that somebody pasted or uploaded: each EIN once, in
// order, and the lines that could not be read. It stops counting at a length that
// is refused anyway.
type einList struct {
	eins     []ein.EIN
	repeated int // repeated EINs
	unread   []unreadLine
	more     int // unreadable lines beyond those kept
	over     int // EINs beyond those kept
	seen     map[ein.EIN]bool
}

type unreadLine struct {
	Where string
	Text  string
}

const mostUnread = 50 // shown to the visitor who sent them

func (l *einList) add(e ein.EIN) {
	switch {
	case l.seen[e]:
		l.repeated++
	case len(l.eins) == mostEINs:
		l.over++
	default:
		if l.seen == nil {
			l.seen = map[ein.EIN]bool{}
		}
		l.seen[e] = true
		l.eins = append(l.eins, e)
	}
}

func (l *einList) refuse(where, text string) {
	if len(l.unread) == mostUnread {
		l.more++
		return
	}
	l.unread = append(l.unread, unreadLine{where, fault.Clip(strings.Join(strings.Fields(text), " "), 60)})
}

// readText reads EINs that were typed or pasted. A line may hold several EINs,
// separated by commas, semicolons or tabs. Words beside them, such as names, are
// skipped.
func (l *einList) readText(text string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
		if line == "" || n == 1 && sheet.IsEINHeader(line) {
			continue
		}
		where := "line " + strconv.Itoa(n)
		found, odd := 0, ""
		for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(",;\t|", r) }) {
			part = strings.Trim(part, "\"' ")
			eins, ok := einsIn(part)
			for _, e := range eins {
				found++
				l.add(e)
			}
			if !ok && strings.ContainsAny(part, "0123456789") {
				odd = part
			}
		}
		if odd != "" {
			l.refuse(where, odd)
		} else if found == 0 {
			l.refuse(where, line)
		}
	}
}

// einsIn reads one EIN in any form, or several separated by spaces.
func einsIn(s string) (list []ein.EIN, ok bool) {
	if e, err := ein.Parse(s); err == nil {
		return []ein.EIN{e}, true
	}
	for _, part := range strings.Fields(s) {
		e, err := ein.Parse(part)
		if err != nil {
			return nil, false
		}
		list = append(list, e)
	}
	return list, len(list) > 0
}

// readCSV reads the EINs of a file from a spreadsheet, with any usual delimiter,
// with or without a header, in UTF-8 or UTF-16. The column of EINs is found by its
// name, or else by its content.
func (l *einList) readCSV(file []byte) error {
	if bytes.HasPrefix(file, []byte("\xff\xfe")) || bytes.HasPrefix(file, []byte("\xfe\xff")) {
		var err error
		if file, err = unicode16.UTF16(unicode16.BigEndian, unicode16.UseBOM).NewDecoder().Bytes(file); err != nil {
			return badTable(err)
		}
	}
	s, err := sheet.Survey(bytes.NewReader(file), "")
	switch slug(err) {
	case "":
		if err != nil {
			return badTable(err)
		}
	case "no_ein_column", "sheet_empty":
		return fault.New("no_ein_column", "We found no column of EINs in the file.").Try("name the column EIN")
	case "which_column":
		return fault.New("no_ein_column", "Several columns of the file could hold the EINs.").Try("name the column EIN")
	default:
		return badTable(err)
	}
	rows, err := s.Rows(bytes.NewReader(file))
	for err == nil {
		var row sheet.Row
		if row, err = rows.Next(); err == nil && strings.Trim(row.Text(), " \t,;|\"") != "" {
			l.addCell(&row)
		}
	}
	if !errors.Is(err, io.EOF) {
		return badTable(err)
	}
	return nil
}

func (l *einList) addCell(row *sheet.Row) {
	where, cell := "line "+strconv.Itoa(row.Line), sheet.Clean(row.EIN)
	e, err := sheet.Parse(cell)
	switch {
	case err == nil:
		l.add(e)
	case cell == "":
		l.refuse(where, "no EIN: "+row.Text())
	default:
		l.refuse(where, cell)
	}
}

func badTable(err error) error {
	return fault.New("bad_table", "We cannot read the file as a table: %w", err).Try("save it as CSV")
}
