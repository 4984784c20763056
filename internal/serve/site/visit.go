package site

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
)

// maxForm bounds the body of a form.
const maxForm = 16 << 10

// visit is a request to one of the pages of accounts.
type visit struct {
	w       http.ResponseWriter
	r       *http.Request
	bind    string // what the forms of the visitor answer to
	from    string // network address
	session string // secret of the session, and
	account account.Account
}

// anyone guards a page for everybody, such as the one to sign in on. Its forms
// answer to a cookie of their own, so that nobody can be signed in by another
// site.
func (s *Site) anyone(serve func(*visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		keepPrivate(w)
		secret := s.cookie(r, visitCookie)
		if !isSecret(secret) {
			secret = newSecret()
			s.setCookie(w, visitCookie, secret, visitAge, http.SameSiteLaxMode)
		}
		v := &visit{w: w, r: r, bind: "visit " + secret, from: s.Address(r)}
		if s.checkForm(v) {
			serve(v)
		}
	}
}

// signedInOnly guards a page for those who are signed in.
func (s *Site) signedInOnly(serve func(*visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		keepPrivate(w)
		secret := s.cookie(r, sessionCookie)
		from := s.Address(r)
		who, known, err := account.Account{}, false, error(nil)
		if isSecret(secret) {
			who, err = s.Accounts.Session(r.Context(), secret)
			known = err == nil
		}
		switch {
		case err != nil && slug(err) != "no_session":
			s.fail(&visit{w: w, r: r}, err)
			return
		case !known:
			if secret != "" {
				s.dropCookie(w, sessionCookie)
			}
			to := "/signin"
			if r.Method == http.MethodGet || r.Method == http.MethodHead {
				to += "?next=" + url.QueryEscape(r.URL.Path)
			}
			http.Redirect(w, r, to, http.StatusSeeOther)
			return
		}
		ctx := account.As(r.Context(), account.Actor{Name: who.ID, Address: from})
		v := &visit{w: w, r: r.WithContext(ctx), bind: "session " + secret, from: from, session: secret, account: who}
		if s.checkForm(v) {
			serve(v)
		}
	}
}

// keepPrivate keeps a page out of caches and search engines, and its address,
// which may hold a token, from other sites.
func keepPrivate(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Referrer-Policy", "same-origin")
}

// checkForm reads the form of a request that has one, and turns away what was not
// sent by a form of ours to this visitor.
func (s *Site) checkForm(v *visit) bool {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return true
	}
	if err := s.origin.Check(v.r); err != nil {
		s.showMessage(v, http.StatusForbidden, "This came from another site", "A form was sent here by another site, so nothing was done.")
		return false
	}
	if kind, _, err := mime.ParseMediaType(v.r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		s.showMessage(v, http.StatusUnsupportedMediaType, "This is not a form", "What was sent is not a form of this site, so nothing was done.")
		return false
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		var long *http.MaxBytesError
		if errors.As(err, &long) {
			s.showMessage(v, http.StatusRequestEntityTooLarge, "That is too much", "A form of this site is never as long as what was sent, so nothing was done.")
		} else {
			s.showMessage(v, http.StatusBadRequest, "This form cannot be read", "What was sent was cut or damaged on the way, so nothing was done.")
		}
		return false
	}
	if !s.carriesToken(v, v.r.PostForm.Get("csrf")) {
		s.showMessage(v, http.StatusForbidden, "This form is out of date", "It was opened before you signed in or out, or too long ago, so nothing was done. Open it again and send it once more.")
		return false
	}
	return true
}

// token is what the forms shown to a visitor carry. It holds for as long as the
// cookie it is made of, and says nothing about it. Each page has it under another
// mask, because pages are compressed: how well a text packs must not tell whether
// it is like the token.
func (s *Site) token(v *visit) string {
	plain := s.formSecret(v)
	masked := make([]byte, 2*len(plain))
	rand.Read(masked[:len(plain)]) // never fails
	subtle.XORBytes(masked[len(plain):], masked[:len(plain)], plain)
	return base64.RawURLEncoding.EncodeToString(masked)
}

// carriesToken reports whether a form carries the token of its visitor.
func (s *Site) carriesToken(v *visit, token string) bool {
	plain := s.formSecret(v)
	masked, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(masked) != 2*len(plain) {
		return false
	}
	given := make([]byte, len(plain))
	subtle.XORBytes(given, masked[:len(plain)], masked[len(plain):])
	return hmac.Equal(given, plain)
}

// formSecret is what proves that a form was shown to a visitor.
func (s *Site) formSecret(v *visit) []byte {
	h := hmac.New(sha256.New, s.csrfKey)
	h.Write([]byte(v.bind))
	return h.Sum(nil)
}

// field is what was written into a field of a form.
func (v *visit) field(name string) string { return v.r.PostForm.Get(name) }

// redirect sends the visitor to another page, to be got.
func (v *visit) redirect(path string) {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
}

// localPath is where to go after signing in: next when it is a path of this site
// and nothing else, and the account otherwise.
func localPath(next string) string {
	const home = "/account"
	if next == "" || len(next) > 500 || next[0] != '/' || strings.HasPrefix(next, "//") {
		return home
	}
	for _, c := range []byte(next) {
		// Browsers read a backslash as a slash and leave out line ends.
		if c <= ' ' || c >= 0x7f || c == '\\' {
			return home
		}
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return home
	}
	// Pages have plain paths; one that needs tidying could become another.
	for _, odd := range []string{"//", "/.", "\\"} {
		if strings.Contains(u.Path, odd) {
			return home
		}
	}
	return next
}

func slug(err error) string {
	if f, ok := fault.Of(err); ok {
		return f.Slug
	}
	return ""
}
