package site

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/money"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/result"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/warehouse"
)

// mostSQL is the longest query that the page takes, in bytes: as much as the gate
// reads.
const mostSQL = 64 << 10

// sqlForm bounds the form of a query, in which a byte may become three.
var sqlForm = bound{most: 3*mostSQL + 16<<10}

// sqlTimeout leaves a query its full time after it has waited to be read and for a
// worker, as the API does.
const sqlTimeout = 55 * time.Second

// routeSQL adds the page of queries. A query spends, so it is only ever run by a
// form; its address fills in the editor and no more.
func (s *Site) routeSQL(mux *http.ServeMux) {
	mux.HandleFunc("GET /sql", s.serveSQL)
	mux.HandleFunc("GET /sql/{slug}", s.serveSQL)
	mux.HandleFunc("POST /sql", s.holding(sqlForm, s.runSQL))
	mux.HandleFunc("GET "+schemaPath, serveSchema)
}

// sqlPage is the workbench for queries of one's own. All of it is drawn on the
// server, from the definition that the tables are made from; scripts make writing
// a query easier and spare a reload.
type sqlPage struct {
	frame.Head
	Token     string // of the form of a member
	Dialect   string
	Schema    string // address of the tables for the editor
	Tables    int
	Groups    []tableGroup
	Functions []function
	Rules     []string
	Starters  []warehouse.Query
	Gallery   []warehouse.Query
	Brief     bool // for the script, which has the rest

	Statement string
	Saved     *warehouse.Query // of the gallery, that is opened
	View      string
	Member    bool // is signed in
	Paid      bool // on a plan that covers SQL
	Plan      string
	Left      *account.Balance
	Per       string

	Refused *refusedQuery
	Result  *result.Table
	Elapsed string
}

// refusedQuery says why there is no result.
type refusedQuery struct{ Message, Hint string }

// tableGroup is a run of tables that belong together.
type tableGroup struct {
	Name   string
	Tables []warehouse.View
}

// function is one beyond the dialect, its description ready to be drawn.
type function struct {
	Name    string
	Meaning []phrase
}

// phrase is a piece of prose or of code.
type phrase struct {
	Text string
	Code bool
}

// phrases splits prose at its backticks. What stands after one that is never
// closed is prose.
func phrases(s string) (list []phrase) {
	parts := strings.Split(s, "`")
	for i, text := range parts {
		if text != "" {
			list = append(list, phrase{Text: text, Code: i%2 == 1 && i < len(parts)-1})
		}
	}
	return list
}

// starters is how many queries of the gallery are offered beside the editor.
const starters = 4

// sqlPage begins the page for a visitor.
func (s *Site) sqlPage(v *visit) *sqlPage {
	schema := warehouse.Describe()
	page := &sqlPage{Head: s.frame.Head(v.r, "Ask in SQL"), Dialect: schema.Dialect, Schema: schemaAddress(), Tables: len(schema.Tables), Rules: schema.Rules,
		Gallery: warehouse.Gallery(), Starters: warehouse.Gallery()[:starters], Statement: warehouse.Gallery()[0].SQL}
	page.Section, page.Styles, page.Scripts = "sql", []string{"sql.css"}, []string{"sqleditor.js", "sql.js"}
	page.Description = "Query grants, returns, organizations and compliance lists in SQL, with every table and column described."
	for _, t := range schema.Tables {
		if n := len(page.Groups); n == 0 || page.Groups[n-1].Name != t.Group {
			page.Groups = append(page.Groups, tableGroup{Name: t.Group})
		}
		g := &page.Groups[len(page.Groups)-1]
		g.Tables = append(g.Tables, t)
	}
	for _, f := range schema.Functions {
		page.Functions = append(page.Functions, function{f.Name, phrases(f.Meaning)})
	}
	page.SignedIn = v.session != ""
	if page.SignedIn {
		page.Token, page.Member, page.Paid = s.token(v), true, paid(v.account.Plan)
		page.Plan = s.planCard(frame.DatasetOf(v.r), v.account.Plan).Name
		page.per(s.window(v.account.Plan))
	}
	return page
}

