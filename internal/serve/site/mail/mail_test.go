package mail

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/fault"
)

// office is a mail server that takes one conversation after another.
type office struct {
	listener net.Listener
	secure   *tls.Config
	roots    *x509.CertPool
	implicit bool
	offers   []string // extensions
	refuse   string   // verb to refuse with 550

	mu    sync.Mutex
	heard []string // verbs, and whether they came over TLS
	mail  []byte
	wg    sync.WaitGroup
}

func newOffice(t *testing.T, change func(*office)) *office {
	t.Helper()
	o := &office{offers: []string{"8BITMIME", "STARTTLS", "AUTH PLAIN"}}
	if change != nil {
		change(o)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "office"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	o.roots = x509.NewCertPool()
	o.roots.AddCert(parsed)
	o.secure = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	if o.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	o.wg.Go(func() {
		for {
			conn, err := o.listener.Accept()
			if err != nil {
				return
			}
			o.wg.Go(func() { defer conn.Close(); o.serve(conn) })
		}
	})
	t.Cleanup(func() { o.listener.Close(); o.wg.Wait() })
	return o
}

func (o *office) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.heard = append(o.heard, fmt.Sprintf(format, args...))
}

// serve speaks as much SMTP as our client needs.
func (o *office) serve(conn net.Conn) {
	how := "clear"
	if o.implicit {
		conn, how = tls.Server(conn, o.secure), "tls"
	}
	in := bufio.NewReader(conn)
	say := func(s string) { _, _ = io.WriteString(conn, s+"\r\n") }
	say("220 office")
	for {
		text, err := in.ReadString('\n')
		if err != nil {
			return
		}
		text = strings.TrimRight(text, "\r\n")
		verb, rest, _ := strings.Cut(text, " ")
		o.note("%s %s", how, verb)
		if verb == o.refuse {
			say("550 no")
			continue
		}
		switch verb {
		case "EHLO":
			say("250-office")
			for _, e := range o.offers {
				if e != "STARTTLS" || how == "clear" {
					say("250-" + e)
				}
			}
			say("250 HELP")
		case "STARTTLS":
			say("220 go on")
			conn, how = tls.Server(conn, o.secure), "tls"
			in = bufio.NewReader(conn)
		case "AUTH":
			who, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			o.note("as %q", who)
			say("235 welcome")
		case "MAIL", "RCPT":
			o.note("%s", rest)
			say("250 good")
		case "DATA":
			say("354 go on")
			var b bytes.Buffer
			for {
				l, err := in.ReadString('\n')
				if err != nil {
					return
				}
				if l == ".\r\n" {
					break
				}
				b.WriteString(strings.TrimPrefix(l, "."))
			}
			o.mu.Lock()
			o.mail = b.Bytes()
			o.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("502 what?")
		}
	}
}

func (o *office) client(t *testing.T, scheme, user string) *SMTP {
	t.Helper()
	s, err := Open(scheme+"://"+user+o.listener.Addr().String(), "Grantgraph <no-reply@grants.example>")
	if err != nil {
		t.Fatal(err)
	}
	s.roots = o.roots
	s.clock = func() time.Time { return time.Date(2026, 3, 10, 14, 20, 0, 0, time.UTC) }
	return s
}

var greeting = Email{To: "ada@example.org", Subject: "Grüße aus dem Büro", Text: "Hello,\n\n.a line that begins with a dot\nhttps://grants.example/reset?token=" + strings.Repeat("abc=", 30) + "\n\nBye – until then\n",
	Stop: "https://grants.example/lists/stop?list=lst_1"}

func TestSMTP(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, scheme, user string
		change             func(*office)
		heard              string
	}{
		{"STARTTLS and a password", "smtp", "me:p%40ss@", nil,
			`clear EHLO|clear STARTTLS|tls EHLO|tls AUTH|as "\x00me\x00p@ss"|tls MAIL|FROM:<no-reply@grants.example> BODY=8BITMIME|tls RCPT|TO:<ada@example.org>|tls DATA|tls QUIT`},
		{"TLS from the first byte", "smtps", "", func(o *office) { o.implicit = true },
			"tls EHLO|tls MAIL|FROM:<no-reply@grants.example> BODY=8BITMIME|tls RCPT|TO:<ada@example.org>|tls DATA|tls QUIT"},
		{"in the clear on this machine", "smtp", "", func(o *office) { o.offers = nil },
			"clear EHLO|clear MAIL|FROM:<no-reply@grants.example>|clear RCPT|TO:<ada@example.org>|clear DATA|clear QUIT"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, tc.change)
			if err := o.client(t, tc.scheme, tc.user).Send(t.Context(), greeting); err != nil {
				t.Fatal(err)
			}
			o.listener.Close()
			o.wg.Wait()
			if got := strings.Join(o.heard, "|"); got != tc.heard {
				t.Errorf("heard %s", got)
			}
			m, err := mail.ReadMessage(bytes.NewReader(o.mail))
			if err != nil {
				t.Fatal(err)
			}
			subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
			if err != nil || subject != greeting.Subject {
				t.Errorf("%q, %v", subject, err)
			}
			body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
			if err != nil || strings.ReplaceAll(string(body), "\r\n", "\n") != greeting.Text {
				t.Errorf("%q, %v", body, err)
			}
			for name, want := range map[string]string{"From": `"Grantgraph" <no-reply@grants.example>`, "To": "<ada@example.org>", "Date": "Tue, 10 Mar 2026 14:20:00 +0000",
				"Content-Type": "text/plain; charset=utf-8", "Auto-Submitted": "auto-generated",
				"List-Unsubscribe": "<" + greeting.Stop + ">", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"} {
				if got := m.Header.Get(name); got != want {
					t.Errorf("%s: %q", name, got)
				}
			}
			if id := m.Header.Get("Message-Id"); !strings.HasSuffix(id, "@grants.example>") {
				t.Errorf("Message-ID %q", id)
			}
			for l := range strings.SplitSeq(string(o.mail), "\r\n") {
				if len(l) > 76+len("Content-Transfer-Encoding: ") || strings.Contains(l, "\n") {
					t.Errorf("a line of %d bytes", len(l))
				}
			}
		})
	}
}

