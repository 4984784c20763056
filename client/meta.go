package client

// MetaAnswer is the answer of /meta: the dataset that is being served.
type MetaAnswer struct {
	Head
	Dataset             DatasetInfo       `json:"dataset"`
	Scope               Scope             `json:"scope"`
	Trial               Trial             `json:"trial"`
	ComplianceSources   ComplianceSources `json:"compliance_sources"`
	ComplianceEdition   *string           `json:"compliance_edition" doc:"Edition of the compliance lists that the whole answer is from; null when there is none."`
	ComplianceReports   ComplianceReports `json:"compliance_reports"`
	CandidCompatibility Compatibility     `json:"candid_compatibility"`
	ResponseCompat      ResponseCompat    `json:"response_compat"`
	Sources             []SourceInfo      `json:"sources" doc:"The upstream files that the dataset was built from, by source."`
	Program             ProgramInfo       `json:"program"`
	Search              SearchInfo        `json:"search"`
	Resolution          Resolution        `json:"resolution" doc:"How recipients were found, as counted by the build."`
	Tail
}

// ProgramInfo says which release of Grantgraph answers.
type ProgramInfo struct {
	Version string  `json:"version" doc:"Release of the program, such as v1.0.0; devel when it was not built from a release."`
	Commit  *string `json:"commit" doc:"Commit that the program was built from; null when it is not known."`
	Date    *string `json:"date" doc:"Time of that commit; null when it is not known." format:"date-time"`
}

// DatasetInfo describes the dataset.
type DatasetInfo struct {
	Source       string `json:"source" doc:"Where the rows come from."`
	Refresh      string `json:"refresh" doc:"How often the dataset is rebuilt."`
	Polled       string `json:"polled" doc:"How often upstream is looked at."`
	ReportingLag string `json:"reporting_lag" doc:"How far filings lag behind their fiscal year."`
	Basis        string `json:"basis" doc:"What an amount is."`
	Version      string `json:"version" doc:"Build stamp; sorts in the order of publication. Poll it to detect change."`
	GeneratedAt  string `json:"generated_at" doc:"When the build began." format:"date-time"`
	Invented     bool   `json:"invented,omitempty" doc:"True when the dataset is made up, as that of a demo is. Absent otherwise."`
	Individuals  string `json:"individuals" enum:"filed,masked" doc:"How private persons that grants were paid to are shown: filed, as in the returns, …"`
}

// SearchInfo says how organizations are searched.
type SearchInfo struct {
	Modes             []string `json:"modes" doc:"Modes of search that are served."`
	Encoder           *string  `json:"encoder" doc:"What encodes questions by meaning; null when nothing is searched by meaning."`
	DocumentsEmbedded int      `json:"documents_embedded" doc:"Organizations that are found by meaning."`
}

// Scope is the size of the dataset, computed when it was built.
type Scope struct {
	Grants                 int64 `json:"grants" doc:"Grant rows."`
	TotalAmount            int64 `json:"total_amount" doc:"Whole dollars."`
	Funders                int64 `json:"funders" doc:"Distinct funders."`
	FirstFiscalYear        int   `json:"first_fiscal_year" doc:"First fiscal year."`
	LastFiscalYear         int   `json:"last_fiscal_year" doc:"Last fiscal year."`
	LastCompleteFiscalYear int   `json:"last_complete_fiscal_year" doc:"Last fiscal year whose returns are all released."`
	PartialFiscalYears     []int `json:"partial_fiscal_years" doc:"Fiscal years that keep growing."`
}

// SourceInfo is what the dataset took from one source.
type SourceInfo struct {
	Source string `json:"source" doc:"The source, as docs/sources.md names it."`
	Files  int    `json:"files" doc:"Files read."`
	Rows   int64  `json:"rows" doc:"Returns or rows read from them."`
}

// Resolution says how many rows each rule found the recipient of.
type Resolution struct {
	LinkedCount  int64            `json:"linked_count" doc:"Grant rows whose recipient has an EIN."`
	LinkedAmount int64            `json:"linked_amount" doc:"Their dollars."`
	ByRule       []RuleCount      `json:"by_rule" doc:"Rows by ein_source, strongest first; those without an EIN last, under none. …"`
	ByYear       []ResolutionYear `json:"by_year" doc:"The same by fiscal year."`
	Model        *ModelInfo       `json:"model" doc:"The model that answers where no rule does; null when the build did not say."`
}

