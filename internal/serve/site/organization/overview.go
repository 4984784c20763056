package organization

import (
	"context"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/change"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/profile"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/snapshot"
)

const topShown = 10

type overview struct {
	*view
	Gave, Received flow
	Flows          template.HTML
	Money          template.HTML // finances over the years
	News           *news         // nil if nothing is new
	Apply          *applying     // nil for other organizations than private foundations
	Apart          apart
}

// applying is what a private foundation tells applicants, and in which return.
type applying struct {
	*client.ProfileApplications
	URL *string
}

// apart is what an organization gave that is not in its grants.
type apart struct {
	Outside int64
	Amounts []draw.Bar
	Net     *int64 // all grants less reversals; nil if there are no reversals
}

func apartOf(a profile.Account, given int64) (x apart) {
	sums := a.Sums(profile.AnyYear)
	if n := sums[grant.Reversals]; n != 0 {
		n += given
		x.Net = &n
	}
	x.Outside = sums.Outside()
	for _, k := range grant.Amounts() {
		if k.Given && k.Kind != grant.Itemized && sums[k.Kind] > 0 {
			x.Amounts = append(x.Amounts, draw.Bar{Label: k.Label, Amount: sums[k.Kind]})
		}
	}
	return x
}

type flow struct {
	*ledger.Ledger
	Median   int64
	Top      []ledger.Relation
	Persons  graph.Cost // grants to private persons, who are not named
	Nobody   graph.Cost // grants with no named recipient
	Causes   template.HTML
	Map      template.HTML
	Shown    int64 // funders or recipients that can be listed
	Explore  string
	Complete string // path of the whole list
}

func (s *room) showOverview(w http.ResponseWriter, r *http.Request, v *view) error {
	g := v.set.Graph
	hold, err := s.Budget.Take(r.Context(), max(ledger.Weight(g, v.EIN, graph.Gave), ledger.Weight(g, v.EIN, graph.Received)))
	if err != nil {
		return err
	}
	defer hold.Release()
	page := overview{view: v, News: newsOf(v.set.Changes, v.EIN)}
	e := v.EIN.String()
	for side, to := range map[graph.Side]*flow{graph.Gave: &page.Gave, graph.Received: &page.Received} {
		if err := to.read(r.Context(), v, side); err != nil {
			return err
		}
	}
	page.Gave.Explore, page.Received.Explore = "/explore?funder_id="+e, "/explore?recip_id="+e
	page.Gave.Complete, page.Received.Complete = v.Home+"/recipients", v.Home+"/funders"
	page.Gave.draw(ofRecipients)
	page.Received.draw(ofFunders)
	gave, received := v.givenYears(page.Gave.Ledger), v.receivedYears(page.Received.Ledger)
	for direction, list := range map[string][]draw.Year{"gave": gave, "received": received} {
		for i := range list {
			if list[i].Grants > 0 {
				list[i].Href = v.Home + "/grants?" + url.Values{"direction": {direction}, "year": {strconv.Itoa(list[i].Year)}}.Encode()
			}
		}
	}
	page.Flows = draw.TwoFlows(gave, received)
	if found, ok := v.set.Profiles.Read(v.EIN, true); ok {
		page.Money = moneyLine(found.Financials)
		page.Apart = apartOf(found.Account, page.Gave.Total)
		if a := profiles.Applications(found); a != nil {
			page.Apply = &applying{a, api.FilingURL(v.EIN, frame.Text(a.ObjectID))}
		}
	}
	v.API = v.BaseURL + api.Versioned + "/premier/" + e
	v.SQL = "SELECT 'gave' AS direction, tax_year, sum(amount) AS dollars, count(*) AS grants, median(amount) AS median\nFROM grants WHERE funder_ein = '" +
		e + "' GROUP BY tax_year\nUNION ALL\nSELECT 'received', tax_year, sum(amount), count(*), median(amount)\nFROM grants WHERE recipient_ein = '" +
		e + "' GROUP BY tax_year\nORDER BY direction, tax_year"
	return s.pages.Render(w, http.StatusOK, "overview", page)
}

// cause is the letter of an organization's cause, also of one that we inferred, or 0.
func (v *view) cause(e ein.EIN) byte {
	found, ok := v.set.Profiles.Read(e, false)
	if !ok {
		return 0
	}
	return prospect.Cause(&found.Organization)
}

func (f *flow) read(ctx context.Context, v *view, side graph.Side) (err error) {
	g := v.set.Graph
	if f.Ledger, err = ledger.Read(ctx, g, v.EIN, side, 0, v.cause); err != nil || f.Grants == 0 {
		return err
	}
	median, _, err := ledger.Median(ctx, g, v.EIN, side)
	if err != nil {
		return err
	}
	f.Median = int64(math.Round(median))
	found, err := ledger.ReadRelations(ctx, g, ledger.RelationsQuestion{EIN: v.EIN, Side: side, Apart: unnamed, Page: graph.Page{Limit: topShown}})
	if err != nil {
		return err
	}
	f.Top, f.Shown, f.Persons, f.Nobody = found.List, found.Hits, found.Apart[0], found.Apart[1]
	return nil
}

