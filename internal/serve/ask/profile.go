package ask

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/money"
	"grantgraph/internal/ntee"
	"grantgraph/internal/orgname"
	"grantgraph/internal/plural"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/profiles"
	"grantgraph/internal/serve/directory"
	"grantgraph/internal/serve/search"
)

// page is the organization's page on the website.
func page(o Party) string { return "/org/" + o.EIN + "/" + search.Slug(o.Name) }

// screen links to the compliance check: an answer here never says that an
// organization is clear.
func (r *run) screen() {
	o := r.p.Organizations[0]
	r.request("/screening/"+o.EIN, url.Values{})
	r.out.Link = "/check/" + o.EIN
	r.say("Whether %s (EIN %s-%s) is exempt, revoked or sanctioned is what the compliance check says, with its evidence and the age of each list: see %s.",
		o.Name, o.EIN[:2], o.EIN[2:], r.out.Link)
	r.caveat("An answer in one sentence cannot replace the check: it compares the organization with every list that is loaded, and says which are not.")
}

// people links to the officers and directors of an organization.
func (r *run) people() {
	o := r.p.Organizations[0]
	r.request("/premier/"+o.EIN, url.Values{})
	r.out.Link = page(o)
	r.say("The page of %s lists its officers, directors and key employees under People, as its latest return names them: see %s.", o.Name, r.out.Link)
}

// fact answers one fact for each organization.
func (r *run) fact() error {
	p := r.p
	r.out.Link = page(p.Organizations[0])
	unit := UnitDollars
	switch p.Fact {
	case "founded", "ruling_year":
		unit = UnitYear
	case "mission", "website", "cause", "place", "ein":
		unit = UnitText
	}
	label := capital(strings.ReplaceAll(p.Fact, "_", " "))
	r.out.Columns = []Column{{"organization", "Organization", UnitParty}, {p.Fact, label, unit}, {"fiscal_year", "Fiscal year", UnitYear}}
	for _, o := range p.Organizations {
		value, year, err := r.factOf(o)
		if err != nil {
			return err
		}
		row := []any{o, value, nil}
		if year != 0 {
			row[2] = int64(year)
		}
		r.out.Rows = append(r.out.Rows, row)
		of := ""
		if year != 0 {
			of = fmt.Sprintf(" in fiscal year %d", year)
		}
		name := strings.ReplaceAll(p.Fact, "_", " ")
		switch v := value.(type) {
		case nil:
			when := "."
			if len(p.Years) == 1 {
				when = " for fiscal year " + p.Years[0].inWords() + "."
			}
			r.say("The %s of %s is not known here%s", map[string]string{"founded": "year of formation",
				"ruling_year": "year of the exemption ruling"}[p.Fact]+orElse(p.Fact, name), o.Name, when)
		case int64:
			r.figure(factFigure(p, o), float64(v), unit)
			switch p.Fact {
			case "founded":
				r.say("%s was formed in %d, as it files.", o.Name, v)
			case "ruling_year":
				r.say("The ruling that %s is exempt is of %d.", o.Name, v)
			default:
				r.say("The %s of %s%s: %s.", name, o.Name, of, money.Dollars(v))
			}
		case string:
			switch p.Fact {
			case "ein":
				r.say("The EIN of %s is %s.", o.Name, v)
			case "place":
				r.say("%s is in %s.", o.Name, v)
			default:
				r.say("The %s of %s, as filed: %s", name, o.Name, v)
			}
		}
	}
	return nil
}

func orElse(fact, name string) string {
	if fact == "founded" || fact == "ruling_year" {
		return ""
	}
	return name
}

func factFigure(p *Plan, o Party) string {
	if len(p.Organizations) == 1 {
		return p.Fact
	}
	return o.Name
}

