package site

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// The cookies. A Secure cookie has a name that begins with __Host-, so that no other host, not even a subdomain, can set it.
const (
	sessionCookie = "session" // the secret of a session
	visitCookie   = "visit"   // ties forms to a visitor who is not signed in
	flashCookie   = "flash"   // a message for the next page
)

// How long browsers keep the cookies. A session never ends after its cookie.
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
	s.setCookie(w, name, "", -time.Second, http.SameSiteLaxMode)
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

// flash is a message that one request leaves for the next page, such as a new key. It travels in an encrypted cookie, works
// only for its visitor and expires in a few minutes. A key is shown once, even across several servers.
type flash struct {
	Kind  string    `json:"kind"`
	Email string    `json:"email,omitempty"`
	Key   string    `json:"key,omitempty"`
	KeyID string    `json:"key_id,omitempty"`
	Until time.Time `json:"until"`
}

// Kinds of flashes.
const (
	flashMade      = "made"      // a key was made
	flashRotated   = "rotated"   // a key has a new secret
	flashLost      = "lost"      // a key was made but cannot be shown
	flashSignUp    = "signup"    // an email follows a sign-up
	flashForgot    = "forgot"    // an email may follow a forgotten password
	flashConfirmed = "confirmed" // an address was confirmed
	flashPassword  = "password"  // the password was changed
	flashDeleted   = "deleted"   // a key was deleted
	flashList      = "list"      // a list was changed; Email says how
)

const (
	flashAge   = 5 * time.Minute
	flashNonce = 12 // bytes of the nonce that a sealed flash begins with
)

// newCipher makes a cipher that begins each sealed text with a random nonce.
func newCipher(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (s *Site) leaveFlash(v *visit, f flash) {
	f.Until = s.Clock().Add(flashAge).UTC()
	text, _ := json.Marshal(f) // texts and a time always have a JSON form
	sealed := s.flashes.Seal(nil, nil, text, []byte(v.bind))
	s.setCookie(v.w, flashCookie, base64.RawURLEncoding.EncodeToString(sealed), flashAge, http.SameSiteStrictMode)
}

// takeFlash takes the flash that was left, unless it was taken before.
func (s *Site) takeFlash(v *visit) flash {
	text := s.cookie(v.r, flashCookie)
	if text == "" || v.r.Method != http.MethodGet {
		return flash{}
	}
	s.dropCookie(v.w, flashCookie)
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return flash{}
	}
	var f flash
	open, err := s.flashes.Open(nil, nil, sealed, []byte(v.bind))
	if err != nil || json.Unmarshal(open, &f) != nil || !s.Clock().Before(f.Until) {
		return flash{}
	}
	if f.Key == "" {
		return f
	}
	// The cookie may be a copy; the store knows whether the key was shown.
	fresh, err := s.Accounts.Seen(v.r.Context(), "flash "+v.account.ID, hex.EncodeToString(sealed[:flashNonce]), f.Until)
	if err != nil {
		s.Log.Error("a key could not be shown", "error", err)
		return flash{Kind: flashLost}
	}
	if !fresh {
		return flash{}
	}
	return f
}
