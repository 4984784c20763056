package site

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	unicode16 "golang.org/x/text/encoding/unicode"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/identify"
	"grantgraph/internal/serve/listrun"
	"grantgraph/internal/serve/screen/sheet"
	"grantgraph/internal/serve/site/frame"
)

// listForm bounds the form of a list: a spreadsheet, or one that a page carries in base64.
var listForm = bound{most: 2 << 20, files: true}

const (
	mostSheet = 1 << 20 // bytes of a spreadsheet
	shownAtA  = 100     // members of a list on a page
	mostAsked = 10      // names of which a page asks who is meant

	mostUnread = 50 // unreadable lines that a page shows
)

func (s *Site) routeLists(mux *http.ServeMux) {
	for pattern, serve := range map[string]func(*visit) error{
		"GET /lists": s.showLists, "POST /lists": s.makeList, "GET /lists/add": s.showAdd, "POST /lists/add": s.addSome,
		"GET /lists/{id}": s.showList, "POST /lists/{id}": s.changeList, "POST /lists/{id}/add": s.addSheet, "POST /lists/{id}/remove": s.removeSome,
		"GET /lists/{id}/delete": s.showList, "POST /lists/{id}/delete": s.deleteList, "GET /lists/{id}/names": s.showNames, "POST /lists/{id}/names": s.setNames,
		"POST /lists/{id}/screen": s.screenList, "GET /lists/{id}/{run}": s.showRun, "POST /lists/{id}/{run}/delete": s.deleteRun,
		"GET /lists/{id}/{run}/{file}": s.sendRun,
	} {
		mux.HandleFunc(pattern, s.members(listForm, serve))
	}
}

// listPage is any page of lists; each page uses what it needs.
type listPage struct {
	form
	standing
	Lists   []account.List
	List    account.List
	Members []account.Member
	Before  bool  // this is not the first page of members
	After   int64 // position after which the next page begins; 0 on the last page
	Unnamed bool  // a member on the page has no EIN
	Runs    []runView
	Asked   []askedName
	Delete  bool
	Most    int

	// A spreadsheet that was refused, and what can be done about it.
	Columns []string
	Names   bool   // its names can be added without EINs
	Kept    string // the spreadsheet in base64
	Unread  []unreadLine

	Run     runView
	Results []resultRow
	Part    int
}

type askedName struct {
	account.Member
	Candidates []identify.Candidate
	Verdict    string
}

func (s *Site) listPage(v *visit, title string) *listPage {
	p := &listPage{form: *s.form(v, title), Most: account.MostMembers}
	p.Section, p.SignedIn = "check", true
	return p
}

func (s *Site) ownList(v *visit) (*listPage, error) {
	l, err := s.Accounts.ListByID(v.r.Context(), v.account.ID, v.r.PathValue("id"))
	if err != nil {
		return nil, s.fail(v, err)
	}
	p := s.listPage(v, l.Name)
	p.List = l
	p.standing, err = s.standing(v)
	return p, err
}

func (s *Site) showLists(v *visit) error {
	return s.drawLists(v, s.listPage(v, "Lists"), http.StatusOK)
}

func (s *Site) drawLists(v *visit, p *listPage, status int) (err error) {
	if p.Lists, err = s.Accounts.Lists(v.r.Context(), v.account.ID); err != nil {
		return s.fail(v, err)
	}
	return s.pages.Render(v.w, status, "lists", p)
}

func (s *Site) makeList(v *visit) error {
	l, err := s.Accounts.CreateList(v.r.Context(), v.account.ID, v.field("name"))
	if err != nil {
		p := s.listPage(v, "Lists")
		var status int
		status, p.Problem = s.explain(v, err)
		return s.drawLists(v, p, status)
	}
	v.r.SetPathValue("id", l.ID)
	return s.addSheet(v)
}

func (s *Site) showList(v *visit) error {
	p, err := s.ownList(v)
	if err != nil {
		return err
	}
	p.Delete = strings.HasSuffix(v.r.URL.Path, "/delete")
	if left := s.takeFlash(v); left.Kind == flashList {
		p.Notice = left.Email
	}
	return s.drawList(v, p, http.StatusOK)
}

func (s *Site) drawList(v *visit, p *listPage, status int) error {
	after, _ := strconv.ParseInt(v.r.FormValue("after"), 10, 64)
	members, err := s.Accounts.Members(v.r.Context(), v.account.ID, p.List.ID, max(after, 0), shownAtA+1)
	if err != nil {
		return s.fail(v, err)
	}
	if p.Before = after > 0; len(members) > shownAtA {
		members = members[:shownAtA]
		p.After = members[shownAtA-1].Position
	}
	for i := range members {
		p.Unnamed = p.Unnamed || members[i].EIN == ein.None
		members[i].Name = cmp.Or(members[i].Name, nameOf(v, members[i].EIN))
	}
	p.Members = members
	runs, err := s.Accounts.ListRuns(v.r.Context(), v.account.ID, p.List.ID)
	if err != nil {
		return s.fail(v, err)
	}
	for _, r := range runs {
		p.Runs = append(p.Runs, runView{r, listrun.SummaryOf(r).Counts})
	}
	return s.pages.Render(v.w, status, "list", p)
}

