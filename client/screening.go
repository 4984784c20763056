package client

// ScreeningAnswer is the screening of one organization.
type ScreeningAnswer struct {
	Head
	ScreeningRecord
	Report *Report `json:"report,omitempty" doc:"The signed report. Keep it unchanged. Absent for a free or trial key."`
	Tail
}

// BulkRequest is the body of a screening of many organizations.
type BulkRequest struct {
	EINs          []string `json:"eins" items:"string|integer" doc:"Up to 100 EINs, with or without the hyphen. You can also send the array alone as the body."`
	Reports       bool     `json:"reports,omitempty" doc:"Whether each record includes a signed report. Default: false."`
	ExcludeEntNum []int64  `json:"exclude_ent_num,omitempty" doc:"Up to 50 numbers of sanctioned entities that you have reviewed and ruled out. …"`
}

// BulkAnswer is the screening of many organizations.
type BulkAnswer struct {
	Head
	ResultsCount int                `json:"results_count" doc:"Number of records, one for each EIN you sent."`
	Results      []BulkResult       `json:"results" doc:"The records, in the order of the request."`
	Sources      *ComplianceSources `json:"sources,omitzero" doc:"The lists used for all records."`
	Tail
}

// BulkResult is the record of one of many organizations, or why there is none.
type BulkResult struct {
	EIN          string                `json:"ein" doc:"EIN, nine digits; if unreadable, as you sent it."`
	Found        bool                  `json:"found" doc:"Whether any list or filing contains the EIN."`
	Organization *ScreenedOrganization `json:"organization,omitempty" doc:"Name and address of the organization; absent if the EIN is unreadable."`
	Compliance   *Compliance           `json:"compliance,omitempty" doc:"Result for each list; absent if the EIN is unreadable."`
	Report       *Report               `json:"report,omitempty" doc:"The signed report, if you requested reports."`
	Error        *string               `json:"error" doc:"Why there is no record; null if there is one."`
}

// NamesRequest is the body of a screening of names.
type NamesRequest struct {
	Names         []NameToScreen `json:"names" doc:"Up to 100 names. You can send a plain string instead of an object."`
	Reports       *bool          `json:"reports,omitempty" doc:"Whether each record includes a signed report. Default: true."`
	ExcludeEntNum []int64        `json:"exclude_ent_num,omitempty" doc:"Up to 50 numbers of sanctioned entities that you have reviewed and ruled out. …"`
}

// NameToScreen is a name to screen, with what is known of where it is.
type NameToScreen struct {
	Name    string `json:"name" doc:"Name, up to 300 bytes."`
	Country string `json:"country,omitempty" doc:"Country. We compare it with the addresses in the list, but it never removes a match."`
	City    string `json:"city,omitempty" doc:"City. We compare it with the addresses in the list, but it never removes a match."`
}

// NamesAnswer is the screening of names that have no EIN.
type NamesAnswer struct {
	Head
	ResultsCount int          `json:"results_count" doc:"Number of records, one for each name you sent."`
	Results      []NameResult `json:"results" doc:"The records, in the order of the request."`
	Sources      *NameSources `json:"sources,omitzero" doc:"The list used for all records."`
	Tail
}

// NameResult is the record of one of the names, or why there is none.
type NameResult struct {
	Name       string          `json:"name" doc:"Name as you sent it; shortened if unreadable."`
	Country    *string         `json:"country" doc:"Country as you sent it."`
	City       *string         `json:"city" doc:"City as you sent it."`
	Compliance *NameCompliance `json:"compliance,omitempty" doc:"Result for the sanctions list; absent if the name is unreadable."`
	Report     *NameReport     `json:"report,omitempty" doc:"The signed report, unless reports is false."`
	Error      *string         `json:"error" doc:"Why there is no record; null if there is one."`
}

