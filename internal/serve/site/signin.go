package site

import (
	"context"
	_ "embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"time"
	"unicode"
	"unicode/utf8"

	"grantgraph/internal/fault"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/mail"
)

func (s *Site) routeSignIn(mux *http.ServeMux) {
	mux.HandleFunc("GET /signup", s.anyone(plainForm, s.showSignUp))
	mux.HandleFunc("POST /signup", s.anyone(plainForm, s.signUp))
	mux.HandleFunc("GET /signin", s.anyone(plainForm, s.showSignIn))
	mux.HandleFunc("POST /signin", s.anyone(plainForm, s.signIn))
	mux.HandleFunc("POST /signout", s.members(plainForm, s.signOut))
	mux.HandleFunc("GET /email-sent", s.anyone(plainForm, s.showEmailSent))
	mux.HandleFunc("GET /forgot", s.showForm("forgot", "Forgot your password?"))
	mux.HandleFunc("POST /forgot", s.anyone(plainForm, s.forgot))
	mux.HandleFunc("GET /confirm", s.showForm("confirm", "Confirm your email address"))
	mux.HandleFunc("POST /confirm", s.anyone(plainForm, s.confirm))
	mux.HandleFunc("GET /reset", s.showForm("reset", "Choose a new password"))
	mux.HandleFunc("POST /reset", s.anyone(plainForm, s.reset))
}

type form struct {
	frame.Head
	Token   string // title of the form
	Problem string // what is wrong with the values that were sent
	Notice  string // a confirmation to show
	Email   string
	Next    string // where to go after signing in
	Link    string // the token of an email
	Kind    string // address that the email went to
	Console bool   // emails go to the console
	Free    string // the allowance of a free key
	Private bool   // every page needs sign-in
}

func (s *Site) form(v *visit, title string) *form {
	_, console := s.Mail.(*mail.Console)
	return &form{Head: s.frame.Head(v.r, title), Token: s.token(v), Console: console, Free: s.allowance(account.Free), Private: s.Private}
}

// showAgain shows a page with the form on it and what is wrong with the form.
func (s *Site) showAgain(v *visit, page string, f *form, data any, err error) (fails error) {
	var status int
	status, f.Problem = s.explain(v, err)
	return s.pages.Render(v.w, status, page, data)
}

// problems are the refusals of the store in words for a page.
var problems = map[string]struct {
	status int
	text   string
}{
	"bad_email": {http.StatusUnprocessableEntity, "That is not an email address. It looks like name@example.org."},
	"bad_password": {http.StatusUnprocessableEntity, "A password has at least 8 characters, and at most 200. A few words are easy to remember and hard " +
		"to guess."},
	"common_password": {http.StatusUnprocessableEntity, "That password is too easy to guess: it is a very common one, your email address or the name of " +
		"this site. A few unrelated words are easy to remember and hard to guess."},
	"bad_credentials": {http.StatusForbidden, "The email address or the password is wrong. If you just signed up, follow the link in our email first."},
	"bad_token":       {http.StatusUnprocessableEntity, "This link has expired or was already used. Ask for another email."},
	"account_inactive": {http.StatusForbidden, "This account is inactive: its keys do not work, and it cannot make new ones. " +
		"Write to the operator: Contact, at the bottom of this page, has the address."},
	"too_many_keys":     {http.StatusConflict, "An account can have ten keys at most. Delete one that you no longer use first."},
	"corrections_spent": {http.StatusTooManyRequests, "You have sent ten corrections today, the maximum for one day. Please come back tomorrow."},
	"corrections_full":  {http.StatusServiceUnavailable, "Too many corrections are already awaiting review. Please come back in a few days."},
	"bad_label":         {http.StatusUnprocessableEntity, "A label is one line of plain text, of at most 200 bytes."},
}

