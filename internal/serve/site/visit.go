package site

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/network"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/visitor"
)

// bound is how long the form of a page may be, and whether it may contain a file.
// The form stays in memory until the request ends.
type bound struct {
	most  int64
	files bool
}

var plainForm = bound{most: 16 << 10}

type visit struct {
	w       http.ResponseWriter
	r       *http.Request
	bind    string // ties the forms to the visitor
	from    string // network address
	session string // secret of the session, and
	account account.Account
	hold    *budget.Hold // on the memory of the form
}

// anyone guards a page for everybody, such as the sign-in page. Its forms are tied
// to a cookie of their own, so that no other site can sign a visitor in.
func (s *Site) anyone(most bound, serve func(*visit) error) http.HandlerFunc {
	return s.frame.Handle(func(w http.ResponseWriter, r *http.Request) error {
		keepPrivate(w)
		secret := s.cookie(r, visitCookie)
		if !isSecret(secret) {
			secret = newSecret()
			s.setCookie(w, visitCookie, secret, visitAge, http.SameSiteLaxMode)
		}
		v := &visit{w: w, r: r, bind: "visit " + secret, from: s.Address(r)}
		return s.answer(v, most, serve)
	})
}

// answer reads the form of a visit and draws a page for it, or the page about plans.
func (s *Site) answer(v *visit, most bound, serve func(*visit) error) error {
	defer v.release()
	err := s.checkForm(v, most)
	if err == nil {
		err = serve(v)
	}
	if beyond, ok := errors.AsType[*beyondPlan](err); ok {
		return s.showPlans(v, beyond)
	}
	return err
}

// release gives back the memory of the form.
func (v *visit) release() { v.hold.Release() }

// members guards a page for those who are signed in.
func (s *Site) members(most bound, serve func(*visit) error) http.HandlerFunc {
	return s.signedInOrNot(func(v *visit) error {
		if v.session == "" {
			to := "/signin"
			if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
				to += "?next=" + url.QueryEscape(wholePath(v.r.URL))
			}
			return v.redirect(to)
		}
		return s.answer(v, most, serve)
	})
}

// signedInOrNot guards a page that is public, and differs for members. It takes no form.
func (s *Site) signedInOrNot(serve func(*visit) error) http.HandlerFunc {
	return s.frame.Handle(func(w http.ResponseWriter, r *http.Request) error {
		keepPrivate(w)
		v, err := s.member(w, r)
		if err != nil {
			return err
		}
		return serve(v)
	})
}

// member finds the signed-in member. Without one, the visit has no session.
func (s *Site) member(w http.ResponseWriter, r *http.Request) (v *visit, err error) {
	v = &visit{w: w, r: r, from: s.Address(r)}
	secret := s.cookie(r, sessionCookie)
	if !isSecret(secret) {
		if secret != "" {
			s.dropCookie(w, sessionCookie)
		}
		return v, nil
	}
	who, err := s.Accounts.Session(r.Context(), secret)
	if slug(err) == "no_session" {
		s.dropCookie(w, sessionCookie)
		return v, nil
	}
	if err != nil {
		return nil, s.fail(v, err)
	}
	v.r = r.WithContext(account.As(r.Context(), account.Actor{Name: who.ID, Address: v.from}))
	v.bind, v.session, v.account = "session "+secret, secret, who
	return v, nil
}

// memberOf is the signed-in member, for a public page that shows members more.
func (s *Site) memberOf(r *http.Request) (frame.Member, error) {
	secret := s.cookie(r, sessionCookie)
	if !isSecret(secret) {
		return frame.Member{}, nil
	}
	who, err := s.Accounts.Session(r.Context(), secret)
	if slug(err) == "no_session" {
		return frame.Member{}, nil
	}
	return frame.Member{ID: who.ID, Plan: who.Plan}, err
}

// keepPrivate keeps a page out of caches and search engines. It also hides the
// address, which may hold a token, from other sites.
func keepPrivate(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Referrer-Policy", "same-origin")
}

// checkForm reads the form of a request, if any, and refuses it unless one of our pages showed it to this visitor.
func (s *Site) checkForm(v *visit, most bound) error {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return nil
	}
	if err := s.readForm(v, most); err != nil {
		return err
	}
	return s.checkToken(v)
}

// sender identifies the visitor to the limits on concurrent work. Only paying accounts have their own share, because anybody
// can open free accounts.
func (v *visit) sender() budget.Sender {
	from := budget.Sender{Address: v.from}
	if v.session != "" && paid(v.account.Plan) {
		from.Account = v.account.ID
	}
	return from
}

func (s *Site) readForm(v *visit, most bound) error {
	if err := s.origin.Check(v.r); err != nil {
		return frame.Refuse(http.StatusForbidden, "This came from another site", "Another site sent this form, so we did nothing.")
	}
	kind, _, err := mime.ParseMediaType(v.r.Header.Get("Content-Type"))
	withFiles := most.files && kind == "multipart/form-data"
	if err != nil || kind != "application/x-www-form-urlencoded" && !withFiles {
		return frame.Refuse(http.StatusUnsupportedMediaType, "This is not a form", "That form is not from this site, so we did nothing.")
	}
	var sent []byte
	sent, v.hold, err = s.Budget.ReadBody(v.r, v.sender(), most.most)
	v.r.Body = io.NopCloser(bytes.NewReader(sent))
	switch {
	case slug(err) == budget.Busy:
		return frame.Busy
	case err != nil:
	case withFiles:
		// The whole form fits in memory, so no file is written to the disk.
		err = v.r.ParseMultipartForm(most.most)
	default:
		err = v.r.ParseForm()
	}
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		text := "This form is too long, so we did nothing."
		if most.files {
			text = "This is longer than this page accepts, which is " + frame.Size(most.most) + ", so nothing was done."
		}
		return frame.Refuse(http.StatusRequestEntityTooLarge, "That is too much", text)
	}
	if err != nil {
		return frame.Refuse(http.StatusBadRequest, "This form cannot be read", "The form arrived incomplete or damaged, so we did nothing.")
	}
	return nil
}

