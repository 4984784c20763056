package resolve

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/table"
)

// orgFacts are the facts needed about every candidate organization, in few bytes. Reading the facts of hundreds of
// candidates is most of the work for a line.
type orgFacts struct {
	city    uint32 // number of its city, 0 for none
	zip     uint32 // 0 for none
	state   stateCode
	flags   orgFlags
	section TaxStatus // section of the code under which it is exempt
	revenue uint8     // number of binary digits of its revenue
	pop     uint8     // distinct funders that filed its EIN, up to a maximum
}

type orgFlags uint16

const (
	moved      orgFlags = 1 << iota // it has further addresses
	elsewhere                       // some of them in other states
	inactive                        //
	private                         // a private foundation
	church                          //
	grouped                         // covered by a group exemption
	central                         // central organization of a group exemption
	filedOnly                       // known only from filed EINs
	registered                      // the register gives its exempt section
)

func (f *orgFacts) is(what orgFlags) bool { return f.flags&what != 0 }

// enoughFunders is the number of funders from which an organization counts as well known. More funders do not make it
// more likely that a line means it.
const enoughFunders = 8

// factsOf collects the facts of an organization. The index numbers its city.
func factsOf(o *Org) orgFacts {
	f := orgFacts{zip: zipCode(o.ZIP5), state: codeOf(o.State), section: exemptSection(o.Subsection),
		revenue: uint8(bits.Len64(uint64(max(o.Revenue, 0)))), pop: uint8(min(o.Pop, enoughFunders+1))} // one of them may be left out
	for _, x := range [...]struct {
		is   bool
		flag orgFlags
	}{
		{len(o.Others) > 0, moved}, {slices.ContainsFunc(o.Others, func(l Location) bool { return l.State != o.State }), elsewhere}, {!o.Active, inactive},
		{o.private(), private},
		{o.Foundation == "10" || strings.HasPrefix(o.NTEE, "X2"), church}, {o.grouped(), grouped}, {o.central(), central},
		{o.Sources == FiledOnly, filedOnly}, {o.Subsection != "", registered},
	} {
		if x.is {
			f.flags |= x.flag
		}
	}
	return f
}

// coarseRevenue is the revenue rounded down to a power of two.
func (f *orgFacts) coarseRevenue() int64 {
	if f.revenue == 0 {
		return 0
	}
	return 1 << (f.revenue - 1)
}

// logs caches the logarithm of 1+n for small n.
var logs = func() (l [256]float64) {
	for i := range l {
		l[i] = math.Log1p(float64(i))
	}
	return l
}()

func log1p[N ~int | ~int32 | ~int64 | ~uint32](n N) float64 {
	switch {
	case n <= 0:
		return 0
	case int64(n) < int64(len(logs)):
		return logs[n]
	}
	return math.Log1p(float64(n))
}

// revenueLogs holds the logarithm of one plus each power of two, by number of binary digits.
var revenueLogs = func() (l [65]float64) {
	for i := range l {
		f := orgFacts{revenue: uint8(i)}
		l[i] = log1p(f.coarseRevenue())
	}
	return l
}()

// nameSign is a sketch of a key: its letters and digits, its length, and its beginning. Comparing sketches rules out
// most pairs of keys.
type nameSign uint64

const (
	signLetters = 36
	signLength  = 8
	signBegin   = signLetters + signLength
)

func signOf(kx string) nameSign {
	s := nameSign(min(len(kx), 1<<signLength-1)) << signLetters
	for i := range len(kx) {
		c := kx[i]
		switch {
		case c >= 'A' && c <= 'Z':
			s |= 1 << (c - 'A')
		default:
			s |= 1 << (26 + c%10)
		}
	}
	return s | beginning(kx)<<signBegin
}

// beginning packs the first three letters of a key, six bits each.
func beginning(kx string) (b nameSign) {
	for i := range min(len(kx), 3) {
		b |= nameSign(kx[i]&63) << (6 * i)
	}
	return b
}

func (s nameSign) length() int { return int(s >> signLetters & (1<<signLength - 1)) }

// mayBeOneEdit reports whether two keys can be one edit apart. One edit changes at most two of the letter bits.
func (s nameSign) mayBeOneEdit(t nameSign) bool {
	d := s.length() - t.length()
	return d >= -1 && d <= 1 && bits.OnesCount64(uint64(s^t)&(1<<signLetters-1)) <= 2
}

// mayBeReordered reports whether two keys can have the same words in another order.
func (s nameSign) mayBeReordered(t nameSign) bool { return (s^t)&(1<<signBegin-1) == 0 }

// mayBegin reports whether a key can begin with the first three letters of another key that has at least three.
func (s nameSign) mayBegin(t nameSign) bool { return (s^t)>>signBegin == 0 }

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
