package resolve

import (
	"math"
	"math/bits"
	"slices"
	"strings"
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