// ScreeningRecord is what the lists say about one organization. Unknown values are null. A block whose list could not be used
// has screened false, status not_screened and nulls, so it never looks like a list that was searched without a finding.
//
// Lists of evidence are left out when they are nil: because the list was not screened, or because the
// evidence is withheld from the caller. An empty list is written as [], and means that nothing was found.
type ScreeningRecord struct {
	EIN          string               `json:"ein" doc:"The EIN you asked for, nine digits."`
	Found        bool                 `json:"found" doc:"Whether any list or filing contains the EIN. If false, the name screens are not_screened because …"`
	Organization ScreenedOrganization `json:"organization" doc:"Name and address, from the first source that contains the EIN: the IRS master file, …"`
	Compliance   Compliance           `json:"compliance" doc:"Result for each list."`
	Sources      *ComplianceSources   `json:"sources,omitzero" doc:"The lists used: their dates, sizes and whether they are current."`
}

// ScreenedOrganization is who a screening is about.
type ScreenedOrganization struct {
	EIN                 string   `json:"ein" doc:"EIN, nine digits."`
	OrganizationName    *string  `json:"organization_name" doc:"Name in the source; null if no source contains the EIN."`
	OrganizationNameAKA *string  `json:"organization_name_aka" doc:"Second name in the source; null if there is none."`
	NameSource          *string  `json:"name_source" doc:"Source of the name." enum:"bmf,pub78,revocation,filings"`
	Names               []string `json:"names" doc:"All names that were screened, as written in the sources."`
	AddressLine1        *string  `json:"address_line1" doc:"Street address in the IRS master file."`
	City                *string  `json:"city" doc:"City."`
	State               *string  `json:"state" doc:"Two-letter state."`
	StateName           *string  `json:"state_name" doc:"Name of the state."`
	ZIP                 *string  `json:"zip" doc:"ZIP code in the IRS master file, five digits."`
}

// Compliance is what the lists say of an organization.
type Compliance struct {
	InBMF         *bool `json:"in_bmf" doc:"Whether the IRS business master file lists the EIN; null if not screened."`
	Pub78Verified *bool `json:"pub78_verified" doc:"Whether IRS Publication 78 lists the EIN as eligible for deductible contributions; null if not screened. …"`
	Revoked       *bool `json:"revoked" doc:"Whether the exemption is automatically revoked and not reinstated; null if not screened."`
	Conflict      *bool `json:"conflict" doc:"Whether the IRS master file and Publication 78 disagree on existence, class or deductibility; …"`

	BMF                 MasterFileScreen  `json:"bmf" doc:"IRS business master file."`
	Pub78               Pub78Screen       `json:"pub78" doc:"IRS Publication 78."`
	Revocation          RevocationScreen  `json:"revocation" doc:"IRS automatic revocation list."`
	OFACSanctionsScreen SanctionsScreen   `json:"ofac_sanctions_screen" doc:"Name screen against the entities that OFAC sanctions."`
	OFAC                SanctionsScreen   `json:"ofac" doc:"Same as ofac_sanctions_screen."`
	IRBScreen           BulletinScreen    `json:"irb_screen" doc:"Name screen against deletions announced in the Internal Revenue Bulletin."`
	StateRegistration   StateRegistration `json:"state_registration" doc:"State charity registration. California only; no other state is screened."`
	GroupExemption      GroupExemption    `json:"group_exemption" doc:"Group exemption of the organization."`
	BMFFinancials       *BMFFinancials    `json:"bmf_financials,omitzero" doc:"Figures in the IRS master file, from the latest return in it."`
	Caveats             []string          `json:"caveats" doc:"Read these caveats before you draw conclusions from the screening."`
	Reliance            Reliance          `json:"reliance" doc:"Elements of a report under Rev. Proc. 2018-32, and cases in which reliance does not apply. …"`
}

// ScreenProvenance says what a block of a screening rests on.
type ScreenProvenance struct {
	Screened  bool    `json:"screened" doc:"Whether the list was available. If false, nothing in this block means that the organization is clear."`
	Status    string  `json:"status" doc:"Result of the screen; not_screened if the list was unavailable."`
	Source    string  `json:"source" doc:"ID of the list, as in sources." enum:"bmf,pub78,revocation,ofac,irb,ca_registry,ca_ftb"`
	Revised   *string `json:"revised" doc:"Revision date of the list." format:"date"`
	FetchedAt *string `json:"fetched_at" doc:"When we fetched the list." format:"date-time"`
	IsCurrent *bool   `json:"is_current" doc:"Whether the list was the newest published when we last checked; null if unknown."`
	Note      *string `json:"note" doc:"Why the list was not screened, or other information."`
}

