package site

import (
	"testing"

	"grantgraph/internal/serve/account"
)

// TestAdmission signs up in each mode. What the page says depends on the address as it is
// written, never on whether it has an account.
func TestAdmission(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "all", "open=example.org", "domains", "domains=", "domains=a@b", "domains=example.org,,x"} {
		if a, err := ParseAdmission(bad); err == nil {
			t.Errorf("%q: %+v", bad, a)
		}
	}
	at := func(mode string) *place {
		a, err := ParseAdmission(mode)
		if err != nil {
			t.Fatal(err)
		}
		p := newPlace(t, func(c *Config) { c.SignUp = a })
		p.confirmed(t, "old@elsewhere.example", account.Free)
		return p
	}
	sign := func(v *person, email string) page {
		return v.fill("/signup", "/signup", map[string]string{"email": email, "password": secretWords})
	}

	p := at("domains=Example.org,example.net")
	v := p.visitor(t)
	want(t, v.get("/signup"), 200, "<b>example.org</b>, <b>example.net</b>")
	want(t, sign(v, "Ada@EXAMPLE.org"), 303, "/email-sent")
	for _, email := range []string{"old@elsewhere.example", "new@elsewhere.example", "x@sub.example.org", "x@notexample.org"} {
		want(t, sign(v, email), 422, "Only addresses at example.org, example.net can sign up.")
	}

	for mode, says := range map[string]string{"invited": "Accounts here are by invitation.", "closed": "This service is not accepting new accounts."} {
		p := at(mode)
		v := p.visitor(t)
		want(t, v.get("/signup"), 200, says)
		token := v.csrf("/forgot")
		for _, email := range []string{"old@elsewhere.example", "new@elsewhere.example"} {
			want(t, v.post("/signup", map[string][]string{"csrf": {token}, "email": {email}, "password": {secretWords}}), 403, "This service does not accept sign-ups.")
		}
		if _, err := p.store.AccountOf(t.Context(), "new@elsewhere.example"); err == nil {
			t.Errorf("%s: an account was made", mode)
		}
		secret, _, err := p.store.Invite(t.Context(), "ada@example.org")
		if err != nil {
			t.Fatal(err)
		}
		link := Link("", "/reset", secret)
		want(t, v.get(link), 200, "password")
		want(t, v.fill(link, "/reset", map[string]string{"password": secretWords}), 303, "/account")
		want(t, v.get("/account"), 200, "ada@example.org")
	}
}
