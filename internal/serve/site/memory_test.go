package site

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/serve/budget"
)

// TestBusy asks for pages while others hold all the memory there is.
func TestBusy(t *testing.T) {
	t.Parallel()
	b := budget.New(64<<20, budget.Options{Timer: func(time.Duration) (<-chan time.Time, func() bool) {
		over := make(chan time.Time)
		close(over)
		return over, func() bool { return false }
	}})
	p := newPlace(t, func(c *Config) { c.Budget = b })
	set, release := p.Acquire()
	defer release()
	funder := examplesOf(t.Context(), set).Funder
	get := func(path string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		p.ServeHTTP(rec, httptest.NewRequest("GET", path, nil))
		return rec
	}
	org := get("/org/" + funder.EIN.String()).Header().Get("Location")
	hold, err := b.Take(t.Context(), 64<<20)
	if err != nil {
		t.Fatal(err)
	}
	hold.Resize(64 << 20)
	for _, path := range []string{"/", org} {
		if rec := get(path); rec.Code != 503 || rec.Header().Get("Retry-After") == "" || !strings.Contains(rec.Body.String(), "try again") {
			t.Errorf("%s: %d %v %.300s", path, rec.Code, rec.Header(), rec.Body)
		}
	}
	if rec := get("/data"); rec.Code != 200 { // asks the graph nothing
		t.Errorf("/data: %d", rec.Code)
	}
	hold.Release()
	for _, path := range []string{"/", org} {
		if rec := get(path); rec.Code != 200 {
			t.Errorf("%s: %d %.300s", path, rec.Code, rec.Body)
		}
	}
	if b.Held() != 0 {
		t.Errorf("%d bytes are held in the end", b.Held())
	}
}
