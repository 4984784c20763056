package profiles

import "grantgraph/client"

// Profiles and government funding, as the wire has them.
type (
	EssentialsAnswer = client.EssentialsAnswer
	Core             = client.ProfileCore
	Organization     = client.ProfileOrganization
	Financials       = client.ProfileFinancials
	ReturnOf         = client.ProfileReturnReference
	Return           = client.ProfileReturn
	Standing         = client.ProfileStanding
	Given            = client.ProfileGiven
	Received         = client.ProfileReceived
	FinancialYear    = client.FinancialYear
	Income           = client.ProfileIncome
	Expenses         = client.ProfileExpenses
	BalanceSheet     = client.ProfileBalanceSheet
	ServiceArea      = client.ProfileServiceArea
	GrantsOut        = client.GrantsOut
	FundingIn        = client.FundingIn
	GivenSums        = client.GivenSums
	ReceivedSums     = client.ReceivedSums
	GivenYear        = client.GivenYear
	ReceivedYear     = client.ReceivedYear
	GivenSubject     = client.GivenSubject
	ReceivedSubject  = client.ReceivedSubject
	GivenState       = client.GivenState
	ReceivedState    = client.ReceivedState
	TopRecipient     = client.TopRecipient
	TopFunder        = client.TopFunder
	Cofunder         = client.Cofunder
	CofunderScope    = client.CofunderScope
	Governance       = client.ProfileGovernance
	Person           = client.ProfilePerson
	BoardLink        = client.ProfileBoardLink
	Family           = client.ProfileFamily
	Government       = client.ProfileGovernment
	Assets           = client.ProfileAssets
	AssetProfile     = client.ProfileAssetProfile
	Holding          = client.ProfileHolding
	FundingSummary   = client.GovernmentFundingSummary
	FundingYear      = client.GovernmentFundingYear
	AgencyRow        = client.GovernmentAgency
	ProgramRow       = client.GovernmentProgram
	AwardRow         = client.GovernmentAward
	Join             = client.GovernmentAwardJoin
	Coverage         = client.GovernmentCoverage
)

// Rows of organizations that resemble another, and of funders that may fund one.
type (
	SimilarRow            = client.SimilarRow
	SimilarReasons        = client.SimilarReasons
	ProspectRow           = client.ProspectRow
	ProspectReasons       = client.ProspectReasons
	ProspectRecipient     = client.ProspectRecipient
	ProspectFirstTimeYear = client.ProspectFirstTimeYear
)

// FundingAnswer is the answer of /gov-funding/{ein}.
type FundingAnswer struct {
	client.FundingAnswer
}

func (f *FundingAnswer) Table() (any, *int64, *string) { return f.Awards, &f.Summary.AwardCount, nil }

// PremierAnswer is the answer of /premier/{ein}.
type PremierAnswer struct {
	client.PremierAnswer
}
