package compress

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// TestHandler asks for packed answers as clients do.
func TestHandler(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("who funds whom ", 10_000)
	h := Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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

// TestBody packs a whole answer, or says that it did not.
func TestBody(t *testing.T) {
	t.Parallel()
	long := []byte(strings.Repeat("who funds whom ", 10_000))
	for _, c := range []struct {
		accept, kind string
		body         []byte
		packed       bool
	}{
		{"gzip", "application/json; charset=utf-8", long, true},
		{"br, GZIP;q=0.5", "text/csv; charset=utf-8", long, true},
		{"gzip;q=0", "application/json", long, false},
		{"", "application/json", long, false},
		{"gzip", "font/woff2", long, false},
		{"gzip", "image/png", long, false},
		{"gzip", "application/json", long[:100], false},
		{"gzip", "application/json", nil, false},
	} {
		r := httptest.NewRequest("HEAD", "/", nil)
		r.Header.Set("Accept-Encoding", c.accept)
		var out bytes.Buffer
		if packed := Body(r, c.kind, c.body, &out); packed != c.packed {
			t.Errorf("%q %s: packed %v", c.accept, c.kind, packed)
		} else if !packed && out.Len() > 0 {
			t.Errorf("%q %s: %d bytes are kept of what is not packed", c.accept, c.kind, out.Len())
		} else if packed {
			z, err := gzip.NewReader(&out)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := io.ReadAll(z); err != nil || !bytes.Equal(back, c.body) {
				t.Errorf("%d bytes come back, %v", len(back), err)
			}
		}
	}
}
