package snapshot

// The row types of the register of charities of England and Wales. Columns have the register's own names, so
// one description of a table serves both the reader of the register's extract and the writer of the snapshot.
// Upstream's email and telephone columns are left out on purpose and must not be added. A date is a number of
// days since 1970. Dates are pointers, because day zero is a valid date.

// Names of the register's tables.
const (
	UKCharities       = "uk_charity"
	UKFinances        = "uk_charity_finance"
	UKReturnsB        = "uk_charity_return_b"
	UKReturnsA        = "uk_charity_return_a"
	UKClassifications = "uk_charity_classification"
	UKAreas           = "uk_charity_area"
	UKOtherNames      = "uk_charity_other_name"
	UKDocuments       = "uk_charity_governing_document"
	UKPolicies        = "uk_charity_policy"
	UKEvents          = "uk_charity_event"
	UKReports         = "uk_charity_published_report"
	UKIngests         = "uk_ingest_meta"
	UKTrustees        = "uk_charity_trustee"
	UKBoardEdges      = "uk_board_edge"
)

// UKCharity is one charity, registered or removed, sorted by its two numbers. A main charity and the
// charities linked to it share the registered number; the main one has linked number 0.
type UKCharity struct {
	Number           int64    `parquet:"registered_charity_number"`
	Linked           int64    `parquet:"linked_charity_number"`
	Name             string   `parquet:"charity_name"`
	Status           string   `parquet:"charity_registration_status,dict"` // Registered or Removed
	Type             string   `parquet:"charity_type,optional,dict"`
	Registered       *int32   `parquet:"date_of_registration,optional,date"`
	Removed          *int32   `parquet:"date_of_removal,optional,date"`
	Income           *float64 `parquet:"latest_income,optional"`
	Expenditure      *float64 `parquet:"latest_expenditure,optional"`
	Address1         string   `parquet:"charity_contact_address1,optional"`
	Address2         string   `parquet:"charity_contact_address2,optional"`
	Address3         string   `parquet:"charity_contact_address3,optional"`
	Address4         string   `parquet:"charity_contact_address4,optional"`
	Address5         string   `parquet:"charity_contact_address5,optional"`
	Postcode         string   `parquet:"charity_contact_postcode,optional"`
	Web              string   `parquet:"charity_contact_web,optional"`
	Activities       string   `parquet:"charity_activities,optional"`
	Company          string   `parquet:"charity_company_registration_number,optional"`
	Insolvent        *bool    `parquet:"charity_insolvent,optional"`
	InAdministration *bool    `parquet:"charity_in_administration,optional"`
	IsCIO            *bool    `parquet:"charity_is_cio,optional"`
	GiftAid          *bool    `parquet:"charity_gift_aid,optional"`
	HasLand          *bool    `parquet:"charity_has_land,optional"`
}

// UKFinance is the summary of one year's accounts of a main charity, sorted by charity and period.
type UKFinance struct {
	Number      int64    `parquet:"registered_charity_number"`
	PeriodStart *int32   `parquet:"fin_period_start_date,optional,date"`
	PeriodEnd   *int32   `parquet:"fin_period_end_date,optional,date"`
	Income      *float64 `parquet:"total_gross_income,optional"`
	Expenditure *float64 `parquet:"total_gross_expenditure,optional"`
	Received    *int32   `parquet:"date_accounts_received,optional,date"`
	Qualified   *bool    `parquet:"accounts_qualified,optional"`
}

