package serve

import (
	"net/http"
	"net/url"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/serve/account"
)

// forAnybody are the addresses that a private service keeps open: of health checks, signing in, verifying reports, public
// keys, legal texts, and what has a secret address.
var forAnybody = func() map[string]bool {
	all := map[string]bool{}
	for _, path := range strings.Fields(`/healthz /readyz /readyz/accounts /favicon.ico /signin /signout /signup /email-sent /forgot /confirm /reset
		/account/erased /verify /contact /privacy /terms /lists/feed.atom /lists/stop
		/.well-known/jwks.json /.well-known/security.txt /.well-known/http-message-signatures-directory`) {
		all[path] = true
	}
	return all
}()

// forPrograms are the beginnings of addresses that programs ask. Others get the page to sign in.
var forPrograms = []string{"/api/", "/mcp", "/reconcile", "/openapi", "/llms.txt", "/clients/", "/downloads/", "/.well-known/"}

// closed admits those who are signed in or have a key. A route that is added later is closed until it is listed above.
func (s *Server) closed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		w.Header().Set("X-Robots-Tag", "noindex")
		if path == "/robots.txt" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = w.Write([]byte("User-agent: *\nDisallow: /\n"))
			return
		}
		// Operations for administrators ask for their token themselves.
		operation := s.api.Route(path)
		open := forAnybody[path] || strings.HasPrefix(path, "/static/") || operation == "/screening/verify" || strings.HasPrefix(operation, "/admin/")
		if open || s.pages.SignedIn(r) || s.hasKey(r) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		for _, start := range forPrograms {
			if strings.HasPrefix(path, start) {
				w.Header().Set("WWW-Authenticate", `Bearer realm="grantgraph"`)
				fail(w, r, client.Failure{Code: http.StatusUnauthorized, Error: "no_key", Message: "This service is private: every request needs an API key.",
					Hint: "send it as X-API-Key: <key> or as Authorization: Bearer <key>; /contact tells whom to ask for an account"})
				return
			}
		}
		to := "/signin"
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			to += "?next=" + url.QueryEscape(r.URL.RequestURI())
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	})
}

// hasKey reports whether a request has the key of a person. Agents get keys without an account, so theirs are not enough.
func (s *Server) hasKey(r *http.Request) bool {
	secret := account.Credential(r.Header)
	if secret == "" {
		return false
	}
	key, err := s.accounts.Authenticate(r.Context(), secret)
	return err == nil && key.Plan != account.Agent
}
