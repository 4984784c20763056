package synth

import (
	"bytes"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/ein"
)

// Parts that join writes in a way of their own.
type (
	padded struct { // a number with leading zeros
		n     uint64
		width int
	}
	caps     []byte // a text in capitals
	capsText string
	cents    int64    // dollars with two digits after the point
	day      struct { // a date in the way of a list; nothing when there is none
		at     time.Time
		layout string
	}
	parts []any // several parts that make one
)

// join appends texts, numbers and the parts above to dst. Nil is nothing.
func join(dst []byte, all ...any) []byte {
	for _, p := range all {
		start := len(dst)
		switch v := p.(type) {
		case nil:
		case string:
			dst = append(dst, v...)
		case []byte:
			dst = append(dst, v...)
		case byte:
			dst = append(dst, v)
		case rune:
			dst = append(dst, byte(v))
		case int:
			dst = appendInt(dst, int64(v))
		case int64:
			dst = appendInt(dst, v)
		case uint64:
			dst = strconv.AppendUint(dst, v, 10)
		case ein.EIN:
			dst = v.Append(dst)
		case padded:
			dst = appendPadded(dst, v.n, v.width)
		case caps:
			dst = append(dst, v...)
			upper(dst[start:])
		case capsText:
			dst = append(dst, v...)
			upper(dst[start:])
		case cents:
			if v < 0 {
				dst, v = append(dst, '-'), -v
			}
			dst = appendPadded(append(appendInt(dst, int64(v)/100), '.'), uint64(v)%100, 2)
		case day:
			if !v.at.IsZero() {
				dst = v.at.AppendFormat(dst, v.layout)
			}
		case parts:
			dst = join(dst, v...)
		default:
			panic("synth: a part of an unknown type")
		}
	}
	return dst
}

func when(ok bool, part any) any {
	if ok {
		return part
	}
	return nil
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

func appendPadded(dst []byte, n uint64, width int) []byte {
	start := len(dst)
	for range width {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; i >= start && n > 0; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
	return dst
}

// date is midnight UTC of a day.
func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func upper(b []byte) {
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 32
		}
	}
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 32
	}
	return c
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// appendPlain writes a name the way the master file does: no periods, commas or apostrophes.
func appendPlain(dst, name []byte) []byte {
	for _, c := range name {
		if c != '.' && c != ',' && c != '\'' {
			dst = append(dst, c)
		}
	}
	return dst
}

// appendTitled writes a name with a capital at the start of every word and nowhere
// else. dst may be the room before name in the same array.
func appendTitled(dst, name []byte) []byte {
	word := true
	for _, c := range name {
		lc := lower(c)
		if word && isLower(lc) {
			lc -= 32
		}
		dst = append(dst, lc)
		word = c == ' ' || c == '-'
	}
	return dst
}

// fill writes a template. The letter after each dollar sign is handed to put, which writes what the letter stands for.
func fill(dst []byte, template string, put func(dst []byte, letter byte) []byte) []byte {
	for {
		i := strings.IndexByte(template, '$')
		if i < 0 {
			return append(dst, template...)
		}
		dst = put(append(dst, template[:i]...), template[i+1])
		template = template[i+2:]
	}
}

// pickBar picks one of the alternatives of a text that bars separate.
func pickBar(s string, h uint64) string {
	for range scale(h, strings.Count(s, "|")+1) {
		_, s, _ = strings.Cut(s, "|")
	}
	s, _, _ = strings.Cut(s, "|")
	return s
}

// record is one row of a delimited file under construction.
type record struct {
	b         []byte
	separator string
	end       string
	quotes    bool // put fields with commas, quotes or line ends in quotes
	columns   int  // how many the file has
	fields    int  // written so far
}

// newRecord is for rows of the file of that name in columns.tsv.
func newRecord(file, separator, end string, quotes bool) *record {
	return &record{separator: separator, end: end, quotes: quotes, columns: len(columns.of(file))}
}

func header(file, end string) string { return strings.Join(columns.of(file), ",") + end }

func (r *record) add(fields ...any) {
	for _, f := range fields {
		if r.fields > 0 {
			r.b = append(r.b, r.separator...)
		}
		r.fields++
		start := len(r.b)
		if r.b = join(r.b, f); r.quotes && bytes.ContainsAny(r.b[start:], ",\"\r\n") {
			field := strings.ReplaceAll(string(r.b[start:]), `"`, `""`)
			r.b = append(append(append(r.b[:start], '"'), field...), '"')
		}
	}
}

// finish ends the row and returns it. The bytes are good until the next add.
func (r *record) finish() []byte {
	if r.fields != r.columns {
		panic("synth: a row with " + strconv.Itoa(r.fields) + " fields instead of " + strconv.Itoa(r.columns))
	}
	row := append(r.b, r.end...)
	r.b, r.fields = row[:0], 0
	return row
}

// Everything in the world is drawn by hashing the identity of the thing. No stream of random numbers is
// shared, so a shard has the same bytes when it is written alone, in any order and on any number of workers.

// mix is the finalizer of SplitMix64, a bijection of 64 bits that passes for random.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

const golden = 0x9e3779b97f4a7c15

// sub is the key of a part of a thing. tag names the kind of part and a is its number.
func sub(key uint64, tag byte, a int) uint64 {
	return mix(key + golden*(uint64(tag)+1) ^ mix(uint64(a)*golden+uint64(tag)))
}