// facts are the facts that profiles state, by name. The figures of a year may be
// missing.
var facts = map[string]func(c *client.ProfileCore, f *client.ProfileFinancials) any{
	"founded": func(c *client.ProfileCore, _ *client.ProfileFinancials) any {
		return whole(c.Organization.FormationYear)
	},
	"ruling_year": func(c *client.ProfileCore, _ *client.ProfileFinancials) any { return whole(c.Organization.RulingYear) },
	"mission":     func(c *client.ProfileCore, _ *client.ProfileFinancials) any { return text(c.Organization.Mission) },
	"website":     func(c *client.ProfileCore, _ *client.ProfileFinancials) any { return text(c.Organization.WebsiteURL) },
	"cause": func(c *client.ProfileCore, _ *client.ProfileFinancials) any {
		return text(cmp.Or(c.Organization.NTEELabel, c.Organization.SubjectLabel))
	},
	"place": func(c *client.ProfileCore, _ *client.ProfileFinancials) any {
		city, state := c.Organization.City, c.Organization.State
		switch {
		case city != nil && state != nil:
			return orgname.Display(*city) + ", " + *state
		case city != nil:
			return orgname.Display(*city)
		}
		return text(state)
	},
	"given":       func(c *client.ProfileCore, _ *client.ProfileFinancials) any { return c.Given.TotalAmount },
	"received":    func(c *client.ProfileCore, _ *client.ProfileFinancials) any { return c.Received.TotalAmount },
	"revenue":     func(_ *client.ProfileCore, f *client.ProfileFinancials) any { return whole(f.TotalRevenue) },
	"expenses":    func(_ *client.ProfileCore, f *client.ProfileFinancials) any { return whole(f.TotalExpenses) },
	"assets":      func(_ *client.ProfileCore, f *client.ProfileFinancials) any { return whole(f.TotalAssets) },
	"liabilities": func(_ *client.ProfileCore, f *client.ProfileFinancials) any { return whole(f.TotalLiabilities) },
	"net_assets":  func(_ *client.ProfileCore, f *client.ProfileFinancials) any { return whole(f.NetAssets) },
	"grants_paid": func(_ *client.ProfileCore, f *client.ProfileFinancials) any { return whole(f.GrantsPaid) },
}

// whole is a number, or nil if it is not known.
func whole[N int | int64](n *N) any {
	if n == nil {
		return nil
	}
	return int64(*n)
}

// text is a text, or nil if it is not known.
func text(s *string) any {
	if s == nil || *s == "" {
		return nil
	}
	return *s
}

// yearly are the facts that returns state for a fiscal year.
var yearly = strings.Fields("revenue expenses assets liabilities net_assets grants_paid")

// factOf looks up one fact; nil means not known.
func (r *run) factOf(o Party) (value any, year int, err error) {
	p := r.p
	if p.Fact == "ein" {
		if _, err := get(r, "/essentials/"+o.EIN, url.Values{}, func(a *client.EssentialsAnswer) *client.Service { return &a.Service }); err != nil {
			return nil, 0, err
		}
		return o.EIN[:2] + "-" + o.EIN[2:], 0, nil
	}
	core, figures, err := r.profile(o)
	if err != nil || !slices.Contains(yearly, p.Fact) {
		if err == nil {
			value = facts[p.Fact](core, figures)
		}
		return value, 0, err
	}
	if figures != nil {
		if value = facts[p.Fact](core, figures); value != nil {
			year = figures.FiscalYear
		}
	}
	return value, year, nil
}

// profile requests an organization and its figures: those of the year that the
// plan names, or else of the latest return.
func (r *run) profile(o Party) (*client.ProfileCore, *client.ProfileFinancials, error) {
	if len(r.p.Years) != 1 {
		a, err := get(r, "/essentials/"+o.EIN, url.Values{}, func(a *client.EssentialsAnswer) *client.Service { return &a.Service })
		if err != nil {
			return nil, nil, err
		}
		return &a.ProfileCore, a.Financials, nil
	}
	a, err := get(r, "/premier/"+o.EIN, url.Values{}, func(a *profiles.PremierAnswer) *client.Service { return &a.Service })
	if err != nil {
		return nil, nil, err
	}
	y := r.p.Years[0]
	for i := range a.FinancialsByYear {
		if f := &a.FinancialsByYear[i]; y.From == y.To && f.FiscalYear == y.From {
			return &a.ProfileCore, &f.ProfileFinancials, nil
		}
	}
	return &a.ProfileCore, nil, nil
}

