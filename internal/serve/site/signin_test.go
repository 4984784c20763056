package site

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/site/mail"
)

// TestFromSignUpToKey walks from sign-up to a working key.
func TestFromSignUpToKey(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	v := p.visitor(t)
	want(t, v.get("/account"), 303, "/signin?next=%2Faccount")
	want(t, v.fill("/signup", "/signup", map[string]string{"email": " Ada@Example.org ", "password": secretWords}), 303, "/email-sent")
	want(t, v.get("/email-sent"), 200, "<b>Ada@Example.org</b>")
	want(t, v.get("/email-sent"), 200, "We sent you an email")
	link := follow(t, p.email(t, "ada@example.org"))
	want(t, v.get(link), 200, "the password you chose") // opening the page confirms nothing
	want(t, v.fill(link, "/confirm", map[string]string{"password": secretWords}), 303, "/account")
	entered := v.get("/account")
	want(t, entered, 200, "Your email address is confirmed and you are signed in. Make your first key below.")
	if n := strings.Count(entered.body, `action="/account/keys"`); n != 1 {
		t.Errorf("%d forms make the first key", n)
	}
	want(t, v.get("/signin?next=/data"), 303, "/data")
	want(t, v.get("/signup"), 303, "/account")
	want(t, v.get("/"), 200, `href="/account"`)

	want(t, v.fill("/account", "/account/keys", map[string]string{"label": "notebook <b>"}), 303, "/account")
	shown := v.get("/account")
	want(t, shown, 200, "Your key is ready")
	key := keyIn.FindString(shown.body)
	k, err := p.store.Authenticate(t.Context(), key)
	if err != nil || k.Label != "notebook <b>" || k.Plan != account.Free || !strings.Contains(shown.body, "notebook &lt;b&gt;") {
		t.Fatalf("%+v, %v", k, err)
	}
	if again := v.get("/account"); strings.Contains(again.body, key) || !strings.Contains(again.body, k.ID) {
		t.Error("the key is shown twice, or is not listed")
	}

	// Usage of the window.
	for range 3 {
		if _, err := p.store.Charge(t.Context(), k.ID, 1); err != nil {
			t.Fatal(err)
		}
	}
	used := v.get("/account")
	want(t, used, 200, "<b>47</b> of 50 calls left")
	want(t, used, 200, "14:00 to 15:00: 3 calls")
	want(t, used, 200, "March 11, 2026, 12:00 AM UTC")
	want(t, used, 200, "50 calls a day")
	if _, err := p.store.Charge(t.Context(), k.Account, 2); err != nil { // without a key
		t.Fatal(err)
	}
	want(t, v.get("/account"), 200, "<b>45</b> of 50 calls left")
	want(t, v.get("/account"), 200, "14:00 to 15:00: 5 calls")

	// Rotation.
	want(t, v.get("/account/keys/"+k.ID+"/rotate"), 200, "Rotate this key?")
	want(t, v.fill("/account/keys/"+k.ID+"/rotate", "/account/keys/"+k.ID+"/rotate", nil), 303, "/account")
	rotated := v.get("/account")
	want(t, rotated, 200, "The old key no longer works")
	next := keyIn.FindString(rotated.body)
	if _, err := p.store.Authenticate(t.Context(), key); !errors.Is(err, account.ErrUnknownKey) {
		t.Errorf("the old key: %v", err)
	}
	if again, err := p.store.Authenticate(t.Context(), next); err != nil || again.ID != k.ID {
		t.Errorf("the new key: %+v, %v", again, err)
	}

	// After deletion, used calls stay used.
	want(t, v.get("/account/keys/"+k.ID+"/delete"), 200, "Delete this key?")
	if _, err := p.store.Authenticate(t.Context(), next); err != nil {
		t.Errorf("a look deletes the key: %v", err)
	}
	want(t, v.fill("/account/keys/"+k.ID+"/delete", "/account/keys/"+k.ID+"/delete", nil), 303, "/account")
	deleted := v.get("/account")
	want(t, deleted, 200, "The key is deleted and no longer works.")
	want(t, deleted, 200, "Create a key")
	want(t, deleted, 200, "<b>45</b> of 50 calls left")
	want(t, deleted, 200, "14:00 to 15:00: 5 calls")
	if _, err := p.store.Authenticate(t.Context(), next); !errors.Is(err, account.ErrUnknownKey) {
		t.Errorf("the deleted key: %v", err)
	}
	want(t, v.get("/account/keys/"+k.ID+"/delete"), 404, "")

	// A larger plan has another window.
	if _, err := p.store.SetAccountPlan(t.Context(), k.Account, account.Pro); err != nil {
		t.Fatal(err)
	}
	larger := v.get("/account")
	want(t, larger, 200, "10,000 calls a month")
	want(t, larger, 200, "This month")
	want(t, larger, 200, "April 1, 2026, 12:00 AM UTC")
	want(t, larger, 200, "March 10: 5 calls")

	// The audit trail says who did it.
	events, err := p.store.AuditTrail(t.Context(), account.EventFilter{Kind: account.EventRotate})
	if err != nil || len(events) != 1 || events[0].Actor != k.Account || events[0].Address == "" {
		t.Errorf("%+v, %v", events, err)
	}

	// Sign out.
	old := v.cookies["__Host-session"]
	want(t, v.fill("/account", "/signout", nil), 303, "/")
	if v.cookies["__Host-session"] != "" {
		t.Error("the browser keeps the session")
	}
	v.cookies["__Host-session"] = old
	want(t, v.get("/account"), 303, "/signin?next=%2Faccount")
	if v.cookies["__Host-session"] != "" {
		t.Error("a session that is over stays in the browser")
	}
}

