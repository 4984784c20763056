// Package eval measures how well recipients are resolved: it hides the EINs
// that filers stated, or takes the truth of an invented world, asks the
// resolver, and counts. It says what share of the answers is right, by rule and
// by kind of line, how far the probabilities can be believed, and whether the
// gates hold that a build must pass.
package eval