// nameOf is the name of an organization in filings or on a list, or empty.
func nameOf(v *visit, e ein.EIN) string {
	if e == ein.None {
		return ""
	}
	who, _ := subjectOf(frame.DatasetOf(v.r), e)
	return who.Name
}

// changed goes back to the list, with a sentence about what was done.
func (s *Site) changed(v *visit, list, said string) error {
	s.leaveFlash(v, flash{Kind: flashList, Email: said})
	return v.redirect("/lists/" + list)
}

func (s *Site) refused(v *visit, p *listPage, err error) error {
	if p == nil {
		var missing error
		if p, missing = s.ownList(v); missing != nil {
			return missing
		}
	}
	var status int
	status, p.Problem = s.explain(v, err)
	return s.drawList(v, p, status)
}

func (s *Site) changeList(v *visit) error {
	name, keep := v.field("name"), v.field("keep") == "1"
	l, err := s.Accounts.ChangeList(v.r.Context(), v.account.ID, v.r.PathValue("id"), account.ListChange{Name: &name, KeepHistory: &keep})
	if err != nil {
		return s.refused(v, nil, err)
	}
	return s.changed(v, l.ID, "The settings are saved.")
}

func (s *Site) deleteList(v *visit) error {
	if err := s.Accounts.DeleteList(v.r.Context(), v.account.ID, v.r.PathValue("id")); err != nil {
		return s.fail(v, err)
	}
	return v.redirect("/lists")
}

func (s *Site) removeSome(v *visit) error {
	var positions []int64
	for _, text := range v.r.PostForm["at"] {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && len(positions) < shownAtA {
			positions = append(positions, n)
		}
	}
	n, err := s.Accounts.RemoveMembers(v.r.Context(), v.account.ID, v.r.PathValue("id"), positions)
	if err != nil {
		return s.fail(v, err)
	}
	return s.changed(v, v.r.PathValue("id"), "Removed "+howMany(n)+".")
}

func howMany(n int) string { return plural.Count(n, "organization", "organizations") }

// addSheet adds the organizations of a file, or of lines that were pasted, to a list.
func (s *Site) addSheet(v *visit) error {
	p, err := s.ownList(v)
	if err != nil {
		return err
	}
	add, err := s.readSheet(v, p)
	if err != nil {
		return s.refused(v, p, err)
	}
	added, err := s.Accounts.AddMembers(v.r.Context(), v.account.ID, p.List.ID, add)
	if err != nil {
		return s.refused(v, p, err)
	}
	said := "Added " + howMany(len(added)) + "."
	if there := len(add) - len(added); there > 0 {
		said += " The list had " + howMany(there) + " of yours already."
	}
	if len(p.Unread) == 0 {
		return s.changed(v, p.List.ID, said)
	}
	p.List.Members += len(added)
	p.Notice = said
	return s.drawList(v, p, http.StatusOK)
}

