package warehouse

import "slices"

// Query is a question that many have, with a query that answers it and the view
// that shows the answer best. It has an address of its own, so its slug stays.
type Query struct {
	Slug  string
	Title string
	About string // what it counts, and what to change in it
	SQL   string
	View  string // table, bar, line or map
	Pro   bool   // it reads a table of the Pro plan
}

// Gallery are the queries to start from. The result is shared: callers must not
// change it.
func Gallery() []Query { return gallery }

// InGallery is the query of a slug.
func InGallery(slug string) (*Query, bool) {
	i := slices.IndexFunc(gallery, func(q Query) bool { return q.Slug == slug })
	if i < 0 {
		return nil, false
	}
	return &gallery[i], true
}

var gallery = []Query{
	{
		Slug: "food-bank-funders", View: "bar", Title: "Who funds food banks in my state?",
		About: "Funders of organizations whose NTEE code begins with K3 (food programs), by dollars. Change the state, or the code: P is human services, B education.",
		SQL: `SELECT f.name, g.funder_ein, sum(g.amount) AS dollars, count(*) AS grants, count(DISTINCT g.recip_id) AS food_banks
FROM grants g
JOIN org_bmf b ON b.ein = g.recipient_ein
JOIN funder_kind f USING (funder_ein)
WHERE b.ntee_cd LIKE 'K3%' AND g.recipient_state = 'CA'
GROUP BY f.name, g.funder_ein
ORDER BY dollars DESC
LIMIT 50`,
	},
	{
		Slug: "giving-by-year", View: "line", Title: "How much is given each year?",
		About: "All grants by fiscal year, without those of donor-advised funds and those between related organizations. The latest years are incomplete until all returns are published.",
		SQL: `SELECT tax_year, sum(amount) AS dollars, count(*) AS grants, count(DISTINCT funder_ein) AS funders, count(DISTINCT recip_id) AS recipients
FROM grants
WHERE NOT is_daf AND NOT is_related_party
GROUP BY tax_year
ORDER BY tax_year`,
	},
	{
		Slug: "daf-share-by-year", View: "line", Title: "What share of grant dollars comes from donor-advised funds?",
		About: "Percent of all dollars, by fiscal year. A donor-advised fund is one that says so on Schedule D, that is named so, or that gives to very many as they do.",
		SQL: `SELECT tax_year,
  round(100.0 * sum(amount) FILTER (is_daf) / sum(amount), 1) AS daf_percent,
  sum(amount) FILTER (is_daf) AS daf_dollars,
  sum(amount) AS all_dollars
FROM grants
GROUP BY tax_year
ORDER BY tax_year`,
	},
	{
		Slug: "dollars-by-state", View: "map", Title: "Which states receive most?",
		About: "Dollars to recipients in each state over all years, without donor-advised funds.",
		SQL: `SELECT recipient_state, sum(amount) AS dollars, count(*) AS grants, count(DISTINCT recip_id) AS recipients
FROM grants
WHERE recipient_state IS NOT NULL AND NOT is_daf
GROUP BY recipient_state
ORDER BY dollars DESC`,
	},
	{
		Slug: "staying-home", View: "map", Title: "How much of their giving do funders keep in their state?",
		About: "For the funders of each state, percent of dollars that go to recipients in the same state. The state of a funder is that of its latest return.",
		SQL: `SELECT o.state,
  round(100.0 * sum(g.amount) FILTER (g.recipient_state = o.state) / sum(g.amount), 1) AS percent_at_home,
  sum(g.amount) AS dollars,
  count(DISTINCT g.funder_ein) AS funders
FROM grants g JOIN orgs o ON o.ein = g.funder_ein
WHERE o.state IS NOT NULL
GROUP BY o.state
ORDER BY percent_at_home DESC NULLS LAST`,
	},
	{
		Slug: "dollars-by-cause", View: "bar", Title: "Which causes receive most?",
		About: "By the first letter of the recipient's registered NTEE code. Recipients without a code are one row, not left out.",
		SQL: `SELECT coalesce(c.label, 'No registered cause') AS cause, sum(g.amount) AS dollars, count(*) AS grants, count(DISTINCT g.recip_id) AS recipients
FROM grants g
LEFT JOIN org_cause c ON c.ein = g.recipient_ein AND c.source = 'registered'
WHERE NOT g.is_daf
GROUP BY cause
ORDER BY dollars DESC`,
	},
	{
		Slug: "largest-foundations", View: "bar", Title: "Who are the largest private foundations?",
		About: "By dollars given in all years that were read.",
		SQL: `SELECT name, funder_ein, total_out AS dollars, n_grants AS grants, n_grantees AS recipients
FROM funder_kind
WHERE funder_kind = 'private_foundation'
ORDER BY dollars DESC
LIMIT 50`,
	},
	{
		Slug: "new-funders", View: "bar", Title: "Which funders are new?",
		About: "Funders whose first grants were read for one of the three latest fiscal years. New may also mean that earlier returns were filed on paper.",
		SQL: `WITH firsts AS (
  SELECT funder_ein, min(tax_year) AS first_year, sum(amount) AS dollars, count(*) AS grants
  FROM grants
  GROUP BY funder_ein
)
SELECT f.name, x.funder_ein, x.first_year, x.dollars, x.grants, f.funder_kind
FROM firsts x JOIN funder_kind f USING (funder_ein)
WHERE x.first_year >= (SELECT max(tax_year) - 2 FROM grants)
ORDER BY x.dollars DESC
LIMIT 50`,
	},
	{
		Slug: "funders-that-stopped", View: "bar", Title: "Which funders have stopped giving?",
		About: "Funders without a grant in the three latest fiscal years, by what they gave before. Some only file late, or on paper.",
		SQL: `SELECT f.name, g.funder_ein, max(g.tax_year) AS last_year, sum(g.amount) AS dollars, count(*) AS grants
FROM grants g JOIN funder_kind f USING (funder_ein)
GROUP BY f.name, g.funder_ein
HAVING max(g.tax_year) < (SELECT max(tax_year) - 2 FROM grants)
ORDER BY dollars DESC
LIMIT 50`,
	},
	{
		Slug: "revoked-grantees", View: "table", Title: "Who was paid after losing its exempt status?",
		About: "Grants of fiscal years after an automatic revocation that was not lifted. It is a reason to look, not a finding: check the organization before you act on it.",
		SQL: `SELECT n.name, g.recipient_ein, r.revocation_date, g.tax_year, g.amount, f.name AS funder_name, g.funder_ein
FROM grants g
JOIN auto_revocation r ON r.ein = g.recipient_ein
JOIN recipient_name n ON n.ein = g.recipient_ein
JOIN funder_kind f USING (funder_ein)
WHERE g.tax_year > year(r.revocation_date) AND r.reinstatement_date IS NULL
ORDER BY g.amount DESC
LIMIT 100`,
	},
	{
		Slug: "not-in-publication-78", View: "bar", Title: "Which large recipients are not in Publication 78?",
		About: "Recipients with an EIN that are not on the list of organizations to which gifts are deductible. Churches, governments and public schools need not be on it.",
		SQL: `SELECT n.name, g.recipient_ein, sum(g.amount) AS dollars, count(*) AS grants, count(DISTINCT g.funder_ein) AS funders
FROM grants g
ANTI JOIN pub78 p ON p.ein = g.recipient_ein
JOIN recipient_name n ON n.ein = g.recipient_ein
GROUP BY n.name, g.recipient_ein
ORDER BY dollars DESC
LIMIT 50`,
	},
	{
		Slug: "one-large-funder", View: "table", Title: "Who depends on one funder?",
		About: "Recipients with at least three funders that have 80 percent or more of their grant dollars from one of them.",
		SQL: `SELECT n.name, e.recipient_ein, round(100.0 * max(e.total_amount) / sum(e.total_amount), 1) AS percent_from_one,
  arg_max(e.funder_ein, e.total_amount) AS funder_ein, sum(e.total_amount) AS dollars, count(*) AS funders
FROM cofunder_edge e JOIN recipient_name n ON n.ein = e.recipient_ein
GROUP BY n.name, e.recipient_ein
HAVING count(*) >= 3 AND max(e.total_amount) >= 0.8 * sum(e.total_amount)
ORDER BY dollars DESC
LIMIT 50`,
	},
	{
		Slug: "new-relationships", View: "line", Title: "How many grantees are new to their funder each year?",
		About: "Pairs of a funder and a recipient with an EIN, by the fiscal year of their first grant. In the first years that were read nearly everybody looks new, so they are left out.",
		SQL: `SELECT first_year, count(*) AS new_pairs, count(DISTINCT funder_ein) AS funders, sum(total_amount) AS dollars_since
FROM cofunder_edge
WHERE first_year > (SELECT min(first_year) + 1 FROM cofunder_edge)
GROUP BY first_year
ORDER BY first_year`,
	},
	{
		Slug: "typical-grant", View: "bar", Title: "How large is a typical grant?",
		About: "The median grant to an organization, by kind of funder: half of the grants are smaller, half are larger.",
		SQL: `SELECT f.funder_kind, median(g.amount) AS median_amount, avg(g.amount) AS average_amount, count(*) AS grants
FROM grants g JOIN funder_kind f USING (funder_ein)
WHERE NOT g.is_individual AND NOT g.is_unidentified
GROUP BY f.funder_kind
ORDER BY median_amount DESC`,
	},
	{
		Slug: "general-support-by-year", View: "line", Title: "Is general operating support growing?",
		About: "Percent of grants with a purpose that say they are for general, operating or unrestricted support, by fiscal year.",
		SQL: `SELECT tax_year,
  round(100.0 * count(*) FILTER (regexp_matches(purpose_raw, 'general|operating|unrestricted', 'i')) / count(*), 1) AS percent_general,
  count(*) AS grants_with_a_purpose
FROM grants
WHERE purpose_raw IS NOT NULL AND NOT is_individual
GROUP BY tax_year
ORDER BY tax_year`,
	},
	{
		Slug: "abroad-by-country", View: "bar", Title: "Which countries receive grants?",
		About: "Dollars to recipients abroad. Countries are FIPS 10-4 codes, as returns have them: UK is the United Kingdom, GM is Germany.",
		SQL: `SELECT recipient_country, sum(amount) AS dollars, count(*) AS grants, count(DISTINCT funder_ein) AS funders
FROM grants
WHERE recipient_country IS NOT NULL
GROUP BY recipient_country
ORDER BY dollars DESC`,
	},
	{
		Slug: "short-of-cash", View: "table", Title: "Which organizations are short of cash?",
		About: "Organizations whose latest return shows cash and savings for less than one month of expenses, largest first.",
		SQL: `SELECT name, ein, state, tax_year, months_liquid, total_expenses, net_assets
FROM orgs
WHERE months_liquid < 1 AND total_expenses > 100000
ORDER BY total_expenses DESC
LIMIT 100`,
	},
	{
		Slug: "revenue-by-year", View: "line", Title: "How do revenue and expenses of charities develop?",
		About: "Sums over all Forms 990 that were read, by fiscal year. The number of returns differs from year to year; compare it first.",
		SQL: `SELECT tax_year, sum(total_revenue) AS revenue, sum(total_expenses) AS expenses, sum(net_assets) AS net_assets, count(*) AS returns
FROM org_financials
WHERE return_type = '990'
GROUP BY tax_year
ORDER BY tax_year`,
	},
	{
		Slug: "government-and-foundations", View: "table", Pro: true, Title: "Who has both federal awards and foundation grants?",
		About: "Organizations with both, by the smaller of the two. Federal amounts are obligations less what was taken back.",
		SQL: `SELECT n.name, w.ein, w.federal_dollars, c.grant_dollars
FROM (SELECT ein, sum(amount) AS federal_dollars FROM gov_funding_federal GROUP BY ein) w
JOIN (SELECT recipient_ein AS ein, sum(total_amount) AS grant_dollars FROM cofunder_edge GROUP BY recipient_ein) c USING (ein)
JOIN recipient_name n USING (ein)
ORDER BY least(w.federal_dollars, c.grant_dollars) DESC
LIMIT 50`,
	},
	{
		Slug: "shared-boards", View: "table", Pro: true, Title: "Which funders share people with those they fund?",
		About: "Pairs of a funder and a recipient that list the same people, where the match is likely. It is common in community foundations, and no sign of a wrong by itself.",
		SQL: `SELECT f.name AS funder_name, c.funder_ein, n.name AS recipient_name, c.recipient_ein, b.shared_people, round(b.conf, 2) AS conf, c.total_amount
FROM cofunder_edge c
JOIN board_link b ON b.e1 = least(c.funder_ein, c.recipient_ein) AND b.e2 = greatest(c.funder_ein, c.recipient_ein)
JOIN funder_kind f USING (funder_ein)
JOIN recipient_name n ON n.ein = c.recipient_ein
WHERE b.conf >= 0.3
ORDER BY c.total_amount DESC
LIMIT 50`,
	},
}
