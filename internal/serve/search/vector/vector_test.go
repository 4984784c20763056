package vector

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"grantgraph/internal/bench/upstream"
	"grantgraph/internal/ingest/source/bmf"
	"grantgraph/internal/meaning"
	"grantgraph/internal/ntee"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

// world makes vectors as those of organizations are: some hundred subjects, each
// with its shades, and what is particular to one.
type world struct {
	rng      *rand.Rand
	subjects []meaning.Vector
}

func newWorld(seed uint64) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 1))}
	for range 300 {
		w.subjects = append(w.subjects, w.noise())
	}
	return w
}

func (w *world) noise() (v meaning.Vector) {
	for i := range v {
		v[i] = float32(w.rng.NormFloat64())
	}
	return meaning.Blend(v, meaning.Vector{})
}

func (w *world) vector() meaning.Vector {
	own, a, b := w.noise(), &w.subjects[w.rng.IntN(len(w.subjects))], &w.subjects[w.rng.IntN(len(w.subjects))]
	much, some := w.rng.Float32(), w.rng.Float32()*.5
	for i := range own {
		own[i] += much*a[i] + some*b[i]
	}
	return meaning.Blend(own, meaning.Vector{})
}

func write(t testing.TB, vectors []meaning.Vector) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, len(vectors))
	for i, v := range vectors {
		if v != (meaning.Vector{}) || i%2 == 0 { // some are set to nothing, some are left out
			w.Set(i, v)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func read(data []byte) (*Index, error) {
	return mapped.FromBytes(fileKind, data, newIndex)
}

func index(t testing.TB, vectors []meaning.Vector) *Index {
	t.Helper()
	x, err := read(write(t, vectors))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestDamage(t *testing.T) {
	t.Parallel()
	w := newWorld(1)
	mappedtest.Damage(t, fileKind, write(t, []meaning.Vector{w.vector(), {}, w.vector()}), func(data []byte) error {
		_, err := read(data)
		return err
	})
}

func TestFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(2)
	path := filepath.Join(t.TempDir(), "vectors.gg")
	if err := os.WriteFile(path, write(t, []meaning.Vector{w.vector(), w.vector()}), 0o644); err != nil {
		t.Fatal(err)
	}
	mappedtest.Files(t, fileKind, path, func() error {
		x, err := Open(path)
		if err != nil {
			return err
		}
		q := w.vector()
		if hits := x.Nearest(t.Context(), &q, nil, 5); len(hits) != 2 || x.Len() != 2 {
			t.Errorf("found %v", hits)
		}
		if err := x.Close(); err != nil {
			return err
		}
		if x.Nearest(t.Context(), &q, nil, 5) != nil || x.Cosine(&q, 0) != 0 || x.Vector(0) != (meaning.Vector{}) {
			t.Error("a closed index answers")
		}
		return x.Close()
	})
}

// TestQuantize holds the rounding of vectors against that of the library.
func TestQuantize(t *testing.T) {
	t.Parallel()
	w := newWorld(5)
	for n := range 2000 {
		v := w.vector()
		for i := range v {
			switch (i + n) % 7 {
			case 0:
				v[i] = 0
			case 1:
				v[i] = float32(math.Copysign(0, -1))
			case 2: // half way between two numbers
				v[i] = (float32(i%254) - 126.5) / 127
			}
		}
		v[n%len(v)] = 1
		var got row
		signs, scale := quantize(&v, &got)
		square := 0
		for i, x := range v {
			q := int(math.RoundToEven(float64(x * 127)))
			square += q * q
			if got[i] != uint8(q+128) {
				t.Fatalf("%v is %d, want %d", x, int(got[i])-128, q)
			}
			if positive := signs[i/64]>>(i%64)&1 != 0; positive != (x > 0) {
				t.Fatalf("%v is positive: %v", x, positive)
			}
		}
		if want := float32(1 / math.Sqrt(float64(square))); scale != want {
			t.Fatalf("the scale is %v, want %v", scale, want)
		}
	}
}

// TestScales refuses a scale that no vector has.
func TestScales(t *testing.T) {
	t.Parallel()
	w := newWorld(3)
	sound := write(t, []meaning.Vector{w.vector()})
	for _, bad := range []float32{-1, 2, float32(math.NaN()), float32(math.Inf(1))} {
		spoiled := mappedtest.Rewrite(t, fileKind, sound, func(name string, body []byte) ([]byte, bool) {
			if name == "scales" {
				b := math.Float32bits(bad)
				body = []byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)}
			}
			return body, true
		})
		if _, err := read(spoiled); err == nil {
			t.Errorf("a scale of %v is taken", bad)
		}
	}
}

