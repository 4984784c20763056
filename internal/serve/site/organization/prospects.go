package organization

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/explore"
	"grantgraph/internal/serve/site/frame"
)

type prospectsPage struct {
	*view
	Rows     []client.ProspectRow
	Hits     int64
	Notes    []string // notes of the answer
	Asked    url.Values
	Fields   []field
	Download string
	Pager    pager
}

type field struct {
	Name, Title string
	Value       string // for a number
	Options     []option
}

type option struct {
	Value, Text string
	Current     bool
}

var prospectFilters = []string{"location", "location_type", "subject", "funder_type", "accepts_applications",
	"min_amt", "max_amt", "min_grants_paid", "max_grants_paid"}

func (s *room) showProspects(w http.ResponseWriter, r *http.Request, v *view) error {
	page := &prospectsPage{view: v, Asked: askedOf(r.URL.Query())}
	page.fields()
	number := v.pageNumber(r)
	q := url.Values{"limit": {strconv.Itoa(rowsShown)}, "page": {strconv.FormatInt(number, 10)}}
	maps.Copy(q, page.Asked)
	list, release, err := frame.Answer[*api.List[client.ProspectRow]](s.Frame, r, v.member.Caller(), "/prospects/"+v.EIN.String(), q)
	defer release()
	if err != nil {
		if err := v.readProblems(err); err != nil {
			return err
		}
		return s.pages.Render(w, v.status(), "prospects", page)
	}
	page.Rows, page.Hits = list.Results, list.Hits
	page.Notes = each.Append(page.Notes, list.Service.Warnings, func(warning client.Warning) string { return warning.Reason })
	page.Pager = newPager(list.Page, list.Hits, len(page.Rows), func(n int64) string { return page.address("page", strconv.FormatInt(n, 10)) })
	page.Download = "/download/prospects?" + downloadQuery(v.EIN, page.Asked)
	v.API = v.BaseURL + api.Versioned + "/prospects/" + v.EIN.String()
	if len(page.Asked) > 0 {
		v.API += "?" + page.Asked.Encode()
	}
	return s.pages.Render(w, v.status(), "prospects", page)
}

// askedOf picks the filters of the list from a request.
func askedOf(sent url.Values) url.Values {
	asked := url.Values{}
	for _, name := range prospectFilters {
		if value := sent.Get(name); value != "" {
			asked.Set(name, value)
		}
	}
	return asked
}

// NewProspectsFile is the whole list of an organization's prospects, for download. It is nil if there is no such organization.
func NewProspectsFile(f *frame.Frame, r *http.Request, caller api.Caller, query string) (*explore.Export, error) {
	sent, err := url.ParseQuery(query)
	if err != nil {
		return nil, nil
	}
	e, err := ein.Parse(sent.Get("ein"))
	if err != nil {
		return nil, nil
	}
	org, ok := frame.DatasetOf(r).Search.Lookup(e)
	if !ok {
		return nil, nil
	}
	asked := askedOf(sent)
	file, err := explore.NewList[client.ProspectRow](f, r, caller, "/prospects/"+e.String(), asked)
	if err != nil {
		return nil, err
	}
	file.Action, file.View, file.Name = "/download/prospects", downloadQuery(e, asked), "prospects-"+e.String()
	file.Lead, file.What = "Prospects for "+org.DisplayName, "funders"
	file.Back = strings.TrimSuffix("/org/"+e.String()+"/"+search.Slug(org.Name)+"/prospects?"+asked.Encode(), "?")
	return file, nil
}

func downloadQuery(e ein.EIN, asked url.Values) string {
	q := url.Values{"ein": {e.String()}}
	maps.Copy(q, asked)
	return q.Encode()
}

func (p *prospectsPage) address(name, value string) string {
	q := url.Values{name: {value}}
	maps.Copy(q, p.Asked)
	return p.Home + "/prospects?" + q.Encode()
}

func (p *prospectsPage) fields() {
	choose := func(name, title, none string, options []option) {
		options = slices.Insert(options, 0, option{Text: none})
		for i := range options {
			options[i].Current = options[i].Value == p.Asked.Get(name)
		}
		p.Fields = append(p.Fields, field{Name: name, Title: title, Options: options})
	}
	var states, causes, kinds []option
	states = each.Append(states, place.Regions(), func(r place.Region) option { return option{Value: r.Code, Text: r.Name} })
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
	choose("funder_type", "Type of funder", "All types", kinds)
	var answers []option
	for _, answer := range grant.Applications() {
		answers = append(answers, option{Value: answer, Text: grant.ApplicationsLabel(answer)})
	}
	choose("accepts_applications", "Applications", "Any", answers)
	for _, f := range []field{
		{Name: "min_amt", Title: "Typical grant from"}, {Name: "max_amt", Title: "up to"},
		{Name: "min_grants_paid", Title: "Annual giving from"}, {Name: "max_grants_paid", Title: "up to"},
	} {
		f.Value = p.Asked.Get(f.Name)
		p.Fields = append(p.Fields, f)
	}
}

func (p *prospectsPage) Filtered() bool { return len(p.Asked) > 0 }
