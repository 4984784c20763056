package organization

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/ledger"
	"grantgraph/internal/serve/neighbors"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/draw"
	"grantgraph/internal/serve/site/frame"
)

// Bounds of the comparison page.
const (
	mostCompared = 5
	mostTyped    = 200 // characters of a typed name
	mostFound    = 8
	causesShown  = 5
	commonShown  = 50
)

type comparePage struct {
	frame.Head
	List                []*compared
	Funders, Recipients inCommon
	EINs                string // EINs as in the address
	Query               string // a name that was typed
	Found               []found
	Problems            []string
	Full                bool
	API                 []string
	SQL                 string
}

// found is an organization that matches a typed name, with the address that adds it.
type found struct {
	search.Result
	Path string
}

type compared struct {
	EIN            ein.EIN
	Name, Home     string
	Without        string // address of the page without this column
	Core           client.ProfileCore
	Gave, Received comparedFlow
}

type comparedFlow struct {
	Spark  template.HTML
	Causes []causeShare
}

type causeShare struct {
	Label string
	Total int64
}

func (s *room) serveCompare(w http.ResponseWriter, r *http.Request) error {
	set := frame.DatasetOf(r)
	if !set.Browsable() || set.Profiles == nil {
		return frame.Damaged
	}
	page := &comparePage{Head: s.Head(r, "Compare organizations")}
	page.Section, page.Styles = "explore", []string{"organization.css"}
	list := page.read(r, set)
	if to, ok := page.add(r, set, list); ok {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return nil
	}
	if err := s.compare(r, set, page, list); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "private, max-age=60")
	status := http.StatusOK
	if len(page.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.pages.Render(w, status, "compare", page)
}

// read finds the organizations of the address: EINs, with commas or repeated.
func (p *comparePage) read(r *http.Request, set *dataset.Dataset) (list []search.Result) {
	if err := r.ParseForm(); err != nil {
		p.Problems = append(p.Problems, "The address cannot be read.")
	}
	left := 0
	for _, item := range strings.Split(strings.Join(r.Form["ein"], ","), ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		e, err := ein.Parse(item)
		if err != nil {
			if len(p.Problems) < mostCompared {
				p.Problems = append(p.Problems, "“"+fault.Clip(item, 40)+"” is not an EIN: write nine digits, such as 12-3456789.")
			}
			continue
		}
		if slices.ContainsFunc(list, func(x search.Result) bool { return x.EIN == e }) {
			continue
		}
		if len(list) == mostCompared {
			left++
			continue
		}
		org, ok := set.Search.Lookup(e)
		if !ok {
			if len(p.Problems) < mostCompared {
				p.Problems = append(p.Problems, "No organization with the EIN "+e.Hyphenated()+" is known.")
			}
			continue
		}
		list = append(list, org)
	}
	if left > 0 {
		p.Problems = append(p.Problems, fmt.Sprintf("Up to five organizations can be compared; %s left out. Remove one to make room.",
			map[bool]string{true: "one was", false: fmt.Sprint(left) + " were"}[left == 1]))
	}
	p.Full = len(list) == mostCompared
	p.EINs = joined(list)
	return list
}

// add adds an organization: an EIN or the name of one organization leads to the page with it, another name to its matches.
func (p *comparePage) add(r *http.Request, set *dataset.Dataset, list []search.Result) (to string, ok bool) {
	typed := strings.TrimSpace(r.FormValue("add"))
	switch {
	case typed == "":
		return "", false
	case len(typed) > mostTyped:
		p.Problems = append(p.Problems, "That is too long to be a name.")
		return "", false
	case p.Full:
		p.Problems = append(p.Problems, "You can compare up to five organizations. Remove one to make room.")
		return "", false
	}
	if e, err := ein.Parse(typed); err == nil {
		if org, known := set.Search.Lookup(e); known {
			return comparing(append(list, org)), true
		}
		p.Problems = append(p.Problems, "No organization with the EIN "+e.Hyphenated()+" is known.")
		return "", false
	}
	p.Query = typed
	matches := set.Search.Find(typed, "", mostFound)
	if len(matches) > 0 && matches[0].Match == search.Exact && (len(matches) == 1 || matches[1].Match != search.Exact) {
		return comparing(append(list, matches[0])), true // nobody else has the name
	}
	for _, x := range matches {
		p.Found = append(p.Found, found{x, comparing(append(slices.Clone(list), x))})
	}
	return "", false
}

func comparing(list []search.Result) string {
	if len(list) == 0 {
		return "/compare"
	}
	return "/compare?ein=" + joined(list)
}

func joined(list []search.Result) string {
	var eins []string
	for _, x := range list {
		if !slices.Contains(eins, x.EIN.String()) {
			eins = append(eins, x.EIN.String())
		}
	}
	return strings.Join(eins, ",")
}

