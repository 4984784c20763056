package warehouse

import "grantgraph/internal/snapshot"

const trapPF = "It covers Form 990-PF only: public charities do not itemize what they hold."

var assetViews = []View{
	{
		Name: snapshot.AssetProfiles, Group: groupAssets, Pro: true, order: "ein",
		Meaning: "What a private foundation holds at the end of its latest year, by class.",
		Columns: []Column{
			col("ein", text, "EIN of the foundation."),
			col("org_name", text, "Name as filed."),
			opt("state", text, "State, two letters."),
			opt("city", text, "City."),
			col("return_type", text, "Form: 990PF."),
			opt("total_assets_fmv", bigint, "Total assets at market value, US dollars."),
			col("classified_assets_fmv", bigint, "Of them, in holdings that could be classified."),
			opt("classified_coverage_pct", double, "Share of assets classified, percent."),
			col("public_equity_fmv", bigint, "Public equity."),
			col("fixed_income_fmv", bigint, "Fixed income."),
			col("alts_fmv", bigint, "Alternatives: private equity, venture capital, hedge funds and real estate."),
			col("pe_fmv", bigint, "Private equity."),
			col("vc_fmv", bigint, "Venture capital."),
			col("hedge_fmv", bigint, "Hedge funds."),
			col("impact_fmv", bigint, "Impact and program-related investments."),
			col("top_holding_fmv", bigint, "The largest single holding."),
			opt("top_holding_pct_assets", double, "Its share of assets, percent."),
			col("n_items", bigint, "Holdings listed."),
			col("self_managed_flag", boolean, "It holds most of its investments directly, no manager has much of them, and it pays hardly any fees for managing them."),
		},
		Traps: []string{trapPF, "Compare classes only where classified_coverage_pct is high; the rest was filed as totals or attachments."},
		Examples: []Example{
			{"Which foundations hold most in alternatives?", "SELECT ein, org_name, alts_fmv, total_assets_fmv\nFROM org_asset_profile\nWHERE classified_coverage_pct > 50\nORDER BY alts_fmv DESC\nLIMIT 25"},
			{"Who depends on one holding?", "SELECT ein, org_name, top_holding_pct_assets FROM org_asset_profile WHERE top_holding_pct_assets > 25 ORDER BY top_holding_fmv DESC LIMIT 25"},
		},
	},
	{
		Name: snapshot.FoundationHoldings, Group: groupAssets, Pro: true, order: "ein, fmv DESC",
		Meaning: "What one foundation holds of one thing, lots put together.",
		Columns: []Column{
			col("ein", text, "EIN of the foundation."),
			col("canonical_name", text, "The thing held, one name for all its spellings."),
			col("fmv", bigint, "Market value, US dollars."),
			col("entity_type", text, "What it is: company, fund, government, property, person_note or other."),
			col("asset_class", text, "public_equity, fixed_income, private_equity, venture, hedge, real_estate, cash, pri, art, crypto or unknown."),
			opt("vehicle", text, "How it is held, where the name tells: direct, mutual_fund, etf, lp, llc, trust, note or account."),
			opt("manager", text, "Manager, where the name tells."),
			col("is_impact", boolean, "An impact or program-related investment."),
			col("resolution_status", text, "'corroborated_public', 'corroborated_private' or 'review' (low confidence)."),
		},
		Traps: []string{trapPF, "For figures that must stand up, leave out resolution_status = 'review'."},
		Examples: []Example{
			{"What does a foundation hold?", "SELECT canonical_name, asset_class, fmv FROM foundation_holdings WHERE ein = find_org('family foundation') ORDER BY fmv DESC LIMIT 50"},
			{"How is money spread over classes?", "SELECT asset_class, sum(fmv) AS dollars, count(DISTINCT ein) AS foundations FROM foundation_holdings GROUP BY 1 ORDER BY 2 DESC"},
		},
	},
	{
		Name: snapshot.HoldingEntities, Group: groupAssets, Pro: true, order: "canonical_name",
		Meaning: "One row per thing that foundations hold.",
		Columns: []Column{
			col("canonical_name", text, "Its one name."),
			col("co_holder_count", integer, "Foundations that hold it."),
			col("fmv", bigint, "Market value held by all of them, US dollars."),
			col("entity_type", text, "What it is: company, fund, government, property, person_note or other."),
			col("asset_class", text, "As in foundation_holdings."),
			opt("vehicle", text, "How it is held, where the name tells: direct, mutual_fund, etf, lp, llc, trust, note or account."),
			opt("manager", text, "Manager, where the name tells."),
			col("is_impact", boolean, "An impact or program-related investment."),
			col("resolution_status", text, "'corroborated_public', 'corroborated_private' or 'review' (low confidence)."),
		},
		Traps: []string{trapPF, "resolution_status 'review' marks names that were filed by few and could be read in two ways."},
		Examples: []Example{
			{"Which funds have most foundations in them?", "SELECT canonical_name, co_holder_count, fmv FROM holding_entity WHERE resolution_status <> 'review' ORDER BY co_holder_count DESC, fmv DESC LIMIT 25"},
			{"Which managers run most money?", "SELECT manager, sum(fmv) AS dollars, count(*) AS things FROM holding_entity WHERE manager IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 25"},
		},
	},
}

