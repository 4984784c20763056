package watch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/example"
	sitemail "grantgraph/internal/serve/site/mail"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/snapshot/lists"
)

// service is a Watcher over a real store, and a list of an account that is watched.
type service struct {
	*Watcher
	t         *testing.T
	now       atomic.Int64
	data      atomic.Pointer[dataset.Dataset]
	account   string
	list      account.List
	published int // editions
}

var key = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))

func (s *service) clock() time.Time { return time.Unix(0, s.now.Load()).UTC() }

func newService(t *testing.T, change func(*Config)) *service {
	t.Helper()
	s := &service{t: t}
	s.now.Store(time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC).UnixNano())
	store, err := account.OpenSQLite(filepath.Join(t.TempDir(), "accounts.db"), account.Options{Clock: s.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	c := Config{Store: store, Acquire: func() (*dataset.Dataset, func()) { return s.data.Load(), func() {} }, BaseURL: "https://grants.example.org",
		Mail: sitemail.NewConsole(io.Discard), Key: key, Secret: make([]byte, 32), Clock: s.clock, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&c)
	}
	if s.Watcher, err = New(c); err != nil {
		t.Fatal(err)
	}
	a, err := store.SignUp(t.Context(), "ann@example.org", "correct horse battery", "")
	if err != nil {
		t.Fatal(err)
	}
	token, err := store.VerifyToken(t.Context(), a.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.VerifyEmail(t.Context(), token, "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	s.account = a.ID
	if s.list, err = store.CreateList(t.Context(), a.ID, "Grantees & friends"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.AddMembers(t.Context(), a.ID, s.list.ID, []account.Member{{EIN: 1, Name: "First"}, {EIN: 2, Name: "Second"}}); err != nil {
		t.Fatal(err)
	}
	s.set(account.WatchChange{On: new(true)})
	s.publish()
	s.step()
	return s
}

func (s *service) set(c account.WatchChange) (feed string) {
	s.t.Helper()
	_, feed, err := s.Store.ChangeWatch(s.t.Context(), s.account, s.list.ID, c)
	if err != nil {
		s.t.Fatal(err)
	}
	return feed
}

// publish makes the next edition of the lists current, in which the exempt status of these organizations is revoked.
func (s *service) publish(revoked ...ein.EIN) {
	s.t.Helper()
	var editions []change.InventedEdition
	s.published++
	for i := range s.published {
		editions = append(editions, change.InventedEdition{Version: fmt.Sprintf("202603%02dT000000Z", i+1)})
	}
	for _, e := range revoked {
		last := &editions[len(editions)-1]
		last.Changes = append(last.Changes, change.ListChange{List: lists.Revocation, Change: "revoked", EIN: e})
	}
	log, err := change.NewLog(editions)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { log.Close() })
	s.data.Store(&dataset.Dataset{Snapshot: &snapshot.Snapshot{Manifest: snapshot.Manifest{Version: newYear}}, ListLog: log,
		Changes: example.Changes(), Profiles: example.Profiles()})
}

func (s *service) step() {
	s.t.Helper()
	if err := s.Step(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) watch() *account.Watch {
	s.t.Helper()
	w, err := s.Store.WatchOf(s.t.Context(), s.account, s.list.ID)
	if err != nil || w == nil {
		s.t.Fatal(w, err)
	}
	return w
}

// hook is a host with a webhook, and beside it one that publishes the key of the service.
type hook struct {
	t        *testing.T
	url      string
	keys     *httptest.Server
	roots    *x509.CertPool
	verifier *httpsig.Verifier
	status   atomic.Int64
	mu       sync.Mutex
	got      []client.WatchDelivery
}

func newHook(t *testing.T, now func() time.Time) *hook {
	t.Helper()
	h := &hook{t: t, roots: x509.NewCertPool()}
	h.status.Store(200)
	server := httptest.NewTLSServer(h)
	t.Cleanup(server.Close)
	h.url = server.URL + "/grants?from=grantgraph"
	var publisher http.Handler
	h.keys = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { publisher.ServeHTTP(w, r) }))
	t.Cleanup(h.keys.Close)
	p, err := httpsig.NewPublisher(h.keys.URL, key)
	if err != nil {
		t.Fatal(err)
	}
	p.Now = now
	publisher = p
	h.roots.AddCert(server.Certificate())
	h.roots.AddCert(h.keys.Certificate())
	directory := httpsig.NewDirectory(httpsig.Options{Roots: h.roots, Loopback: true, Now: now})
	if h.verifier, err = httpsig.NewVerifier(server.URL, directory, fresh{}); err != nil {
		t.Fatal(err)
	}
	h.verifier.Now = now
	return h
}

type fresh struct{ httpsig.Nonces }

// leads is a resolver that leads inside.
type leads struct{}

func (leads) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("fd00::1")}, nil
}