// TestExportAndErase walks from the account page to a file with everything and to no account.
func TestExportAndErase(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	v := p.member(t, "ada@example.org")
	want(t, v.fill("/account", "/account/keys", map[string]string{"label": "notebook"}), 303, "/account")
	want(t, v.get("/account"), 200, `href="/account/data"`)
	want(t, v.get("/account/data"), 200, "We delete your account, keys, lists, usage and sessions immediately")
	for _, action := range []string{"/account/export", "/account/erase"} {
		want(t, v.fill("/account/data", action, map[string]string{"password": "not the password"}), 403, "That is not your current password.")
	}
	got := v.fill("/account/data", "/account/export", map[string]string{"password": secretWords})
	want(t, got, 200, `"label": "notebook"`)
	if h := got.header; h.Get("Content-Type") != "application/json" || h.Get("Content-Disposition") != `attachment; filename="grantgraph-account.json"` ||
		h.Get("Cache-Control") != "no-store" || strings.Contains(got.body, "argon2id") {
		t.Errorf("%v %s", h, got.body)
	}
	want(t, v.fill("/account/data", "/account/erase", map[string]string{"password": secretWords}), 303, "/account/erased")
	want(t, v.get("/account/erased"), 200, "Your account has been erased")
	want(t, v.get("/account"), 303, "/signin?next=%2Faccount")
	want(t, v.fill("/signin", "/signin", map[string]string{"email": "ada@example.org", "password": secretWords}), 403, "or the password is wrong")
	events, err := p.store.AuditTrail(t.Context(), account.EventFilter{Kind: account.EventErase})
	if err != nil || len(events) != 1 || events[0].Actor != events[0].Details || events[0].Address == "" {
		t.Errorf("%+v, %v", events, err)
	}
}

// TestNobodyLearnsWhoHasAnAccount compares the answers for addresses with an
// account and without one.
func TestNobodyLearnsWhoHasAnAccount(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.member(t, "known@example.org")
	for _, tc := range []struct{ page, password string }{
		{"/signup", secretWords},
		{"/forgot", ""},
	} {
		var bodies [2]string
		for i, email := range []string{"known@example.org", "never@example.org"} {
			v := p.visitor(t)
			want(t, v.fill(tc.page, tc.page, map[string]string{"email": email, "password": tc.password}), 303, "/email-sent")
			bodies[i] = strings.ReplaceAll(v.get("/email-sent").body, email, "")
		}
		if bodies[0] != bodies[1] {
			t.Errorf("%s tells: %s\n%s", tc.page, bodies[0], bodies[1])
		}
		p.emails()
	}
	// After both have signed up, signing in with the new password looks the same as
	// well.
	v := p.visitor(t)
	v.fill("/signup", "/signup", map[string]string{"email": "known@example.org", "password": "another password"})
	var bodies [2]string
	for i, tc := range [][2]string{{"known@example.org", "another password"}, {"never@example.org", secretWords}} {
		got := p.visitor(t).fill("/signin", "/signin", map[string]string{"email": tc[0], "password": tc[1]})
		want(t, got, 403, "or the password is wrong")
		bodies[i] = hidden.ReplaceAllString(strings.ReplaceAll(got.body, tc[0], ""), "")
	}
	if bodies[0] != bodies[1] {
		t.Errorf("signing in tells: %s\n%s", bodies[0], bodies[1])
	}
	if l := p.email(t, "known@example.org"); l.Subject != "You already have an account" {
		t.Errorf("%+v", l)
	}
}

