package organizations

import (
	"context"
	"fmt"

	"grantgraph/client"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/serve/search"
)

// SearchAnswer is the answer of /search.
type SearchAnswer struct {
	client.SearchAnswer

	hits int64 // matches in all
}

func (s *SearchAnswer) Table() (any, *int64, *string) {
	return s.Results, &s.hits, nil
}

// modes of /search.
var modes = []string{"text", "semantic", "hybrid"}

// encoding bounds the questions by meaning that are under way: nobody needs a key
// for them, and each keeps a core busy for some hundredths of a second.
var encoding = budget.NewAtOnce(64, 16)

// maxFound bounds the answer of /search.
const (
	defaultFound = 20
	maxFound     = 100
)

func (of indexOf) search() api.Operation {
	return api.Operation{
		ID: "searchOrganizations", Method: "GET", Path: "/search", Access: api.Open, Needs: of.missing,
		Summary: "Find an organization and its EIN by name, by words or by meaning",
		Description: "Finds organizations by name, part of a name, misspelling, initials, former name or EIN, and by the words of their missions, programs, causes, places and the purposes of their grants. A state or a city among the words narrows the search. " +
			"mode=semantic goes by meaning instead, and mode=hybrid by both. Every match says how good it is.",
		Params: []api.Param{
			{Name: "q", Also: api.Words("query name search search_term search_terms term terms keyword keywords text organization org org_name organization_name ein"), Type: api.String, Required: true, MaxLength: 200, Example: "food bank ohio", Description: "What to look for, at most 200 bytes in UTF-8. Fewer than two characters give an empty result."},
			{Name: "state", Also: api.Words("st state_code location region state_id"), Type: api.String, MaxLength: 40, Example: "IL", Description: "Two-letter code of the state to look in."},
			{Name: "mode", Also: api.Words("search_mode match_mode search_type"), EnumAlso: map[string]string{"keyword": "text", "fulltext": "text", "full_text": "text", "name": "text", "lexical": "text", "vector": "semantic", "embedding": "semantic", "meaning": "semantic", "mixed": "hybrid", "both": "hybrid"}, Type: api.String, Enum: modes, Default: "text", Description: "text: by names and words. semantic: by meaning. hybrid: by both, names first. semantic and hybrid fall back to text where vector matching is unavailable; mode of the answer says which was served."},
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
	mode, _ := c.Params.Choice("mode")
	n := int64(defaultFound)
	if v, ok := c.Params.Integer("limit"); ok {
		if n = v; n > maxFound {
			n = maxFound
			c.Caveat("limit", fmt.Sprintf("At most %d matches are served, so limit was lowered to that.", maxFound))
		}
	}
	c.ReadFormat()
	return func(ctx context.Context) (client.Answer, error) {
		out := &SearchAnswer{SearchAnswer: client.SearchAnswer{Head: api.Success, Mode: "text", Results: []client.Found{}}}
		if search.Mode(mode) != search.Text && mode != "" && !c.Example() {
			end, err := encoding.Begin(c.Caller.Address)
			if err != nil {
				return nil, err
			}
			defer end()
		}
		a, err := of(c.Data).Search(ctx, search.Ask{Text: q, Mode: search.Mode(mode), State: state, Limit: int(n)})
		if err != nil {
			return nil, err
		}
		if out.Mode = string(a.Mode); mode != "" && out.Mode != mode {
			c.Caveat("mode", "Vector matching is not available, so names and words were matched as text.")
		}
		for i := range a.Results {
			out.Results = append(out.Results, found(c.Base, &a.Results[i]))
		}
		out.hits = int64(a.Hits)
		out.Service = c.Service()
		return out, nil
	}, nil
}

func found(base string, r *search.Result) client.Found {
	slug := search.Slug(r.Name)
	href := "/org/" + r.EIN.String() + "/" + slug
	revenue := r.Revenue
	if revenue == nil {
		revenue = new(int64) // the interface has a number here, as it has a text for the state
	}
	return client.Found{
		EIN: r.EIN.String(), Name: r.Name, Type: r.Type, Kind: r.Kind,
		Location: api.OrNull(r.State), State: r.State, City: api.OrNull(r.City),
		URL: base + href, Href: href, Slug: slug, Cause: api.OrNull(r.Cause), Revenue: revenue, Score: r.Score,
		Match: r.Match, DisplayName: orgname.Display(r.Name), KnownFrom: r.Known,
	}
}
