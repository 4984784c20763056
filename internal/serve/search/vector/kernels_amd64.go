package vector

import "golang.org/x/sys/cpu"

var (
	hasVNNI   = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VNNI
	hasAVX2   = cpu.X86.HasAVX2
	hasPopcnt = cpu.X86.HasPOPCNT
)

func distances(q *signs, documents []signs, out []uint16) {
	if hasPopcnt && len(documents) > 0 && len(out) >= len(documents) {
		distancesPopcnt(q, documents, out)
		return
	}
	distancesPlain(q, documents, out)
}

func distancesAt(q *signs, documents []signs, docs []uint32, out []uint16) {
	switch {
	case len(docs) == 0 || len(out) < len(docs):
	case hasPopcnt:
		distancesAtPopcnt(q, documents, docs, out)
	default:
		distancesAtPlain(q, documents, docs, out)
	}
}

func dots(a *asked, rows []row, docs []uint32, out []int32) {
	switch {
	case len(docs) == 0 || len(out) < len(docs):
	case hasVNNI:
		dotsVNNI(&a.bytes, rows, docs, out)
	case hasAVX2:
		dotsAVX2(&a.words, rows, docs, out)
	default:
		dotsPlain(a, rows, docs, out)
	}
}

// Document numbers are not checked: they come from a set of existing documents.

//go:noescape
func distancesPopcnt(q *signs, documents []signs, out []uint16)

//go:noescape
func distancesAtPopcnt(q *signs, documents []signs, docs []uint32, out []uint16)

//go:noescape
func dotsVNNI(q *[384]int8, rows []row, docs []uint32, out []int32)

//go:noescape
func dotsAVX2(q *[384]int16, rows []row, docs []uint32, out []int32)
