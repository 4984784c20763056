package ask

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/ein"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
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

// A part of the dollars from which an answer tells of them.
const (
	tellsClass  = .1 // to related parties, or without a named recipient
	tellsOthers = .1 // to other recipients of similar name

	hardlyKnown  = 1 // percent of the dollars whose cause is known, below which an answer says that it hardly can tell
	mostlyOthers = 5 // how many times the dollars that recipients of similar name have who must be asked for
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
	r.learn("payers", "funders")
	if len(p.Funders) == 1 {
		r.learn("payers", "funder")
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
	if !p.ofGrants() || p.By != "" || p.Only != "" || two {
		return // one request cannot sum the grants of such a plan
	}
	found := r.sum(p.values()).Summary.TotalAmount
	if !r.empty && p.Measure != "stopped" && p.Measure != "started" {
		r.tellClasses(found)
	}
	r.tellUnlinked(found, unlinked)
	r.tellOthers(found)
	if r.tellUnlinked(found, branch); len(p.Causes) == 0 {
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
		_, hits[i] = r.rows(of, r.kind.Text("request"), "Results")
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
func (r *run) unlinked(p *Plan, kind int) (more client.Sums, v url.Values) {
	var all kin
	for _, o := range p.Recipients {
		if o.EIN != "" {
			k := r.kin(p, o)[kind]
			all.ids, all.names = append(all.ids, k.ids...), append(all.names, k.names...)
		}
	}
	if len(all.ids) == 0 {
		return more, nil
	}
	v = p.values()
	v.Set("recip_id", strings.Join(all.ids, ","))
	if n := len(all.names) - mostNames; n > 0 {
		all.names = append(all.names[:mostNames], plural.Count(int64(n), "other name", "other names"))
	}
	r.learn("names", joinWords(all.names, "or"))
	return r.sum(v).Summary, v
}

// tellUnlinked tells of grants that name a recipient of the plan, or a part of it, but are
// linked to no EIN, and who the largest funder is if these grants are counted.
func (r *run) tellUnlinked(found int64, kind int) {
	more, v := r.unlinked(r.p, kind)
	key := []string{"unlinked", "parts"}[kind]
	if more.GrantCount > 0 && r.p.Measure == "which" && r.p.Of == "funders" && !r.p.Both && !r.p.InTotal && !r.empty {
		all := r.p.values()
		all.Set("recip_id", all.Get("recip_id")+","+v.Get("recip_id"))
		all.Set("sort_by", text(r.known["sort"]))
		all.Set("sort_order", text(r.known["way"]))
		all.Set("limit", "1")
		a := get[api.List[client.FunderRow]](&r.lookups, "/grants/funders", all)
		if len(a.Results) > 0 && r.out.Rows[0][0].(Party).EIN != a.Results[0].FunderEIN {
			first := a.Results[0]
			if kind == unlinked {
				r.out.Answer = ""
			}
			r.tell("rank_"+key, "grant_count", more.GrantCount, "total_amount", more.TotalAmount, "all_first", orgname.Display(first.FunderName),
				"all_amount", first.TotalAmount, "all_count", first.GrantCount)
			r.headline = len(r.out.Answer)
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
	parts := r.p.items(r.p.By)
	for i := range figures {
		more, _ := r.unlinked(parts[i].Plan, unlinked)
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
	caveat := r.known.fill(sentences.text("caveat_"+key, "text"))
	switch known, coded := r.known["known_percent"].(float64); {
	case r.empty && sentences.text(key, "text") != "":
		r.empty, r.out.Answer, r.out.Figures, r.out.Link = false, "", nil, "/explore?"+encode(v)
		r.tell(key)
	case more.TotalAmount >= found:
		lead := ""
		if coded && key == "uncoded" {
			lead = sentences.text(map[bool]string{true: "hardly_known", false: "known_cause"}[known < hardlyKnown], "text")
		}
		r.out.Answer = strings.TrimSpace(r.known.fill(lead) + " " + r.out.Answer)
		r.qualify(caveat, lead == "" && more.TotalAmount > found)
	default:
		r.out.Caveats = slices.Insert(r.out.Caveats, 0, caveat)
		r.out.Caveats = r.out.Caveats[:min(len(r.out.Caveats), mostCaveats)]
	}
}

// resembles reports whether another recipient has the words of a party in its name.
func (o Party) resembles(row *grants.RecipientRow) bool {
	ids := strings.Split(o.RecipID+","+o.EIN, ",")
	return o.Asked != "" && strings.Contains(orgname.Key(row.RecipName), orgname.Key(o.Asked)) && !slices.Contains(ids, strings.TrimPrefix(row.RecipID, "ein-"))
}

// tellOthers tells of other recipients whose names have the words that were asked for, if no grants were found, if the
// recipient is known by its name alone, or if they have a part of the dollars that matters: a university and its foundation.
func (r *run) tellOthers(found int64) {
	var names []string
	var dollars int64
	for _, o := range r.p.Recipients {
		for _, row := range r.called(r.p, quoted(o.Asked)) {
			matters := o.EIN == "" || r.empty || row.RecipEIN != nil && float64(row.TotalAmount) >= tellsOthers*float64(found)
			if matters && o.resembles(&row) {
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
		r.learn("names", joinWords(names[:min(n, mostNames)], "and"), "others", n, "others_amount", dollars, "others_key", key)
		r.qualify(sentences.text(key, "text"), !r.empty && dollars > found)
	}
}

// tellSplit tells of other recipients whose names begin with the same word as the first of a ranking, if it has no EIN: they may
// be the same organization, in other spellings.
func (r *run) tellSplit() {
	first, _ := r.known["first"].(string)
	id, party := r.out.Rows[0][0].(Party)
	words := strings.Fields(strings.ToLower(first))
	if !party || id.EIN != "" || len(words) < 2 || len(words[0]) < 4 || isWord(words[0]) || is("head", words[0]) || r.inCity(words[0], "") > 0 {
		return
	}
	var n, dollars int64
	for _, row := range r.called(r.p, quoted(words[0])) {
		if name := strings.ToLower(row.RecipName); strings.HasPrefix(name, words[0]+" ") && name != strings.ToLower(first) {
			n, dollars = n+1, dollars+row.TotalAmount
		}
	}
	if n > 0 {
		r.warn("split", "split_word", capital(words[0]), "split_count", n, "split_amount", dollars)
	}
}
