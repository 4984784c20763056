package resolve

import (
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/table"
)

// TaxStatus is the tax status that a line states for its recipient: the section under which it is exempt, or that it
// is a government.
type TaxStatus uint8

// Values of TaxStatus. A number from 2 to 29 is that paragraph of 501(c).
const (
	StatusUnsaid      TaxStatus = 0
	Exempt3           TaxStatus = 3
	Government        TaxStatus = 100
	PublicCharity     TaxStatus = 101
	PrivateFoundation TaxStatus = 102
	NotExempt         TaxStatus = 103 // a business, a person, a political body
)

// ReadTaxStatus reads the code section that Schedule I states, or the foundation status that a private foundation
// states. Both are free text, cut off at a length that depends on the filer's software.
func ReadTaxStatus(text string) TaxStatus {
	if text == "" {
		return StatusUnsaid
	}
	var space [32]byte
	s := space[:0]
	for i := 0; i < len(text) && len(s) < len(space); i++ {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z':
			s = append(s, c-'a'+'A')
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			s = append(s, c)
		}
	}
	t := strings.TrimPrefix(strings.TrimPrefix(string(s), "IRC"), "SEC")
	t = strings.TrimPrefix(t, "TION")
	if said, ok := taxStatuses[t]; ok {
		return said
	}
	for _, p := range taxStatusPrefixes {
		if strings.HasPrefix(t, p.text) {
			return p.said
		}
	}
	return exemptSection(t)
}

// exemptSection reads the dozens of ways in which filers write 501(c)(3).
func exemptSection(t string) TaxStatus {
	t = strings.TrimPrefix(strings.TrimPrefix(t, "501"), "C")
	digits := t[:len(t)-len(strings.TrimLeft(t, "0123456789"))]
	if len(digits) == 0 || len(digits) > 2 {
		return StatusUnsaid
	}
	switch n, _ := strconv.Atoi(digits); {
	case n == 1: // organizations chartered by Congress
		return Government
	case n >= 2 && n <= 29:
		return TaxStatus(n)
	}
	return StatusUnsaid
}

// taxStatuses are the texts on lines, reduced to capitals and digits.
var taxStatuses = map[string]TaxStatus{
	"": StatusUnsaid, "501C": StatusUnsaid, "EXEMPT": StatusUnsaid, "NA": StatusUnsaid,
	"PC": PublicCharity, "PUBLIC": PublicCharity, "EOF": PrivateFoundation, "PF": PrivateFoundation, "POF": PrivateFoundation,
	"PRIVATE": PrivateFoundation, "NC": NotExempt, "I": NotExempt, "INDIVIDUAL": NotExempt, "527": NotExempt, "LLC": NotExempt,
	"NOTREGISTERED": NotExempt, "115": Government, "SO": PublicCharity, "CITY": Government, "STATE": Government,
}

// taxStatusPrefixes are the beginnings of longer texts. Sections 115 and 170(c)(1) are about governments,
// 170(b)(1)(A) and 509(a) about public charities. SO is a supporting organization.
var taxStatusPrefixes = []struct {
	text string
	said TaxStatus
}{
	{"GOV", Government}, {"STATEOF", Government}, {"STATEG", Government}, {"STATEA", Government}, {"LOCALG", Government}, {"FEDERAL", Government},
	{"MUNICIPAL", Government}, {"TRIB", Government}, {"INDIANT", Government}, {"COUNTY", Government}, {"CITYOF", Government}, {"TOWNOF", Government},
	{"SCHOOLDIST", Government}, {"PUBLICSCH", Government}, {"PUBSCH", Government}, {"POLITICALSUB", Government}, {"USGOV", Government},
	{"115", Government}, {"170C1", Government},
	{"PUBLICCHAR", PublicCharity}, {"PCEQ", PublicCharity}, {"SOI", PublicCharity}, {"SO1", PublicCharity}, {"SO2", PublicCharity}, {"SO3", PublicCharity},
	{"509A", PublicCharity}, {"170B1A", PublicCharity},
	{"PRIVATEF", PrivateFoundation}, {"PRIVATEO", PrivateFoundation}, {"FORPROFIT", NotExempt},
}

func (s TaxStatus) compareWith(o *orgFacts) (agree, clash bool) {
	if s == StatusUnsaid || !o.is(registered) {
		return false, false
	}
	switch s {
	case Government, NotExempt:
		return false, true
	case PrivateFoundation:
		agree = o.is(private)
	case PublicCharity:
		agree = o.section == Exempt3 && !o.is(private)
	default:
		agree = o.section == s
	}
	return agree, !agree
}

// private reports whether the organization is a private foundation.
func (o *Org) private() bool {
	return slices.Contains([]string{"02", "03", "04", "2", "3", "4"}, o.Foundation)
}

// isGovernment reports whether the words of a name are those of a government or part of one.
func isGovernment(k2 string) bool {
	first := true
	for w := range wordsOf(k2) {
		if governments[w] || first && governed[w] {
			return true
		}
		first = false
	}
	return false
}

var (
	governments = table.SetOf("DEPARTMENT BUREAU TRIBE TRIBES TRIBAL DISTRICT AUTHORITY GOVERNMENT")
	governed    = table.SetOf("CITY COUNTY TOWN TOWNSHIP VILLAGE BOROUGH STATE COMMONWEALTH")
)
