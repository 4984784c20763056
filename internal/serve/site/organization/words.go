package organization

import (
	"cmp"
	"html/template"
	"regexp"
	"strconv"

	"grantgraph/internal/grant"
	"grantgraph/internal/money"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

var words = template.FuncMap{
	"text":    frame.Text,
	"plural":  things,
	"form":    formName,
	"day":     frame.Day,
	"chance":  chance,
	"figure":  figure,
	"compact": draw.Compact,
	"marked":  markWord,
	"signed":  signed,
	"matrix":  func(list []*compared, counts [][]int64, heading string) matrix { return matrix{list, counts, heading} },
	"joined":  joinedBy,
	"phone":   func(n string) string { return tenDigits.ReplaceAllString(n, "($1) $2-$3") },
	"applies": grant.ApplicationsLabel,
}

func markWord(m ledger.Mark) string {
	return map[ledger.Mark]string{ledger.New: "new", ledger.Repeat: "repeat", ledger.Lapsed: "lapsed"}[m]
}

func formName(form string) string {
	switch form {
	case "990EZ", "990PF", "990T":
		return "Form 990-" + form[3:]
	case "":
		return "Return"
	}
	return "Form " + form
}

// chance writes a probability that is often close to 1.
func chance(p *float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(100**p, 'f', 1, 64) + "%"
}

// figure writes a figure of a return. A missing figure is not zero.
func figure(n *int64) string {
	if n == nil {
		return "–"
	}
	return signed(*n)
}

func signed(n int64) string {
	if n < 0 {
		return "−" + money.Dollars(-n)
	}
	return money.Dollars(n)
}

// tenDigits is a phone number as the form has it.
var tenDigits = regexp.MustCompile(`^(\d{3})(\d{3})(\d{4})$`)

func joinedBy(basis string) string {
	return cmp.Or(map[string]string{"ein": "EIN", "uei": "federal identifier (UEI)", "parent_uei": "federal identifier of its parent",
		"duns": "DUNS number"}[basis], basis)
}
