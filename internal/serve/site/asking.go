package site

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"grantgraph/internal/serve/site/asking"
)

// askerCookie names a visitor of the page of questions. It is signed, so that only
// one that was handed out here counts.
const (
	askerCookie = "asker"
	askerAge    = 30 * 24 * time.Hour
)

func (s *Site) routeAsking(mux *http.ServeMux) error {
	return asking.Route(mux, s.frame, asking.Config{
		Accounts: s.Accounts, Model: s.Model, Clock: s.Clock,
		Visitor: func(w http.ResponseWriter, r *http.Request) string {
			if who, ok := s.asker(r); ok {
				return who
			}
			who := newSecret()
			s.setCookie(w, askerCookie, who+"."+s.sign("asker", who), askerAge, http.SameSiteLaxMode)
			return who
		},
		Token: func(w http.ResponseWriter, r *http.Request) string {
			v, ok := s.formVisit(r)
			if !ok {
				secret := newSecret()
				s.setCookie(w, visitCookie, secret, visitAge, http.SameSiteLaxMode)
				v.bind = "visit " + secret
			}
			return s.token(v)
		},
		Ours: s.Asks,
		Form: func(w http.ResponseWriter, r *http.Request) bool {
			v, _ := s.formVisit(r)
			v.w = w
			return s.checkForm(v, plainForm)
		},
		Seal: func(plan string) string { return s.sign("plan", plan) },
	})
}

// sign is a short signature of this site over a text.
func (s *Site) sign(kind, text string) string {
	h := hmac.New(sha256.New, s.askKey)
	h.Write([]byte(kind + " " + text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// asker is who a visitor of the page of questions is.
func (s *Site) asker(r *http.Request) (who string, ok bool) {
	who, signature, _ := strings.Cut(s.cookie(r, askerCookie), ".")
	return who, isSecret(who) && hmac.Equal([]byte(signature), []byte(s.sign("asker", who)))
}

// formVisit is what the form of a page that everybody may see answers to: the
// session of those who are signed in, else the cookie of the visit.
func (s *Site) formVisit(r *http.Request) (v *visit, ok bool) {
	v = &visit{r: r, from: s.Address(r)}
	if secret := s.cookie(r, sessionCookie); isSecret(secret) {
		v.bind = "session " + secret
	} else if secret := s.cookie(r, visitCookie); isSecret(secret) {
		v.bind = "visit " + secret
	}
	return v, v.bind != ""
}

// Asks reports whether a request was sent by the script of the page of questions:
// from this origin, by a visitor that was handed a cookie and the token of a form.
// A program that sends a key is none.
func (s *Site) Asks(r *http.Request) bool {
	h := r.Header
	if r.Method != http.MethodPost || h.Get("X-API-Key") != "" || h.Get("Authorization") != "" || !s.sameOrigin(r) {
		return false
	}
	if _, known := s.asker(r); !known {
		return false
	}
	v, ok := s.formVisit(r)
	return ok && s.carriesToken(v, h.Get("X-Page-Token"))
}

// sameOrigin reports whether a browser says that a page of this site sent the
// request. Without a word of a browser it did not.
func (s *Site) sameOrigin(r *http.Request) bool {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if site != "" && site != "same-origin" {
		return false
	}
	if origin == "" {
		return site != ""
	}
	from, err := url.Parse(origin)
	if err != nil || from.Host == "" {
		return false
	}
	base, _ := url.Parse(s.BaseURL) // it was read when the site was made
	return from.Host == r.Host || from.Scheme == base.Scheme && from.Host == base.Host
}
