package vector

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"grantgraph/internal/meaning"
	"grantgraph/internal/top"
)

// depth is how many documents with the fewest differing signs are compared by numbers.
const depth = 20_000

// asked is a query: its signs and its one-byte numbers.
type asked struct {
	signs  signs
	bytes  [meaning.Dim]int8
	words  [meaning.Dim]int16 // the same numbers, in the form that a kernel needs
	offset int32              // the excess of a dot product, because rows are stored 128 larger
	scale  float32
}

func ask(q *meaning.Vector) *asked {
	a := &asked{}
	var r row
	if a.signs, a.scale = quantize(q, &r); a.scale == 0 {
		return a
	}
	for i, b := range r {
		n := int(b) - 128
		a.bytes[i], a.words[i] = int8(n), int16(n)
		a.offset += 128 * int32(n)
	}
	return a
}

// cosine turns a dot product with a row of the given scale into a cosine.
func (a *asked) cosine(dot int32, scale float32) float32 {
	return float32(dot-a.offset) * a.scale * scale
}

// search is the reused memory of one question: half a megabyte for any number of documents.
type search struct {
	depth     int
	docs      []uint32 // candidates in ascending order
	distances []uint16 // signs in which each differs from the query
	counts    [meaning.Dim + 1]int
	limit     int         // the largest distance still of interest
	chosen    [512]uint32 // documents whose signs are to be compared
	some      int         // how many are chosen
	block     [512]uint16 // distances of these, or of a run of neighbors
	dots      []int32
	cosines   []float32
	heap      []Hit
}

// candidates finds the documents to compare by their numbers: those with the fewest
// differing signs, ties by lowest number. It reports false if the context has ended.
func (s *search) candidates(ctx context.Context, x *Index, a *asked, within []uint64) bool {
	s.docs, s.depth = s.docs[:0], x.depth
	total := x.count(within)
	if total <= x.depth {
		x.each(within, 1, func(doc uint32) { s.docs = append(s.docs, doc) })
		return ctx.Err() == nil
	}
	for limit := s.guess(x, a, within, total); s.scan(ctx, x, a, within, limit); limit = meaning.Dim {
		// Otherwise the sample was not typical.
		if len(s.docs) >= s.depth {
			s.trim()
			return true
		}
	}
	return false
}

// guess estimates from a sample a distance within which there are most likely enough
// documents, and few more. Most other documents then need not be kept.
func (s *search) guess(x *Index, a *asked, within []uint64, total int) int {
	const sample = 6_000
	var counts [meaning.Dim + 1]int
	seen := 0
	s.some = 0
	count := func() {
		distancesAt(&a.signs, x.signs, s.chosen[:s.some], s.block[:])
		for _, d := range s.block[:s.some] {
			counts[d]++
		}
		seen += s.some
		s.some = 0
	}
	x.each(within, max(1, total/sample), func(doc uint32) {
		s.chosen[s.some] = doc
		if s.some++; s.some == len(s.chosen) {
			count()
		}
	})
	count()
	// Four standard deviations above what is expected.
	wanted := float64(s.depth) * float64(seen) / float64(total)
	wanted += 4 * math.Sqrt(wanted)
	limit, near := 0, counts[0]
	for limit < meaning.Dim && float64(near) < wanted {
		limit++
		near += counts[limit]
	}
	return limit
}

// scan takes the documents within a distance. It reports false if the context has ended.
func (s *search) scan(ctx context.Context, x *Index, a *asked, within []uint64, limit int) bool {
	s.docs, s.distances, s.some = s.docs[:0], s.distances[:0], 0
	s.counts, s.limit = [meaning.Dim + 1]int{}, limit
	for w, set := range x.present {
		if w%1024 == 0 && ctx.Err() != nil {
			return false
		}
		if within != nil {
			if w >= len(within) {
				break
			}
			set &= within[w]
		}
		base := uint32(w * 64)
		if set == ^uint64(0) {
			s.compare(x, a)
			distances(&a.signs, x.signs[base:base+64], s.block[:64])
			for i, d := range s.block[:64] {
				if int(d) <= s.limit {
					s.take(base+uint32(i), d)
				}
			}
			continue
		}
		for ; set != 0; set &= set - 1 {
			s.chosen[s.some] = base + uint32(bits.TrailingZeros64(set))
			s.some++
		}
		if s.some > len(s.chosen)-64 {
			s.compare(x, a)
		}
	}
	s.compare(x, a)
	return true
}