// rng is a short private stream for one thing, for when the number of draws is not known beforehand.
type rng struct{ s uint64 }

func (r *rng) next() uint64 {
	r.s += golden
	return mix(r.s)
}

// n draws from 0 to n-1.
func (r *rng) n(n int) int { return scale(r.next(), n) }

// odds is true p times in ten thousand.
func (r *rng) odds(p int) bool { return odds(r.next(), p) }

func (r *rng) of(s []string) string { return s[r.n(len(s))] }

func (r *rng) letter() byte { return byte('A' + r.n(26)) }

// day draws a day of a year from first on, within so many years.
func (r *rng) day(first, years int) time.Time {
	year, month := first+r.n(years), time.Month(1+r.n(12))
	return date(year, month, 1+r.n(28))
}

func scale(h uint64, n int) int {
	hi, _ := bits.Mul64(h, uint64(n))
	return int(hi)
}

// odds decides from a key, true p times in ten thousand.
func odds(key uint64, p int) bool { return scale(key, 10_000) < p }

// Logarithms and powers of two in fixed point with 16 fractional bits, made
// with integers only, so that they agree on every machine.

const one = 1 << 16

// powers holds 2^(i/256) scaled by 2^30.
var powers = func() (t [257]uint64) {
	var root [9]uint64 // root[k] = 2^(1/2^k) * 2^30
	root[0] = 2 << 30
	for k := 1; k <= 8; k++ {
		root[k] = isqrt(root[k-1] << 30)
	}
	t[256] = 2 << 30
	for i := range t[:256] {
		v := uint64(1 << 30)
		for k := 1; k <= 8; k++ {
			if i>>(8-k)&1 == 1 {
				v = v * root[k] >> 30
			}
		}
		t[i] = v
	}
	return t
}()

func isqrt(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	x := uint64(1) << ((bits.Len64(n) + 1) / 2)
	for {
		y := (x + n/x) / 2
		if y >= x {
			return x
		}
		x = y
	}
}

// exp2 is 2^(x/65536), rounded down, for x from 0 to about 62<<16.
func exp2(x int) uint64 {
	whole, frac := x>>16, x&0xffff
	i, rest := frac>>8, uint64(frac&0xff)
	v := powers[i] + (powers[i+1]-powers[i])*rest>>8 // scaled by 2^30
	if whole >= 30 {
		return v << (whole - 30)
	}
	return v >> (30 - whole)
}

// log2 is the inverse of exp2.
func log2(n uint64) int {
	if n == 0 {
		return 0
	}
	whole := bits.Len64(n) - 1
	var v uint64 // n scaled to 1..2 with 30 fractional bits
	if whole >= 30 {
		v = n >> (whole - 30)
	} else {
		v = n << (30 - whole)
	}
	lo, hi := 0, 256
	for lo+1 < hi {
		if m := (lo + hi) / 2; powers[m] <= v {
			lo = m
		} else {
			hi = m
		}
	}
	rest := (v - powers[lo]) << 8 / (powers[lo+1] - powers[lo])
	return whole<<16 | lo<<8 | int(rest)
}

// zipf draws a rank from 0 to n-1 with a probability that falls as 1/(rank+head). It
// inverts the cumulative distribution, which is a logarithm.
func zipf(h uint64, n, head int) int {
	if n <= 1 {
		return 0
	}
	span := log2(uint64(n+head)<<16/uint64(head)) - 16<<16
	x := scale(h, span+1)
	v := exp2(x+8<<16) * uint64(head) >> 8
	return min(max(int(v)-head, 0), n-1)
}

// quantiles is a distribution given by values at probabilities (in millionths); between them it is geometric.
type quantiles struct {
	p []int
	l []int // log2 of the values
}

func newQuantiles(pv ...int) quantiles {
	var q quantiles
	for i := 0; i < len(pv); i += 2 {
		q.p = append(q.p, pv[i])
		q.l = append(q.l, log2(uint64(pv[i+1])))
	}
	return q
}

// at is the value at probability u/2^32, with u from 0 to 2^32-1.
func (q *quantiles) at(u uint64) int64 {
	m := int(u * 1_000_000 >> 32)
	i := 1
	for i < len(q.p)-1 && m >= q.p[i] {
		i++
	}
	lo, hi := uint64(q.p[i-1])<<32/1_000_000, uint64(q.p[i])<<32/1_000_000
	u = min(max(u, lo), hi)
	x := q.l[i-1] + int(uint64(q.l[i]-q.l[i-1])*(u-lo)/(hi-lo))
	return int64(exp2(x))
}

// blend makes one uniform draw of two draws, so that things drawn with the same a resemble each other. The
// mean of two draws has a triangular distribution, and the cumulative distribution makes it uniform again.
func blend(a, b uint64) uint64 {
	t := (a>>33 + b>>33) // 0 .. 2^32
	if t < 1<<31 {
		return t * t >> 31
	}
	r := 1<<32 - t
	return 1<<32 - 1 - min(r*r>>31, 1<<32-1)
}

// round2 keeps two significant digits.
func round2(v int64) int64 {
	p := int64(1)
	for v/p >= 100 {
		p *= 10
	}
	return (v + p/2) / p * p
}
