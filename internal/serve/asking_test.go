package serve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/site/asking"
)

// slowModel thinks until it is let.
type slowModel struct{ open chan struct{} }

func (m slowModel) Name() string { return "slow-1" }
func (m slowModel) Fill(ctx context.Context, _ string, _ func(string) (*ask.Plan, error)) (*ask.Plan, error) {
	select {
	case <-m.open:
	case <-ctx.Done():
	}
	return nil, errors.New("no plan")
}

// TestQuestions asks the whole service: the page gets a stream, each part of it
// when it is there and packed by nobody; a program is refused by the API.
func TestQuestions(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	m := slowModel{make(chan struct{})}
	s := startWith(t, Options{Data: data, Log: slog.New(slog.DiscardHandler), Model: m})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	page, err := client.Get(s.URL() + "/ask")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(page.Body)
	page.Body.Close()
	token := regexp.MustCompile(`data-token="([^"]+)"`).FindSubmatch(body)
	if err != nil || page.StatusCode != 200 || token == nil {
		t.Fatalf("%d %v %s", page.StatusCode, err, body)
	}
	for _, path := range asking.Paths {
		if status, text, err := send(http.MethodPost, s.URL()+path, "", strings.NewReader(`{"question":"x"}`)); status != 403 || !strings.Contains(text, `"error":"not_public"`) {
			t.Errorf("%s: %d %s %v", path, status, text, err)
		}
	}
	r, err := http.NewRequest(http.MethodPost, s.URL()+asking.Paths[0], strings.NewReader(`{"question":"xyzzy plugh frotz"}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Origin": s.URL(), "X-Page-Token": string(token[1]), "Accept-Encoding": "gzip"} {
		r.Header.Set(name, value)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if h := answer.Header; answer.StatusCode != 200 || h.Get("Content-Type") != "text/event-stream" || h.Get("Content-Encoding") != "" {
		t.Fatalf("%d %v", answer.StatusCode, h)
	}
	// The first line is here while the model still thinks.
	lines := bufio.NewReader(answer.Body)
	if first, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(first, ":") {
		t.Fatalf("%q, %v", first, err)
	}
	close(m.open)
	rest, err := io.ReadAll(lines)
	if err != nil || !strings.Contains(string(rest), "event: unclear") {
		t.Errorf("%v %s", err, rest)
	}
}
