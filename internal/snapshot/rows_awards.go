package snapshot

// Names of the tables of government funding.
const (
	FederalAwards = "gov_funding_federal"
	StateAwards   = "gov_funding_state"
)

// FederalAward is the total that one federal agency awarded to one organization under
// one program in a federal fiscal year, sorted by EIN, year, kind, agency and
// program. The amount is obligations less deobligations, so it may be negative.
type FederalAward struct {
	EIN            string  `parquet:"ein,dict"`
	FiscalYear     int32   `parquet:"fiscal_year"`
	Kind           string  `parquet:"kind,dict"` // grant or contract
	AwardingAgency string  `parquet:"awarding_agency,optional,dict"`
	Program        string  `parquet:"program,optional,dict"`
	Amount         float64 `parquet:"amount"`
	AwardCount     int64   `parquet:"award_count"` // distinct awards
}

// StateAward is the total that one state agency paid to one organization in the
// state's fiscal year, sorted by EIN, state, year, agency, program and category.
type StateAward struct {
	EIN        string  `parquet:"ein,dict"`
	State      string  `parquet:"state,dict"` // the paying state
	FiscalYear int32   `parquet:"fiscal_year"`
	Agency     string  `parquet:"agency,optional,dict"`
	Program    string  `parquet:"program,optional,dict"`
	Category   string  `parquet:"category,optional,dict"`
	Amount     float64 `parquet:"amount"`
	AwardCount int64   `parquet:"award_count"` // distinct awards or payments
}