// checkToken refuses a form that was not shown to this visitor.
func (s *Site) checkToken(v *visit) error {
	if !s.carriesToken(v, v.r.PostForm.Get("csrf")) {
		return frame.Refuse(http.StatusForbidden, "This form is out of date",
			"You opened this form before you signed in or out, or too long ago, so we did nothing. Open it again and send it once more.")
	}
	return nil
}

// token is what a visitor's forms carry. It is valid as long as the cookie it is made from, and does not reveal the cookie.
// Each page masks it differently: pages are compressed, and the compressed size must not reveal the token.
func (s *Site) token(v *visit) string {
	plain := mac(s.csrfKey, v.bind)
	masked := make([]byte, 2*len(plain))
	rand.Read(masked[:len(plain)]) // never fails
	subtle.XORBytes(masked[len(plain):], masked[:len(plain)], plain)
	return base64.RawURLEncoding.EncodeToString(masked)
}

func (s *Site) carriesToken(v *visit, token string) bool {
	plain := mac(s.csrfKey, v.bind)
	masked, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(masked) != 2*len(plain) {
		return false
	}
	given := make([]byte, len(plain))
	subtle.XORBytes(given, masked[:len(plain)], masked[len(plain):])
	return hmac.Equal(given, plain)
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func (v *visit) field(name string) string { return v.r.PostForm.Get(name) }

func (v *visit) redirect(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
	return nil
}

// The longest address that is kept across signing in, in bytes. The form that
// carries it has a bound of its own, and encoding may triple a byte.
const (
	mostPath = 500
	mostNext = 4000
)

// wholePath is the address of a page with its query, unless that is too long to keep.
func wholePath(u *url.URL) string {
	if whole := u.RequestURI(); len(whole) <= mostNext && localPath(whole) == whole {
		return whole
	}
	return u.Path
}

// localPath is where to go after signing in: next if it is a path of this site, else the account page.
func localPath(next string) string {
	const home = "/account"
	path, _, _ := strings.Cut(next, "?")
	if next == "" || len(path) > mostPath || len(next) > mostNext || next[0] != '/' || strings.HasPrefix(next, "//") {
		return home
	}
	// Browsers read a backslash as a slash, and skip line ends.
	if strings.ContainsFunc(next, func(c rune) bool { return c <= ' ' || c >= 0x7f || c == '\\' }) {
		return home
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return home
	}
	// Pages have clean paths. A browser could turn any other path into something else.
	if odd := func(part string) bool { return strings.Contains(u.Path, part) }; slices.ContainsFunc([]string{"//", "/.", "\\"}, odd) {
		return home
	}
	return next
}

func slug(err error) string {
	if f, ok := fault.Of(err); ok {
		return f.Slug
	}
	return ""
}

// Pages is how many pages a visitor may open: a burst for somebody who opens a list
// in tabs, then two a second. Members may open more.
var (
	Pages       = visitor.Rate{Burst: 60, Every: time.Second / 2}
	memberPages = visitor.Rate{Burst: 300, Every: time.Second / 10}
)

// longestAddress bounds an address, in bytes, as in the API.
const longestAddress = 8 << 10

// counted are the pages that use the engine, by the first part of their path. Below /api is the stream of the Ask page.
var counted = map[string]bool{
	"": true, "search": true, "explore": true, "download": true, "org": true, "grant": true, "place": true, "places": true, "cause": true, "causes": true,
	"ask": true, "api": true, "compare": true, "check": true, "lists": true, "sql": true, "share": true, "share.png": true, "sitemap.xml": true, "sitemap": true,
}

// bounded limits how many pages a visitor opens, and how long addresses are.
func (s *Site) bounded(h http.Handler) http.Handler {
	visitors, members := visitor.New(s.Rate, s.Clock), visitor.New(memberPages, s.Clock)
	return s.frame.Handle(func(w http.ResponseWriter, r *http.Request) error {
		if len(r.URL.RequestURI()) > longestAddress {
			return frame.Refuse(http.StatusRequestURITooLong, "This address is too long",
				"An address on this site can have at most 8,000 characters. Use fewer filters, or use the API.")
		}
		head, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if !counted[head] {
			h.ServeHTTP(w, r)
			return nil
		}
		from := s.Address(r)
		wait, ok := visitors.Take(from)
		if !ok && s.cookie(r, sessionCookie) != "" {
			// Anybody can send a cookie, so looking it up in the store is limited too.
			if wait, ok = members.Take(from); ok {
				ok, wait = s.SignedIn(r), s.Rate.Every
			}
		}
		if ok {
			h.ServeHTTP(w, r)
			return nil
		}
		seconds := int(math.Ceil(wait.Seconds()))
		return &frame.Refusal{Status: http.StatusTooManyRequests, RetryAfter: seconds, Title: "That was a lot of pages",
			Text: "Your network opened too many pages at once. Please wait " + strconv.Itoa(seconds) +
				plural.Word(seconds, " second", " seconds") + " and reload this one. Sign in to open more, or use the API, which is made for many questions."}
	})
}

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

// secureAt reports whether cookies are Secure: always, except without TLS on a developer's own machine.
func secureAt(base *url.URL) bool {
	return base.Scheme != "http" || !network.LocalHost(base.Hostname())
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
	flashCorrected = "corrected" // a correction was sent
)

const (
	flashAge   = 5 * time.Minute
	flashNonce = 12 // bytes of the nonce that a sealed flash begins with
)

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
