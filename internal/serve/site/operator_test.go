package site

import (
	"strings"
	"testing"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/operator"
)

// TestOperator reads the pages about the service, first as the program comes, then with
// a name, a contact and texts.
func TestOperator(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	v := p.visitor(t)
	for path, has := range map[string]string{
		"/about": "has not published a name", "/contact": "has not published an address", "/privacy": "60 days", "/terms": "has not published terms",
		"/plans": "10,000 calls a month", "/status": "Screenings now use 0 of 7 lists",
	} {
		want(t, v.get(path), 200, has)
		if body := v.get(path).body; strings.Contains(body, "{{") || strings.Contains(body, "<no value>") || strings.Contains(body, `href="mailto:"`) {
			t.Errorf("%s: %s", path, body)
		}
	}
	if days(sessionAge) != 90 || days(account.UsageKept) != 60 {
		t.Error("privacy.md has other days")
	}

	p = newPlace(t, withLists, func(c *Config) {
		c.Operator = frame.Operator{Name: "Lake <Erie> Fund", Contact: "mailto:grants@example.org"}
		c.Texts = operator.Texts{
			"privacy": "# Our privacy\n\nWe keep **nothing**. [Bad](javascript:alert(1)) <script>alert(1)</script>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
			"plans":   "Plus costs **nothing** for members.",
		}
	})
	v = p.visitor(t)
	private := v.get("/privacy")
	want(t, private, 200, "<h1>Our privacy</h1>")
	want(t, private, 200, "<strong>nothing</strong>")
	want(t, private, 200, "Run by Lake <Erie> Fund")
	if strings.Contains(private.body, "javascript:") || strings.Contains(private.body, "<script>alert(1)") {
		t.Errorf("%s", private.body)
	}
	want(t, v.get("/contact"), 200, `href="mailto:grants@example.org"`)
	want(t, v.get("/plans"), 200, "<strong>nothing</strong> for members")
	want(t, v.get("/plans"), 200, `write to <a href="mailto:grants@example.org">Lake <Erie> Fund</a>`)
	if body := v.get("/status").body; !strings.Contains(body, "of 7 lists.") || !strings.Contains(body, "in the future, by the clock") {
		t.Errorf("%s", body)
	}
	want(t, v.fill("/signup", "/signup", map[string]string{"email": "ada@example.org", "password": secretWords}), 303, "/email-sent")
	if text := p.email(t, "ada@example.org").Text; !strings.Contains(text, "run by Lake <Erie> Fund\n") || !strings.Contains(text, "Questions: grants@example.org\n") {
		t.Errorf("%s", text)
	}
	p.confirmed(t, "bea@example.org", account.Plus)
	v = p.visitor(t)
	want(t, v.fill("/signin", "/signin", map[string]string{"email": "bea@example.org", "password": secretWords}), 303, "/account")
	plans := v.get("/plans")
	want(t, plans, 200, "<h2>Plus <small>your plan</small></h2>")
	want(t, plans, 200, "Mention your account, <b>bea@example.org</b>")
}
