package snapshot

// The row types of the tables that the build derives from the filed rows. Their
// columns are those of the warehouse views of the same names.

// Names of the derived tables.
const (
	CofunderEdges      = "cofunder_edge"
	CofunderEdgesIntl  = "cofunder_edge_intl"
	IntlEntities       = "intl_entity"
	RecipientNames     = "recipient_name"
	GrantPurposes      = "grant_purpose"
	ServiceAreas       = "service_area"
	BoardLinks         = "board_link"
	OrgFamilies        = "org_families"
	AssetProfiles      = "org_asset_profile"
	FoundationHoldings = "foundation_holdings"
	HoldingEntities    = "holding_entity"
)

// CofunderEdge is the total that one funder gave to one recipient, sorted by recipient and funder.
type CofunderEdge struct {
	RecipientEIN string `parquet:"recipient_ein,dict"`
	FunderEIN    string `parquet:"funder_ein,dict"`
	FirstYear    int32  `parquet:"first_year,dict"`
	LastYear     int32  `parquet:"last_year,dict"`
	TotalAmount  int64  `parquet:"total_amount"`
	GrantCount   int64  `parquet:"grant_count"`
}

// CofunderEdgeIntl is the total that one funder gave to one recipient abroad, sorted by cluster and funder.
type CofunderEdgeIntl struct {
	ClusterID   string `parquet:"cluster_id,dict"` // recip_id without its intl-
	FunderEIN   string `parquet:"funder_ein,dict"`
	FirstYear   int32  `parquet:"first_year,dict"`
	LastYear    int32  `parquet:"last_year,dict"`
	TotalAmount int64  `parquet:"total_amount"`
	GrantCount  int64  `parquet:"grant_count"`
}

// IntlEntity is one spelling of a recipient abroad without an EIN, sorted by country, spelling and cluster.
type IntlEntity struct {
	Country       string `parquet:"cc,dict"` // FIPS 10-4
	RecipientRaw  string `parquet:"recipient_raw"`
	ClusterID     string `parquet:"cluster_id,dict"`
	CanonicalName string `parquet:"canonical_name,dict"`
	Kind          string `parquet:"kind,dict"` // org, person, gov
}

// RecipientName is the chosen name of a recipient with an EIN, sorted by EIN.
type RecipientName struct {
	EIN       string `parquet:"ein"`
	Name      string `parquet:"name"`
	Source    string `parquet:"source,dict"` // own_filed, bmf, filed
	Spellings int32  `parquet:"spellings"`   // distinct names on grant lines
}

// GrantPurpose is the purpose of a grant of the universe tier, in the order of the grants.
type GrantPurpose struct {
	FunderEIN        string `parquet:"funder_ein,dict"`
	RecipientEIN     string `parquet:"recipient_ein,optional,dict"`
	RecipientRaw     string `parquet:"recipient_raw,dict"`
	RecipientCountry string `parquet:"recipient_country,optional,dict"`
	TaxYear          int32  `parquet:"tax_year,dict"`
	Amount           int64  `parquet:"amount"`
	Purpose          string `parquet:"purpose,dict"`
}

// ServiceArea is a place that an organization serves, sorted by EIN, level and code.
type ServiceArea struct {
	EIN        string  `parquet:"ein,dict"`
	FIPS       string  `parquet:"fips,dict"`
	Level      string  `parquet:"level,dict"` // county, state, national, international
	Name       string  `parquet:"name,dict"`
	Source     string  `parquet:"source,dict"`
	Confidence float64 `parquet:"confidence"`
}

// BoardLink is a pair of organizations that share people, sorted by the pair. The people are not stored.
type BoardLink struct {
	E1                   string  `parquet:"e1,dict"`
	E2                   string  `parquet:"e2,dict"` // greater than e1
	SharedPeople         int32   `parquet:"shared_people"`
	PossibleSharedPeople int32   `parquet:"possible_shared_people"`
	SameState            bool    `parquet:"same_state"`
	Conf                 float64 `parquet:"conf"`
}

// OrgFamily is the family of an organization, sorted by EIN.
type OrgFamily struct {
	EIN             string `parquet:"ein"`
	FamilyID        string `parquet:"family_id,dict"`
	FamilySize      int32  `parquet:"family_size"` // 1 is standalone
	CombinedRevenue int64  `parquet:"combined_revenue"`
	FamilyName      string `parquet:"family_name,dict"`
}

