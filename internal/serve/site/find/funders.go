package find

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/place"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/prospect"
	"grantgraph/internal/serve/search"
	"grantgraph/internal/serve/site/frame"
)

// Bounds of the page of funders.
const (
	mostAlike    = 40     // organizations with the words, and those that grants with the words name
	fewAlike     = 16     // organizations nearest by name and meaning
	mostCommon   = 100    // grants to one of these; that a funder gives to who gets more says little
	mostMentions = 200    // funders that are ranked
	usualWanted  = 10_000 // dollars of a grant, where nobody says how much is needed
	alikeWeight  = 0.3    // relative to an organization with the same funders
	fewFunders   = 10     // shown to everybody
	allFunders   = 50     // shown on plans with prospects
	mostWanted   = 1_000_000_000
)

// fundersPage asks what somebody does, where, and how large a grant is needed, and lists funders that fit.
type fundersPage struct {
	frame.Head
	Do, Where, Amount string // as typed
	Problems          []string
	Asked             bool
	Cause, Place      string // the cause and the state that were understood; empty where none was
	Near              string // the city or county in the state
	Words             string // what you do, without the place
	cause             string // the cause, also where only the nearest organizations show it
	Rows              []funder
	Total             int
	Fewer             bool // the plan shows only some
	Mentioned         bool // a funder has grants that mention the work
}

type funder struct {
	prospect.Prospect
	Mentions graph.Cost // its grants whose purpose or recipient has the words
	Apply    *client.ProfileApplications
	New      int // organizations that it funded for the first time in its last three complete years
}

func (s *room) serveFunders(w http.ResponseWriter, r *http.Request) error {
	set := frame.DatasetOf(r)
	if !set.Browsable() || set.Profiles == nil {
		return frame.Damaged
	}
	page := &fundersPage{Head: s.Head(r, "Find funders")}
	page.Styles, page.Section, page.Canonical = []string{"find.css"}, "explore", "/funders"
	page.Description = "Find funders of work like yours in your area: what they usually give, whether they accept applications, and how to apply."
	q, problems := readQuestion(url.Values{"q": {r.FormValue("do")}})
	page.Do, page.Where, page.Amount, page.Problems = q.words, strings.TrimSpace(r.FormValue("where")), strings.TrimSpace(r.FormValue("amount")), problems
	ask := page.read(&q, set)
	if r.URL.RawQuery != "" {
		w.Header().Set("X-Robots-Tag", "noindex")
	}
	w.Header().Set("Cache-Control", "private, max-age=60")
	if page.Asked = page.Do != "" && len(page.Problems) == 0; page.Asked {
		if err := s.findFunders(r, set, page, &q, ask); err != nil {
			return err
		}
		page.Title = page.Found()
	}
	status := http.StatusOK
	if len(page.Problems) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.pages.Render(w, status, "funders", page)
}

// Found names the list: "Funders for “tutoring” near Akron, Ohio".
func (p *fundersPage) Found() string {
	name := "Funders for “" + p.Words + "”"
	switch {
	case p.Near != "":
		name += " near " + p.Near + ", " + p.Place
	case p.Place != "":
		name += " in " + p.Place
	}
	return name
}

