// Package vector finds the documents nearest in meaning to a query among millions of vectors.
//
// A document is 384 sign bits and 384 one-byte numbers. The signs are compared with those of the query first, at 48 bytes a
// document. The 20,000 documents that differ least are then compared by their numbers. That keeps practically all of the true
// nearest and reads an eighth of the file.
package vector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"path/filepath"
	"sync"

	"grantgraph/internal/meaning"
	"grantgraph/internal/snapshot/mapped"
)

var fileKind = &mapped.Kind{
	Magic: "GGvecto1", Name: "index of meanings",
	Missing: "vectors_missing", Version: "vectors_version", Damaged: "vectors_damaged",
}

const signWords = meaning.Dim / 64

type (
	signs [signWords]uint64
	row   [meaning.Dim]uint8 // each number 128 larger than it is
)

// Writer writes an index in one pass. It holds 52 bytes of memory per document.
type Writer struct {
	out    *mapped.Writer
	rows   []byte // not written yet
	next   int
	signs  []signs
	scales []float32 // 1 / length of the row; 0 for a document without a vector
}

// NewWriter begins an index of n documents.
func NewWriter(out io.Writer, n int) *Writer {
	w := &Writer{out: mapped.NewWriter(out, fileKind), signs: make([]signs, n), scales: make([]float32, n)}
	w.out.Begin("rows")
	return w
}

// Set sets the vector of document i, in ascending order. One that is left out has no vector.
func (w *Writer) Set(i int, v meaning.Vector) {
	if i < w.next || i >= len(w.signs) {
		w.out.Fail(fmt.Errorf("document %d of %d is set after document %d", i, len(w.signs), w.next-1))
		return
	}
	w.skip(i)
	var r row
	w.signs[i], w.scales[i] = quantize(&v, &r)
	w.put(&r)
}

func (w *Writer) skip(i int) {
	for empty := (row{}); w.next < i; {
		w.put(&empty)
	}
}

func (w *Writer) put(r *row) {
	w.next++
	if w.rows = append(w.rows, r[:]...); len(w.rows) >= 1<<18 {
		_, _ = w.out.Write(w.rows)
		w.rows = w.rows[:0]
	}
}

// Close finishes the index and returns the first error of writing it.
func (w *Writer) Close() error {
	w.skip(len(w.signs))
	_, _ = w.out.Write(w.rows)
	mapped.Add(w.out, "signs", w.signs)
	mapped.Add(w.out, "scales", w.scales)
	return w.out.Close()
}

// quantize rounds a vector to one-byte numbers. scale makes their length one.
func quantize(v *meaning.Vector, r *row) (s signs, scale float32) {
	// Of hundreds of millions of numbers half are negative: bits are examined without a branch.
	const (
		sign     = 1 << 31
		infinite = 0x7F800000 // larger bits are NaN
	)
	most := uint32(0)
	for _, x := range v {
		most = max(most, math.Float32bits(x)&^sign)
	}
	if most == 0 || most >= infinite {
		*r = row{}
		return s, 0
	}
	// magic added to a small number rounds it to the nearest integer, ties to even, and leaves that integer in the low bits.
	const magic, magicBits = 3 << 22, 0x4B400000
	largest, square := math.Float32frombits(most), int32(0)
	for word := range s {
		for bit, x := range v[64*word:][:64] {
			q := int32(math.Float32bits(float32(x/largest*127)+magic)) - magicBits
			square += q * q
			r[64*word+bit] = uint8(q + 128)
			n := int32(math.Float32bits(x)) // has the sign of x
			s[word] |= uint64(uint32(-n&^n)>>31) << bit
		}
	}
	return s, float32(1 / math.Sqrt(float64(square)))
}

// Index is the vectors of a file. It is safe for concurrent use.
type Index struct {
	mapped.Guard
	rows     []row
	signs    []signs
	scales   []float32
	present  []uint64 // documents with a vector
	some     int      // how many of them
	depth    int      // candidates per question
	searches sync.Pool
}

// Open maps an index and reads all of it once to verify it.
func Open(path string) (*Index, error) {
	return mapped.Load(filepath.Dir(path), filepath.Base(path), fileKind, newIndex)
}

// errClosed is never shown: a closed index finds nothing.
var errClosed = errors.New("vector: the index is closed")

func newIndex(f *mapped.File) *Index {
	x := &Index{Guard: mapped.Guarded(f, errClosed), depth: depth, scales: mapped.Column[float32](f, "scales", mapped.AnyLength)}
	x.rows = mapped.Column[row](f, "rows", len(x.scales))
	x.signs = mapped.Column[signs](f, "signs", len(x.scales))
	x.present = make([]uint64, (len(x.scales)+63)/64)
	for i, s := range x.scales {
		switch {
		case s > 0 && s <= 1:
			x.present[i/64] |= 1 << (i % 64)
			x.some++
		case s != 0:
			f.Fail("document %d has the scale %v", i, s)
			return x
		}
	}
	x.searches.New = func() any { return new(search) }
	return x
}

// Len is the number of documents.
func (x *Index) Len() int { return len(x.scales) }

// Hit is a document with the cosine between it and the query.
type Hit struct {
	Doc    uint32
	Cosine float32
}

// Vector is the vector of a document, up to rounding.
func (x *Index) Vector(doc uint32) (v meaning.Vector) {
	if x.Begin() != nil {
		return v
	}
	defer x.End()
	if int(doc) >= len(x.scales) || x.scales[doc] == 0 {
		return v
	}
	for i, b := range x.rows[doc] {
		v[i] = float32(int(b)-128) * x.scales[doc]
	}
	return v
}

// Nearest finds the k documents nearest to a query, best first, ties by number, of those that
// within selects by bits, or of all. If the context ends, it returns nothing.
func (x *Index) Nearest(ctx context.Context, q *meaning.Vector, within []uint64, k int) []Hit {
	if x.Begin() != nil {
		return nil
	}
	defer x.End()
	a := ask(q)
	if k <= 0 || a.scale == 0 {
		return nil
	}
	s := x.searches.Get().(*search)
	defer x.searches.Put(s)
	if !s.candidates(ctx, x, a, within) {
		return nil
	}
	return s.best(x, a, k)
}

// count is the number of documents of a set that have a vector.
func (x *Index) count(within []uint64) (n int) {
	if within == nil {
		return x.some
	}
	for i, w := range within[:min(len(within), len(x.present))] {
		n += bits.OnesCount64(w & x.present[i])
	}
	return n
}

// each calls visit for every n-th document with a vector, beginning with the first.
func (x *Index) each(within []uint64, n int, visit func(doc uint32)) {
	skip := 0
	for w, set := range x.present {
		if within != nil {
			if w >= len(within) {
				return
			}
			set &= within[w]
		}
		left := bits.OnesCount64(set)
		for left > skip {
			for ; skip > 0; skip-- {
				set &= set - 1
				left--
			}
			visit(uint32(w*64 + bits.TrailingZeros64(set)))
			skip = n
		}
		skip -= left
	}
}
