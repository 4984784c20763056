package site

import (
	"fmt"
	"net/http"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/organization"
)

// prospectsPage says what a file of prospects will contain, before the visitor pays
// for it.
type prospectsPage struct {
	form
	*organization.ProspectsFile
	Left account.Balance
	Per  string
}

func (s *Site) routeProspects(mux *http.ServeMux) {
	mux.HandleFunc("GET /download/prospects", s.signedInOnly(s.showProspects))
	mux.HandleFunc("POST /download/prospects", s.signedInSending(downloadForm, s.downloadProspects))
}

func (s *Site) prospects(v *visit, query string) (*organization.ProspectsFile, api.Caller, bool) {
	caller := frame.Member{ID: v.account.ID, Plan: v.account.Plan}.Caller()
	if set := frame.DatasetOf(v.r); !set.Browsable() || set.Profiles == nil {
		s.frame.Damaged(v.w, v.r)
		return nil, caller, false
	}
	if !caller.Paid {
		s.showPlans(v, "Prospects is part of the Plus plan", "Nothing was downloaded and nothing was counted.")
		return nil, caller, false
	}
	file, err := organization.NewProspectsFile(s.frame, v.r, caller, query)
	switch {
	case file == nil:
		s.showMessage(v, http.StatusBadRequest, "The address cannot be read", "Start again from the Prospects page of the organization that you want.")
	case len(api.Problems(err)) > 0:
		s.showMessage(v, http.StatusUnprocessableEntity, "A filter cannot be applied",
			"Start again from the Prospects page, which says what is wrong. Nothing was counted.")
	case err != nil:
		s.frame.Broken(v.w, v.r, err)
	default:
		return file, caller, true
	}
	return nil, caller, false
}

func (s *Site) showProspects(v *visit) {
	file, _, ok := s.prospects(v, v.r.URL.RawQuery)
	if !ok {
		return
	}
	left, per, err := s.left(v)
	if err != nil {
		s.fail(v, err)
		return
	}
	page := prospectsPage{form: *s.form(v, "Download prospects"), ProspectsFile: file, Left: left, Per: per}
	s.pages.Render(v.w, http.StatusOK, "download-prospects", page)
}

// downloadProspects writes the file. The visitor is charged once, when the whole
// file is ready.
func (s *Site) downloadProspects(v *visit) {
	end, ok := s.beginDownload(v)
	if !ok {
		return
	}
	defer end()
	file, caller, ok := s.prospects(v, v.field("query"))
	if !ok {
		return
	}
	if err := file.Read(s.frame, v.r, caller); err != nil {
		s.frame.Broken(v.w, v.r, err)
		return
	}
	if !s.chargeFor(v, "Nothing was downloaded and nothing was counted.") {
		return
	}
	v.attach(fmt.Sprintf("prospects-%s-%s", file.EIN, frame.Date(s.Clock())), "csv")
	v.w.Header().Set("Cache-Control", "no-store")
	_ = file.CSV(v.w) // the visitor has left
}
