package client

// ScreeningAnswer is the screening of one organization.
type ScreeningAnswer struct {
	Head
	ScreeningRecord
	Report *Report `json:"report,omitempty" doc:"The signed record, to be kept as it is; absent on a free or trial key."`
	Tail
}

// BulkRequest is the body of a screening of many organizations.
type BulkRequest struct {
	EINs          []string `json:"eins" items:"string|integer" doc:"The EINs, at most 100, with or without the hyphen. A bare array of them is taken as well."`
	Reports       bool     `json:"reports,omitempty" doc:"Whether each record comes with a signed report; false when absent."`
	ExcludeEntNum []int64  `json:"exclude_ent_num,omitempty" doc:"Numbers of sanctioned entities that you have looked at and ruled out, at most 50. …"`
}

// BulkAnswer is the screening of many organizations.
type BulkAnswer struct {
	Head
	ResultsCount int                `json:"results_count" doc:"Records in this answer, as many as EINs were sent."`
	Results      []BulkResult       `json:"results" doc:"The records, in the order of the request."`
	Sources      *ComplianceSources `json:"sources,omitzero" doc:"The lists that were used for all of them."`
	Tail
}

// BulkResult is the record of one of many organizations, or why there is none.
type BulkResult struct {
	EIN          string                `json:"ein" doc:"The EIN, nine digits; as it was sent when it cannot be read."`
	Found        bool                  `json:"found" doc:"Whether any list or any filing knows the EIN."`
	Organization *ScreenedOrganization `json:"organization,omitempty" doc:"Who it is; absent when the EIN cannot be read."`
	Compliance   *Compliance           `json:"compliance,omitempty" doc:"What each list says; absent when the EIN cannot be read."`
	Report       *Report               `json:"report,omitempty" doc:"The signed record, when reports were asked for."`
	Error        *string               `json:"error" doc:"Why there is no record; null when there is one."`
}

// NamesRequest is the body of a screening of names.
type NamesRequest struct {
	Names         []NameToScreen `json:"names" doc:"The names, at most 100. A plain text instead of an object is a name alone."`
	Reports       *bool          `json:"reports,omitempty" doc:"Whether each name comes with a signed report; true when absent."`
	ExcludeEntNum []int64        `json:"exclude_ent_num,omitempty" doc:"Numbers of sanctioned entities that you have looked at and ruled out, at most 50. …"`
}

// NameToScreen is a name to screen, with what is known of where it is.
type NameToScreen struct {
	Name    string `json:"name" doc:"Name, at most 300 bytes."`
	Country string `json:"country,omitempty" doc:"Country; compared with the addresses in the list, and never used to leave out a match."`
	City    string `json:"city,omitempty" doc:"City; likewise."`
}

// NamesAnswer is the screening of names that have no EIN.
type NamesAnswer struct {
	Head
	ResultsCount int          `json:"results_count" doc:"Records in this answer, as many as names were sent."`
	Results      []NameResult `json:"results" doc:"The records, in the order of the request."`
	Sources      *NameSources `json:"sources,omitzero" doc:"The list that was used for all of them."`
	Tail
}

// NameResult is the record of one of the names, or why there is none.
type NameResult struct {
	Name       string          `json:"name" doc:"Name as sent, clipped when it cannot be read."`
	Country    *string         `json:"country" doc:"Country as sent."`
	City       *string         `json:"city" doc:"City as sent."`
	Compliance *NameCompliance `json:"compliance,omitempty" doc:"What the sanctions list says; absent when the name cannot be read."`
	Report     *NameReport     `json:"report,omitempty" doc:"The signed record, unless reports is false."`
	Error      *string         `json:"error" doc:"Why there is no record; null when there is one."`
}