func TestWriterOrder(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{1, 0}, {0, 0}, {3}, {-1}} {
		w := NewWriter(&bytes.Buffer{}, 3)
		for _, i := range order {
			w.Set(i, meaning.Vector{1})
		}
		if w.Close() == nil {
			t.Errorf("documents are set in the order %v", order)
		}
	}
}

// TestVectors gives back what was written, but for rounding.
func TestVectors(t *testing.T) {
	t.Parallel()
	w := newWorld(4)
	vectors := []meaning.Vector{w.vector(), {}, w.vector(), {1}, w.vector()}
	x := index(t, vectors)
	q := w.vector()
	for i := range vectors {
		v := x.Vector(uint32(i))
		if vectors[i] == (meaning.Vector{}) {
			if v != vectors[i] || x.Cosine(&q, uint32(i)) != 0 {
				t.Errorf("document %d says %v", i, v[:4])
			}
			continue
		}
		if c := v.Dot(&vectors[i]); c < .9995 || c > 1.0005 {
			t.Errorf("document %d has a cosine of %v with itself", i, c)
		}
		if got, want := x.Cosine(&q, uint32(i)), q.Dot(&vectors[i]); math.Abs(float64(got-want)) > .005 {
			t.Errorf("document %d: cosine %v, not %v", i, got, want)
		}
	}
	if x.Cosine(&q, 99) != 0 || x.Vector(99) != (meaning.Vector{}) {
		t.Error("a document that is not there says something")
	}
	if hits := x.Nearest(t.Context(), &meaning.Vector{}, nil, 3); hits != nil {
		t.Errorf("a query that says nothing finds %v", hits)
	}
	ended, end := context.WithCancel(t.Context())
	if end(); x.Nearest(ended, &q, nil, 3) != nil {
		t.Error("a question goes on after its end")
	}
}

// exact is the k nearest of all candidates by the numbers alone.
func exact(x *Index, q *meaning.Vector, within []uint64, k int) (list []Hit) {
	a := ask(q)
	var dot [1]int32
	for i := range x.Len() {
		if x.scales[i] == 0 || within != nil && (i/64 >= len(within) || within[i/64]>>(i%64)&1 == 0) {
			continue
		}
		dots(a, x.rows, []uint32{uint32(i)}, dot[:])
		list = append(list, Hit{uint32(i), a.cosine(dot[0], x.scales[i])})
	}
	slices.SortFunc(list, nearer)
	return list[:min(k, len(list))]
}

// byDefinition is what Nearest promises, written down without haste.
func byDefinition(x *Index, q *meaning.Vector, within []uint64, k int) []Hit {
	a := ask(q)
	list := exact(x, q, within, x.Len())
	distance := func(h Hit) int {
		var out [1]uint16
		distancesPlain(&a.signs, x.signs[h.Doc:h.Doc+1], out[:])
		return int(out[0])
	}
	slices.SortFunc(list, func(a, b Hit) int {
		if d := distance(a) - distance(b); d != 0 {
			return d
		}
		return int(a.Doc) - int(b.Doc)
	})
	list = list[:min(x.depth, len(list))]
	slices.SortFunc(list, nearer)
	return list[:min(k, len(list))]
}

// TestProperties holds random questions with random filters against the
// definition, at depths that make the scan drop candidates often.
func TestProperties(t *testing.T) {
	t.Parallel()
	w := newWorld(5)
	var vectors []meaning.Vector
	for i := range 3000 {
		v := w.vector()
		switch {
		case w.rng.IntN(10) == 0:
			v = meaning.Vector{}
		case i > 0 && w.rng.IntN(10) == 0:
			v = vectors[w.rng.IntN(i)] // the same as another
		}
		vectors = append(vectors, v)
	}
	x := index(t, vectors)
	for range 150 {
		x.depth = []int{1, 7, 40, 300, 2000, 20000}[w.rng.IntN(6)]
		var within []uint64
		if chance := w.rng.IntN(5); chance > 0 {
			within = make([]uint64, []int{0, 1, 20, 47, 60}[w.rng.IntN(5)])
			for i := range within {
				within[i] = w.rng.Uint64()
				for range chance - 1 {
					within[i] &= w.rng.Uint64()
				}
				if w.rng.IntN(6) == 0 {
					within[i] = ^uint64(0)
				}
			}
		}
		q, k := w.vector(), []int{1, 3, 20, 5000}[w.rng.IntN(4)]
		got, want := x.Nearest(t.Context(), &q, within, k), byDefinition(x, &q, within, k)
		if !slices.Equal(got, want) {
			t.Fatalf("depth %d, k %d: found %v, not %v", x.depth, k, got[:min(5, len(got))], want[:min(5, len(want))])
		}
	}
}