var governanceViews = []View{
	{
		Name: snapshot.BoardLinks, Group: groupGovernance, Pro: true, order: "e1, e2",
		Meaning: "Pairs of organizations that share people.",
		Columns: []Column{
			col("e1", text, "EIN of one, the smaller."),
			col("e2", text, "EIN of the other."),
			col("shared_people", integer, "People in both."),
			col("possible_shared_people", integer, "People who may be in both; only the count is published."),
			col("same_state", boolean, "Both are in one state."),
			col("conf", double, "How sure the link is, 0 to 1."),
		},
		Traps: []string{
			"Each pair is stored once, e1 < e2: ask for both directions.",
			"A conf below about 0.3 is likely two people of one name.",
			"A family of organizations counts as one board: its links stand under one member, the largest by revenue where that lists people. Look for the others of the family through org_families.",
		},
		Examples: []Example{
			{"Who shares people with an organization?", "WITH one AS (SELECT find_org('community foundation') AS ein)\nSELECT CASE WHEN e1 = ein THEN e2 ELSE e1 END AS other, shared_people, conf\nFROM board_link JOIN one ON ein IN (e1, e2)\nWHERE conf >= 0.3\nORDER BY conf DESC"},
			{"Which funders fund those they share people with?", "SELECT c.funder_ein, c.recipient_ein, c.total_amount, b.conf\nFROM cofunder_edge c\nJOIN board_link b ON b.e1 = least(c.funder_ein, c.recipient_ein) AND b.e2 = greatest(c.funder_ein, c.recipient_ein)\nWHERE b.conf >= 0.5\nORDER BY c.total_amount DESC\nLIMIT 25"},
		},
	},
	{
		Name: snapshot.OrgFamilies, Group: groupGovernance, Pro: true, order: "ein",
		Meaning: "Which family of organizations one belongs to.",
		Columns: []Column{
			col("ein", text, "EIN."),
			col("family_id", text, "The family."),
			col("family_size", integer, "Its members; 1 is an organization that stands alone."),
			col("combined_revenue", bigint, "Revenue of all members, US dollars."),
			col("family_name", text, "Name of the family: that of its parent, else the words that most names of its members share, else that of its largest member."),
		},
		Traps: []string{"combined_revenue counts money that members pass to each other twice."},
		Examples: []Example{
			{"Which families are largest?", "SELECT DISTINCT family_id, family_name, family_size, combined_revenue FROM org_families WHERE family_size > 1 ORDER BY combined_revenue DESC LIMIT 25"},
			{"Who belongs to the family of an organization?", "SELECT f.ein, o.name\nFROM org_families f LEFT JOIN orgs o USING (ein)\nWHERE f.family_id = (SELECT family_id FROM org_families WHERE ein = find_org('community foundation'))\nORDER BY f.ein"},
		},
	},
}

