package snapshot

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
