package site

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/each"
	"grantgraph/internal/money"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/site/find"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/mail"
	"grantgraph/internal/serve/site/operator"
	"grantgraph/internal/snapshot"
)

func (s *Site) routeAccount(mux *http.ServeMux) {
	mux.HandleFunc("GET /account", s.members(plainForm, func(v *visit) error { return s.drawAccount(v, nil) }))
	mux.HandleFunc("POST /account/keys", s.members(plainForm, s.makeKey))
	mux.HandleFunc("GET /account/keys/{id}/rotate", s.members(plainForm, s.askFirst("rotate", "Rotate this key?")))
	mux.HandleFunc("POST /account/keys/{id}/rotate", s.members(plainForm, s.rotate))
	mux.HandleFunc("GET /account/keys/{id}/delete", s.members(plainForm, s.askFirst("delete", "Delete this key?")))
	mux.HandleFunc("POST /account/keys/{id}/delete", s.members(plainForm, s.deleteKey))
	mux.HandleFunc("GET /account/password", s.members(plainForm, s.showPassword))
	mux.HandleFunc("POST /account/password", s.members(plainForm, s.changePassword))
	mux.HandleFunc("GET /account/data", s.members(plainForm, s.showAccountData))
	mux.HandleFunc("POST /account/export", s.members(plainForm, s.confirmed(s.exportAccount)))
	mux.HandleFunc("POST /account/erase", s.members(plainForm, s.confirmed(s.eraseAccount)))
	mux.HandleFunc("GET /account/erased", s.showForm("erased", "Your account has been erased"))
}

type accountPage struct {
	form
	Account  account.Account
	Plan     planCard
	Balance  account.Balance
	Window   account.Window
	Usage    usage
	Keys     []account.KeyInfo
	Made     flash // a new key, shown only once
	Examples find.Examples
}

type planCard struct {
	Plan      account.Plan
	Name      string
	Allowance string
	Covers    []string
	Lacks     []string
}

// features are the parts of the service that plans open, listed where this server has them.
var features = []struct {
	scope   account.Scope
	text    string
	offered func(*dataset.Dataset) bool
}{
	{account.Grants, "The grant graph: grants, funders, recipients and summaries", func(*dataset.Dataset) bool { return true }},
	{account.Paid, "Screening against the compliance lists, with signed reports",
		func(d *dataset.Dataset) bool { return d.Lists != nil && d.Lists.Edition != nil }},
	{account.Paid, "Organization profiles, and lists of organizations by filters",
		func(d *dataset.Dataset) bool { return d.Profiles != nil && d.Directory != nil }},
	{account.Paid, "SQL over the whole dataset", func(d *dataset.Dataset) bool { return d.SQL != nil }},
	{account.ProScope, "Government funding", holding(snapshot.GovAwards)},
	{account.ProScope, "People, shared boards, families of organizations and investments",
		holding(snapshot.BoardLinks, snapshot.OrgFamilies, snapshot.FoundationHoldings)},
	{account.ProScope, "Trustees of charities in England and Wales", holding(snapshot.UKTrustees)},
}

// holding returns a test of whether a dataset has rows in any of the tables.
func holding(tables ...string) func(*dataset.Dataset) bool {
	return func(d *dataset.Dataset) bool {
		return slices.ContainsFunc(d.Snapshot.Manifest.Files, func(f snapshot.File) bool { return f.Rows > 0 && slices.Contains(tables, f.Table()) })
	}
}

func (s *Site) window(p account.Plan) account.Window { return s.Accounts.Terms(p).Window }

func period(w account.Window) string {
	return map[account.Window]string{account.Day: "today", account.Month: "this month"}[w]
}

// allowance states what a plan includes, such as "50 calls a day".
func (s *Site) allowance(p account.Plan) string {
	t := s.Accounts.Terms(p)
	if t.Allowance == account.Unlimited {
		return "unlimited calls"
	}
	return money.Grouped(int64(t.Allowance)) + " calls a " + string(t.Window)
}