// TestKernelsAgree compares what this machine has with plain Go.
func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(6)
	var vectors []meaning.Vector
	for range 200 {
		vectors = append(vectors, w.vector())
	}
	x := index(t, vectors)
	docs := make([]uint32, 0, 100)
	for i := range uint32(100) {
		docs = append(docs, i*2)
	}
	for range 20 {
		q := w.vector()
		a := ask(&q)
		got, want := make([]int32, len(docs)), make([]int32, len(docs))
		dotsPlain(a, x.rows, docs, want)
		for name, kernel := range kernels() {
			clear(got)
			if kernel(a, x.rows, docs, got); !slices.Equal(got, want) {
				t.Fatalf("%s: %v, not %v", name, got[:4], want[:4])
			}
		}
		far, near := make([]uint16, len(x.signs)), make([]uint16, len(x.signs))
		distances(&a.signs, x.signs, near)
		if distancesPlain(&a.signs, x.signs, far); !slices.Equal(near, far) {
			t.Fatalf("distances %v, not %v", near[:4], far[:4])
		}
		distancesAt(&a.signs, x.signs, docs, near)
		if distancesAtPlain(&a.signs, x.signs, docs, far); !slices.Equal(near, far) {
			t.Fatalf("distances of some are %v, not %v", near[:4], far[:4])
		}
	}
}

// TestRecall compares the two stages with a scan of all numbers, on real names
// with their causes: of the first twenty, 99 in a hundred are the same.
func TestRecall(t *testing.T) {
	t.Parallel()
	m, err := meaning.Open()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	paths, err := filepath.Glob(filepath.Join(upstream.Dir(t), "bmf", "2026-04", "*.csv.gz"))
	if err != nil || len(paths) == 0 {
		t.Skip("no master file among the upstream samples")
	}
	for _, path := range paths[:min(3, len(paths))] {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bmf.Read(f, func(r *bmf.Record) error {
			texts = append(texts, r.Name+". "+ntee.Title(ntee.Code(r.NTEE)))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	vectors := make([]meaning.Vector, len(texts))
	for i, text := range texts {
		vectors[i] = m.Gist(text)
	}
	x := index(t, vectors)
	x.depth = 750 // of some 25,000; 20,000 of two million are more for what is asked
	found, all := 0, 0
	for _, text := range []string{
		"look after horses that nobody wants", "teach grown-ups to read", "free meals for old people at home",
		"help for veterans without a roof", "clean rivers", "music lessons for poor children", "search for a cure for cancer",
		"volunteer firemen", "legal aid for immigrants", "youth baseball", "a house for battered women", "church in the village",
		"save historic buildings", "scholarships for nurses", "wheelchairs and ramps", "seeds for gardens in the city",
	} {
		q := m.Query(text)
		got := x.Nearest(t.Context(), &q, nil, 20)
		for _, h := range exact(x, &q, nil, 20) {
			all++
			if slices.Contains(got, h) {
				found++
			}
		}
	}
	if t.Logf("%d of %d, of %d documents", found, all, len(texts)); found*100 < all*99 {
		t.Errorf("only %d of %d are found", found, all)
	}
}

// BenchmarkNearest scans two million documents, all of them and a tenth.
func BenchmarkNearest(b *testing.B) {
	const n = 2_000_000
	w := newWorld(8)
	some := make([]meaning.Vector, 5000)
	for i := range some {
		some[i] = w.vector()
	}
	path := filepath.Join(b.TempDir(), "vectors.gg")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	out := NewWriter(f, n)
	for i := range n { // one of them, turned about
		v, turn := some[w.rng.IntN(len(some))], w.rng.IntN(meaning.Dim)
		if i%2 == 0 {
			turn = 0
		}
		out.Set(i, meaning.Vector(append(v[turn:], v[:turn]...)))
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	_ = f.Close()
	x, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	state := make([]uint64, (n+63)/64)
	for range n / 10 {
		doc := w.rng.IntN(n)
		state[doc/64] |= 1 << (doc % 64)
	}
	for name, within := range map[string][]uint64{"all": nil, "tenth": state} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				q := some[w.rng.IntN(len(some))]
				x.Nearest(context.Background(), &q, within, 100)
			}
		})
	}
}

// Cosine compares one document with a query. It is 0 for a document, or a
// query, that says nothing.
func (x *Index) Cosine(q *meaning.Vector, doc uint32) float32 {
	if x.Begin() != nil {
		return 0
	}
	defer x.End()
	if int(doc) >= len(x.scales) {
		return 0
	}
	a := ask(q)
	var dot [1]int32
	dots(a, x.rows, []uint32{doc}, dot[:])
	return a.cosine(dot[0], x.scales[doc])
}
