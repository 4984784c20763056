package site

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
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
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/snippet"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/manual"
	"grantgraph/internal/serve/site/result"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/warehouse"
)

// mostSQL is the longest query that the page takes: the limit of the SQL gate.
const mostSQL = 64 << 10

// sqlForm bounds the form of a query. A byte may become three in its encoding.
var sqlForm = bound{most: 3*mostSQL + 16<<10}

// sqlTimeout is long enough for a query to wait for the gate and a worker and then run for its full time, as in the API.
const sqlTimeout = 55 * time.Second

// routeSQL adds the SQL page. A query costs a call, so only a form runs it; a link fills in the editor.
func (s *Site) routeSQL(mux *http.ServeMux) {
	mux.HandleFunc("GET /sql", s.frame.Handle(s.serveSQL))
	mux.HandleFunc("GET /sql/{slug}", s.frame.Handle(s.serveSQL))
	mux.HandleFunc("POST /sql", s.frame.Handle(s.runSQL))
	mux.HandleFunc("GET "+schemaPath, serveSchema)
}

// sqlPage is the page to write and run SQL. The server draws all of it from the
// definition of the tables. Scripts help with writing a query and save a reload.
type sqlPage struct {
	frame.Head
	Token     string // of the form of a member
	Dialect   string
	Schema    string // address of the tables for the editor
	Tables    int
	Groups    []warehouse.TableGroup
	Functions []template.HTML // that this service adds to DuckDB's, described
	Rules     []string
	Starters  []warehouse.Query
	Gallery   []warehouse.Query
	Brief     bool // for the script

	Statement string
	Saved     *warehouse.Query // example of the gallery that is open
	View      string
	Member    bool // is signed in
	Paid      bool // the plan covers SQL
	Plan      string
	Left      *account.Balance
	Per       string

	Refused *refusedQuery
	Result  *result.Table
	Elapsed string
}

type refusedQuery struct{ Message, Hint string }

const starters = 4

func (s *Site) sqlPage(v *visit) *sqlPage {
	schema := warehouse.Describe()
	page := &sqlPage{Head: s.frame.Head(v.r, "Ask in SQL"), Dialect: schema.Dialect, Schema: schemaPath + "?v=" + schemaFile.tag, Tables: len(schema.Tables),
		Rules: schema.Rules, Groups: schema.Groups(),
		Gallery: warehouse.Gallery(), Starters: warehouse.Gallery()[:starters], Statement: warehouse.Gallery()[0].SQL}
	page.Section, page.Styles, page.Scripts = "sql", []string{"sql.css"}, []string{"sqleditor.js", "sql.js"}
	page.Description = "Query grants, returns, organizations and compliance lists in SQL, with every table and column described."
	for _, f := range schema.Functions {
		page.Functions = append(page.Functions, manual.Prose(f.Meaning))
	}
	page.SignedIn = v.session != ""
	if page.SignedIn {
		page.Token, page.Member, page.Paid = s.token(v), true, paid(v.account.Plan)
		page.Plan = s.planCard(frame.DatasetOf(v.r), v.account.Plan).Name
		page.Per = period(s.window(v.account.Plan))
	}
	return page
}

// AsLink is the address that opens the query in the editor.
func (p *sqlPage) AsLink(sql string) string { return "/sql?q=" + url.QueryEscape(sql) }

// Curl is the API call that runs the query.
func (p *sqlPage) Curl() string {
	body, _ := api.EncodeJSON(map[string]string{"sql": p.Statement}) // a text always encodes
	return snippet.Curl(p.BaseURL+"/api/v1/sql", string(body))
}

// serveSQL shows the editor, filled with the query of the address or an example.
func (s *Site) serveSQL(w http.ResponseWriter, r *http.Request) error {
	v, err := s.member(w, r)
	if err != nil {
		return err
	}
	page := s.sqlPage(v)
	page.Canonical = "/sql"
	if slug := r.PathValue("slug"); slug != "" {
		saved, ok := warehouse.InGallery(slug)
		if !ok {
			return frame.Missing
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
				return s.fail(v, err)
			}
			page.Left = &left
		}
	} else {
		w.Header().Set("Cache-Control", "private, max-age=60")
	}
	return s.pages.Render(w, http.StatusOK, "sql", page)
}

// buyer pays for a query: an account or a key.
type buyer struct {
	id     string // the one that is charged
	owner  string // the one whose concurrent queries are counted
	pro    bool
	window account.Window
}

// runSQL runs a query for a member, or for the key in the form. A query that is
// refused before it runs costs nothing, as in the API.
func (s *Site) runSQL(w http.ResponseWriter, r *http.Request) error {
	keepPrivate(w)
	v, err := s.member(w, r)
	if err != nil {
		return err
	}
	defer v.release()
	if err = s.readForm(v, sqlForm); err == nil && v.session != "" {
		err = s.checkToken(v)
	}
	if err != nil {
		return err
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
		return s.refuseSQL(v, page, err)
	}
	if as := v.field("as"); as != "" {
		return s.sendResult(v, as, found, page.Statement)
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
		return err
	}
	page.Elapsed = seconds(found.Elapsed)
	return s.pages.Render(w, http.StatusOK, "sql", page)
}

