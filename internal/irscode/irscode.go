// Package irscode says what the codes of public lists mean: those of the IRS Business Master File and of Publication 78, and
// the statuses of California's registry. The readers of the lists pass codes on as they are published; whoever shows one to a
// person asks here for its label.
//
// An unknown code has the empty label. The lists hold a few that are documented nowhere, and a guess would be served as fact.
package irscode

import (
	_ "embed"
	"strconv"
	"strings"

	"grantgraph/internal/table"
)

// The codes of the Business Master File, as the IRS's information sheet gives them.
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

// FoundationType is the filter value a FOUNDATION code answers to: PC, PF, POF, SO, or empty.
func FoundationType(code string) string { return foundations[code].kind }

// FoundationTypeLabel says what a value of FoundationType means.
func FoundationTypeLabel(kind string) string { return labels["foundation type"][kind] }

// Section509a says which paragraph of section 509(a) keeps an organization of a
// FOUNDATION code from being a private foundation, or that no paragraph does.
func Section509a(code string) string { return foundations[code].section }

// ChurchOrGovernment reports whether the codes of an organization are those of a church, a religious organization, a
// governmental unit or an instrumentality of a state, which may qualify without being listed anywhere.
func ChurchOrGovernment(foundation, filing string) bool {
	return foundation == "10" || foundation == "14" || filing == "06" || filing == "07" || filing == "13" || filing == "14"
}

// PrivateFoundation reports whether a FOUNDATION code is that of a private foundation, operating or not.
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

// Central reports whether an AFFILIATION code is that of the parent of a group exemption.
func Central(affiliation string) bool { return affiliation == "6" || affiliation == "8" }

// InGroup reports whether an AFFILIATION code is that of an organization covered by its parent's listing, so that its absence
// from Publication 78 says nothing.
func InGroup(affiliation string) bool { return affiliation == "9" || affiliation == "7" }

// SubsectionLabel says which paragraph of the tax code a SUBSECTION code stands for.
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

//go:embed classification.tsv
var classificationText string

// classifications are the labels of the one-digit CLASSIFICATION codes within a SUBSECTION: the first label is that of code 1.
var classifications = func() map[string][]string {
	m := map[string][]string{}
	for _, r := range table.Read("classification.tsv", classificationText, "subsection", "code", "label") {
		subsection := r.Text("subsection")
		if m[subsection] = append(m[subsection], r.Text("label")); r.Int("code") != len(m[subsection]) {
			r.Fail("code %s does not follow", r.Text("code"))
		}
	}
	return m
}()

// ClassificationLabels says what the CLASSIFICATION of an organization means under its SUBSECTION. The column holds up to four
// codes of one digit each, filled up with zeros. The labels come in that order, each once; codes that no document explains have
// no label.
func ClassificationLabels(subsection, classification string) []string {
	known := classifications[subsection]
	if len(classification) > 4 {
		return nil
	}
	var labels []string
	var seen [10]bool
	for i := range len(classification) {
		code := int(classification[i]) - '0'
		if code < 1 || code > len(known) || seen[code] {
			continue
		}
		seen[code] = true
		labels = append(labels, known[code-1])
	}
	return labels
}

//go:embed pub78.tsv
var pub78Text string

// donees are the label and the limit of each deductibility code, as the IRS's own table has them.
var donees = func() map[string][2]string {
	m := map[string][2]string{}
	for _, r := range table.Read("pub78.tsv", pub78Text, "code", "limit", "label") {
		m[r.Text("code")] = [2]string{r.Text("label"), r.Text("limit")}
	}
	return m
}()

// Pub78Codes splits the deductibility codes of a row of Publication 78. It keeps codes that Pub78Label does not know.
func Pub78Codes(s string) []string {
	var list []string
	for code := range strings.SplitSeq(s, ",") {
		if code = strings.TrimSpace(code); code != "" {
			list = append(list, code)
		}
	}
	return list
}

// Pub78Label says what a deductibility status code of Publication 78 means.
func Pub78Label(code string) string { return donees[code][0] }

// Pub78Limit says how much of an individual's income a contribution to an organization of a code may take.
func Pub78Limit(code string) string { return donees[code][1] }

// californiaStandings says for each status of the registry whether an organization may operate: yes, no, or unsaid. A
// classification such as Mutual Benefit is no sanction, though its rows are in the list of those that may not operate. A
// dissolution or an enforcement action under way has decided nothing.
var californiaStandings = table.Map("california.tsv", californiaText, "status", "operate")

//go:embed california.tsv
var californiaText string

// dashes replaces the longer dash of the registry's pages by that of its files.
var dashes = strings.NewReplacer("–", "-", "—", "-")

// MayOperateInCalifornia says whether an organization of a status of the Registry of Charities and Fundraisers may operate and
// solicit there. known is false if the status does not say so, or if the registry has no such status.
func MayOperateInCalifornia(status string) (may, known bool) {
	s := californiaStandings[strings.Join(strings.Fields(dashes.Replace(strings.ToLower(status))), " ")]
	return s == "yes", s == "yes" || s == "no"
}

// RulingDate splits the YYYYMM of a ruling into year and month. An unknown part, which the master file writes as zeros, is nil.
func RulingDate(yyyymm string) (year, month *int) {
	if len(yyyymm) != 6 {
		return nil, nil
	}
	y, errY := strconv.Atoi(yyyymm[:4])
	m, errM := strconv.Atoi(yyyymm[4:])
	if errY != nil || y < 1900 {
		return nil, nil
	}
	if errM != nil || m < 1 || m > 12 {
		return &y, nil
	}
	return &y, &m
}