// explain puts an error in words for the visitor, and sets its headers.
func (s *Site) explain(v *visit, err error) (status int, problem string) {
	if p, ok := problems[slug(err)]; ok {
		return p.status, p.text
	}
	if wait, ok := errors.AsType[*account.WaitError](err); ok {
		seconds := max(1, int((wait.Wait+time.Second-1)/time.Second))
		v.w.Header().Set("Retry-After", strconv.Itoa(seconds))
		return http.StatusTooManyRequests, "There were too many attempts. Try again in " + waitText(seconds) + "."
	}
	if f, ok := fault.Of(err); ok {
		if f.Slug != "store_unavailable" {
			return http.StatusUnprocessableEntity, sentence(f.Message)
		}
		if f.Err != nil {
			err = f.Err // such as a full disk: the message for people leaves it out
		}
	}
	if v.r.Context().Err() == nil {
		s.Log.Error("serving an account page", "path", v.r.URL.Path, "error", err)
	}
	v.w.Header().Set("Retry-After", "5")
	return http.StatusServiceUnavailable, "We cannot reach the accounts right now. Please try again."
}

func waitText(seconds int) string {
	if seconds >= 90 {
		return strconv.Itoa((seconds+59)/60) + " minutes"
	}
	return strconv.Itoa(seconds) + plural.Word(seconds, " second", " seconds")
}

// sentence capitalizes a text and ends it with a period.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(s[size:], ".") + "."
}

// fail refuses a page with an error of the accounts in words. A list of another account is missing.
func (s *Site) fail(v *visit, err error) error {
	if sl := slug(err); sl == "unknown_list" || sl == "unknown_run" {
		return frame.Missing
	}
	status, problem := s.explain(v, err)
	return frame.Refuse(status, "Something went wrong", problem)
}

func (s *Site) showSignUp(v *visit) error {
	if s.SignedIn(v.r) {
		return v.redirect("/account")
	}
	return s.pages.Render(v.w, http.StatusOK, "signup", signUpPage{s.form(v, "Sign up"), s.SignUp})
}

// SignedIn reports whether the visitor is signed in.
func (s *Site) SignedIn(r *http.Request) bool {
	who, err := s.memberOf(r)
	return err == nil && who.Known()
}

// signUp makes an account unless the address has one. The page says the same in both cases; only the email differs.
func (s *Site) signUp(v *visit) error {
	f := s.form(v, "Sign up")
	f.Email = v.field("email")
	if !s.SignUp.Form() {
		return notOpen
	}
	var a account.Account
	err := s.SignUp.admits(f.Email)
	if err == nil {
		a, err = s.Accounts.SignUp(v.r.Context(), f.Email, v.field("password"), v.from)
	}
	switch {
	case err == nil:
		err = s.sendLater(v, func(ctx context.Context) error {
			token, err := s.Accounts.VerifyToken(ctx, a.ID)
			if err != nil {
				return err
			}
			return s.sendLink(ctx, a.Email, "confirm", "/confirm", token)
		})
	case slug(err) == "email_taken":
		// The link sets a new password, so a stranger who signed up first with that address loses access.
		err = s.sendLater(v, func(ctx context.Context) error {
			return s.sendReset(ctx, f.Email, func(a account.Account) string {
				return map[bool]string{true: "exists", false: "unfinished"}[a.Verified]
			})
		})
	}
	if err != nil {
		return s.showAgain(v, "signup", f, signUpPage{f, s.SignUp}, err)
	}
	s.leaveFlash(v, flash{Kind: flashSignUp, Email: strings.TrimSpace(f.Email)})
	return v.redirect("/email-sent")
}

func (s *Site) showSignIn(v *visit) error {
	next := localPath(v.r.URL.Query().Get("next"))
	if s.SignedIn(v.r) {
		return v.redirect(next)
	}
	f := s.form(v, "Sign in")
	f.Next = next
	if left := s.takeFlash(v); left.Kind == flashPassword {
		f.Email, f.Notice = left.Email, "The new password is set. Sign in with it."
	}
	return s.pages.Render(v.w, http.StatusOK, "signin", f)
}

func (s *Site) signIn(v *visit) error {
	f := s.form(v, "Sign in")
	f.Email, f.Next = v.field("email"), localPath(v.field("next"))
	if err := s.startSession(v, f.Email, v.field("password")); err != nil {
		return s.showAgain(v, "signin", f, f, err)
	}
	return v.redirect(f.Next)
}

