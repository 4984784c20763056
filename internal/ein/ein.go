// Package ein is the one place that knows what an Employer Identification Number looks like. Everything else passes ein.EIN
// around and never touches digits.
package ein

import (
	"errors"
	"fmt"
	"strings"

	"grantgraph/internal/fault"
)

// EIN is a nine-digit employer identification number. The zero value means "no EIN", because 00-0000000 is never issued.
type EIN uint32

// None is the absent EIN.
const None EIN = 0

// ErrMalformed is wrapped by every parse failure.
var ErrMalformed = errors.New("not an EIN")

// Parse reads an EIN in any common format: "12-3456789", "123456789", "12 3456789", with up to two leading zeros lost by a
// spreadsheet. Anything but digits, spaces, hyphens and dots is an error, so that a name pasted into an EIN field is refused
// rather than mined for digits.
func Parse(s string) (EIN, error) {
	var n, digits uint32
	for _, c := range []byte(strings.TrimSpace(s)) {
		switch {
		case c >= '0' && c <= '9':
			if digits++; digits > 9 {
				return None, fmt.Errorf("%w: %q has more than nine digits", ErrMalformed, fault.Clip(s, maxQuoted))
			}
			n = n*10 + uint32(c-'0')
		case c == '-' || c == ' ' || c == '.':
		default:
			return None, fmt.Errorf("%w: %q holds the character %q", ErrMalformed, fault.Clip(s, maxQuoted), string(rune(c)))
		}
	}
	if digits < 7 {
		return None, fmt.Errorf("%w: %q has %d digits, nine are needed", ErrMalformed, fault.Clip(s, maxQuoted), digits)
	}
	if n == 0 {
		return None, fmt.Errorf("%w: %q is all zeros", ErrMalformed, fault.Clip(s, maxQuoted))
	}
	return EIN(n), nil
}

// Stored reads an EIN from a table of our own, as String writes it: nine digits or an
// empty text. For any other text it is None.
func Stored(s string) (e EIN) {
	if len(s) != 9 {
		return None
	}
	for i := range len(s) {
		digit := s[i] - '0'
		if digit > 9 {
			return None
		}
		e = e*10 + EIN(digit)
	}
	return e
}

// Filed reads an EIN as a filer typed it on a grant line. Eight digits have lost a leading zero; fewer digits are no EIN. ok is
// false if the text is no usable EIN, as are the dummies that filers type into a required field. Prefixes.Has says whether the
// prefix was ever issued.
func Filed(s string) (e EIN, ok bool) {
	e, digits := None, 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			continue
		}
		if digits++; digits > 9 {
			return None, false
		}
		e = e*10 + EIN(c-'0')
	}
	if digits < 8 || e.dummy() {
		return None, false
	}
	return e, true
}

// dummy reports whether the number is one that filers type for want of a real
// one: one digit nine times, or a run up or down the keyboard.
func (e EIN) dummy() bool {
	switch e {
	case 123456789, 987654321, 12345678:
		return true
	}
	return e%111_111_111 == 0
}

// Prefix is the two leading digits, which name the issuing campus.
func (e EIN) Prefix() int { return int(e / 10_000_000) }

// Prefixes is a set of two-digit EIN prefixes known to be in use.
type Prefixes [100]bool

// Issued is the set of prefixes met in the public master file and on filed
// grant lines. A build adds the prefixes of its own sources to a copy.
func Issued() Prefixes {
	var p Prefixes
	for i := range p {
		p[i] = true
	}
	for _, never := range [...]int{0, 7, 8, 9, 17, 18, 19, 49, 70, 79, 89, 96} {
		p[never] = false
	}
	return p
}

// Add records that the prefix of e is in use.
func (p *Prefixes) Add(e EIN) {
	if e != None {
		p[e.Prefix()] = true
	}
}

// Has reports whether the prefix of e is in use.
func (p *Prefixes) Has(e EIN) bool { return e != None && p[e.Prefix()] }

// String is the nine-digit, zero-padded form used on the wire and in tables; the empty string for None.
func (e EIN) String() string {
	if e == None {
		return ""
	}
	var b [9]byte
	e.put(&b)
	return string(b[:])
}

// Hyphenated is the form people read: 12-3456789.
func (e EIN) Hyphenated() string {
	if e == None {
		return ""
	}
	s := e.String()
	return s[:2] + "-" + s[2:]
}

// Append appends the nine-digit form to dst.
func (e EIN) Append(dst []byte) []byte {
	if e == None {
		return dst
	}
	var b [9]byte
	e.put(&b)
	return append(dst, b[:]...)
}

func (e EIN) put(b *[9]byte) {
	n := uint32(e)
	for i := 8; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
}

// MarshalText makes EINs JSON strings; None becomes the empty string.
func (e EIN) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText accepts every format Parse does, and empty for None.
func (e *EIN) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*e = None
		return nil
	}
	v, err := Parse(string(b))
	*e = v
	return err
}

// maxQuoted bounds what an error repeats, in bytes.
const maxQuoted = 32

// OneSlip reports whether a typist who meant one number could have typed the other with one slip: a digit wrong, two neighbours
// swapped, a digit left out and the number filled up to nine by a leading zero or by some last digit, or a digit struck twice
// and the last one pushed out.
func OneSlip(typed, meant EIN) bool {
	if typed == meant || typed == None || meant == None {
		return false
	}
	var x, y [9]byte
	typed.put(&x)
	meant.put(&y)
	i, j := 0, 8 // the first and the last digit that differ
	for x[i] == y[i] {
		i++
	}
	for x[j] == y[j] {
		j--
	}
	wrong := i == j
	swapped := i+1 == j && x[i] == y[j] && x[j] == y[i]
	left := string(x[i:8]) == string(y[i+1:])                 // filled up at the end
	right := x[0] == '0' && string(x[1:j+1]) == string(y[:j]) // filled up in front
	twice := i > 0 && x[i] == x[i-1] && string(x[i+1:]) == string(y[i:8])
	return wrong || swapped || left || right || twice
}