// ScreeningRecord is what the lists say about one organization. Unknown values are null. A block whose list could not be used
// has screened false, status not_screened and nulls, so it never looks like a list that was searched without a finding.
//
// Lists of evidence are left out when they are nil: because the list was not screened, or because the
// evidence is withheld from the caller. An empty list is written as [], and means that nothing was found.
type ScreeningRecord struct {
	EIN          string               `json:"ein" doc:"The EIN that was asked for, nine digits."`
	Found        bool                 `json:"found" doc:"Whether any list or any filing knows the EIN. When it is false, …"`
	Organization ScreenedOrganization `json:"organization" doc:"Who it is, from the first source that knows it: the master file, Publication 78, …"`
	Compliance   Compliance           `json:"compliance" doc:"What each list says."`
	Sources      *ComplianceSources   `json:"sources,omitzero" doc:"The lists that were used: their dates, sizes and whether they are current."`
}

// ScreenedOrganization is who a screening is about.
type ScreenedOrganization struct {
	EIN                 string   `json:"ein" doc:"Nine digits."`
	OrganizationName    *string  `json:"organization_name" doc:"Name in the source; null when no source knows the EIN."`
	OrganizationNameAKA *string  `json:"organization_name_aka" doc:"Second name in the source, null when there is none."`
	NameSource          *string  `json:"name_source" doc:"Where the name is from." enum:"bmf,pub78,revocation,filings"`
	Names               []string `json:"names" doc:"Every name that was screened, as the sources write it."`
	AddressLine1        *string  `json:"address_line1" doc:"Street, as in the master file."`
	City                *string  `json:"city" doc:"City."`
	State               *string  `json:"state" doc:"Two-letter state."`
	StateName           *string  `json:"state_name" doc:"Name of the state."`
	ZIP                 *string  `json:"zip" doc:"ZIP code as in the master file."`
}

// Compliance is what the lists say of an organization.
type Compliance struct {
	InBMF         *bool `json:"in_bmf" doc:"Whether the IRS business master file lists the EIN; null when it was not screened."`
	Pub78Verified *bool `json:"pub78_verified" doc:"Whether IRS Publication 78 lists the EIN as able to receive deductible contributions; …"`
	Revoked       *bool `json:"revoked" doc:"Whether the exemption was revoked automatically and not reinstated; null when it was not screened."`
	Conflict      *bool `json:"conflict" doc:"Whether the master file and Publication 78 disagree on existence, class or deductibility; …"`

	BMF                 MasterFileScreen  `json:"bmf" doc:"IRS business master file."`
	Pub78               Pub78Screen       `json:"pub78" doc:"IRS Publication 78."`
	Revocation          RevocationScreen  `json:"revocation" doc:"IRS automatic revocation list."`
	OFACSanctionsScreen SanctionsScreen   `json:"ofac_sanctions_screen" doc:"Name screen against the sanctioned entities of OFAC."`
	OFAC                SanctionsScreen   `json:"ofac" doc:"The same as ofac_sanctions_screen."`
	IRBScreen           BulletinScreen    `json:"irb_screen" doc:"Name screen against the deletions announced in the Internal Revenue Bulletin."`
	StateRegistration   StateRegistration `json:"state_registration" doc:"State registries. California only; every other state is not screened."`
	GroupExemption      GroupExemption    `json:"group_exemption" doc:"Group ruling of the organization."`
	BMFFinancials       *BMFFinancials    `json:"bmf_financials,omitzero" doc:"Figures of the master file, from the latest return it knows."`
	Caveats             []string          `json:"caveats" doc:"What to know before anything is concluded from it."`
	Reliance            Reliance          `json:"reliance" doc:"Elements of a report under Rev. Proc. 2018-32, and cases in which reliance does not apply. …"`
}

// ScreenProvenance says what a block of a screening rests on.
type ScreenProvenance struct {
	Screened  bool    `json:"screened" doc:"Whether the list could be used. When it is false nothing in the block says that the organization is clear."`
	Status    string  `json:"status" doc:"What was found; not_screened when the list could not be used."`
	Source    string  `json:"source" doc:"Name of the list, as in sources." enum:"bmf,pub78,revocation,ofac,irb,ca_registry,ca_ftb"`
	Revised   *string `json:"revised" doc:"Revision date of the list." format:"date"`
	FetchedAt *string `json:"fetched_at" doc:"When it was fetched." format:"date-time"`
	IsCurrent *bool   `json:"is_current" doc:"Whether it was the newest upstream when last looked at; null when that is not known."`
	Note      *string `json:"note" doc:"Why it was not screened, or what else to know."`
}

