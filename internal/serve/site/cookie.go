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

// The cookies. Each has a name that begins with __Host- where it is Secure, so
// that no other host, not even one below ours, can set it.
const (
	sessionCookie = "session" // the secret of a session
	visitCookie   = "visit"   // binds the forms of somebody who is not signed in
	flashCookie   = "flash"   // what the next page is to show once
)

// How long the browser keeps them. When a session is over is for the store to
// say; this is no less than its longest.
const (
	sessionAge = 90 * 24 * time.Hour
	visitAge   = 24 * time.Hour
)

// secureAt says whether cookies of a site at this address are Secure: always,
// except where a developer runs it without TLS on their own machine.
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

// cookie is the value of a cookie, empty when there is none.
func (s *Site) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(name))
	if err != nil {
		return ""
	}
	return c.Value
}

// secretBytes is how much chance is in a secret.
const secretBytes = 32

func newSecret() string {
	var b [secretBytes]byte
	// It never fails: where there is no chance to be had, the program ends.
	_, _ = rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// isSecret says whether a cookie has the form of a secret.
func isSecret(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == secretBytes
}

// remoteAddress is the network address at the other end of the connection.
func remoteAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
