// Package vector finds the documents that mean about the same as a query: the
// nearest of millions of vectors.
//
// A document is 384 sign bits and 384 numbers of a byte. Signs are compared
// with those of the query first, 48 bytes a document; the 20,000 that differ
// least are then compared by their numbers. That keeps practically all of the
// true nearest, and reads an eighth of the file.
package vector

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/bits"
	"sync"

	"grantgraph/internal/meaning"
	"grantgraph/internal/snapshot/mapped"
)

var fileKind = &mapped.Kind{
	Magic: "GGvecto1", Name: "index of meanings",
	Missing: "vectors_missing", Version: "vectors_version", Damaged: "vectors_damaged",
}

// signWords are the words of 64 signs that a document has.
const signWords = meaning.Dim / 64

type (
	signs [signWords]uint64
	row   [meaning.Dim]uint8 // each number 128 larger than it is
)

// Writer writes an index in one pass. It holds 52 bytes for each document.
type Writer struct {
	out    *mapped.Writer
	rows   []byte // not written yet
	next   int
	signs  []signs
	scales []float32 // 1 / length of the row; 0 for a document that says nothing
}

// NewWriter begins an index of n documents.
func NewWriter(out io.Writer, n int) *Writer {
	w := &Writer{out: mapped.NewWriter(out, fileKind), signs: make([]signs, n), scales: make([]float32, n)}
	w.out.Begin("rows")
	return w
}

// Set says what document i means. Documents are set in ascending order; those
// that are left out say nothing.
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

// skip leaves out the documents before i.
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

// Close ends the index and says whether all of it was written.
func (w *Writer) Close() error {
	w.skip(len(w.signs))
	_, _ = w.out.Write(w.rows)
	mapped.Add(w.out, "signs", w.signs)
	mapped.Add(w.out, "scales", w.scales)
	return w.out.Close()
}

// quantize rounds a vector to numbers of a byte. scale makes their length one.
func quantize(v *meaning.Vector, r *row) (s signs, scale float32) {
	// There are hundreds of millions of numbers, half of them negative, so they are
	// looked at as bits, without a branch.
	const (
		sign     = 1 << 31
		infinite = 0x7F800000 // and what is no number is above
	)
	most := uint32(0)
	for _, x := range v {
		most = max(most, math.Float32bits(x)&^sign)
	}
	if most == 0 || most >= infinite {
		*r = row{}
		return s, 0
	}
	// magic added to a small number rounds it to the nearest integer, ties to even,
	// and leaves that integer in the low bits.
	const magic, magicBits = 3 << 22, 0x4B400000
	largest, square := math.Float32frombits(most), int32(0)
	for word := range s {
		for bit, x := range v[64*word:][:64] {
			q := int32(math.Float32bits(float32(x/largest*127)+magic)) - magicBits
			square += q * q
			r[64*word+bit] = uint8(q + 128)
			n := int32(math.Float32bits(x)) // as positive, zero or negative as x
			s[word] |= uint64(uint32(-n&^n)>>31) << bit
		}
	}
	return s, float32(1 / math.Sqrt(float64(square)))
}

// Index is the vectors of a file. It may be used by many at once.
type Index struct {
	mu       sync.RWMutex // held for reading by every question, for writing by Close
	closed   bool
	file     *mapped.File
	rows     []row
	signs    []signs
	scales   []float32
	present  []uint64 // documents that say something
	some     int      // how many of them
	depth    int      // candidates of a question
	searches sync.Pool
}

// Open maps an index. All of it is read once, to verify it.
func Open(path string) (*Index, error) {
	f, err := mapped.Open(path, fileKind)
	if err != nil {
		return nil, err
	}
	x, err := newIndex(f)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return x, nil
}

func newIndex(f *mapped.File) (*Index, error) {
	x := &Index{file: f, depth: depth, scales: mapped.Column[float32](f, "scales", mapped.AnyLength)}
	x.rows = mapped.Column[row](f, "rows", len(x.scales))
	x.signs = mapped.Column[signs](f, "signs", len(x.scales))
	if err := f.Err(); err != nil {
		return nil, err
	}
	x.present = make([]uint64, (len(x.scales)+63)/64)
	for i, s := range x.scales {
		switch {
		case s > 0 && s <= 1:
			x.present[i/64] |= 1 << (i % 64)
			x.some++
		case s != 0:
			f.Fail("document %d has the scale %v", i, s)
			return nil, f.Err()
		}
	}
	x.searches.New = func() any { return new(search) }
	return x, nil
}

// Close waits for the questions under way and unmaps the file. A closed index
// finds nothing.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	return x.file.Close()
}

// Len is the number of documents.
func (x *Index) Len() int { return len(x.scales) }

// Hit is a document with the cosine between it and the query.
type Hit struct {
	Doc    uint32
	Cosine float32
}

// Vector is the vector of a document, as well as its bytes say it.
func (x *Index) Vector(doc uint32) (v meaning.Vector) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed || int(doc) >= len(x.scales) || x.scales[doc] == 0 {
		return v
	}
	for i, b := range x.rows[doc] {
		v[i] = float32(int(b)-128) * x.scales[doc]
	}
	return v
}

// Nearest finds the k documents nearest to a query, best first and those alike
// by number. within chooses documents by their bits; nil is all of them. A
// context that ends makes it return nothing.
func (x *Index) Nearest(ctx context.Context, q *meaning.Vector, within []uint64, k int) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	a := ask(q)
	if x.closed || k <= 0 || a.scale == 0 {
		return nil
	}
	s := x.searches.Get().(*search)
	defer x.searches.Put(s)
	if !s.candidates(ctx, x, a, within) {
		return nil
	}
	return s.best(x, a, k)
}

// count is the number of documents in a set, and of those that say something.
func (x *Index) count(within []uint64) (n int) {
	if within == nil {
		return x.some
	}
	for i, w := range within[:min(len(within), len(x.present))] {
		n += bits.OnesCount64(w & x.present[i])
	}
	return n
}

// each calls visit for every n-th of the documents that count counts, from the
// first.
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