func TestSMTPRefusals(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA"} {
		o := newOffice(t, func(o *office) { o.refuse = verb })
		if err := o.client(t, "smtp", "me:pass@").Send(t.Context(), greeting); err == nil {
			t.Errorf("%s is refused and the email is sent", verb)
		}
	}
	// No email goes to a server with an untrusted certificate, nor to a remote server
	// without TLS.
	o := newOffice(t, nil)
	c := o.client(t, "smtp", "")
	c.roots = nil
	if err := c.Send(t.Context(), greeting); err == nil {
		t.Error("a stranger is trusted")
	}
	o = newOffice(t, func(o *office) { o.offers = nil })
	c = o.client(t, "smtp", "")
	c.host = "mail.example.org"
	if err := c.Send(t.Context(), greeting); !errors.Is(err, errNoTLS) {
		t.Errorf("%v", err)
	}
	if len(o.mail) > 0 {
		t.Error("an email went in the clear")
	}
}

// TestSilentServer waits for a silent server until the context ends.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := Open("smtp://"+l.Addr().String(), "no-reply@grants.example")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	sent := make(chan error)
	go func() { sent <- s.Send(ctx, greeting) }()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	if err := <-sent; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := NewConsole(&b).Send(t.Context(), Email{To: "ada@example.org", Subject: "Hello", Text: "one\ntwo\n"}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != "\n--- email to ada@example.org: Hello\n  one\n  two\n--- end of email\n\n" {
		t.Errorf("%q", got)
	}
}

func TestEmails(t *testing.T) {
	t.Parallel()
	good := Email{To: "ada@example.org", Subject: "Hello", Text: "text"}
	if err := good.check(); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*Email){
		func(e *Email) { e.To = "" },
		func(e *Email) { e.To = "ada" },
		func(e *Email) { e.To = "@example.org" },
		func(e *Email) { e.To = "ada@" },
		func(e *Email) { e.To = "ada@example.org\r\nBcc: eve@example.org" },
		func(e *Email) { e.To = "ada@example.org, eve@example.org" },
		func(e *Email) { e.To = "Ada <ada@example.org>" },
		func(e *Email) { e.To = strings.Repeat("a", 300) + "@example.org" },
		func(e *Email) { e.Subject = "" },
		func(e *Email) { e.Subject = "Hello\r\nX: y" },
		func(e *Email) { e.Subject = strings.Repeat("a", 201) },
		func(e *Email) { e.Text = "\xff" },
		func(e *Email) { e.Text = "\x00" },
		func(e *Email) { e.Text = strings.Repeat("a", maxText+1) },
	} {
		bad := good
		change(&bad)
		if bad.check() == nil {
			t.Errorf("%.100q is taken", bad)
		}
		if NewConsole(io.Discard).Send(t.Context(), bad) == nil || (&SMTP{}).Send(t.Context(), bad) == nil {
			t.Errorf("%.100q is sent", bad)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"smtp://mail.example.org": "mail.example.org:587", "smtps://mail.example.org": "mail.example.org:465", "smtp://u:p@[::1]:25": "[::1]:25"} {
		if s, err := Open(address, "Grantgraph <no-reply@example.org>"); err != nil || s.addr != want {
			t.Errorf("%s: %+v, %v", address, s, err)
		}
	}
	for _, tc := range [][2]string{
		{"", "a@example.org"}, {"mail.example.org:25", "a@example.org"}, {"https://mail.example.org", "a@example.org"}, {"smtp://", "a@example.org"},
		{"smtp://mail.example.org/path", "a@example.org"}, {"smtp://mail.example.org?x=y", "a@example.org"},
		{"smtp://user:secret%zz@mail.example.org", "a@example.org"}, {"smtp://mail.example.org", "nobody"}, {"smtp://mail.example.org", "a@example.org\r\nX: y"},
	} {
		_, err := Open(tc[0], tc[1])
		if f, ok := fault.Of(err); !ok || f.Hint == "" || strings.Contains(f.Message, "secret") {
			t.Errorf("%q: %v", tc, err)
		}
	}
}