// per says what an allowance is for.
func (p *sqlPage) per(w account.Window) {
	p.Per = "today"
	if w == account.Month {
		p.Per = "this month"
	}
}

// AsLink is the address that opens a query in the editor.
func (p *sqlPage) AsLink(sql string) string { return "/sql?q=" + url.QueryEscape(sql) }

// Curl is the call of the API that runs the query.
func (p *sqlPage) Curl() string {
	var body strings.Builder
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]string{"sql": p.Statement}); err != nil {
		return "" // a text always can be
	}
	return "curl -H 'X-API-Key: YOUR_KEY' -H 'Content-Type: application/json' \\\n  -d '" +
		strings.ReplaceAll(strings.TrimSpace(body.String()), "'", `'\''`) + "' \\\n  '" + p.BaseURL + "/api/v1/sql'"
}

// serveSQL shows the editor, with the query of the address or of the gallery in it.
func (s *Site) serveSQL(w http.ResponseWriter, r *http.Request) {
	v, ok := s.member(w, r)
	if !ok {
		return
	}
	page := s.sqlPage(v)
	page.Canonical = "/sql"
	if slug := r.PathValue("slug"); slug != "" {
		saved, ok := warehouse.InGallery(slug)
		if !ok {
			s.frame.Missing(w, r)
			return
		}
		page.Saved, page.Statement, page.View = saved, saved.SQL, saved.View
		page.Title, page.Description, page.Canonical = saved.Title, saved.About, "/sql/"+slug
	}
	asked := r.URL.Query() // the address is bounded
	if q := asked.Get("q"); q != "" {
		page.Statement = strings.ToValidUTF8(strings.ReplaceAll(q, "\x00", ""), "\uFFFD")
	}
	if view := asked.Get("view"); slices.Contains(result.ViewNames, view) {
		page.View = view
	}
	if page.Member {
		keepPrivate(w)
		if page.Paid {
			left, err := s.Accounts.Balance(r.Context(), v.account.ID)
			if err != nil {
				s.fail(v, err)
				return
			}
			page.Left = &left
		}
	} else {
		w.Header().Set("Cache-Control", "private, max-age=60")
	}
	s.pages.Render(w, http.StatusOK, "sql", page)
}

// buyer is who pays for a query: an account, or a key.
type buyer struct {
	id     string // charged
	owner  string // whose queries are counted
	pro    bool
	window account.Window
}

// runSQL runs a query for whoever is signed in, or for the key in the form. What
// is refused before it runs costs nothing, as in the API.
func (s *Site) runSQL(w http.ResponseWriter, r *http.Request) {
	keepPrivate(w)
	v, ok := s.member(w, r)
	if !ok || !s.readForm(v, sqlForm) || v.session != "" && !s.checkToken(v) {
		return
	}
	page := s.sqlPage(v)
	page.Statement, page.Brief = v.field("q"), v.field("brief") != ""
	if view := v.field("view"); slices.Contains(result.ViewNames, view) {
		page.View = view
	}
	if saved, ok := warehouse.InGallery(v.field("saved")); ok && saved.SQL == page.Statement {
		page.Saved = saved
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), sqlTimeout)
	defer cancel()
	found, release, err := s.querySQL(ctx, v, page)
	defer release()
	if err != nil {
		s.refuseSQL(v, page, err)
		return
	}
	if as := v.field("as"); as != "" {
		s.sendResult(v, as, found, page.Statement)
		return
	}
	set := frame.DatasetOf(v.r)
	page.Result, err = result.New(found, result.Options{View: page.View, Foreign: foreign(page.Statement), Known: func(e ein.EIN) (string, bool) {
		if set.Search == nil {
			return "", false
		}
		org, ok := set.Search.Lookup(e)
		if !ok {
			return "", false
		}
		return "/org/" + e.String() + "/" + search.Slug(org.Name), true
	}})
	if err != nil {
		s.frame.Broken(w, v.r, err)
		return
	}
	page.Elapsed = seconds(found.Elapsed)
	s.pages.Render(w, http.StatusOK, "sql", page)
}