func (fresh) Seen(context.Context, string, string, time.Time) (bool, error) { return true, nil }

// ServeHTTP takes a delivery only if its signature and its digest are right.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		h.t.Error(err)
	}
	signed, err := h.verifier.Verify(r.Context(), r)
	if err != nil || !signed.Attested {
		h.t.Errorf("the signature: %+v, %v", signed, err)
	}
	sum := sha256.Sum256(body)
	input := r.Header.Get("Signature-Input")
	if r.Header.Get("Content-Digest") != "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":" || !strings.Contains(input, `"content-digest"`) ||
		!strings.Contains(input, `"@path"`) {
		h.t.Errorf("%v", r.Header)
	}
	var d client.WatchDelivery
	if err := json.Unmarshal(body, &d); err != nil || r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" {
		h.t.Errorf("%s %v: %v", r.Method, r.Header, err)
	}
	h.mu.Lock()
	h.got = append(h.got, d)
	h.mu.Unlock()
	if status := int(h.status.Load()); status == 302 {
		http.Redirect(w, r, h.keys.URL, status)
	} else {
		w.WriteHeader(status)
	}
}

// ids are the deliveries that came, by their IDs.
func (h *hook) ids() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []string
	for _, d := range h.got {
		list = append(list, d.ID)
	}
	h.got = nil
	return strings.Join(list, " ")
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	var s *service
	h := newHook(t, func() time.Time { return s.clock() })
	s = newService(t, func(c *Config) {
		c.BaseURL, c.Outbound = h.keys.URL, httpsig.Options{Roots: h.roots, Loopback: true}
	})
	s.set(account.WatchChange{Webhook: &h.url})
	s.step()
	if got := h.ids(); got != "" {
		t.Errorf("before there is an alert: %s", got)
	}
	s.publish(1, 2, 3)
	s.step()
	if len(h.got) != 1 || len(h.got[0].Alerts) != 2 || h.got[0].Type != "alerts" || h.got[0].ListName != "Grantees & friends" || h.got[0].List != s.list.ID {
		t.Fatalf("%+v", h.got)
	}
	a := h.got[0].Alerts[0]
	if a.Kind != "revoked" || *a.EIN != "000000001" || a.Name != "EXAMPLE COMMUNITY FOUNDATION" || a.Title != "Exempt status revoked" || a.Text == "" ||
		a.From != "20260301T000000Z" || a.To != "20260302T000000Z" || !strings.HasPrefix(*a.URL, h.keys.URL+"/org/000000001/") || a.At != "2026-03-10T12:00:00Z" {
		t.Errorf("%+v", a)
	}
	first := h.ids()
	s.step()
	if got := h.ids(); got != "" {
		t.Errorf("%s was sent once more", got)
	}

	// It fails, waits and is sent again under the same ID. A redirect is a failure.
	h.status.Store(302)
	s.publish(1)
	s.step()
	s.step()
	failed := h.ids()
	if w := s.watch().Webhook; w.Failures != 1 || w.Error != "it answered with status 302" || w.Stopped || !w.Next.Equal(s.clock().Add(time.Minute)) {
		t.Errorf("%+v", w)
	}
	h.status.Store(204)
	s.now.Add(int64(time.Minute))
	s.step()
	if again := h.ids(); again != failed || again == first || again == "" {
		t.Errorf("%s, and then %s", failed, again)
	}
	if w := s.watch().Webhook; w.Failures != 0 || w.Error != "" {
		t.Errorf("%+v", w)
	}

	// It is stopped after so many failures.
	h.status.Store(500)
	s.publish(2)
	tries := 0
	for range 100 {
		s.step()
		if h.ids() != "" {
			tries++
		}
		s.now.Add(int64(mostWait))
	}
	if w := s.watch().Webhook; tries != stopAfter || !w.Stopped || w.Failures != stopAfter || w.Error != "it answered with status 500" {
		t.Errorf("%d tries, %+v", tries, w)
	}
	// The owner tests it, and sets it again.
	if why := s.Test(t.Context(), s.list, h.url); why != "it answered with status 500" {
		t.Errorf("%q", why)
	}
	h.status.Store(200)
	h.ids()
	if why := s.Test(t.Context(), s.list, h.url); why != "" || h.got[0].Type != "test" || len(h.got[0].Alerts) != 0 {
		t.Errorf("%q %+v", why, h.got)
	}
	h.ids()
	s.set(account.WatchChange{Webhook: &h.url})
	s.step()
	if h.ids() == "" {
		t.Error("nothing is sent after the webhook was set again")
	}
	// A host that is gone gets no more.
	h.status.Store(410)
	s.publish(1)
	s.step()
	if w := s.watch().Webhook; !w.Stopped || w.Failures != 1 {
		t.Errorf("%+v", w)
	}
}

