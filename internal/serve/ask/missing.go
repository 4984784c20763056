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
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
)

// aside runs requests that are not those of the answer, for a plan.
func (r *run) aside(p *Plan) *run {
	return &run{a: r.a, ctx: r.ctx, p: p, out: &Answer{}, known: facing{}}
}

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

// without are the years of some spans that a list of years does not have. Open ends are
// those of the list.
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

// tellYears tells for which of the years that are asked for a funder has no return here.
// Without years, it tells of years between the returns of the funder. Figures of years
// without a return are not compared.
func (r *run) tellYears() error {
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
		if p.Measure == "change" || p.Measure == "compare" && !slices.ContainsFunc(years, func(y int) bool { return !p.unasked(y) }) {
			return invalid("this data has no return of %s for fiscal year %s", o.Name, joinWords(none, "and"))
		}
	}
	return nil
}

// tellMissing tells of grants that the filters of a plan cannot find, because of what
// is not known of their recipients.
func (r *run) tellMissing() error {
	p := r.p
	_, _, two := p.fromTo()
	if !p.ofGrants() || p.By != "" || p.Only != "" || two || len(p.Recipients)+len(p.Causes) == 0 {
		return nil // one request cannot sum the grants of such a plan
	}
	found, err := get[*grants.SummaryAnswer](r.aside(p), "/grants/summary", p.values(), nil)
	if err != nil {
		return err
	}
	if err := r.tellUnlinked(found.Summary.TotalAmount); err != nil {
		return err
	}
	count, total, more, err := r.unlinked(p, true)
	if r.missing("parts", count, total, found.Summary.TotalAmount, more); err != nil || len(p.Causes) == 0 {
		return err
	}
	v := p.without("causes").values()
	v.Set("by", groups["causes"].Text("by"))
	s, err := get[*grants.SummaryAnswer](r.aside(p), "/grants/summary", v, nil)
	if err != nil || s.Groups == nil {
		return err
	}
	for _, g := range s.Groups.Rows {
		if g.Kind == "none" {
			v.Del("by")
			r.missing("uncoded", g.GrantCount, g.TotalAmount, found.Summary.TotalAmount, v)
		}
	}
	return nil
}

// unlinked sums the grants that name a recipient of a plan, or a part of it, but are linked
// to no EIN. The parameters are those of the request.
func (r *run) unlinked(p *Plan, parts bool) (count, total int64, v url.Values, err error) {
	var ids, names []string
	for _, o := range p.Recipients {
		if o.EIN == "" {
			continue
		}
		more, called, err := r.aside(p).namesOf(o, parts)
		if err != nil {
			return 0, 0, nil, err
		}
		ids, names = append(ids, more...), append(names, called...)
	}
	if len(ids) == 0 {
		return 0, 0, nil, nil
	}
	v = p.values()
	v.Set("recip_id", strings.Join(ids, ","))
	s, err := get[*grants.SummaryAnswer](r.aside(p), "/grants/summary", v, nil)
	if err != nil {
		return 0, 0, nil, err
	}
	if n := len(names) - mostNames; n > 0 {
		names = append(names[:mostNames], plural.Count(int64(n), "other name", "other names"))
	}
	r.learn("names", joinWords(names, "or"))
	return s.Summary.GrantCount, s.Summary.TotalAmount, v, nil
}

// tellUnlinked tells of grants that name a recipient of the plan but are linked to no EIN,
// and who the largest funder is if these grants are counted.
func (r *run) tellUnlinked(found int64) error {
	count, total, v, err := r.unlinked(r.p, false)
	if err != nil || count == 0 {
		return err
	}
	if r.p.Measure != "which" || r.p.Of != "funders" || r.kind.Text("run") != "list" || r.empty {
		r.missing("unlinked", count, total, found, v)
		return nil
	}
	all := r.p.values()
	all.Set("recip_id", all.Get("recip_id")+","+v.Get("recip_id"))
	all.Set("sort_by", text(r.known["sort"]))
	all.Set("sort_order", text(r.known["way"]))
	all.Set("limit", "1")
	a, err := get[*api.List[client.FunderRow]](r.aside(r.p), "/grants/funders", all, nil)
	if err != nil || len(a.Results) == 0 {
		return err
	}
	if first := a.Results[0]; r.out.Rows[0][0].(Party).EIN != first.FunderEIN {
		r.out.Answer = ""
		r.tell("rank_linked", "grant_count", count, "total_amount", total, "all_first", orgname.Display(first.FunderName),
			"all_amount", first.TotalAmount, "all_count", first.GrantCount)
		return nil
	}
	r.missing("unlinked", count, total, found, v)
	return nil
}

// addUnlinked adds to the figures of a comparison the grants that name a recipient but are
// linked to no EIN, and tells of them.
func (r *run) addUnlinked(figures []Figure) error {
	if r.learn("The", "The"); len(r.p.Recipients) == 0 || r.p.Figure != "dollars" && r.p.Figure != "" {
		return nil
	}
	for i := range figures {
		count, total, _, err := r.unlinked(r.p.single(r.p.By, i), false)
		if err != nil {
			return err
		}
		if figures[i].Value += float64(total); count > 0 {
			r.tell("compare_unlinked", "grant_count", count, "total_amount", total, "The", "Counting these, the")
		}
	}
	return nil
}

