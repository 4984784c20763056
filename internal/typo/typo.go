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
		d := slips(name, n)
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

// slips is the number of insertions, deletions, changes and swaps of
// neighbours that turn a into b.
func slips(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