// TestPrivateHooks refuses addresses within a network, by their name and when they are called.
func TestPrivateHooks(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer inside.Close()
	roots := x509.NewCertPool()
	roots.AddCert(inside.Certificate())
	s := newService(t, func(c *Config) { c.Outbound = httpsig.Options{Roots: roots} })
	for _, address := range []string{
		"", "hooks.example.org", "http://hooks.example.org/", "https://", "https://user@hooks.example.org/", "https://hooks.example.org/#a", "https://hooks.example.org:8443/",
		"https://localhost/", "https://127.0.0.1/", "https://[::1]/", "https://10.0.0.8/", "https://169.254.169.254/latest", "https://2130706433/", "https://0x7f.1/",
		"https://0x7f000001/", "https://127.1/", "https://intranet/", "https://localhost./", "ftp://hooks.example.org/", "https://hooks.example.org/" + strings.Repeat("x", maxHook), inside.URL,
	} {
		if err := s.CheckHook(address); err == nil {
			t.Errorf("%q is taken", address)
		}
		if why := s.Test(t.Context(), s.list, address); why == "" {
			t.Errorf("%q is called", address)
		}
	}
	for _, address := range []string{"https://hooks.example.org/grants?a=b", "https://hooks.example.org:443", "https://xn--bcher-kva.example/"} {
		if err := s.CheckHook(address); err != nil {
			t.Error(err)
		}
	}
	// A name that leads inside is refused when it is called.
	s.client = httpsig.NewClient(httpsig.Options{Roots: roots, Resolver: leads{}})
	if why := s.Test(t.Context(), s.list, "https://hooks.example.org/"); why != "it is not at a public address" {
		t.Errorf("%q", why)
	}
	if asked.Load() > 0 {
		t.Error("a server inside was called")
	}
}

func TestHookURLs(t *testing.T) {
	t.Parallel()
	if got := hostOf("https://grants.example.org:8443/x"); got != "grants.example.org:8443" {
		t.Error(got)
	}
}

// postOffice is a mail server. It takes no email while it is closed.
type postOffice struct {
	listener net.Listener
	closed   atomic.Bool
	mu       sync.Mutex
	mails    []*mail.Message
	texts    []string
}

func newPostOffice(t *testing.T) *postOffice {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &postOffice{listener: l}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { defer conn.Close(); o.serve(t, conn) })
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return o
}

func (o *postOffice) serve(t *testing.T, conn net.Conn) {
	if o.closed.Load() {
		return
	}
	in := bufio.NewReader(conn)
	fmt.Fprint(conn, "220 office\r\n")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		switch verb, _, _ := strings.Cut(strings.TrimSpace(line), " "); verb {
		case "DATA":
			fmt.Fprint(conn, "354 go on\r\n")
			var b strings.Builder
			for line, err = in.ReadString('\n'); err == nil && line != ".\r\n"; line, err = in.ReadString('\n') {
				b.WriteString(strings.TrimPrefix(line, "."))
			}
			m, err := mail.ReadMessage(strings.NewReader(b.String()))
			if err != nil {
				t.Error(err)
				return
			}
			text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
			if err != nil {
				t.Error(err)
			}
			o.mu.Lock()
			o.mails, o.texts = append(o.mails, m), append(o.texts, string(text))
			o.mu.Unlock()
			fmt.Fprint(conn, "250 taken\r\n")
		case "QUIT":
			fmt.Fprint(conn, "221 bye\r\n")
			return
		default:
			fmt.Fprint(conn, "250 good\r\n")
		}
	}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	o := newPostOffice(t)
	s := newService(t, func(c *Config) {
		post, err := sitemail.Open("smtp://"+o.listener.Addr().String(), "Grantgraph <no-reply@grants.example.org>")
		if err != nil {
			t.Fatal(err)
		}
		c.Mail = post
	})
	s.set(account.WatchChange{Email: new(true)})
	// The mail server does not answer: the alerts are kept, and tried until it does.
	o.closed.Store(true)
	s.publish(1)
	for i := range 30 {
		s.step()
		if w := s.watch().Email; w.Failures != i+1 || w.Stopped || w.Error != "the mail server did not take the email" {
			t.Fatalf("%+v", w)
		}
		s.now.Add(int64(mostWait))
	}
	if n, err := s.Store.Failing(t.Context()); err != nil || n[account.ByEmail] != 1 {
		t.Error(n, err)
	}
	o.closed.Store(false)
	s.publish(1, 2)
	s.step()
	if len(o.mails) != 1 {
		t.Fatalf("%d emails", len(o.mails))
	}
	h := o.mails[0].Header
	link := "<" + s.StopLink(s.list.ID) + ">"
	if h.Get("To") != "<ann@example.org>" || h.Get("Subject") != `3 changes in your list "Grantees & friends"` || h.Get("List-Unsubscribe") != link ||
		h.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Errorf("%v", h)
	}
	for _, has := range []string{"EXAMPLE COMMUNITY FOUNDATION (00-0000001)\r\nExempt status revoked. The IRS lists its exempt status as revoked.\r\n" +
		"https://grants.example.org/org/000000001/example-community-foundation\r\n", s.StopLink(s.list.ID), "/lists/" + s.list.ID + "/feed"} {
		if !strings.Contains(o.texts[0], has) {
			t.Errorf("the email does not say %q:\n%s", has, o.texts[0])
		}
	}
	if w := s.watch().Email; w.Failures != 0 || w.Error != "" {
		t.Errorf("%+v", w)
	}
	// At most one a day.
	s.publish(2)
	s.step()
	s.now.Add(int64(daily) - 1)
	s.step()
	if len(o.mails) != 1 {
		t.Errorf("%d emails in a day", len(o.mails))
	}
	s.now.Add(1)
	s.step()
	if len(o.mails) != 2 || o.mails[1].Header.Get("Subject") != `1 change in your list "Grantees & friends"` {
		t.Errorf("%d emails", len(o.mails))
	}
	s.now.Add(int64(daily))
	s.step()
	if len(o.mails) != 2 {
		t.Error("an email without an alert")
	}
	if mark := s.stopMark(s.list.ID); !s.StopsEmail(s.list.ID, mark) || s.StopsEmail("lst_other", mark) || s.StopsEmail(s.list.ID, "") {
		t.Error("the link that ends emails")
	}
}

