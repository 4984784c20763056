package warehouse

import (
	"fmt"
	"slices"

	"grantgraph/internal/snapshot"
)

// periodCols are the columns that say which return of a charity a row is.
func periodCols() []Column {
	return []Column{
		numberCol(),
		opt("fin_period_start_date", date, "First day of the period."),
		opt("fin_period_end_date", date, "Last day of the period."),
		opt("fin_period_order_number", bigint, "1 is the newest return."),
		opt("latest_fin_period_submitted_ind", boolean, "It is the newest return."),
	}
}

// bandCols count employees by what they are paid a year.
func bandCols() []Column {
	edges := []int{60, 70, 80, 90, 100, 110, 120, 130, 140, 150, 200, 250, 300, 350, 400, 450, 500}
	var cols []Column
	for i, from := range edges[:len(edges)-1] {
		to := edges[i+1]
		cols = append(cols, opt(fmt.Sprintf("count_salary_band_%d001_%d000", from, to), bigint, fmt.Sprintf("Employees paid from £%d,001 to £%d,000.", from, to)))
	}
	return append(cols, opt("count_salary_band_over_500000", bigint, "Employees paid more than £500,000."))
}

const trapReturns = "There is a row for each year; for the newest filter latest_fin_period_submitted_ind."

var ukReturnViews = []View{
	{
		Name: snapshot.UKReturnsB, Group: groupUK, order: number + ", fin_period_end_date DESC",
		Meaning: "Part B of annual returns, which only larger charities fill in. Money is in pounds.",
		Columns: slices.Concat(periodCols(), []Column{
			opt("income_donations_and_legacies", double, "Income from donations and legacies."),
			opt("income_charitable_activities", double, "Income from charitable activities."),
			opt("income_investments", double, "Income from investments."),
			opt("income_other_trading_activities", double, "Income from other trading."),
			opt("income_legacies", double, "Income from legacies."),
			opt("income_endowments", double, "Income to endowments."),
			opt("expenditure_charitable_expenditure", double, "Spent on charitable work."),
			opt("expenditure_raising_funds", double, "Spent on raising funds."),
			opt("expenditure_governance", double, "Spent on governance."),
			opt("expenditure_support_costs", double, "Spent on support."),
			opt("expenditure_investment_management", double, "Spent on managing investments."),
			opt("expenditure_depreciation", double, "Depreciation."),
			opt("expenditure_grants_institution", double, "Grants made to institutions: UK grantmaking."),
			opt("expenditure_total", double, "All expenditure."),
			opt("assets_total_fixed", double, "Fixed assets."),
			opt("assets_long_term_investment", double, "Long-term investments."),
			opt("assets_cash", double, "Cash."),
			opt("assets_total_liabilities", double, "Liabilities."),
			opt("funds_endowment", double, "Endowment funds."),
			opt("funds_restricted", double, "Restricted funds."),
			opt("funds_unrestricted", double, "Unrestricted funds."),
			opt("funds_total", double, "All funds."),
			opt("reserves", double, "Reserves."),
			opt("count_employees", bigint, "Employees."),
		}),
		Traps: []string{trapUK, trapReturns, "Small charities are absent: do not add it up to a total for the sector."},
		Examples: []Example{
			{"Who are the largest grantmakers?", "SELECT c.charity_name, b.expenditure_grants_institution AS pounds\nFROM uk_charity_return_b b JOIN uk_charity c USING (registered_charity_number)\nWHERE b.latest_fin_period_submitted_ind AND c.linked_charity_number = 0\nORDER BY pounds DESC NULLS LAST\nLIMIT 25"},
			{"How much of spending is charitable?", "SELECT median(expenditure_charitable_expenditure / expenditure_total) AS share FROM uk_charity_return_b WHERE expenditure_total > 0"},
		},
	},
	{
		Name: snapshot.UKReturnsA, Group: groupUK, order: number + ", fin_period_end_date DESC",
		Meaning: "Part A of annual returns, filled in by charities of all sizes. Money is in pounds.",
		Columns: slices.Concat(periodCols(), []Column{
			opt("grant_making_is_main_activity", boolean, "It mainly makes grants."),
			opt("income_from_government_grants", double, "Income from government grants."),
			opt("income_from_government_contracts", double, "Income from government contracts."),
			opt("count_volunteers", bigint, "Volunteers."),
			opt("employees_salary_over_60k", boolean, "Somebody is paid more than £60,000."),
		}, bandCols()),
		Traps: []string{trapUK, trapReturns},
		Examples: []Example{
			{"Which charities mainly make grants?", "SELECT c.registered_charity_number, c.charity_name, c.latest_expenditure\nFROM uk_charity_return_a a JOIN uk_charity c USING (registered_charity_number)\nWHERE a.grant_making_is_main_activity AND a.latest_fin_period_submitted_ind AND c.linked_charity_number = 0\nORDER BY c.latest_expenditure DESC NULLS LAST\nLIMIT 25"},
			{"How much comes from government?", "SELECT year(fin_period_end_date) AS year, sum(income_from_government_grants) AS grants, sum(income_from_government_contracts) AS contracts FROM uk_charity_return_a GROUP BY 1 ORDER BY 1"},
		},
	},
}