// MasterFileScreen is the row of the master file. Status is listed, not_listed or not_screened.
type MasterFileScreen struct {
	ScreenProvenance
	OrganizationName            *string  `json:"organization_name" doc:"Name in the master file."`
	EIN                         *string  `json:"ein" doc:"EIN in the master file."`
	SubsectionCode              *string  `json:"subsection_code" doc:"Subsection of section 501(c), two digits: 03 is 501(c)(3)."`
	SubsectionDescription       *string  `json:"subsection_description" doc:"The subsection in words."`
	Classifications             []string `json:"classifications" doc:"What kinds of organization it is classified as."`
	FoundationCode              *string  `json:"foundation_code" doc:"Foundation code of the master file, two digits."`
	FoundationCodeDescription   *string  `json:"foundation_code_description" doc:"The code in words."`
	FoundationTypeCode          *string  `json:"foundation_type_code" doc:"PC public charity, PF private foundation, …" enum:"PC,PF,POF,SO"`
	FoundationTypeDescription   *string  `json:"foundation_type_description" doc:"The type in words."`
	Foundation509aStatus        *string  `json:"foundation_509a_status" doc:"Which paragraph of section 509(a) it falls under."`
	DeductibilityCode           *string  `json:"deductibility_code" doc:"1 deductible, 2 not, 4 by treaty."`
	DeductibilityDescription    *string  `json:"deductibility_description" doc:"The code in words."`
	ExemptStatusCode            *string  `json:"exempt_status_code" doc:"Status code of the exemption."`
	ExemptStatusDescription     *string  `json:"exempt_status_description" doc:"The code in words."`
	AffiliationCode             *string  `json:"affiliation_code" doc:"Affiliation code: 3 independent, 6 and 8 central organization of a group, 9 subordinate."`
	AffiliationDescription      *string  `json:"affiliation_description" doc:"The code in words."`
	FilingReqCode               *string  `json:"filing_req_code" doc:"Which return it must file: the two digits of the master file and the digit for Form 990-PF."`
	FilingReqDescription        *string  `json:"filing_req_description" doc:"The code in words."`
	OrganizationCode            *string  `json:"organization_code" doc:"Legal form code."`
	OrganizationCodeDescription *string  `json:"organization_code_description" doc:"The code in words."`
	NTEECode                    *string  `json:"ntee_code" doc:"National Taxonomy of Exempt Entities."`
	NTEEDescription             *string  `json:"ntee_description" doc:"The code in words."`
	RulingMonth                 *int     `json:"ruling_month" doc:"Month of the ruling, 1 to 12."`
	RulingYear                  *int     `json:"ruling_year" doc:"Year of the ruling."`
	ChurchMessage               *string  `json:"church_message" doc:"What absence means for churches, where it matters."`
	MostRecentBMF               *string  `json:"most_recent_bmf" doc:"Revision date of the extract; the same as revised." format:"date"`
}

// Pub78Screen is the row of Publication 78. Status is listed, not_listed or not_screened.
type Pub78Screen struct {
	ScreenProvenance
	OrganizationName  *string                 `json:"organization_name" doc:"Name in Publication 78."`
	EIN               *string                 `json:"ein" doc:"EIN in Publication 78."`
	City              *string                 `json:"city" doc:"City."`
	State             *string                 `json:"state" doc:"State; null for a foreign address."`
	Country           *string                 `json:"country" doc:"Country."`
	OrganizationTypes []Pub78OrganizationType `json:"organization_types,omitzero" doc:"Its deductibility codes, each explained."`
	ChurchMessage     *string                 `json:"church_message" doc:"What absence means for churches, where it matters."`
	MostRecentPub78   *string                 `json:"most_recent_pub78" doc:"Revision date of the list; the same as revised." format:"date"`
}

// Pub78OrganizationType is one deductibility code of Publication 78.
type Pub78OrganizationType struct {
	Code                           string  `json:"code" doc:"Code, such as PC."`
	OrganizationType               string  `json:"organization_type" doc:"What kind of organization it means; the code itself when it is not documented."`
	DeductibilityLimitation        *string `json:"deductibility_limitation" doc:"Limit of an individual's deduction, as the IRS publishes it; …"`
	DeductibilityStatusDescription *string `json:"deductibility_status_description" doc:"The code as the IRS explains it."`
}

