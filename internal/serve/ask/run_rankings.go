package ask

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
)

// sorted returns the parameters for sorting.
func (p *Plan) sorted() []string {
	by, order := "amount", "desc"
	if p.Order == "grants" {
		by = "count"
	}
	if p.Least {
		order = "asc"
	}
	return []string{"sort_by", by, "sort_order", order, "limit", strconv.Itoa(p.top())}
}

// ranked is a funder or a recipient with the sums of its grants.
type ranked struct {
	id              string
	party           Party
	state           any
	dollars, grants int64
	others          int64 // its recipients, or its funders
	last            int64 // fiscal year
}

// list requests the funders or the recipients of a plan, and how many there are
// in all.
func (r *run) list(p *Plan, v url.Values) (rows []ranked, hits int64, err error) {
	if p.Of == "funders" {
		a, err := get(r, "/grants/funders", v, func(a *api.List[client.FunderRow]) *client.Service { return &a.Service })
		if err != nil {
			return nil, 0, err
		}
		for _, f := range a.Results {
			rows = append(rows, ranked{f.FunderEIN, Party{EIN: f.FunderEIN, Name: orgname.Display(f.FunderName)}, nil, f.TotalAmount, f.GrantCount,
				f.RecipientCount, int64(f.LastFiscalYear)})
		}
		return rows, int64(a.Hits), nil
	}
	a, err := get(r, "/grants/recipients", v, func(a *api.List[grants.RecipientRow]) *client.Service { return &a.Service })
	if err != nil {
		return nil, 0, err
	}
	for i := range a.Results {
		f := &a.Results[i]
		x := ranked{f.RecipID, Party{Name: orgname.Display(f.RecipName)}, optional(f.RecipState), f.TotalAmount, f.GrantCount, f.FunderCount,
			int64(f.LastFiscalYear)}
		if f.RecipEIN != nil {
			x.party.EIN = *f.RecipEIN
		}
		if f.Person() {
			x.party = Party{Name: "An individual"}
		}
		rows = append(rows, x)
	}
	// Leave this out if the plan searches for words: the count would reveal
	// grants to persons of that name.
	if x := a.Service.Excluded; p.Words == "" && p.Measure == "which" && !p.Both && a.Hits > 0 && x != nil && x.Unidentified != nil &&
		x.Unidentified.GrantCount > 0 {
		r.warn("unnamed", "left_count", x.Unidentified.GrantCount, "left_amount", x.Unidentified.TotalAmount)
	}
	return rows, int64(a.Hits), nil
}

// named leaves individuals and lines without a name out of the recipients.
func (p *Plan) named(v url.Values) url.Values {
	if p.Of != "recipients" || len(p.Recipients) > 0 {
		return v
	}
	exclude := []string{"individuals", "unidentified"}
	for _, e := range p.Exclude {
		exclude = addNew(exclude, e)
	}
	return with(v, "exclude", strings.Join(exclude, ","))
}

func (r *run) ranking() error {
	p := r.p
	if p.Order != "" && p.Order != "dollars" && p.Order != "grants" {
		return invalid("funders and recipients are ranked by dollars or by grants")
	}
	rows, hits, err := r.list(p, with(p.named(p.values()), p.sorted()...))
	if err != nil {
		return err
	}
	if hits == 0 || len(rows) == 0 {
		r.none(p)
		return nil
	}
	names := []string{"funder", "total_amount", "grant_count", "recipient_count", "last_fiscal_year"}
	if p.Of == "recipients" {
		names = []string{"recipient", "state", "total_amount", "grant_count", "funder_count", "last_fiscal_year"}
	}
	r.out.Columns = columnsOf(names...)
	listed := int64(0)
	for _, x := range rows {
		line := []any{x.party, x.state, x.dollars, x.grants, x.others, x.last}
		if p.Of == "funders" {
			line = slices.Delete(line, 1, 2)
		}
		r.row(line...)
		listed += x.dollars
	}
	r.tell("rank_"+p.Of, "funder_count", hits, "first", rows[0].party.Name, "total_amount", rows[0].dollars, "grant_count", rows[0].grants)
	if len(rows) > 1 {
		r.chart("bars", "Dollars", slices.Index(names, "total_amount"))
		r.figure("listed_total", float64(listed), UnitDollars)
		if p.Top > 1 {
			r.tell("listed", "n", len(rows), "listed_total", listed)
		}
	}
	return nil
}

// mostShared limits how many funders or recipients are compared to find those
// in common.
const mostShared = 1000

