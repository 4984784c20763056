package site

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/report/keyring"
	"grantgraph/internal/serve/site/mail"
	"grantgraph/internal/serve/site/visitor"
	"grantgraph/internal/serve/sqlbox/worker"
)

// TestMain runs a SQL worker if a sandbox starts this program as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "sql-worker" {
		os.Exit(worker.Run(os.Stdin, os.Stdout))
	}
	os.Exit(world.Main(m))
}

// opened is the dataset that all places of this process show. It is open until the process ends.
var opened struct {
	once   sync.Once
	holder *dataset.Holder
	err    error
}

// watch is a clock that a test sets.
type watch struct {
	mu  sync.Mutex
	now time.Time
}

func (w *watch) time() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *watch) forward(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// mailbox keeps emails.
type mailbox struct {
	mu     sync.Mutex
	emails []mail.Email
	refuse error
}

func (b *mailbox) Send(_ context.Context, e mail.Email) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse != nil {
		return b.refuse
	}
	b.emails = append(b.emails, e)
	return nil
}

// place is a site whose surroundings a test controls.
type place struct {
	*Site
	clock *watch
	box   *mailbox
	store *account.Store
}

func newPlace(t *testing.T, change ...func(*Config)) *place {
	t.Helper()
	data := world.Small.Data(t)
	opened.once.Do(func() {
		opened.holder, opened.err = dataset.Open(data, dataset.Options{Log: slog.New(slog.DiscardHandler)})
	})
	if opened.err != nil {
		t.Fatal(opened.err)
	}
	p := &place{clock: &watch{now: time.Date(2026, 3, 10, 14, 20, 0, 0, time.UTC)}, box: &mailbox{}}
	var err error
	p.store, err = account.OpenSQLite(filepath.Join(t.TempDir(), "accounts.db"), account.Options{Clock: p.clock.time})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.store.Close(); err != nil {
			t.Error(err)
		}
	})
	ring, err := keyring.Open(t.Context(), p.store, p.clock.time)
	if err != nil {
		t.Fatal(err)
	}
	withoutAPI := func(context.Context, *dataset.Dataset, api.Inquiry) (client.Answer, func(), error) {
		return nil, nil, errors.New("this site has no API behind it")
	}
	c := Config{BaseURL: "https://grants.example", Ask: withoutAPI, Acquire: opened.holder.Acquire, Accounts: p.store, Mail: p.box,
		Rate: visitor.Rate{Burst: 1 << 20, Every: time.Millisecond}, Clock: p.clock.time, Log: slog.New(slog.DiscardHandler), Ring: ring}
	for _, f := range change {
		f(&c)
	}
	if p.Site, err = New(c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Site.Close)
	return p
}

// email waits for pending emails and returns the last one to an address.
func (p *place) email(t *testing.T, to string) mail.Email {
	t.Helper()
	p.outbox.wg.Wait()
	p.box.mu.Lock()
	defer p.box.mu.Unlock()
	for i := len(p.box.emails) - 1; i >= 0; i-- {
		if p.box.emails[i].To == to {
			return p.box.emails[i]
		}
	}
	t.Fatalf("no email to %s among %d", to, len(p.box.emails))
	return mail.Email{}
}

func (p *place) emails() int {
	p.outbox.wg.Wait()
	p.box.mu.Lock()
	defer p.box.mu.Unlock()
	return len(p.box.emails)
}

var linkIn = regexp.MustCompile(`https?://\S+\?token=\S+`)

// follow is the path of the link in an email.
func follow(t *testing.T, e mail.Email) string {
	t.Helper()
	u, err := url.Parse(linkIn.FindString(e.Text))
	if err != nil || u.Path == "" {
		t.Fatalf("no link in %q", e.Text)
	}
	return u.RequestURI()
}

// person is somebody with a browser.
type person struct {
	t       *testing.T
	handler http.Handler
	cookies map[string]string
	set     map[string]*http.Cookie // as they were last set
	from    string                  // network address
}

func (p *place) visitor(t *testing.T) *person {
	return &person{t: t, handler: p.Site, cookies: map[string]string{}, set: map[string]*http.Cookie{}, from: "192.0.2.7:4711"}
}

// page is what a browser shows.
type page struct {
	status int
	header http.Header
	body   string
}

func (p *person) do(r *http.Request) page {
	p.t.Helper()
	r.RemoteAddr = p.from
	for name, value := range p.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	p.handler.ServeHTTP(w, r)
	answer := w.Result()
	for _, c := range answer.Cookies() {
		p.set[c.Name] = c
		if c.MaxAge < 0 {
			delete(p.cookies, c.Name)
		} else {
			p.cookies[c.Name] = c.Value
		}
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return page{answer.StatusCode, answer.Header, string(body)}
}

func (p *person) get(path string) page {
	p.t.Helper()
	return p.do(httptest.NewRequest(http.MethodGet, path, nil))
}

// post sends a form as a browser would, without opening the page first.
func (p *person) post(path string, fields url.Values) page {
	p.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Origin", "https://grants.example")
	return p.do(r)
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)

// fill opens a page, fills in its first form and sends it to path.
func (p *person) fill(at, path string, fields map[string]string) page {
	p.t.Helper()
	before := p.get(at)
	if before.status != http.StatusOK {
		p.t.Fatalf("%s: %d, %s", at, before.status, before.body)
	}
	values := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(before.body, -1) {
		values.Set(m[1], html.UnescapeString(m[2]))
	}
	for k, v := range fields {
		values.Set(k, v)
	}
	return p.post(path, values)
}

// csrf is the token of the form on a page.
func (p *person) csrf(at string) string {
	p.t.Helper()
	for _, m := range hidden.FindAllStringSubmatch(p.get(at).body, -1) {
		if m[1] == "csrf" {
			return m[2]
		}
	}
	p.t.Fatalf("no form on %s", at)
	return ""
}

const secretWords = "correct horse battery"

// member is a signed-in person with a confirmed account.
func (p *place) member(t *testing.T, email string) *person {
	t.Helper()
	v := p.visitor(t)
	want(t, v.fill("/signup", "/signup", map[string]string{"email": email, "password": secretWords}), 303, "/email-sent")
	want(t, v.fill(follow(t, p.email(t, email)), "/confirm", map[string]string{"password": secretWords}), 303, "/account")
	return v
}

// want fails the test unless the page has this status and this text, or redirects
// to this address.
func want(t *testing.T, got page, status int, text string) {
	t.Helper()
	if got.status != status || status/100 == 3 && got.header.Get("Location") != text || status/100 != 3 && !strings.Contains(html.UnescapeString(got.body), text) {
		t.Fatalf("status %d, location %q, want %d and %q in:\n%s", got.status, got.header.Get("Location"), status, text, main(got.body))
	}
}

// main is the part of a page between header and footer.
func main(body string) string {
	_, rest, _ := strings.Cut(body, "<main>")
	rest, _, _ = strings.Cut(rest, "</main>")
	return fmt.Sprintf("%.3000s", rest)
}

var keyIn = regexp.MustCompile(`gg_[a-z]_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}`)
