package site

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

// TestForgery sends every form in the ways another site could, and checks that
// nothing happens.
func TestForgery(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	member := p.member(t, "ada@example.org")
	want(t, member.fill("/account", "/account/keys", nil), 303, "/account")
	key := keyIn.FindString(member.get("/account").body)
	k, err := p.store.Authenticate(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	stranger := p.visitor(t)
	other := p.member(t, "eve@example.org")
	emails := p.emails()
	for _, f := range []struct {
		who  *person
		form string // page with the form
		path string
	}{
		{stranger, "/signup", "/signup"},
		{stranger, "/signin", "/signin"},
		{stranger, "/forgot", "/forgot"},
		{stranger, "/confirm", "/confirm"},
		{stranger, "/reset", "/reset"},
		{stranger, "/verify", "/verify"},
		{member, "/account", "/signout"},
		{member, "/account", "/account/keys"},
		{member, "/account/keys/" + k.ID + "/rotate", "/account/keys/" + k.ID + "/rotate"},
		{member, "/account/password", "/account/password"},
		{member, "/check/000000001", "/check/000000001"},
		{member, "/account", "/lists"},
		{member, "/account", "/check/pdf"},
	} {
		token := f.who.csrf(f.form)
		if again := f.who.csrf(f.form); again == token {
			t.Errorf("%s: two pages carry the same token, which compression could find out", f.form)
		}
		foreign := p.visitor(t).csrf("/signin")
		if f.who == member {
			foreign = other.csrf("/account")
		}
		for _, tc := range []struct {
			name   string
			token  string
			header map[string]string
			status int
		}{
			{name: "no token", status: 403},
			{name: "wrong token", token: strings.Repeat("A", 43), status: 403},
			{name: "token of somebody else", token: foreign, status: 403},
			{name: "cut token", token: token[:42], status: 403},
			{name: "another site", token: token, header: map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, status: 403},
			{name: "a site below ours", token: token, header: map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "https://x.grants.example"}, status: 403},
			{name: "another site, old browser", token: token, header: map[string]string{"Sec-Fetch-Site": "", "Origin": "https://evil.example"}, status: 403},
			{name: "no origin to speak of", token: token, header: map[string]string{"Sec-Fetch-Site": "", "Origin": "null"}, status: 403},
			{name: "a body of another kind", token: token, header: map[string]string{"Content-Type": "text/plain"}, status: 415},
			{name: "a body without a kind", token: token, header: map[string]string{"Content-Type": ""}, status: 415},
			{name: "a damaged body", token: token, header: map[string]string{"X-Damage": "%zz"}, status: 400},
		} {
			fields := url.Values{"email": {"new@example.org"}, "password": {secretWords}, "csrf": {tc.token}}
			if tc.token == "" {
				fields.Del("csrf")
			}
			body := fields.Encode() + tc.header["X-Damage"]
			r := httptest.NewRequest(http.MethodPost, "https://grants.example"+f.path, strings.NewReader(body))
			header := map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin", "Origin": "https://grants.example"}
			maps.Copy(header, tc.header)
			for name, value := range header {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			if got := f.who.do(r); got.status != tc.status {
				t.Errorf("%s, %s: %d\n%s", f.path, tc.name, got.status, main(got.body))
			}
		}
		// A token in the address does not count.
		r := httptest.NewRequest(http.MethodPost, f.path+"?csrf="+url.QueryEscape(token), strings.NewReader("email=new@example.org"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if got := f.who.do(r); got.status != 403 {
			t.Errorf("%s, token in the address: %d", f.path, got.status)
		}
	}
	if _, err := p.store.AccountOf(t.Context(), "new@example.org"); err == nil {
		t.Error("an account was made")
	}
	if _, err := p.store.Authenticate(t.Context(), key); err != nil {
		t.Error("the key was rotated")
	}
	if keys, err := p.store.KeysOf(t.Context(), "ada@example.org"); err != nil || len(keys) != 1 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	if n := p.emails(); n != emails {
		t.Errorf("%d emails were sent", n-emails)
	}
	want(t, member.get("/account"), 200, "ada@example.org")
	// A form that was opened before signing in does not work afterwards.
	v := p.visitor(t)
	token := v.csrf("/signin")
	want(t, v.fill("/signin", "/signin", map[string]string{"email": "ada@example.org", "password": secretWords}), 303, "/account")
	want(t, v.post("/account/keys", url.Values{"csrf": {token}}), 403, "out of date")
}

// TestFixation plants a session and a visit of the attacker in the victim's
// browser, and checks that neither survives signing in.
func TestFixation(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	attacker := p.member(t, "eve@example.org")
	p.member(t, "ada@example.org")
	planted := attacker.cookies["__Host-session"]
	victim := p.visitor(t)
	fields := url.Values{"csrf": {victim.csrf("/signin")}, "email": {"ada@example.org"}, "password": {secretWords}}
	victim.cookies["__Host-session"] = planted
	want(t, victim.post("/signin", fields), 303, "/account")
	if got := victim.cookies["__Host-session"]; got == planted || got == "" {
		t.Errorf("the session is %q", got)
	}
	if victim.cookies["__Host-visit"] != "" {
		t.Error("the visit goes on")
	}
	want(t, victim.get("/account"), 200, "ada@example.org")
	want(t, attacker.get("/account"), 303, "/signin?next=%2Faccount")
	// A made-up secret is not a session.
	for _, s := range []string{"x", strings.Repeat("A", 43), strings.Repeat("A", 5000), "' OR 1=1"} {
		v := p.visitor(t)
		v.cookies["__Host-session"] = s
		want(t, v.get("/account"), 303, "/signin?next=%2Faccount")
	}
}

func TestCookies(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		base   string
		secure bool
	}{
		{"https://grants.example", true},
		{"https://127.0.0.1:8443", true},
		{"http://grants.example", true},
		{"http://10.0.0.1:8080", true},
		{"http://localhost.evil.example", true},
		{"http://127.0.0.1:8080", false},
		{"http://[::1]:8080", false},
		{"http://localhost:8080", false},
	} {
		u, err := url.Parse(tc.base)
		if err != nil || secureAt(u) != tc.secure {
			t.Errorf("%s: %v, %v", tc.base, secureAt(u), err)
		}
	}
	for base, prefix := range map[string]string{"https://grants.example": "__Host-", "http://127.0.0.1:8080": ""} {
		p := newPlace(t, func(c *Config) { c.BaseURL = base })
		v := p.member(t, "ada@example.org")
		want(t, v.fill("/account", "/account/keys", nil), 303, "/account")
		for name, same := range map[string]http.SameSite{"session": http.SameSiteLaxMode, "visit": http.SameSiteLaxMode, "flash": http.SameSiteStrictMode} {
			c := v.set[prefix+name]
			if name == "visit" {
				// The visit was dropped on signing in.
				q := p.visitor(t)
				q.get("/signin")
				c = q.set[prefix+name]
			}
			if c == nil || !c.HttpOnly || c.Secure != (prefix != "") || c.SameSite != same || c.Path != "/" || c.Domain != "" || c.MaxAge <= 0 {
				t.Errorf("%s: %s is %+v", base, name, c)
			}
		}
	}
}

// TestFlashIsShownOnce copies the cookie that carries a key.
func TestFlashIsShownOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	v := p.member(t, "ada@example.org")
	want(t, v.fill("/account", "/account/keys", nil), 303, "/account")
	sealed := v.cookies["__Host-flash"]
	if keyIn.MatchString(sealed) || sealed == "" {
		t.Fatalf("the cookie is %q", sealed)
	}
	// A HEAD request does not take the flash.
	if got := v.do(httptest.NewRequest(http.MethodHead, "/account", nil)); got.status != 200 || v.cookies["__Host-flash"] == "" {
		t.Error("HEAD took the key")
	}
	// Another visitor cannot open it.
	eve := p.member(t, "eve@example.org")
	eve.cookies["__Host-flash"] = sealed
	if keyIn.MatchString(eve.get("/account").body) {
		t.Error("somebody else sees the key")
	}
	key := keyIn.FindString(v.get("/account").body)
	if key == "" {
		t.Fatal("the key was not shown")
	}
	v.cookies["__Host-flash"] = sealed
	if keyIn.MatchString(v.get("/account").body) {
		t.Error("the key is shown twice")
	}
	// Another server of the same site does not show it again.
	second := newPlace(t, func(c *Config) { c.Accounts, c.Secret = p.store, []byte(strings.Repeat("s", 32)) })
	first := newPlace(t, func(c *Config) { c.Accounts, c.Secret = p.store, []byte(strings.Repeat("s", 32)) })
	v.handler = first
	want(t, v.fill("/account", "/account/keys", nil), 303, "/account")
	sealed = v.cookies["__Host-flash"]
	v.handler = second
	if !keyIn.MatchString(v.get("/account").body) {
		t.Error("a server does not understand its twin")
	}
	v.handler, v.cookies["__Host-flash"] = first, sealed
	if keyIn.MatchString(v.get("/account").body) {
		t.Error("the key is shown by both servers")
	}
	// A flash expires after a few minutes, and a damaged one is ignored.
	v.handler = p
	want(t, v.fill("/account", "/account/keys", nil), 303, "/account")
	p.clock.forward(flashAge + time.Second)
	if keyIn.MatchString(v.get("/account").body) {
		t.Error("an old key is shown")
	}
	for _, s := range []string{"x", "AAAA", sealed[:len(sealed)-2], "A" + sealed} {
		v.cookies["__Host-flash"] = s
		want(t, v.get("/account"), 200, "Your account")
	}
}

// TestHeaders asks for every page, and checks that account pages stay out of caches
// and frames.
func TestHeaders(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	v, member := p.visitor(t), p.member(t, "ada@example.org")
	want(t, member.fill("/account", "/account/keys", nil), 303, "/account")
	keys, err := p.store.KeysOf(t.Context(), "ada@example.org")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		who  *person
		path string
	}{
		{v, "/signin"}, {v, "/signup"}, {v, "/forgot"}, {v, "/email-sent"}, {v, "/confirm?token=x"}, {v, "/reset?token=x"}, {v, "/account"},
		{v, "/check"}, {v, "/check/000000001"}, {v, "/verify"}, {member, "/check"}, {member, "/check/000000001"},
		{member, "/account"}, {member, "/account/password"}, {member, "/account/keys/" + keys[0].ID + "/rotate"},
	} {
		h := tc.who.get(tc.path).header
		if h.Get("Cache-Control") != "no-store" || h.Get("X-Robots-Tag") != "noindex" || h.Get("Referrer-Policy") != "same-origin" ||
			!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") || strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
			t.Errorf("%s: %v", tc.path, h)
		}
	}
	for _, path := range []string{"/", "/data", "/nowhere"} {
		if h := v.get(path).header; h.Get("Vary") != "Cookie" || h.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	want(t, v.get("/"), 200, `href="/signin"`)
	for _, tc := range []struct {
		got   page
		allow string
	}{{v.get("/signout"), "POST"}, {v.post("/data", nil), "GET, HEAD"}, {v.post("/org/070000001", nil), "GET, HEAD"}, {v.post("/", nil), "GET, HEAD"}} {
		want(t, tc.got, 405, "Method not allowed")
		if got := tc.got.header.Get("Allow"); got != tc.allow {
			t.Errorf("Allow is %q, want %q", got, tc.allow)
		}
	}
	want(t, v.post("/nowhere", nil), 404, "Page not found")
}

