// Package organization has the pages of one organization: overview, grants, funders, recipients, network, prospects and
// finances. Depending on the plan, it also has people and government awards. It also has the page that compares organizations.
// A page shows what the API answers the same caller, or what the engines behind the API say.
package organization

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/money"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

//go:embed pages/*.html
var files embed.FS

var templates = frame.PagesOf(files, words)

type room struct {
	*frame.Frame
	pages frame.Pages
	parts []part
}

// part is one page of an organization, with its tab.
type part struct {
	name  string // in the address; empty for the overview
	title string
	count func(*view) int64 // number beside the title; nil for none
	show  func(http.ResponseWriter, *http.Request, *view) error
	// What a personal part shows depends on who is signed in.
	personal bool
	plan     string   // that covers the part, Plus or Pro; empty for all plans
	offers   []string // what the part shows, for visitors whose plan does not cover it
}

// Route adds the pages to the site.
func Route(mux *http.ServeMux, f *frame.Frame) {
	s := &room{Frame: f, pages: templates}
	s.parts = []part{
		{title: "Overview", show: s.showOverview},
		{name: "grants", title: "Grants", count: func(v *view) int64 { return v.Core.Given.GrantCount + v.Core.Received.GrantCount }, show: s.showGrants},
		{name: "funders", title: "Funders", count: func(v *view) int64 { return v.Core.Received.FunderCount }, show: s.showRelations(graph.Received)},
		{name: "recipients", title: "Recipients", count: func(v *view) int64 { return v.Core.Given.RecipientCount }, show: s.showRelations(graph.Gave)},
		{name: "network", title: "Network", show: s.showNetwork},
		{name: "prospects", title: "Prospects", show: s.showProspects, personal: true, plan: "Plus", offers: []string{
			"Ranked list of funders of similar organizations that have not funded this one, at least not recently",
			"The reasons as data: similar recipients, typical grants, giving in the state and for the cause, how many recipients were new",
			"Filters for place, cause, size and type of funder, and a download of the whole list"}},
		{name: "finances", title: "Finances", show: s.showFinances},
		{name: "people", title: "People", show: s.showPeople, personal: true, plan: "Pro", offers: []string{
			"Officers, directors, trustees and key employees on the latest return, with titles, hours and pay",
			"Organizations that share people with this one", "The group this organization belongs to"}},
		{name: "government", title: "Government funding", show: s.showGovernment, personal: true, plan: "Pro", offers: []string{
			"Federal and state awards by year, agency and program",
			"Every award, how we matched it to this organization, and how sure we are", "Which award files this covers, and which are missing"}},
		{name: "screening", title: "Screening", show: s.showScreening, personal: true},
	}
	mux.HandleFunc("GET /org/{ein}", s.Handle(s.serve))
	mux.HandleFunc("GET /org/{ein}/{rest...}", s.Handle(s.serve))
	mux.HandleFunc("GET /compare", s.Handle(s.serveCompare))
}

// view is what every page of an organization shows.
type view struct {
	frame.Head
	set      *dataset.Dataset
	member   frame.Member // of a personal part
	EIN      ein.EIN
	Name     string // with its hyphen
	Home     string // path of the overview
	Core     client.ProfileCore
	Absent   []client.Absent
	Website  string // address of the link, or empty
	Tabs     []tab
	API, SQL string   // the same view in the API and SQL
	Wider    string   // why the call gives more than the page shows, or empty
	Problems []string // parameters that could not be read
}

type tab struct {
	Title, Path string
	Count       int64
	Current     bool
}

