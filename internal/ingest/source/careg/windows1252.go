package careg

import (
	"strings"

	"grantgraph/internal/windows1252"
)

// decode reads Windows-1252 text. A cell may be padded with no-break spaces, which
// are not ASCII.
func decode(s string) string {
	if decoded := windows1252.Decode(s); decoded != s {
		return strings.TrimSpace(decoded)
	}
	return s
}