// querySQL takes a query through the steps of the API in the same order. Refusals
// before the charge cost nothing.
func (s *Site) querySQL(ctx context.Context, v *visit, page *sqlPage) (_ *sqlbox.Result, release func(), err error) {
	release = func() {}
	who, err := s.buyer(ctx, v, page)
	if err != nil {
		return nil, release, err
	}
	page.Per = period(who.window)
	set := frame.DatasetOf(v.r)
	switch {
	case strings.TrimSpace(page.Statement) == "":
		return nil, release, fault.New(sqlbox.Rejected, "There is no query.").Try("write one, or take one of the gallery")
	case set.SQL == nil:
		return nil, release, fault.New(sqlbox.Unavailable, "SQL is not available on this server right now.").Try("the other pages work meanwhile")
	}
	// Parsing a query takes CPU time, too.
	if left, err := s.Accounts.Balance(ctx, who.id); err == nil && left.Remaining < 1 {
		if _, err := s.Accounts.Charge(ctx, who.id, 1); err != nil {
			return nil, release, err
		}
	}
	q := sqlbox.Request{SQL: page.Statement, Pro: who.pro, Owner: who.owner, Place: new(sqlbox.Place)}
	if err := set.SQL.Check(ctx, q); err != nil {
		if slug(err) == sqlbox.TooComplex { // even if the visitor has left
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

// buyer finds who pays: the account if its plan covers SQL, else the key in the form.
func (s *Site) buyer(ctx context.Context, v *visit, page *sqlPage) (buyer, error) {
	if page.Paid {
		return buyer{id: v.account.ID, owner: v.account.ID, pro: v.account.Plan.Terms().Scopes&account.ProScope != 0, window: s.window(v.account.Plan)}, nil
	}
	secret := strings.TrimSpace(v.field("key"))
	switch {
	case secret == "" && page.Member:
		return buyer{}, fault.New("plan_required", "Your plan does not include SQL.").Try(
			"put a key of a paid plan into the field, or move to the Plus or Pro plan: see /plans")
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

// mostKey is longer than any key, in bytes.
const mostKey = 200

// sqlStatus has the status of each refusal, as in the API. Other refusals are 400.
var sqlStatus = map[string]int{
	"no_key": http.StatusForbidden, "unknown_key": http.StatusForbidden, "account_inactive": http.StatusForbidden, sqlbox.ProTable: http.StatusForbidden,
	"plan_required": http.StatusPaymentRequired, "quota_exhausted": http.StatusPaymentRequired, sqlbox.Concurrent: http.StatusTooManyRequests,
	sqlbox.Busy: http.StatusServiceUnavailable, sqlbox.Unavailable: http.StatusServiceUnavailable, "store_unavailable": http.StatusServiceUnavailable,
	budget.Busy: http.StatusServiceUnavailable,
}

// refuseSQL shows why there is no result. Internal errors go to the log.
func (s *Site) refuseSQL(v *visit, page *sqlPage, err error) error {
	f, ok := fault.Of(err)
	switch {
	case v.r.Context().Err() != nil:
		return nil // the visitor has left
	case !ok && errors.Is(err, context.DeadlineExceeded):
		f = fault.New(sqlbox.Busy, "The query waited too long.").Try("run it again in a few seconds")
	case !ok:
		return err
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
	return s.pages.Render(v.w, status, "sql", page)
}

func (s *Site) sendResult(v *visit, as string, found *sqlbox.Result, sql string) error {
	name := "grantgraph-query-" + frame.Date(s.Clock())
	var err error
	switch as {
	case "csv":
		v.attach(name, as)
		err = result.CSV(v.w, found)
	default:
		v.attach(name, "xlsx")
		err = result.Workbook(v.w, found, foreign(sql))
	}
	return s.written(v, err)
}

// ofUK finds a table of the register of England and Wales, whose amounts are in
// pounds.
var ofUK = regexp.MustCompile(`(?i)\buk_[a-z]`)

// foreign reports whether a query may have amounts in another currency.
func foreign(sql string) bool { return ofUK.MatchString(sql) }

func seconds(d time.Duration) string {
	if d < time.Second {
		return money.Grouped(d.Milliseconds()) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

const schemaPath = "/sql/schema.json"

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

// schemaFile is editorSchema as JSON, with a name made from its content.
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
		panic(fmt.Sprint("the schema of the editor: ", err)) // strings always encode
	}
	sum := sha256.Sum256(file.body)
	file.tag = hex.EncodeToString(sum[:8])
	return file
}()

// serveSchema sends the schema, cached forever under the name of its content.
func serveSchema(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("ETag", `"`+schemaFile.tag+`"`)
	h.Set("Cache-Control", "public, max-age=3600")
	if r.URL.Query().Get("v") == schemaFile.tag {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(schemaFile.body))
}
