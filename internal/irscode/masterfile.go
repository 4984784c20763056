package irscode

import (
	_ "embed"

	"grantgraph/internal/table"
)

// The codes of the Business Master File, as the IRS's information sheet gives
// them.
var (
	//go:embed foundation.tsv
	foundationText string
	//go:embed masterfile.tsv
	masterFileText string
)

// foundation is what a FOUNDATION code means.
type foundation struct{ label, kind, section string }

var foundations = func() map[string]foundation {
	m := map[string]foundation{}
	for _, r := range table.Read("foundation.tsv", foundationText, "code", "type", "section", "label") {
		m[r.Text("code")] = foundation{r.Text("label"), r.Text("type"), r.Text("section")}
	}
	return m
}()

// labels are the labels of the other codes, by field and code.
var labels = func() map[string]map[string]string {
	m := map[string]map[string]string{}
	for _, r := range table.Read("masterfile.tsv", masterFileText, "field", "code", "label") {
		field := r.Text("field")
		if m[field] == nil {
			m[field] = map[string]string{}
		}
		m[field][r.Text("code")] = r.Text("label")
	}
	return m
}()

// FoundationLabel says what a FOUNDATION code means.
func FoundationLabel(code string) string { return foundations[code].label }

// FoundationType is the filter value a FOUNDATION code answers to: PC, PF, POF,
// SO, or empty.
func FoundationType(code string) string { return foundations[code].kind }

// FoundationTypeLabel says what a value of FoundationType means.
func FoundationTypeLabel(kind string) string { return labels["foundation type"][kind] }

// Section509a says which paragraph of section 509(a) keeps an organization of a
// FOUNDATION code from being a private foundation, or that no paragraph does.
func Section509a(code string) string { return foundations[code].section }

// ChurchOrGovernment reports whether the codes of an organization are those of
// a church, a religious organization, a governmental unit or an instrumentality
// of a state, which may qualify without being listed anywhere.
func ChurchOrGovernment(foundation, filing string) bool {
	return foundation == "10" || foundation == "14" || filing == "06" || filing == "07" || filing == "13" || filing == "14"
}

// PrivateFoundation reports whether a FOUNDATION code is that of a private
// foundation, operating or not.
func PrivateFoundation(code string) bool {
	kind := FoundationType(code)
	return kind == "PF" || kind == "POF"
}

// DeductibilityLabel says what a DEDUCTIBILITY code means.
func DeductibilityLabel(code string) string { return labels["deductibility"][code] }

// StatusLabel says what a STATUS code means.
func StatusLabel(code string) string { return labels["status"][code] }

// AffiliationLabel says what an AFFILIATION code means.
func AffiliationLabel(code string) string { return labels["affiliation"][code] }

// Central reports whether an AFFILIATION code is that of the parent of a group
// exemption.
func Central(affiliation string) bool { return affiliation == "6" || affiliation == "8" }

// InGroup reports whether an AFFILIATION code is that of an organization
// covered by its parent's listing, so that its absence from Publication 78 says
// nothing.
func InGroup(affiliation string) bool { return affiliation == "9" || affiliation == "7" }

// SubsectionLabel says which paragraph of the tax code a SUBSECTION code
// stands for.
func SubsectionLabel(code string) string {
	if label := labels["subsection"][code]; label != "" {
		return label
	}
	if len(code) != 2 || code[0] < '0' || code[0] > '2' || code[1] < '0' || code[1] > '9' || code == "00" {
		return ""
	}
	if code[0] == '0' {
		code = code[1:]
	}
	return "501(c)(" + code + ")"
}

// FilingLabel says what a FILING_REQ_CD code means.
func FilingLabel(code string) string { return labels["filing"][code] }

// PFFilingLabel says what a PF_FILING_REQ_CD code means.
func PFFilingLabel(code string) string { return labels["pf filing"][code] }

// OrganizationLabel says what an ORGANIZATION code means.
func OrganizationLabel(code string) string { return labels["organization"][code] }

// BandLabel says which range of dollars an ASSET_CD or INCOME_CD stands for.
// The amounts themselves are more exact and sometimes disagree.
func BandLabel(code string) string { return labels["band"][code] }
