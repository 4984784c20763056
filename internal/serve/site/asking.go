package site

import (
	"crypto/hmac"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"grantgraph/internal/serve/site/asking"
)

// askerCookie identifies a visitor of the Ask page. It is signed, so that visitors cannot make up their own.
const (
	askerCookie = "asker"
	askerAge    = 30 * 24 * time.Hour
)

func (s *Site) routeAsking(mux *http.ServeMux) {
	asking.Route(mux, s.frame, asking.Config{
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
		Form: func(w http.ResponseWriter, r *http.Request) error {
			v, _ := s.formVisit(r)
			v.w = w
			defer v.release()
			return s.checkForm(v, plainForm)
		},
		Seal: func(plan string) string { return s.sign("plan", plan) },
	})
}

// sign returns a short signature of a text with the site's secret.
func (s *Site) sign(kind, text string) string {
	return base64.RawURLEncoding.EncodeToString(mac(s.askKey, kind+" "+text)[:16])
}

func (s *Site) asker(r *http.Request) (who string, ok bool) {
	who, signature, _ := strings.Cut(s.cookie(r, askerCookie), ".")
	return who, isSecret(who) && hmac.Equal([]byte(signature), []byte(s.sign("asker", who)))
}

// formVisit is the visit that the form of a public page is tied to: the session of a member, else the cookie of the visit.
func (s *Site) formVisit(r *http.Request) (v *visit, ok bool) {
	v = &visit{r: r, from: s.Address(r)}
	if secret := s.cookie(r, sessionCookie); isSecret(secret) {
		v.bind = "session " + secret
	} else if secret := s.cookie(r, visitCookie); isSecret(secret) {
		v.bind = "visit " + secret
	}
	return v, v.bind != ""
}

// Asks reports whether the script of the Ask page sent a request: from this origin, by a visitor with our cookie and form
// token. A request with an API key never counts.
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

// sameOrigin reports whether the browser states that a page of this site sent the
// request. Without such a statement the answer is no.
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
	base, _ := url.Parse(s.BaseURL) // New has parsed it
	return from.Host == r.Host || from.Scheme == base.Scheme && from.Host == base.Host
}
