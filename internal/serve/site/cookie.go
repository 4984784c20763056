package site

import (
	"crypto/rand"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// The cookies. A Secure cookie has a name that begins with __Host-, so that no
// other host, not even a subdomain, can set it.
const (
	sessionCookie = "session" // the secret of a session
	visitCookie   = "visit"   // ties forms to a visitor who is not signed in
	flashCookie   = "flash"   // a message for the next page
)

// How long browsers keep the cookies. The store decides when a session ends, which
// is never after its cookie.
const (
	sessionAge = 90 * 24 * time.Hour
	visitAge   = 24 * time.Hour
)

// secureAt reports whether cookies are Secure for a site at this address: always,
// except without TLS on a developer's own machine.
func secureAt(base *url.URL) bool {
	host := base.Hostname()
	a, err := netip.ParseAddr(host)
	return base.Scheme != "http" || host != "localhost" && (err != nil || !a.IsLoopback())
}

func (s *Site) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

func (s *Site) setCookie(w http.ResponseWriter, name, value string, age time.Duration, site http.SameSite) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(name), Value: value, Path: "/", MaxAge: int(age / time.Second),
		Secure: s.secure, HttpOnly: true, SameSite: site,
	})
}

func (s *Site) dropCookie(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(name), Path: "/", MaxAge: -1, Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

func (s *Site) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

const secretBytes = 32

func newSecret() string {
	var b [secretBytes]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func isSecret(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == secretBytes
}

func remoteAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
