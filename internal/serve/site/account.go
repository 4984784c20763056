package site

import (
	"net/http"
	"slices"
	"strings"

	"grantgraph/internal/money"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/site/find"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/snapshot"
)

func (s *Site) routeAccount(mux *http.ServeMux) {
	mux.HandleFunc("GET /account", s.signedInOnly(s.showAccount))
	mux.HandleFunc("POST /account/keys", s.signedInOnly(s.makeKey))
	mux.HandleFunc("GET /account/keys/{id}/rotate", s.signedInOnly(s.askFirst("rotate", "Rotate this key?")))
	mux.HandleFunc("POST /account/keys/{id}/rotate", s.signedInOnly(s.rotate))
	mux.HandleFunc("GET /account/keys/{id}/delete", s.signedInOnly(s.askFirst("delete", "Delete this key?")))
	mux.HandleFunc("POST /account/keys/{id}/delete", s.signedInOnly(s.deleteKey))
	mux.HandleFunc("GET /account/password", s.signedInOnly(s.showPassword))
	mux.HandleFunc("POST /account/password", s.signedInOnly(s.changePassword))
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

// features are the parts of the service that plans open. Features that this server
// lacks are not listed.
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

// window is the billing window of a plan on this site.
func (s *Site) window(p account.Plan) account.Window {
	if p == account.Free {
		return s.Window
	}
	return p.Terms().Window
}

func period(w account.Window) string {
	if w == account.Month {
		return "this month"
	}
	return "today"
}

// allowance states what a plan includes, such as "50 calls a day".
func (s *Site) allowance(p account.Plan) string {
	return money.Grouped(int64(p.Terms().Allowance)) + " calls a " + string(s.window(p))
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
	return card
}

func (s *Site) higherPlans(d *dataset.Dataset, p account.Plan) (list []planCard) {
	above := false
	for _, t := range account.Plans() {
		if above {
			list = append(list, s.planCard(d, t.Plan))
		}
		above = above || t.Plan == p
	}
	return list
}

func (s *Site) showAccount(v *visit) { s.drawAccount(v, nil) }

// drawAccount shows the account page. refused is the error of the form that was
// sent, if any.
func (s *Site) drawAccount(v *visit, refused error) {
	ctx, plan := v.r.Context(), v.account.Plan
	page := accountPage{form: *s.form(v, "Your account"), Account: v.account, Plan: s.planCard(frame.DatasetOf(v.r), plan), Window: s.window(plan)}
	now := s.Clock()
	from, to := page.Window.Start(now), page.Window.Reset(now)
	page.Usage = newUsage(page.Window, now)
	var err error
	if page.Keys, err = s.Accounts.KeysOf(ctx, v.account.ID); err != nil {
		s.fail(v, err)
		return
	}
	// All keys share the account's allowance; calls from this site use it without a
	// key.
	if page.Balance, err = s.Accounts.Balance(ctx, v.account.ID); err != nil {
		s.fail(v, err)
		return
	}
	payers := []string{v.account.ID}
	for _, k := range page.Keys {
		payers = append(payers, k.ID)
	}
	for _, id := range payers {
		buckets, err := s.Accounts.Usage(ctx, id, from, to, page.Usage.step)
		if err != nil {
			s.fail(v, err)
			return
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
	s.pages.Render(v.w, status, "account", page)
}

func (s *Site) makeKey(v *visit) {
	secret, k, err := s.Accounts.CreateFor(v.r.Context(), v.account.ID, v.field("label"))
	if err != nil {
		s.drawAccount(v, err)
		return
	}
	s.leaveFlash(v, flash{Kind: flashMade, Key: secret, KeyID: k.ID})
	v.redirect("/account")
}

// ownKey finds the key in the address among the visitor's own keys. The key of
// another account is treated as missing.
func (s *Site) ownKey(v *visit) (account.KeyInfo, bool) {
	keys, err := s.Accounts.KeysOf(v.r.Context(), v.account.ID)
	if err != nil {
		s.fail(v, err)
		return account.KeyInfo{}, false
	}
	for _, k := range keys {
		if k.ID == v.r.PathValue("id") {
			return k, true
		}
	}
	s.frame.Missing(v.w, v.r)
	return account.KeyInfo{}, false
}

// keyPage asks the visitor to confirm an action on a key, before askFirst's form is sent.
type keyPage struct {
	form
	Key account.KeyInfo
}

func (s *Site) askFirst(page, question string) func(*visit) {
	return func(v *visit) {
		if k, ok := s.ownKey(v); ok {
			s.pages.Render(v.w, http.StatusOK, page, keyPage{*s.form(v, question), k})
		}
	}
}

func (s *Site) rotate(v *visit) {
	k, ok := s.ownKey(v)
	if !ok {
		return
	}
	secret, k, err := s.Accounts.Rotate(v.r.Context(), k.ID)
	if err != nil {
		s.fail(v, err)
		return
	}
	s.leaveFlash(v, flash{Kind: flashRotated, Key: secret, KeyID: k.ID})
	v.redirect("/account")
}

func (s *Site) deleteKey(v *visit) {
	k, ok := s.ownKey(v)
	if !ok {
		return
	}
	if _, err := s.Accounts.Delete(v.r.Context(), k.ID); err != nil {
		s.fail(v, err)
		return
	}
	s.leaveFlash(v, flash{Kind: flashDeleted})
	v.redirect("/account")
}

func (s *Site) showPassword(v *visit) {
	f := s.form(v, "Change your password")
	f.Email = v.account.Email
	s.pages.Render(v.w, http.StatusOK, "password", f)
}

func (s *Site) changePassword(v *visit) {
	f := s.form(v, "Change your password")
	f.Email = v.account.Email
	secret, err := s.Accounts.ChangePassword(v.r.Context(), v.account.ID, v.field("old"), v.field("password"))
	if err != nil {
		status, problem := s.explain(v, err)
		if slug(err) == "bad_credentials" {
			problem = "That is not your current password."
		}
		f.Problem = problem
		s.pages.Render(v.w, status, "password", f)
		return
	}
	s.setSession(v, secret)
	s.leaveFlash(v, flash{Kind: flashPassword})
	v.redirect("/account")
}