// MasterFileScreen is the row of the master file. Status is listed, not_listed or not_screened.
type MasterFileScreen struct {
	ScreenProvenance
	OrganizationName            *string  `json:"organization_name" doc:"Name in the IRS master file."`
	EIN                         *string  `json:"ein" doc:"EIN in the IRS master file."`
	SubsectionCode              *string  `json:"subsection_code" doc:"Subsection of section 501(c), two digits: 03 is 501(c)(3)."`
	SubsectionDescription       *string  `json:"subsection_description" doc:"Description of the subsection."`
	Classifications             []string `json:"classifications" doc:"IRS classifications of the organization."`
	FoundationCode              *string  `json:"foundation_code" doc:"Foundation code in the IRS master file, two digits."`
	FoundationCodeDescription   *string  `json:"foundation_code_description" doc:"Description of the foundation code."`
	FoundationTypeCode          *string  `json:"foundation_type_code" doc:"PC: public charity. PF: private foundation. …" enum:"PC,PF,POF,SO"`
	FoundationTypeDescription   *string  `json:"foundation_type_description" doc:"Description of the foundation type."`
	Foundation509aStatus        *string  `json:"foundation_509a_status" doc:"Paragraph of section 509(a) that applies to the organization."`
	DeductibilityCode           *string  `json:"deductibility_code" doc:"1: deductible. 2: not deductible. 4: deductible by treaty."`
	DeductibilityDescription    *string  `json:"deductibility_description" doc:"Description of the deductibility code."`
	ExemptStatusCode            *string  `json:"exempt_status_code" doc:"Status code of the exemption."`
	ExemptStatusDescription     *string  `json:"exempt_status_description" doc:"Description of the status code."`
	AffiliationCode             *string  `json:"affiliation_code" doc:"Affiliation code. 3: independent. 6 and 8: central organization of a group. …"`
	AffiliationDescription      *string  `json:"affiliation_description" doc:"Description of the affiliation code."`
	FilingReqCode               *string  `json:"filing_req_code" doc:"Which return the organization must file: the two-digit code of the IRS master file …"`
	FilingReqDescription        *string  `json:"filing_req_description" doc:"Description of the filing requirement."`
	OrganizationCode            *string  `json:"organization_code" doc:"Code of the legal form."`
	OrganizationCodeDescription *string  `json:"organization_code_description" doc:"Description of the legal form."`
	NTEECode                    *string  `json:"ntee_code" doc:"NTEE code (National Taxonomy of Exempt Entities)."`
	NTEEDescription             *string  `json:"ntee_description" doc:"Description of the NTEE code."`
	RulingMonth                 *int     `json:"ruling_month" doc:"Month of the exemption ruling, 1 to 12."`
	RulingYear                  *int     `json:"ruling_year" doc:"Year of the exemption ruling."`
	ChurchMessage               *string  `json:"church_message" doc:"What it means if a church is not listed; present only if relevant."`
	MostRecentBMF               *string  `json:"most_recent_bmf" doc:"Revision date of the extract. Same as revised." format:"date"`
}

// Pub78Screen is the row of Publication 78. Status is listed, not_listed or not_screened.
type Pub78Screen struct {
	ScreenProvenance
	OrganizationName  *string                 `json:"organization_name" doc:"Name in Publication 78."`
	EIN               *string                 `json:"ein" doc:"EIN in Publication 78."`
	City              *string                 `json:"city" doc:"City."`
	State             *string                 `json:"state" doc:"State; null for an address outside the US."`
	Country           *string                 `json:"country" doc:"Country."`
	OrganizationTypes []Pub78OrganizationType `json:"organization_types,omitzero" doc:"Deductibility codes of the organization, each with an explanation."`
	ChurchMessage     *string                 `json:"church_message" doc:"What it means if a church is not listed; present only if relevant."`
	MostRecentPub78   *string                 `json:"most_recent_pub78" doc:"Revision date of the list. Same as revised." format:"date"`
}

