package sheet

import (
	"unicode/utf8"

	"grantgraph/internal/windows1252"
)

// toUTF8 is a text of a sheet in UTF-8. A text that is not valid UTF-8 was saved
// by Excel as plain CSV, in Windows-1252.
func toUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	return windows1252.Decode(string(b))
}
