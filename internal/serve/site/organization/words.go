package organization

import (
	"html/template"
	"strconv"
	"time"

	"grantgraph/internal/money"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/site/draw"
)

// words are what the pages can call beside what every page can.
var words = template.FuncMap{
	"text":    text,
	"plural":  things,
	"form":    formName,
	"day":     dayText,
	"chance":  chance,
	"figure":  figure,
	"compact": draw.Compact,
	"marked":  markWord,
	"signed":  signed,
	"matrix":  newMatrix,
	"joined":  joinedBy,
}

// markWord is a mark of a relation as a page says it.
func markWord(m ledger.Mark) string {
	return map[ledger.Mark]string{ledger.New: "new", ledger.Repeat: "repeat", ledger.Lapsed: "lapsed"}[m]
}

// formName is a form as people know it.
func formName(form string) string {
	switch form {
	case "990EZ", "990PF", "990T":
		return "Form 990-" + form[3:]
	case "":
		return "Return"
	}
	return "Form " + form
}

// dayText writes a date for people; what is no date stays as it is.
func dayText(date string) string {
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, date); err == nil {
			return t.UTC().Format("January 2, 2006")
		}
	}
	return date
}

// chance writes a probability that is often near to sure.
func chance(p *float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(100**p, 'f', 1, 64) + "%"
}

// figure is a figure of a return; what was not filed is not zero.
func figure(n *int64) string {
	if n == nil {
		return "–"
	}
	return signed(*n)
}

// signed writes dollars that may be below zero.
func signed(n int64) string {
	if n < 0 {
		return "−" + money.Dollars(-n)
	}
	return money.Dollars(n)
}

// joinedBy says what an award and an organization have in common.
func joinedBy(basis string) string {
	switch basis {
	case "ein":
		return "EIN"
	case "uei":
		return "federal identifier (UEI)"
	case "parent_uei":
		return "federal identifier of its parent"
	case "duns":
		return "DUNS number"
	}
	return basis
}