// Pub78OrganizationType is one deductibility code of Publication 78.
type Pub78OrganizationType struct {
	Code                           string  `json:"code" doc:"Code, such as PC."`
	OrganizationType               string  `json:"organization_type" doc:"Type of organization that the code stands for; the code itself if undocumented."`
	DeductibilityLimitation        *string `json:"deductibility_limitation" doc:"Limit on an individual's deduction, as published by the IRS. …"`
	DeductibilityStatusDescription *string `json:"deductibility_status_description" doc:"IRS explanation of the code."`
}

// RevocationScreen is what the automatic revocation list says. Status is not_listed, revoked, reinstated or not_screened.
type RevocationScreen struct {
	ScreenProvenance
	RevocationDate    *string           `json:"revocation_date" doc:"Effective date of the latest revocation." format:"date"`
	PostingDate       *string           `json:"posting_date" doc:"When the IRS posted the revocation. Reliance ends on public notice, not on …" format:"date"`
	ReinstatementDate *string           `json:"reinstatement_date" doc:"When the exemption was reinstated; null if it was not." format:"date"`
	RevocationCode    *string           `json:"revocation_code" doc:"Subsection under which the organization was exempt."`
	Events            []RevocationEvent `json:"events" doc:"All rows of the list for this EIN, oldest first."`
}

// RevocationEvent is one row of the automatic revocation list.
type RevocationEvent struct {
	OrganizationName  *string `json:"organization_name" doc:"Name in the list."`
	RevocationDate    string  `json:"revocation_date" doc:"Effective date of the revocation." format:"date"`
	PostingDate       *string `json:"posting_date" doc:"When the IRS posted the revocation." format:"date"`
	ReinstatementDate *string `json:"reinstatement_date" doc:"When the exemption was reinstated." format:"date"`
}

// SanctionsScreen is the screen of names against the sanctions list. Status is clear, potential_match, ruled_out
// (every match was ruled out by the caller) or not_screened.
type SanctionsScreen struct {
	ScreenProvenance
	OFACStatus       string           `json:"ofac_status" doc:"The result, as a sentence."`
	Threshold        float64          `json:"threshold" doc:"Minimum score for a match."`
	NamesScreened    []string         `json:"names_screened" doc:"Names compared with the list."`
	PotentialMatches []SanctionsMatch `json:"potential_matches,omitzero" doc:"Sanctioned entities with a similar name, best match first: the best 10, plus …"`
	MatchCount       *int             `json:"match_count" doc:"Total number of entities at or above the threshold; null if not screened."`
	ExcludedEntNum   []int64          `json:"excluded_ent_num" doc:"Entities that you have ruled out. Their matches are marked ruled_out."`
	List             SanctionsList    `json:"list" doc:"The list used for the screen."`
	Caveat           string           `json:"caveat" doc:"What the screen cannot show."`
}

// SanctionsList names the sanctions list that was used.
type SanctionsList struct {
	Revised  *string `json:"revised" doc:"Revision date." format:"date"`
	RowCount *int64  `json:"row_count" doc:"Total number of entries in the list."`
	SHA256   *string `json:"sha256" doc:"SHA-256 hash of the source files."`
}

// SanctionsMatch is one entity of the sanctions list whose name resembles one that was compared.
type SanctionsMatch struct {
	EntNum      int64                  `json:"ent_num" doc:"OFAC's number for the entity."`
	Name        string                 `json:"name" doc:"Primary name of the entity."`
	MatchedName string                 `json:"matched_name" doc:"The entity's name that matched."`
	QueryName   string                 `json:"query_name" doc:"The organization's name that matched."`
	AliasType   string                 `json:"alias_type" doc:"Type of matched_name." enum:"primary,aka,fka,weak"`
	Program     string                 `json:"program" doc:"Sanctions programs, comma-separated."`
	SDNType     string                 `json:"sdn_type" doc:"Always entity. Individuals, vessels and aircraft are not screened." enum:"entity"`
	Score       float64                `json:"score" doc:"Similarity of the names, from 0 to 1."`
	Strength    string                 `json:"strength" doc:"exact: the same words. strong: a score of at least 0.90. …" enum:"exact,strong,possible"`
	RuledOut    bool                   `json:"ruled_out" doc:"Whether you listed the entity in exclude_ent_num."`
	Aligned     []SanctionsAlignedWord `json:"aligned" doc:"Word pairs treated as the same, and how much each pair counts."`
	Flags       []string               `json:"flags" doc:"Other factors in the score."`
	Places      []SanctionsPlace       `json:"places" doc:"Addresses of the entity in the list, up to 5."`
}

