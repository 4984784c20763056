package explore

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"grantgraph/internal/grant"
	"grantgraph/internal/ntee"
	"grantgraph/internal/place"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
)

// The tabs of the page.
const (
	tabGrants     = "grants"
	tabFunders    = "funders"
	tabRecipients = "recipients"
	tabSummary    = "summary"
)

// paths are the operations of the API that the tabs show.
var paths = map[string]string{
	tabGrants: "/grants/transactions", tabFunders: "/grants/funders",
	tabRecipients: "/grants/recipients", tabSummary: "/grants/summary",
}

// ordering are the parameters that do not filter: the order and the page.
var ordering = []string{"sort_by", "sort_order", "page"}

// names are the parameters of a view in the order of its address. Parameters that
// are not listed follow in alphabetical order, for the API to report them.
var names = sync.OnceValue(func() (list []string) {
	for _, d := range inOrder() {
		for _, p := range d.Params {
			list = append(list, p.Name)
		}
	}
	return append(list, ordering...)
})

// params are the parameters of the filters by name.
var params = sync.OnceValue(func() map[string]*graph.Param {
	byName := map[string]*graph.Param{"page": {Label: "Page", Default: "1"}}
	for _, p := range graph.Params() {
		byName[p.Name] = p
	}
	return byName
})

// foreign are parameters of the API that the page ignores.
var foreign = []string{"format", "fields", "limit", "cursor", "strict", "example", "by", "top", "csrf", "kind"}

// view is what one address of the page shows.
type view struct {
	tab   string
	query url.Values // as the API takes it
}

// newView reads the parameters of a form or a link into canonical form: lists in one parameter, no empty values, no defaults.
// The canonical form reads back as itself.
func newView(sent url.Values) view {
	v := view{tab: tabGrants, query: url.Values{}}
	if t := strings.TrimSpace(sent.Get("tab")); paths[t] != "" {
		v.tab = t
	}
	for name, values := range sent {
		if name == "tab" || slices.Contains(foreign, name) || slices.Contains(onlyForm, name) {
			continue
		}
		var kept []string
		for _, s := range values {
			if s = strings.TrimSpace(s); s != "" {
				kept = append(kept, s)
			}
		}
		param := params()[name]
		if param != nil && param.List {
			kept = oneList(name, kept)
		} else if len(kept) > 1 && !slices.ContainsFunc(kept, func(s string) bool { return s != kept[0] }) {
			kept = kept[:1]
		}
		if len(kept) > 1 || len(kept) == 1 && (param == nil || kept[0] != standard(param)) {
			v.query[name] = kept
		}
	}
	v.readForm(sent)
	if v.query.Get("location") == "" {
		v.query.Del("geo_id_type")
		if v.query.Get("near") == "" {
			v.query.Del("location_type")
		}
	}
	if v.query.Get("near") == "" {
		v.query.Del("within")
	}
	if v.tab == tabSummary {
		for _, name := range ordering {
			v.query.Del(name)
		}
	}
	v.unnamed()
	return v
}

// standard is the value that an address need not say. Unlike the API, the page counts inferred causes: without them, most
// dollars would be shown with no cause at all.
func standard(p *graph.Param) any {
	if p.Name == "subject_basis" {
		return ntee.BasisWords()[ntee.Any]
	}
	return p.Default
}

// unnamed leaves out grants to private persons when words are searched. The words
// may be the name of a person, and nobody may look up what a person was given.
func (v *view) unnamed() {
	if v.worded() && !slices.ContainsFunc(v.items("exclude"), func(s string) bool { return strings.EqualFold(s, grant.Individuals) }) {
		v.query["exclude"] = oneList("exclude", append(slices.Clone(v.query["exclude"]), grant.Individuals))
	}
}

func (v view) worded() bool { return len(v.query["query"]) > 0 }

// oneList is a list in one value, sorted, each item once. A list of places that
// are not codes keeps its order, because a state qualifies the city before it.
func oneList(name string, values []string) []string {
	items := itemsOf(values)
	if name != "location" || !slices.ContainsFunc(items, func(s string) bool { return len(s) != 2 && strings.Trim(s, "0123456789") != "" }) {
		slices.Sort(items)
		items = slices.Compact(items)
	}
	if name == "year" {
		items = joinYears(items)
	}
	if len(items) == 0 {
		return nil
	}
	return []string{strings.Join(items, ",")}
}

func itemsOf(values []string) (items []string) {
	for s := range strings.SplitSeq(strings.Join(values, ","), ",") {
		if s = strings.TrimSpace(s); s != "" {
			items = append(items, s)
		}
	}
	return items
}

// yearsOf are the years of years and ranges, not ok if an item is neither.
func yearsOf(items []string) (years []int, ok bool) {
	for _, s := range items {
		from, to, ranged := strings.Cut(s, "-")
		a, errA := strconv.Atoi(strings.TrimSpace(from))
		b, errB := a, error(nil)
		if ranged {
			b, errB = strconv.Atoi(strings.TrimSpace(to))
		}
		if errA != nil || errB != nil || a < 1900 || b > 2100 || a > b {
			return nil, false
		}
		for y := a; y <= b; y++ {
			years = append(years, y)
		}
	}
	slices.Sort(years)
	return slices.Compact(years), true
}

