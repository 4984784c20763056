package explore

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
	"grantgraph/internal/ntee"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/grants"
	"grantgraph/internal/serve/graph"
	"grantgraph/internal/serve/site/frame"
)

// orders are the columns of the statements that rows can be ordered by, by tab
// and by the word of the API.
var orders = map[string]map[string]string{
	tabGrants:     {"amount": "amount", "year": "tax_year", "recip_state": "recipient_state"},
	tabFunders:    {"amount": "total_amount", "count": "grant_count"},
	tabRecipients: {"amount": "total_amount", "count": "grant_count"},
}

// asSQL is a statement over the tables of the warehouse that gives the figures of
// a tab. What the tables have no column for is in missing, and then there is no
// statement: one without that filter would answer another question.
func asSQL(v view, f *graph.Filter) (statement string, missing []string) {
	w := &where{}
	w.filter(f)
	tail := w.order(v)
	if len(w.missing) > 0 {
		return "", w.missing
	}
	condition := ""
	if len(w.parts) > 0 {
		condition = "\nWHERE " + strings.Join(w.parts, "\n  AND ")
	}
	switch v.tab {
	case tabFunders:
		statement = "SELECT funder_ein, sum(amount) AS total_amount, count(*) AS grant_count, count(DISTINCT recip_id) AS recipient_count\nFROM grants" + condition + "\nGROUP BY funder_ein" + tail
	case tabRecipients:
		statement = "SELECT recip_id, any_value(recipient_raw) AS name, sum(amount) AS total_amount, count(*) AS grant_count, count(DISTINCT funder_ein) AS funder_count\nFROM grants" + condition + "\nGROUP BY recip_id" + tail
	case tabSummary:
		statement = "SELECT tax_year, sum(amount) AS total_amount, count(*) AS grant_count, count(DISTINCT funder_ein) AS funder_count, count(DISTINCT recip_id) AS recipient_count\nFROM grants" + condition + "\nGROUP BY tax_year\nORDER BY tax_year"
	default:
		statement = "SELECT tax_year, funder_ein, recipient_ein, recipient_raw, amount, purpose_raw\nFROM grants" + condition + tail
	}
	return statement, nil
}

// Statement is the SQL that gives the figures of a view, for pages that lead to
// it; empty where the tables have no column for one of its filters.
func Statement(f *frame.Frame, r *http.Request, caller api.Caller, query string) (string, error) {
	sent, err := url.ParseQuery(query)
	if err != nil {
		return "", err
	}
	v := newView(sent)
	sum, release, err := frame.Answer[*grants.SummaryAnswer](f, r, caller, paths[tabSummary], v.filters())
	defer release()
	if err != nil {
		return "", err
	}
	asked := *sum.Filter()
	if v.tab == tabRecipients {
		asked.Exclude |= graph.Individuals | graph.Unidentified
	}
	statement, _ := asSQL(v, &asked)
	return statement, nil
}

// where gathers the conditions of a statement.
type where struct {
	parts   []string
	missing []string
}

func (w *where) and(format string, args ...any) {
	w.parts = append(w.parts, fmt.Sprintf(format, args...))
}

func (w *where) lacks(on bool, what string) {
	if on {
		w.missing = append(w.missing, what)
	}
}

// order is the end of the statement of a tab: its order, and the page of it.
func (w *where) order(v view) string {
	columns := orders[v.tab]
	if columns == nil {
		return ""
	}
	by, direction := v.query.Get("sort_by"), "DESC"
	column, ok := columns[cmp.Or(by, "amount")]
	w.lacks(!ok, "an order by "+strings.NewReplacer("recip_", "recipient's ", "funder_", "funder's ").Replace(by))
	if said := strings.ToLower(v.query.Get("sort_order")); said == "asc" || said != "desc" && by == "recip_state" {
		direction = "ASC"
	}
	end := "\nORDER BY " + column + " " + direction
	switch v.tab {
	case tabFunders:
		end += ", funder_ein"
	case tabRecipients:
		end += ", recip_id"
	}
	end += "\nLIMIT " + strconv.Itoa(perPage)
	if n, err := strconv.ParseInt(v.query.Get("page"), 10, 32); err == nil && n > 1 {
		end += " OFFSET " + strconv.FormatInt((n-1)*perPage, 10)
	}
	return end
}

// quoted is texts as SQL writes them in a list.
func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return strings.Join(out, ", ")
}

