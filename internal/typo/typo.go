// Package typo guesses what a misspelled name was meant to be.
package typo

import "strings"

// longest is the length of a name beyond which nothing is guessed.
const longest = 64

// Meant finds the name that a misspelled one was probably meant to be: at most
// two slips away, one for short names, and none when two are as near. Names are
// in lower case, with underscores; the misspelled one may not be.
func Meant(name string, names []string) string {
	if len(name) < 2 || len(name) > longest {
		return ""
	}
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	limit := 2
	if len(name) <= 5 {
		limit = 1
	}
	best, tie := "", false
	for _, n := range names {
		d := Distance(name, n)
		switch {
		case d > limit:
		case best == "" || d < limit:
			best, tie, limit = n, false, d
		case n != best:
			tie = true
		}
	}
	if tie {
		return ""
	}
	return best
}
