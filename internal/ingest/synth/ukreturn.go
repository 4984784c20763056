package synth

// The annual returns of the register, its widest tables, and the codes by
// which it classifies charities.

var salaryBands = list(`60001_70000 70001_80000 80001_90000 90001_100000 100001_110000 110001_120000 120001_130000 130001_140000 140001_150000
150001_200000 200001_250000 250001_300000 300001_350000 350001_400000 400001_450000 450001_500000`)

// opening writes the columns that both parts of a return begin with.
func (x *registerTable) opening(k int) {
	start, end, due, received := x.period(k)
	x.begin(0, false)
	x.flag("latest_fin_period_submitted_ind", k == 0)
	x.number("fin_period_order_number", int64(k+1))
	x.cycle(end)
	x.date("fin_period_start_date", start)
	x.date("fin_period_end_date", end)
	x.date("ar_due_date", due)
	x.date("ar_received_date", received)
}

func (x *registerTable) partA() {
	kept := 2
	if x.c.income > 500_000 {
		kept = 5
	}
	for k := range x.years(kept) {
		income, spent := x.turnover(k)
		r := rng{sub(x.c.key, 'A', k)}
		x.opening(k)
		x.money("total_gross_income", income)
		x.money("total_gross_expenditure", spent)
		x.flag("charity_raises_funds_from_public", r.odds(5500))
		x.flag("charity_professional_fundraiser", r.odds(200))
		x.null("charity_agreement_professional_fundraiser")
		x.flag("charity_commercial_participator", r.odds(150))
		x.null("charity_agreement_commerical_participator") // as upstream spells it
		x.flag("grant_making_is_main_activity", r.odds(2200))
		if r.odds(900) {
			x.flag("charity_receives_govt_funding_contracts", true)
			x.number("count_govt_contracts", int64(1+r.n(4)))
		} else {
			x.flag("charity_receives_govt_funding_contracts", false)
			x.null("count_govt_contracts")
		}
		if r.odds(2000) {
			x.flag("charity_receives_govt_funding_grants", true)
			x.number("count_govt_grants", int64(1+r.n(6)))
			x.null("income_from_government_contracts")
			x.money("income_from_government_grants", income*int64(5+r.n(40))/100)
		} else {
			x.flag("charity_receives_govt_funding_grants", false)
			x.null("count_govt_grants", "income_from_government_contracts", "income_from_government_grants")
		}
		x.flag("charity_has_trading_subsidiary", r.odds(500))
		x.null("trustee_also_director_of_subsidiary")
		x.flag("does_trustee_receive_any_benefit", r.odds(800))
		x.flag("trustee_payments_acting_as_trustee", false)
		x.flag("trustee_receives_payments_services", r.odds(500))
		x.flag("trustee_receives_other_benefit", r.odds(200))
		x.flag("trustee_resigned_employment", false)
		paid := income > 2_000_000
		x.flag("employees_salary_over_60k", paid)
		for i, band := range salaryBands {
			x.key("count_salary_band_" + band)
			if paid {
				x.b = appendInt(x.b, int64(r.n(8)>>min(i, 4)))
			} else {
				x.b = append(x.b, "null"...)
			}
		}
		x.null("count_salary_band_over_500000")
		x.number("count_volunteers", int64(zipf(r.next(), 400, 8)))
		x.end()
	}
}

