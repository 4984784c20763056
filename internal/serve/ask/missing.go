package ask

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
)

// returns are the fiscal years for which there is a return of an organization.
func (r *run) returns(o Party) (years []int) {
	e, _ := ein.Parse(o.EIN)
	if p, known := r.a.Data.Profiles.Read(e, true); known {
		for i := range p.Financials {
			years = append(years, int(p.Financials[i].TaxYear))
		}
	}
	return years
}

// without are the years of some spans that a list of years does not have. Open ends are those of the list.
func without(years []int, spans []Span) (list []string) {
	for _, s := range spans {
		for y := cmp.Or(s.From, slices.Min(years)); y <= cmp.Or(s.To, slices.Max(years)) && len(list) < 20; y++ {
			if !slices.Contains(years, y) {
				list = addNew(list, strconv.Itoa(y))
			}
		}
	}
	return list
}

// tellYears tells for which of the years that are asked for a funder has no return here. Without years, it tells of years
// between the returns of the funder. Figures of years without a return are not compared.
func (r *run) tellYears() {
	p, spans := r.p, r.p.Years
	if len(spans) == 0 || p.Measure == "stopped" || p.Measure == "started" {
		spans = []Span{{}}
	}
	for _, o := range p.Funders {
		years := r.returns(o)
		if len(years) == 0 {
			continue
		}
		none := without(years, spans)
		if len(none) == 0 {
			continue
		}
		r.warn("returns", "name", o.Name, "years", joinWords(none, "and"), "s", strings.Repeat("s", min(len(none)-1, 1)))
		all := !slices.ContainsFunc(years, func(y int) bool { return !p.unasked(y) })
		if p.Measure == "change" || p.Measure == "compare" && all {
			r.invalid("this data has no return of %s for fiscal year %s", o.Name, joinWords(none, "and"))
		}
		r.unfiled = all && len(p.Funders) == 1
	}
}

// sum requests the totals of grants beside those of the answer.
func (r *run) sum(v url.Values) *grants.SummaryAnswer {
	other := r.a.run(r.ctx, r.p)
	a := get[grants.SummaryAnswer](other, "/grants/summary", v)
	r.err = cmp.Or(r.err, other.err)
	r.last = other.last
	return a
}

// A part of the dollars from which an answer tells of them.
const (
	tellsClass  = .1 // to related parties, or without a named recipient
	tellsOthers = .1 // to other recipients of similar name

	hardlyKnown  = 1  // percent of the dollars whose cause is known, below which an answer says that it hardly can tell
	mostlyOthers = 10 // how many times the dollars that recipients of similar name have who must be asked for
)

// tellClasses tells how much of the dollars went to related parties, since a group return has the transfers between its members,
// and how much is on lines that name nobody, since one such line can stand for all grants of a year. The latter would reveal grants
// to persons if the plan searches for words, and rankings of recipients leave these lines out.
func (r *run) tellClasses(found int64) {
	p, v := r.p, r.p.values()
	v.Set("exclude", strings.Join(p.excluded("related_party", "unidentified"), ","))
	if r.sum(v); r.err != nil || r.last.Excluded == nil {
		return
	}
	tell := func(key, class string, left *client.Cost) {
		if left != nil && !slices.Contains(p.Exclude, class) && float64(left.TotalAmount) >= tellsClass*float64(max(found, 1)) {
			r.tell(key, key+"_amount", left.TotalAmount, key+"_percent", float64(left.TotalAmount)/float64(found)*100)
		}
	}
	tell("related", "related_party", r.last.Excluded.RelatedParty)
	if p.Words == "" && p.Of != "recipients" {
		tell("unnamed", "unidentified", r.last.Excluded.Unidentified)
	}
}

