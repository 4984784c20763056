package resolve

import "strings"

// Standing is what a line says of its recipient's standing in law: the section
// of the code it is exempt under, or that it is a government.
type Standing uint8

// What a line may say. A number from 2 to 29 is 501(c) of that number.
const (
	Unsaid            Standing = 0
	Exempt3           Standing = 3
	Government        Standing = 100
	PublicCharity     Standing = 101
	PrivateFoundation Standing = 102
	NotExempt         Standing = 103 // a business, a person, a political body
)

// StandingOf reads the section of the code that Schedule I states, or the
// foundation status that a private foundation states. Both are free text, cut
// off at a length that depends on the filer's software.
func StandingOf(text string) Standing {
	if text == "" {
		return Unsaid
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
	if said, ok := standings[t]; ok {
		return said
	}
	for _, p := range standingPrefixes {
		if strings.HasPrefix(t, p.text) {
			return p.said
		}
	}
	return exemptSection(t)
}

// exemptSection reads forms of 501(c)(3), of which filers have dozens.
func exemptSection(t string) Standing {
	t = strings.TrimPrefix(strings.TrimPrefix(t, "501"), "C")
	end := 0
	for end < len(t) && t[end] >= '0' && t[end] <= '9' {
		end++
	}
	if end == 0 || end > 2 {
		return Unsaid
	}
	var n Standing
	for i := range end {
		n = n*10 + Standing(t[i]-'0')
	}
	switch {
	case n == 1: // bodies that Congress made
		return Government
	case n >= 2 && n <= 29:
		return n
	}
	return Unsaid
}

// standings are what lines say, capitals and digits only.
var standings = map[string]Standing{
	"": Unsaid, "501C": Unsaid, "EXEMPT": Unsaid, "NA": Unsaid,
	"PC": PublicCharity, "PUBLIC": PublicCharity, "EOF": PrivateFoundation, "PF": PrivateFoundation, "POF": PrivateFoundation,
	"PRIVATE": PrivateFoundation, "NC": NotExempt, "I": NotExempt, "INDIVIDUAL": NotExempt, "527": NotExempt, "LLC": NotExempt,
	"NOTREGISTERED": NotExempt, "115": Government, "SO": PublicCharity, "CITY": Government, "STATE": Government,
}

// standingPrefixes are how longer ones begin. 115 and 170(c)(1) are the sections
// about governments, 170(b)(1)(A) and 509(a) those about public charities, and
// SO is a supporting organization.
var standingPrefixes = []struct {
	text string
	said Standing
}{
	{"GOV", Government}, {"STATEOF", Government}, {"STATEG", Government}, {"STATEA", Government}, {"LOCALG", Government}, {"FEDERAL", Government},
	{"MUNICIPAL", Government}, {"TRIB", Government}, {"INDIANT", Government}, {"COUNTY", Government}, {"CITYOF", Government}, {"TOWNOF", Government},
	{"SCHOOLDIST", Government}, {"PUBLICSCH", Government}, {"PUBSCH", Government}, {"POLITICALSUB", Government}, {"USGOV", Government},
	{"115", Government}, {"170C1", Government},
	{"PUBLICCHAR", PublicCharity}, {"PCEQ", PublicCharity}, {"SOI", PublicCharity}, {"SO1", PublicCharity}, {"SO2", PublicCharity}, {"SO3", PublicCharity},
	{"509A", PublicCharity}, {"170B1A", PublicCharity},
	{"PRIVATEF", PrivateFoundation}, {"PRIVATEO", PrivateFoundation}, {"FORPROFIT", NotExempt},
}

// goesWith reports how the standing of an organization, where the register
// knows it, goes with what a line says.
func (s Standing) goesWith(o *Org) (agree, clash bool) {
	if s == Unsaid || o.Subsection == "" {
		return false, false
	}
	section, private := exemptSection(o.Subsection), o.private()
	switch s {
	case Government, NotExempt:
		return false, true
	case PrivateFoundation:
		agree = private
	case PublicCharity:
		agree = section == Exempt3 && !private
	default:
		agree = section == s
	}
	return agree, !agree
}

// private reports whether the organization is a private foundation.
func (o *Org) private() bool {
	switch o.Foundation {
	case "02", "03", "04", "2", "3", "4":
		return true
	}
	return false
}
