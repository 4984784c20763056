package client

// Signed is a record with its identifier and its signature. Its fields are in the order of the wire.
type Signed[C any] struct {
	Format    string `json:"format" doc:"Version of the report format."`
	ReportID  string `json:"report_id" doc:"ID of the report: the hex SHA-256 of the report in RFC 8785 form, without report_id and signature."`
	IssuedAt  string `json:"issued_at" doc:"When the report was issued, in UTC." format:"date-time"`
	KeyID     string `json:"key_id" doc:"RFC 7638 thumbprint of the signing key."`
	Algorithm string `json:"algorithm" doc:"Signature algorithm." enum:"Ed25519"`
	VerifyURL string `json:"verify_url" doc:"URL to verify the report." format:"uri"`
	Content   C      `json:"content" doc:"The screening record."`
	Signature string `json:"signature" doc:"Ed25519 signature, in base64url without padding, over the bytes whose hash is report_id."`
}

// Report is the signed record of an organization, and NameReport that of a name that has no EIN. To keep a
// report, keep its bytes: call Do with a value whose report is a json.RawMessage. A report that is written
// again from this type may lack members that a later service adds, and then does not verify.
type (
	Report     = Signed[ReportContent]
	NameReport = Signed[NameReportContent]
)

// ReportContent is what the report of an organization says.
type ReportContent struct {
	EIN          string               `json:"ein" doc:"The EIN you asked for, nine digits."`
	Found        bool                 `json:"found" doc:"Whether any list or filing contains the EIN."`
	Organization ScreenedOrganization `json:"organization" doc:"Name and address of the organization."`
	Compliance   Compliance           `json:"compliance" doc:"Result for each list."`
	Sources      *ComplianceSources   `json:"sources" doc:"The lists used."`
}

// NameReportContent is what the report of a name says.
type NameReportContent struct {
	Subject    ScreenedName   `json:"subject" doc:"The name you asked about, as sent."`
	Compliance NameCompliance `json:"compliance" doc:"Result for the sanctions list."`
	Sources    *NameSources   `json:"sources" doc:"The list used."`
}

// ReportVerdict is what the verification of a report found. A question that could not be answered is null.
type ReportVerdict struct {
	ReportID       string         `json:"report_id" doc:"ID stated in the report."`
	IDMatches      *bool          `json:"id_matches" doc:"Whether the stated ID matches the ID that we compute from the content; …"`
	SignatureValid *bool          `json:"signature_valid" doc:"true: the signature is valid under the published key. false: we checked it, and it is not. …"`
	KeyID          string         `json:"key_id" doc:"ID of the signing key stated in the report."`
	Format         string         `json:"format" doc:"Format version of the report."`
	FormatCurrent  *bool          `json:"format_current" doc:"Whether new reports still use this version; null if the version is unknown."`
	IssuedAt       *string        `json:"issued_at" doc:"Time of issue stated in the report; null if not stated." format:"date-time"`
	PageMatches    *bool          `json:"page_matches" doc:"For a PDF: whether it is byte for byte the PDF that we generate from the attached report. …"`
	Reason         *string        `json:"reason" doc:"Why a check is false or null; null if all checks passed."`
	Note           *string        `json:"note" doc:"Additional information; null if there is none."`
	Subject        *ReportSubject `json:"subject" doc:"Organization or name that the report covers; null if unreadable. …"`
	Lists          []ReportList   `json:"lists" doc:"Lists that the report says were used, with their dates. Trust them only if the signature is valid."`
}

// ReportSubject is whom a report is about.
type ReportSubject struct {
	EIN  *string `json:"ein" doc:"EIN, nine digits; null if a name was screened."`
	Name *string `json:"name" doc:"Name; null if no list contains the EIN."`
}

// ReportList is a list that a report rests on, and its date.
type ReportList struct {
	Source   string  `json:"source" doc:"Name of the list, as in sources."`
	Revised  *string `json:"revised" doc:"Revision date of the list." format:"date"`
	Screened bool    `json:"screened" doc:"Whether the list was available."`
}

// VerifyAnswer is the answer of /screening/verify.
type VerifyAnswer struct {
	Head
	Status string `json:"status" enum:"valid,not_valid,unverifiable" doc:"Overall result. valid: the ID, the signature and, for a PDF, the page are right. …"`
	ReportVerdict
	Tail
}
