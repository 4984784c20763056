package lists

// The row types of the tables of an edition. EINs have nine digits, dates are
// YYYY-MM-DD. A column tagged optional is null if upstream left it empty.

// Names of the tables.
const (
	Masters        = "bmf"
	Deductibles    = "pub78"
	Revocations    = "revocation"
	Sanctions      = "ofac"
	SanctionNames  = "ofac_name"
	SanctionPlaces = "ofac_place"
	Deletions      = "irb"
	Bulletins      = "irb_bulletin"
	Registrations  = "ca_registry"
	FTBRecords     = "ca_ftb"
)

// Master is one organization of the master file, codes as published, sorted by
// EIN. The in-care-of line is left out: it names a person.
type Master struct {
	EIN              string `parquet:"ein"`
	Name             string `parquet:"name"`
	SortName         string `parquet:"sort_name,optional"`
	Street           string `parquet:"street,optional"`
	City             string `parquet:"city,optional,dict"`
	State            string `parquet:"state,optional,dict"`
	ZIP              string `parquet:"zip,optional"`
	Group            string `parquet:"group,optional,dict"`
	Subsection       string `parquet:"subsection,optional,dict"`
	Affiliation      string `parquet:"affiliation,optional,dict"`
	Classification   string `parquet:"classification,optional,dict"`
	Ruling           string `parquet:"ruling,optional,dict"`
	Deductibility    string `parquet:"deductibility,optional,dict"`
	Foundation       string `parquet:"foundation,optional,dict"`
	Activity         string `parquet:"activity,optional,dict"`
	Organization     string `parquet:"organization,optional,dict"`
	Status           string `parquet:"status,optional,dict"`
	TaxPeriod        string `parquet:"tax_period,optional,dict"`
	AssetCode        string `parquet:"asset_cd,optional,dict"`
	IncomeCode       string `parquet:"income_cd,optional,dict"`
	FilingReq        string `parquet:"filing_req_cd,optional,dict"`
	PFFilingReq      string `parquet:"pf_filing_req_cd,optional,dict"`
	AccountingPeriod string `parquet:"acct_pd,optional,dict"`
	Assets           *int64 `parquet:"asset_amt,optional"`
	Income           *int64 `parquet:"income_amt,optional"`
	Revenue          *int64 `parquet:"revenue_amt,optional"`
	NTEE             string `parquet:"ntee_cd,optional,dict"`
}

// Deductible is one row of Publication 78, sorted by EIN.
type Deductible struct {
	EIN     string `parquet:"ein"`
	Name    string `parquet:"name"`
	City    string `parquet:"city,optional,dict"`
	State   string `parquet:"state,optional,dict"`
	Country string `parquet:"country,optional,dict"`
	Codes   string `parquet:"deductibility_codes,dict"`
}

// RevocationRow is one automatic revocation, sorted by EIN and date. An EIN that was revoked twice has two rows.
type RevocationRow struct {
	EIN        string `parquet:"ein"`
	Name       string `parquet:"name,optional"`
	DBA        string `parquet:"dba,optional"`
	City       string `parquet:"city,optional,dict"`
	State      string `parquet:"state,optional,dict"`
	Subsection string `parquet:"subsection,optional,dict"`
	Revoked    string `parquet:"revocation_date,dict"`
	Posted     string `parquet:"posting_date,optional,dict"`
	Reinstated string `parquet:"reinstatement_date,optional,dict"`
}

// Sanction is one entry of the sanctions list, sorted by number. Its type is null for an entity, as upstream.
type Sanction struct {
	Num      int64    `parquet:"ent_num"`
	Name     string   `parquet:"name"`
	Type     string   `parquet:"sdn_type,optional,dict"`
	Programs []string `parquet:"programs,list"`
	Title    string   `parquet:"title,optional"`
	Remarks  string   `parquet:"remarks,optional"`
}

// Entity reports whether an entry is an organization: not a person, a vessel or an aircraft. Unknown types
// count as organizations, so that they are compared and not missed.
func (s *Sanction) Entity() bool {
	return s.Type != "individual" && s.Type != "vessel" && s.Type != "aircraft"
}

// SanctionName is one name of an entry: primary, aka, fka, nka or weak, sorted by entry and position.
type SanctionName struct {
	Num  int64  `parquet:"ent_num"`
	Kind string `parquet:"kind,dict"`
	Name string `parquet:"name"`
}

// SanctionPlace is one address of an entry.
type SanctionPlace struct {
	Num     int64  `parquet:"ent_num"`
	Street  string `parquet:"address,optional"`
	City    string `parquet:"city,optional"`
	Country string `parquet:"country,optional,dict"`
}

// Bulletin is one Internal Revenue Bulletin that was read, sorted by number.
type Bulletin struct {
	Number    string `parquet:"bulletin"`
	Date      string `parquet:"published"`
	Deletions int64  `parquet:"deletions"`
}

// Deletion is one organization that lost its exempt status according to a bulletin, sorted by bulletin. Bulletins give no EIN.
type Deletion struct {
	Bulletin     string `parquet:"bulletin,dict"`
	Published    string `parquet:"published,dict"`
	Announcement string `parquet:"announcement,optional,dict"`
	Name         string `parquet:"name"`
	City         string `parquet:"city,optional"`
	State        string `parquet:"state,optional,dict"`
	Effective    string `parquet:"effective_date,optional"`
}

// Registration is one row of California's registry of charities, sorted by EIN (rows without one last), registration and name.
type Registration struct {
	EIN          string `parquet:"ein,optional"`
	List         string `parquet:"list,dict"` // the registry's list with this row
	Status       string `parquet:"status,optional,dict"`
	Registration string `parquet:"registration,optional"`
	SOS          string `parquet:"sos_ftb,optional"`
	Name         string `parquet:"name"`
	City         string `parquet:"city,optional,dict"`
	State        string `parquet:"state,optional,dict"`
	Issued       string `parquet:"issued,optional"`
	Renewed      string `parquet:"renewed,optional"`
	StatusSet    string `parquet:"status_set,optional"`
}

// FTBRecord is one organization whose California exemption was revoked, sorted by EIN
// (rows without one last) and entity number.
type FTBRecord struct {
	EIN      string `parquet:"ein,optional"`
	EntityID string `parquet:"entity_id,optional"`
	Name     string `parquet:"name"`
	City     string `parquet:"city,optional"`
	Section  string `parquet:"section,optional,dict"`
	Revoked  string `parquet:"revoked,optional"`
}