// tellMissing tells of grants that the filters of a plan cannot find, because of what is not known of their recipients.
func (r *run) tellMissing() {
	p := r.p
	_, _, two := p.fromTo()
	if p.Of == "organizations" && len(p.Causes) > 0 {
		r.tellCoded()
	}
	parties, ranked := len(p.Funders)+len(p.Recipients), p.Of == "funders"
	if !p.ofGrants() || p.By != "" || p.Only != "" || two || parties+len(p.Causes) == 0 && !ranked {
		return // one request cannot sum the grants of such a plan
	}
	found := r.sum(p.values()).Summary.TotalAmount
	if (parties > 0 || ranked) && !r.empty {
		r.tellClasses(found)
	}
	r.tellUnlinked(found, false)
	r.tellOthers(found)
	if r.tellUnlinked(found, true); len(p.Causes) == 0 {
		return
	}
	v := p.without("causes").values()
	v.Set("by", groups.text("causes", "by"))
	all := r.sum(v)
	for _, g := range cmp.Or(all.Groups, &client.Groups{}).Rows {
		if g.Kind == "none" {
			v.Del("by")
			r.learn("known_percent", 100*(1-average(g.TotalAmount, all.Summary.TotalAmount)))
			r.missing("uncoded", client.Sums{GrantCount: g.GrantCount, TotalAmount: g.TotalAmount}, found, v)
		}
	}
}

// tellCoded tells how many of the organizations that a plan chooses by cause have a known cause.
func (r *run) tellCoded() {
	of, hits, key := r.p.without("causes"), [2]int64{}, "coded"
	for i := range hits {
		other := r.a.run(r.ctx, of)
		other.kind, other.known = r.kind, r.known
		_, hits[i] = other.rows(of, r.kind.Text("request"))
		r.err = cmp.Or(r.err, other.err)
		of.Causes = everyCause
	}
	all, coded := hits[0], hits[1]
	if coded == 0 {
		r.out.Answer, r.out.Figures, key = "", []Figure{}, "coded_none"
	}
	if coded < all {
		r.tell(key, "all_count", all, "known_percent", 100*average(coded, all))
	}
}