// startSession opens a session for the visitor. An unconfirmed address is refused like a wrong password. Otherwise a visitor
// could learn by signing up whether an address was free.
func (s *Site) startSession(v *visit, email, password string) error {
	ctx := v.r.Context()
	secret, a, err := s.Accounts.SignIn(ctx, email, password, v.from)
	if err != nil {
		return err
	}
	if !a.Verified {
		if err := s.Accounts.SignOut(ctx, secret); err != nil {
			return err
		}
		return fault.New("bad_credentials", "the address of %s is not confirmed", a.ID)
	}
	return s.enter(v, secret)
}

// enter gives the browser a new session, and ends its old one with its forms.
func (s *Site) enter(v *visit, secret string) error {
	if old := s.cookie(v.r, sessionCookie); isSecret(old) {
		if err := s.Accounts.SignOut(v.r.Context(), old); err != nil {
			return err
		}
	}
	s.setSession(v, secret)
	s.dropCookie(v.w, visitCookie)
	return nil
}

func (s *Site) setSession(v *visit, secret string) {
	v.session, v.bind = secret, "session "+secret
	s.setCookie(v.w, sessionCookie, secret, sessionAge, http.SameSiteLaxMode)
}

func (s *Site) signOut(v *visit) error {
	if err := s.Accounts.SignOut(v.r.Context(), v.session); err != nil {
		return s.fail(v, err)
	}
	s.dropCookie(v.w, sessionCookie)
	s.dropCookie(v.w, flashCookie)
	return v.redirect("/")
}

func (s *Site) showEmailSent(v *visit) error {
	f := s.form(v, "Check your email")
	left := s.takeFlash(v)
	f.Kind, f.Email = left.Kind, left.Email
	return s.pages.Render(v.w, http.StatusOK, "emailsent", f)
}

// showForm shows a form. The pages that an email links to take its token, and ask for a
// click: mail scanners that open links must not confirm an address.
func (s *Site) showForm(page, title string) http.HandlerFunc {
	return s.anyone(plainForm, func(v *visit) error {
		f := s.form(v, title)
		f.Link = v.r.URL.Query().Get("token")
		return s.pages.Render(v.w, http.StatusOK, page, f)
	})
}

// forgot sends an email if the address has an account. The page says the same in both cases.
func (s *Site) forgot(v *visit) error {
	f := s.form(v, "Forgot your password?")
	f.Email = v.field("email")
	email, err := account.ParseEmail(f.Email)
	if err == nil {
		err = s.sendLater(v, func(ctx context.Context) error {
			return s.sendReset(ctx, email, func(account.Account) string { return "reset" })
		})
	}
	if err != nil {
		return s.showAgain(v, "forgot", f, f, err)
	}
	s.leaveFlash(v, flash{Kind: flashForgot, Email: email})
	return v.redirect("/email-sent")
}

// confirm marks the address as confirmed and signs the visitor in. The link proves
// that the visitor reads the account's mail, the password that the visitor signed up.
func (s *Site) confirm(v *visit) error {
	f := s.form(v, "Confirm your email address")
	f.Link = v.field("token")
	secret, _, err := s.Accounts.VerifyEmail(account.As(v.r.Context(), account.Actor{Name: "visitor", Address: v.from}), f.Link, v.field("password"))
	if err == nil {
		err = s.enter(v, secret)
	}
	if slug(err) == "bad_credentials" {
		err = fault.New("not_chosen", "This is not the password chosen at sign-up. If you did not choose that password, choose a new one")
	}
	if err != nil {
		return s.showAgain(v, "confirm", f, f, err)
	}
	s.leaveFlash(v, flash{Kind: flashConfirmed})
	return v.redirect("/account")
}

// reset sets the password and signs the visitor in.
func (s *Site) reset(v *visit) error {
	f := s.form(v, "Choose a new password")
	f.Link = v.field("token")
	a, err := s.Accounts.ResetPassword(account.As(v.r.Context(), account.Actor{Name: "visitor", Address: v.from}), f.Link, v.field("password"))
	if err != nil {
		return s.showAgain(v, "reset", f, f, err)
	}
	to := "/account"
	if s.startSession(v, a.Email, v.field("password")) != nil {
		to = "/signin"
	}
	s.leaveFlash(v, flash{Kind: flashPassword, Email: a.Email})
	return v.redirect(to)
}

// outbox sends emails apart from the requests that cause them. So the time of an
// answer does not reveal whether an email was written.
type outbox struct {
	slots chan struct{}
	wg    sync.WaitGroup
}