// serve finds the organization and the part; similar addresses redirect to the one.
func (s *room) serve(w http.ResponseWriter, r *http.Request) error {
	e, err := ein.Parse(r.PathValue("ein"))
	set := frame.DatasetOf(r)
	switch {
	case err != nil:
		return frame.Missing
	case !set.Browsable() || set.Profiles == nil:
		return frame.Damaged
	}
	org, ok := set.Search.Lookup(e)
	if !ok {
		return frame.Refuse(http.StatusNotFound, "Organization not found", "No IRS list, return or grant that we have names an organization with the EIN "+
			e.Hyphenated()+". Compare the EIN with its determination letter. A local chapter may file under the EIN of its parent.")
	}
	slug := search.Slug(org.Name)
	p, ok := s.find(r.PathValue("rest"), slug)
	if !ok {
		return frame.Missing
	}
	home := "/org/" + e.String() + "/" + slug
	if want := strings.TrimSuffix(home+"/"+p.name, "/"); r.URL.Path != want {
		if r.URL.RawQuery != "" {
			want += "?" + r.URL.RawQuery
		}
		w.Header().Set("Cache-Control", "private, max-age=60") // temporary, because the name may change
		http.Redirect(w, r, want, http.StatusMovedPermanently)
		return nil
	}
	v, release, err := s.view(r, e, org.Name, home, p)
	if err != nil {
		return err
	}
	defer release()
	w.Header().Set("Cache-Control", "private, max-age=60")
	show := p.show
	if p.personal {
		w.Header().Set("Cache-Control", "private, no-store")
		if v.member, err = s.Member(r); err != nil {
			return err
		}
		if caller := v.member.Caller(); p.plan == "Plus" && !caller.Paid || p.plan == "Pro" && !caller.Pro {
			show = s.showOffer(p)
		}
	}
	return show(w, r, v)
}

// find splits what follows the EIN in an address: the slug, a part, or both. Any
// slug is accepted, and a part may stand without a slug.
func (s *room) find(rest, slug string) (part, bool) {
	first, second, _ := strings.Cut(strings.TrimSuffix(rest, "/"), "/")
	named := func(name string) (part, bool) {
		i := slices.IndexFunc(s.parts, func(p part) bool { return p.name == name })
		if i < 0 {
			return part{}, false
		}
		return s.parts[i], true
	}
	if p, ok := named(first); ok && second == "" && first != slug {
		return p, true
	}
	return named(second)
}

func (s *room) view(r *http.Request, e ein.EIN, name, home string, at part) (*view, func(), error) {
	core, release, err := frame.Answer[*client.EssentialsAnswer](s.Frame, r, api.Caller{}, "/essentials/"+e.String(), nil)
	if err != nil {
		return nil, release, err
	}
	v := &view{Head: s.Head(r, ""), set: frame.DatasetOf(r), EIN: e, Name: orgname.Display(name), Home: home, Core: core.ProfileCore,
		Absent: core.Service.NotAvailable}
	v.Title = v.Name
	if at.name != "" {
		v.Title += ": " + at.title
	}
	v.Styles = []string{"organization.css"}
	v.Canonical, v.Kind, v.Image = strings.TrimSuffix(home+"/"+at.name, "/"), "profile", "/share/org/"+e.String()+".png"
	v.Website = websiteLink(v.Core.Organization.WebsiteURL)
	v.Description = v.describe()
	v.Facts = v.facts()
	for _, p := range s.parts {
		t := tab{Title: p.title, Path: strings.TrimSuffix(home+"/"+p.name, "/"), Current: p.name == at.name}
		if p.count != nil {
			t.Count = p.count(v)
		}
		v.Tabs = append(v.Tabs, t)
	}
	return v, release, nil
}

func (v *view) describe() string {
	o, given, got := &v.Core.Organization, &v.Core.Given, &v.Core.Received
	where := frame.Place(frame.Text(o.City), frame.Text(o.State), "")
	if where != "" {
		where = " (" + where + ")"
	}
	var said []string
	if given.GrantCount > 0 {
		said = append(said, "gave "+frame.Short(given.TotalAmount)+" in "+things(given.GrantCount, "grant")+" to "+things(given.RecipientCount, "recipient"))
	}
	if got.GrantCount > 0 {
		said = append(said, "received "+frame.Short(got.TotalAmount)+" in "+things(got.GrantCount, "grant")+" from "+things(got.FunderCount, "funder"))
	}
	if len(said) == 0 {
		return v.Name + where + ", EIN " + v.EIN.Hyphenated() + ": what public US tax filings say of it."
	}
	return v.Name + where + " " + strings.Join(said, " and ") + ", as reported in public US tax filings."
}

