// Package recipient says what recipients are called: one name for every EIN that
// was paid, and one for every recipient abroad that has none.
package recipient
