package synth

import (
	"bytes"
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