// readSheet reads the organizations that were sent. If it is in doubt about the columns, the
// page offers them, and carries the spreadsheet.
func (s *Site) readSheet(v *visit, p *listPage) (add []account.Member, err error) {
	text := []byte(onePerLine(v.field("pasted")))
	if kept, err := base64.StdEncoding.DecodeString(v.field("kept")); err == nil && len(kept) > 0 {
		text = kept
	}
	if v.r.MultipartForm != nil {
		for _, head := range v.r.MultipartForm.File["file"] {
			if head.Size > mostSheet {
				return nil, fault.New("file_too_long", "The file has more than %s", frame.Size(mostSheet))
			}
			if head.Size == 0 {
				continue // no file was chosen
			}
			if text, err = contentOf(head); err != nil {
				return nil, badTable(err)
			}
		}
	}
	if text, err = fromUTF16(text); err != nil {
		return nil, badTable(err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil // a list may begin empty
	}
	read, err := sheet.Survey(bytes.NewReader(text), v.field("column"))
	if sl := slug(err); sl == "no_ein_column" || sl == "which_column" {
		p.Columns, p.Names, p.Kept = read.Columns, read.Named >= 0, base64.StdEncoding.EncodeToString(text)
		if sl == "which_column" {
			return nil, fault.New(sl, "Several columns may have the EINs. Choose the right one below. Nothing was added")
		}
		return nil, fault.New(sl, "We found no column of EINs. Choose it below. Nothing was added")
	}
	if err != nil {
		return nil, badTable(err)
	}
	if read.Count > account.MostMembers {
		return nil, fault.New("too_many_rows", "The sheet has %d rows; a list holds at most %d organizations. Nothing was added", read.Count, account.MostMembers)
	}
	if read.Column < 0 && read.Named < 0 {
		return nil, fault.New("no_name_column", "The sheet has no column of names that we could find. Call the column Name, and send the sheet again")
	}
	rows, err := read.Rows(bytes.NewReader(text))
	for err == nil {
		var row sheet.Row
		if row, err = rows.Next(); err == nil && strings.Trim(row.Text(), " \t,;|\"") != "" {
			add = p.addRow(add, &row)
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, badTable(err)
	}
	return add, nil
}

// onePerLine writes EINs that were pasted side by side one below the other, and returns any other text as it is.
func onePerLine(text string) string {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;|", r) })
	for _, part := range parts {
		if _, err := sheet.Parse(part); err != nil && !sheet.IsEINHeader(part) {
			return text
		}
	}
	return strings.Join(parts, "\n")
}

// addRow adds the organization of a row. A row with something that is no EIN is shown instead.
func (p *listPage) addRow(add []account.Member, row *sheet.Row) []account.Member {
	m := account.Member{Name: strings.Join(strings.Fields(row.Name), " ")}
	if cell := sheet.Clean(row.EIN); cell != "" || m.Name == "" {
		var err error
		if m.EIN, err = sheet.Parse(cell); err != nil {
			if len(p.Unread) < mostUnread {
				p.Unread = append(p.Unread, unreadLine{"line " + strconv.Itoa(row.Line), fault.Clip(cmp.Or(cell, row.Text()), 60)})
			}
			return add
		}
	}
	return append(add, m)
}

// chosen is the organizations with these EINs, each once.
func chosen(v *visit, eins []string) (list []account.Member) {
	for _, text := range eins {
		e, err := ein.Parse(text)
		if err == nil && len(list) < shownAtA && !slices.ContainsFunc(list, func(m account.Member) bool { return m.EIN == e }) {
			list = append(list, account.Member{EIN: e, Name: nameOf(v, e)})
		}
	}
	return list
}

// showAdd asks to which list the organizations of the address are to be added.
func (s *Site) showAdd(v *visit) error {
	p := s.listPage(v, "Add to a list")
	p.Members = chosen(v, strings.Split(v.r.FormValue("ein"), ","))
	var err error
	if p.Lists, err = s.Accounts.Lists(v.r.Context(), v.account.ID); err != nil {
		return s.fail(v, err)
	}
	return s.pages.Render(v.w, http.StatusOK, "list-add", p)
}

func (s *Site) addSome(v *visit) error {
	ctx, to := v.r.Context(), v.field("list")
	if to == "" {
		l, err := s.Accounts.CreateList(ctx, v.account.ID, v.field("name"))
		if err != nil {
			return s.fail(v, err)
		}
		to = l.ID
	}
	added, err := s.Accounts.AddMembers(ctx, v.account.ID, to, chosen(v, v.r.PostForm["ein"]))
	if err != nil {
		return s.fail(v, err)
	}
	return s.changed(v, to, "Added "+howMany(len(added))+".")
}

// showNames asks which organizations the names without an EIN mean. It chooses none by itself.
func (s *Site) showNames(v *visit) error {
	p, err := s.ownList(v)
	if err != nil {
		return err
	}
	set := frame.DatasetOf(v.r)
	if set.Search == nil {
		return frame.Damaged
	}
	after, _ := strconv.ParseInt(v.r.URL.Query().Get("after"), 10, 64)
	members, err := s.Accounts.Members(v.r.Context(), v.account.ID, p.List.ID, max(after, 0), account.MostMembers)
	if err != nil {
		return s.fail(v, err)
	}
	for _, m := range members {
		if m.EIN != ein.None {
			continue
		}
		if len(p.Asked) == mostAsked {
			p.After = p.Asked[mostAsked-1].Position
			break
		}
		a := set.Search.Identify(v.r.Context(), identify.Question{Text: m.Name, Role: identify.Grantee})
		p.Asked = append(p.Asked, askedName{m, a.Candidates, a.Verdict.String()})
	}
	return s.pages.Render(v.w, http.StatusOK, "list-names", p)
}

func (s *Site) setNames(v *visit) error {
	ctx, id := v.r.Context(), v.r.PathValue("id")
	members, err := s.Accounts.Members(ctx, v.account.ID, id, 0, account.MostMembers)
	if err != nil {
		return s.fail(v, err)
	}
	set := 0
	for _, m := range members {
		chosen := v.field("who-" + strconv.FormatInt(m.Position, 10))
		if m.EIN != ein.None || chosen == "" {
			continue
		}
		if m.EIN, err = ein.Parse(chosen); err != nil {
			continue
		}
		if err := s.Accounts.SetMember(ctx, v.account.ID, id, m); err != nil {
			return s.refused(v, nil, err)
		}
		set++
	}
	return s.changed(v, id, "Gave "+howMany(set)+" an EIN.")
}

func (s *Site) desk() *listrun.Desk {
	return &listrun.Desk{Store: s.Accounts, Signer: s.Ring, Base: s.BaseURL, Clock: s.Clock}
}

// screenList begins a screening of a list or continues it, by as many organizations as one
// call screens. The page of the run sends its form again until the end.
func (s *Site) screenList(v *visit) error {
	ctx, id := v.r.Context(), v.r.PathValue("id")
	if !paid(v.account.Plan) {
		return &beyondPlan{"Screening a list needs a paid plan", "Your free account includes one screening of one organization. Nothing was counted."}
	}
	hold, err := s.Budget.Take(ctx, listrun.Weight)
	if err != nil {
		return err
	}
	defer hold.Release()
	set := frame.DatasetOf(v.r)
	if set.Screen.Lost() {
		return frame.Damaged
	}
	next, err := s.desk().Prepare(ctx, v.account.ID, id, v.field("run"))
	if slug(err) == "run_busy" { // another tab or a program screens this part; the page of the run asks again
		hold.Release()
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		return v.redirect("/lists/" + id + "/" + v.field("run"))
	}
	if err != nil {
		return s.refused(v, nil, err)
	}
	if len(next.Members) > 0 {
		err = s.chargeFor(v, notScreened)
	}
	if err == nil {
		data := listrun.Data{Screener: set.Screen, Version: set.Version()}
		if set.Search != nil {
			data.Lookup = set.Search.Lookup
		}
		_, _, err = next.Screen(ctx, data)
		if err != nil && slug(err) != "run_advanced" { // which another tab or a program did
			err = s.failReport(v, err)
		} else {
			return v.redirect("/lists/" + id + "/" + next.Run.ID)
		}
	}
	if undone := next.Abandon(ctx); undone != nil {
		s.Log.Error("a screening that was not made could not be removed", "error", undone)
	}
	return err
}

type runView struct {
	account.ListRun
	Counts client.ListCounts
}

// Done reports whether all members were screened.
func (r runView) Done() bool { return !r.Ended.IsZero() }

func (s *Site) ownRun(v *visit) (*listPage, error) {
	p, err := s.ownList(v)
	if err != nil {
		return nil, err
	}
	r, err := s.Accounts.ListRun(v.r.Context(), v.account.ID, p.List.ID, v.r.PathValue("run"))
	if err != nil {
		return nil, s.fail(v, err)
	}
	p.Run = runView{r, listrun.SummaryOf(r).Counts}
	return p, nil
}

type resultRow struct {
	EIN, Name, Outcome string
	Findings           []string
}

func (s *Site) showRun(v *visit) error {
	p, err := s.ownRun(v)
	if err != nil {
		return err
	}
	hold, err := s.Budget.Take(v.r.Context(), listrun.Weight)
	if err != nil {
		return err
	}
	defer hold.Release()
	p.Part, _ = strconv.Atoi(v.r.FormValue("part"))
	if p.Part = min(max(p.Part, 0), p.Run.Parts-1); p.Part >= 0 {
		results, err := s.desk().Part(v.r.Context(), v.account.ID, p.List.ID, p.Run.ID, p.Part)
		if err != nil {
			return s.fail(v, err)
		}
		for i := range results {
			row, err := rowOf(&results[i])
			if err != nil {
				return err
			}
			p.Results = append(p.Results, row)
		}
	}
	return s.pages.Render(v.w, http.StatusOK, "list-run", p)
}

func (s *Site) deleteRun(v *visit) error {
	if err := s.Accounts.DeleteListRun(v.r.Context(), v.account.ID, v.r.PathValue("id"), v.r.PathValue("run")); err != nil {
		return s.fail(v, err)
	}
	return s.changed(v, v.r.PathValue("id"), "The screening and its reports are deleted.")
}

type unreadLine struct {
	Where string
	Text  string
}

// fromUTF16 decodes a file that says that it is in UTF-16, and returns any other as it is.
func fromUTF16(file []byte) ([]byte, error) {
	if bytes.HasPrefix(file, []byte("\xff\xfe")) || bytes.HasPrefix(file, []byte("\xfe\xff")) {
		return unicode16.UTF16(unicode16.BigEndian, unicode16.UseBOM).NewDecoder().Bytes(file)
	}
	return file, nil
}

func badTable(err error) error {
	return fault.New("bad_table", "We cannot read the file as a table: %w", err).Try("save it as CSV")
}