// querySQL takes a query through its steps, in the order of the API: what is
// refused before the charge costs nothing.
func (s *Site) querySQL(ctx context.Context, v *visit, page *sqlPage) (_ *sqlbox.Result, release func(), err error) {
	release = func() {}
	who, err := s.buyer(ctx, v, page)
	if err != nil {
		return nil, release, err
	}
	page.per(who.window)
	set := frame.DatasetOf(v.r)
	switch {
	case strings.TrimSpace(page.Statement) == "":
		return nil, release, fault.New(sqlbox.Rejected, "There is no query.").Try("write one, or take one of the gallery")
	case set.SQL == nil:
		return nil, release, fault.New(sqlbox.Unavailable, "This server runs no SQL at the moment.").Try("the other pages work meanwhile")
	}
	// To read a query takes time of the machine too.
	if left, err := s.Accounts.Balance(ctx, who.id); err == nil && left.Remaining < 1 {
		if _, err := s.Accounts.Charge(ctx, who.id, 1); err != nil {
			return nil, release, err
		}
	}
	q := sqlbox.Request{SQL: page.Statement, Pro: who.pro, Owner: who.owner, Place: new(sqlbox.Place)}
	if err := set.SQL.Check(ctx, q); err != nil {
		if slug(err) == sqlbox.TooComplex { // also when the visitor has left
			left, unpaid := s.Accounts.Charge(context.WithoutCancel(ctx), who.id, 1)
			if unpaid != nil {
				return nil, release, unpaid
			}
			page.Left = &left
		}
		return nil, release, err
	}
	hold, err := s.Budget.Take(ctx, sqlbox.Held+result.Weight)
	if err != nil {
		return nil, release, err
	}
	left, err := s.Accounts.Charge(ctx, who.id, 1)
	if err != nil {
		hold.Release()
		return nil, release, err
	}
	page.Left = &left
	found, err := set.SQL.Run(ctx, q)
	if err != nil {
		hold.Release()
		return nil, release, err
	}
	return found, hold.Release, nil
}

// buyer finds who pays: the account where its plan covers SQL, and the key of the
// form otherwise.
func (s *Site) buyer(ctx context.Context, v *visit, page *sqlPage) (buyer, error) {
	if page.Paid {
		return buyer{id: v.account.ID, owner: v.account.ID, pro: v.account.Plan.Terms().Scopes&account.ProScope != 0, window: s.window(v.account.Plan)}, nil
	}
	secret := strings.TrimSpace(v.field("key"))
	switch {
	case secret == "" && page.Member:
		return buyer{}, fault.New("plan_required", "Your plan does not include SQL.").Try(
			"put a key of a paid plan into the field, or ask whoever runs this service to move your account to Plus or Pro")
	case secret == "":
		return buyer{}, fault.New("no_key", "A key is needed.").Try("sign in, or put the key of a paid plan into the field; it starts with gg_")
	case len(secret) > mostKey:
		return buyer{}, fault.New("unknown_key", "That is not a key.").Try("a key has letters, digits and underscores, and starts with gg_")
	}
	key, err := s.Accounts.Authenticate(ctx, secret)
	if err == nil {
		err = key.Require(account.Paid)
	}
	if err != nil {
		return buyer{}, err
	}
	return buyer{id: key.ID, owner: cmp.Or(key.Account, key.ID), pro: key.Require(account.ProScope) == nil, window: s.window(key.Plan)}, nil
}

// mostKey is more than a key has, in bytes.
const mostKey = 200

// sqlStatus is the status of a refusal, as the API has it; others are 400.
var sqlStatus = map[string]int{
	"no_key": http.StatusForbidden, "unknown_key": http.StatusForbidden, "account_inactive": http.StatusForbidden, sqlbox.ProTable: http.StatusForbidden,
	"plan_required": http.StatusPaymentRequired, "quota_exhausted": http.StatusPaymentRequired, sqlbox.Concurrent: http.StatusTooManyRequests,
	sqlbox.Busy: http.StatusServiceUnavailable, sqlbox.Unavailable: http.StatusServiceUnavailable, "store_unavailable": http.StatusServiceUnavailable,
	budget.Busy: http.StatusServiceUnavailable,
}