func einTexts(list []ein.EIN) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.String()
	}
	return out
}

func (w *where) filter(f *graph.Filter) {
	if len(f.Funders) > 0 {
		w.and("funder_ein IN (%s)", quoted(einTexts(f.Funders)))
	}
	if len(f.Recipients) > 0 {
		w.and("recipient_ein IN (%s)", quoted(einTexts(f.Recipients)))
	}
	if years := yearsSQL(f.Years); years != "" {
		w.and("%s", years)
	}
	w.subject(f)
	w.place(f)
	if len(f.Countries) > 0 {
		w.and("recipient_country IN (%s)", quoted(f.Countries))
	}
	if f.FunderKind != "" {
		w.and("funder_ein IN (SELECT funder_ein FROM funder_kind WHERE funder_kind = %s)", quoted([]string{f.FunderKind}))
	}
	for _, c := range []struct {
		class  graph.Class
		column string
	}{{graph.DAF, "is_daf"}, {graph.Individuals, "is_individual"}, {graph.RelatedParty, "is_related_party"}, {graph.Unidentified, "is_unidentified"}} {
		if f.Exclude&c.class != 0 {
			w.and("NOT %s", c.column)
		}
	}
	if f.MinAmount != nil {
		w.and("amount >= %d", *f.MinAmount)
	}
	if f.MaxAmount != nil {
		w.and("amount <= %d", *f.MaxAmount)
	}
	w.lacks(len(f.Query.Must)+len(f.Query.MustNot) > 0, "words by their stems")
	w.lacks(f.Support != 0, "kinds of support")
	w.lacks(f.MinProb != nil || len(f.Sources) > 0, "how a recipient was matched")
	w.lacks(len(f.Keys) > 0, "keys of grants")
}

func yearsSQL(spans []graph.Span) string {
	var any []string
	for _, s := range spans {
		switch {
		case s.From == s.To:
			any = append(any, fmt.Sprintf("tax_year = %d", s.From))
		case s.From == 0:
			any = append(any, fmt.Sprintf("tax_year <= %d", s.To))
		case s.To == 0:
			any = append(any, fmt.Sprintf("tax_year >= %d", s.From))
		default:
			any = append(any, fmt.Sprintf("tax_year BETWEEN %d AND %d", s.From, s.To))
		}
	}
	if len(any) <= 1 {
		return strings.Join(any, "")
	}
	return "(" + strings.Join(any, " OR ") + ")"
}

func (w *where) subject(f *graph.Filter) {
	if f.Subject.Empty() {
		return
	}
	var letters []string
	longer := false
	for _, it := range f.Subject.Items {
		longer = longer || it.Kind == ntee.Prefix
		for i := range 26 {
			if it.Majors>>i&1 != 0 {
				letters = append(letters, string(rune('A'+i)))
			}
		}
	}
	w.lacks(longer, "NTEE codes of more than a letter as the API reads them")
	source := " AND source = 'registered'"
	if f.SubjectBasis == ntee.Any {
		source = ""
	}
	w.and("recipient_ein IN (SELECT ein FROM org_cause WHERE letter IN (%s)%s)", quoted(letters), source)
}

func (w *where) place(f *graph.Filter) {
	p := &f.Place
	w.lacks(p.Near != (graph.Near{}), "distances")
	if len(p.Values) == 0 {
		return
	}
	var names []string
	for _, v := range p.Values {
		names = append(names, v.Name)
	}
	condition := ""
	switch p.Kind {
	case graph.State:
		condition = "recipient_state IN (" + quoted(names) + ")"
	case graph.Country:
		condition = "recipient_country IN (" + quoted(names) + ")"
	case graph.ZIP:
		var any []string
		for _, n := range names {
			any = append(any, "starts_with(recipient_zip, "+quoted([]string{n})+")")
		}
		condition = "(" + strings.Join(any, " OR ") + ")"
	default:
		w.lacks(true, "counties, or cities as the API reads them")
		return
	}
	switch p.Of {
	case graph.RecipientPlace:
		w.and("%s", condition)
	case graph.FunderPlace:
		w.lacks(true, "places of funders")
	case graph.AreaServed:
		if years := yearsSQL(f.Years); years != "" {
			condition += " AND " + years
		}
		w.and("funder_ein IN (SELECT funder_ein FROM grants WHERE %s)", condition)
	}
}
