package ask

import (
	"net/url"
	"strings"

	"grantgraph/internal/orgname"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/identify"
)

// unlinked tells of grants that name a recipient of the plan but are linked to no
// EIN. An answer by EIN lacks them, and where it is empty, they are the answer.
func (r *run) unlinked() error {
	aside := &run{a: r.a, ctx: r.ctx, p: r.p, out: &Answer{}} // its requests are not those of the answer
	var ids []string
	for _, o := range r.p.Recipients {
		found, err := aside.namedLike(o)
		if err != nil {
			return err
		}
		ids = append(ids, found...)
	}
	if len(ids) == 0 {
		return nil
	}
	v := r.p.values()
	linked, err := get[*grants.SummaryAnswer](aside, "/grants/summary", v, nil)
	if err != nil {
		return err
	}
	v.Set("recip_id", strings.Join(ids, ","))
	s, err := get[*grants.SummaryAnswer](aside, "/grants/summary", v, nil)
	if err != nil || s.Summary.GrantCount == 0 {
		return err
	}
	r.learn("grant_count", s.Summary.GrantCount, "total_amount", s.Summary.TotalAmount, "names", r.p.part("recipients", ""))
	switch {
	case r.empty:
		r.empty, r.out.Answer, r.out.Figures, r.out.Link = false, "", nil, "/explore?"+encode(v)
		r.tell("unlinked")
		return nil
	case s.Summary.TotalAmount >= linked.Summary.TotalAmount:
		r.say(answers["caveat_unlinked"].Text("text"))
		return nil
	}
	others := r.out.Caveats
	r.out.Caveats = nil
	r.warn("unlinked")
	for _, c := range others {
		r.caveat(c)
	}
	return nil
}

// namedLike returns the identities of recipients without an EIN that bear the name of
// an organization, if nobody else can be meant by that name in their place.
func (r *run) namedLike(o Party) (ids []string, err error) {
	for _, name := range addNew([]string{o.Name}, o.Asked) {
		key := orgname.Key(name)
		if key == "" {
			continue
		}
		v := url.Values{"query": {`"` + strings.ReplaceAll(name, `"`, " ") + `"`}, "exclude": {"unidentified"}, "limit": {"200"}}
		a, err := get[*api.List[grants.RecipientRow]](r, "/grants/recipients", v, nil)
		if err != nil {
			return nil, err
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
				ids = addNew(ids, row.RecipID)
			}
		}
	}
	return ids, nil
}