// ModelInfo says what the model learned from.
type ModelInfo struct {
	Origin string `json:"origin" doc:"trained, on this dataset's own lines with a filed EIN; or prior, the model that ships with the program, …"`
	Labels int    `json:"labels" doc:"Lines with a known organization that it was fitted on and that no rule resolves."`
}

// RuleCount is how many rows one rule found the recipient of.
type RuleCount struct {
	EINSource   string   `json:"ein_source" doc:"The rule; none for rows without an EIN."`
	MatchProb   *float64 `json:"match_prob" doc:"Its constant match_prob; null for model, which has one per row, and for none."`
	GrantCount  int64    `json:"grant_count" doc:"Grant rows."`
	TotalAmount int64    `json:"total_amount" doc:"Whole dollars."`
}

// ResolutionYear is the resolution of one fiscal year.
type ResolutionYear struct {
	FiscalYear  int         `json:"fiscal_year" doc:"Fiscal year."`
	GrantCount  int64       `json:"grant_count" doc:"Grant rows."`
	LinkedCount int64       `json:"linked_count" doc:"Those whose recipient has an EIN."`
	LinkedShare float64     `json:"linked_share" doc:"linked_count over grant_count, to four places."`
	ByRule      []RuleCount `json:"by_rule" doc:"Rows by ein_source."`
}

// Trial says what trial keys get.
type Trial struct {
	Note                      string   `json:"note" doc:"What a trial key may do."`
	Mint                      string   `json:"mint" doc:"Where to get one." format:"uri"`
	ComplianceScreensIncluded int      `json:"compliance_screens_included" doc:"Screenings a trial or free key may run."`
	ComplianceWithheldFields  []string `json:"compliance_withheld_fields" doc:"Paths of the fields that are blanked in them."`
}

// ComplianceReports says how retained screening reports are signed.
type ComplianceReports struct {
	Format  string  `json:"format" doc:"Version of the report format."`
	Signing Signing `json:"signing"`
}

// Signing names the key that reports are signed with.
type Signing struct {
	Algorithm string  `json:"algorithm" doc:"Signature algorithm."`
	KeyID     *string `json:"key_id" doc:"Identifier of the key; null while none is published."`
	PublicKey *string `json:"public_key" doc:"The key: its 32 bytes in base64url without padding; null while none is published."`
	Verify    string  `json:"verify" doc:"Where to verify a report." format:"uri"`
	Note      string  `json:"note" doc:"What to know about it."`
}

// ResponseCompat lists the renderings for clients of other services.
type ResponseCompat struct {
	Default string       `json:"default" doc:"Rendering without compat."`
	Modes   []CompatMode `json:"modes" doc:"Values of compat."`
}

// CompatMode is one rendering for clients of other services.
type CompatMode struct {
	Mode        string   `json:"mode" doc:"Value of compat."`
	Description string   `json:"description" doc:"What it changes."`
	Fields      []string `json:"fields" doc:"The booleans it renders as strings."`
}

// Compatibility maps the vocabulary of Candid's APIs to this service.
type Compatibility struct {
	Endpoints         []Mapping `json:"endpoints" doc:"Endpoints."`
	GrantParameters   []Mapping `json:"grant_parameters" doc:"Parameters of the grant endpoints."`
	EssentialsFilters []Mapping `json:"essentials_filters" doc:"Filters of the organization search."`
	SupportStrategies []Mapping `json:"support_strategies" doc:"Support strategies."`
}

// Mapping is one word of another service and what it is here.
type Mapping struct {
	External *string `json:"external" doc:"The other service's word; null for what only this service has."`
	Service  *string `json:"service" doc:"This service's word; null when there is none."`
	Status   string  `json:"status" enum:"equivalent,transformed,unsupported,service" doc:"equivalent: send it as it is. transformed: other values or meaning. …"`
	Note     string  `json:"note" doc:"What differs."`
}
