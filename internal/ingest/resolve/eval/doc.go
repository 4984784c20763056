// Package eval measures how well recipients are resolved. It hides the EINs that filers stated, or takes the truth of
// an invented world, asks the resolver, and counts. It reports the share of right answers by rule and by kind of
// line, how well the probabilities are calibrated, and whether a build passes its gates.
package eval