// partB is filed by the larger charities only.
func (x *registerTable) partB() {
	if x.c.income <= 500_000 {
		return
	}
	for k := range x.years(5) {
		income, spent := x.turnover(k)
		r := rng{sub(x.c.key, 'B', k)}
		share := func(of int64, most int) int64 { return of * int64(r.n(most)) / 100 }
		x.opening(k)
		trading, invested, legacies := share(income, 15), share(income, 12), share(income, 8)
		donations := share(income, 60)
		x.money("income_donations_and_legacies", donations)
		x.money("income_charitable_activities", income-donations-trading-invested)
		x.money("income_other_trading_activities", trading)
		x.money("income_investments", invested)
		x.money("income_other", 0)
		x.money("income_total_income_and_endowments", income)
		x.money("income_legacies", min(legacies, donations))
		x.money("income_endowments", 0)
		raising, grants, governance := share(spent, 20), share(spent, 45), share(spent, 4)
		x.money("expenditure_raising_funds", raising)
		x.money("expenditure_charitable_expenditure", spent-raising)
		x.money("expenditure_other", 0)
		x.money("expenditure_total", spent)
		x.money("expenditure_investment_management", share(invested, 5))
		x.money("expenditure_grants_institution", grants)
		x.money("expenditure_governance", governance)
		x.money("expenditure_support_costs", share(spent, 18))
		x.money("expenditure_depreciation", share(spent, 5))
		x.money("gain_loss_investment", share(income, 20)-income/20)
		x.null("gain_loss_pension_fund", "gain_loss_revaluation_fixed_investment")
		x.money("gain_loss_other", 0)
		x.money("reserves", share(income, 80))
		fixed, cash, owed, late := share(income, 250), share(income, 70), share(income, 30), share(income, 20)
		invests := fixed * int64(r.n(80)) / 100
		x.money("assets_total_fixed", fixed)
		x.money("assets_own_use", fixed-invests)
		x.money("assets_long_term_investment", invests)
		x.null("defined_benefit_pension_scheme")
		x.money("assets_other_assets", share(income, 10))
		x.money("assets_total_liabilities", owed+late)
		x.money("assets_current_investment", share(income, 10))
		net := fixed + cash - owed - late
		x.money("assets_total_assets_and_liabilities", net)
		x.money("creditors_one_year_total_current", owed)
		x.money("creditors_falling_due_after_one_year", late)
		x.money("assets_cash", cash)
		endowed, restricted := share(net, 20), share(net, 30)
		x.money("funds_endowment", endowed)
		x.money("funds_unrestricted", net-endowed-restricted)
		x.money("funds_restricted", restricted)
		x.money("funds_total", net)
		x.number("count_employees", income/35_000)
		x.flag("charity_only_accounts", true)
		x.flag("consolidated_accounts", false)
		x.end()
	}
}

// classes are what, whom and how, with the register's codes.
func (x *registerTable) classes() {
	if x.c.removed {
		return
	}
	r := rng{sub(x.c.key, 'C', 0)}
	add := func(code int, kind, what string) {
		x.begin(0, true)
		x.number("classification_code", int64(code))
		x.word("classification_type", kind)
		x.word("classification_description", what)
		x.end()
	}
	few := func(first int, kind string, of []string) {
		at := r.n(len(of))
		for n := range 1 + r.n(3) {
			i := (at + n*3) % len(of)
			add(first+i, kind, of[i])
		}
	}
	few(101, "What", whats)
	few(201, "Who", whos)
	few(301, "How", hows)
}

var (
	whats = lines(`
General Charitable Purposes
Education/training
The Advancement Of Health Or Saving Of Lives
Disability
The Prevention Or Relief Of Poverty
Overseas Aid/famine Relief
Accommodation/housing
Religious Activities
Arts/culture/heritage/science
Amateur Sport
Animals
Environment/conservation/heritage
Economic/community Development/employment
Armed Forces/emergency Service Efficiency
Human Rights/religious Or Racial Harmony/equality Or Diversity
Recreation
Other Charitable Purposes`)
	whos = lines(`
Children/young People
Elderly/old People
People With Disabilities
People Of A Particular Ethnic Or Racial Origin
Other Charities Or Voluntary Bodies
Other Defined Groups
The General Public/mankind`)
	hows = lines(`
Makes Grants To Individuals
Makes Grants To Organisations
Provides Other Finance
Provides Human Resources
Provides Buildings/facilities/open Space
Provides Services
Provides Advocacy/advice/information
Sponsors Or Undertakes Research
Acts As An Umbrella Or Resource Body
Other Charitable Activities`)
)
