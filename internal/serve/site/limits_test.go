package site

import (
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve/site/visitor"
)

// TestVisitorsAreBounded opens pages up to the limit, as a stranger and as a
// member. Other visitors are still served, and the limit recovers with time.
func TestVisitorsAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t, func(c *Config) { c.Rate = visitor.Rate{} })
	robot := p.visitor(t)
	for i := range Pages.Burst {
		if got := robot.get("/search"); got.status != 200 {
			t.Fatal(i, got.status)
		}
	}
	refused := robot.get("/search?q=library")
	want(t, refused, 429, "Please wait 1 second and reload")
	if after, err := strconv.Atoi(refused.header.Get("Retry-After")); err != nil || after != 1 {
		t.Error(refused.header)
	}
	for path, status := range map[string]int{"/": 429, "/check": 429, "/share.png": 429, "/sitemap.xml": 429, "/data": 200, "/robots.txt": 200, "/static/style.css": 200, "/signin": 200} {
		if got := robot.get(path); got.status != status {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	neighbor := p.visitor(t)
	neighbor.from = "192.0.2.8:4711"
	want(t, neighbor.get("/search"), 200, "")

	// A cookie without a session does not raise the limit.
	liar := p.visitor(t)
	liar.cookies["__Host-"+sessionCookie] = strings.Repeat("A", 43)
	liar.cookies[sessionCookie] = strings.Repeat("A", 43)
	want(t, liar.get("/search"), 429, "Sign in to open more")

	member := p.member(t, "reader@example.org")
	for i := range 100 {
		if got := member.get("/search"); got.status != 200 {
			t.Fatal(i, got.status)
		}
	}
	p.clock.forward(time.Second)
	want(t, robot.get("/search"), 200, "")
	want(t, robot.get("/search"), 200, "")
	want(t, robot.get("/search"), 429, "")
}

// TestLongAddress sends an address longer than any form makes.
func TestLongAddress(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest("GET", "/search?q="+strings.Repeat("x", longestAddress), nil))
	if w.Code != 414 || !strings.Contains(w.Body.String(), "too long") {
		t.Error(w.Code, w.Body)
	}
}
