package client

// MetaAnswer is the answer of /meta: the dataset that is being served.
type MetaAnswer struct {
	Head
	Dataset             DatasetInfo       `json:"dataset"`
	Scope               Scope             `json:"scope"`
	Trial               Trial             `json:"trial"`
	ComplianceSources   ComplianceSources `json:"compliance_sources"`
	ComplianceEdition   *string           `json:"compliance_edition" doc:"Edition of the compliance lists that this response comes from; null if there is none."`
	ComplianceReports   ComplianceReports `json:"compliance_reports"`
	CandidCompatibility Compatibility     `json:"candid_compatibility"`
	ResponseCompat      ResponseCompat    `json:"response_compat"`
	Sources             []SourceInfo      `json:"sources" doc:"Source files the dataset was built from."`
	Program             ProgramInfo       `json:"program"`
	Search              SearchInfo        `json:"search"`
	Resolution          Resolution        `json:"resolution" doc:"How recipients were matched to organizations, as counted by the build."`
	Tail
}

// ProgramInfo says which release of Grantgraph answers.
type ProgramInfo struct {
	Version string  `json:"version" doc:"Version of the Grantgraph server, such as v1.0.0; devel if it is not a release."`
	Commit  *string `json:"commit" doc:"Commit that the server was built from; null if unknown."`
	Date    *string `json:"date" doc:"Time of the commit; null if unknown." format:"date-time"`
}

// DatasetInfo describes the dataset.
type DatasetInfo struct {
	Source       string `json:"source" doc:"Where the data comes from."`
	Refresh      string `json:"refresh" doc:"How often the dataset is rebuilt."`
	Polled       string `json:"polled" doc:"How often we check the sources for new data."`
	ReportingLag string `json:"reporting_lag" doc:"How long after the end of a fiscal year its filings are released."`
	Basis        string `json:"basis" doc:"What grant amounts represent."`
	Version      string `json:"version" doc:"Version of the dataset build. Later builds sort after earlier ones. Poll this field to detect a new build."`
	GeneratedAt  string `json:"generated_at" doc:"When the build started." format:"date-time"`
	Invented     bool   `json:"invented,omitempty" doc:"true if the dataset is made up, as in a demo. Absent otherwise."`
	Individuals  string `json:"individuals" enum:"filed,masked" doc:"How grants to private individuals are shown. filed: as in the returns. …"`
}

// SearchInfo says how organizations are searched.
type SearchInfo struct {
	Modes             []string `json:"modes" doc:"Available search modes."`
	Encoder           *string  `json:"encoder" doc:"Model that encodes queries for semantic search; null if semantic search is unavailable."`
	DocumentsEmbedded int      `json:"documents_embedded" doc:"Number of organizations that semantic search can find."`
}

// Scope is the size of the dataset, computed when it was built.
type Scope struct {
	Grants                 int64 `json:"grants" doc:"Number of grants."`
	TotalAmount            int64 `json:"total_amount" doc:"Total of all grants, in whole dollars."`
	Funders                int64 `json:"funders" doc:"Number of distinct funders."`
	FirstFiscalYear        int   `json:"first_fiscal_year" doc:"First fiscal year."`
	LastFiscalYear         int   `json:"last_fiscal_year" doc:"Last fiscal year."`
	LastCompleteFiscalYear int   `json:"last_complete_fiscal_year" doc:"Last fiscal year whose returns have all been released."`
	PartialFiscalYears     []int `json:"partial_fiscal_years" doc:"Fiscal years whose returns are still being released."`
}

// SourceInfo is what the dataset took from one source.
type SourceInfo struct {
	Source string `json:"source" doc:"ID of the source, as in docs/sources.md."`
	Files  int    `json:"files" doc:"Number of files read."`
	Rows   int64  `json:"rows" doc:"Number of returns or rows read."`
}