// unnamed are the recipients that lists do not name: private persons, and grants with no named recipient.
var unnamed = []graph.Class{graph.Individuals, graph.Unidentified}

// Whose place a filter by place refers to.
const (
	ofRecipients = "&location_type=recipient"
	ofFunders    = "&location_type=funder"
)

// draw makes the pictures of one direction. of says whose place the map shows.
func (f *flow) draw(of string) {
	bars := draw.GroupBars(grouped(graph.GroupSubject, f.Subjects), topShown, func(n int64) string { return things(n, "other cause") }, func(key string) string {
		if of == ofFunders {
			return "" // there is no filter by a funder's cause
		}
		return f.Explore + "&subject=" + key
	})
	f.Causes = draw.Dollars.Bars(bars)
	if len(f.States) > 0 {
		f.Map = draw.GroupMap(grouped(graph.GroupState, f.States), func(code string) string { return f.Explore + "&location=" + code + of })
	}
}

func grouped(by graph.Grouping, list []ledger.Group) graph.Grouped {
	d := graph.Grouped{By: by}
	for _, x := range list {
		if sum := (graph.Cost{Grants: x.Grants, Amount: x.Total}); x.Key == "" {
			d.None = &sum
		} else {
			d.Groups = append(d.Groups, graph.Group{Key: x.Key, Cost: sum})
		}
	}
	d.Count = int64(len(d.Groups))
	return d
}

// returned are the fiscal years with a return that could list grants.
func (v *view) returned() map[int]bool {
	years := map[int]bool{}
	for _, f := range v.Core.Filings {
		if f.ReturnType != "990T" {
			years[f.FiscalYear] = true
		}
	}
	return years
}

// givenYears are the years of grants made. A year is incomplete only if its return is missing, even between other years.
func (v *view) givenYears(l *ledger.Ledger) (list []draw.Year) {
	read := v.returned()
	add := func(y draw.Year) {
		if y.Partial = !read[y.Year]; y.Partial {
			y.Note = "we have no return for the year"
		}
		list = append(list, y)
	}
	for _, y := range l.Years {
		for n := len(list); n > 0 && list[n-1].Year < y.FiscalYear-1; n = len(list) {
			add(draw.Year{Year: list[n-1].Year + 1})
		}
		add(draw.Year{Year: y.FiscalYear, Amount: y.Total, Grants: y.Grants})
	}
	return list
}

// receivedYears are the years of grants received. A year is incomplete while returns of funders are still arriving.
func (v *view) receivedYears(l *ledger.Ledger) (list []draw.Year) {
	for _, y := range l.Years {
		year := draw.Year{Year: y.FiscalYear, Amount: y.Total, Grants: y.Grants, Partial: y.Partial}
		if y.Partial {
			year.Note = "returns of funders are still arriving"
		}
		list = append(list, year)
	}
	return list
}

// moneyLine draws the main figures of returns. Of two for a year, the later counts.
func moneyLine(list []snapshot.Financial) template.HTML {
	var series []draw.Series
	for _, line := range []struct {
		name string
		of   func(*snapshot.Financial) *int64
	}{
		{"Revenue", func(f *snapshot.Financial) *int64 { return f.TotalRevenue }},
		{"Expenses", func(f *snapshot.Financial) *int64 { return f.TotalExpenses }},
		{"Assets", func(f *snapshot.Financial) *int64 { return f.TotalAssets }},
	} {
		s := draw.Series{Name: line.name}
		for i := range list {
			n := line.of(&list[i])
			if n == nil {
				continue
			}
			p := draw.Point{Year: int(list[i].TaxYear), Amount: *n}
			if k := len(s.Points); k > 0 && s.Points[k-1].Year == p.Year {
				s.Points[k-1] = p
				continue
			}
			s.Points = append(s.Points, p)
		}
		if len(s.Points) > 0 {
			series = append(series, s)
		}
	}
	if len(series) == 0 {
		return ""
	}
	return draw.Dollars.Line(series)
}

// news is what is new in an organization's own returns in this build.
type news struct {
	Since string // date of the previous build
	Text  string
}

// newsOf returns what is new since the previous build. It is nil if nothing is new,
// there was no previous build, or the file is unavailable.
func newsOf(x *change.Index, e ein.EIN) *news {
	if x == nil {
		return nil
	}
	version, c := x.Latest(e)
	if version == "" || c.None() {
		return nil
	}
	var said []string
	for _, part := range []struct {
		n    uint32
		what string
	}{
		{c.ReturnsNew, "new return"}, {c.ReturnsAmended, "amended return"}, {c.ReturnsRemoved, "withdrawn return"},
		{c.RowsAdded, "added grant"}, {c.RowsChanged, "changed grant"}, {c.RowsRemoved, "removed grant"},
	} {
		if part.n > 0 {
			said = append(said, things(int64(part.n), part.what))
		}
	}
	return &news{Since: frame.Day(version[:4] + "-" + version[4:6] + "-" + version[6:8]), Text: strings.Join(said, ", ")}
}
