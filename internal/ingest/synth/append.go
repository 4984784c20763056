package synth

import (
	"strconv"

	"grantgraph/internal/place"
)

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// appendPadded writes n with leading zeros to the given width.
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

// appendPlain writes a name the way the master file does: no periods, commas
// or apostrophes.
func appendPlain(dst, name []byte) []byte {
	for _, c := range name {
		if c != '.' && c != ',' && c != '\'' {
			dst = append(dst, c)
		}
	}
	return dst
}

// stateName is the full name of a state, as organizations use it.
func stateName(code string) string {
	if r, ok := place.RegionOf(code); ok {
		return r.Name
	}
	return code
}
