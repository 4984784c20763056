package site

import (
	"net/http"
	"slices"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/site/frame"
)

// Admission says who may sign up: anybody, addresses of some domains, or nobody. An
// invitation opens an account in every mode. The zero Admission admits anybody.
type Admission struct {
	Mode    string   // "", open, domains, invited or closed
	Domains []string // of mode domains, as in email addresses
}

// ParseAdmission reads open, invited, closed, or domains=example.org,example.net.
func ParseAdmission(text string) (Admission, error) {
	mode, list, found := strings.Cut(text, "=")
	a := Admission{Mode: mode}
	ok := slices.Contains([]string{"open", "invited", "closed", "domains"}, mode) && found == (mode == "domains")
	for domain := range strings.SplitSeq(list, ",") {
		email, err := account.ParseEmail("x@" + domain)
		if found && err != nil {
			ok = false
		}
		a.Domains = append(a.Domains, strings.TrimPrefix(email, "x@"))
	}
	if !ok {
		return a, fault.New("bad_flag", "--sign-up %q is unknown", fault.Clip(text, 100)).Try("open, invited, closed, or domains=example.org,example.net")
	}
	return a, nil
}

// Form reports whether the page has a form to sign up.
func (a Admission) Form() bool { return a.Mode != "invited" && a.Mode != "closed" }

// admits refuses an address that may not sign up. It never looks whether the address has
// an account, so the answer says nothing about that.
func (a Admission) admits(email string) error {
	email, err := account.ParseEmail(email)
	if err != nil || a.Mode != "domains" {
		return err
	}
	_, domain, _ := strings.Cut(email, "@")
	if !slices.Contains(a.Domains, domain) {
		return fault.New("bad_domain", "Only addresses at %s can sign up", strings.Join(a.Domains, ", "))
	}
	return nil
}

// signUpPage is the form, or why there is none.
type signUpPage struct {
	*form
	Admission Admission
}

var notOpen = frame.Refuse(http.StatusForbidden, "No new accounts", "Nobody can sign up here. The page Sign up says what you can do.")