var governmentViews = []View{
	{
		Name: snapshot.FederalAwards, Group: groupGovernment, Pro: true, order: "ein, fiscal_year", year: "fiscal_year",
		Meaning: "What one organization was awarded by one federal agency under one program in a federal fiscal year.",
		Columns: []Column{
			col("ein", text, "EIN of the organization."),
			col("fiscal_year", integer, "Federal fiscal year."),
			col("kind", text, "'grant' or 'contract'."),
			opt("awarding_agency", text, "Agency."),
			opt("program", text, "Program."),
			col("amount", double, "Obligated less what was taken back, US dollars."),
			col("award_count", bigint, "Distinct awards."),
		},
		Traps: []string{"Amounts are obligations and may be negative. The latest year is partial."},
		Examples: []Example{
			{"Who is funded most by the government?", "SELECT ein, sum(amount) AS dollars FROM gov_funding_federal GROUP BY ein ORDER BY dollars DESC LIMIT 25"},
			{"Which agencies give what?", "SELECT awarding_agency, kind, sum(amount) AS dollars, sum(award_count) AS awards FROM gov_funding_federal WHERE fiscal_year = 2023 GROUP BY ALL ORDER BY dollars DESC"},
		},
	},
	{
		Name: snapshot.StateAwards, Group: groupGovernment, Pro: true, order: "ein, fiscal_year", year: "fiscal_year",
		Meaning: "What one organization was paid by one agency of a state in that state's fiscal year.",
		Columns: []Column{
			col("ein", text, "EIN of the organization."),
			col("state", text, "State that pays."),
			col("fiscal_year", integer, "The state's fiscal year."),
			opt("agency", text, "Agency."),
			opt("program", text, "Program."),
			opt("category", text, "Category of spending."),
			col("amount", double, "US dollars."),
			col("award_count", bigint, "Distinct awards or payments."),
		},
		Traps: []string{"Only CT, NJ, VT, MD, MA, OR, DE, OK and FL publish data that name the payee well enough; no row from another state means nothing."},
		Examples: []Example{
			{"What does each state pay?", "SELECT state, fiscal_year, sum(amount) AS dollars, count(DISTINCT ein) AS organizations FROM gov_funding_state GROUP BY ALL ORDER BY state, fiscal_year"},
			{"Who has both federal and state money?", "SELECT ein, f.dollars AS federal, s.dollars AS state\nFROM (SELECT ein, sum(amount) AS dollars FROM gov_funding_federal GROUP BY ein) f\nJOIN (SELECT ein, sum(amount) AS dollars FROM gov_funding_state GROUP BY ein) s USING (ein)\nORDER BY federal + state DESC\nLIMIT 25"},
		},
	},
	{
		Name: snapshot.GovAwards, Group: groupGovernment, Pro: true, order: "ein, level, fiscal_year DESC, amount DESC", year: "fiscal_year",
		Meaning: "One row per government award and fiscal year, with how it was joined to the organization. The two tables above are its sums.",
		Columns: []Column{
			col("ein", text, "EIN of the organization."),
			col("level", text, "'federal' or 'state'."),
			opt("state", text, "State that pays; null for federal awards."),
			opt("kind", text, "Federal: 'grant' or 'contract'. State: the category of spending."),
			opt("agency", text, "Agency."),
			opt("program", text, "Program."),
			opt("assistance_listing", text, "Number of the assistance listing of a federal grant, such as 93.600."),
			opt("award_id", text, "The award as its publisher names it; null where a state publishes payments without one, which are then one row for each agency, program and category."),
			col("fiscal_year", integer, "Fiscal year of the payer."),
			col("amount", double, "US dollars in that year; federal: obligated less what was taken back."),
			opt("action_date", date, "Day of the latest action in the year, where it is published."),
			col("join_basis", text, "What it was joined by: 'ein' (the payer gives it), 'uei' or 'duns' (the organization states both numbers in its audits) or 'name' (the only organization of that name in the state or ZIP)."),
			col("join_confidence", double, "How sure the join is, 0 to 1."),
		},
		Traps: []string{
			"An award that runs for several years has a row for each: count awards by award_id.",
			"Amounts may be negative, where money was taken back. Awards whose recipient could not be identified are not here.",
		},
		Examples: []Example{
			{"Which awards does an organization have?", "SELECT fiscal_year, level, agency, program, award_id, amount, action_date\nFROM gov_award\nWHERE ein = find_org('community action agency')\nORDER BY fiscal_year DESC, amount DESC\nLIMIT 50"},
			{"How was the money joined?", "SELECT level, join_basis, count(*) AS awards, sum(amount) AS dollars FROM gov_award GROUP BY ALL ORDER BY level, dollars DESC"},
		},
	},
}
