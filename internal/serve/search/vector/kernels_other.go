//go:build !amd64

package vector

func distances(q *signs, documents []signs, out []uint16) { distancesPlain(q, documents, out) }

func dots(a *asked, rows []row, docs []uint32, out []int32) { dotsPlain(a, rows, docs, out) }
