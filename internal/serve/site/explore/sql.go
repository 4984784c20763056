package explore

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"grantgraph/internal/serve/dataset"
	"grantgraph/internal/serve/graph"
)

// orders are the columns of the statements that rows can be ordered by, by tab and by the word of the API.
var orders = map[string]map[string]string{
	tabGrants:     {"amount": "amount", "year": "tax_year", "recip_state": "recipient_state"},
	tabFunders:    {"amount": "total_amount", "count": "grant_count"},
	tabRecipients: {"amount": "total_amount", "count": "grant_count"},
}

// statements are the statements of the tabs, before and after their condition.
var statements = map[string][2]string{
	tabGrants: {"SELECT tax_year, funder_ein, recipient_ein, recipient_raw, amount, purpose_raw\nFROM grants", ""},
	tabFunders: {"SELECT funder_ein, sum(amount) AS total_amount, count(*) AS grant_count, " +
		"count(DISTINCT recip_id) AS recipient_count\nFROM grants", "\nGROUP BY funder_ein"},
	tabRecipients: {"SELECT recip_id, any_value(recipient_raw) AS name, sum(amount) AS total_amount, count(*) AS grant_count, " +
		"count(DISTINCT funder_ein) AS funder_count\nFROM grants", "\nGROUP BY recip_id"},
	tabSummary: {"SELECT tax_year, sum(amount) AS total_amount, count(*) AS grant_count, count(DISTINCT funder_ein) AS funder_count, " +
		"count(DISTINCT recip_id) AS recipient_count\nFROM grants", "\nGROUP BY tax_year\nORDER BY tax_year"},
}

// asSQL is a statement over the tables of the warehouse that gives the figures of a tab. If the tables have no column for a
// filter or an order, asSQL returns its name in missing and no statement: a statement without it would answer another question.
func asSQL(v view, f *graph.Filter) (statement string, missing []string) {
	asked := *f
	if v.tab == tabRecipients {
		asked.Exclude |= graph.Individuals | graph.Unidentified
	}
	w := asked.SQL()
	end := sqlOrder(v, w)
	if len(w.Missing) > 0 {
		return "", w.Missing
	}
	condition := ""
	if len(w.Parts) > 0 {
		condition = "\nWHERE " + strings.Join(w.Parts, "\n  AND ")
	}
	parts := statements[v.tab]
	return parts[0] + condition + parts[1] + end, nil
}

// Statement is the SQL that gives the figures of a view, for pages that link to
// the view. It is empty if the tables have no column for a filter of the view.
func Statement(set *dataset.Dataset, query string) (string, error) {
	sent, err := url.ParseQuery(query)
	if err != nil {
		return "", err
	}
	v := newView(sent)
	f, err := v.filter(set)
	if err != nil {
		return "", err
	}
	statement, _ := asSQL(v, f)
	return statement, nil
}

// sqlOrder is the end of the statement of a tab: its order, and the page of it.
func sqlOrder(v view, w *graph.Where) string {
	columns := orders[v.tab]
	if columns == nil {
		return ""
	}
	by, direction := v.query.Get("sort_by"), "DESC"
	column, ok := columns[cmp.Or(by, "amount")]
	if !ok {
		w.Lacks("an order by " + strings.NewReplacer("recip_", "recipient's ", "funder_", "funder's ").Replace(by))
	}
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
