package site

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/site/frame"
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
func (s *Site) anyone(serve func(*visit)) http.HandlerFunc { return s.anyoneSending(plainForm, serve) }

func (s *Site) anyoneSending(most bound, serve func(*visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		keepPrivate(w)
		secret := s.cookie(r, visitCookie)
		if !isSecret(secret) {
			secret = newSecret()
			s.setCookie(w, visitCookie, secret, visitAge, http.SameSiteLaxMode)
		}
		v := &visit{w: w, r: r, bind: "visit " + secret, from: s.Address(r)}
		defer v.release()
		if s.checkForm(v, most) {
			serve(v)
		}
	}
}

// release gives back the memory of the form.
func (v *visit) release() { v.hold.Release() }

func (s *Site) signedInOnly(serve func(*visit)) http.HandlerFunc {
	return s.signedInSending(plainForm, serve)
}

// signedInSending is signedInOnly for a longer form.
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
		defer v.release()
		if s.checkForm(v, most) {
			serve(v)
		}
	}
}

// signedInOrNot guards a page that is public, and differs for members. It takes no
// form.
func (s *Site) signedInOrNot(serve func(*visit)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		keepPrivate(w)
		if v, ok := s.member(w, r); ok {
			serve(v)
		}
	}
}

// member finds the signed-in member. Without one, the visit has no session. ok is
// false if the store failed, after showing a page that says so.
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

// memberOf is the signed-in member, for a public page that shows more to members
// with a plan.
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

// checkForm reads the form of a request, if any, and refuses it unless one of our
// pages showed it to this visitor.
func (s *Site) checkForm(v *visit, most bound) bool {
	if v.r.Method == http.MethodGet || v.r.Method == http.MethodHead {
		return true
	}
	return s.readForm(v, most) && s.checkToken(v)
}

// sender is who the visitor is to the bounds of what runs at once. Only whoever pays is
// known: accounts cost nothing.
func (v *visit) sender() budget.Sender {
	from := budget.Sender{Address: v.from}
	if v.session != "" && paid(v.account.Plan) {
		from.Account = v.account.ID
	}
	return from
}

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
	var sent []byte
	sent, v.hold, err = s.Budget.ReadBody(v.r, v.sender(), most.most)
	v.r.Body = io.NopCloser(bytes.NewReader(sent))
	switch {
	case slug(err) == budget.Busy:
		s.frame.Busy(v.w, v.r)
		return false
	case err != nil:
	case withFiles:
		// The whole form fits in memory, so no file is written to the disk.
		err = v.r.ParseMultipartForm(most.most)
	default:
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

// checkToken refuses a form that was not shown to this visitor.
func (s *Site) checkToken(v *visit) bool {
	if !s.carriesToken(v, v.r.PostForm.Get("csrf")) {
		s.showMessage(v, http.StatusForbidden, "This form is out of date",
			"It was opened before you signed in or out, or too long ago, so nothing was done. Open it again and send it once more.")
		return false
	}
	return true
}

// token is what a visitor's forms carry. It is valid as long as the cookie it is
// made from, and does not reveal the cookie. Each page masks it differently: pages
// are compressed, and the compressed size must not reveal the token.
func (s *Site) token(v *visit) string {
	plain := s.formSecret(v)
	masked := make([]byte, 2*len(plain))
	rand.Read(masked[:len(plain)]) // never fails
	subtle.XORBytes(masked[len(plain):], masked[:len(plain)], plain)
	return base64.RawURLEncoding.EncodeToString(masked)
}

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

// formSecret is the value behind the token of a visitor's forms.
func (s *Site) formSecret(v *visit) []byte {
	h := hmac.New(sha256.New, s.csrfKey)
	h.Write([]byte(v.bind))
	return h.Sum(nil)
}

func (v *visit) field(name string) string { return v.r.PostForm.Get(name) }

func (v *visit) redirect(path string) {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther)
}

// The longest address that is kept across signing in, in bytes. The form that
// carries it has a bound of its own, and encoding may triple a byte.
const (
	mostPath = 500
	mostNext = 4000
)

// wholePath is the address of a page with its query, or without it if that is too
// long to keep.
func wholePath(u *url.URL) string {
	if whole := u.RequestURI(); len(whole) <= mostNext && localPath(whole) == whole {
		return whole
	}
	return u.Path
}

// localPath is where to go after signing in: next if it is a path of this site,
// else the account page.
func localPath(next string) string {
	const home = "/account"
	path, _, _ := strings.Cut(next, "?")
	if next == "" || len(path) > mostPath || len(next) > mostNext || next[0] != '/' || strings.HasPrefix(next, "//") {
		return home
	}
	for _, c := range []byte(next) {
		// Browsers read a backslash as a slash, and skip line ends.
		if c <= ' ' || c >= 0x7f || c == '\\' {
			return home
		}
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" {
		return home
	}
	// Pages have clean paths. A browser could turn any other path into something else.
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
