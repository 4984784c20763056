package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/netip"
	"net/smtp"
	"strings"
	"time"
)

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
		} else if !loopback(s.host) {
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

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}
