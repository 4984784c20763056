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
	"grantgraph/internal/serve/site/frame"
)

// bound is how long the form of a page may be, and whether it has room for a
// file. What is sent is kept in memory for as long as the request takes.
type bound struct {
	most  int64
	files bool
}

// plainForm bounds a form that has fields alone.
var plainForm = bound{most: 16 << 10}

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
func (s *Site) anyone(serve func(*visit)) http.HandlerFunc { return s.anyoneSending(plainForm, serve) }

// anyoneSending is anyone, for a form that may be longer.
func (s *Site) anyoneSending(most bound, serve func(*visit)) http.HandlerFunc {
	return s.holding(most, func(w http.ResponseWriter, r *http.Request) {
		keepPrivate(w)
		secret := s.cookie(r, visitCookie)
		if !isSecret(secret) {
			secret = newSecret()
			s.setCookie(w, visitCookie, secret, visitAge, http.SameSiteLaxMode)
		}
		v := &visit{w: w, r: r, bind: "visit " + secret, from: s.Address(r)}
		if s.checkForm(v, most) {
			serve(v)
		}
	})
}

// holding takes memory for a form that may be long before any of it is read: it
// is there as it was sent, and once more as it was read.
func (s *Site) holding(most bound, h http.HandlerFunc) http.HandlerFunc {
	if most == plainForm {
		return h
	}
	return func(w http.ResponseWriter, r *http.Request) {
		hold, ok := s.frame.Reserve(w, r, 3*most.most)
		if !ok {
			return
		}
		defer hold.Release()
		h(w, r)
	}
}

// signedInOnly guards a page for those who are signed in.
func (s *Site) signedInOnly(serve func(*visit)) http.HandlerFunc {
	return s.signedInSending(plainForm, serve)
}

// signedInSending is signedInOnly, for a form that may be longer. Memory is held
// only for those who are signed in: anybody can send slowly.
func (s *Site) signedInSending(most bound, serve func(*visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		keepPrivate(w)
		v, ok := s.member(w, r)
		if !ok {
			return
		}
		if v.session == "" {
			to := "/signin"
			if r.Method == http.MethodGet || r.Method == http.MethodHead {
				to += "?next=" + url.QueryEscape(wholePath(r.URL))
			}
			http.Redirect(w, r, to, http.StatusSeeOther)
			return
		}
		s.holding(most, func(http.ResponseWriter, *http.Request) {
			if s.checkForm(v, most) {
				serve(v)
			}
		})(w, r)
	}
}

// signedInOrNot guards a page that everybody may see, and that is another for
// those who are signed in. It takes no form.
func (s *Site) signedInOrNot(serve func(*visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		keepPrivate(w)
		if v, ok := s.member(w, r); ok {
			serve(v)
		}
	}
}

// member finds who is signed in. The visit of somebody who is not has no
// session; ok is false when it cannot be known, which was said then.
func (s *Site) member(w http.ResponseWriter, r *http.Request) (v *visit, ok bool) {
	v = &visit{w: w, r: r, from: s.Address(r)}
	secret := s.cookie(r, sessionCookie)
	if !isSecret(secret) {
		if secret != "" {
			s.dropCookie(w, sessionCookie)
		}
		return v, true
	}
	who, err := s.Accounts.Session(r.Context(), secret)
	switch {
	case err == nil:
	case slug(err) == "no_session":
		s.dropCookie(w, sessionCookie)
		return v, true
	default:
		s.fail(v, err)
		return nil, false
	}
	v.r = r.WithContext(account.As(r.Context(), account.Actor{Name: who.ID, Address: v.from}))
	v.bind, v.session, v.account = "session "+secret, secret, who
	return v, true
}

// memberOf is who is signed in, for a page that everybody may see and that shows
// more to those who have a plan.
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
func (s *Site) checkForm(v *visit, most bound) bool {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return true
	}
	return s.readForm(v, most) && s.checkToken(v)
}

// readForm reads a form, and turns away what another site has sent.
func (s *Site) readForm(v *visit, most bound) bool {
	if err := s.origin.Check(v.r); err != nil {
		s.showMessage(v, http.StatusForbidden, "This came from another site", "A form was sent here by another site, so nothing was done.")
		return false
	}
	kind, _, err := mime.ParseMediaType(v.r.Header.Get("Content-Type"))
	withFiles := most.files && kind == "multipart/form-data"
	if err != nil || kind != "application/x-www-form-urlencoded" && !withFiles {
		s.showMessage(v, http.StatusUnsupportedMediaType, "This is not a form", "What was sent is not a form of this site, so nothing was done.")
		return false
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, most.most)
	if withFiles {
		// All of it fits into memory, so that no file is ever on the disk.
		err = v.r.ParseMultipartForm(most.most)
	} else {
		err = v.r.ParseForm()
	}
	if err != nil {
		var long *http.MaxBytesError
		if errors.As(err, &long) {
			text := "A form of this site is never as long as what was sent, so nothing was done."
			if most.files {
				text = "What was sent is longer than this page takes, which is " + frame.Size(most.most) + ", so nothing was done."
			}
			s.showMessage(v, http.StatusRequestEntityTooLarge, "That is too much", text)
		} else {
			s.showMessage(v, http.StatusBadRequest, "This form cannot be read", "What was sent arrived incomplete or damaged, so nothing was done.")
		}
		return false
	}
	return true
}

// checkToken turns away a form that was not shown to this visitor.
func (s *Site) checkToken(v *visit) bool {
	if !s.carriesToken(v, v.r.PostForm.Get("csrf")) {
		s.showMessage(v, http.StatusForbidden, "This form is out of date",
			"It was opened before you signed in or out, or too long ago, so nothing was done. Open it again and send it once more.")
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

// The most of an address that is kept over a sign-in, in bytes. The form that
// carries it must stay within its own bound, where each byte may become three.
const (
	mostPath = 500
	mostNext = 4000
)

// wholePath is the address of a page with its query, or without where that is too
// long to be kept.
func wholePath(u *url.URL) string {
	if whole := u.RequestURI(); len(whole) <= mostNext && localPath(whole) == whole {
		return whole
	}
	return u.Path
}

// localPath is where to go after signing in: next when it is a path of this site
// and nothing else, and the account otherwise.
func localPath(next string) string {
	const home = "/account"
	path, _, _ := strings.Cut(next, "?")
	if next == "" || len(path) > mostPath || len(next) > mostNext || next[0] != '/' || strings.HasPrefix(next, "//") {
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