// refuseSQL says on the page why there is no result. What is not meant for people
// is logged and said in general.
func (s *Site) refuseSQL(v *visit, page *sqlPage, err error) {
	if v.r.Context().Err() != nil {
		return // nobody is there to read it
	}
	f, ok := fault.Of(err)
	if !ok {
		if errors.Is(err, context.DeadlineExceeded) {
			f = fault.New(sqlbox.Busy, "The query waited too long.").Try("run it again in a few seconds")
		} else {
			s.frame.Broken(v.w, v.r, err)
			return
		}
	}
	status := cmp.Or(sqlStatus[f.Slug], http.StatusBadRequest)
	var wait *account.WaitError
	switch {
	case errors.As(err, &wait):
		v.w.Header().Set("Retry-After", strconv.Itoa(account.Seconds(wait.Wait)))
	case status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests:
		v.w.Header().Set("Retry-After", strconv.Itoa(sqlbox.RetryAfter))
	}
	page.Refused = &refusedQuery{Message: sentence(f.Message)}
	if f.Hint != "" {
		page.Refused.Hint = "Try: " + f.Hint
	}
	s.pages.Render(v.w, status, "sql", page)
}

// sendResult sends all that was found as a file.
func (s *Site) sendResult(v *visit, as string, found *sqlbox.Result, sql string) {
	h := v.w.Header()
	name := "grantgraph-query-" + frame.Date(s.Clock())
	var err error
	switch as {
	case "csv":
		h.Set("Content-Type", "text/csv; charset=utf-8")
		h.Set("Content-Disposition", `attachment; filename="`+name+`.csv"`)
		err = result.CSV(v.w, found)
	default:
		h.Set("Content-Type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
		h.Set("Content-Disposition", `attachment; filename="`+name+`.xlsx"`)
		err = result.Workbook(v.w, found, foreign(sql))
	}
	if err != nil {
		if v.r.Context().Err() == nil {
			s.Log.Error("writing the result of a query", "error", err)
		}
		panic(http.ErrAbortHandler) // what ends too early must not look whole
	}
}

// ofUK finds a table of the register of England and Wales, whose amounts are
// pounds.
var ofUK = regexp.MustCompile(`(?i)\buk_[a-z]`)

// foreign says whether amounts of a query may be of another currency.
func foreign(sql string) bool { return ofUK.MatchString(sql) }

// seconds writes how long a query ran.
func seconds(d time.Duration) string {
	if d < time.Second {
		return money.Grouped(d.Milliseconds()) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// schemaPath is where the editor finds the names of tables, columns and functions.
const schemaPath = "/sql/schema.json"

// editorSchema is what the editor completes from.
type editorSchema struct {
	Tables    []editorTable `json:"tables"`
	Functions []string      `json:"functions"`
}

type editorTable struct {
	Name    string      `json:"name"`
	Meaning string      `json:"meaning"`
	Pro     bool        `json:"pro,omitempty"`
	Columns [][2]string `json:"columns"` // name and type
}

// schemaFile is the file of the editor, with a name for its content.
var schemaFile = func() (file struct {
	body []byte
	tag  string
}) {
	s := editorSchema{Functions: sqlbox.Functions()}
	for _, v := range warehouse.Views() {
		t := editorTable{Name: v.Name, Meaning: v.Meaning, Pro: v.Pro}
		for _, c := range v.Columns {
			t.Columns = append(t.Columns, [2]string{c.Name, c.Type})
		}
		s.Tables = append(s.Tables, t)
	}
	var err error
	if file.body, err = json.Marshal(s); err != nil {
		panic(fmt.Sprint("the schema of the editor: ", err)) // it is texts
	}
	sum := sha256.Sum256(file.body)
	file.tag = hex.EncodeToString(sum[:8])
	return file
}()

func schemaAddress() string { return schemaPath + "?v=" + schemaFile.tag }

// serveSchema sends it. Asked for by the name of its content, it may be kept for
// good.
func serveSchema(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("ETag", `"`+schemaFile.tag+`"`)
	h.Set("Cache-Control", "public, max-age=3600")
	if r.URL.Query().Get("v") == schemaFile.tag {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Header.Get("If-None-Match") == `"`+schemaFile.tag+`"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(schemaFile.body)))
	_, _ = w.Write(schemaFile.body)
}