// read reads the place, the amount and the cause. Where the fields say no place, the words may.
func (p *fundersPage) read(q *question, set *dataset.Dataset) prospect.Search {
	out := prospect.Search{Only: prospect.Filter{NoDAF: true}, Latest: set.Snapshot.Manifest.Counts.LastCompleteYear}
	q.understand(func(city, state string) bool { return inCity(set.Directory, city, state) })
	if fips, _ := place.Shipped().CountyOf(p.Where, "", ""); fips != "" {
		county, _ := place.Shipped().County(fips)
		out.State, out.County, p.Near = county.State, fips, county.Name
	} else if code, ok := place.State(p.Where); ok {
		out.State = code
	} else {
		in := q
		if p.Where != "" { // a city, as in "Akron" and "Akron, OH"
			in = &question{words: "organizations in " + p.Where}
			in.understand(func(city, state string) bool { return inCity(set.Directory, city, state) })
		}
		if out.State = in.state; in.city != "" {
			out.State = cmp.Or(in.state, stateOf(set.Directory, in.city))
			out.County, _ = place.Shipped().CountyOf("", strings.ToUpper(in.city), out.State)
			p.Near = orgname.Display(strings.ToUpper(in.city))
		}
		if len(out.State) != 2 {
			out.State, out.County, p.Near = "", "", ""
		}
		if p.Where != "" && out.State == "" {
			p.Problems = append(p.Problems, "We don't know a US state, city or ZIP code “"+fault.Clip(p.Where, 40)+"”.")
		}
	}
	p.Words = q.rest
	if region, ok := place.RegionOf(out.State); ok {
		p.Place = region.Name
	}
	if plain := strings.NewReplacer("$", "", ",", "", " ", "").Replace(p.Amount); plain != "" {
		n, err := strconv.ParseInt(plain, 10, 64)
		if err != nil || n < 1 || n > mostWanted {
			p.Problems = append(p.Problems, "“"+fault.Clip(p.Amount, 40)+"” is not an amount in dollars, such as 25,000.")
		}
		out.Amount = n
	}
	if len(q.subject) == 1 {
		out.Cause, p.Cause = q.subject[0], ntee.Label(q.subject[0])
	}
	return out
}

func (s *room) findFunders(r *http.Request, set *dataset.Dataset, p *fundersPage, q *question, ask prospect.Search) error {
	member, err := s.Member(r)
	if err != nil {
		return err
	}
	filter, err := p.mentions(q, ask.State, set)
	if err != nil {
		return err
	}
	finder, most := profiles.In(set.Graph), graph.Page{Limit: mostMentions}
	hold, err := s.Budget.Take(r.Context(), weightSearch+mostAlike*weightRanked+finder.ProspectsWeight(ein.None)+
		max(set.Graph.Weight(graph.AboutFunders, filter, most), set.Graph.Weight(graph.AboutRecipients, filter, most)))
	if err != nil {
		return err
	}
	defer hold.Release()
	mentions := map[ein.EIN]graph.Cost{}
	funders, _, err := set.Graph.Funders(r.Context(), filter, graph.Sort{By: graph.ByCount}, most)
	if err != nil {
		return err
	}
	for _, x := range funders {
		mentions[x.EIN] = graph.Cost{Grants: x.Grants, Amount: x.Total}
		ask.Also = append(ask.Also, x.EIN)
	}
	named, _, err := set.Graph.Recipients(r.Context(), filter, graph.Sort{By: graph.ByCount}, graph.Page{Limit: mostAlike})
	if err != nil {
		return err
	}
	named = slices.DeleteFunc(named, func(x graph.RecipientTotal) bool { return x.EIN == ein.None })
	end, err := s.encoding.Begin(s.Address(r))
	if err != nil {
		return frame.Busy
	}
	defer end()
	var causes ['Z' + 1]float64
	near := func(e ein.EIN, cause byte) error {
		sums, err := set.Graph.Sums(r.Context(), e, graph.Received)
		if err == nil && sums.Grants <= mostCommon && !slices.ContainsFunc(ask.Alike, func(a prospect.Alike) bool { return a.EIN == e }) {
			ask.Alike = append(ask.Alike, prospect.Alike{EIN: e, Weight: alikeWeight})
			causes[cause]++
		}
		return err
	}
	for _, mode := range []search.Mode{search.Text, search.Hybrid} {
		alike, err := set.Search.Search(r.Context(), search.Ask{Text: q.rest, Mode: mode, State: ask.State, Limit: mostAlike})
		for i := 0; err == nil && i < len(alike.Results); i++ {
			if x := alike.Results[i]; !x.Partial || mode == search.Hybrid && i < fewAlike && x.Score >= leastAlike {
				err = near(x.EIN, x.NTEE.Major())
			}
		}
		if err != nil {
			return err
		}
	}
	for _, x := range named {
		if err := near(x.EIN, 0); err != nil {
			return err
		}
	}
	if causes[0] = 0; ask.Cause == 0 { // the cause that most of them have
		ask.Cause = byte(slices.Index(causes[:], slices.Max(causes[:])))
	}
	p.cause, ask.Score, ask.Page.Limit = ntee.Label(ask.Cause), prospect.Fitted.Score, prospect.Most
	found, err := finder.Prospects(r.Context(), &ask)
	if err != nil {
		return err
	}
	list := found.List[:0]
	for _, x := range found.List {
		if x.Score *= worth(&x, mentions[x.EIN], cmp.Or(ask.Amount, usualWanted)); x.Score > 0 {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b prospect.Prospect) int { return cmp.Compare(b.Score, a.Score) })
	shown := fewFunders
	if member.Caller().Paid {
		shown = allFunders
	}
	p.Mentioned = slices.ContainsFunc(list, func(x prospect.Prospect) bool { return mentions[x.EIN].Grants > 0 })
	p.Total, p.Fewer = len(list), !member.Caller().Paid && len(list) > fewFunders
	for _, x := range list[:min(shown, len(list))] {
		f := funder{Prospect: x, Mentions: mentions[x.EIN]}
		if known, ok := set.Profiles.Read(x.EIN, true); ok {
			f.Apply = profiles.Applications(known)
		}
		for _, year := range x.Reasons.FirstTimeByYear[:min(3, len(x.Reasons.FirstTimeByYear))] {
			f.New += year.FirstTimeCount
		}
		p.Rows = append(p.Rows, f)
	}
	return nil
}