func (r *run) similar() error {
	o := r.p.Organizations[0]
	r.out.Link = page(o)
	limit := r.p.top()
	if len(r.p.Places) > 0 {
		limit = 100
	}
	a, err := get(r, "/similar/"+o.EIN, url.Values{"limit": {strconv.Itoa(limit)}}, func(a *api.List[client.SimilarRow]) *client.Service { return &a.Service })
	if err != nil {
		return err
	}
	r.out.Columns = []Column{{"organization", "Organization", UnitParty}, {"state", "State", UnitText}, {"shared_funders", "Shared funders", UnitCount},
		{"cause", "Shared cause", UnitText}}
	var first []string
	for i := range a.Results {
		s := &a.Results[i]
		if len(r.out.Rows) == r.p.top() || len(r.p.Places) > 0 && !r.near(s) {
			continue
		}
		o := Party{EIN: s.EIN, Name: orgname.Display(s.Name)}
		row := []any{o, nil, nil, nil}
		if s.State != nil {
			row[1] = *s.State
		}
		if s.Reasons.SharedFunders != nil {
			row[2] = int64(*s.Reasons.SharedFunders)
		}
		if s.Reasons.CauseLabel != nil {
			row[3] = *s.Reasons.CauseLabel
		}
		r.out.Rows = append(r.out.Rows, row)
		if len(first) < 3 {
			first = append(first, o.Name)
		}
	}
	if len(first) == 0 {
		r.say("No organization that resembles %s was found.", o.Name)
		return nil
	}
	r.say("Organizations that resemble %s most: %s.", o.Name, and(first))
	r.caveat("Likeness is an association found in public data: shared funders or recipients, cause, words, place and size. It is no statement of either " +
		"organization.")
	return nil
}

// near reports whether an organization is in one of the plan's places.
func (r *run) near(s *client.SimilarRow) bool {
	return slices.ContainsFunc(r.p.Places, func(l Place) bool {
		city, state := cityOf(&l)
		return (state == "" || s.State != nil && *s.State == state) && (city == "" || s.City != nil && orgname.City(*s.City) == orgname.City(city))
	})
}

func (r *run) cofunders() error {
	o := r.p.Organizations[0]
	r.out.Link = page(o)
	a, err := get(r, "/premier/"+o.EIN, url.Values{}, func(a *profiles.PremierAnswer) *client.Service { return &a.Service })
	if err != nil {
		return err
	}
	r.out.Columns = []Column{{"funder", "Funder", UnitParty}, {"state", "State", UnitText}, {"shared_recipients", "Recipients that both fund", UnitCount}}
	for _, c := range a.Cofunders[:min(len(a.Cofunders), r.p.top())] {
		row := []any{Party{EIN: c.FunderEIN, Name: orgname.Display(c.FunderName)}, nil, int64(c.SharedRecipients)}
		if c.FunderState != nil {
			row[1] = *c.FunderState
		}
		r.out.Rows = append(r.out.Rows, row)
	}
	if len(r.out.Rows) == 0 {
		r.say("No other funder of those whom %s funds was found.", o.Name)
		return nil
	}
	if a.CofunderScope != nil {
		r.figure("cofunder_count", float64(a.CofunderScope.CofunderCount), UnitCount)
	}
	r.figure("shared_recipients", float64(a.Cofunders[0].SharedRecipients), UnitCount)
	r.say("The closest co-funder of %s is %s: both fund %s.", o.Name, orgname.Display(a.Cofunders[0].FunderName),
		plural.Count(int64(a.Cofunders[0].SharedRecipients), "recipient", "recipients"))
	r.caveat("Co-funding is an association found in filings, not a sign that funders work together.")
	return nil
}

// levels name the governments whose awards are asked for.
var levels = map[string]string{"": "government", "federal": "federal", "state": "state government"}

func (r *run) awards() error {
	o := r.p.Organizations[0]
	r.out.Link = page(o)
	a, err := get(r, "/gov-funding/"+o.EIN, url.Values{"limit": {"25"}}, func(a *profiles.FundingAnswer) *client.Service { return &a.Service })
	if err != nil {
		return err
	}
	if r.p.Measure == "which" {
		return r.awardsByAgency(a)
	}
	return r.awardsByYear(a)
}

func (r *run) awardsByAgency(a *profiles.FundingAnswer) error {
	p, o := r.p, r.p.Organizations[0]
	if len(p.Years) > 0 {
		return invalid("awards by agency are of all years")
	}
	r.out.Columns = []Column{{"agency", "Agency", UnitText}, {"level", "Level", UnitText}, {"total_amount", "Dollars", UnitDollars},
		{"award_count", "Awards", UnitCount}}
	c := &Chart{Kind: "bars", Title: "Dollars by agency", Unit: UnitDollars}
	for _, g := range a.ByAgency {
		if p.Level != "" && g.Level != p.Level || len(r.out.Rows) == p.top() {
			continue
		}
		name := "Not named"
		if g.Agency != nil {
			name = orgname.Display(*g.Agency)
		}
		r.out.Rows = append(r.out.Rows, []any{name, g.Level, g.TotalAmount, g.AwardCount})
		c.Labels, c.Values = append(c.Labels, name), append(c.Values, g.TotalAmount)
	}
	if len(r.out.Rows) == 0 {
		r.say("No %s awards to %s are in the files that were read.", levels[p.Level], o.Name)
		return nil
	}
	first := r.out.Rows[0]
	r.figure("total_amount", float64(first[2].(int64)), UnitDollars)
	r.figure("award_count", float64(first[3].(int64)), UnitCount)
	r.say("The most in %s awards to %s came from %s: %s in %s.", levels[p.Level], o.Name, first[0], money.Dollars(first[2].(int64)),
		plural.Count(first[3].(int64), "award", "awards"))
	if len(c.Values) > 1 {
		r.out.Chart = c
	}
	return nil
}

