// Package change says what is different between two builds of the dataset, and
// between two editions of the compliance lists, for those who ask whether to
// read something again.
//
// Builds are compared by digests. Every build has a file of them (lines.go): its
// returns, and for each grant line one number made of all that its row says. The
// next build reads that file of the builds that are still kept beside its own
// (compare.go) and takes the differences by filer into the snapshot (since.go),
// so that whoever serves it, also a machine that never had an earlier build,
// answers from a few small columns.
//
// Editions come often and are not kept for long, so each carries a log of what
// changed in those before it (editions.go), from which the difference to any of
// them follows; and whom the sanctions list may mean (matches.go), which no list
// says: everybody's names are compared with it as the edition is made.
package change

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
)

// digest is a number that differs where the text does: 64 bits of its SHA-256.
func digest(text []byte) uint64 {
	sum := sha256.Sum256(text)
	return binary.LittleEndian.Uint64(sum[:])
}

// number is the EIN of a row, zero for one that cannot be read.
func number(text string) uint32 {
	e, err := ein.Parse(text)
	if err != nil {
		return 0
	}
	return uint32(e)
}

// day is a date as a number of eight digits, zero for one that cannot be read.
func day(date string) uint32 {
	n, err := strconv.ParseUint(strings.ReplaceAll(date, "-", ""), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}
