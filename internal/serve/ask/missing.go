package ask

import (
	"net/url"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/identify"
)

// tellMissing tells of grants that the filters of a plan cannot find, because of what
// is not known of their recipients.
func (r *run) tellMissing() error {
	_, _, two := r.p.fromTo()
	if !r.p.ofGrants() || r.p.By != "" || r.p.Only != "" || two || len(r.p.Recipients)+len(r.p.Causes) == 0 {
		return nil // one request cannot sum the grants of such a plan
	}
	// The requests are not those of the answer.
	aside := &run{a: r.a, ctx: r.ctx, p: r.p, out: &Answer{}}
	found, err := get[*grants.SummaryAnswer](aside, "/grants/summary", r.p.values(), nil)
	if err != nil {
		return err
	}
	if err := r.unlinked(aside, found.Summary.TotalAmount); err != nil || len(r.p.Causes) == 0 {
		return err
	}
	return r.uncoded(aside, found.Summary.TotalAmount)
}

// unlinked tells of grants that name a recipient of the plan but are linked to no EIN.
func (r *run) unlinked(aside *run, found int64) error {
	var ids, names []string
	for _, o := range r.p.Recipients {
		more, called, err := aside.namedLike(o)
		if err != nil {
			return err
		}
		ids, names = append(ids, more...), append(names, called...)
	}
	if len(ids) == 0 {
		return nil
	}
	v := r.p.values()
	v.Set("recip_id", strings.Join(ids, ","))
	s, err := get[*grants.SummaryAnswer](aside, "/grants/summary", v, nil)
	if err != nil {
		return err
	}
	r.learn("names", joinWords(names, "or"))
	r.missing("unlinked", s.Summary.GrantCount, s.Summary.TotalAmount, found, v)
	return nil
}

// uncoded tells of grants to organizations whose cause is not known.
func (r *run) uncoded(aside *run, found int64) error {
	v := r.p.without("causes").values()
	v.Set("by", groups["causes"].Text("by"))
	s, err := get[*grants.SummaryAnswer](aside, "/grants/summary", v, nil)
	if err != nil || s.Groups == nil {
		return err
	}
	for _, g := range s.Groups.Rows {
		if g.Kind == "none" {
			v.Del("by")
			r.missing("uncoded", g.GrantCount, g.TotalAmount, found, v)
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

// longestQuery is how many bytes the API takes as words to search for.
const longestQuery = 500

// namedLike returns the identities of recipients without an EIN that bear a name of an
// organization, if nobody else can be meant by that name in their place, and these
// names.
func (r *run) namedLike(o Party) (ids, names []string, err error) {
	for _, name := range addNew([]string{o.Name}, o.Asked) {
		key, query := orgname.Key(name), `"`+strings.ReplaceAll(name, `"`, " ")+`"`
		if _, ok := graph.ParseQuery(query); key == "" || !ok || len(query) > longestQuery {
			continue
		}
		v := url.Values{"query": {query}, "exclude": {"unidentified"}, "limit": {"50"}}
		a, err := get[*api.List[grants.RecipientRow]](r, "/grants/recipients", v, nil)
		if err != nil {
			return nil, nil, err
		}
		for _, row := range a.Results {
			if row.RecipEIN != nil || orgname.Key(row.RecipName) != key {
				continue
			}
			q := identify.Question{Text: name, Role: identify.Grantee}
			if row.RecipState != nil {
				q.State = *row.RecipState
			}
			found := r.a.Data.Search.Identify(r.ctx, q)
			if best, ok := found.Best(); ok && best.EIN.String() == o.EIN {
				ids, names = addNew(ids, row.RecipID), addNew(names, orgname.Display(row.RecipName))
			}
		}
	}
	return ids, names, nil
}
