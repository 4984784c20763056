//go:build !amd64

package vector

func distances(q *signs, documents []signs, out []uint16) { distancesPlain(q, documents, out) }

func distancesAt(q *signs, documents []signs, docs []uint32, out []uint16) {
	distancesAtPlain(q, documents, docs, out)
}

func dots(a *asked, rows []row, docs []uint32, out []int32) { dotsPlain(a, rows, docs, out) }