// inYears reports whether the plan asks for a year.
func (p *Plan) inYears(y int) bool {
	return len(p.Years) == 0 || slices.ContainsFunc(p.Years, func(s Span) bool { return (s.From == 0 || y >= s.From) && (s.To == 0 || y <= s.To) })
}

// ofLevel adds up the awards of the governments that the plan asks for.
func (p *Plan) ofLevel(federal, state *int64) (n int64, known bool) {
	if federal != nil && p.Level != "state" {
		n, known = n+*federal, true
	}
	if state != nil && p.Level != "federal" {
		n, known = n+*state, true
	}
	return n, known
}

func (r *run) awardsByYear(a *profiles.FundingAnswer) error {
	p, o, of := r.p, r.p.Organizations[0], levels[r.p.Level]
	var total, count int64
	r.out.Columns = []Column{{"fiscal_year", "Fiscal year", UnitYear}, {"total_amount", "Dollars", UnitDollars}}
	c := &Chart{Kind: "years", Title: "Dollars by fiscal year of the government", Unit: UnitDollars}
	for _, y := range a.ByYear {
		n, ok := p.ofLevel(y.FederalAmount, y.StateAmount)
		if !p.inYears(y.FiscalYear) || !ok {
			continue
		}
		total, count = total+n, count+y.AwardCount
		r.out.Rows = append(r.out.Rows, []any{int64(y.FiscalYear), n})
		c.Labels, c.Values = append(c.Labels, strconv.Itoa(y.FiscalYear)), append(c.Values, n)
	}
	if len(p.Years) == 0 && p.Level == "" {
		count = a.Summary.AwardCount
	}
	if len(c.Values) > 1 {
		r.out.Chart = c
	}
	when := ""
	if len(p.Years) > 0 {
		when = " in fiscal year " + p.Years[0].inWords()
	}
	if len(c.Values) == 0 || count == 0 {
		r.say("No %s awards to %s%s are in the files that were read.", of, o.Name, when)
		r.figure("total_amount", 0, UnitDollars)
		return nil
	}
	switch p.Measure {
	case "how_many":
		if p.Level != "" {
			return invalid("awards are counted over all levels of government")
		}
		r.figure("award_count", float64(count), UnitCount)
		r.say("%s has %s from governments%s, %s in all.", o.Name, plural.Count(count, "award", "awards"), when, money.Dollars(total))
	case "trend":
		for i, y := range c.Labels {
			r.figure(y, float64(c.Values[i]), UnitDollars)
		}
		n := len(c.Labels) - 1
		r.say("By fiscal year, %s awards to %s: %s in %s, %s in %s.", of, o.Name, money.Dollars(c.Values[0]), c.Labels[0], money.Dollars(c.Values[n]), c.Labels[n])
		return nil
	default:
		r.say("%s awards to %s%s come to %s.", capital(of), o.Name, when, money.Dollars(total))
	}
	r.figure("total_amount", float64(total), UnitDollars)
	return nil
}

// sizes are the figures by which organizations are chosen and ranked.
var sizes = map[string]directory.Order{"revenue": directory.ByRevenue, "assets": directory.ByAssets, "expenses": directory.ByExpenses,
	"grants_paid": directory.ByGrantsPaid}