// everyCause has the letters of all causes.
var everyCause = each(strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXY", ""), func(letter string) Cause { return Cause{Subject: letter} })

// unlinked sums the grants that name a recipient of a plan, or a part of it, but are linked
// to no EIN. The parameters are those of the request.
func (r *run) unlinked(p *Plan, parts bool) (more client.Sums, v url.Values) {
	var ids, names []string
	for _, o := range p.Recipients {
		if o.EIN != "" {
			id, called := r.namesOf(p, o, parts)
			ids, names = append(ids, id...), append(names, called...)
		}
	}
	if len(ids) == 0 {
		return more, nil
	}
	v = p.values()
	v.Set("recip_id", strings.Join(ids, ","))
	if n := len(names) - mostNames; n > 0 {
		names = append(names[:mostNames], plural.Count(int64(n), "other name", "other names"))
	}
	r.learn("names", joinWords(names, "or"))
	return r.sum(v).Summary, v
}

// tellUnlinked tells of grants that name a recipient of the plan, or a part of it, but are
// linked to no EIN, and who the largest funder is if these grants are counted.
func (r *run) tellUnlinked(found int64, parts bool) {
	more, v := r.unlinked(r.p, parts)
	key := map[bool]string{false: "unlinked", true: "parts"}[parts]
	if more.GrantCount > 0 && r.p.Measure == "which" && r.p.Of == "funders" && r.kind.Text("run") == "list" && !r.empty {
		all := r.p.values()
		all.Set("recip_id", all.Get("recip_id")+","+v.Get("recip_id"))
		all.Set("sort_by", text(r.known["sort"]))
		all.Set("sort_order", text(r.known["way"]))
		all.Set("limit", "1")
		a := get[api.List[client.FunderRow]](r.a.run(r.ctx, r.p), "/grants/funders", all)
		if len(a.Results) > 0 && r.out.Rows[0][0].(Party).EIN != a.Results[0].FunderEIN {
			first := a.Results[0]
			if !parts {
				r.out.Answer = ""
			}
			r.tell("rank_"+key, "grant_count", more.GrantCount, "total_amount", more.TotalAmount, "all_first", orgname.Display(first.FunderName),
				"all_amount", first.TotalAmount, "all_count", first.GrantCount)
			return
		}
	}
	r.missing(key, more, found, v)
}

// addUnlinked adds to the figures of a comparison the grants that name a recipient but are linked to no EIN, and tells of them.
func (r *run) addUnlinked(figures []Figure) {
	if r.learn("The", "The"); len(r.p.Recipients) == 0 || r.p.Figure != "dollars" && r.p.Figure != "" {
		return
	}
	for i := range figures {
		more, _ := r.unlinked(r.p.single(r.p.By, i), false)
		if figures[i].Value += float64(more.TotalAmount); more.GrantCount > 0 {
			r.tell("compare_unlinked", "grant_count", more.GrantCount, "total_amount", more.TotalAmount, "The", "Counting these, the")
		}
	}
}

// missing tells of grants that an answer lacks: instead of an empty answer if there is a sentence for that, in the answer if
// they are most of the dollars, and otherwise as its first caveat.
func (r *run) missing(key string, more client.Sums, found int64, v url.Values) {
	if more.GrantCount == 0 {
		return
	}
	r.learn("grant_count", more.GrantCount, "total_amount", more.TotalAmount)
	caveat := r.known.fill(answers.text("caveat_"+key, "text"))
	switch known, coded := r.known["known_percent"].(float64); {
	case r.empty && answers.text(key, "text") != "":
		r.empty, r.out.Answer, r.out.Figures, r.out.Link = false, "", nil, "/explore?"+encode(v)
		r.tell(key)
	case more.TotalAmount >= found:
		lead := ""
		if coded && key == "uncoded" {
			lead = answers.text(map[bool]string{true: "hardly_known", false: "known_cause"}[known < hardlyKnown], "text")
		}
		r.out.Answer = strings.TrimSpace(r.known.fill(lead) + " " + r.out.Answer + " " + caveat)
	default:
		r.out.Caveats = slices.Insert(r.out.Caveats, 0, caveat)
		r.out.Caveats = r.out.Caveats[:min(len(r.out.Caveats), mostCaveats)]
	}
}

// Limits on looking for other names of a recipient.
const (
	longestQuery = 500 // bytes that the API takes as words to search for
	mostNamed    = 24  // names that are identified
	mostBearing  = 60  // recipients of one name
	mostNames    = 3   // names that are told
)

// called are the recipients of grants that a plan asks for, by words of their names; the largest come first.
func (r *run) called(p *Plan, words string) []grants.RecipientRow {
	if !searchable(words) {
		return nil
	}
	v := p.values()
	v.Del("recip_id")
	v.Set("query", strings.TrimSpace(v.Get("query")+" "+words))
	v.Set("exclude", strings.Join(p.excluded("individuals", "unidentified"), ","))
	v.Set("limit", "100")
	other := r.a.run(r.ctx, p)
	a := get[api.List[grants.RecipientRow]](other, "/grants/recipients", v)
	r.err = cmp.Or(r.err, other.err)
	return a.Results
}

// searchable reports whether the API takes a text as words to search for.
func searchable(words string) bool {
	_, ok := graph.ParseQuery(words)
	return ok && len(words) <= longestQuery
}

// bearing are the identities of recipients, as recip_id takes them, that filers call by exactly this name, those with the largest
// grants first.
func (r *run) bearing(name string) (ids []string) {
	key, words := orgname.Key(name), quoted(name)
	if key == "" || !searchable(words) {
		return nil
	}
	v := url.Values{"query": {words}, "exclude": {"individuals,unidentified"}, "sort_by": {"amount"}, "limit": {"1000"}}
	for _, row := range get[api.List[grants.GrantRow]](r, "/grants/transactions", v).Results {
		if orgname.Key(row.RecipNameFiled) == key && len(ids) < mostBearing {
			ids = addNew(ids, strings.TrimPrefix(row.RecipID, "ein-"))
		}
	}
	return ids
}

// completed is the only name of recipients that adds one noun to a name: ClimateWorks
// Foundation for "ClimateWorks". It is empty if there are several, or none.
func (r *run) completed(name string) (whole string) {
	key := orgname.Key(name)
	for _, row := range r.called(r.p, quoted(name)) {
		other := orgname.Key(row.RecipName)
		if noun, ok := strings.CutPrefix(other, key); !ok || key == "" || !is("head", strings.ToLower(noun)) {
			continue
		}
		if whole != "" && orgname.Key(whole) != other {
			return ""
		}
		whole = row.RecipName
	}
	return whole
}

// tellOthers tells of other recipients whose names have the words that were asked for, if no grants were found, if the
// recipient is known by its name alone, or if they have a part of the dollars that matters: a university and its foundation.
func (r *run) tellOthers(found int64) {
	var names []string
	var dollars int64
	for _, o := range r.p.Recipients {
		ids := strings.Split(o.RecipID+",ein-"+o.EIN, ",")
		named := o.EIN == "" || r.empty
		for _, row := range r.called(r.p, quoted(o.Asked)) {
			matters := named || row.RecipEIN != nil && float64(row.TotalAmount) >= tellsOthers*float64(found)
			if strings.Contains(orgname.Key(row.RecipName), orgname.Key(o.Asked)) && o.Asked != "" && !slices.Contains(ids, row.RecipID) && matters {
				names, dollars = addNew(names, orgname.Display(row.RecipName)), dollars+row.TotalAmount
			}
		}
	}
	key, n := "others", len(names)
	switch {
	case n == 1 && !r.empty && dollars > found:
		key = "other_has_more"
	case n == 1:
		key = "other"
	}
	if r.mostOthers = dollars > mostlyOthers*found; n > 0 {
		r.tell(key, "names", joinWords(names[:min(n, mostNames)], "and"), "others", n, "others_amount", dollars, "others_key", key)
	}
}

// means is the EIN of the organization that the name of a recipient means, or empty. A name
// that is not the one of the party must mean it certainly. If begin is not 0, the first words
// mean the organization, so many, and the name as a whole means nobody.
func (r *run) means(row *grants.RecipientRow, o *Party, begin int) string {
	q := identify.Question{Text: row.RecipName, Role: identify.Grantee}
	if row.RecipState != nil {
		q.State = *row.RecipState
	}
	words := strings.Fields(strings.ToLower(q.Text))
	if begin > 0 {
		beginning := strings.Join(words[:min(begin, len(words))], " ")
		lacks := func(w string) bool { return !strings.Contains(beginning, w) }
		if begin >= len(words) || slices.ContainsFunc(strings.Fields(telling(*o)), lacks) {
			return "" // other words
		}
		if whole := r.identify(q); whole.Verdict >= identify.Likely {
			return "" // another organization, or this one by its whole name
		}
		q.Text = beginning
	}
	found := r.identify(q)
	if found.Verdict == identify.Several && row.RecipCity != nil {
		q.City = *row.RecipCity // "United Way Inc" of a city
		found = r.identify(q)
	}
	best, ok := found.Best()
	key := orgname.Key(q.Text)
	if !ok || found.Verdict < identify.Certain && key != orgname.Key(o.Name) && key != orgname.Key(o.Asked) {
		return ""
	}
	return best.EIN.String()
}

// namesOf returns the identities of recipients without an EIN whose names mean an organization, however they are spelled or cut
// off, and these names. The name of a part begins with words that mean the organization: "Corven University School of Law". For
// a name that means no organization, they are the recipients of exactly that name.
func (r *run) namesOf(p *Plan, o Party, parts bool) (ids, names []string) {
	begin := 0
	if parts {
		begin = len(tokens(o.Asked))
		if begin == 1 && !strings.Contains(strings.ToLower(o.Name), strings.ToLower(o.Asked)) {
			begin = len(tokens(o.Name)) // UCLA is no beginning of a name
		}
		if begin < 2 && r.inCity(o.Asked, "") > 0 {
			begin = 2 // Stanford Jazz Workshop may have its name from the city
		}
	}
	seen := map[string]bool{}
	for _, words := range append(each(alias.Split(o.Name, -1), quoted), quoted(o.Name), quoted(o.Asked), telling(o)) {
		for _, row := range r.called(p, words) {
			if row.RecipEIN != nil || seen[row.RecipID] || len(seen) == mostNamed || o.EIN == "" && orgname.Key(row.RecipName) != orgname.Key(o.Name) {
				continue
			}
			if seen[row.RecipID] = true; r.means(&row, &o, begin) == o.EIN {
				ids, names = append(ids, row.RecipID), addNew(names, orgname.Display(row.RecipName))
			}
		}
	}
	return ids, names
}

// alias matches what joins the names of an organization.
var alias = regexp.MustCompile(`(?i)\s(?:aka|dba|d/b/a|fka|f/k/a)\s`)

// quoted is a name as a phrase to search for.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, " ") + `"` }

// telling are the words that tell the name of an organization from others: those that its
// name and the words of the question share, without nouns such as "university".
func telling(o Party) string {
	words := func(name string) []string {
		return slices.DeleteFunc(each(tokens(name), token.word), func(w string) bool {
			return len(w) < 3 || is("function", w) || is("head", w) || digits(w)
		})
	}
	name, asked := words(o.Name), words(o.Asked)
	if both := slices.DeleteFunc(slices.Clone(asked), func(w string) bool { return !slices.Contains(name, w) }); len(both) > 0 {
		name = both
	}
	return strings.Join(name, " ")
}