func (s *Site) planCard(d *dataset.Dataset, p account.Plan) planCard {
	card := planCard{Plan: p, Name: strings.ToUpper(string(p[:1])) + string(p[1:]), Allowance: s.allowance(p)}
	for _, part := range features {
		switch {
		case !part.offered(d):
		case p.Terms().Scopes&part.scope != 0:
			card.Covers = append(card.Covers, part.text)
		default:
			card.Lacks = append(card.Lacks, part.text)
		}
	}
	if p == account.Free && d.Lists != nil && d.Lists.Edition != nil {
		card.Covers = append(card.Covers, trialWords)
	}
	return card
}

func (s *Site) higherPlans(d *dataset.Dataset, p account.Plan) (list []planCard) {
	all := account.Plans()
	at := slices.IndexFunc(all, func(t account.Terms) bool { return t.Plan == p })
	if p == account.Internal {
		return nil
	}
	return each.Of(all[at+1:], func(t account.Terms) planCard { return s.planCard(d, t.Plan) })
}

// drawAccount shows the account page; refused is the error of the form, if any.
func (s *Site) drawAccount(v *visit, refused error) error {
	ctx, plan := v.r.Context(), v.account.Plan
	page := accountPage{form: *s.form(v, "Your account"), Account: v.account, Plan: s.planCard(frame.DatasetOf(v.r), plan), Window: s.window(plan)}
	now := s.Clock()
	from, to := page.Window.Start(now), page.Window.Reset(now)
	page.Usage = newUsage(page.Window, now)
	var err error
	if page.Keys, err = s.Accounts.KeysOf(ctx, v.account.ID); err != nil {
		return s.fail(v, err)
	}
	// All keys share the account's allowance; calls from this site use it without a key.
	if page.Balance, err = s.Accounts.Balance(ctx, v.account.ID); err != nil {
		return s.fail(v, err)
	}
	payers := []string{v.account.ID}
	for _, k := range page.Keys {
		payers = append(payers, k.ID)
	}
	for _, id := range payers {
		buckets, err := s.Accounts.Usage(ctx, id, from, to, page.Usage.step)
		if err != nil {
			return s.fail(v, err)
		}
		page.Usage.add(buckets)
	}
	page.Usage.draw()
	status := http.StatusOK
	if refused != nil {
		status, page.Problem = s.explain(v, refused)
	}
	switch left := s.takeFlash(v); left.Kind {
	case flashMade, flashRotated:
		page.Made = left
		page.Examples = find.ExamplesOf(ctx, frame.DatasetOf(v.r))
	case flashLost:
		page.Problem = "The key was made but could not be shown. Rotate it to be shown another."
	case flashPassword:
		page.Notice = "The new password is set. You are signed out everywhere else."
	case flashDeleted:
		page.Notice = "The key is deleted and no longer works."
	case flashConfirmed:
		page.Notice = "Your email address is confirmed and you are signed in. Make your first key below."
	}
	return s.pages.Render(v.w, status, "account", page)
}

func (s *Site) makeKey(v *visit) error {
	secret, k, err := s.Accounts.CreateFor(v.r.Context(), v.account.ID, v.field("label"))
	if err != nil {
		return s.drawAccount(v, err)
	}
	s.leaveFlash(v, flash{Kind: flashMade, Key: secret, KeyID: k.ID})
	return v.redirect("/account")
}

// ownKey finds the key in the address among the visitor's own keys. The key of another account is treated as missing.
func (s *Site) ownKey(v *visit) (account.KeyInfo, error) {
	keys, err := s.Accounts.KeysOf(v.r.Context(), v.account.ID)
	if err != nil {
		return account.KeyInfo{}, s.fail(v, err)
	}
	if i := slices.IndexFunc(keys, func(k account.KeyInfo) bool { return k.ID == v.r.PathValue("id") }); i >= 0 {
		return keys[i], nil
	}
	return account.KeyInfo{}, frame.Missing
}

// keyPage asks the visitor to confirm an action on a key, before askFirst's form is sent.
type keyPage struct {
	form
	Key account.KeyInfo
}