// TestSquatter signs up with the address of somebody else. When the owner signs up
// later, only the owner's password works.
func TestSquatter(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	squatter, owner := p.visitor(t), p.visitor(t)
	want(t, squatter.fill("/signup", "/signup", map[string]string{"email": "owner@example.org", "password": "password of the squatter"}), 303, "/email-sent")
	first := follow(t, p.email(t, "owner@example.org"))
	want(t, owner.fill(first, "/confirm", nil), 422, "not the password chosen")
	want(t, owner.fill(first, "/confirm", map[string]string{"password": secretWords}), 422, "not the password chosen")
	want(t, squatter.fill("/signin", "/signin", map[string]string{"email": "owner@example.org", "password": "password of the squatter"}), 403, "or the password is wrong")
	want(t, owner.fill("/signup", "/signup", map[string]string{"email": "owner@example.org", "password": secretWords}), 303, "/email-sent")
	l := p.email(t, "owner@example.org")
	if l.Subject != "Finish signing up" {
		t.Fatalf("%+v", l)
	}
	// The second sign-up has voided the link of the first.
	want(t, owner.fill(first, "/confirm", map[string]string{"password": "password of the squatter"}), 422, "already used")
	want(t, owner.fill(follow(t, l), "/reset", map[string]string{"password": secretWords}), 303, "/account")
	want(t, owner.get("/account"), 200, "owner@example.org")
	want(t, squatter.fill("/signin", "/signin", map[string]string{"email": "owner@example.org", "password": "password of the squatter"}), 403, "or the password is wrong")
}

// TestPester asks for emails to somebody else's address, by sign-ups and for lost
// passwords, until none are sent. The owner, elsewhere, gets one all the same.
func TestPester(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	stranger, owner := p.visitor(t), p.visitor(t)
	owner.from = "198.51.100.7:4711"
	for range 20 {
		want(t, stranger.fill("/signup", "/signup", map[string]string{"email": "owner@example.org", "password": secretWords}), 303, "/email-sent")
		want(t, stranger.fill("/forgot", "/forgot", map[string]string{"email": "owner@example.org"}), 303, "/email-sent")
	}
	sent := p.emails()
	if sent > 10 {
		t.Errorf("a stranger had %d emails sent", sent)
	}
	want(t, owner.fill("/forgot", "/forgot", map[string]string{"email": "owner@example.org"}), 303, "/email-sent")
	if p.emails() != sent+1 {
		t.Error("the owner got no email")
	}
	want(t, owner.fill(follow(t, p.email(t, "owner@example.org")), "/reset", map[string]string{"password": "the owner's words"}), 303, "/account")
}

func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	elsewhere := p.member(t, "ada@example.org")
	v := p.visitor(t)
	want(t, v.fill("/forgot", "/forgot", map[string]string{"email": "nonsense"}), 422, "not an email address")
	want(t, v.fill("/forgot", "/forgot", map[string]string{"email": "ada@example.org"}), 303, "/email-sent")
	want(t, v.get("/email-sent"), 200, "If <b>ada@example.org</b> has an account")
	link := follow(t, p.email(t, "ada@example.org"))
	want(t, v.fill(link, "/reset", map[string]string{"password": "short"}), 422, "at least 8 characters")
	want(t, v.fill(link, "/reset", map[string]string{"password": "quite another password"}), 303, "/account")
	want(t, v.get("/account"), 200, "The new password is set")
	want(t, elsewhere.get("/account"), 303, "/signin?next=%2Faccount")
	want(t, p.visitor(t).fill(link, "/reset", map[string]string{"password": "and a third one"}), 422, "already used")
	want(t, p.visitor(t).fill("/signin", "/signin", map[string]string{"email": "ada@example.org", "password": secretWords}), 403, "or the password is wrong")
	want(t, p.visitor(t).fill("/reset?token=nonsense", "/reset", map[string]string{"password": secretWords}), 422, "already used")
	want(t, p.visitor(t).fill("/confirm?token=nonsense", "/confirm", nil), 422, "already used")

	// A link expires.
	want(t, v.fill("/forgot", "/forgot", map[string]string{"email": "ada@example.org"}), 303, "/email-sent")
	link = follow(t, p.email(t, "ada@example.org"))
	p.clock.forward(2 * time.Hour)
	want(t, p.visitor(t).fill(link, "/reset", map[string]string{"password": secretWords}), 422, "already used")
}

