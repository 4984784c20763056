package frame

import (
	"cmp"
	"html/template"
	"math"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	geo "grantgraph/internal/place"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/snapshot"
)

var functions = template.FuncMap{
	"count":   money.Grouped,
	"dollars": money.Dollars,
	"short":   Short,
	"share": func(part, whole int64) string {
		switch {
		case whole == 0:
			return "–"
		case part > 0 && part*200 < whole:
			return "< 1%"
		}
		return strconv.FormatFloat(100*float64(part)/float64(whole), 'f', 0, 64) + "%"
	},
	"text":    Text,
	"applies": grant.ApplicationsLabel,
	"slug":    search.Slug,
	"query":   url.QueryEscape,
	"title":   orgname.Display,
	"where":   Place,
	"moment":  Moment,
	"date":    func(t time.Time) string { return Day(t.Format(time.RFC3339)) },
	"day":     Day,
	"percent": Percent,
	"spaced":  func(s string) string { return strings.ReplaceAll(s, "_", " ") },
	"ein":     func(e ein.EIN) string { return e.Hyphenated() },
	"int64":   func(n int) int64 { return int64(n) },
	"deref":   func(n *int64) int64 { return *n },
	"rule":    RuleWords,
}

// Text is a text of the API, empty if it is null.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Place writes a place. Country codes are FIPS codes, easily misread: GM is Germany.
func Place(city, state, country string) string {
	if name, ok := geo.Country(country); ok {
		country = name
	}
	parts := []string{orgname.Display(city), state, country}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// Short writes dollars in a few characters: $2.1 billion.
func Short(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1_000_000_000_000, "trillion"}, {1_000_000_000, "billion"}, {1_000_000, "million"}} {
		if n >= u.size {
			return "$" + strconv.FormatFloat(float64(n)/float64(u.size), 'f', 1, 64) + " " + u.name
		}
	}
	return money.Dollars(n)
}

// Size writes a number of bytes for people.
func Size(bytes int64) string {
	if bytes >= 1<<20 {
		return strconv.FormatInt(bytes>>20, 10) + " MB"
	}
	return strconv.FormatInt(bytes>>10, 10) + " KB"
}

// Percent writes a share of one. A share below one is never rounded to 100%.
func Percent(f float64) string {
	n := math.Round(100 * f)
	if f < 1 {
		n = min(n, 99)
	}
	return strconv.FormatFloat(n, 'f', 0, 64) + "%"
}

// Moment writes a moment with its time zone.
func Moment(t time.Time) string { return t.UTC().Format("January 2, 2006, 3:04 PM UTC") }

// Date writes the day of a moment for programs and names of files.
func Date(t time.Time) string { return t.UTC().Format("2006-01-02") }

// Day writes a date, or the date of a moment, for people. Other text stays as it is.
func Day(date string) string {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, date); err == nil {
			return t.UTC().Format("January 2, 2006")
		}
	}
	return date
}

// ruleWords explains each rule to somebody new to it.
var ruleWords = map[string]string{
	grant.Filed.String():            "the filer stated the EIN",
	grant.OverrideHuman.String():    "confirmed by a person",
	grant.OverrideKeyError.String(): "the EIN filed has one typing error",
	grant.Name.String():             "exact name, the only one in its state",
	grant.RegistryDominant.String(): "a name shared by several organizations; filers nearly always mean this one",
	grant.Fuzzy.String():            "one letter different, in the same ZIP code",
	grant.OverrideLLM.String():      "proposed by a language model, then checked",
	grant.Registry.String():         "other filers give this EIN with the same name",
	grant.Address.String():          "a similar name at the same address",
	grant.ZIP.String():              "a name shared by several organizations; only this one is in the ZIP code",
	grant.Street.String():           "the only organization at the address",
	grant.Model.String():            "the statistical model, with its own probability for each row",
	snapshot.Unresolved:             "no organization identified",
}

// RuleWords says how a rule finds the recipient of a grant. name is a value of ein_source, or empty for no rule.
func RuleWords(name string) string {
	return ruleWords[cmp.Or(name, snapshot.Unresolved)]
}

// Form names a form of the IRS: 990PF is Form 990-PF. A return of an unknown form is just that.
func Form(returnType string) string {
	kind, ok := strings.CutPrefix(returnType, "990")
	switch {
	case returnType == "":
		return "Return"
	case ok && kind != "":
		return "Form 990-" + kind
	}
	return "Form " + returnType
}

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

// Reach is the contact as people write it, or the page that says that the operator gave no contact.
func (o Operator) Reach() string { return strings.TrimPrefix(o.Contact, "mailto:") }
