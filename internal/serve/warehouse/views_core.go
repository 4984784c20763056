package warehouse

import "grantgraph/internal/snapshot"

const (
	trapEIN  = "An EIN is text of nine digits with its leading zeros; compare it as text ('070000001', not 70000001)."
	trapName = "Names are capitals as filed; match them with ILIKE, or resolve one with find_org('name')."
)

var coreViews = []View{
	{
		Name: snapshot.Grants, Group: groupCore, order: "funder_ein, tax_year", year: "tax_year", index: "recipient_ein",
		Meaning: "One row per cash grant paid, as itemized on a Form 990 (Schedule I) or 990-PF.",
		Columns: []Column{
			col("funder_ein", text, "EIN of the funder."),
			opt("recipient_ein", text, "EIN of the recipient, where one was found."),
			col("recipient_raw", text, "Name of the recipient as filed, in capitals."),
			opt("recipient_city", text, "City of the recipient."),
			opt("recipient_state", text, "State of the recipient, two letters."),
			opt("recipient_zip", text, "ZIP code of the recipient."),
			{Name: "recipient_country", Type: text, Nullable: true, Meaning: "FIPS 10-4 code of the country, on the universe tier only; null for US grants.",
				expr: "CASE WHEN source_tier = 'universe' THEN recipient_country END"},
			col("amount", bigint, "Cash paid, whole US dollars."),
			col("tax_year", integer, "Fiscal year: the year in which the tax period ends."),
			{Name: "purpose_raw", Type: text, Nullable: true, Meaning: "Purpose as filed; null on the universe tier, see grant_purpose.",
				expr: "CASE WHEN source_tier = 'matched' THEN purpose END"},
			col("recip_id", text, "Resolved identity of the recipient: 'ein-<EIN>', 'intl-<cluster>' or 'nm-<hash>'."),
			col("is_individual", boolean, "The recipient is a person."),
			col("is_unidentified", boolean, "The line names no organization: a pointer to a list, a sum of many, nothing, or a person; wider than is_individual."),
			col("is_daf", boolean, "The funder is a donor-advised or pass-through fund."),
			col("is_related_party", boolean, "Funder and recipient are related, by the filing or by name with place or officers."),
			col("source_tier", text, "'matched': a US recipient with an EIN; 'universe': every other."),
			opt("ein_conflict", text, "How the EIN that the funder filed and the name on its line disagree: 'name', the EIN is of an organization with nothing of the name; 'group', it is of the center of a group and the line names a member. Null where no disagreement is known."),
		},
		Traps: []string{
			trapEIN,
			"Count recipients by recip_id: recipient_ein is null for about a fifth of the dollars, and recipient_raw has many spellings of one recipient.",
			"There is no cause column. A grant's cause is the first letter of the recipient's NTEE code: join recipient_ein to org_bmf.ntee_cd. Cause totals therefore cover the matched share only.",
			"recipient_country is a FIPS 10-4 code: IN is India there, and Indiana in recipient_state.",
			"Donor-advised funds, individuals and related parties are about half of all dollars; leave them out with NOT is_daf AND NOT is_individual AND NOT is_related_party when you mean giving to independent organizations.",
			"The latest year is incomplete until all its returns have been published.",
		},
		Examples: []Example{
			{"Who received most from one funder?", "SELECT recip_id, any_value(recipient_raw) AS name, sum(amount) AS dollars, count(*) AS grants\nFROM grants\nWHERE funder_ein = find_org('community foundation')\nGROUP BY recip_id\nORDER BY dollars DESC\nLIMIT 25"},
			{"How much goes to each cause in a year?", "SELECT left(b.ntee_cd, 1) AS cause, sum(g.amount) AS dollars, count(DISTINCT g.recip_id) AS recipients\nFROM grants g JOIN org_bmf b ON b.ein = g.recipient_ein\nWHERE g.tax_year = 2022 AND NOT g.is_daf\nGROUP BY cause\nORDER BY dollars DESC"},
		},
	},
	{
		Name: snapshot.RecipientNames, Group: groupCore, order: "ein",
		Meaning: "One name per recipient with an EIN, whatever the funders wrote.",
		Columns: []Column{
			col("ein", text, "EIN of the recipient."),
			col("name", text, "The name."),
			col("source", text, "Where it is from: 'own_filed' (its own return), 'bmf' (the master file of today or before, or another list of the IRS) or 'filed' (the funders' lines)."),
			col("spellings", integer, "Distinct names on grant lines."),
		},
		Traps: []string{trapName},
		Examples: []Example{
			{"Which recipients are spelled in most ways?", "SELECT ein, name, spellings FROM recipient_name ORDER BY spellings DESC, ein LIMIT 20"},
			{"What are the largest grants, with proper names?", "SELECT r.name, g.amount, g.tax_year\nFROM grants g JOIN recipient_name r ON r.ein = g.recipient_ein\nORDER BY g.amount DESC\nLIMIT 20"},
		},
	},
	{
		Name: snapshot.GrantPurposes, Group: groupCore, order: "funder_ein, tax_year", year: "tax_year",
		Meaning: "The purpose of grants of the universe tier, as filed.",
		Columns: []Column{
			col("funder_ein", text, "EIN of the funder."),
			opt("recipient_ein", text, "EIN of the recipient, where one was found."),
			col("recipient_raw", text, "Name of the recipient as filed, in capitals."),
			opt("recipient_country", text, "FIPS 10-4 code of the country; null in the US."),
			col("tax_year", integer, "Fiscal year."),
			col("amount", bigint, "Cash paid, whole US dollars."),
			col("purpose", text, "Purpose as filed."),
		},
		Traps: []string{"It has no key of its own: join it to grants on funder_ein, recipient_raw, tax_year and amount, and expect repeats where a funder filed the same line twice."},
		Examples: []Example{
			{"Which grants abroad are for education?", "SELECT funder_ein, recipient_raw, recipient_country, amount, purpose\nFROM grant_purpose\nWHERE purpose ILIKE '%educat%' AND recipient_country IS NOT NULL\nORDER BY amount DESC\nLIMIT 50"},
			{"How often is a purpose given?", "SELECT upper(purpose) AS purpose, count(*) AS grants\nFROM grant_purpose\nGROUP BY 1\nORDER BY grants DESC\nLIMIT 20"},
		},
	},
	{
		Name: snapshot.Orgs, Group: groupCore, order: "ein",
		Meaning: "One row per organization that files electronically: its most recent return.",
		Columns: []Column{
			col("ein", text, "EIN."),
			col("name", text, "Name as filed."),
			opt("state", text, "State, two letters."),
			opt("zip5", text, "ZIP code, five digits."),
			col("return_type", text, "Form: 990, 990EZ, 990PF or 990T."),
			col("tax_year", integer, "Fiscal year of that return."),
			opt("mission", text, "Mission as filed."),
			opt("total_revenue", bigint, "Total revenue, US dollars."),
			opt("total_expenses", bigint, "Total expenses."),
			opt("net_assets", bigint, "Net assets at the end of the year."),
			opt("grants_paid", bigint, "Grants paid as declared."),
			opt("surplus", bigint, "Revenue less expenses."),
			opt("rev_contributions", bigint, "Revenue from contributions and grants."),
			opt("rev_program", bigint, "Revenue from programs."),
			opt("rev_investment", bigint, "Revenue from investments."),
			opt("rev_other", bigint, "Other revenue."),
			opt("months_liquid", double, "Cash and savings over a month's expenses."),
		},
		Traps: []string{
			trapEIN,
			"It is a snapshot, not a panel: do not filter by tax_year for questions about all organizations now.",
			"UK charities are not in it.",
		},
		Examples: []Example{
			{"Which organizations of a state are largest?", "SELECT ein, name, total_revenue FROM orgs WHERE state = 'CA' ORDER BY total_revenue DESC NULLS LAST LIMIT 25"},
			{"Who could not pay next month's bills?", "SELECT ein, name, months_liquid, total_expenses\nFROM orgs\nWHERE months_liquid < 1 AND total_expenses > 1000000\nORDER BY total_expenses DESC\nLIMIT 50"},
		},
	},
	financialsView,
	{
		Name: snapshot.FunderKinds, Group: groupCore, order: "funder_ein",
		Meaning: "One row per funder: what kind it is and how much it gives.",
		Columns: []Column{
			col("funder_ein", text, "EIN of the funder."),
			col("name", text, "Name as filed."),
			col("return_type", text, "Form of its latest return."),
			col("n_grantees", bigint, "Distinct recipients."),
			col("n_grants", bigint, "Grants."),
			col("total_out", bigint, "Dollars given in all years."),
			opt("daf_cnt", bigint, "Donor-advised funds held, the most in any year, from Schedule D."),
			opt("daf_grants", bigint, "Dollars paid from them in the latest year that says."),
			col("is_daf", boolean, "It is a donor-advised or pass-through fund."),
			opt("daf_confidence", double, "How sure that is, 0 to 1."),
			opt("daf_signal", text, "Why: 'schedule-d', 'name' or 'mega-fanout'."),
			col("funder_kind", text, "'daf_or_passthrough', 'private_foundation' or 'public_charity'."),
		},
		Traps: []string{trapName},
		Examples: []Example{
			{"Who are the largest private foundations?", "SELECT funder_ein, name, total_out, n_grantees\nFROM funder_kind\nWHERE funder_kind = 'private_foundation'\nORDER BY total_out DESC\nLIMIT 25"},
			{"How do the kinds compare?", "SELECT funder_kind, count(*) AS funders, sum(total_out) AS dollars, median(n_grantees) AS typical_grantees\nFROM funder_kind\nGROUP BY funder_kind\nORDER BY dollars DESC"},
		},
	},
	{
		Name: snapshot.CofunderEdges, Group: groupCore, order: "recipient_ein, funder_ein",
		Meaning: "All that one funder gave to one recipient with an EIN: the edges of the graph.",
		Columns: []Column{
			col("recipient_ein", text, "EIN of the recipient."),
			col("funder_ein", text, "EIN of the funder."),
			col("first_year", integer, "Fiscal year of the first grant."),
			col("last_year", integer, "Fiscal year of the last grant."),
			col("total_amount", bigint, "Dollars of all grants."),
			col("grant_count", bigint, "Grants."),
		},
		Traps: []string{"Recipients abroad without an EIN are in cofunder_edge_intl."},
		Examples: []Example{
			{"Who else funds those whom a funder funds?", "SELECT b.funder_ein, count(*) AS shared, sum(b.total_amount) AS dollars\nFROM cofunder_edge a JOIN cofunder_edge b ON b.recipient_ein = a.recipient_ein AND b.funder_ein <> a.funder_ein\nWHERE a.funder_ein = find_org('community foundation')\nGROUP BY b.funder_ein\nORDER BY shared DESC, dollars DESC\nLIMIT 25"},
			{"Which recipients have most funders?", "SELECT recipient_ein, count(*) AS funders, sum(total_amount) AS dollars\nFROM cofunder_edge\nGROUP BY recipient_ein\nORDER BY funders DESC, dollars DESC\nLIMIT 25"},
		},
	},
	{
		Name: snapshot.CofunderEdgesIntl, Group: groupCore, order: "cluster_id, funder_ein",
		Meaning: "All that one funder gave to one recipient abroad that has no EIN.",
		Columns: []Column{
			col("cluster_id", text, "The recipient, see intl_entity; recip_id without its intl- prefix."),
			col("funder_ein", text, "EIN of the funder."),
			col("first_year", integer, "Fiscal year of the first grant."),
			col("last_year", integer, "Fiscal year of the last grant."),
			col("total_amount", bigint, "Dollars of all grants."),
			col("grant_count", bigint, "Grants."),
		},
		Traps: []string{"intl_entity has several rows per cluster; take DISTINCT cluster_id, canonical_name before a join."},
		Examples: []Example{
			{"Who is funded most abroad?", "SELECT e.name, sum(c.total_amount) AS dollars, count(*) AS funders\nFROM cofunder_edge_intl c\nJOIN (SELECT cluster_id, any_value(canonical_name) AS name FROM intl_entity GROUP BY cluster_id) e USING (cluster_id)\nGROUP BY e.name\nORDER BY dollars DESC\nLIMIT 25"},
			{"Which funders give abroad most widely?", "SELECT funder_ein, count(*) AS recipients, sum(total_amount) AS dollars\nFROM cofunder_edge_intl\nGROUP BY funder_ein\nORDER BY recipients DESC\nLIMIT 25"},
		},
	},
	{
		Name: snapshot.IntlEntities, Group: groupCore, order: "cc, recipient_raw",
		Meaning: "Spellings of recipients abroad that have no EIN, gathered into clusters by country.",
		Columns: []Column{
			col("cc", text, "FIPS 10-4 code of the country."),
			col("recipient_raw", text, "Name as filed."),
			col("cluster_id", text, "The recipient that the spelling stands for."),
			col("canonical_name", text, "Its one name."),
			col("kind", text, "'org', 'person' or 'gov'."),
		},
		Traps: []string{"Clusters are under-merged on purpose: two of them may be one organization, but one of them is hardly ever two."},
		Examples: []Example{
			{"Which organizations in India are funded?", "SELECT DISTINCT canonical_name FROM intl_entity WHERE cc = 'IN' AND kind = 'org' ORDER BY 1 LIMIT 100"},
			{"Where are they?", "SELECT cc, count(DISTINCT cluster_id) AS recipients FROM intl_entity GROUP BY cc ORDER BY recipients DESC"},
		},
	},
	{
		Name: snapshot.ServiceAreas, Group: groupCore, order: "ein, level, fips",
		Meaning: "Places that an organization serves.",
		Columns: []Column{
			col("ein", text, "EIN."),
			col("fips", text, "Code of the place: five digits for a county, two for a state (FIPS), 'US' for the nation, and abroad a FIPS 10-4 country code or 'WORLD'."),
			col("level", text, "'county', 'state', 'national' or 'international'."),
			col("name", text, "Name of the place."),
			col("source", text, "What says so: 'grants_out', 'name', 'mission', 'address' or 'wide_words'. The states in which a return is filed are not among them."),
			col("confidence", double, "How sure that is, 0 to 1."),
		},
		Traps: []string{"It is derived from what organizations file; absence of a row is not evidence that a place is not served."},
		Examples: []Example{
			{"Who serves a county?", "SELECT s.ein, o.name, s.confidence\nFROM service_area s JOIN orgs o USING (ein)\nWHERE s.level = 'county' AND s.fips = '06037'\nORDER BY s.confidence DESC\nLIMIT 50"},
			{"How many organizations serve each state?", "SELECT fips, any_value(name) AS state, count(DISTINCT ein) AS organizations\nFROM service_area\nWHERE level = 'state'\nGROUP BY fips\nORDER BY organizations DESC"},
		},
	},
}

