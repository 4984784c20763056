// Package plural writes numbers of things.
package plural

import "grantgraph/internal/money"

// Word returns one if n is 1, and several for every other number.
func Word[N ~int | ~int64](n N, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Count writes a number, with commas between the thousands, and its word.
func Count[N ~int | ~int64](n N, one, several string) string {
	return money.Grouped(int64(n)) + " " + Word(n, one, several)
}
