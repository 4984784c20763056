package organization

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/site/frame"
)

// prospectsPage is the funders that fund organizations like one.
type prospectsPage struct {
	*view
	Rows     []profiles.ProspectRow
	Hits     int64
	Notes    []string // what the answer says of itself
	Asked    url.Values
	Fields   []field
	Download string
	Pager    pager
}

// field is a filter of the form.
type field struct {
	Name, Title string
	Value       string // of a number
	Options     []option
}

// option is one choice of a field.
type option struct {
	Value, Text string
	Current     bool
}

// prospectFilters are the parameters of the API that the page passes on.
var prospectFilters = []string{"location", "location_type", "subject", "funder_type", "min_amt", "max_amt", "min_grants_paid", "max_grants_paid"}

// mostDownloaded is how many rows of the API a page of it has at most.
const mostDownloaded = 100

func (s *room) showProspects(w http.ResponseWriter, r *http.Request, v *view) error {
	m, err := s.Member(r)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, no-store") // it depends on who is signed in
	if !m.Caller().Paid {
		s.showOffer(w, v, m, "Prospects", "Plus", "Funders that fund organizations like this one and have not funded it, or not lately, ranked", "The reasons as data: similar recipients, typical grants, giving in the state and for the cause, how many recipients were new", "Filters for place, cause, size and kind of funder, and a file of all of them")
		return nil
	}
	page := &prospectsPage{view: v, Asked: url.Values{}}
	for _, name := range prospectFilters {
		if value := r.FormValue(name); value != "" {
			page.Asked.Set(name, value)
		}
	}
	page.fields()
	if r.FormValue("format") == "csv" {
		return s.saveProspects(w, r, page, m.Caller())
	}
	number := v.pageNumber(r)
	list, release, err := s.askProspects(r, page, m.Caller(), number, rowsShown)
	defer release()
	if err != nil {
		if err := v.readProblems(err); err != nil {
			return err
		}
		s.pages.Render(w, v.status(), "prospects", page)
		return nil
	}
	page.Rows, page.Hits = list.Results, list.Hits
	for _, warning := range list.Service.Warnings {
		page.Notes = append(page.Notes, warning.Reason)
	}
	page.Pager = newPager(list.Page, list.Hits, len(page.Rows), func(n int64) string { return page.address("page", strconv.FormatInt(n, 10)) })
	page.Download = page.address("format", "csv")
	v.API = v.BaseURL + api.Versioned + "/prospects/" + v.EIN.String()
	if len(page.Asked) > 0 {
		v.API += "?" + page.Asked.Encode()
	}
	s.pages.Render(w, v.status(), "prospects", page)
	return nil
}

// askProspects asks for a page of the list.
func (s *room) askProspects(r *http.Request, page *prospectsPage, caller api.Caller, number int64, limit int) (*api.List[profiles.ProspectRow], func(), error) {
	q := url.Values{"limit": {strconv.Itoa(limit)}, "page": {strconv.FormatInt(number, 10)}}
	for name, value := range page.Asked {
		q[name] = value
	}
	return frame.Answer[*api.List[profiles.ProspectRow]](s.Frame, r, caller, "/prospects/"+page.EIN.String(), q)
}

// saveProspects writes all of them as a file, as the API writes CSV.
func (s *room) saveProspects(w http.ResponseWriter, r *http.Request, page *prospectsPage, caller api.Caller) error {
	var rows []profiles.ProspectRow
	for number := int64(1); ; number++ {
		list, release, err := s.askProspects(r, page, caller, number, mostDownloaded)
		if err != nil {
			release()
			if err := page.readProblems(err); err != nil {
				return err
			}
			s.pages.Render(w, page.status(), "prospects", page)
			return nil
		}
		rows = append(rows, list.Results...)
		more := number < list.TotalPages
		release()
		if !more {
			break
		}
	}
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="prospects-%s.csv"`, page.EIN))
	out := csv.NewWriter(w)
	_ = out.Write(api.Headings(profiles.ProspectRow{})) // whoever went away needs no error
	var record []string
	for _, row := range rows {
		record = api.Record(record[:0], row)
		_ = out.Write(record)
	}
	out.Flush()
	return nil
}

// address is that of the same list with one thing more.
func (p *prospectsPage) address(name, value string) string {
	q := url.Values{name: {value}}
	for name, value := range p.Asked {
		q[name] = value
	}
	return p.Home + "/prospects?" + q.Encode()
}

// fields fills in the form.
func (p *prospectsPage) fields() {
	choose := func(name, title, none string, options []option) {
		options = slices.Insert(options, 0, option{Text: none})
		for i := range options {
			options[i].Current = options[i].Value == p.Asked.Get(name)
		}
		p.Fields = append(p.Fields, field{Name: name, Title: title, Options: options})
	}
	var states, causes, kinds []option
	for _, r := range place.Regions() {
		states = append(states, option{Value: r.Code, Text: r.Name})
	}
	for letter := byte('A'); letter <= 'Z'; letter++ {
		causes = append(causes, option{Value: string(rune(letter)), Text: ntee.Label(letter)})
	}
	for _, kind := range grant.FunderKinds() {
		kinds = append(kinds, option{Value: kind, Text: map[string]string{
			grant.PrivateFoundation: "Private foundations", grant.PublicCharity: "Public charities", grant.Passthrough: "Donor-advised and pass-through",
		}[kind]})
	}
	choose("location", "State", "Any state", states)
	choose("location_type", "The state", "is where it gives", []option{{Value: "funder", Text: "is where the funder is"}})
	choose("subject", "Gave to the cause", "Any cause", causes)
	choose("funder_type", "Kind of funder", "All kinds", kinds)
	for _, f := range []field{
		{Name: "min_amt", Title: "Typical grant from"}, {Name: "max_amt", Title: "up to"},
		{Name: "min_grants_paid", Title: "Gave in a year from"}, {Name: "max_grants_paid", Title: "up to"},
	} {
		f.Value = p.Asked.Get(f.Name)
		p.Fields = append(p.Fields, f)
	}
}

// Filtered says whether any filter is set.
func (p *prospectsPage) Filtered() bool { return len(p.Asked) > 0 }