// compare compares the chosen documents, which do not lie together.
func (s *search) compare(x *Index, a *asked) {
	chosen := s.chosen[:s.some]
	distancesAt(&a.signs, x.signs, chosen, s.block[:])
	for i, doc := range chosen {
		if d := s.block[i]; int(d) <= s.limit {
			s.take(doc, d)
		}
	}
	s.some = 0
}

// take keeps a candidate, and drops the worse half when there are twice as many as needed.
func (s *search) take(doc uint32, distance uint16) {
	s.docs, s.distances = append(s.docs, doc), append(s.distances, distance)
	if s.counts[distance]++; len(s.docs) == 2*s.depth {
		s.trim()
	}
}

// trim keeps the best candidates in order. Distances are small, so counting replaces sorting.
func (s *search) trim() {
	if len(s.docs) <= s.depth {
		return
	}
	last, room := 0, s.depth // the distance that fills the depth, and how many with it still fit
	for ; s.counts[last] <= room; last++ {
		room -= s.counts[last]
	}
	kept := 0
	for i, d := range s.distances {
		if int(d) > last || int(d) == last && room == 0 {
			continue
		}
		if int(d) == last {
			room--
		}
		s.docs[kept], s.distances[kept] = s.docs[i], d
		kept++
	}
	s.docs, s.distances = s.docs[:kept], s.distances[:kept]
	clear(s.counts[last:])
	for _, d := range s.distances {
		if int(d) == last {
			s.counts[last]++
		}
	}
	s.limit = last - 1
}

// best compares the candidates by their numbers and returns the k nearest.
func (s *search) best(x *Index, a *asked, k int) []Hit {
	s.dots = slices.Grow(s.dots[:0], len(s.docs))[:len(s.docs)]
	dots(a, x.rows, s.docs, s.dots)
	// The scales lie far apart in memory. Without a branch many are loaded at once.
	s.cosines = slices.Grow(s.cosines[:0], len(s.docs))[:len(s.docs)]
	for i, doc := range s.docs {
		s.cosines[i] = a.cosine(s.dots[i], x.scales[doc])
	}
	best := top.Heap[Hit]{Most: k, Order: nearer, List: s.heap[:0]}
	for i, doc := range s.docs {
		if h := (Hit{doc, s.cosines[i]}); len(best.List) < k || nearer(h, best.List[0]) < 0 { // most are not
			best.Add(h)
		}
	}
	s.heap = best.Sorted()
	return slices.Clone(s.heap)
}

// nearer orders hits, best first.
func nearer(a, b Hit) int {
	switch { // a cosine is never NaN: rows and scales are checked
	case a.Cosine > b.Cosine:
		return -1
	case a.Cosine < b.Cosine:
		return 1
	}
	return cmp.Compare(a.Doc, b.Doc)
}

// distancesPlain counts the signs in which documents differ from a query.
func distancesPlain(q *signs, documents []signs, out []uint16) {
	q0, q1, q2, q3, q4, q5 := q[0], q[1], q[2], q[3], q[4], q[5]
	for i := range documents {
		d := &documents[i]
		out[i] = uint16(bits.OnesCount64(d[0]^q0) + bits.OnesCount64(d[1]^q1) + bits.OnesCount64(d[2]^q2) +
			bits.OnesCount64(d[3]^q3) + bits.OnesCount64(d[4]^q4) + bits.OnesCount64(d[5]^q5))
	}
}

// distancesAtPlain is distancesPlain for documents that do not lie together.
func distancesAtPlain(q *signs, documents []signs, docs []uint32, out []uint16) {
	for i, doc := range docs {
		distancesPlain(q, documents[doc:doc+1], out[i:i+1])
	}
}

// dotsPlain multiplies the rows of documents with a query.
func dotsPlain(a *asked, rows []row, docs []uint32, out []int32) {
	for i, doc := range docs {
		var sum int32
		for j, b := range rows[doc] {
			sum += int32(a.bytes[j]) * int32(b)
		}
		out[i] = sum
	}
}
