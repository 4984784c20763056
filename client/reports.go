package client

// Signed is a record with its identifier and its signature. Its fields are in the order of the wire.
type Signed[C any] struct {
	Format    string `json:"format" doc:"Version of the report's layout."`
	ReportID  string `json:"report_id" doc:"Identifier: hex SHA-256 of the RFC 8785 form of the report without report_id and signature."`
	IssuedAt  string `json:"issued_at" doc:"When it was issued, UTC." format:"date-time"`
	KeyID     string `json:"key_id" doc:"RFC 7638 thumbprint of the key that signed it."`
	Algorithm string `json:"algorithm" doc:"How it is signed." enum:"Ed25519"`
	VerifyURL string `json:"verify_url" doc:"Where it can be verified." format:"uri"`
	Content   C      `json:"content" doc:"The record as it was screened."`
	Signature string `json:"signature" doc:"Ed25519 signature, base64url without padding, over the bytes that report_id is the hash of."`
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
	EIN          string               `json:"ein" doc:"The EIN that was asked for, nine digits."`
	Found        bool                 `json:"found" doc:"Whether any list or any filing knows the EIN."`
	Organization ScreenedOrganization `json:"organization" doc:"Who it is."`
	Compliance   Compliance           `json:"compliance" doc:"What each list says."`
	Sources      *ComplianceSources   `json:"sources" doc:"The lists that were used."`
}

// NameReportContent is what the report of a name says.
type NameReportContent struct {
	Subject    ScreenedName   `json:"subject" doc:"Who was screened, as sent."`
	Compliance NameCompliance `json:"compliance" doc:"What the sanctions list says."`
	Sources    *NameSources   `json:"sources" doc:"The list that was used."`
}

// ReportVerdict is what the verification of a report found. A question that could not be answered is null.
type ReportVerdict struct {
	ReportID       string         `json:"report_id" doc:"Identifier that the report has."`
	IDMatches      *bool          `json:"id_matches" doc:"Whether that is the identifier of its content, computed again; null when the format version is unknown."`
	SignatureValid *bool          `json:"signature_valid" doc:"Whether the signature is of the published key: false when it was checked and does not match; …"`
	KeyID          string         `json:"key_id" doc:"Key that the report names."`
	Format         string         `json:"format" doc:"Format version of the report."`
	FormatCurrent  *bool          `json:"format_current" doc:"Whether reports are still issued in this version; null when the version is unknown."`
	IssuedAt       *string        `json:"issued_at" doc:"When the report says it was issued; null when it does not say." format:"date-time"`
	PageMatches    *bool          `json:"page_matches" doc:"For a PDF: whether it is, byte for byte, the one that is made from the attached report. …"`
	Reason         *string        `json:"reason" doc:"Why something is false or null; null when everything holds."`
	Note           *string        `json:"note" doc:"What else to know; null when there is nothing."`
	Subject        *ReportSubject `json:"subject" doc:"Who the report says it is about; null when it cannot be read. …"`
	Lists          []ReportList   `json:"lists" doc:"Lists that the report says were used, with their dates. Not to be trusted unless the signature is valid."`
}

// ReportSubject is whom a report is about.
type ReportSubject struct {
	EIN  *string `json:"ein" doc:"EIN, nine digits; null for the screen of a name."`
	Name *string `json:"name" doc:"Name; null when no list knows the EIN."`
}

// ReportList is a list that a report rests on, and its date.
type ReportList struct {
	Source   string  `json:"source" doc:"Name of the list, as in sources."`
	Revised  *string `json:"revised" doc:"Its revision date." format:"date"`
	Screened bool    `json:"screened" doc:"Whether it could be used."`
}

// VerifyAnswer is the answer of /screening/verify.
type VerifyAnswer struct {
	Head
	Status string `json:"status" enum:"valid,not_valid,unverifiable" doc:"The findings in one word. valid: the identifier, the signature and, of a PDF, …"`
	ReportVerdict
	Tail
}