// RevocationScreen is what the automatic revocation list says. Status is not_listed, revoked, reinstated or not_screened.
type RevocationScreen struct {
	ScreenProvenance
	RevocationDate    *string           `json:"revocation_date" doc:"Effective date of the latest revocation." format:"date"`
	PostingDate       *string           `json:"posting_date" doc:"When it was posted: reliance ends on public notice, not on the effective date." format:"date"`
	ReinstatementDate *string           `json:"reinstatement_date" doc:"When the exemption was reinstated; null when it was not." format:"date"`
	RevocationCode    *string           `json:"revocation_code" doc:"Subsection under which it was exempt."`
	Events            []RevocationEvent `json:"events" doc:"Every row of the list, oldest first."`
}

// RevocationEvent is one row of the automatic revocation list.
type RevocationEvent struct {
	OrganizationName  *string `json:"organization_name" doc:"Name in the list."`
	RevocationDate    string  `json:"revocation_date" doc:"Effective date." format:"date"`
	PostingDate       *string `json:"posting_date" doc:"When it was posted." format:"date"`
	ReinstatementDate *string `json:"reinstatement_date" doc:"When the exemption was reinstated." format:"date"`
}

// SanctionsScreen is the screen of names against the sanctions list. Status is clear, potential_match, ruled_out
// (every match was ruled out by the caller) or not_screened.
type SanctionsScreen struct {
	ScreenProvenance
	OFACStatus       string           `json:"ofac_status" doc:"The result in a sentence."`
	Threshold        float64          `json:"threshold" doc:"Score from which a name is reported."`
	NamesScreened    []string         `json:"names_screened" doc:"Names that were compared with the list."`
	PotentialMatches []SanctionsMatch `json:"potential_matches,omitzero" doc:"Entities whose name resembles one of them, best first: the best 10, …"`
	MatchCount       *int             `json:"match_count" doc:"Entities at or above the threshold in all; null when not screened."`
	ExcludedEntNum   []int64          `json:"excluded_ent_num" doc:"Entities that the caller has ruled out; their matches are shown as ruled out."`
	List             SanctionsList    `json:"list" doc:"The list as it was screened."`
	Caveat           string           `json:"caveat" doc:"What the screen does not show."`
}

// SanctionsList names the sanctions list that was used.
type SanctionsList struct {
	Revised  *string `json:"revised" doc:"Revision date." format:"date"`
	RowCount *int64  `json:"row_count" doc:"Entries of all kinds."`
	SHA256   *string `json:"sha256" doc:"Fingerprint of the files it was read from."`
}

// SanctionsMatch is one entity of the sanctions list whose name resembles one that was compared.
type SanctionsMatch struct {
	EntNum      int64                  `json:"ent_num" doc:"Number of the entity in the list."`
	Name        string                 `json:"name" doc:"Its primary name."`
	MatchedName string                 `json:"matched_name" doc:"The name of it that resembles."`
	QueryName   string                 `json:"query_name" doc:"The name that was compared."`
	AliasType   string                 `json:"alias_type" doc:"What kind of name matched_name is." enum:"primary,aka,fka,weak"`
	Program     string                 `json:"program" doc:"Sanctions programs, comma-separated."`
	SDNType     string                 `json:"sdn_type" doc:"Always entity: individuals, vessels and aircraft are not screened." enum:"entity"`
	Score       float64                `json:"score" doc:"Likeness from 0 to 1."`
	Strength    string                 `json:"strength" doc:"exact: the same words; strong: 0.90 and more; possible: the rest." enum:"exact,strong,possible"`
	RuledOut    bool                   `json:"ruled_out" doc:"The caller named it in exclude_ent_num."`
	Aligned     []SanctionsAlignedWord `json:"aligned" doc:"Which words were treated as the same, and how much they count."`
	Flags       []string               `json:"flags" doc:"What else went into the score."`
	Places      []SanctionsPlace       `json:"places" doc:"Addresses of the entity in the list, at most 5."`
}

