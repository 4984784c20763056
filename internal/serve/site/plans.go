package site

import (
	"html/template"
	"net/http"
	"time"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/mail"
	"grantgraph/internal/serve/site/operator"
)

// routeOperator adds the pages about the service itself.
func (s *Site) routeOperator(mux *http.ServeMux) error {
	_, console := s.Mail.(*mail.Console)
	room, err := operator.Route(mux, s.frame, operator.Config{Texts: s.Texts, Clock: s.Clock, Facts: operator.Facts{
		Operator: s.Operator, BaseURL: s.BaseURL, UsageDays: days(account.UsageKept), SessionDays: days(sessionAge), Model: s.Model != nil, Emails: !console,
	}})
	if err != nil {
		return err
	}
	mux.HandleFunc("GET /plans", s.signedInOrNot(func(v *visit) error { return s.showOffers(v, room.Plans()) }))
	return nil
}

func days(d time.Duration) int { return int(d / (24 * time.Hour)) }

// offersPage shows all plans.
type offersPage struct {
	frame.Head
	Words template.HTML // of the operator
	Plans []planCard
	Has   account.Plan // of the visitor; empty without an account
	Email string
}

func (s *Site) showOffers(v *visit, words template.HTML) error {
	page := offersPage{Head: s.frame.Head(v.r, "Plans"), Words: words}
	if v.session != "" {
		page.Has, page.Email = v.account.Plan, v.account.Email
	}
	for _, t := range account.Plans() {
		page.Plans = append(page.Plans, s.planCard(frame.DatasetOf(v.r), t.Plan))
	}
	page.Canonical, page.Description = "/plans", "What each plan of this service includes, and how to move to another."
	// Like any page of an account it is in no cache, but search engines may know it.
	v.w.Header().Del("X-Robots-Tag")
	return s.pages.Render(v.w, http.StatusOK, "plans", page)
}
