package serve

import (
	"context"
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/report"
	"grantgraph/internal/serve/report/keyring"
)

// TestJWKS reads the published keys through the whole server, before and after
// a rotation, and verifies a signature with them.
func TestJWKS(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	s := idle(t, data, slog.DiscardHandler)
	ask := func(method string) *httptest.ResponseRecorder {
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, httptest.NewRequest(method, jwksPath, nil))
		return rec
	}
	published := func() []report.PublicKey {
		t.Helper()
		rec := ask(http.MethodGet)
		if h := rec.Header(); rec.Code != 200 || h.Get("Content-Type") != "application/jwk-set+json" || h.Get("Cache-Control") != "public, max-age=300" {
			t.Fatalf("%d %v", rec.Code, h)
		}
		keys, err := keyring.ParseKeys(rec.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	message := []byte("a report")
	id, signature, err := signWith(t.Context(), s.keys, message)
	if err != nil {
		t.Fatal(err)
	}
	if keys := published(); len(keys) != 1 || keys[0].ID != id || !ed25519.Verify(keys[0].Public, message, signature) {
		t.Errorf("%+v", keys)
	}
	// A second server on the same accounts has the same key, and one of them
	// rotates.
	other := idle(t, data, slog.DiscardHandler)
	since := time.Now().Add(-time.Minute)
	if _, _, err := other.keys.Rotate(t.Context(), since); err != nil {
		t.Fatal(err)
	}
	keys := published()
	if len(keys) != 2 || keys[0].ID != id || keys[0].Until.IsZero() || keys[0].Compromised.Unix() != since.Unix() || !keys[1].Until.IsZero() {
		t.Fatalf("%+v", keys)
	}
	if now, _, err := signWith(t.Context(), s.keys, message); err != nil || now != keys[1].ID {
		t.Errorf("%s signs, %v", now, err)
	}
	if rec := ask(http.MethodHead); rec.Code != 200 || rec.Header().Get("Content-Type") != keyring.MediaType {
		t.Errorf("HEAD: %d %v", rec.Code, rec.Header())
	}
	if rec := ask(http.MethodPost); rec.Code != 405 || rec.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", rec.Code, rec.Header())
	}
	events, err := s.Store().AuditTrail(t.Context(), account.EventFilter{Kind: account.EventSigningKey, Key: id})
	if err != nil || len(events) != 1 || events[0].Actor != "server" {
		t.Errorf("%+v, %v", events, err)
	}
	if err := s.accounts.Close(); err != nil {
		t.Fatal(err)
	}
	if rec := ask(http.MethodGet); rec.Code != 503 || rec.Header().Get("Cache-Control") == "public, max-age=300" || !strings.Contains(rec.Body.String(), "store_unavailable") {
		t.Errorf("without a store: %d %s", rec.Code, rec.Body)
	}
}

// signWith signs a message with a ring, and says with which key.
func signWith(ctx context.Context, r *keyring.Ring, message []byte) (id string, signature []byte, err error) {
	signature, err = r.Sign(ctx, func(with string) ([]byte, error) { id = with; return message, nil })
	return id, signature, err
}