// SanctionsAlignedWord is a word of a name and the word of the sanctions list that it was paired with.
type SanctionsAlignedWord struct {
	Query      string  `json:"query" doc:"Word of the name that was compared."`
	List       string  `json:"list" doc:"Word of the list's name."`
	Similarity float64 `json:"sim" doc:"Likeness of the two, from 0 to 1."`
	Weight     float64 `json:"weight" doc:"How much the word counts: common words count little."`
}

// SanctionsPlace is an address of a sanctioned entity.
type SanctionsPlace struct {
	Address *string `json:"address" doc:"Street."`
	City    *string `json:"city" doc:"City with province and postal code."`
	Country *string `json:"country" doc:"Country."`
}

// BulletinScreen is the screen against bulletin deletions, which give names and
// places but no EIN. Status is clear, potential_match or not_screened.
type BulletinScreen struct {
	ScreenProvenance
	CoversThrough    *string         `json:"covers_through" doc:"Newest bulletin that was read, such as 2026-40."`
	MostRecentIRB    *string         `json:"most_recent_irb" doc:"Publication date of that bulletin." format:"date"`
	PotentialMatches []BulletinMatch `json:"potential_matches,omitzero" doc:"Deletions whose name and state agree, best first, at most 10."`
	MatchCount       *int            `json:"match_count" doc:"Deletions that agree in all; null when not screened."`
}

// BulletinMatch is one deletion that may be about the organization.
type BulletinMatch struct {
	Name           string  `json:"name" doc:"Name in the bulletin."`
	City           *string `json:"city" doc:"City."`
	State          *string `json:"state" doc:"State."`
	BulletinNumber string  `json:"bulletin_number" doc:"Number of the bulletin, such as 2026-40."`
	BulletinURL    string  `json:"bulletin_url" doc:"Where the bulletin is published." format:"uri"`
	Published      *string `json:"published" doc:"Date of the bulletin." format:"date"`
	Announcement   *string `json:"announcement" doc:"Number of the announcement."`
	EffectiveDate  *string `json:"effective_date" doc:"When the revocation took effect." format:"date"`
	QueryName      string  `json:"query_name" doc:"The name that was compared."`
	Score          float64 `json:"score" doc:"Likeness of the names from 0 to 1."`
	Strength       string  `json:"strength" doc:"strong: the same name in the same state; possible: a similar one." enum:"strong,possible"`
}

// StateRegistration is what state registries say.
type StateRegistration struct {
	California CaliforniaScreen `json:"california"`
}

// CaliforniaScreen is what the two lists of California say. Status is of the registry: listed, not_listed or
// not_screened; not_listed is no finding against an organization that does not operate there.
type CaliforniaScreen struct {
	ScreenProvenance
	FTB             ScreenProvenance           `json:"ftb" doc:"The Franchise Tax Board's list of revoked exemptions: revoked, not_listed or not_screened."`
	MayOperate      *bool                      `json:"may_operate" doc:"Whether the registry's status allows it to operate and solicit in California; …"`
	GoodStanding    *bool                      `json:"good_standing" doc:"False when the IRS or the Franchise Tax Board revoked the exemption or the registry …"`
	RegistryRecords []CaliforniaRegistryRecord `json:"registry_records,omitzero" doc:"Its registrations, each with its status as published."`
	FTBRecords      []CaliforniaFTBRecord      `json:"ftb_records,omitzero" doc:"Its rows in the list of revoked exemptions."`
}

// CaliforniaRegistryRecord is one registration of a charity in California.
type CaliforniaRegistryRecord struct {
	RegistrationNumber *string `json:"registration_number" doc:"State charity registration number."`
	Status             *string `json:"status" doc:"Status as the registry writes it."`
	List               string  `json:"list" doc:"Which of the registry's lists the row is in."`
	MayOperate         *bool   `json:"may_operate" doc:"What the status means; null when it does not say."`
	Name               string  `json:"name" doc:"Name in the registry."`
	City               *string `json:"city" doc:"City."`
	State              *string `json:"state" doc:"State."`
	EIN                *string `json:"ein" doc:"EIN in the registry; null when the row has none."`
	Issued             *string `json:"issued" doc:"When it was issued." format:"date"`
	Renewed            *string `json:"renewed" doc:"Last renewal." format:"date"`
	StatusSet          *string `json:"status_set" doc:"When the status was set." format:"date"`
	MatchBasis         string  `json:"match_basis" doc:"How the row was found: by EIN or, for an organization in California, by its name, …" enum:"ein,name"`
}