// SanctionsAlignedWord is a word of a name and the word of the sanctions list that it was paired with.
type SanctionsAlignedWord struct {
	Query      string  `json:"query" doc:"Word in the organization's name."`
	List       string  `json:"list" doc:"Word in the listed name."`
	Similarity float64 `json:"sim" doc:"Similarity of the two words, from 0 to 1."`
	Weight     float64 `json:"weight" doc:"Weight of the word. Common words have a low weight."`
}

// SanctionsPlace is an address of a sanctioned entity.
type SanctionsPlace struct {
	Address *string `json:"address" doc:"Street address."`
	City    *string `json:"city" doc:"City with province and postal code."`
	Country *string `json:"country" doc:"Country."`
}

// BulletinScreen is the screen against bulletin deletions, which give names and
// places but no EIN. Status is clear, potential_match or not_screened.
type BulletinScreen struct {
	ScreenProvenance
	CoversThrough    *string         `json:"covers_through" doc:"Newest bulletin included, such as 2026-40."`
	MostRecentIRB    *string         `json:"most_recent_irb" doc:"Publication date of the newest bulletin included." format:"date"`
	PotentialMatches []BulletinMatch `json:"potential_matches,omitzero" doc:"Deletions with a similar name in the same state, best match first, up to 10."`
	MatchCount       *int            `json:"match_count" doc:"Total number of matching deletions; null if not screened."`
}

// BulletinMatch is one deletion that may be about the organization.
type BulletinMatch struct {
	Name           string  `json:"name" doc:"Name in the bulletin."`
	City           *string `json:"city" doc:"City."`
	State          *string `json:"state" doc:"State."`
	BulletinNumber string  `json:"bulletin_number" doc:"Number of the bulletin, such as 2026-40."`
	BulletinURL    string  `json:"bulletin_url" doc:"URL of the bulletin." format:"uri"`
	Published      *string `json:"published" doc:"Publication date of the bulletin." format:"date"`
	Announcement   *string `json:"announcement" doc:"Number of the announcement."`
	EffectiveDate  *string `json:"effective_date" doc:"When the revocation took effect." format:"date"`
	QueryName      string  `json:"query_name" doc:"The organization's name that matched."`
	Score          float64 `json:"score" doc:"Similarity of the names, from 0 to 1."`
	Strength       string  `json:"strength" doc:"strong: the same name in the same state. possible: a similar name in the same state." enum:"strong,possible"`
}

// StateRegistration is what state registries say.
type StateRegistration struct {
	California CaliforniaScreen `json:"california"`
}

// CaliforniaScreen is what the two lists of California say. Status is of the registry: listed, not_listed or
// not_screened; not_listed is no finding against an organization that does not operate there.
type CaliforniaScreen struct {
	ScreenProvenance
	FTB             ScreenProvenance           `json:"ftb" doc:"Result for the Franchise Tax Board's list of revoked exemptions: revoked, not_listed or …"`
	MayOperate      *bool                      `json:"may_operate" doc:"Whether the organization may operate and solicit in California, according to its …"`
	GoodStanding    *bool                      `json:"good_standing" doc:"false: the IRS or the Franchise Tax Board revoked the exemption, or the registry …"`
	RegistryRecords []CaliforniaRegistryRecord `json:"registry_records,omitzero" doc:"The organization's registrations, each with its published status."`
	FTBRecords      []CaliforniaFTBRecord      `json:"ftb_records,omitzero" doc:"The organization's rows in the list of revoked exemptions."`
}