func (s *Site) askFirst(page, question string) func(*visit) error {
	return func(v *visit) error {
		k, err := s.ownKey(v)
		if err != nil {
			return err
		}
		return s.pages.Render(v.w, http.StatusOK, page, keyPage{*s.form(v, question), k})
	}
}

func (s *Site) rotate(v *visit) error {
	k, err := s.ownKey(v)
	if err != nil {
		return err
	}
	secret, k, err := s.Accounts.Rotate(v.r.Context(), k.ID)
	if err != nil {
		return s.fail(v, err)
	}
	s.leaveFlash(v, flash{Kind: flashRotated, Key: secret, KeyID: k.ID})
	return v.redirect("/account")
}

func (s *Site) deleteKey(v *visit) error {
	k, err := s.ownKey(v)
	if err != nil {
		return err
	}
	if _, err := s.Accounts.Delete(v.r.Context(), k.ID); err != nil {
		return s.fail(v, err)
	}
	s.leaveFlash(v, flash{Kind: flashDeleted})
	return v.redirect("/account")
}

// memberForm is a form in which a member types the password once more.
func (s *Site) memberForm(v *visit, title string) *form {
	f := s.form(v, title)
	f.Email = v.account.Email
	return f
}

func (s *Site) refuseMember(v *visit, page, title string, err error) error {
	f := s.memberForm(v, title)
	var status int
	if status, f.Problem = s.explain(v, err); slug(err) == "bad_credentials" {
		f.Problem = "That is not your current password."
	}
	return s.pages.Render(v.w, status, page, f)
}

const passwordTitle = "Change your password"

func (s *Site) showPassword(v *visit) error {
	return s.pages.Render(v.w, http.StatusOK, "password", s.memberForm(v, passwordTitle))
}

func (s *Site) changePassword(v *visit) error {
	secret, err := s.Accounts.ChangePassword(v.r.Context(), v.account.ID, v.field("old"), v.field("password"))
	if err != nil {
		return s.refuseMember(v, "password", passwordTitle, err)
	}
	s.setSession(v, secret)
	s.leaveFlash(v, flash{Kind: flashPassword})
	return v.redirect("/account")
}

// usage is a chart of the calls in a window: a bar for each hour of a day or each day of a month. The bars stretch to the width
// of the page; the words below do not.
type usage struct {
	Total  int
	Peak   int // most calls in one bar
	Unit   string
	Width  int
	Height int
	Bars   []usageBar
	Ticks  []tick

	step time.Duration
}

type usageBar struct {
	X, Y, Width, Height int
	Calls               int
	When                string
	Now, Future         bool

	start time.Time
}

type tick struct {
	Text string
	Span int
}

const (
	usageStep   = 20
	usageGap    = 4
	usageHeight = 100
)

// newUsage is an empty chart of the window that contains now.
func newUsage(w account.Window, now time.Time) usage {
	u := usage{Unit: "hour", Height: usageHeight, step: time.Hour}
	every := 6
	if w == account.Month {
		u.Unit, u.step, every = "day", 24*time.Hour, 7
	}
	for at := w.Start(now); at.Before(w.Reset(now)); at = at.Add(u.step) {
		b := usageBar{start: at, Now: !now.Before(at) && now.Before(at.Add(u.step)), Future: now.Before(at)}
		text := at.Format("15:04")
		b.When = text + " to " + at.Add(u.step).Format("15:04")
		if w == account.Month {
			text = strconv.Itoa(at.Day())
			b.When = at.Format("January 2")
		}
		if len(u.Bars)%every == 0 {
			u.Ticks = append(u.Ticks, tick{Text: text})
		}
		u.Ticks[len(u.Ticks)-1].Span++
		u.Bars = append(u.Bars, b)
	}
	u.Width = len(u.Bars) * usageStep
	return u
}

func (u *usage) add(buckets []account.Bucket) {
	for _, b := range buckets {
		if len(u.Bars) == 0 || b.Start.Before(u.Bars[0].start) {
			continue
		}
		if i := int(b.Start.Sub(u.Bars[0].start) / u.step); i < len(u.Bars) {
			u.Bars[i].Calls += b.Calls
			u.Total += b.Calls
		}
	}
}

