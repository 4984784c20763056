package organization

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"grantgraph/client"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

// offer replaces a part that the visitor's plan does not cover. It says which plan
// covers the part and how to get it, and shows no data.
type offer struct {
	*view
	Part, Plan string
	What       []string // what the part would show
	Known      bool     // signed in
	Has        string   // current plan
	Next       string   // where to return to
}

func (s *room) showOffer(p part) func(http.ResponseWriter, *http.Request, *view) error {
	return func(w http.ResponseWriter, _ *http.Request, v *view) error {
		o := offer{view: v, Part: p.title, Plan: p.plan, What: p.offers, Known: v.member.Known(), Next: url.QueryEscape(v.Canonical)}
		v.Canonical = "" // there is nothing to find here
		if o.Known {
			o.Has = map[string]string{"free": "Free", "plus": "Plus"}[string(v.member.Plan)]
		}
		return s.pages.Render(w, http.StatusOK, "offer", o)
	}
}

type peoplePage struct {
	*view
	Governance *client.ProfileGovernance
	Family     *client.ProfileFamily
}

func (s *room) showPeople(w http.ResponseWriter, r *http.Request, v *view) error {
	a, release, err := frame.Answer[*profiles.PremierAnswer](s.Frame, r, v.member.Caller(), "/premier/"+v.EIN.String(), nil)
	if err != nil {
		return err
	}
	defer release()
	v.Absent = a.Service.NotAvailable
	v.API = v.BaseURL + api.Versioned + "/premier/" + v.EIN.String()
	v.SQL = "SELECT * FROM board_link WHERE '" + v.EIN.String() + "' IN (e1, e2) ORDER BY conf DESC"
	return s.pages.Render(w, http.StatusOK, "people", peoplePage{v, a.Governance, a.Family})
}

type governmentPage struct {
	*view
	Funding  *profiles.FundingAnswer
	Years    template.HTML
	Agencies template.HTML
	Programs template.HTML
	Pager    pager
}

func (s *room) showGovernment(w http.ResponseWriter, r *http.Request, v *view) error {
	e := v.EIN.String()
	q := url.Values{"limit": {strconv.Itoa(rowsShown)}, "page": {strconv.FormatInt(v.pageNumber(r), 10)}}
	a, release, err := frame.Answer[*profiles.FundingAnswer](s.Frame, r, v.member.Caller(), "/gov-funding/"+e, q)
	if err != nil {
		return err
	}
	defer release()
	page := &governmentPage{view: v, Funding: a}
	var years []draw.Year
	for _, y := range a.ByYear {
		years = append(years, draw.Year{Year: y.FiscalYear, Amount: sum(y.FederalAmount, y.StateAmount)})
	}
	page.Years = draw.Years(years)
	var bars []draw.Bar
	for _, x := range a.ByAgency {
		bars = append(bars, draw.Bar{Label: payer(x.Agency, x.State), Amount: x.TotalAmount})
	}
	page.Agencies = draw.Dollars.Bars(bars[:min(len(bars), topShown)])
	bars = nil
	for _, x := range a.ByProgram {
		bars = append(bars, draw.Bar{Label: cmp.Or(frame.Text(x.Program), "No program named"), Amount: x.TotalAmount})
	}
	page.Programs = draw.Dollars.Bars(bars[:min(len(bars), topShown)])
	page.Pager = newPager(a.Page, a.Summary.AwardCount, len(a.Awards), func(n int64) string {
		return v.Canonical + "?page=" + strconv.FormatInt(n, 10)
	})
	v.API = v.BaseURL + api.Versioned + "/gov-funding/" + e
	v.SQL = "SELECT * FROM gov_award WHERE ein = '" + e + "' ORDER BY fiscal_year DESC, amount DESC"
	return s.pages.Render(w, v.status(), "government", page)
}

func sum(list ...*int64) (n int64) {
	for _, x := range list {
		if x != nil {
			n += *x
		}
	}
	return n
}

func payer(agency, state *string) string {
	name := cmp.Or(frame.Text(agency), "No agency named")
	if state != nil {
		name += ", " + *state
	}
	return name
}

type screeningPage struct {
	*view
	Known, Paid bool
}

func (s *room) showScreening(w http.ResponseWriter, _ *http.Request, v *view) error {
	v.Canonical = ""
	v.API = v.BaseURL + api.Versioned + "/screening/" + v.EIN.String()
	v.SQL = "SELECT * FROM auto_revocation WHERE ein = '" + v.EIN.String() + "'"
	return s.pages.Render(w, http.StatusOK, "screening", screeningPage{v, v.member.Known(), v.member.Caller().Paid})
}
