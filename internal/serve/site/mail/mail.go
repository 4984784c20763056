// Package mail sends emails: over SMTP if the operator has a mail server, else to the console, so that a new installation needs
// no setup. Emails are plain text and contain nothing that tracks whether they were read.
package mail

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/mail"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"grantgraph/internal/fault"
)

// Email is an email to one person.
type Email struct {
	To      string // bare address, such as name@example.org
	Subject string // one line
	Text    string // lines end in \n
	Stop    string // address that ends further emails of this kind by one POST; empty for an email that was asked for
}

// Bounds of an email.
const (
	maxAddress = 254
	maxSubject = 200
	maxStop    = 500
	maxText    = 64 << 10
)

// check refuses what could be read as anything but one email to one person.
func (e Email) check() error {
	if at := strings.LastIndexByte(e.To, '@'); at <= 0 || at == len(e.To)-1 || len(e.To) > maxAddress || !fault.Legible(e.To) ||
		strings.ContainsAny(e.To, " <>,;:\"()[]\\") {
		return fmt.Errorf("an email to %q", e.To)
	}
	if e.Subject == "" || len(e.Subject) > maxSubject || !fault.Legible(e.Subject) {
		return fmt.Errorf("an email about %q", e.Subject)
	}
	if len(e.Stop) > maxStop || !fault.Legible(e.Stop) || strings.ContainsAny(e.Stop, " <>") {
		return fmt.Errorf("an email that is ended at %q", e.Stop)
	}
	if len(e.Text) > maxText || !utf8.ValidString(e.Text) || strings.ContainsRune(e.Text, 0) {
		return fmt.Errorf("an email of %d bytes that is not text, or too long", len(e.Text))
	}
	return nil
}

// Mailer sends emails. It is safe for concurrent use.
type Mailer interface {
	// Send returns when the email was handed over, or failed.
	Send(ctx context.Context, e Email) error
}

// Console writes emails to the operator's console, until a mail server is set.
type Console struct {
	mu sync.Mutex
	w  io.Writer
}

// NewConsole makes a Console that writes to w.
func NewConsole(w io.Writer) *Console { return &Console{w: w} }

// Send writes the email.
func (c *Console) Send(_ context.Context, e Email) error {
	if err := e.check(); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n--- email to %s: %s\n", e.To, e.Subject)
	for text := range strings.Lines(strings.TrimRight(e.Text, "\n") + "\n") {
		b.WriteString("  " + text)
	}
	b.WriteString("--- end of email\n\n")
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := io.WriteString(c.w, b.String())
	return err
}

// Open makes the Mailer for an address. smtp://user:password@host:587 secures the connection with STARTTLS; smtps://host:465
// uses TLS from the first byte. A server on this machine may do without TLS. from is the sender, such as Grantgraph
// <no-reply@example.org>.
func Open(address, from string) (*SMTP, error) {
	bad := func(why string) error {
		return fault.New("bad_mail", "the address of the mail server %s", why).Try("one like smtp://user:password@mail.example.org:587")
	}
	u, err := url.Parse(address)
	if err != nil {
		// The parser's error would repeat the password.
		return nil, bad("cannot be read")
	}
	s := &SMTP{host: u.Hostname(), clock: time.Now}
	port := u.Port()
	switch u.Scheme {
	case "smtp":
		port = cmp.Or(port, "587")
	case "smtps":
		s.implicit = true
		port = cmp.Or(port, "465")
	default:
		return nil, bad("begins neither with smtp:// nor with smtps://")
	}
	if s.host == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, bad("is not a host and a port")
	}
	s.addr = net.JoinHostPort(s.host, port)
	if u.User != nil {
		s.user = u.User.Username()
		s.password, _ = u.User.Password()
	}
	if s.from, err = mail.ParseAddress(from); err != nil || !fault.Legible(from) {
		return nil, fault.New("bad_mail", "%q is not an address that emails can be from", from).Try("one like Grantgraph <no-reply@example.org>")
	}
	return s, nil
}