// CaliforniaFTBRecord is one row of California's list of revoked exemptions.
type CaliforniaFTBRecord struct {
	EntityID   *string `json:"entity_id" doc:"Entity number."`
	Name       string  `json:"name" doc:"Name in the list."`
	City       *string `json:"city" doc:"City."`
	Section    *string `json:"section" doc:"Section of the Revenue and Taxation Code."`
	Revoked    *string `json:"revoked_date" doc:"When the exemption was revoked." format:"date"`
	EIN        *string `json:"ein" doc:"EIN in the list; null when the row has none."`
	MatchBasis string  `json:"match_basis" doc:"How the row was found." enum:"ein,name"`
}

// GroupExemption is the group ruling of an organization.
type GroupExemption struct {
	GroupExemption      *string              `json:"group_exemption" doc:"Group exemption number; …"`
	IsSubordinate       *bool                `json:"is_subordinate" doc:"Covered by the listing of its central organization; null when not screened."`
	IsCentral           *bool                `json:"is_central" doc:"Central organization of a group; null when not screened."`
	ParentOrganizations []ParentOrganization `json:"parent_organizations,omitzero" doc:"Central organizations of the group."`
}

// ParentOrganization is the central organization of a group.
type ParentOrganization struct {
	EIN              string   `json:"ein" doc:"EIN."`
	OrganizationName string   `json:"organization_name" doc:"Name."`
	GroupExemption   string   `json:"group_exemption" doc:"Group exemption number."`
	Pub78Codes       []string `json:"pub78_codes,omitzero" doc:"Its codes in Publication 78, of which GROUP covers its subordinates; …"`
}

// BMFFinancials are the figures that the master file has of an organization.
type BMFFinancials struct {
	TaxPeriod        *string `json:"tax_period" doc:"End of the tax period of the figures, YYYYMM."`
	AssetAmount      *int64  `json:"asset_amount" doc:"Whole dollars."`
	IncomeAmount     *int64  `json:"income_amount" doc:"Whole dollars."`
	RevenueAmount    *int64  `json:"revenue_amount" doc:"Form 990 revenue, whole dollars."`
	AssetCode        *string `json:"asset_code" doc:"Band of the assets."`
	AssetBand        *string `json:"asset_band" doc:"The band in words."`
	IncomeCode       *string `json:"income_code" doc:"Band of the income."`
	IncomeBand       *string `json:"income_band" doc:"The band in words."`
	AccountingPeriod *string `json:"accounting_period" doc:"Month in which its year ends, two digits."`
}

// Reliance is what a report under Rev. Proc. 2018-32 contains.
type Reliance struct {
	RelianceAvailable *bool             `json:"reliance_available" doc:"Whether every required element is there and no flag speaks against it; …"`
	ReportComplete    *bool             `json:"report_complete" doc:"Whether each element is met or does not apply; null when one was not screened."`
	Elements          []RelianceElement `json:"elements,omitzero" doc:"The nine elements that a third-party report must contain."`
	Flags             []RelianceFlag    `json:"flags" doc:"Cases in which reliance does not apply or needs more."`
	BMFExtract        MasterFileExtract `json:"bmf_extract" doc:"The extract of the master file that was used."`
	Statement         string            `json:"statement" doc:"What the report is, in words."`
}

// RelianceElement is one thing that such a report must contain.
type RelianceElement struct {
	ID     string  `json:"id" doc:"Which element." enum:"…"`
	Result string  `json:"result" doc:"met, not_met, not_applicable or not_screened." enum:"met,not_met,not_applicable,not_screened"`
	Value  *string `json:"value" doc:"What the report shows for it."`
	Source *string `json:"source" doc:"List it is from; null for what the service itself states."`
	AsOf   *string `json:"as_of" doc:"Date of that list."`
	Reason *string `json:"reason" doc:"Why it is not met, or what to know."`
}

