package organization

import (
	"html/template"
	"net/http"

	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/snapshot"
)

// financesPage shows the figures of every return.
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

// figureGroup is a group of rows with a heading.
type figureGroup struct {
	Title, Note string
	Rows        []figureRow
}

// figureRow is one figure of all returns.
type figureRow struct {
	Title  string
	Values []*int64
}

// mostReturns is how many columns the tables have. About a dozen years are read; if
// there are more, the page says so.
const mostReturns = 24

// figures are the rows of the tables, under their headings.
var figures = []struct {
	title, note string
	rows        []figureOf
}{
	{"In short", "", []figureOf{
		{"Revenue", func(f *snapshot.Financial) *int64 { return f.TotalRevenue }},
		{"Expenses", func(f *snapshot.Financial) *int64 { return f.TotalExpenses }},
		{"Revenue less expenses", func(f *snapshot.Financial) *int64 { return f.Surplus }},
		{"Assets", func(f *snapshot.Financial) *int64 { return f.TotalAssets }},
		{"Assets at market value", func(f *snapshot.Financial) *int64 { return f.TotalAssetsFMV }},
		{"Liabilities", func(f *snapshot.Financial) *int64 { return f.TotalLiabilities }},
		{"Net assets", func(f *snapshot.Financial) *int64 { return f.NetAssets }},
		{"Grants paid, as the filer totals them", func(f *snapshot.Financial) *int64 { return f.GrantsPaid }},
	}},
	{"Income by kind", "Dues and government grants of a Form 990 are part of its contributions.", income},
	{"Expenses", "", []figureOf{
		{"Programs", func(f *snapshot.Financial) *int64 { return f.ProgramExpenses }},
		{"Management", func(f *snapshot.Financial) *int64 { return f.ManagementExpenses }},
		{"Fundraising", func(f *snapshot.Financial) *int64 { return f.FundraisingExpenses }},
		{"Charitable purposes", func(f *snapshot.Financial) *int64 { return f.CharitableSpending }},
		{"Pay of officers and directors", func(f *snapshot.Financial) *int64 { return f.OfficerPay }},
		{"Other pay", func(f *snapshot.Financial) *int64 { return f.OtherPay }},
	}},
	{"Balance sheet", "At the end of the year.", []figureOf{
		{"Cash", func(f *snapshot.Financial) *int64 { return f.Cash }},
		{"Savings", func(f *snapshot.Financial) *int64 { return f.Savings }},
		{"Receivables", func(f *snapshot.Financial) *int64 { return f.Receivables }},
		{"Inventories", func(f *snapshot.Financial) *int64 { return f.Inventories }},
		{"Securities", func(f *snapshot.Financial) *int64 { return f.Securities }},
		{"Other investments", func(f *snapshot.Financial) *int64 { return f.OtherInvestments }},
		{"Land, buildings and equipment", func(f *snapshot.Financial) *int64 { return f.Property }},
		{"Other assets", func(f *snapshot.Financial) *int64 { return f.OtherAssets }},
		{"Accounts payable", func(f *snapshot.Financial) *int64 { return f.Payables }},
		{"Grants payable", func(f *snapshot.Financial) *int64 { return f.GrantsPayable }},
		{"Deferred revenue", func(f *snapshot.Financial) *int64 { return f.DeferredRevenue }},
		{"Debt", func(f *snapshot.Financial) *int64 { return f.Debt }},
		{"Other liabilities", func(f *snapshot.Financial) *int64 { return f.OtherLiabilities }},
		{"Net assets without donor restrictions", func(f *snapshot.Financial) *int64 { return f.UnrestrictedNet }},
		{"Net assets with donor restrictions", func(f *snapshot.Financial) *int64 { return f.RestrictedNet }},
	}},
}

var income = []figureOf{
	{"Contributions, gifts and grants", func(f *snapshot.Financial) *int64 { return f.Contributions }},
	{"Of these, government grants", func(f *snapshot.Financial) *int64 { return f.GovernmentGrants }},
	{"Dues", func(f *snapshot.Financial) *int64 { return f.Dues }},
	{"Program services", func(f *snapshot.Financial) *int64 { return f.ProgramServices }},
	{"Interest and dividends", func(f *snapshot.Financial) *int64 { return f.Investments }},
	{"Rents", func(f *snapshot.Financial) *int64 { return f.Rents }},
	{"Sales of assets, net", func(f *snapshot.Financial) *int64 { return f.AssetSales }},
	{"Events and gaming, net", func(f *snapshot.Financial) *int64 { return f.Events }},
	{"Sales of goods, net", func(f *snapshot.Financial) *int64 { return f.InventorySales }},
	{"Royalties", func(f *snapshot.Financial) *int64 { return f.Royalties }},
	{"Other income", func(f *snapshot.Financial) *int64 { return f.OtherIncome }},
}

// figureOf defines a row: how to read its figure from a return.
type figureOf struct {
	title string
	of    func(*snapshot.Financial) *int64
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
	}
	e := v.EIN.String()
	v.API = v.BaseURL + api.Versioned + "/premier/" + e
	v.SQL = "SELECT * FROM org_financials WHERE ein = '" + e + "' ORDER BY period_end DESC"
	s.pages.Render(w, http.StatusOK, "finances", page)
	return nil
}

// read fills the rows from returns, which are sorted oldest first. It leaves out
// rows without any figure.
func (p *financesPage) read(list []snapshot.Financial) {
	if len(list) == 0 {
		return
	}
	p.Line = moneyLine(list)
	list = list[max(0, len(list)-mostReturns):]
	for i := len(list) - 1; i >= 0; i-- {
		f := &list[i]
		p.Returns = append(p.Returns, financialReturn{int(f.TaxYear), formName(f.ReturnType), f.PeriodEnd, f.Amended, api.FilingURL(p.EIN, f.ObjectID)})
	}
	for _, g := range figures {
		group := figureGroup{Title: g.title, Note: g.note}
		for _, row := range g.rows {
			values, some := make([]*int64, 0, len(list)), false
			for i := len(list) - 1; i >= 0; i-- {
				n := row.of(&list[i])
				values, some = append(values, n), some || n != nil
			}
			if some {
				group.Rows = append(group.Rows, figureRow{row.title, values})
			}
		}
		if len(group.Rows) > 0 {
			p.Groups = append(p.Groups, group)
		}
	}
	var kinds []draw.Bar
	latest := &list[len(list)-1]
	for i, row := range income {
		if n := row.of(latest); n != nil && *n > 0 && i != 1 && (i != 2 || latest.ReturnType != "990") { // parts of the contributions
			kinds = append(kinds, draw.Bar{Label: row.title, Amount: *n})
		}
	}
	p.Kinds = draw.Bars(kinds)
}
