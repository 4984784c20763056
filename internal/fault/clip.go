package fault

import "unicode/utf8"

// Clip bounds what a stranger sent to so many bytes, to be repeated in a
// message. It cuts between characters, and an ellipsis stands for the rest.
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
