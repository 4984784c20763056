package organization

import (
	"encoding/csv"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"grantgraph/client"
	"grantgraph/internal/each"
	"grantgraph/internal/ein"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/search"
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

// mostAtOnce is the largest page size of the API.
const mostAtOnce = 100

func (s *room) showProspects(w http.ResponseWriter, r *http.Request, v *view) error {
	page := &prospectsPage{view: v, Asked: askedOf(r.URL.Query())}
	page.fields()
	number := v.pageNumber(r)
	list, release, err := askProspects(s.Frame, r, v.member.Caller(), v.EIN, page.Asked, number, rowsShown)
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

func askProspects(f *frame.Frame, r *http.Request, caller api.Caller, e ein.EIN, asked url.Values, number int64, limit int) (*api.List[client.ProspectRow],
	func(), error) {
	q := url.Values{"limit": {strconv.Itoa(limit)}, "page": {strconv.FormatInt(number, 10)}}
	maps.Copy(q, asked)
	return frame.Answer[*api.List[client.ProspectRow]](f, r, caller, "/prospects/"+e.String(), q)
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

// ProspectsFile is the whole list of an organization's prospects, for download.
type ProspectsFile struct {
	EIN  ein.EIN
	Name string // as people write it
	View string // the EIN and the filters as a query
	Back string // page that shows the list
	Hits int64

	asked url.Values
	rows  []client.ProspectRow
}

// NewProspectsFile reads the address of a file and counts its rows. It returns nil if there is no such organization.
func NewProspectsFile(f *frame.Frame, r *http.Request, caller api.Caller, query string) (*ProspectsFile, error) {
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
	p := &ProspectsFile{EIN: e, Name: org.DisplayName, asked: askedOf(sent)}
	p.View = downloadQuery(e, p.asked)
	p.Back = "/org/" + e.String() + "/" + search.Slug(org.Name) + "/prospects"
	if len(p.asked) > 0 {
		p.Back += "?" + p.asked.Encode()
	}
	list, release, err := askProspects(f, r, caller, e, p.asked, 1, 1)
	defer release()
	if err != nil {
		return p, err
	}
	p.Hits = list.Hits
	return p, nil
}

func (p *ProspectsFile) Read(f *frame.Frame, r *http.Request, caller api.Caller) error {
	for number := int64(1); ; number++ {
		list, release, err := askProspects(f, r, caller, p.EIN, p.asked, number, mostAtOnce)
		if err != nil {
			release()
			return err
		}
		p.rows = append(p.rows, list.Results...)
		more := number < list.TotalPages
		release()
		if !more {
			return nil
		}
	}
}

// CSV writes the rows as the API's CSV has them.
func (p *ProspectsFile) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(api.Headings(client.ProspectRow{})) // Flush keeps the error
	var record []string
	for _, row := range p.rows {
		record = api.Record(record[:0], row)
		_ = out.Write(record)
	}
	out.Flush()
	return out.Error()
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
