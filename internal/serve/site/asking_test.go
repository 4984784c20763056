package site

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"grantgraph/internal/serve/site/asking"
)

var pageToken = regexp.MustCompile(`data-token="([^"]+)"`)

// asks is a request of the script of the page, as a browser sends it.
func (p *person) asks(token string, change ...func(*http.Request)) *http.Request {
	r := httptest.NewRequest(http.MethodPost, asking.Paths[0], strings.NewReader(`{"question":""}`))
	for name, value := range map[string]string{"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", "Origin": "https://grants.example", "X-Page-Token": token} {
		r.Header.Set(name, value)
	}
	for _, f := range change {
		f(r)
	}
	return r
}

func (p *person) askToken() string {
	p.t.Helper()
	m := pageToken.FindStringSubmatch(p.get("/ask").body)
	if m == nil {
		p.t.Fatal("no token on the page of questions")
	}
	return m[1]
}

// TestAskedByThePageAlone checks that requests from elsewhere are refused: another
// origin, a program, a forged cookie, another visitor's token.
func TestAskedByThePageAlone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ann, bob := p.visitor(t), p.visitor(t)
	token, others := ann.askToken(), bob.askToken()
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set(name, value)
			if value == "" {
				r.Header.Del(name)
			}
		}
	}
	both := func(list ...func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			for _, f := range list {
				f(r)
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"the page", func(*http.Request) {}, 200},
		{"a browser without Sec-Fetch-Site", set("Sec-Fetch-Site", ""), 200},
		{"a browser without Origin", set("Origin", ""), 200},
		{"at the older address", func(r *http.Request) { r.URL.Path = asking.Paths[1] }, 200},
		{"another site", both(set("Sec-Fetch-Site", "cross-site"), set("Origin", "https://evil.example")), 403},
		{"a sister", set("Sec-Fetch-Site", "same-site"), 403},
		{"another origin that says it is the same", set("Origin", "https://evil.example"), 403},
		{"no origin at all", set("Origin", "null"), 403},
		{"a script", both(set("Sec-Fetch-Site", ""), set("Origin", "")), 403},
		{"typed into the address bar", set("Sec-Fetch-Site", "none"), 403},
		{"a key", set("X-API-Key", "gg_p_x"), 403},
		{"a bearer", set("Authorization", "Bearer gg_p_x"), 403},
		{"no token", set("X-Page-Token", ""), 403},
		{"another token", set("X-Page-Token", "AAAA"), 403},
		{"the token of somebody else", set("X-Page-Token", others), 403},
	} {
		got := ann.do(ann.asks(token, c.change))
		if got.status != c.status || c.status == 403 && !strings.Contains(got.body, `"error":"not_public"`) || c.status == 200 && !strings.Contains(got.body, "event: unclear") {
			t.Errorf("%s: %d %s", c.name, got.status, got.body)
		}
	}
	if kind := ann.set["__Host-asker"]; kind == nil || !kind.HttpOnly || !kind.Secure || kind.SameSite != http.SameSiteLaxMode {
		t.Errorf("the cookie is %v", kind)
	}
	for name, value := range map[string]string{"none": "", "forged": newSecret() + ".AAAAAAAAAAAAAAAAAAAAAA", "unsigned": newSecret(), "short": "a.b"} {
		forger := p.visitor(t)
		token := forger.askToken()
		forger.cookies["__Host-asker"] = value
		if got := forger.do(forger.asks(token)); got.status != 403 {
			t.Errorf("a cookie that is %s: %d", name, got.status)
		}
	}
	// After signing in, the token is that of the session.
	member := p.member(t, "ann@example.org")
	if got := member.do(member.asks(member.askToken())); got.status != 200 {
		t.Errorf("a member: %d %s", got.status, got.body)
	}
	if got := member.do(member.asks(token)); got.status != 403 {
		t.Errorf("a member with a token of before: %d", got.status)
	}
}

// TestAskForm accepts a form with a key only from the visitor who was shown the
// form.
func TestAskForm(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ann := p.visitor(t)
	if got := ann.fill("/ask", "/ask", map[string]string{"q": "", "key": "x"}); got.status != 200 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := ann.post("/ask", map[string][]string{"q": {"x"}, "csrf": {"other"}}); got.status != 403 {
		t.Errorf("%d", got.status)
	}
}