// RelianceFlag is a case in which reliance on the report does not apply or needs more.
type RelianceFlag struct {
	ID      string  `json:"id" doc:"Which case." enum:"…"`
	Applies *bool   `json:"applies" doc:"Whether the data shows it; null when it cannot."`
	Basis   string  `json:"basis" doc:"Rule behind it."`
	Note    *string `json:"note" doc:"What the data shows, and what to do."`
}

// MasterFileExtract names the extract of the master file that was used.
type MasterFileExtract struct {
	Revised   *string `json:"revised" doc:"Revision date." format:"date"`
	FetchedAt *string `json:"fetched_at" doc:"When it was fetched." format:"date-time"`
	IsCurrent *bool   `json:"is_current" doc:"Whether it was the newest upstream when last looked at."`
	SHA256    *string `json:"sha256" doc:"Fingerprint of its files."`
}

// ScreenedName is a name that was screened, with what is known of where it is.
type ScreenedName struct {
	Name    string  `json:"name" doc:"Name as sent."`
	Country *string `json:"country" doc:"Country as sent; compared with the addresses in the list and never used to leave out a match."`
	City    *string `json:"city" doc:"City as sent; likewise."`
}

// NameCompliance is the one block of a name screen.
type NameCompliance struct {
	OFACSanctionsScreen SanctionsScreen `json:"ofac_sanctions_screen"`
	Caveats             []string        `json:"caveats" doc:"What to know before anything is concluded from it."`
}

// NameSources is the one source of a name screen.
type NameSources struct {
	OFAC ComplianceSource `json:"ofac"`
}

// ComplianceSources are the lists that screenings use.
type ComplianceSources struct {
	IRB        ComplianceSource `json:"irb" doc:"Internal Revenue Bulletin announcements."`
	CARegistry ComplianceSource `json:"ca_registry" doc:"California Registry of Charities."`
	BMF        ComplianceSource `json:"bmf" doc:"IRS Exempt Organizations Business Master File."`
	Pub78      ComplianceSource `json:"pub78" doc:"IRS Publication 78 data."`
	CAFTB      ComplianceSource `json:"ca_ftb" doc:"California Franchise Tax Board revoked list."`
	OFAC       ComplianceSource `json:"ofac" doc:"OFAC sanctions lists."`
	Revocation ComplianceSource `json:"revocation" doc:"IRS automatic revocation list."`
}

// ComplianceSource is the state of one list. Unknown values are null, and so is the count of a list that is not loaded.
type ComplianceSource struct {
	FetchedAt         *string `json:"fetched_at" doc:"When the list was fetched; null when it is not loaded." format:"date-time"`
	Revised           *string `json:"revised" doc:"Oldest revision date among the parts of the list."`
	RevisedNewest     *string `json:"revised_newest" doc:"Newest revision date among them."`
	URL               string  `json:"url" doc:"Where it is published." format:"uri"`
	RowCount          *int64  `json:"row_count" doc:"Rows loaded."`
	IsCurrent         *bool   `json:"is_current" doc:"Whether the loaded list is the one upstream has; null when that is not known."`
	UpstreamRevised   *string `json:"upstream_revised" doc:"Revision that upstream showed when last looked at."`
	UpstreamCheckedAt *string `json:"upstream_checked_at" doc:"When upstream was last looked at." format:"date-time"`
	Publishes         string  `json:"publishes" doc:"How often upstream publishes."`
	Polled            string  `json:"polled" doc:"How often we look."`
	SHA256            *string `json:"sha256" doc:"Fingerprint of the files it was read from."`
	Screens           bool    `json:"screens" doc:"Whether screenings use it now: a list that is missing, damaged or too old is not_screened."`
	Caveat            *string `json:"caveat,omitempty" doc:"What the list cannot show."`
	Note              *string `json:"note,omitempty" doc:"Why the list is not used, or why a newer one than the loaded was not taken."`
}