// joinYears writes runs of three years and more as ranges, if all items are years.
func joinYears(items []string) []string {
	years, ok := yearsOf(items)
	if !ok {
		return items
	}
	var out []string
	for i := 0; i < len(years); {
		j := i
		for j+1 < len(years) && years[j+1] == years[j]+1 {
			j++
		}
		if j-i >= 2 {
			out = append(out, strconv.Itoa(years[i])+"-"+strconv.Itoa(years[j]))
			i = j + 1
			continue
		}
		for ; i <= j; i++ {
			out = append(out, strconv.Itoa(years[i]))
		}
	}
	return out
}

// onlyForm are fields of the form that are not parameters of the API. readForm turns them into location.
var onlyForm = []string{"state", "county"}

// readForm reads the fields of onlyForm, and amounts as people write them.
func (v *view) readForm(sent url.Values) {
	for _, name := range []string{"min_amt", "max_amt"} {
		if s := v.query.Get(name); s != "" && len(v.query[name]) == 1 {
			if plain := strings.NewReplacer("$", "", ",", "", " ", "").Replace(s); plain != "" {
				v.query.Set(name, plain)
			}
		}
	}
	states, counties := itemsOf(sent["state"]), itemsOf(sent["county"])
	if len(states) == 0 && len(counties) == 0 {
		return
	}
	// Counties narrow the states that are ticked with them. If a ticked state has
	// no ticked county, the visitor means the states.
	var in []string
	if len(states) > 0 {
		counties = slices.DeleteFunc(counties, func(fips string) bool { return !slices.Contains(states, stateOf(fips)) })
	}
	for _, fips := range counties {
		if s := stateOf(fips); !slices.Contains(in, s) {
			in = append(in, s)
		}
	}
	if len(counties) > 0 && len(in) >= len(states) {
		v.query["location"] = oneList("location", counties)
		v.query.Set("geo_id_type", graph.County.String())
	} else {
		v.query["location"] = oneList("location", states)
		v.query.Del("geo_id_type")
	}
}

func stateOf(fips string) string {
	c, _ := place.Shipped().County(fips)
	return c.State
}

// encode writes parameters in the order of addresses. It does not escape commas, so that people can read lists.
func encode(values url.Values, tab string) string {
	var b strings.Builder
	add := func(name string) {
		for _, s := range values[name] {
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(url.QueryEscape(name) + "=" + strings.ReplaceAll(url.QueryEscape(s), "%2C", ","))
		}
	}
	if tab != "" && tab != tabGrants {
		b.WriteString("tab=" + tab)
	}
	for _, name := range names() {
		add(name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names(), name) {
			add(name)
		}
	}
	return b.String()
}

func (v view) String() string { return encode(v.query, v.tab) }

func at(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

func (v view) path() string { return at("/explore", v.String()) }

// clone is a copy that begins at the first page.
func (v view) clone() view {
	out := view{tab: v.tab, query: url.Values{}}
	for name, values := range v.query {
		out.query[name] = slices.Clone(values)
	}
	out.query.Del("page")
	return out
}

// with is the address of the view with other values of some parameters, given as
// pairs of name and value. An empty value removes the parameter.
func (v view) with(pairs ...string) string {
	out := v.clone()
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			out.query.Del(pairs[i])
		} else {
			out.query.Set(pairs[i], pairs[i+1])
		}
	}
	return newView(out.sent()).path()
}

// sent is the view as a link would send it.
func (v view) sent() url.Values {
	all := url.Values{"tab": {v.tab}}
	maps.Copy(all, v.query)
	return all
}

func (v view) in(tab string) string {
	out := v.clone()
	out.tab = tab
	for _, name := range ordering {
		out.query.Del(name)
	}
	return out.path()
}

func (v view) filter(set *dataset.Dataset) (*graph.Filter, error) {
	f, err := grants.ReadFilter(v.filters(), &set.Snapshot.Manifest, set.Graph)
	if err == nil && !v.query.Has("subject_basis") {
		f.SubjectBasis = ntee.Any // also the counts of causes, where none is chosen
	}
	return f, err
}

// filters are the parameters of the API that say which grants are meant.
func (v view) filters() url.Values {
	out := v.asked()
	for _, name := range ordering {
		out.Del(name)
	}
	return out
}

// asked are the parameters of the API for the first page of the view.
func (v view) asked() url.Values {
	out := v.clone().query
	if out.Has("subject") && !out.Has("subject_basis") {
		out.Set("subject_basis", ntee.BasisWords()[ntee.Any])
	}
	return out
}

func (v view) items(name string) []string {
	if s := v.query.Get(name); s != "" {
		return strings.Split(s, ",")
	}
	return nil
}