// both finds the funders that all recipients share, or the recipients that all
// funders share.
func (r *run) both() error {
	p := r.p
	of, field := p.Recipients, "recipients"
	if p.Of == "recipients" {
		of, field = p.Funders, "funders"
	}
	list, err := r.shared(of)
	if err != nil {
		return err
	}
	r.empty = len(list) == 0
	one := strings.TrimSuffix(p.Of, "s")
	r.out.Columns = columnsOf(one, "total_amount", "grant_count")
	r.out.Columns[1].Label = "Dollars to all of them"
	for _, t := range list[:min(len(list), p.top())] {
		r.row(t.party, t.dollars, t.grants)
	}
	r.figure(one+"_count", float64(len(list)), UnitCount)
	verb := plural.Word(len(list), "funds", "fund")
	if p.Of == "recipients" {
		verb = plural.Word(len(list), "is funded by", "are funded by")
	}
	counted := ""
	if what := p.without(field).describe(); what != "" {
		counted = ", counting grants " + what
	}
	r.tell("both", "n", plural.Count(len(list), one, p.Of), "verb", verb, "names", and(names(of)), "counted", counted)
	return nil
}

// shared are the funders or recipients that all of some organizations have, by
// dollars.
func (r *run) shared(of []Party) (list []*ranked, err error) {
	totals, times := map[string]*ranked{}, map[string]int{}
	for i := range of {
		c := r.p.clone()
		if c.Of == "funders" {
			c.Recipients = of[i : i+1]
		} else {
			c.Funders = of[i : i+1]
		}
		rows, hits, err := r.list(c, with(c.named(c.values()), "limit", strconv.Itoa(mostShared)))
		if err != nil {
			return nil, err
		}
		if hits > mostShared {
			return nil, invalid("%s has more than %d %s, too many to compare", of[i].Name, mostShared, c.Of)
		}
		for k := range rows {
			t := totals[rows[k].id]
			if t == nil {
				t = &ranked{id: rows[k].id, party: rows[k].party}
				totals[t.id] = t
			}
			times[t.id]++
			t.dollars, t.grants = t.dollars+rows[k].dollars, t.grants+rows[k].grants
			if times[t.id] == len(of) {
				list = append(list, t)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *ranked) int { return cmp.Or(cmp.Compare(b.dollars, a.dollars), cmp.Compare(a.id, b.id)) })
	return list, nil
}

// stopped lists the funders of an organization, or those whom it funded, without
// grants in the latest year whose filings are nearly complete.
func (r *run) stopped() error {
	p := r.p
	rows, hits, err := r.list(p, with(p.named(p.values()), "limit", strconv.Itoa(mostShared)))
	switch {
	case err != nil:
		return err
	case hits == 0:
		r.none(p)
		return nil
	case hits > mostShared:
		return invalid("there are more than %d %s, too many to compare", mostShared, p.Of)
	}
	last := (&reading{a: r.a, ctx: r.ctx}).latestYear()
	one := strings.TrimSuffix(p.Of, "s")
	r.out.Columns = columnsOf(one, "last_fiscal_year", "total_amount", "grant_count")
	n := 0
	for _, x := range rows {
		if x.last >= int64(last) {
			continue
		}
		if n++; n <= p.top() {
			r.row(x.party, x.last, x.dollars, x.grants)
		}
	}
	r.figure(one+"_count", float64(n), UnitCount)
	r.tell("stopped", "n", plural.Count(hits, one, p.Of), "left", n, "fiscal_year", last)
	r.warn("stopped")
	return nil
}

func grantService(a *api.List[grants.GrantRow]) *client.Service { return &a.Service }

func (r *run) largest() error {
	p := r.p
	order := "desc"
	if p.Measure == "smallest" {
		order = "asc"
	}
	a, err := get(r, "/grants/transactions", with(p.values(), "sort_by", "amount", "sort_order", order, "limit", strconv.Itoa(p.top())), grantService)
	if err != nil {
		return err
	}
	if a.Hits == 0 {
		r.none(p)
		return nil
	}
	r.out.Columns = columnsOf("funder", "recipient", "amount", "fiscal_year", "purpose")
	for i := range a.Results {
		g := &a.Results[i]
		from, to, purpose := Party{EIN: g.FunderEIN, Name: orgname.Display(g.FunderName)}, Party{Name: orgname.Display(g.RecipName)}, optional(g.Purpose)
		if g.RecipEIN != nil {
			to.EIN = *g.RecipEIN
		}
		if g.Person() {
			to, purpose = Party{Name: "An individual"}, nil
		}
		r.row(from, to, g.Amount, int64(g.FiscalYear), purpose)
	}
	first := r.out.Rows[0]
	r.tell("largest", "amount", first[2], "from", first[0].(Party).Name, "fiscal_year", first[3],
		"to", strings.Replace(first[1].(Party).Name, "An individual", "an individual", 1))
	return nil
}