// mentions selects the grants to organizations there whose purpose or recipient's name has the words.
func (p *fundersPage) mentions(q *question, state string, set *dataset.Dataset) (*graph.Filter, error) {
	values := url.Values{"query": {q.rest}, "exclude": {strings.Join([]string{grant.DAF, grant.Individuals, grant.RelatedParty}, ",")}}
	if state != "" {
		values.Set("location", state)
	}
	return grants.ReadFilter(values, &set.Snapshot.Manifest, set.Graph)
}

// worth is what a funder could give to such work there, relative to what is needed, times how much shows that it would: 0 if
// nothing shows it. Grants that mention the work show more than grants for its cause in the state, and these more than grants
// to organizations with similar names or missions.
func worth(x *prospect.Prospect, mentions graph.Cost, wanted int64) float64 {
	could := func(amount, grants int64) float64 {
		return math.Pow(min(1, float64(amount)/float64(max(1, grants)*wanted)), 2)
	}
	sum := 4 * could(mentions.Amount, mentions.Grants) * math.Log2(1+float64(mentions.Grants))
	sum += could(x.Here.Amount, x.Here.Grants) * math.Log2(1+float64(x.Here.Grants))
	for _, shared := range x.Reasons.SharedRecipients {
		sum += could(shared.TotalAmount, int64(shared.GrantCount)) / 2
	}
	return sum
}

// Why is what speaks for a funder, in words.
func (p *fundersPage) Why(f funder) (list []string) {
	funds := ""
	for i, x := range f.Reasons.SharedRecipients[:min(2, len(f.Reasons.SharedRecipients))] {
		funds += [...]string{"", " and "}[i] + orgname.Display(x.RecipName)
	}
	if n := f.Mentions.Grants; n > 0 {
		list = append(list, plural.Count(n, "grant mentions", "grants mention")+" “"+p.Words+"”: "+frame.Short(f.Mentions.Amount)+" in all")
	} else if funds != "" {
		list = append(list, "None of its grants mentions “"+p.Words+"”. It funds "+funds+", among the closest organizations we found")
	}
	if n := f.Here.Grants; n > 0 {
		list = append(list, frame.Short(f.Here.Amount)+" in "+plural.Count(n, "grant", "grants")+" for "+p.cause+" in "+p.Place)
	}
	if f.New > 0 {
		list = append(list, plural.Count(int64(f.New), "organization", "organizations")+" funded for the first time in its last three complete years")
	}
	return list
}
