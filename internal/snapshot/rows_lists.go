package snapshot

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
