// Package organizations is the operations that find organizations. Routing,
// metering and rendering are left to package api, and no other operations are
// imported.
package organizations

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/screen"
	"grantgraph/internal/serve/search"
)

// Index finds organizations by name; *search.Index is one.
type Index interface {
	Find(q, state string, limit int) []search.Result
}

// indexOf finds the index of a dataset, nil when it is out of service.
type indexOf func(api.Dataset) Index

// Parts are what the operations work with. What is out of service in a dataset is
// nil.
type Parts struct {
	Search    func(api.Dataset) Index
	Words     func(api.Dataset) Searcher
	Directory func(api.Dataset) *directory.Index
	Standing  func(api.Dataset) *screen.Standing // of the organizations of Directory
	Screener  func(api.Dataset) *screen.Screener // never nil
	Clock     func() time.Time
}

// Group is the operations.
func Group(p Parts) api.Group {
	return api.Group{Tag: "Organizations", About: "Finding organizations.", Operations: []api.Operation{indexOf(p.Search).search(), p.list()}}
}

// missing refuses a dataset whose index is out of service.
func (of indexOf) missing(d api.Dataset) error {
	if of(d) == nil {
		return api.Damaged()
	}
	return nil
}

// SearchAnswer is the answer of /search.
type SearchAnswer struct {
	api.Head
	Mode    string  `json:"mode" enum:"text,semantic,hybrid" doc:"The mode that was served; it may differ from the one asked for."`
	Results []Found `json:"results" doc:"Organizations, best match first."`
	api.Tail

	full bool // as many matches as were asked for: there may be more
}

func (s *SearchAnswer) Table() (any, *int64, *string) {
	if s.full {
		return s.Results, nil, nil
	}
	return s.Results, api.Count(s.Results), nil
}

// Found is one organization.
type Found struct {
	EIN      string  `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name     string  `json:"name" doc:"Name."`
	Type     string  `json:"type" doc:"Kind of organization in words."`
	Kind     string  `json:"kind" enum:"foundation,nonprofit" doc:"Kind of organization."`
	Location *string `json:"location" doc:"Two-letter US state."`
	State    string  `json:"state" doc:"Two-letter US state; empty when not known."`
	City     *string `json:"city" doc:"City."`
	URL      string  `json:"url" doc:"Page of the organization; stable and citable." format:"uri"`
	Href     string  `json:"href" doc:"The same page, relative to the site."`
	Slug     string  `json:"slug" doc:"Name as it stands in the address of the page."`
	Cause    *string `json:"cause" doc:"Cause; null when the master file has no NTEE code."`
	Revenue  *int64  `json:"revenue" doc:"Revenue in whole dollars, to tell similar names apart; 0 when neither a filing nor the master file states one."`
	Score    float64 `json:"score" doc:"Ranks the matches."`
}

// modes of /search.
var modes = []string{"text", "semantic", "hybrid"}

// maxFound bounds the answer of /search.
const (
	defaultFound = 20
	maxFound     = 100
)

func (of indexOf) search() api.Operation {
	return api.Operation{
		ID: "searchOrganizations", Method: "GET", Path: "/search", Access: api.Open, Needs: of.missing,
		Summary:     "Find an organization and its EIN by name",
		Description: "Finds organizations by name, part of a name, misspelling, initials, former name or EIN.",
		Params: []api.Param{
			{Name: "q", Also: api.Words("query name search search_term search_terms term terms keyword keywords text organization org org_name organization_name ein"), Type: api.String, Required: true, MaxLength: 200, Example: "example community foundation", Description: "What to look for, at most 200 bytes in UTF-8. Fewer than two characters give an empty result."},
			{Name: "state", Also: api.Words("st state_code location region state_id"), Type: api.String, MaxLength: 40, Example: "IL", Description: "Two-letter code of the state to look in."},
			{Name: "mode", Also: api.Words("search_mode match_mode search_type"), EnumAlso: map[string]string{"keyword": "text", "fulltext": "text", "full_text": "text", "name": "text", "lexical": "text", "vector": "semantic", "embedding": "semantic", "meaning": "semantic", "mixed": "hybrid", "both": "hybrid"}, Type: api.String, Enum: modes, Default: "text", Description: "semantic and hybrid fall back to text where vector matching is unavailable."},
			{Name: "limit", Also: api.Words("size page_size pagesize per_page perpage count rows max_results maxresults results num top take n"), Type: api.Integer, Min: api.Bound(1), Cap: api.Bound(maxFound), Default: defaultFound, Description: "Matches to return, up to 100; more is served at 100 with a caveat."},
			api.FormatParam(api.Formats...),
		},
		Response: SearchAnswer{}, Formats: api.Formats,
		Examples: []api.Example{
			{Case: "1", Description: "A name found", Query: "q=example"},
			{Case: "unsupported", Description: "Both severities of warnings: a parameter that does not exist, and a mode that falls back", Query: "q=example&mode=semantic&sate=IL"},
			{Case: "strict", Description: "What strict=1 refuses", Query: "q=example&sate=IL&strict=1"},
		},
		Plan: of.planSearch,
	}
}

func (of indexOf) planSearch(c *api.Call) (api.Run, error) {
	q, _ := c.Params.Text("q")
	state := ""
	if value, given := c.Params.Text("state"); given {
		code, known := place.State(value)
		if !known {
			c.Params.Warn.Ignored("state", fmt.Sprintf("%q is not a state, so it was not applied.", api.Clip(value)))
		}
		state = code
	}
	if mode, _ := c.Params.Choice("mode"); mode == "semantic" || mode == "hybrid" {
		c.Caveat("mode", "Vector matching is not available, so names were matched as text.")
	}
	n := int64(defaultFound)
	if v, ok := c.Params.Integer("limit"); ok {
		if n = v; n > maxFound {
			n = maxFound
			c.Caveat("limit", fmt.Sprintf("At most %d matches are served, so limit was lowered to that.", maxFound))
		}
	}
	c.ReadFormat()
	return func(context.Context) (api.Answer, error) {
		out := &SearchAnswer{Head: api.Success, Mode: "text", Results: []Found{}}
		if utf8.RuneCountInString(q) >= 2 {
			for _, r := range of(c.Data).Find(q, state, int(n)) {
				out.Results = append(out.Results, found(c.Base, &r))
			}
		}
		out.full = len(out.Results) == int(n)
		out.Service = c.Service()
		return out, nil
	}, nil
}

func found(base string, r *search.Result) Found {
	slug := search.Slug(r.Name)
	href := "/org/" + r.EIN.String() + "/" + slug
	revenue := r.Revenue
	if revenue == nil {
		revenue = new(int64) // the interface has a number here, as it has a text for the state
	}
	return Found{
		EIN: r.EIN.String(), Name: r.Name, Type: r.Type, Kind: r.Kind,
		Location: api.OrNull(r.State), State: r.State, City: api.OrNull(r.City),
		URL: base + href, Href: href, Slug: slug, Cause: api.OrNull(r.Cause), Revenue: revenue, Score: r.Score,
	}
}
