package site

import (
	"net/http/httptest"
	"testing"

	"grantgraph/internal/serve/site/frame"
)

func TestMoney(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		n     int64
		short string
	}{
		{0, "$0"},
		{7, "$7"},
		{999, "$999"},
		{1000, "$1,000"},
		{123456, "$123,456"},
		{1234567, "$1.2 million"},
		{2_100_000_000, "$2.1 billion"},
		{1_500_000_000_000, "$1.5 trillion"},
	} {
		if s := frame.Short(tc.n); s != tc.short {
			t.Errorf("%d: %s", tc.n, s)
		}
	}
}

// TestStaticMethods asks for a file with methods that are not allowed.
func TestStaticMethods(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, method := range []string{"POST", "OPTIONS", "DELETE"} {
		r := httptest.NewRequest(method, "https://grants.example/static/style.css", nil)
		rec := httptest.NewRecorder()
		p.ServeHTTP(rec, r)
		if rec.Code != 405 || rec.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d %v", method, rec.Code, rec.Header())
		}
	}
}

// TestSearchWithoutScript uses the search box as a browser without scripts does.
func TestSearchWithoutScript(t *testing.T) {
	t.Parallel()
	v := newPlace(t).visitor(t)
	want(t, v.get("/search?q=county+library"), 200, `value="county library"`)
	want(t, v.get("/search?q=county+library"), 200, `<a href="/org/`)
	want(t, v.get("/?q=county+library"), 301, "/search?q=county+library")
	want(t, v.get("/check?q=zzqxv+wwkjq"), 200, "We have no filing by an organization with that name")
	want(t, v.get("/static/"), 404, "")

	want(t, v.get("/static/style.css"), 200, "{")
}