// listViews are the compliance lists as of the build.
var listViews = []View{
	{
		Name: snapshot.OrgBMFs, Group: groupCore, order: "ein",
		Meaning: "The master file of exempt organizations, codes as the IRS publishes them.",
		Columns: []Column{
			col("ein", text, "EIN."),
			{Name: "name", Type: text, Meaning: "Name.", expr: "upper(name)"}, // the list has accented letters in lower case
			opt("city", text, "City."),
			opt("subsection", text, "501(c) subsection, two digits."),
			opt("classification", text, "Classification codes."),
			opt("foundation", text, "Foundation code."),
			opt("deductibility", text, "Deductibility code."),
			opt("status", text, "Exempt status code."),
			opt("ruling", text, "Month of the ruling, YYYYMM."),
			opt("ntee_cd", text, "NTEE code; its first letter is the cause."),
		},
		Traps: []string{trapEIN, "Codes are text; '03' is 501(c)(3). Many organizations have no NTEE code."},
		Examples: []Example{
			{"How many public charities are there by cause?", "SELECT left(ntee_cd, 1) AS cause, count(*) AS organizations FROM org_bmf WHERE subsection = '03' GROUP BY 1 ORDER BY 2 DESC"},
			{"Which organizations were recognized most recently?", "SELECT ein, name, ruling FROM org_bmf ORDER BY ruling DESC NULLS LAST, ein LIMIT 20"},
		},
	},
	{
		Name: snapshot.OrgCauses, Group: groupCore, order: "ein",
		Meaning: "The cause of organizations: the letter of the registered NTEE code or, where there is no code and the evidence is strong, one inferred from names and texts. One row for each organization that has either.",
		Columns: []Column{
			col("ein", text, "EIN."),
			col("letter", text, "NTEE major letter."),
			col("label", text, "The cause in words."),
			col("source", text, "'registered' or 'inferred'."),
			opt("confidence", double, "How sure an inferred cause is, 0 to 1; null where it is registered."),
		},
		Traps: []string{
			"Say which sources you count. source = 'registered' gives the figures of the grant endpoints; with both it is their subject_basis=any.",
			"An organization with neither is not in it: join with LEFT JOIN to keep its grants.",
		},
		Examples: []Example{
			{"How many organizations have a cause, and from where?", "SELECT source, letter, label, count(*) AS organizations FROM org_cause GROUP BY ALL ORDER BY source DESC, organizations DESC"},
			{"How much would inferred causes add to each cause?", "SELECT c.label, sum(g.amount) FILTER (c.source = 'registered') AS registered, sum(g.amount) FILTER (c.source = 'inferred') AS inferred\nFROM grants g JOIN org_cause c ON c.ein = g.recipient_ein\nGROUP BY c.label\nORDER BY registered DESC NULLS LAST"},
		},
	},
	{
		Name: snapshot.Pub78s, Group: groupCore, order: "ein",
		Meaning: "Organizations to which gifts are deductible (Publication 78 data).",
		Columns: []Column{
			col("ein", text, "EIN."),
			col("deductibility_codes", text, "Codes such as PC, PF, POF, SO; several are separated by commas."),
		},
		Traps: []string{"As of the build. For a decision about an organization use the screening endpoint, which reads the list of the day."},
		Examples: []Example{
			{"Which codes are common?", "SELECT deductibility_codes, count(*) AS organizations FROM pub78 GROUP BY 1 ORDER BY 2 DESC"},
			{"Which recipients of grants are not on the list?", "SELECT g.recipient_ein, sum(g.amount) AS dollars\nFROM grants g ANTI JOIN pub78 p ON p.ein = g.recipient_ein\nWHERE g.recipient_ein IS NOT NULL\nGROUP BY 1\nORDER BY dollars DESC\nLIMIT 25"},
		},
	},
	{
		Name: snapshot.AutoRevocations, Group: groupCore, order: "ein, revocation_date",
		Meaning: "Automatic revocations of exempt status.",
		Columns: []Column{
			col("ein", text, "EIN."),
			col("revocation_date", date, "Day the status was lost."),
			opt("reinstatement_date", date, "Day it was restored, if it was."),
		},
		Traps: []string{"An organization may have been revoked more than once. Without a reinstatement_date it may still have been recognized anew under the same EIN: see pub78."},
		Examples: []Example{
			{"Who was paid after losing the status?", "SELECT g.recipient_ein, g.tax_year, g.amount, r.revocation_date\nFROM grants g JOIN auto_revocation r ON r.ein = g.recipient_ein\nWHERE g.tax_year > year(r.revocation_date) AND r.reinstatement_date IS NULL\nORDER BY g.amount DESC\nLIMIT 25"},
			{"How many a year?", "SELECT year(revocation_date) AS year, count(*) AS revoked, count(reinstatement_date) AS reinstated FROM auto_revocation GROUP BY 1 ORDER BY 1"},
		},
	},
	{
		Name: snapshot.OFACSDNs, Group: groupCore, order: "ent_num",
		Meaning: "The list of specially designated nationals, one row per entry.",
		Columns: []Column{
			col("ent_num", bigint, "Number of the entry."),
			col("name", text, "Name."),
			opt("program", text, "Programs, joined by '; '."),
			opt("sdn_type", text, "individual, vessel or aircraft; null for an entity."),
		},
		Traps: []string{"A name that is equal or alike is a reason to look, never a finding. It is the list as of the build; screening reads the list of the day."},
		Examples: []Example{
			{"How many entities are listed under each program?", "SELECT program, count(*) AS entries FROM ofac_sdn WHERE sdn_type IS NULL GROUP BY program ORDER BY entries DESC LIMIT 20"},
			{"Which entries name a foundation?", "SELECT ent_num, name, program FROM ofac_sdn WHERE name ILIKE '%foundation%' ORDER BY ent_num"},
		},
	},
}