// AssetProfile is what a private foundation holds at the end of its latest year, sorted by EIN.
type AssetProfile struct {
	EIN             string   `parquet:"ein"`
	OrgName         string   `parquet:"org_name"`
	State           string   `parquet:"state,optional,dict"`
	City            string   `parquet:"city,optional"`
	ReturnType      string   `parquet:"return_type,dict"`
	TotalAssetsFMV  *int64   `parquet:"total_assets_fmv,optional"`
	ClassifiedFMV   int64    `parquet:"classified_assets_fmv"`
	ClassifiedPct   *float64 `parquet:"classified_coverage_pct,optional"` // null if the assets are unknown
	PublicEquityFMV int64    `parquet:"public_equity_fmv"`
	FixedIncomeFMV  int64    `parquet:"fixed_income_fmv"`
	AltsFMV         int64    `parquet:"alts_fmv"`
	PEFMV           int64    `parquet:"pe_fmv"`
	VCFMV           int64    `parquet:"vc_fmv"`
	HedgeFMV        int64    `parquet:"hedge_fmv"`
	ImpactFMV       int64    `parquet:"impact_fmv"`
	TopHoldingFMV   int64    `parquet:"top_holding_fmv"`
	TopHoldingPct   *float64 `parquet:"top_holding_pct_assets,optional"`
	Items           int64    `parquet:"n_items"`
	SelfManaged     bool     `parquet:"self_managed_flag"`
}

// FoundationHolding is a foundation's holding of one asset, all lots together, sorted by EIN, value and name.
type FoundationHolding struct {
	EIN           string `parquet:"ein,dict"`
	CanonicalName string `parquet:"canonical_name,dict"`
	FMV           int64  `parquet:"fmv"`
	EntityType    string `parquet:"entity_type,dict"`
	AssetClass    string `parquet:"asset_class,dict"`
	Vehicle       string `parquet:"vehicle,optional,dict"`
	Manager       string `parquet:"manager,optional,dict"`
	IsImpact      bool   `parquet:"is_impact"`
	Status        string `parquet:"resolution_status,dict"`
}

// HoldingEntity is one asset that foundations hold, sorted by name.
type HoldingEntity struct {
	CanonicalName string `parquet:"canonical_name"`
	Holders       int32  `parquet:"co_holder_count"`
	FMV           int64  `parquet:"fmv"`
	EntityType    string `parquet:"entity_type,dict"`
	AssetClass    string `parquet:"asset_class,dict"`
	Vehicle       string `parquet:"vehicle,optional,dict"`
	Manager       string `parquet:"manager,optional,dict"`
	IsImpact      bool   `parquet:"is_impact"`
	Status        string `parquet:"resolution_status,dict"` // corroborated_public, corroborated_private, review
}

const OrgCauses = "org_cause"

// OrgCause is the cause of one organization and where it comes from, sorted by
// EIN: the first letter of its registered code, else the inferred one.
type OrgCause struct {
	EIN        string  `parquet:"ein"`
	Letter     string  `parquet:"letter,dict"` // NTEE major group
	Label      string  `parquet:"label,dict"`
	Source     string  `parquet:"source,dict"`         // registered or inferred
	Confidence float64 `parquet:"confidence,optional"` // of an inferred cause
}

// Row types of the tables made from the compliance lists at the time of the build, with the columns of the
// warehouse. The lists themselves are refreshed separately; see package lists.

// Names of the tables.
const (
	OrgBMFs         = "org_bmf"
	Pub78s          = "pub78"
	AutoRevocations = "auto_revocation"
	OFACSDNs        = "ofac_sdn"
)

// OrgBMF is one organization of the master file, sorted by EIN, codes as published.
type OrgBMF struct {
	EIN            string `parquet:"ein"`
	Name           string `parquet:"name"`
	City           string `parquet:"city,optional,dict"`
	Subsection     string `parquet:"subsection,optional,dict"`
	Classification string `parquet:"classification,optional,dict"`
	Foundation     string `parquet:"foundation,optional,dict"`
	Deductibility  string `parquet:"deductibility,optional,dict"`
	Status         string `parquet:"status,optional,dict"`
	Ruling         string `parquet:"ruling,optional,dict"`
	NTEE           string `parquet:"ntee_cd,optional,dict"`
}

// Pub78 is one organization to which gifts are deductible, sorted by EIN.
type Pub78 struct {
	EIN   string `parquet:"ein"`
	Codes string `parquet:"deductibility_codes,dict"`
}

// AutoRevocation is one automatic revocation, sorted by EIN and date. Dates are days since 1970.
type AutoRevocation struct {
	EIN        string `parquet:"ein"`
	Revoked    int32  `parquet:"revocation_date,date"`
	Reinstated *int32 `parquet:"reinstatement_date,optional,date"`
}

// OFACSDN is one entry of the sanctions list, sorted by number. Programs are joined
// by "; ". The type of an entity is null, as upstream.
type OFACSDN struct {
	Num     int64  `parquet:"ent_num"`
	Name    string `parquet:"name"`
	Program string `parquet:"program,optional,dict"`
	Type    string `parquet:"sdn_type,optional,dict"`
}
