package ask

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/money"
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

func (r *run) ranking() error {
	p := r.p
	if p.Order != "" && p.Order != "dollars" && p.Order != "grants" {
		return invalid("funders and recipients are ranked by dollars or by grants")
	}
	first := struct {
		name           string
		dollars, count int64
	}{}
	c := &Chart{Kind: "bars", Title: "Dollars", Unit: UnitDollars}
	if p.Of == "funders" {
		a, err := get(r, "/grants/funders", with(p.values(), p.sorted()...), func(a *api.List[client.FunderRow]) *client.Service { return &a.Service })
		if err != nil {
			return err
		}
		r.out.Columns = []Column{{"funder", "Funder", UnitParty}, {"total_amount", "Dollars", UnitDollars}, {"grant_count", "Grants", UnitCount},
			{"recipient_count", "Recipients", UnitCount}, {"last_fiscal_year", "Last year", UnitYear}}
		for i, f := range a.Results {
			name := orgname.Display(f.FunderName)
			r.out.Rows = append(r.out.Rows, []any{Party{EIN: f.FunderEIN, Name: name}, f.TotalAmount, f.GrantCount, f.RecipientCount, int64(f.LastFiscalYear)})
			c.Labels, c.Values = append(c.Labels, name), append(c.Values, f.TotalAmount)
			if i == 0 {
				first.name, first.dollars, first.count = name, f.TotalAmount, f.GrantCount
			}
		}
		if a.Hits == 0 {
			r.none(p)
			return nil
		}
		r.figure("funder_count", float64(a.Hits), UnitCount)
		r.say("%s made grants%s.", plural.Count(a.Hits, "funder", "funders"), spaced(p.describe()))
		r.say("%s by %s is %s: %s in %s.", rank(p), orderWord(p), first.name, money.Dollars(first.dollars), plural.Count(first.count, "grant", "grants"))
	} else {
		v := p.values()
		if len(p.Recipients) == 0 {
			exclude := []string{"individuals", "unidentified"}
			for _, e := range p.Exclude {
				if !slices.Contains(exclude, e) {
					exclude = append(exclude, e)
				}
			}
			v.Set("exclude", strings.Join(exclude, ","))
		}
		a, err := get(r, "/grants/recipients", with(v, p.sorted()...), func(a *api.List[grants.RecipientRow]) *client.Service { return &a.Service })
		if err != nil {
			return err
		}
		r.out.Columns = []Column{{"recipient", "Recipient", UnitParty}, {"state", "State", UnitText}, {"total_amount", "Dollars", UnitDollars},
			{"grant_count", "Grants", UnitCount}, {"funder_count", "Funders", UnitCount}, {"last_fiscal_year", "Last year", UnitYear}}
		for i := range a.Results {
			f := &a.Results[i]
			o := Party{Name: orgname.Display(f.RecipName)}
			if f.RecipEIN != nil {
				o.EIN = *f.RecipEIN
			}
			if f.Person() {
				o = Party{Name: "An individual"}
			}
			var state any
			if f.RecipState != nil {
				state = *f.RecipState
			}
			r.out.Rows = append(r.out.Rows, []any{o, state, f.TotalAmount, f.GrantCount, f.FunderCount, int64(f.LastFiscalYear)})
			c.Labels, c.Values = append(c.Labels, o.Name), append(c.Values, f.TotalAmount)
			if i == 0 {
				first.name, first.dollars, first.count = o.Name, f.TotalAmount, f.GrantCount
			}
		}
		if a.Hits == 0 {
			r.none(p)
			return nil
		}
		// Leave this out if the plan searches for words: the count would reveal
		// grants to persons of that name.
		if x := a.Service.Excluded; p.Words == "" && x != nil && x.Unidentified != nil && x.Unidentified.GrantCount > 0 {
			r.caveat(fmt.Sprintf("Lines that name no organization, and individuals, are not ranked: %s, %s.", plural.Count(x.Unidentified.GrantCount, "grant", "grants"),
				money.Dollars(x.Unidentified.TotalAmount)))
		}
		r.say("%s of grants%s by %s is %s: %s in %s.", strings.Replace(rank(p), " funder", "", 1)+" recipient", spaced(p.describe()), orderWord(p),
			first.name, money.Dollars(first.dollars), plural.Count(first.count, "grant", "grants"))
	}
	r.figure("total_amount", float64(first.dollars), UnitDollars)
	r.figure("grant_count", float64(first.count), UnitCount)
	if len(c.Values) > 1 {
		r.out.Chart = c
		var listed int64
		for _, v := range c.Values {
			listed += v
		}
		r.figure("listed_total", float64(listed), UnitDollars)
		if p.Top > 1 {
			r.say("The %d listed come to %s together.", len(c.Values), money.Dollars(listed))
		}
	}
	return nil
}

func rank(p *Plan) string {
	if p.Least {
		return "The smallest"
	}
	return "The largest"
}

