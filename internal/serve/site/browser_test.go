package site_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/site"
	"grantgraph/internal/serve/site/mail"
)

// postbox keeps the last email to each address, and serves it to a browser.
type postbox struct {
	mu     sync.Mutex
	emails map[string]chan string
}

func (p *postbox) of(to string) chan string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.emails[to] == nil {
		p.emails[to] = make(chan string, 10)
	}
	return p.emails[to]
}

func (p *postbox) Send(_ context.Context, e mail.Email) error {
	p.of(e.To) <- e.Text
	return nil
}

// ServeHTTP waits for the next email, which may still be on its way.
func (p *postbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case text := <-p.of(r.URL.Query().Get("to")):
		_, _ = io.WriteString(w, text)
	case <-r.Context().Done():
	}
}

// TestBrowser walks from sign-up to a first call of the API, and on to a
// rotated key, in Chromium.
func TestBrowser(t *testing.T) {
	t.Parallel()
	walk := site.Walker(t)
	box := &postbox{emails: map[string]chan string{}}
	mailbox := httptest.NewServer(box)
	defer mailbox.Close()
	// The clock stands still, so that no hour ends during the test.
	now := time.Date(2026, 3, 10, 14, 20, 0, 0, time.UTC)
	data := t.TempDir()
	world.Small.Publish(t, data)
	s, err := serve.Open(serve.Options{Data: data, Addr: "127.0.0.1:0", Mail: box, Clock: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Minute)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()

	walk(ctx, "account.mjs", s.URL(), mailbox.URL)
	stop()
	if err := <-done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
}
