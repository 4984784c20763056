package frame

import (
	"net/mail"
	"net/url"
	"strings"
	"unicode/utf8"

	"grantgraph/internal/fault"
)

// Operator is who runs the service. What the operator did not set is empty.
type Operator struct {
	Name    string // of an organization or a person
	Contact string // a link to an email address or a page
}

const longestName = 100

// NewOperator reads the name of the operator, and an address: an email address, or a page with https.
func NewOperator(name, contact string) (o Operator, err error) {
	if o.Name = strings.TrimSpace(name); utf8.RuneCountInString(o.Name) > longestName || !fault.Legible(o.Name) {
		return o, fault.New("bad_operator", "the name of the operator is not one line of at most %d characters", longestName).
			Try("--operator-name 'Example Community Foundation'")
	}
	if contact == "" {
		return o, nil
	}
	if u, err := url.Parse(contact); err == nil && u.Scheme == "https" && u.Host != "" && !strings.ContainsAny(contact, " \r\n") {
		o.Contact = u.String()
		return o, nil
	}
	a, err := mail.ParseAddress(strings.TrimPrefix(contact, "mailto:"))
	if err != nil || a.Name != "" || strings.ContainsAny(a.Address, " \r\n\"") {
		return o, fault.New("bad_contact", "%q is neither an email address nor an https address", fault.Clip(contact, 100)).Try("--contact grants@example.org")
	}
	o.Contact = "mailto:" + a.Address
	return o, nil
}

// Reach is the contact as people write it, or the page that says that there is none.
func (o Operator) Reach() string { return strings.TrimPrefix(o.Contact, "mailto:") }
