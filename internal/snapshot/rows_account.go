package snapshot

// Names of the tables that account for the grant dollars of returns.
const (
	GrantAccounts = "grant_account"
	GrantsAbroad  = "grant_abroad"
	Adjustments   = "grant_adjustments"
)

// GrantAccount is an amount that a chosen return says was given, sorted by EIN and
// period. A return has a row for every kind of amount that is not zero.
type GrantAccount struct {
	EIN        string `parquet:"ein,dict"`
	Filing     string `parquet:"filing,dict"`
	ObjectID   string `parquet:"object_id,optional,dict"`
	ReturnType string `parquet:"return_type,dict"`
	TaxYear    int32  `parquet:"tax_year,dict"`
	PeriodEnd  string `parquet:"period_end,dict"`
	Kind       string `parquet:"kind,dict"` // one of grant.Amounts
	Given      bool   `parquet:"given"`     // part of what was given; the others stand beside
	Lines      int32  `parquet:"lines"`     // 0 where no line has the amount
	Amount     int64  `parquet:"amount"`
}

// GrantAbroad is a line of Schedule F of a chosen return, which names no recipient, sorted by EIN and period.
type GrantAbroad struct {
	EIN         string `parquet:"funder_ein,dict"`
	Filing      string `parquet:"filing,dict"`
	ObjectID    string `parquet:"object_id,optional,dict"`
	TaxYear     int32  `parquet:"tax_year,dict"`
	Part        string `parquet:"part,dict"`
	Line        int32  `parquet:"line"`
	Individuals bool   `parquet:"individuals"` // Part III
	Region      string `parquet:"region,optional,dict"`
	Purpose     string `parquet:"purpose,optional,dict"`
	Recipients  int64  `parquet:"recipients,optional"` // persons, in Part III
	Amount      int64  `parquet:"amount"`
	NonCash     int64  `parquet:"noncash"`
}

// Adjustment is a negative grant line of a chosen return, a refund or a correction, sorted by EIN and period.
type Adjustment struct {
	Filing       string `parquet:"filing"`
	ObjectID     string `parquet:"object_id,optional"`
	EIN          string `parquet:"funder_ein"`
	TaxYear      int32  `parquet:"tax_year"`
	Part         string `parquet:"part"`
	Line         int32  `parquet:"line"`
	Amount       int64  `parquet:"amount"`
	RecipientEIN string `parquet:"recipient_ein,optional"` // as filed
	Name         string `parquet:"name,optional"`
	Purpose      string `parquet:"purpose,optional"`
}