// missing tells of grants that an answer lacks: instead of an empty answer if there is
// a sentence for that, in the answer if they are most of the dollars, and otherwise as
// its first caveat.
func (r *run) missing(key string, count, total, found int64, v url.Values) {
	if count == 0 {
		return
	}
	r.learn("grant_count", count, "total_amount", total)
	_, instead := answers[key]
	switch {
	case r.empty && instead:
		r.empty, r.out.Answer, r.out.Figures, r.out.Link = false, "", nil, "/explore?"+encode(v)
		r.tell(key)
	case total >= found:
		r.say(answers["caveat_"+key].Text("text"))
	default:
		others := r.out.Caveats
		r.out.Caveats = nil
		r.warn(key)
		for _, c := range others {
			r.caveat(c)
		}
	}
}

// Limits on looking for other names of a recipient.
const (
	longestQuery = 500 // bytes that the API takes as words to search for
	mostNamed    = 16  // names that are identified
	mostNames    = 3   // names that are told
)

// called are the recipients of grants that a plan asks for, by words of their names; the
// largest come first.
func (r *run) called(words string) ([]grants.RecipientRow, error) {
	if _, ok := graph.ParseQuery(words); !ok || len(words) > longestQuery {
		return nil, nil
	}
	v := r.p.values()
	v.Del("recip_id")
	v.Set("query", strings.TrimSpace(v.Get("query")+" "+words))
	v.Set("exclude", strings.Join(r.p.excluded("unidentified"), ","))
	v.Set("limit", "100")
	a, err := get[*api.List[grants.RecipientRow]](r, "/grants/recipients", v, nil)
	if err != nil {
		return nil, err
	}
	return a.Results, nil
}

// bearing are the recipients that bear a name, or the largest of them.
func (r *run) bearing(name string) ([]grants.RecipientRow, error) {
	key := orgname.Key(name)
	if key == "" {
		return nil, nil
	}
	rows, err := r.called(quoted(name))
	return slices.DeleteFunc(slices.Clone(rows), func(row grants.RecipientRow) bool { return orgname.Key(row.RecipName) != key }), err
}

// means is the EIN of the organization that the name of a recipient means, or empty. A name
// that is not the one of the party must mean it certainly. If begin is not 0, the first words
// mean the organization, so many, and the name as a whole means nobody.
func (r *run) means(row *grants.RecipientRow, o *Party, begin int) string {
	q := identify.Question{Text: row.RecipName, Role: identify.Grantee}
	if row.RecipState != nil {
		q.State = *row.RecipState
	}
	words := strings.Fields(q.Text)
	head := strings.ToLower(strings.Join(words[:min(begin, len(words))], " "))
	lacks := func(w string) bool { return !strings.Contains(head, w) }
	if begin > 0 && (begin >= len(words) || slices.ContainsFunc(strings.Fields(telling(*o)), lacks)) {
		return ""
	}
	found := r.a.Data.Search.Identify(r.ctx, q)
	best, ok := found.Best()
	if begin > 0 {
		if ok {
			return "" // another organization, or this one by its whole name
		}
		q.Text = head
		found = r.a.Data.Search.Identify(r.ctx, q)
		best, ok = found.Best()
	}
	key := orgname.Key(q.Text)
	if !ok || found.Verdict < identify.Certain && key != orgname.Key(o.Name) && key != orgname.Key(o.Asked) {
		return ""
	}
	return best.EIN.String()
}

// namesOf returns the identities of recipients without an EIN whose names mean an
// organization, however they are spelled or cut off, and these names. The name of a part
// begins with words that mean the organization: "Corven University School of Law". For a
// name that means no organization, they are the recipients of exactly that name.
func (r *run) namesOf(o Party, parts bool) (ids, names []string, err error) {
	begin := 0
	if parts {
		if begin = len(tokens(o.Asked)); begin < 2 {
			return nil, nil, nil
		}
	}
	seen := map[string]bool{}
	for _, words := range []string{quoted(o.Name), quoted(o.Asked), telling(o)} {
		rows, err := r.called(words)
		if err != nil {
			return nil, nil, err
		}
		for i := range rows {
			row := &rows[i]
			if row.RecipEIN != nil || seen[row.RecipID] || len(seen) == mostNamed || o.EIN == "" && orgname.Key(row.RecipName) != orgname.Key(o.Name) {
				continue
			}
			if seen[row.RecipID] = true; r.means(row, &o, begin) == o.EIN {
				ids, names = append(ids, row.RecipID), addNew(names, orgname.Display(row.RecipName))
			}
		}
	}
	return ids, names, nil
}

// quoted is a name as a phrase to search for.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, " ") + `"` }

// telling are the words that tell the name of an organization from others: those that its
// name and the words of the question share, without nouns such as "university".
func telling(o Party) string {
	words := func(name string) []string {
		list := each(tokens(name), func(t token) string { return t.text })
		return slices.DeleteFunc(list, func(w string) bool { return len(w) < 3 || is("function", w) || is("head", w) || digits(w) })
	}
	name, asked := words(o.Name), words(o.Asked)
	if both := slices.DeleteFunc(slices.Clone(asked), func(w string) bool { return !slices.Contains(name, w) }); len(both) > 0 {
		name = both
	}
	return strings.Join(name, " ")
}