// draw lays out the bars. A bar without calls is a line at the bottom.
func (u *usage) draw() {
	for _, b := range u.Bars {
		u.Peak = max(u.Peak, b.Calls)
	}
	for i := range u.Bars {
		b := &u.Bars[i]
		b.Height = 2
		if b.Calls > 0 {
			b.Height = max(6, b.Calls*usageHeight/u.Peak)
		}
		b.X, b.Y, b.Width = i*usageStep+usageGap/2, usageHeight-b.Height, usageStep-usageGap
	}
}

// Says is the chart in words, for screen readers.
func (u usage) Says() string {
	if u.Total == 0 {
		return "No calls in this period yet."
	}
	return fmt.Sprintf("%s in this window, at most %s in one %s.", calls(u.Total), calls(u.Peak), u.Unit)
}

func calls(n int) string { return plural.Count(n, "call", "calls") }

const accountDataTitle = "Export or erase your account"

func (s *Site) showAccountData(v *visit) error {
	return s.pages.Render(v.w, http.StatusOK, "accountdata", s.memberForm(v, accountDataTitle))
}

// confirmed asks for the password again before it acts: somebody at an unattended screen has the session, but not the password.
func (s *Site) confirmed(act func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		if err := s.Accounts.ConfirmPassword(v.r.Context(), v.account.ID, v.field("password")); err != nil {
			return s.refuseMember(v, "accountdata", accountDataTitle, err)
		}
		return act(v)
	}
}

func (s *Site) exportAccount(v *visit) error {
	export, err := s.Accounts.ExportAccount(v.r.Context(), v.account.ID)
	if err != nil {
		return s.fail(v, err)
	}
	v.w.Header().Set("Content-Type", "application/json")
	v.w.Header().Set("Content-Disposition", `attachment; filename="grantgraph-account.json"`)
	out := json.NewEncoder(v.w)
	out.SetIndent("", "  ")
	_ = out.Encode(export) // a reader that has gone needs no answer
	return nil
}

func (s *Site) eraseAccount(v *visit) error {
	if _, err := s.Accounts.EraseAccount(v.r.Context(), v.account.ID); err != nil {
		return s.fail(v, err)
	}
	s.dropCookie(v.w, sessionCookie)
	s.dropCookie(v.w, flashCookie)
	return v.redirect("/account/erased")
}

func (s *Site) routeOperator(mux *http.ServeMux) error {
	_, console := s.Mail.(*mail.Console)
	room, err := operator.Route(mux, s.frame, operator.Config{Texts: s.Texts, Clock: s.Clock, Facts: operator.Facts{
		Operator: s.Operator, BaseURL: s.BaseURL, UsageDays: days(account.UsageKept), SessionDays: days(sessionAge), Model: s.Model != nil, Emails: !console,
	}})
	if err != nil {
		return err
	}
	mux.HandleFunc("GET /plans", s.signedInOrNot(func(v *visit) error { return s.showOffers(v, room.Plans()) }))
	return nil
}

func days(d time.Duration) int { return int(d / (24 * time.Hour)) }

type offersPage struct {
	frame.Head
	Words template.HTML // of the operator
	Plans []planCard
	Has   account.Plan // of the visitor; empty without an account
	Email string
}

func (s *Site) showOffers(v *visit, words template.HTML) error {
	page := offersPage{Head: s.frame.Head(v.r, "Plans"), Words: words}
	if v.session != "" {
		page.Has, page.Email = v.account.Plan, v.account.Email
	}
	for _, t := range account.Plans() {
		page.Plans = append(page.Plans, s.planCard(frame.DatasetOf(v.r), t.Plan))
	}
	page.Canonical, page.Description = "/plans", "What each plan includes, and how to change yours."
	// Like any page of an account it is in no cache, but search engines may know it.
	v.w.Header().Del("X-Robots-Tag")
	return s.pages.Render(v.w, http.StatusOK, "plans", page)
}