// CaliforniaRegistryRecord is one registration of a charity in California.
type CaliforniaRegistryRecord struct {
	RegistrationNumber *string `json:"registration_number" doc:"State charity registration number."`
	Status             *string `json:"status" doc:"Status, as published by the registry."`
	List               string  `json:"list" doc:"Registry list that contains the row."`
	MayOperate         *bool   `json:"may_operate" doc:"Whether this status allows the organization to operate and solicit in California; …"`
	Name               string  `json:"name" doc:"Name in the registry."`
	City               *string `json:"city" doc:"City."`
	State              *string `json:"state" doc:"State."`
	EIN                *string `json:"ein" doc:"EIN in the registry; null if the row has none."`
	Issued             *string `json:"issued" doc:"When the registration was issued." format:"date"`
	Renewed            *string `json:"renewed" doc:"When the registration was last renewed." format:"date"`
	StatusSet          *string `json:"status_set" doc:"When the status was set." format:"date"`
	MatchBasis         string  `json:"match_basis" doc:"How we matched the row: by EIN or, for a California organization, by a name that …" enum:"ein,name"`
}

// CaliforniaFTBRecord is one row of California's list of revoked exemptions.
type CaliforniaFTBRecord struct {
	EntityID   *string `json:"entity_id" doc:"Entity number."`
	Name       string  `json:"name" doc:"Name in the list."`
	City       *string `json:"city" doc:"City."`
	Section    *string `json:"section" doc:"Section of the Revenue and Taxation Code."`
	Revoked    *string `json:"revoked_date" doc:"When the exemption was revoked." format:"date"`
	EIN        *string `json:"ein" doc:"EIN in the list; null if the row has none."`
	MatchBasis string  `json:"match_basis" doc:"How we matched the row." enum:"ein,name"`
}

// GroupExemption is the group ruling of an organization.
type GroupExemption struct {
	GroupExemption      *string              `json:"group_exemption" doc:"Group exemption number; null if the organization is in no group or the IRS master …"`
	IsSubordinate       *bool                `json:"is_subordinate" doc:"Whether the listing of a central organization covers this organization; …"`
	IsCentral           *bool                `json:"is_central" doc:"Whether this is the central organization of a group; null if not screened."`
	ParentOrganizations []ParentOrganization `json:"parent_organizations,omitzero" doc:"Central organizations of the group."`
}

// ParentOrganization is the central organization of a group.
type ParentOrganization struct {
	EIN              string   `json:"ein" doc:"EIN."`
	OrganizationName string   `json:"organization_name" doc:"Name."`
	GroupExemption   string   `json:"group_exemption" doc:"Group exemption number."`
	Pub78Codes       []string `json:"pub78_codes,omitzero" doc:"Codes of the central organization in Publication 78. The code GROUP covers its subordinates. …"`
}

// BMFFinancials are the figures that the master file has of an organization.
type BMFFinancials struct {
	TaxPeriod        *string `json:"tax_period" doc:"Last month of the tax period of the figures, YYYYMM."`
	AssetAmount      *int64  `json:"asset_amount" doc:"Assets in whole dollars."`
	IncomeAmount     *int64  `json:"income_amount" doc:"Income in whole dollars."`
	RevenueAmount    *int64  `json:"revenue_amount" doc:"Form 990 revenue in whole dollars."`
	AssetCode        *string `json:"asset_code" doc:"Code of the asset range."`
	AssetBand        *string `json:"asset_band" doc:"Asset range."`
	IncomeCode       *string `json:"income_code" doc:"Code of the income range."`
	IncomeBand       *string `json:"income_band" doc:"Income range."`
	AccountingPeriod *string `json:"accounting_period" doc:"Month in which the fiscal year ends, two digits."`
}