// Bounds of the outbox.
const (
	emailsAtOnce = 32
	emailTimeout = 45 * time.Second
)

// sendLater runs write in the background, on behalf of the visitor. It waits for a slot as long as the request lasts.
func (s *Site) sendLater(v *visit, write func(context.Context) error) error {
	ctx := account.As(v.r.Context(), account.Actor{Name: "visitor", Address: v.from})
	select {
	case s.outbox.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.outbox.wg.Go(func() {
		defer func() { <-s.outbox.slots }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), emailTimeout)
		defer cancel()
		err := write(ctx)
		var wait *account.WaitError
		switch {
		case err == nil:
		case errors.As(err, &wait), errors.Is(err, account.ErrUnknownAccount):
			// The visitor is not told: that would reveal who has an account.
		default:
			s.Log.Error("an email was not sent", "error", err)
		}
	})
	return nil
}

//go:embed emails.tmpl
var emailFile string

var emails = template.Must(template.New("").Parse(emailFile))

// sendLink sends one of the emails, with a link to a page that takes a token.
func (s *Site) sendLink(ctx context.Context, to, name, page, token string) error {
	e, err := Email(s.BaseURL, s.Operator, to, name, Link(s.BaseURL, page, token))
	if err != nil {
		return err
	}
	return s.Mail.Send(ctx, e)
}

// Link is the address of a page of a site that takes a token.
func Link(base, page, token string) string { return base + page + "?token=" + url.QueryEscape(token) }

// Email is one of the emails of the site, such as invitation, with a link.
func Email(base string, o frame.Operator, to, name, link string) (mail.Email, error) {
	var b strings.Builder
	err := emails.ExecuteTemplate(&b, name, map[string]string{"Base": base, "Operator": o.Name, "Contact": o.Reach(), "Link": link})
	subject, text, _ := strings.Cut(b.String(), "\n")
	return mail.Email{To: to, Subject: subject, Text: text}, err
}

func (s *Site) sendReset(ctx context.Context, email string, name func(account.Account) string) error {
	a, err := s.Accounts.AccountOf(ctx, email)
	if err != nil {
		return err
	}
	token, err := s.Accounts.ResetToken(ctx, a.ID)
	if err != nil {
		return err
	}
	return s.sendLink(ctx, a.Email, name(a), "/reset", token)
}

// Admission says who may sign up: anybody, addresses of some domains, or nobody. An
// invitation opens an account in every mode. The zero Admission admits anybody.
type Admission struct {
	Mode    string   // "", open, domains, invited or closed
	Domains []string // of mode domains, as in email addresses
}

// ParseAdmission reads open, invited, closed, or domains=example.org,example.net.
func ParseAdmission(text string) (Admission, error) {
	mode, list, found := strings.Cut(text, "=")
	a := Admission{Mode: mode}
	ok := slices.Contains([]string{"open", "invited", "closed", "domains"}, mode) && found == (mode == "domains")
	for domain := range strings.SplitSeq(list, ",") {
		email, err := account.ParseEmail("x@" + domain)
		if found && err != nil {
			ok = false
		}
		a.Domains = append(a.Domains, strings.TrimPrefix(email, "x@"))
	}
	if !ok {
		return a, fault.New("bad_flag", "--sign-up %q is unknown", fault.Clip(text, 100)).Try("open, invited, closed, or domains=example.org,example.net")
	}
	return a, nil
}

// Form reports whether the page has a form to sign up.
func (a Admission) Form() bool { return a.Mode != "invited" && a.Mode != "closed" }

// admits refuses an address that may not sign up. It never looks whether the address has
// an account, so the answer says nothing about that.
func (a Admission) admits(email string) error {
	email, err := account.ParseEmail(email)
	if err != nil || a.Mode != "domains" {
		return err
	}
	_, domain, _ := strings.Cut(email, "@")
	if !slices.Contains(a.Domains, domain) {
		return fault.New("bad_domain", "Only addresses at %s can sign up", strings.Join(a.Domains, ", "))
	}
	return nil
}

// signUpPage is the form, or the reason why this service shows no form.
type signUpPage struct {
	*form
	Admission Admission
}

var notOpen = frame.Refuse(http.StatusForbidden, "No new accounts", "This service does not accept sign-ups. See the Sign up page for what you can do.")