func (v *view) facts() any {
	o := &v.Core.Organization
	f := map[string]any{"@context": "https://schema.org", "@type": "NGO", "name": v.Name, "taxID": v.EIN.Hyphenated(), "url": v.BaseURL + v.Home}
	address := map[string]any{}
	for key, value := range map[string]*string{"streetAddress": o.Street, "addressLocality": o.City, "addressRegion": o.State, "postalCode": o.ZIP} {
		if value == nil {
			continue
		}
		address[key] = *value
		if key == "streetAddress" || key == "addressLocality" {
			address[key] = orgname.Display(*value)
		}
	}
	if len(address) > 0 {
		address["@type"], address["addressCountry"] = "PostalAddress", "US"
		f["address"] = address
	}
	if v.Website != "" {
		f["sameAs"] = v.Website
	}
	if o.FormationYear != nil {
		f["foundingDate"] = strconv.Itoa(*o.FormationYear)
	}
	return f
}

// websiteLink is the address of a website as filed, empty if it cannot be valid.
func websiteLink(filed *string) string {
	if filed == nil || len(*filed) > 300 {
		return ""
	}
	t := strings.TrimSpace(strings.ToLower(*filed))
	if !strings.Contains(t, "://") {
		t = "https://" + t
	}
	u, err := url.Parse(t)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || !strings.Contains(strings.Trim(u.Hostname(), "."), ".") ||
		strings.ContainsAny(u.Host, " @") {
		return ""
	}
	return u.String()
}

// KnownFromGrants reports whether only grants mention the organization.
func (v *view) KnownFromGrants() bool {
	return slices.Equal(v.Core.Organization.KnownFrom, []string{"grants_received"})
}

// Why says why a part is absent.
func (v *view) Why(part string) string {
	for _, a := range v.Absent {
		if a.Part == part {
			return a.Detail
		}
	}
	return ""
}

// readProblems words the unreadable parameters, and returns other errors.
func (v *view) readProblems(err error) error {
	list := api.Problems(err)
	if len(list) == 0 {
		return err
	}
	for _, p := range list {
		name := ""
		if len(p.Loc) > 1 {
			name, _ = p.Loc[1].(string)
		}
		v.Problems = append(v.Problems, strings.TrimSpace(cmp.Or(problemNames[name], name)+": "+p.Msg))
	}
	return nil
}

// problemNames are the labels of the API's parameters on the pages.
var problemNames = map[string]string{"min_amt": "Typical grant", "max_amt": "Typical grant", "min_grants_paid": "Annual giving",
	"max_grants_paid": "Annual giving", "subject": "Cause", "page": "Page", "year": "Fiscal year", "sort_by": "Order", "sort_order": "Order"}

// things writes a count of a noun whose plural ends in s.
func things(n int64, word string) string { return plural.Count(n, word, word+"s") }

var words = template.FuncMap{
	"plural":  things,
	"form":    frame.Form,
	"chance":  chance,
	"figure":  figure,
	"compact": draw.Compact,
	"marked":  markWord,
	"signed":  signed,
	"path":    path,
	"joined":  joinedBy,
	"span": func(first, last *int) string {
		switch {
		case first == nil || last == nil:
			return ""
		case *first == *last:
			return strconv.Itoa(*first)
		}
		return fmt.Sprintf("%d to %d", *first, *last)
	},
	"yes":   func(known *bool) bool { return known != nil && *known },
	"phone": func(n string) string { return tenDigits.ReplaceAllString(n, "($1) $2-$3") },
}

func markWord(m ledger.Mark) string {
	return map[ledger.Mark]string{ledger.New: "new", ledger.Repeat: "repeat", ledger.Lapsed: "lapsed"}[m]
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

// tenDigits is a phone number as the form has it.
var tenDigits = regexp.MustCompile(`^(\d{3})(\d{3})(\d{4})$`)

func joinedBy(basis string) string {
	return cmp.Or(map[string]string{"ein": "EIN", "uei": "federal identifier (UEI)", "parent_uei": "federal identifier of its parent",
		"duns": "DUNS number"}[basis], basis)
}
