// Package change finds the differences between two builds of the dataset, and between
// two editions of the compliance lists, for users who ask whether to read data again.
//
// Builds are compared by digests. Every build has a file of digests (lines.go): its returns, and for each grant line one number
// made from its whole row. The next build compares its own digests with those of every kept build (compare.go) and stores the
// differences by filer in the snapshot (since.go). So any server answers from a few small columns, even if it never had an
// earlier build.
//
// Editions come often and are not kept for long. So each edition carries a log of the changes before it (editions.go), which
// gives the difference to any of them. It also carries potential matches with the sanctions list (matches.go): the names of all
// organizations are compared with that list when the edition is made.
package change

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"

	"grantgraph/internal/ein"
)

func digest(text []byte) uint64 {
	sum := sha256.Sum256(text)
	return binary.LittleEndian.Uint64(sum[:])
}

func number(text string) uint32 {
	e, err := ein.Parse(text)
	if err != nil {
		return 0
	}
	return uint32(e)
}

func day(date string) uint32 {
	n, err := strconv.ParseUint(strings.ReplaceAll(date, "-", ""), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}
