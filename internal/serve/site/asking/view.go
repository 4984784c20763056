package asking

import (
	"cmp"
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api/snippet"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/draw"
)

type view struct {
	Found *ask.Answer
	Lines [][]cell // of the table
	Heads []heading
	Tiles []tile
	Chart template.HTML
	Curl  string // the request as a command
	SQL   string // of the page that shows the answer in full; empty if it has none
}

// mostTiles is how many figures are shown as tiles. More figures are a table.
const mostTiles = 5

// alone are the measures whose figures sum up the whole answer. The figures of a
// ranking are those of its first row, which the sentence and the table have.
var alone = map[string]bool{"how_much": true, "how_many": true, "average": true, "median": true, "share": true, "change": true}

type heading struct {
	Label  string
	Number bool
}

type cell struct {
	Text, Href string
	Number     bool
}

type tile struct{ Name, Value string }

type party struct{ Name, Href string }

func newView(found *ask.Answer) *view {
	v := &view{Found: found, Chart: chartOf(found.Chart)}
	for _, c := range found.Columns {
		v.Heads = append(v.Heads, heading{c.Label, numeric(c.Unit)})
	}
	for _, row := range found.Rows {
		line := make([]cell, len(found.Columns))
		for i, c := range found.Columns {
			line[i].Number = numeric(c.Unit)
			if i < len(row) {
				line[i] = cellOf(row[i], c.Unit)
			}
		}
		v.Lines = append(v.Lines, line)
	}
	if found.Plan != nil && alone[found.Plan.Measure] && len(found.Figures) <= mostTiles {
		for _, f := range found.Figures {
			v.Tiles = append(v.Tiles, tile{ask.FigureName(f.Name), ask.Written(f.Value, f.Unit)})
		}
	}
	if found.Request != nil {
		v.Curl = snippet.Curl(found.Request.URL, found.Request.Body)
	}
	return v
}

// Source is where the answer is shown in full on the site.
func (v *view) Source() string {
	if strings.HasPrefix(v.Found.Link, "/") && !strings.HasPrefix(v.Found.Link, "//") {
		return v.Found.Link
	}
	return ""
}

// SQLLink opens the statement on the page of SQL.
func (v *view) SQLLink() string { return "/sql#q=" + url.PathEscape(v.SQL) }

// SourceName is the text of the link to Source.
func (v *view) SourceName() string {
	switch head, _, _ := strings.Cut(strings.TrimPrefix(v.Source(), "/"), "/"); {
	case strings.HasPrefix(head, "explore"):
		return "See these grants in Explore"
	case head == "org":
		return "Open the page of the organization"
	case strings.HasPrefix(head, "check"):
		return "Check the organization"
	}
	return "Open the page behind this answer"
}

func numeric(unit string) bool {
	return unit == ask.UnitDollars || unit == ask.UnitCount || unit == ask.UnitPercent
}

func cellOf(value any, unit string) cell {
	if o, ok := value.(ask.Party); ok {
		p := partyOf(o)
		return cell{Text: p.Name, Href: p.Href, Number: numeric(unit)}
	}
	return cell{Text: cmp.Or(ask.Cell(value, unit), "not known"), Number: numeric(unit)}
}

func partyOf(o ask.Party) party {
	p := party{Name: orgname.Display(o.Name)}
	if e, err := ein.Parse(o.EIN); err == nil {
		p.Href = "/org/" + e.String() + "/" + search.Slug(o.Name)
	}
	return p
}

// chartOf draws dollars. Counts stay in the table, because the charts of the site label their values as dollars.
func chartOf(c *ask.Chart) template.HTML {
	if c == nil || c.Unit != ask.UnitDollars || len(c.Labels) != len(c.Values) {
		return ""
	}
	if c.Kind == "years" {
		var list []draw.Year
		for i, label := range c.Labels {
			year, err := strconv.Atoi(label)
			if err != nil {
				return ""
			}
			list = append(list, draw.Year{Year: year, Amount: c.Values[i], Partial: i < len(c.Partial) && c.Partial[i]})
		}
		return draw.Years(list)
	}
	var list []draw.Bar
	for i, label := range c.Labels {
		list = append(list, draw.Bar{Label: orgname.Display(label), Amount: c.Values[i]})
	}
	return draw.Dollars.Bars(list)
}

// chip is one part of the plan of a question, with its other values.
type chip struct {
	Label, Value string
	Off          string // address of the question without it
	Options      []choice
}

type choice struct {
	Label, Href string
	Chosen      bool
}

// newChips are the parts of a plan. Their addresses have the changed plan with a
// seal, so that nobody else can make the page show a plan.
func (s *room) newChips(text string, p *ask.Plan) (list []chip) {
	for _, c := range p.Chips() {
		to := chip{Label: c.Label, Value: c.Value}
		if c.Off != "" {
			to.Off = addressOf(text, s.sealed(c.Off))
		}
		for _, o := range c.Options {
			to.Options = append(to.Options, choice{o.Label, addressOf(text, s.sealed(o.Plan)), o.Chosen})
		}
		list = append(list, to)
	}
	return list
}

// sealed is a plan with the seal of this service in front of it.
func (s *room) sealed(plan string) string { return s.Seal(plan) + plan }

// unsealed is the plan behind its seal.
func (s *room) unsealed(text string) (plan string, ok bool) {
	i := strings.IndexByte(text, '{')
	if i < 0 {
		return "", false
	}
	return text[i:], s.Seal(text[i:]) == text[:i]
}
