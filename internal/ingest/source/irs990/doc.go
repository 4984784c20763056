// Package irs990 reads e-filed returns of the Form 990 series: 990, 990-EZ,
// 990-PF and 990-T, in every schema version since 2008. It matches elements by
// local name under their parent. From a schema version newer than this code, it
// reads the elements that earlier versions share, so no version is refused.
//
// A return is read as a stream. Facts that a return states once go into Return.
// Items of lists (grants, people, holdings, related organizations), of which a
// return may have a million, go to the Sink one by one. So memory stays bounded
// however long a list is.
package irs990
