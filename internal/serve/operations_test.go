package serve

import (
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/compress"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// TestCompressedAPI checks that an answer of the API varies by all that it
// depends on, also by what the handlers around it say.
func TestCompressedAPI(t *testing.T) {
	t.Parallel()
	h, err := NewAPI(API{Config: api.Config{BaseURL: "https://grants.example.org", Accounts: struct{ api.Accounts }{}, Acquire: func() (api.Dataset, func()) { return Invented(), nil }}})
	if err != nil {
		t.Fatal(err)
	}
	tag := ""
	for _, c := range []struct {
		path, encoding string
		status         int
	}{
		{"/api/v1/meta", "gzip", 200}, {"/openapi.json", "gzip", 200}, {"/api/v1/grants/transactions?example=1", "gzip", 200},
		{"/api/v1/meta", "", 304}, {"/api/v1/meta?format=yaml", "", 422},
	} {
		r := httptest.NewRequest("GET", c.path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		if c.status == 304 {
			r.Header.Set("If-None-Match", tag)
		}
		rec := httptest.NewRecorder()
		compress.Handler(h).ServeHTTP(rec, r)
		vary := strings.Join(rec.Header().Values("Vary"), ", ")
		if rec.Code != c.status || rec.Header().Get("Content-Encoding") != c.encoding || strings.Count(vary, "Accept-Encoding") != 1 || !strings.Contains(vary+",", "Accept,") {
			t.Errorf("%s: %d, Vary is %q, %v", c.path, rec.Code, vary, rec.Header())
		}
		if c.encoding != "" {
			if n, err := strconv.Atoi(rec.Header().Get("Content-Length")); err != nil || n != rec.Body.Len() {
				t.Errorf("%s: %d bytes, said %q", c.path, rec.Body.Len(), rec.Header().Get("Content-Length"))
			}
		}
		if c.path == "/api/v1/meta" {
			tag = rec.Header().Get("ETag")
		}
	}
}
