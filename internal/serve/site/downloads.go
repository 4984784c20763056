package site

import (
	"net/http"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	release "grantgraph/internal/serve/downloads"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/warehouse"
)

// downloadsPage lists the files of the newest release.
type downloadsPage struct {
	frame.Head
	Release *warehouse.DataPackage // nil for none
	Member  frame.Member
	PerCall int64
}

// Mine reports whether the visitor's plan has a file.
func (p *downloadsPage) Mine(f warehouse.Resource) bool {
	return f.Plan.Terms().Scopes&^p.Member.Plan.Terms().Scopes == 0
}

func (s *Site) serveDownloads(w http.ResponseWriter, r *http.Request) (err error) {
	page := &downloadsPage{Head: s.frame.Head(r, "Download the data"), PerCall: release.PerCall}
	if page.Member, err = s.memberOf(r); err == nil && s.Downloads != nil {
		page.Release, err = s.Downloads(r.Context())
	}
	if err != nil {
		return err
	}
	page.Section, page.Canonical = "data", "/downloads"
	page.Description = "Every table of Grantgraph as Parquet and CSV files, by year and by state, with checksums and a description for programs."
	w.Header().Set("Cache-Control", "private, max-age=60")
	return s.pages.Render(w, http.StatusOK, "downloads", page)
}

// AsMember has the account that is signed in pay for a file, if the request comes from a page of this site and carries no key.
func (s *Site) AsMember(r *http.Request) *http.Request {
	secret := s.cookie(r, sessionCookie)
	if account.Credential(r.Header) != "" || !isSecret(secret) || !s.sameOrigin(r) {
		return r
	}
	who, err := s.Accounts.Session(r.Context(), secret)
	if err != nil {
		return r // then it is refused for want of a key
	}
	return api.For(r, who)
}
