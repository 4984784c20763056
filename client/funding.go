package client

// FundingAnswer is the answer of /gov-funding/{ein}: government awards to an organization.
type FundingAnswer struct {
	Head
	EIN          string                   `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name         string                   `json:"name" doc:"Name."`
	Summary      GovernmentFundingSummary `json:"summary" doc:"All awards together."`
	ByYear       []GovernmentFundingYear  `json:"by_year" doc:"By fiscal year of the government, oldest first."`
	ByAgency     []GovernmentAgency       `json:"by_agency" doc:"By agency, most dollars first, at most 50."`
	AgencyCount  int                      `json:"agency_count" doc:"Agencies in all."`
	ByProgram    []GovernmentProgram      `json:"by_program" doc:"By program, most dollars first, at most 50."`
	ProgramCount int                      `json:"program_count" doc:"Programs in all."`
	Page         int64                    `json:"page" doc:"Page number, from 1."`
	Limit        int                      `json:"limit" doc:"Page size served."`
	ResultsCount int                      `json:"results_count" doc:"Awards in this page."`
	TotalPages   int64                    `json:"total_pages" doc:"Pages of awards."`
	Awards       []GovernmentAward        `json:"awards" doc:"The awards: federal ones first, latest fiscal year first, largest first."`
	Coverage     GovernmentCoverage       `json:"coverage" doc:"What the award files that were read cover."`
	Tail
}

// GovernmentFundingSummary is all government awards to an organization together.
type GovernmentFundingSummary struct {
	FederalAmount   *int64 `json:"federal_amount" doc:"Federal awards less what was taken back, whole dollars; null when no file of them was read."`
	StateAmount     *int64 `json:"state_amount" doc:"Awards of the states that were read, whole dollars; null when none was."`
	AwardCount      int64  `json:"award_count" doc:"Awards; one that runs over several fiscal years counts in each."`
	FirstFiscalYear *int   `json:"first_fiscal_year" doc:"First fiscal year with an award; null when there is none."`
	LastFiscalYear  *int   `json:"last_fiscal_year" doc:"Last fiscal year with an award."`
}

// GovernmentFundingYear is the government awards of one fiscal year.
type GovernmentFundingYear struct {
	FiscalYear    int    `json:"fiscal_year" doc:"Fiscal year of the government."`
	FederalAmount *int64 `json:"federal_amount" doc:"Whole dollars; null when no file of federal awards was read."`
	StateAmount   *int64 `json:"state_amount" doc:"Whole dollars; null when no file of a state was read."`
	AwardCount    int64  `json:"award_count" doc:"Awards."`
}

// GovernmentAgency is the awards of one agency.
type GovernmentAgency struct {
	Level       string  `json:"level" enum:"federal,state" doc:"Level of government."`
	State       *string `json:"state" doc:"State that pays; null for federal awards."`
	Agency      *string `json:"agency" doc:"Agency."`
	TotalAmount int64   `json:"total_amount" doc:"Whole dollars."`
	AwardCount  int64   `json:"award_count" doc:"Awards."`
}

// GovernmentProgram is the awards of one program.
type GovernmentProgram struct {
	Level             string  `json:"level" enum:"federal,state" doc:"Level of government."`
	State             *string `json:"state" doc:"State that pays; null for federal awards."`
	Agency            *string `json:"agency" doc:"Agency."`
	Program           *string `json:"program" doc:"Program."`
	AssistanceListing *string `json:"assistance_listing" doc:"Number of the federal assistance listing, such as 93.600."`
	TotalAmount       int64   `json:"total_amount" doc:"Whole dollars."`
	AwardCount        int64   `json:"award_count" doc:"Awards."`
}

// GovernmentAward is one award in one fiscal year.
type GovernmentAward struct {
	Level             string              `json:"level" enum:"federal,state" doc:"Level of government."`
	State             *string             `json:"state" doc:"State that pays; null for federal awards."`
	Kind              *string             `json:"kind" doc:"Federal: grant or contract. State: the state's own category."`
	Agency            *string             `json:"agency" doc:"Agency."`
	Program           *string             `json:"program" doc:"Program."`
	AssistanceListing *string             `json:"assistance_listing" doc:"Number of the federal assistance listing, such as 93.600."`
	AwardID           *string             `json:"award_id" doc:"Identifier as the publisher writes it."`
	FiscalYear        int                 `json:"fiscal_year" doc:"Fiscal year of the government."`
	Amount            int64               `json:"amount" doc:"Awarded in the year less what was taken back, whole dollars."`
	ActionDate        *string             `json:"action_date" doc:"Date of the latest action in the year."`
	Join              GovernmentAwardJoin `json:"join" doc:"How the award was joined to the EIN."`
}

// GovernmentAwardJoin is how an award was joined to an EIN.
type GovernmentAwardJoin struct {
	Basis      string  `json:"basis" enum:"uei,duns,parent_uei,ein,name" doc:"What both have in common."`
	Confidence float64 `json:"confidence" doc:"How sure that is, 0 to 1."`
}

// GovernmentCoverage says which award files were read.
type GovernmentCoverage struct {
	FederalThrough *string  `json:"federal_through" doc:"Date of the latest federal award that was read; null when no federal file was."`
	StatesRead     []string `json:"states_read" doc:"States whose award files were read. Awards of every other state are not covered."`
	StatesNotRead  []string `json:"states_not_read" doc:"States and territories whose award files were not read: no award there says nothing."`
}