// UKReturnB is part B of an annual return, which only larger charities file, sorted
// by charity and period, newest first. Money is in pounds.
type UKReturnB struct {
	Number                int64    `parquet:"registered_charity_number"`
	PeriodStart           *int32   `parquet:"fin_period_start_date,optional,date"`
	PeriodEnd             *int32   `parquet:"fin_period_end_date,optional,date"`
	Order                 *int64   `parquet:"fin_period_order_number,optional"` // 1 is the newest
	Latest                *bool    `parquet:"latest_fin_period_submitted_ind,optional"`
	Donations             *float64 `parquet:"income_donations_and_legacies,optional"`
	CharitableActivities  *float64 `parquet:"income_charitable_activities,optional"`
	Investments           *float64 `parquet:"income_investments,optional"`
	Trading               *float64 `parquet:"income_other_trading_activities,optional"`
	Legacies              *float64 `parquet:"income_legacies,optional"`
	Endowments            *float64 `parquet:"income_endowments,optional"`
	CharitableExpenditure *float64 `parquet:"expenditure_charitable_expenditure,optional"`
	RaisingFunds          *float64 `parquet:"expenditure_raising_funds,optional"`
	Governance            *float64 `parquet:"expenditure_governance,optional"`
	SupportCosts          *float64 `parquet:"expenditure_support_costs,optional"`
	InvestmentManagement  *float64 `parquet:"expenditure_investment_management,optional"`
	Depreciation          *float64 `parquet:"expenditure_depreciation,optional"`
	GrantsToInstitutions  *float64 `parquet:"expenditure_grants_institution,optional"`
	Expenditure           *float64 `parquet:"expenditure_total,optional"`
	FixedAssets           *float64 `parquet:"assets_total_fixed,optional"`
	LongTermInvestment    *float64 `parquet:"assets_long_term_investment,optional"`
	Cash                  *float64 `parquet:"assets_cash,optional"`
	Liabilities           *float64 `parquet:"assets_total_liabilities,optional"`
	EndowmentFunds        *float64 `parquet:"funds_endowment,optional"`
	RestrictedFunds       *float64 `parquet:"funds_restricted,optional"`
	UnrestrictedFunds     *float64 `parquet:"funds_unrestricted,optional"`
	Funds                 *float64 `parquet:"funds_total,optional"`
	Reserves              *float64 `parquet:"reserves,optional"`
	Employees             *int64   `parquet:"count_employees,optional"`
}

// UKReturnA is part A of an annual return, sorted by charity and period, newest first. The bands count employees by annual pay.
type UKReturnA struct {
	Number              int64    `parquet:"registered_charity_number"`
	PeriodStart         *int32   `parquet:"fin_period_start_date,optional,date"`
	PeriodEnd           *int32   `parquet:"fin_period_end_date,optional,date"`
	Order               *int64   `parquet:"fin_period_order_number,optional"` // 1 is the newest
	Latest              *bool    `parquet:"latest_fin_period_submitted_ind,optional"`
	GrantMaking         *bool    `parquet:"grant_making_is_main_activity,optional"`
	GovernmentGrants    *float64 `parquet:"income_from_government_grants,optional"`
	GovernmentContracts *float64 `parquet:"income_from_government_contracts,optional"`
	Volunteers          *int64   `parquet:"count_volunteers,optional"`
	SalaryOver60k       *bool    `parquet:"employees_salary_over_60k,optional"`
	Band60k             *int64   `parquet:"count_salary_band_60001_70000,optional"`
	Band70k             *int64   `parquet:"count_salary_band_70001_80000,optional"`
	Band80k             *int64   `parquet:"count_salary_band_80001_90000,optional"`
	Band90k             *int64   `parquet:"count_salary_band_90001_100000,optional"`
	Band100k            *int64   `parquet:"count_salary_band_100001_110000,optional"`
	Band110k            *int64   `parquet:"count_salary_band_110001_120000,optional"`
	Band120k            *int64   `parquet:"count_salary_band_120001_130000,optional"`
	Band130k            *int64   `parquet:"count_salary_band_130001_140000,optional"`
	Band140k            *int64   `parquet:"count_salary_band_140001_150000,optional"`
	Band150k            *int64   `parquet:"count_salary_band_150001_200000,optional"`
	Band200k            *int64   `parquet:"count_salary_band_200001_250000,optional"`
	Band250k            *int64   `parquet:"count_salary_band_250001_300000,optional"`
	Band300k            *int64   `parquet:"count_salary_band_300001_350000,optional"`
	Band350k            *int64   `parquet:"count_salary_band_350001_400000,optional"`
	Band400k            *int64   `parquet:"count_salary_band_400001_450000,optional"`
	Band450k            *int64   `parquet:"count_salary_band_450001_500000,optional"`
	Band500k            *int64   `parquet:"count_salary_band_over_500000,optional"`
}

// UKClassification says what a charity does, whom it helps or how, sorted by charity, type and description.
type UKClassification struct {
	Number      int64  `parquet:"registered_charity_number"`
	Linked      int64  `parquet:"linked_charity_number"`
	Type        string `parquet:"classification_type,dict"` // What, Who or How
	Description string `parquet:"classification_description,optional,dict"`
}