// chosen is the plan as a filter of the directory, and as the body of the request
// that chooses the same organizations.
func (p *Plan) chosen() (f directory.Filter, filters map[string]any, err error) {
	filters = map[string]any{}
	for _, l := range p.Places {
		switch l.Kind {
		case "state":
			f.States = append(f.States, l.Value)
		case "city":
			city, state, _ := strings.Cut(l.Value, ", ")
			f.Cities = append(f.Cities, directory.City{Name: orgname.City(city), State: state})
		case "county":
			f.Counties = append(f.Counties, l.Value)
		case "zip":
			f.ZIPs = append(f.ZIPs, l.Value)
		default:
			return f, nil, invalid("organizations can be found by state, city, county or ZIP code")
		}
		old, _ := filters[l.Kind].([]string)
		filters[l.Kind] = append(old, l.Value)
	}
	var causes []string
	for _, c := range p.Causes {
		causes = append(causes, c.Subject)
	}
	if len(causes) > 0 {
		s, err := ntee.ParseSubject(strings.Join(causes, ","))
		if err != nil {
			return f, nil, invalid("%v", err)
		}
		f.Causes, filters["cause"] = []ntee.Subject{s}, causes
	}
	if !p.has("amounts") {
		return f, filters, nil
	}
	to := map[string]*directory.Range{"revenue": &f.Revenue, "assets": &f.Assets, "expenses": &f.Expenses, "grants_paid": &f.GrantsPaid}[p.Order]
	if to == nil {
		return f, nil, invalid("an amount needs a figure of the organization: revenue, assets, expenses or grants paid")
	}
	*to = directory.Range{Min: p.MinAmount, Max: p.MaxAmount}
	if p.MinAmount != nil {
		filters["min_"+p.Order] = *p.MinAmount
	}
	if p.MaxAmount != nil {
		filters["max_"+p.Order] = *p.MaxAmount
	}
	return f, filters, nil
}

// organizations counts or ranks organizations by place, cause and size, as POST
// /essentials does.
func (r *run) organizations() error {
	p, d := r.p, r.a.Data.Directory
	f, filters, err := p.chosen()
	if err != nil {
		return err
	}
	by := cmp.Or(p.Order, "revenue")
	order, ok := sizes[by]
	if !ok {
		return invalid("organizations are ranked by revenue, assets, expenses or grants paid")
	}
	body := map[string]any{"filters": filters, "sort_by": by, "size": p.top()}
	if p.Least {
		body["sort_order"] = "asc"
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	q := r.request("/essentials", url.Values{})
	q.Method, q.Body = "POST", string(text)
	set, n, err := d.Select(&f, r.a.Data.Standing)
	if err != nil {
		return err
	}
	defer d.Release(set)
	rows, err := d.Page(set, n, directory.Sort{By: order, Asc: p.Least}, 0, p.top())
	if err != nil {
		return err
	}
	r.out.Columns = []Column{{"organization", "Organization", UnitParty}, {"state", "State", UnitText},
		{by, capital(strings.ReplaceAll(by, "_", " ")), UnitDollars}}
	for _, org := range rows {
		row, ok := d.Row(org, r.a.Data.Standing)
		if !ok {
			continue
		}
		v := map[string]*int64{"revenue": row.Revenue, "assets": row.Assets, "expenses": row.Expenses, "grants_paid": row.GrantsPaid}[by]
		line := []any{Party{EIN: row.EIN.String(), Name: orgname.Display(row.Name)}, row.State, nil}
		if v != nil {
			line[2] = *v
		}
		r.out.Rows = append(r.out.Rows, line)
	}
	what := ""
	if places := placeNames(p.Places, ""); len(places) > 0 {
		what += " in " + joinWords(places, "or")
	}
	if len(p.Causes) > 0 {
		what += " for " + joinWords(causeNames(p.Causes), "or")
	}
	if a := p.amounts(); a != "" {
		what += " with " + strings.ReplaceAll(by, "_", " ") + " of " + a
	}
	r.caveat("Organizations are all that the lists of the IRS, returns and grant lines name; figures are those of the latest return that was read.")
	if p.Measure == "how_many" {
		r.figure("organization_count", float64(n), UnitCount)
		r.say("%s%s %s known here.", plural.Count(int64(n), "organization", "organizations"), what, map[bool]string{true: "is", false: "are"}[n == 1])
		return nil
	}
	if len(r.out.Rows) == 0 {
		r.say("No organization%s is known here.", what)
		return nil
	}
	first := r.out.Rows[0]
	if v, ok := first[2].(int64); ok {
		r.figure(by, float64(v), UnitDollars)
		r.say("%s organization%s by %s is %s: %s.", rank(p), what, strings.ReplaceAll(by, "_", " "), first[0].(Party).Name, money.Dollars(v))
	} else {
		r.say("None of the organizations%s has filed its %s.", what, strings.ReplaceAll(by, "_", " "))
	}
	return nil
}
