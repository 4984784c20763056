package serve

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
)

// bare is a text as it reads when whoever has it takes every escape off.
func bare(s string) string {
	for {
		next := s
		for _, c := range []byte("gg_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%") {
			next = strings.ReplaceAll(next, fmt.Sprintf("%%%02x", c), string(rune(c)))
			next = strings.ReplaceAll(next, fmt.Sprintf("%%%02X", c), string(rune(c)))
		}
		if next == s {
			return strings.ToLower(s)
		}
		s = next
	}
}

// TestKeysAreNotLogged sends a key in every part of a request but the header it
// belongs into, in many encodings, and looks for it in the log, in the metrics
// and in what the server repeats.
func TestKeysAreNotLogged(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	for _, format := range []string{"text", "json"} {
		var log bytes.Buffer
		var h slog.Handler = slog.NewTextHandler(&log, nil)
		if format == "json" {
			h = slog.NewJSONHandler(&log, nil)
		}
		s := idle(t, data, h)
		key, err := account.NewKey(account.Pro, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, c := range []byte(key) {
			fmt.Fprintf(&all, "%%%02X", c)
		}
		twice := func(s string) string { return strings.ReplaceAll(s, "%", "%25") }
		for _, k := range []string{
			key, strings.ToUpper(key), strings.ToLower(key), strings.ReplaceAll(key, "_", "%5f"), strings.ReplaceAll(key, "_", "%255F"),
			all.String(), strings.ToLower(all.String()), twice(all.String()), twice(twice(all.String())), key + ".json", key[:30],
		} {
			for _, target := range []string{
				"/%s", "/%s/", "/api/%s", "/api/v1/%s", "/api/v1/%s/x/y", "/api/v1/admin/keys/%s", "/api/v1/admin/%s/x", "/api/v1/grants/%s", "/org/%s", "/org/%s/name", "/static/%s",
				"/signin/%s", "/.well-known/%s", "//%s", "/api/v1/grants/summary?api_key=%s", "/api/v1/search?q=%s", "/?%s", "/account?key=%s", "/openapi.json/%s",
			} {
				for _, method := range []string{"GET", "POST", "DELETE"} {
					u, err := url.ParseRequestURI(fmt.Sprintf(target, k))
					if err != nil {
						t.Fatal(err)
					}
					r := httptest.NewRequest(method, "/", nil)
					r.URL, r.RequestURI = u, fmt.Sprintf(target, k)
					r.Header.Set("Referer", "http://localhost/"+k)
					r.Header.Set("User-Agent", k)
					r.Header.Set("X-Request-Id", k)
					w := httptest.NewRecorder()
					s.Handler().ServeHTTP(w, r)
					if body := w.Body.String(); w.Code == http.StatusNotFound && strings.HasPrefix(u.Path, "/api/") && strings.Contains(bare(firstLine(body)), strings.ToLower(key[5:20])) {
						t.Errorf("%s %s is answered with the key: %.300s", method, r.RequestURI, body)
					}
				}
			}
		}
		metrics := httptest.NewRecorder()
		s.metrics.handler().ServeHTTP(metrics, httptest.NewRequest("GET", "/metrics", nil))
		for name, text := range map[string]string{"log": log.String(), "metrics": metrics.Body.String()} {
			for line := range strings.Lines(text) {
				if strings.Contains(bare(line), strings.ToLower(key[5:20])) {
					t.Errorf("a key is in the %s: %s", name, line)
				}
			}
		}
		if !strings.Contains(log.String(), "gg_…") || strings.Count(log.String(), "\n") < 500 {
			t.Errorf("%d lines of log", strings.Count(log.String(), "\n"))
		}
	}
}

// firstLine is the message of an error, without the identifier of the request,
// which is the client's own.
func firstLine(body string) string {
	before, _, _ := strings.Cut(body, `"request_id"`)
	return before
}

// TestMaskedLog writes keys into every part of a record.
func TestMaskedLog(t *testing.T) {
	t.Parallel()
	key, err := account.NewKey(account.Free, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	log := slog.New(masked{slog.NewJSONHandler(&b, nil)})
	log.With("with", key, slog.Group("g", "in", key)).WithGroup("group").Error("message "+key,
		"text", "/"+key, "error", errors.New("asking /"+key), "wrapped", fmt.Errorf("x: %w", errors.New(key)),
		"any", struct{ Path string }{key}, "list", []string{key}, "bytes", 7, "duration", 3)
	if strings.Contains(b.String(), key[5:]) {
		t.Error(b.String())
	}
	for _, want := range []string{`"bytes":7`, `"duration":3`, `"msg":"message gg_…"`, `"error":"asking /gg_…"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b.String())
		}
	}
	b.Reset()
	log.Info("plain", "error", errors.New("as it was"), "path", "/a%20b")
	if !strings.Contains(b.String(), `"error":"as it was"`) || !strings.Contains(b.String(), `"path":"/a%20b"`) {
		t.Error(b.String())
	}
}