// mostShared limits how many funders or recipients are compared to find those
// in common.
const mostShared = 1000

// both finds the funders that all recipients share, or the recipients that all
// funders share.
func (r *run) both() error {
	p := r.p
	type total struct {
		party          Party
		n              int
		dollars, count int64
	}
	totals := map[string]*total{}
	var order []string
	add := func(id string, o Party, dollars, count int64) {
		t := totals[id]
		if t == nil {
			t = &total{party: o}
			totals[id] = t
			order = append(order, id)
		}
		t.n++
		t.dollars, t.count = t.dollars+dollars, t.count+count
	}
	of := p.Recipients
	if p.Of == "recipients" {
		of = p.Funders
	}
	for i := range of {
		c := p.clone()
		if p.Of == "funders" {
			c.Recipients = of[i : i+1]
			a, err := get(r, "/grants/funders", with(c.values(), "limit", strconv.Itoa(mostShared)),
				func(a *api.List[client.FunderRow]) *client.Service { return &a.Service })
			if err != nil {
				return err
			}
			if a.Hits > mostShared {
				return invalid("%s has more than %d funders, too many to compare", of[i].Name, mostShared)
			}
			for _, f := range a.Results {
				add(f.FunderEIN, Party{EIN: f.FunderEIN, Name: orgname.Display(f.FunderName)}, f.TotalAmount, f.GrantCount)
			}
			continue
		}
		c.Funders = of[i : i+1]
		a, err := get(r, "/grants/recipients", with(c.values(), "exclude", "individuals,unidentified", "limit", strconv.Itoa(mostShared)),
			func(a *api.List[grants.RecipientRow]) *client.Service { return &a.Service })
		if err != nil {
			return err
		}
		if a.Hits > mostShared {
			return invalid("%s has more than %d recipients, too many to compare", of[i].Name, mostShared)
		}
		for j := range a.Results {
			f := &a.Results[j]
			o := Party{Name: orgname.Display(f.RecipName)}
			if f.RecipEIN != nil {
				o.EIN = *f.RecipEIN
			}
			add(f.RecipID, o, f.TotalAmount, f.GrantCount)
		}
	}
	var list []*total
	for _, id := range order {
		if totals[id].n == len(of) {
			list = append(list, totals[id])
		}
	}
	slices.SortStableFunc(list, func(a, b *total) int { return int(min(1, max(-1, b.dollars-a.dollars))) })
	one, many := "funder", "funders"
	if p.Of == "recipients" {
		one, many = "recipient", "recipients"
	}
	r.out.Columns = []Column{{one, strings.ToUpper(one[:1]) + one[1:], UnitParty}, {"total_amount", "Dollars to all of them", UnitDollars},
		{"grant_count", "Grants", UnitCount}}
	for _, t := range list[:min(len(list), p.top())] {
		r.out.Rows = append(r.out.Rows, []any{t.party, t.dollars, t.count})
	}
	r.figure(one+"_count", float64(len(list)), UnitCount)
	verb := "fund"
	if p.Of == "recipients" {
		verb = "are funded by"
	}
	if len(list) == 1 && p.Of == "funders" {
		verb = "funds"
	} else if len(list) == 1 {
		verb = "is funded by"
	}
	rest := p.clone()
	if p.Of == "funders" {
		rest.Recipients = nil
	} else {
		rest.Funders = nil
	}
	counted := ""
	if what := rest.describe(); what != "" {
		counted = ", counting grants " + what
	}
	r.say("%s %s both %s%s.", plural.Count(int64(len(list)), one, many), verb, and(names(of)), counted)
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
	r.out.Columns = []Column{{"funder", "Funder", UnitParty}, {"recipient", "Recipient", UnitParty}, {"amount", "Amount", UnitDollars},
		{"fiscal_year", "Fiscal year", UnitYear}, {"purpose", "Purpose", UnitText}}
	for i := range a.Results {
		g := &a.Results[i]
		to := Party{Name: orgname.Display(g.RecipName)}
		if g.RecipEIN != nil {
			to.EIN = *g.RecipEIN
		}
		var purpose any
		if g.Purpose != nil {
			purpose = *g.Purpose
		}
		if g.Person() {
			to, purpose = Party{Name: "An individual"}, nil
		}
		r.out.Rows = append(r.out.Rows, []any{Party{EIN: g.FunderEIN, Name: orgname.Display(g.FunderName)}, to, g.Amount, int64(g.FiscalYear), purpose})
	}
	first := r.out.Rows[0]
	r.figure("amount", float64(first[2].(int64)), UnitDollars)
	r.say("The %s grant%s is %s, from %s to %s in fiscal year %d.", p.Measure, spaced(p.describe()), money.Dollars(first[2].(int64)),
		first[0].(Party).Name, strings.Replace(first[1].(Party).Name, "An individual", "an individual", 1), first[3].(int64))
	return nil
}