// compare fills the columns one after the other, so that the page needs the memory of one column at a time.
func (s *room) compare(r *http.Request, set *dataset.Dataset, page *comparePage, list []search.Result) error {
	weight := int64(0)
	eins := make([]ein.EIN, len(list))
	for i, x := range list {
		eins[i] = x.EIN
		for _, side := range []graph.Side{graph.Gave, graph.Received} {
			weight += ledger.Weight(set.Graph, x.EIN, side)
		}
	}
	hold, err := s.Budget.Take(r.Context(), weight)
	if err != nil {
		return err
	}
	defer hold.Release()
	var names []string
	for i, x := range list {
		c, err := s.column(r, set, x)
		if err != nil {
			return err
		}
		c.Without = comparing(slices.Delete(slices.Clone(list), i, i+1))
		page.List = append(page.List, c)
		page.API = append(page.API, page.BaseURL+api.Versioned+"/essentials/"+x.EIN.String())
		names = append(names, c.Name)
	}
	if len(list) > 0 {
		page.Title = "Compare " + strings.Join(names, ", ")
		page.Description = strings.Join(names, ", ") + " side by side: what they gave and received, by year and cause, their finances, and the funders and " +
			"recipients that they share."
		quoted := "'" + strings.ReplaceAll(page.EINs, ",", "', '") + "'"
		page.SQL = "SELECT funder_ein AS ein, 'gave' AS direction, tax_year, sum(amount) AS dollars, count(*) AS grants\nFROM grants WHERE funder_ein IN (" +
			quoted + ") GROUP BY funder_ein, tax_year\nUNION ALL\nSELECT recipient_ein, 'received', tax_year, sum(amount), count(*)\nFROM grants WHERE " +
			"recipient_ein IN (" + quoted + ") GROUP BY recipient_ein, tax_year\nORDER BY ein, direction, tax_year"
	}
	if len(list) < 2 {
		return nil
	}
	if page.Recipients, err = page.inCommon(r, set.Graph, eins, graph.Gave); err != nil {
		return err
	}
	page.Funders, err = page.inCommon(r, set.Graph, eins, graph.Received)
	return err
}

// inCommon is what the organizations share on one side, with the statement that has it by year.
type inCommon struct {
	neighbors.Shared
	List      []*compared
	Gave      bool
	Heading   string
	Statement string
}

func (p *comparePage) inCommon(r *http.Request, g *graph.Graph, eins []ein.EIN, side graph.Side) (c inCommon, err error) {
	c = inCommon{List: p.List, Gave: side == graph.Gave, Heading: "funders"}
	ours, party, name := "recipient_ein", "funder_ein", "(SELECT name FROM orgs WHERE ein = funder_ein)"
	if c.Gave {
		c.Heading, ours, party, name = "recipients", "funder_ein", "recipient_ein", "any_value(recipient_raw)"
	}
	c.Shared, err = neighbors.ReadShared(r.Context(), g, eins, side, commonShown)
	among := ours + " IN ('" + strings.ReplaceAll(p.EINs, ",", "', '") + "')"
	c.Statement = "SELECT " + party + ", " + name + " AS name, " + ours + ", tax_year, sum(amount) AS dollars, count(*) AS grants\nFROM grants\nWHERE " + among +
		"\n  AND " + party + " IN (SELECT " + party + " FROM grants WHERE " + among + " GROUP BY 1 HAVING count(DISTINCT " + ours + ") > 1)\n" +
		"GROUP BY ALL ORDER BY " + party + ", tax_year, " + ours
	return c, err
}

func (c inCommon) Total() int64 { return int64(c.Hits) }

// Link is the explore page with the grants between a party and one of the organizations.
func (c inCommon) Link(party ein.EIN, at int) string {
	funder, recipient := party, c.List[at].EIN
	if c.Gave {
		funder, recipient = recipient, party
	}
	return "/explore?funder_id=" + funder.String() + "&recip_id=" + recipient.String()
}

func (s *room) column(r *http.Request, set *dataset.Dataset, x search.Result) (*compared, error) {
	core, release, err := frame.Answer[*client.EssentialsAnswer](s.Frame, r, api.Caller{}, "/essentials/"+x.EIN.String(), nil)
	if err != nil {
		return nil, err
	}
	defer release()
	v := &view{set: set, EIN: x.EIN, Core: core.ProfileCore}
	c := &compared{EIN: x.EIN, Name: orgname.Display(x.Name), Home: path(x.EIN, x.Name), Core: core.ProfileCore}
	gave, err := ledger.Read(r.Context(), set.Graph, x.EIN, graph.Gave, 0, v.cause)
	if err != nil {
		return nil, err
	}
	received, err := ledger.Read(r.Context(), set.Graph, x.EIN, graph.Received, 0, nil)
	if err != nil {
		return nil, err
	}
	c.Gave = comparedFlow{draw.Spark(v.givenYears(gave)), topCauses(gave)}
	c.Received = comparedFlow{Spark: draw.Spark(v.receivedYears(received))}
	return c, nil
}

func topCauses(l *ledger.Ledger) (list []causeShare) {
	for _, x := range l.Subjects {
		if x.Key != "" && len(list) < causesShown {
			list = append(list, causeShare{ntee.Label(x.Key[0]), x.Total})
		}
	}
	return list
}

func (p *comparePage) Searching() string { return "/search?q=" + url.QueryEscape(p.Query) }