// TestAtom holds a feed against what RFC 4287 demands of it.
func TestAtom(t *testing.T) {
	t.Parallel()
	s := newService(t, nil)
	for range 2 {
		s.publish(1, 2)
		s.step()
		s.now.Add(int64(time.Hour))
	}
	alerts, _, err := s.Store.Alerts(t.Context(), s.account, s.list.ID, 0, 0, 100)
	if err != nil || len(alerts) != 4 {
		t.Fatal(alerts, err)
	}
	alerts = append(alerts, account.Alert{Seq: 77, Kind: "not_compared", Is: "the <lists> & more", At: alerts[3].At})
	for _, list := range [][]account.Alert{alerts, nil} {
		var b bytes.Buffer
		if err := s.Atom(&b, s.list, list); err != nil {
			t.Fatal(err)
		}
		type Node struct {
			XMLName xml.Name
			ID      string    `xml:"http://www.w3.org/2005/Atom id"`
			Title   string    `xml:"http://www.w3.org/2005/Atom title"`
			Updated time.Time `xml:"http://www.w3.org/2005/Atom updated"`
			Author  []string  `xml:"http://www.w3.org/2005/Atom author>name"`
			Summary string    `xml:"http://www.w3.org/2005/Atom summary"`
			Links   []struct {
				Rel  string `xml:"rel,attr"`
				Href string `xml:"href,attr"`
			} `xml:"http://www.w3.org/2005/Atom link"`
		}
		var feed struct {
			Node
			Entries []Node `xml:"http://www.w3.org/2005/Atom entry"`
		}
		if err := xml.Unmarshal(b.Bytes(), &feed); err != nil {
			t.Fatal(err)
		}
		if feed.Title != "Grantees & friends" || len(feed.Author) != 1 || len(feed.Entries) != len(list) || feed.Updated.IsZero() {
			t.Errorf("%+v", feed)
		}
		seen := map[string]bool{feed.ID: true}
		for i, e := range append([]Node{feed.Node}, feed.Entries...) {
			if i > 0 && (seen[e.ID] || e.Summary == "") || e.Title == "" || e.Updated.IsZero() || e.Updated.After(feed.Updated) || !strings.HasPrefix(e.ID, "https://") {
				t.Errorf("%+v", e)
			}
			for _, l := range e.Links {
				if l.Rel != "alternate" || !strings.HasPrefix(l.Href, s.BaseURL) {
					t.Errorf("%+v", l)
				}
			}
			seen[e.ID] = true
		}
		if !strings.HasPrefix(b.String(), xml.Header+`<feed xmlns="http://www.w3.org/2005/Atom">`) {
			t.Errorf("the feed begins with %.100s", b.String())
		}
	}
}