// Resolution says how many rows each rule found the recipient of.
type Resolution struct {
	LinkedCount  int64            `json:"linked_count" doc:"Number of grants whose recipient has an EIN."`
	LinkedAmount int64            `json:"linked_amount" doc:"Total of the grants whose recipient has an EIN, in whole dollars."`
	ByRule       []RuleCount      `json:"by_rule" doc:"Grants by ein_source, most reliable source first. Grants without an EIN come last, as none. …"`
	ByYear       []ResolutionYear `json:"by_year" doc:"The same counts by fiscal year."`
	Model        *ModelInfo       `json:"model" doc:"The model used when no rule applies; null if the build does not record it."`
}

// ModelInfo says what the model learned from.
type ModelInfo struct {
	Origin string `json:"origin" doc:"trained: trained on grants in this dataset that have a filed EIN. prior: the default model that ships with the server, …"`
	Labels int    `json:"labels" doc:"Number of training examples: grants with a known recipient that no rule matches."`
}

// RuleCount is how many rows one rule found the recipient of.
type RuleCount struct {
	EINSource   string   `json:"ein_source" doc:"The rule; none for grants without an EIN."`
	MatchProb   *float64 `json:"match_prob" doc:"Match probability of the rule. Null for none, and for model, where each grant has its own probability."`
	GrantCount  int64    `json:"grant_count" doc:"Number of grants."`
	TotalAmount int64    `json:"total_amount" doc:"Total in whole dollars."`
}

// ResolutionYear is the resolution of one fiscal year.
type ResolutionYear struct {
	FiscalYear  int         `json:"fiscal_year" doc:"Fiscal year."`
	GrantCount  int64       `json:"grant_count" doc:"Number of grants."`
	LinkedCount int64       `json:"linked_count" doc:"Number of grants whose recipient has an EIN."`
	LinkedShare float64     `json:"linked_share" doc:"linked_count divided by grant_count, to four decimal places."`
	ByRule      []RuleCount `json:"by_rule" doc:"Grants by ein_source."`
}

// Trial says what trial keys get.
type Trial struct {
	Note                      string   `json:"note" doc:"What a trial key includes."`
	Mint                      string   `json:"mint" doc:"URL to get a trial key." format:"uri"`
	ComplianceScreensIncluded int      `json:"compliance_screens_included" doc:"Number of screenings included with a trial or free key."`
	ComplianceWithheldFields  []string `json:"compliance_withheld_fields" doc:"Paths of the fields that are blank in those screenings."`
}

// ComplianceReports says how retained screening reports are signed.
type ComplianceReports struct {
	Format  string  `json:"format" doc:"Version of the report format."`
	Signing Signing `json:"signing"`
}

// Signing names the key that reports are signed with.
type Signing struct {
	Algorithm string  `json:"algorithm" doc:"Signature algorithm."`
	KeyID     *string `json:"key_id" doc:"ID of the key; null if no key is published."`
	PublicKey *string `json:"public_key" doc:"The public key, 32 bytes in base64url without padding; null if no key is published."`
	Verify    string  `json:"verify" doc:"URL to verify a report." format:"uri"`
	Note      string  `json:"note" doc:"Additional information about signing."`
}

// ResponseCompat lists the renderings for clients of other services.
type ResponseCompat struct {
	Default string       `json:"default" doc:"Format used without compat."`
	Modes   []CompatMode `json:"modes" doc:"Accepted values of compat."`
}

// CompatMode is one rendering for clients of other services.
type CompatMode struct {
	Mode        string   `json:"mode" doc:"Value of compat."`
	Description string   `json:"description" doc:"What the mode changes."`
	Fields      []string `json:"fields" doc:"Booleans that the mode returns as strings."`
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
	External *string `json:"external" doc:"Term in Candid's API; null if only this service has it."`
	Service  *string `json:"service" doc:"Term in this API; null if there is no equivalent."`
	Status   string  `json:"status" enum:"equivalent,transformed,unsupported,service" doc:"equivalent: send it unchanged. transformed: values or meaning …"`
	Note     string  `json:"note" doc:"How the two terms differ."`
}
