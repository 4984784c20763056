package organization

import (
	"html/template"
	"strconv"

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
	"matrix":  newMatrix,
	"joined":  joinedBy,
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
