package fault

import "unicode/utf8"

// Clip shortens a text from a stranger to so many bytes, so that a message can repeat
// it. It cuts between characters and ends with an ellipsis.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
