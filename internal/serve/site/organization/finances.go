package organization

import (
	_ "embed"
	"html/template"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"grantgraph/internal/grant"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

type financesPage struct {
	*view
	Returns []financialReturn // latest first
	Groups  []figureGroup
	Line    template.HTML
	Kinds   template.HTML // income of the latest return by kind
}

// financialReturn is the head of a column.
type financialReturn struct {
	Year       int
	Form, Ends string
	Amended    bool
	URL        *string
}

type figureGroup struct {
	Title, Note string
	Rows        []figureRow
}

type figureRow struct {
	Title  string
	Values []*int64
}

// mostReturns is how many columns the tables have. About a dozen years are read; if there are more, the page says so.
const mostReturns = 24

// figureTable has the rows of the tables, by the columns of org_financials.
//
//go:embed figures.tsv
var figureTable string

// income is the group of the figures that the latest return is drawn by.
const income = "Revenue by type"

// grantsGroup is the group of the grant dollars.
const grantsGroup = "Grants and where they are listed"

var figureNotes = map[string]string{
	income:          "Dues and government grants of a Form 990 are part of its contributions.",
	"Balance sheet": "At the end of the year.",
	grantsGroup:     "The grants on this site include only the first row. The rows above the total add up to the total, if the return states one.",
}

// figureOf defines a row of the tables: which figure of a return it shows.
type figureOf struct {
	group, title, column string
	field                []int
}

var figures = func() (list []figureOf) {
	columns := map[string][]int{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[snapshot.Financial]()) {
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		columns[name] = f.Index
	}
	for _, r := range table.Read("figures.tsv", figureTable, "group", "title", "column") {
		list = append(list, figureOf{r.Text("group"), r.Text("title"), r.Text("column"), columns[r.Text("column")]})
	}
	return list
}()

func (f *figureOf) of(r *snapshot.Financial) *int64 {
	return reflect.ValueOf(r).Elem().FieldByIndex(f.field).Interface().(*int64)
}

func (s *room) showFinances(w http.ResponseWriter, r *http.Request, v *view) error {
	page := &financesPage{view: v}
	hold, err := s.Budget.Take(r.Context(), 1<<20)
	if err != nil {
		return err
	}
	defer hold.Release()
	if found, ok := v.set.Profiles.Read(v.EIN, true); ok {
		page.read(found.Financials)
		page.account(found)
	}
	e := v.EIN.String()
	v.API = v.BaseURL + api.Versioned + "/premier/" + e
	v.SQL = "SELECT * FROM org_financials WHERE ein = '" + e + "' ORDER BY period_end DESC"
	return s.pages.Render(w, http.StatusOK, "finances", page)
}

func (p *financesPage) account(found *profile.Profile) {
	group := figureGroup{Title: grantsGroup, Note: figureNotes[grantsGroup]}
	list := found.Financials[max(0, len(found.Financials)-mostReturns):]
	for _, kind := range grant.Amounts() {
		values, some := make([]*int64, len(list)), false
		for i := range found.Account {
			a := &found.Account[i]
			at := slices.IndexFunc(list, func(f snapshot.Financial) bool { return f.Filing == a.Filing })
			if a.Kind == kind.Kind && at >= 0 {
				values[len(list)-1-at], some = &a.Amount, true
			}
		}
		if some {
			group.Rows = append(group.Rows, figureRow{kind.Label, values})
		}
	}
	if len(group.Rows) > 0 {
		p.Groups = append(p.Groups, group)
	}
}

// read fills the rows from returns, oldest first, except rows without any figure.
func (p *financesPage) read(list []snapshot.Financial) {
	if len(list) == 0 {
		return
	}
	p.Line = moneyLine(list)
	list = list[max(0, len(list)-mostReturns):]
	for i := len(list) - 1; i >= 0; i-- {
		f := &list[i]
		p.Returns = append(p.Returns, financialReturn{int(f.TaxYear), frame.Form(f.ReturnType), f.PeriodEnd, f.Amended, api.FilingURL(p.EIN, f.ObjectID)})
	}
	var kinds []draw.Bar
	latest := &list[len(list)-1]
	for _, row := range figures {
		values, some := make([]*int64, 0, len(list)), false
		for i := len(list) - 1; i >= 0; i-- {
			n := row.of(&list[i])
			values, some = append(values, n), some || n != nil
		}
		if !some {
			continue
		}
		if n := len(p.Groups); n == 0 || p.Groups[n-1].Title != row.group {
			p.Groups = append(p.Groups, figureGroup{Title: row.group, Note: figureNotes[row.group]})
		}
		group := &p.Groups[len(p.Groups)-1]
		group.Rows = append(group.Rows, figureRow{row.title, values})
		// Government grants, and the dues of a Form 990, are parts of the contributions.
		part := row.column == "government_grants" || row.column == "dues" && latest.ReturnType == "990"
		if n := values[0]; row.group == income && n != nil && *n > 0 && !part {
			kinds = append(kinds, draw.Bar{Label: row.title, Amount: *n})
		}
	}
	p.Kinds = draw.Dollars.Bars(kinds)
}