// UKArea is one area in which a charity works, sorted by charity, type and description.
type UKArea struct {
	Number            int64  `parquet:"registered_charity_number"`
	Linked            int64  `parquet:"linked_charity_number"`
	Type              string `parquet:"geographic_area_type,optional,dict"`
	Description       string `parquet:"geographic_area_description,dict"`
	ParentType        string `parquet:"parent_geographic_area_type,optional,dict"`
	ParentDescription string `parquet:"parent_geographic_area_description,optional,dict"`
}

// UKOtherName is a working name or a previous name, sorted by charity, type and name.
type UKOtherName struct {
	Number int64  `parquet:"registered_charity_number"`
	Linked int64  `parquet:"linked_charity_number"`
	Type   string `parquet:"charity_name_type,optional,dict"`
	Name   string `parquet:"charity_name,optional"`
}

// UKDocument is the governing document of a charity, sorted by charity.
type UKDocument struct {
	Number      int64  `parquet:"registered_charity_number"`
	Linked      int64  `parquet:"linked_charity_number"`
	Objects     string `parquet:"charitable_objects,optional"`
	Description string `parquet:"governing_document_description,optional"`
	Area        string `parquet:"area_of_benefit,optional"`
}

// UKPolicy is one policy that a charity has in place, sorted by charity and policy.
type UKPolicy struct {
	Number int64  `parquet:"registered_charity_number"`
	Linked int64  `parquet:"linked_charity_number"`
	Policy string `parquet:"policy_name,dict"`
}

// UKEvent is one event in the life of a charity, sorted by charity and date.
type UKEvent struct {
	Number     int64  `parquet:"registered_charity_number"`
	Linked     int64  `parquet:"linked_charity_number"`
	Type       string `parquet:"event_type,dict"`
	Date       *int32 `parquet:"date_of_event,optional,date"`
	Reason     string `parquet:"reason,optional,dict"`
	Associated int64  `parquet:"assoc_registered_charity_number,optional"`
}

// UKReport is one report of the regulator on a charity, with all columns of the
// register's index, sorted by charity, date and name.
type UKReport struct {
	Extracted    *int32 `parquet:"date_of_extract,optional,date"`
	Organisation int64  `parquet:"organisation_number,optional"`
	Number       int64  `parquet:"registered_charity_number"`
	Linked       int64  `parquet:"linked_charity_number"`
	Name         string `parquet:"report_name,optional,dict"`
	Location     string `parquet:"report_location,optional"`
	Published    *int32 `parquet:"date_published,optional,date"`
}

// UKIngest is the origin of the rows of one table, sorted by table.
type UKIngest struct {
	Extracted *int32 `parquet:"date_of_extract,optional,date"`
	Source    string `parquet:"source"`                                          // address upstream
	StagedAt  *int64 `parquet:"staged_at,optional,timestamp(millisecond:local)"` // when the extract was packed
	Table     string `parquet:"table_name"`
	Rows      int64  `parquet:"row_count"`
}

// UKTrustee is one seat on the board of a charity, sorted by charity and trustee.
type UKTrustee struct {
	Number    int64  `parquet:"registered_charity_number"`
	Linked    int64  `parquet:"linked_charity_number"`
	ID        int64  `parquet:"trustee_id"` // the register's own, the same on every board
	Name      string `parquet:"trustee_name,optional"`
	IsChair   *bool  `parquet:"trustee_is_chair,optional"`
	Kind      string `parquet:"individual_or_organisation,optional,dict"` // P or O
	Appointed *int32 `parquet:"trustee_date_of_appointment,optional,date"`
}

// UKBoardEdge joins two registered main charities that share trustees, sorted by both numbers; E1 is the smaller.
type UKBoardEdge struct {
	E1         int64   `parquet:"e1"`
	E2         int64   `parquet:"e2"`
	Shared     int64   `parquet:"shared"`
	Weight     float64 `parquet:"weight"`  // trustees who sit on few boards count for more
	Overlap    float64 `parquet:"overlap"` // shared over the size of the smaller board
	TieKind    string  `parquet:"tie_kind,dict"`
	Structural bool    `parquet:"structural"`
}
