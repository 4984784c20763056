// Package typo guesses what a misspelled name was meant to be.
package typo

import "strings"

// longest is the length of the longest name for which Meant guesses.
const longest = 64

// Meant finds the name that somebody probably meant by a misspelled name. It may be two slips away, or one slip if the
// misspelled name is short. If two names are equally near, Meant returns an empty text. Names are in lower case with
// underscores; the misspelled name need not be.
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
