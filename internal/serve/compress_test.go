package serve

import (
	"bytes"
	"grantgraph/internal/serve/api"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// TestCompress asks for packed answers as clients do.
func TestCompress(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("who funds whom ", 10_000)
	h, err := compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `W/"a"`)
		switch r.URL.Path {
		case "/304":
			w.WriteHeader(http.StatusNotModified)
		case "/short":
			io.WriteString(w, "short")
		case "/font":
			w.Header().Set("Content-Type", "font/woff2")
			io.WriteString(w, long)
		default:
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			io.WriteString(w, long)
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(path, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		if accept != "" {
			r.Header.Set("Accept-Encoding", accept)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if vary := strings.Join(rec.Header().Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") {
			t.Errorf("%s %q: Vary is %q", path, accept, vary)
		}
		return rec
	}
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "br, gzip;q=0.8": "gzip", "gzip;q=0": "", "GZIP": "gzip", "identity": "", "zstd": "", "zstd, gzip": "gzip", "deflate": "",
	} {
		if got := ask("/", accept).Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q is answered with %q", accept, got)
		}
	}
	packed := ask("/", "gzip")
	if packed.Header().Get("ETag") != `W/"a"` || packed.Body.Len() > len(long)/10 {
		t.Errorf("%d bytes, %v", packed.Body.Len(), packed.Header())
	}
	z, err := gzip.NewReader(bytes.NewReader(packed.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(z); err != nil || string(body) != long {
		t.Errorf("%d bytes unpacked, want %d: %v", len(body), len(long), err)
	}
	for _, path := range []string{"/304", "/short", "/font"} {
		if rec := ask(path, "gzip"); rec.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s is packed", path)
		}
	}
}

// TestCompressedAPI checks that an answer of the API varies by all that it
// depends on, also by what the handlers around it say.
func TestCompressedAPI(t *testing.T) {
	t.Parallel()
	h, err := NewAPI(API{Config: api.Config{BaseURL: "https://grants.example.org", Accounts: struct{ api.Accounts }{}, Acquire: func() (api.Dataset, func()) { return Invented(), nil }}})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := compress(h)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/api/v1/meta", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	rec := httptest.NewRecorder()
	packed.ServeHTTP(rec, r)
	vary := strings.Join(rec.Header().Values("Vary"), ", ")
	if rec.Code != 200 || rec.Header().Get("Content-Encoding") != "gzip" || !strings.Contains(vary, "Accept-Encoding") || !strings.Contains(vary+",", "Accept,") {
		t.Errorf("%d, Vary is %q, %v", rec.Code, vary, rec.Header())
	}
}
