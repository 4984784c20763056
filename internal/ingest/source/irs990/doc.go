// Package irs990 reads e-filed returns of the Form 990 series: 990, 990-EZ,
// 990-PF and 990-T, in every schema generation since 2008 and in later ones it
// has not met. It matches elements by local name under their parent, so a new
// schema version is read for what it shares with the old ones and is never
// refused.
//
// A return is read as a stream. What a return has one of lands in Return; what
// it may have a million of (grants, people, holdings, related organizations)
// is handed to the Sink as it is met, so memory stays bounded however long the
// list is.
package irs990
