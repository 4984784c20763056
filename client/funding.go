package client

// FundingAnswer is the answer of /gov-funding/{ein}: government awards to an organization.
type FundingAnswer struct {
	Head
	EIN          string                   `json:"ein" doc:"EIN, nine digits." pattern:"^[0-9]{9}$"`
	Name         string                   `json:"name" doc:"Name."`
	Summary      GovernmentFundingSummary `json:"summary" doc:"Totals of all awards."`
	ByYear       []GovernmentFundingYear  `json:"by_year" doc:"Totals by government fiscal year, oldest first."`
	ByAgency     []GovernmentAgency       `json:"by_agency" doc:"Totals by agency, largest first, up to 50 agencies."`
	AgencyCount  int                      `json:"agency_count" doc:"Total number of agencies."`
	ByProgram    []GovernmentProgram      `json:"by_program" doc:"Totals by program, largest first, up to 50 programs."`
	ProgramCount int                      `json:"program_count" doc:"Total number of programs."`
	Page         int64                    `json:"page" doc:"Page number, starting at 1."`
	Limit        int                      `json:"limit" doc:"Awards per page. May be lower than the limit you sent."`
	ResultsCount int                      `json:"results_count" doc:"Number of awards on this page."`
	TotalPages   int64                    `json:"total_pages" doc:"Total number of pages of awards."`
	NextCursor   *string                  `json:"next_cursor" doc:"Send as cursor for the next page; null at the end."`
	Awards       []GovernmentAward        `json:"awards" doc:"The awards: federal before state, then latest fiscal year first, then largest first."`
	Coverage     GovernmentCoverage       `json:"coverage" doc:"Which award files this dataset includes."`
	Tail
}

// GovernmentFundingSummary is all government awards to an organization together.
type GovernmentFundingSummary struct {
	FederalAmount   *int64 `json:"federal_amount" doc:"Federal awards in whole dollars, after subtracting amounts the government took back; …"`
	StateAmount     *int64 `json:"state_amount" doc:"State awards in whole dollars, for the states in coverage; null if the dataset has no state award file."`
	AwardCount      int64  `json:"award_count" doc:"Number of awards. An award that spans several fiscal years counts once in each."`
	FirstFiscalYear *int   `json:"first_fiscal_year" doc:"First fiscal year with an award; null if there are no awards."`
	LastFiscalYear  *int   `json:"last_fiscal_year" doc:"Last fiscal year with an award; null if there are no awards."`
}

// GovernmentFundingYear is the government awards of one fiscal year.
type GovernmentFundingYear struct {
	FiscalYear    int    `json:"fiscal_year" doc:"Government fiscal year."`
	FederalAmount *int64 `json:"federal_amount" doc:"Whole dollars; null if the dataset has no federal award file."`
	StateAmount   *int64 `json:"state_amount" doc:"Whole dollars; null if the dataset has no state award file."`
	AwardCount    int64  `json:"award_count" doc:"Number of awards."`
}

// GovernmentAgency is the awards of one agency.
type GovernmentAgency struct {
	Level       string  `json:"level" enum:"federal,state" doc:"Level of government."`
	State       *string `json:"state" doc:"State that made the awards; null for federal awards."`
	Agency      *string `json:"agency" doc:"Name of the agency."`
	TotalAmount int64   `json:"total_amount" doc:"Total in whole dollars."`
	AwardCount  int64   `json:"award_count" doc:"Number of awards."`
}

// GovernmentProgram is the awards of one program.
type GovernmentProgram struct {
	Level             string  `json:"level" enum:"federal,state" doc:"Level of government."`
	State             *string `json:"state" doc:"State that made the awards; null for federal awards."`
	Agency            *string `json:"agency" doc:"Name of the agency."`
	Program           *string `json:"program" doc:"Name of the program."`
	AssistanceListing *string `json:"assistance_listing" doc:"Federal assistance listing number, such as 93.600."`
	TotalAmount       int64   `json:"total_amount" doc:"Total in whole dollars."`
	AwardCount        int64   `json:"award_count" doc:"Number of awards."`
}

// GovernmentAward is one award in one fiscal year.
type GovernmentAward struct {
	Level             string              `json:"level" enum:"federal,state" doc:"Level of government."`
	State             *string             `json:"state" doc:"State that made the award; null for federal awards."`
	Kind              *string             `json:"kind" doc:"Type of award. Federal: grant or contract. State: the category the state uses."`
	Agency            *string             `json:"agency" doc:"Name of the agency."`
	Program           *string             `json:"program" doc:"Name of the program."`
	AssistanceListing *string             `json:"assistance_listing" doc:"Federal assistance listing number, such as 93.600."`
	AwardID           *string             `json:"award_id" doc:"ID of the award, as published."`
	FiscalYear        int                 `json:"fiscal_year" doc:"Government fiscal year."`
	Amount            int64               `json:"amount" doc:"Awarded in the year, in whole dollars, after subtracting amounts the government took back."`
	ActionDate        *string             `json:"action_date" doc:"Date of the latest action in the year."`
	Join              GovernmentAwardJoin `json:"join" doc:"How we linked the award to the EIN."`
}

// GovernmentAwardJoin is how an award was joined to an EIN.
type GovernmentAwardJoin struct {
	Basis      string  `json:"basis" enum:"uei,duns,parent_uei,ein,name" doc:"Identifier or name that the award and the organization share."`
	Confidence float64 `json:"confidence" doc:"Confidence that the link is right, from 0 to 1."`
}

// GovernmentCoverage says which award files were read.
type GovernmentCoverage struct {
	FederalThrough *string  `json:"federal_through" doc:"Date of the latest federal award in the dataset; null if the dataset has no federal award file."`
	StatesRead     []string `json:"states_read" doc:"States whose award files are in the dataset. Awards from all other states are missing."`
	StatesNotRead  []string `json:"states_not_read" doc:"States and territories whose award files are not in the dataset. Awards there are unknown, not zero."`
}