// Reliance is what a report under Rev. Proc. 2018-32 contains.
type Reliance struct {
	RelianceAvailable *bool             `json:"reliance_available" doc:"Whether all required elements are present and no flag applies; …"`
	ReportComplete    *bool             `json:"report_complete" doc:"Whether every element is met or does not apply; null if an element was not screened."`
	Elements          []RelianceElement `json:"elements,omitzero" doc:"The nine elements that a third-party report must contain."`
	Flags             []RelianceFlag    `json:"flags" doc:"Cases in which reliance does not apply or requires more."`
	BMFExtract        MasterFileExtract `json:"bmf_extract" doc:"The extract of the IRS master file that was used."`
	Statement         string            `json:"statement" doc:"Plain-language description of the report."`
}

// RelianceElement is one thing that such a report must contain.
type RelianceElement struct {
	ID     string  `json:"id" doc:"ID of the element." enum:"…"`
	Result string  `json:"result" doc:"Result for the element." enum:"met,not_met,not_applicable,not_screened"`
	Value  *string `json:"value" doc:"What the report shows for the element."`
	Source *string `json:"source" doc:"List that the value comes from; null if this service states the value itself."`
	AsOf   *string `json:"as_of" doc:"Date of that list."`
	Reason *string `json:"reason" doc:"Why the element is not met, or other information."`
}

// RelianceFlag is a case in which reliance on the report does not apply or needs more.
type RelianceFlag struct {
	ID      string  `json:"id" doc:"ID of the case." enum:"…"`
	Applies *bool   `json:"applies" doc:"Whether the data shows that the case applies; null if the data cannot show it."`
	Basis   string  `json:"basis" doc:"Rule that the case comes from."`
	Note    *string `json:"note" doc:"What the data shows and what you should do."`
}

// MasterFileExtract names the extract of the master file that was used.
type MasterFileExtract struct {
	Revised   *string `json:"revised" doc:"Revision date." format:"date"`
	FetchedAt *string `json:"fetched_at" doc:"When we fetched the extract." format:"date-time"`
	IsCurrent *bool   `json:"is_current" doc:"Whether the extract was the newest published when we last checked."`
	SHA256    *string `json:"sha256" doc:"SHA-256 hash of the files."`
}

// ScreenedName is a name that was screened, with what is known of where it is.
type ScreenedName struct {
	Name    string  `json:"name" doc:"Name as you sent it."`
	Country *string `json:"country" doc:"Country as you sent it. We compare it with the addresses in the list, but it never removes a match."`
	City    *string `json:"city" doc:"City as you sent it. We compare it with the addresses in the list, but it never removes a match."`
}

// NameCompliance is the one block of a name screen.
type NameCompliance struct {
	OFACSanctionsScreen SanctionsScreen `json:"ofac_sanctions_screen"`
	Caveats             []string        `json:"caveats" doc:"Read these caveats before you draw conclusions from the screening."`
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
	FetchedAt         *string `json:"fetched_at" doc:"When we fetched the list; null if the list is not loaded." format:"date-time"`
	Revised           *string `json:"revised" doc:"Oldest revision date of the list's parts."`
	RevisedNewest     *string `json:"revised_newest" doc:"Newest revision date of the list's parts."`
	URL               string  `json:"url" doc:"Where the list is published." format:"uri"`
	RowCount          *int64  `json:"row_count" doc:"Number of rows loaded."`
	IsCurrent         *bool   `json:"is_current" doc:"Whether the loaded list is the newest published; null if unknown."`
	UpstreamRevised   *string `json:"upstream_revised" doc:"Revision date that the publisher showed when we last checked."`
	UpstreamCheckedAt *string `json:"upstream_checked_at" doc:"When we last checked for a newer list." format:"date-time"`
	Publishes         string  `json:"publishes" doc:"How often the publisher updates the list."`
	Polled            string  `json:"polled" doc:"How often we check for a newer list."`
	SHA256            *string `json:"sha256" doc:"SHA-256 hash of the source files."`
	Screens           bool    `json:"screens" doc:"Whether screenings use the list now. A list that is missing, damaged or too old is not_screened."`
	Caveat            *string `json:"caveat,omitempty" doc:"What the list cannot show."`
	Note              *string `json:"note,omitempty" doc:"Why the list is not used, or why we kept an older version."`
}
