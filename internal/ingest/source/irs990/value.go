package irs990

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
)

// plainByte marks the bytes that need no further check in a value: printable ASCII except the ampersand.
var plainByte = func() (t [256]bool) {
	for c := ' '; c < 0x7f; c++ {
		t[c] = c != '&'
	}
	t['\t'], t['\n'] = true, true
	return t
}()

// unescape appends raw to dst with entities resolved, line ends normalized to a newline, and bytes and characters that XML does
// not allow replaced by U+FFFD. An undeclared entity stays as it was typed: filers write AT&T;.
func unescape(dst, raw []byte) []byte {
	for len(raw) > 0 {
		c := raw[0]
		switch {
		case c == '&':
			r, n := entity(raw)
			if n == 0 {
				dst, raw = append(dst, '&'), raw[1:]
				continue
			}
			dst, raw = utf8.AppendRune(dst, r), raw[n:]
		case c == '\r':
			dst = append(dst, '\n')
			raw = raw[1:]
			if len(raw) > 0 && raw[0] == '\n' {
				raw = raw[1:]
			}
		case c < ' ' && c != '\t' && c != '\n':
			dst, raw = utf8.AppendRune(dst, utf8.RuneError), raw[1:]
		case c < utf8.RuneSelf:
			dst, raw = append(dst, c), raw[1:]
		default:
			r, n := utf8.DecodeRune(raw)
			dst, raw = utf8.AppendRune(dst, r), raw[n:]
		}
	}
	return dst
}

// entity decodes the reference at the start of b, which begins with an ampersand. n is its length, or 0 if it
// is neither one of the five predefined entities nor a character reference.
func entity(b []byte) (r rune, n int) {
	end := bytes.IndexByte(b[:min(len(b), 12)], ';')
	if end < 0 {
		return 0, 0
	}
	switch string(b[1:end]) {
	case "amp":
		return '&', 5
	case "lt":
		return '<', 4
	case "gt":
		return '>', 4
	case "quot":
		return '"', 6
	case "apos":
		return '\'', 6
	}
	if b[1] != '#' {
		return 0, 0
	}
	digits, base := b[2:end], 10
	if len(digits) > 0 && digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	code, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || len(digits) == 0 || digits[0] == '+' || digits[0] == '_' {
		return 0, 0
	}
	if code > utf8.MaxRune || !utf8.ValidRune(rune(code)) || code < ' ' && code != '\t' && code != '\n' && code != '\r' {
		return utf8.RuneError, end + 1
	}
	return rune(code), end + 1
}

// wholeReferences drops an incomplete character or reference at the end of a value that was cut.
func wholeReferences(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				b = b[:i]
			}
			break
		}
	}
	tail := max(len(b)-12, 0)
	if i := bytes.LastIndexByte(b[tail:], '&'); i >= 0 && bytes.IndexByte(b[tail+i:], ';') < 0 {
		b = b[:tail+i]
	}
	return b
}

// parseAmount reads a whole-dollar figure. Cents are dropped and separators ignored. Text that is not a
// number, or exceeds 64 bits, counts as not reported.
func parseAmount(b []byte) Amount {
	b = bytes.TrimSpace(b)
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	var n uint64
	digits := 0
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			if n > (math.MaxInt64-9)/10 {
				return Amount{}
			}
			n = n*10 + uint64(c-'0')
			digits++
			continue
		case c == ',' && digits > 0:
			continue
		case c == '.' && onlyDigits(b[i+1:]) && digits+len(b)-i > 1:
		default:
			return Amount{}
		}
		break
	}
	if digits == 0 && !bytes.ContainsRune(b, '.') {
		return Amount{}
	}
	if negative {
		return Amount{Value: -int64(n), Set: true}
	}
	return Amount{Value: int64(n), Set: true}
}

func onlyDigits(b []byte) bool { return len(bytes.Trim(b, "0123456789")) == 0 }

// marked reads a check box or an indicator in any of its spellings.
func marked(b []byte) bool {
	switch string(bytes.TrimSpace(b)) {
	case "X", "x", "1", "true", "TRUE", "True", "Y", "yes", "Yes", "YES":
		return true
	}
	return false
}