func TestChangedPassword(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	v := p.member(t, "ada@example.org")
	other := p.visitor(t)
	want(t, other.fill("/signin", "/signin", map[string]string{"email": "ada@example.org", "password": secretWords}), 303, "/account")
	before := v.cookies["__Host-session"]
	want(t, v.fill("/account/password", "/account/password", map[string]string{"old": "wrong password", "password": "new password"}), 403, "That is not your current password")
	want(t, v.fill("/account/password", "/account/password", map[string]string{"old": secretWords, "password": "new"}), 422, "at least 8 characters")
	want(t, v.fill("/account/password", "/account/password", map[string]string{"old": secretWords, "password": "new password"}), 303, "/account")
	if v.cookies["__Host-session"] == before {
		t.Error("the session is the old one")
	}
	want(t, v.get("/account"), 200, "You are signed out everywhere else")
	want(t, other.get("/account"), 303, "/signin?next=%2Faccount")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	v := p.visitor(t)
	for _, tc := range []struct {
		page   string
		fields map[string]string
		status int
		text   string
	}{
		{"/signup", map[string]string{"email": "nonsense", "password": secretWords}, 422, "not an email address"},
		{"/signup", map[string]string{"email": `"><script>alert(1)</script>@x.y`, "password": secretWords}, 422, "not an email address"},
		{"/signup", map[string]string{"email": "a@example.org", "password": "short"}, 422, "at least 8 characters"},
		{"/signup", map[string]string{"email": "a@example.org", "password": strings.Repeat("x", 201)}, 422, "at most 200"},
		{"/signin", map[string]string{"email": "a@example.org", "password": "whatever it is"}, 403, "or the password is wrong"},
		{"/signin", map[string]string{"email": "", "password": ""}, 403, "or the password is wrong"},
		{"/signin", map[string]string{"email": "a@example.org", "password": strings.Repeat("x", int(plainForm.most))}, 413, "too much"},
		{"/confirm", nil, 422, "already used"},
	} {
		got := v.fill(tc.page, tc.page, tc.fields)
		want(t, got, tc.status, tc.text)
		if strings.Contains(got.body, "<script>alert") {
			t.Error("what was written comes back as a script")
		}
	}
	if n := p.emails(); n != 0 {
		t.Errorf("%d emails", n)
	}
}

// TestLimits tries until it is told to wait, then waits.
func TestLimits(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	v := p.member(t, "ada@example.org")
	thief := p.visitor(t)
	guess := map[string]string{"email": "ada@example.org", "password": "a wrong password"}
	var got page
	for range 12 {
		if got = thief.fill("/signin", "/signin", guess); got.status == http.StatusTooManyRequests {
			break
		}
	}
	want(t, got, 429, "Try again in 15 minutes")
	if s := got.header.Get("Retry-After"); s != "900" {
		t.Errorf("Retry-After: %s", s)
	}
	want(t, v.get("/account"), 200, "ada@example.org")
	p.clock.forward(16 * time.Minute)
	want(t, p.visitor(t).fill("/signin", "/signin", map[string]string{"email": "ada@example.org", "password": secretWords}), 303, "/account")

	// Emails are limited too, silently: a message would reveal who has an account.
	before := p.emails()
	for range 8 {
		want(t, thief.fill("/forgot", "/forgot", map[string]string{"email": "ada@example.org"}), 303, "/email-sent")
	}
	if n := p.emails() - before; n != 5 {
		t.Errorf("%d emails", n)
	}
}

