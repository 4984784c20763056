// Package mail sends emails: over SMTP if the operator has a mail server, else to the console, so that a new installation needs
// no setup. Emails are plain text and contain nothing that tracks whether they were read.
package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/network"
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

// SMTP hands emails, which are few, to a mail server, each on a connection of its own.
type SMTP struct {
	addr, host     string
	user, password string
	implicit       bool // TLS from the first byte
	from           *mail.Address
	clock          func() time.Time
	roots          *x509.CertPool // nil uses the machine's
}

const sendTimeout = 30 * time.Second

var errNoTLS = errors.New("the mail server offers no STARTTLS, and emails hold links that open accounts")

// Send hands the email over, unencrypted only within this machine.
func (s *SMTP) Send(ctx context.Context, e Email) error {
	if err := e.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return fmt.Errorf("reaching the mail server: %w", err)
	}
	defer conn.Close()
	// When the context ends, so does the conversation.
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if err := s.deliver(conn, e); err != nil {
		return fmt.Errorf("handing an email to the mail server: %w", errors.Join(context.Cause(ctx), err))
	}
	return nil
}

func (s *SMTP) deliver(conn net.Conn, e Email) error {
	secure := &tls.Config{ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}
	if s.implicit {
		conn = tls.Client(conn, secure)
	}
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return err
	}
	if !s.implicit {
		if ok, _ := c.Extension("STARTTLS"); ok {
			if err := c.StartTLS(secure); err != nil {
				return err
			}
		} else if !network.LocalHost(s.host) {
			return errNoTLS
		}
	}
	if s.user != "" {
		if err := c.Auth(smtp.PlainAuth("", s.user, s.password, s.host)); err != nil {
			return err
		}
	}
	if err := c.Mail(s.from.Address); err != nil {
		return err
	}
	if err := c.Rcpt(e.To); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	text, err := s.message(e)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	// The server has accepted the email, so an error while closing does not matter.
	_ = c.Quit()
	return nil
}

// message is the email in the format of SMTP.
func (s *SMTP) message(e Email) ([]byte, error) {
	var id [16]byte
	rand.Read(id[:]) // never fails
	_, domain, _ := strings.Cut(s.from.Address, "@")
	var b bytes.Buffer
	headers := [][2]string{
		{"From", s.from.String()},
		{"To", "<" + e.To + ">"},
		{"Subject", mime.QEncoding.Encode("utf-8", e.Subject)},
		{"Date", s.clock().UTC().Format(time.RFC1123Z)},
		{"Message-ID", "<" + hex.EncodeToString(id[:]) + "@" + domain + ">"},
		{"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"},
		{"Content-Transfer-Encoding", "quoted-printable"},
		{"Auto-Submitted", "auto-generated"},
	}
	if e.Stop != "" { // RFC 8058: the reader's mail program shows a button
		headers = append(headers, [][2]string{{"List-Unsubscribe", "<" + e.Stop + ">"}, {"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"}}...)
	}
	for _, h := range headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	if _, err := w.Write([]byte(strings.ReplaceAll(e.Text, "\n", "\r\n"))); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}
