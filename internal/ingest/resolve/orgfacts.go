package resolve

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// orgFacts are what is asked of every organization that comes into question, in
// few bytes: where hundreds are looked at for one line, reading them is most of
// the work.
type orgFacts struct {
	city    uint32 // number of its city, 0 for none
	zip     uint32 // 0 for none
	state   stateCode
	flags   orgFlags
	section TaxStatus // that it is exempt under
	revenue uint8     // how many binary digits it has
	pop     uint8     // distinct funders that filed its EIN, as far as they count
}

// orgFlags are what is so or not.
type orgFlags uint16

const (
	moved      orgFlags = 1 << iota // it has further addresses
	elsewhere                       // some of them in other states
	inactive                        //
	private                         // a private foundation
	church                          //
	grouped                         // covered by a group exemption
	central                         // a group exemption is its own
	filedOnly                       // no list knows it
	registered                      // the register says what it is exempt under
)

func (f *orgFacts) is(what orgFlags) bool { return f.flags&what != 0 }

// enoughFunders is from how many funders on an organization is well known. More
// say nothing of whether a line means it.
const enoughFunders = 8

// factsOf sums up an organization. Its city is numbered by the index.
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

// logs are the logarithms of one more than a number, for those that are asked for
// again and again.
var logs = func() (l [256]float64) {
	for i := range l {
		l[i] = math.Log1p(float64(i))
	}
	return l
}()

// log1p is the logarithm of one more than a count.
func log1p[N ~int | ~int32 | ~int64 | ~uint32](n N) float64 {
	switch {
	case n <= 0:
		return 0
	case int64(n) < int64(len(logs)):
		return logs[n]
	}
	return math.Log1p(float64(n))
}

// revenueLogs are the logarithms of one more than the powers of two, by binary
// digits.
var revenueLogs = func() (l [65]float64) {
	for i := range l {
		f := orgFacts{revenue: uint8(i)}
		l[i] = log1p(f.coarseRevenue())
	}
	return l
}()

// nameSign is a sketch of a key, by which most keys are told apart unseen: which
// letters and digits it has, how many, and how it begins.
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

// beginning is what the first three letters of a key make, six bits each.
func beginning(kx string) (b nameSign) {
	for i := range min(len(kx), 3) {
		b |= nameSign(kx[i]&63) << (6 * i)
	}
	return b
}

func (s nameSign) length() int { return int(s >> signLetters & (1<<signLength - 1)) }

// mayBeOneEdit reports whether two keys can be one edit apart, which changes two
// kinds of letters at most.
func (s nameSign) mayBeOneEdit(t nameSign) bool {
	d := s.length() - t.length()
	return d >= -1 && d <= 1 && bits.OnesCount64(uint64(s^t)&(1<<signLetters-1)) <= 2
}

// mayBeReordered reports whether two keys can be of the same words in another
// order.
func (s nameSign) mayBeReordered(t nameSign) bool { return (s^t)&(1<<signBegin-1) == 0 }

// mayBegin reports whether a key can begin with the first three letters of
// another, if that has so many.
func (s nameSign) mayBegin(t nameSign) bool { return (s^t)>>signBegin == 0 }