// TestOtherPeoplesKeys tries to rotate another account's key.
func TestOtherPeoplesKeys(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ada, eve := p.member(t, "ada@example.org"), p.member(t, "eve@example.org")
	want(t, ada.fill("/account", "/account/keys", nil), 303, "/account")
	key := keyIn.FindString(ada.get("/account").body)
	k, err := p.store.Authenticate(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{k.ID, key, "key_000000000000", "x"} {
		want(t, eve.get("/account/keys/"+id+"/rotate"), 404, "Page not found")
		want(t, eve.get("/account/keys/"+id+"/delete"), 404, "Page not found")
		want(t, eve.post("/account/keys/"+id+"/delete", url.Values{"csrf": {eve.csrf("/account")}}), 404, "Page not found")
		want(t, eve.post("/account/keys/"+id+"/rotate", url.Values{"csrf": {eve.csrf("/account")}}), 404, "Page not found")
	}
	if _, err := p.store.Authenticate(t.Context(), key); err != nil {
		t.Error("the key was rotated by somebody else")
	}
	// Ten keys are the limit.
	for range 9 {
		want(t, ada.fill("/account", "/account/keys", nil), 303, "/account")
	}
	want(t, ada.fill("/account", "/account/keys", nil), 409, "ten keys at most")
	want(t, ada.fill("/account", "/account/keys", map[string]string{"label": strings.Repeat("x", 201)}), 422, "A label is one line")
}

// TestInactiveAccount deactivates an account: its keys stop working, and its owner
// cannot make new ones.
func TestInactiveAccount(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ada := p.member(t, "ada@example.org")
	want(t, ada.fill("/account", "/account/keys", nil), 303, "/account")
	k, err := p.store.Authenticate(t.Context(), keyIn.FindString(ada.get("/account").body))
	if err == nil {
		_, err = p.store.DeactivateAccount(t.Context(), k.Account)
	}
	if err != nil {
		t.Fatal(err)
	}
	want(t, ada.get("/account"), 200, "switched off")
	want(t, ada.fill("/account", "/account/keys", nil), 403, "This account is inactive")
}

func TestSettings(t *testing.T) {
	t.Parallel()
	good := Config{BaseURL: "https://grants.example", Log: slog.New(slog.DiscardHandler)}
	if s, err := New(good); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
	for _, bad := range []Config{{}, {BaseURL: "grants.example"}, {BaseURL: "ftp://grants.example"}, {BaseURL: "https://grants.example", Secret: []byte("short")}} {
		bad.Log = good.Log
		if _, err := New(bad); err == nil {
			t.Errorf("%+v is taken", bad)
		} else if f, ok := fault.Of(err); !ok || f.Hint == "" {
			t.Errorf("%v", err)
		}
	}
}
