package site

import (
	"encoding/json"
	"net/http"
)

const accountDataTitle = "Export or erase your account"

func (s *Site) showAccountData(v *visit) error {
	return s.pages.Render(v.w, http.StatusOK, "accountdata", s.memberForm(v, accountDataTitle))
}

// confirmed asks for the password again before it acts: somebody at an unattended screen has the session, but not the password.
func (s *Site) confirmed(act func(*visit) error) func(*visit) error {
	return func(v *visit) error {
		if err := s.Accounts.ConfirmPassword(v.r.Context(), v.account.ID, v.field("password")); err != nil {
			return s.refuseMember(v, "accountdata", accountDataTitle, err)
		}
		return act(v)
	}
}

func (s *Site) exportAccount(v *visit) error {
	export, err := s.Accounts.ExportAccount(v.r.Context(), v.account.ID)
	if err != nil {
		return s.fail(v, err)
	}
	v.w.Header().Set("Content-Type", "application/json")
	v.w.Header().Set("Content-Disposition", `attachment; filename="grantgraph-account.json"`)
	out := json.NewEncoder(v.w)
	out.SetIndent("", "  ")
	_ = out.Encode(export) // a reader that has gone needs no answer
	return nil
}

func (s *Site) eraseAccount(v *visit) error {
	if _, err := s.Accounts.EraseAccount(v.r.Context(), v.account.ID); err != nil {
		return s.fail(v, err)
	}
	s.dropCookie(v.w, sessionCookie)
	s.dropCookie(v.w, flashCookie)
	return v.redirect("/account/erased")
}