// TestNext tries to redirect to other sites after signing in.
func TestNext(t *testing.T) {
	t.Parallel()
	for next, to := range map[string]string{
		"": "/account", "/": "/", "/data": "/data", "/account?x=1#y": "/account?x=1#y", "/org/070000001/some-name": "/org/070000001/some-name",
		"//evil.example": "/account", "///evil.example": "/account", `/\evil.example`: "/account", `\/evil.example`: "/account",
		"https://evil.example": "/account", "javascript:alert(1)": "/account", "/\tevil": "/account", "/\n/evil.example": "/account",
		"data": "/account", "/.//evil.example": "/account", "/a/../b": "/account", "/%2f/evil.example": "/account", "/%5cevil.example": "/account", "/a\x00b": "/account", "/" + strings.Repeat("a", 600): "/account",
		"/download?location=OH,CA&query=a+%22b%22": "/download?location=OH,CA&query=a+%22b%22", "/download?q=//evil.example": "/download?q=//evil.example",
		"/download?q=a\nb": "/account", "/download?q=" + strings.Repeat("a", 3900): "/download?q=" + strings.Repeat("a", 3900), "/download?q=" + strings.Repeat("a", 4000): "/account",
	} {
		if got := localPath(next); got != to {
			t.Errorf("%q leads to %q", next, got)
		}
	}
	p := newPlace(t)
	p.member(t, "ada@example.org")
	v := p.visitor(t)
	want(t, v.fill("/signin?next=//evil.example", "/signin", map[string]string{"email": "ada@example.org", "password": secretWords}), 303, "/account")
	v = p.visitor(t)
	want(t, v.fill("/signin", "/signin", map[string]string{"email": "ada@example.org", "password": secretWords, "next": "https://evil.example/"}), 303, "/account")
}

func FuzzNext(f *testing.F) {
	for _, s := range []string{"/data", "//x", `/\x`, "/%2f/x", "https://x", "/a?b=//c", "/..//x"} {
		f.Add(s)
	}
	base, err := url.Parse("https://grants.example/signin")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, next string) {
		to, err := base.Parse(localPath(next))
		if err != nil || to.Scheme != "https" || to.Host != "grants.example" || to.User != nil || strings.HasPrefix(to.Path, "//") {
			t.Errorf("%q leads to %v, %v", next, to, err)
		}
		w := httptest.NewRecorder()
		http.Redirect(w, httptest.NewRequest(http.MethodPost, "/signin", nil), localPath(next), http.StatusSeeOther)
		if at := w.Header().Get("Location"); !strings.HasPrefix(at, "/") || strings.HasPrefix(at, "//") || strings.HasPrefix(at, `/\`) {
			t.Errorf("%q redirects to %q", next, at)
		}
	})
}

// TestEmailThatIsNotSent loses an email. The visitor sees the usual page, and the
// log has the error.
func TestEmailThatIsNotSent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.box.refuse = errors.New("no room in the bag")
	want(t, p.visitor(t).fill("/signup", "/signup", map[string]string{"email": "ada@example.org", "password": secretWords}), 303, "/email-sent")
	if n := p.emails(); n != 0 {
		t.Errorf("%d emails", n)
	}
}

// TestConsole runs without a mail server: the email is on the console, and the page
// says so.
func TestConsole(t *testing.T) {
	t.Parallel()
	var console strings.Builder
	p := newPlace(t, func(c *Config) { c.Mail = mail.NewConsole(&console) })
	v := p.visitor(t)
	want(t, v.fill("/signup", "/signup", map[string]string{"email": "ada@example.org", "password": secretWords}), 303, "/email-sent")
	want(t, v.get("/email-sent"), 200, "writes emails to its console")
	p.Site.Close()
	if !linkIn.MatchString(console.String()) {
		t.Errorf("%q", console.String())
	}
}

// TestStoreThatDoesNotAnswer closes the store under the site. Visitors are asked to
// come back later, and the log has the reason.
func TestStoreThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	p := newPlace(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	v := p.visitor(t)
	token := v.csrf("/signin")
	if err := p.store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/signin", "/signup", "/confirm", "/reset"} {
		got := v.post(path, url.Values{"csrf": {token}, "email": {"ada@example.org"}, "password": {secretWords}, "token": {"x"}})
		want(t, got, 503, "cannot reach")
		if got.header.Get("Retry-After") == "" || strings.Contains(strings.ToLower(main(got.body)), "sql") {
			t.Errorf("%s: %v\n%s", path, got.header, main(got.body))
		}
	}
	v.cookies["__Host-session"] = newSecret()
	want(t, v.get("/account"), 503, "cannot reach")
	if !strings.Contains(log.String(), "database is closed") {
		t.Errorf("the log does not say why:\n%s", log.String())
	}
}
