package search

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"slices"

	"grantgraph/internal/meaning"
	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/search/document"
	"grantgraph/internal/serve/search/vector"
	"grantgraph/internal/snapshot"
)

// writeVectors writes the vectors of all organizations and passes each document to also. Every organization gets a fast vector.
// The slow encoder, which takes some milliseconds a text, also reads the largest organizations that say what they do, up to
// documents of them; their vectors are a mix of both. Slow vectors are cached in the data directory by the hash of their text,
// so the next build reads only changed texts. Vectors depend on the texts alone, not on the machine. Without a fitting kernel
// the slow encoder would take days, so it reads nothing.
func writeVectors(ctx context.Context, w *snapshot.Writer, documents int, also func(*document.Source, *document.Document)) error {
	m, err := meaning.Open()
	if err != nil {
		return err
	}
	if m.Encoder() == "student" {
		documents = 0
	}
	s := w.Unpublished()
	n, chosen, err := chooseRead(ctx, s, documents)
	if err != nil {
		return err
	}
	v := &vectorBuilder{model: m, chosen: chosen, total: int64(n), progress: w.Progress}
	if documents > 0 {
		if v.cache, err = openCache(filepath.Join(w.Scratch(), cacheName), m); err != nil {
			return err
		}
		defer v.cache.close()
	}
	if err := w.WriteFile(vectorsFile, func(out io.Writer) error { return v.write(ctx, s, vector.NewWriter(out, n), also) }); err != nil {
		return err
	}
	return v.cache.compact()
}

// chooseRead counts the organizations and chooses the largest that say what they do.
func chooseRead(ctx context.Context, s *snapshot.Snapshot, documents int) (n int, chosen []uint64, err error) {
	if documents <= 0 {
		n = int(s.RowsOf(snapshot.Organizations))
		return n, make([]uint64, (n+63)/64), nil
	}
	type told struct {
		org  uint32
		size float32
	}
	var list []told
	for src, err := range document.Sources(ctx, s) {
		if err != nil {
			return 0, nil, err
		}
		if d := document.New(src); d.Told() {
			list = append(list, told{uint32(n), newEntry(src).prominence})
		}
		n++
	}
	slices.SortFunc(list, func(a, b told) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.org, b.org)) })
	chosen = make([]uint64, (n+63)/64)
	for _, t := range list[:min(len(list), documents)] {
		put(chosen, t.org)
	}
	return n, chosen, nil
}

type vectorBuilder struct {
	model    *meaning.Model
	cache    *cache // nil if the slow encoder reads nothing
	chosen   []uint64
	done     int64
	total    int64
	progress func(done, total int64)

	texts   []string // of the batch
	vectors []meaning.Vector
	fresh   [][]byte // records of slow vectors that were not in the cache
}

// batch is how many organizations are encoded in parallel before they are written.
const batch = 1024

func (v *vectorBuilder) write(ctx context.Context, s *snapshot.Snapshot, out *vector.Writer, also func(*document.Source, *document.Document)) error {
	for src, err := range document.Sources(ctx, s) {
		if err != nil {
			return err
		}
		d := document.New(src)
		also(src, &d)
		if v.texts = append(v.texts, d.Text()); len(v.texts) == batch {
			if err := v.flush(ctx, out); err != nil {
				return err
			}
		}
	}
	if err := v.flush(ctx, out); err != nil {
		return err
	}
	return out.Close()
}

func (v *vectorBuilder) flush(ctx context.Context, out *vector.Writer) error {
	v.vectors = slices.Grow(v.vectors[:0], len(v.texts))[:len(v.texts)]
	v.fresh = make([][]byte, len(v.texts))
	err := parallel.Each(ctx, 0, len(v.texts), func(_ context.Context, i int) error {
		text := v.texts[i]
		vec := v.model.Gist(text)
		if has(v.chosen, uint32(int(v.done)+i)) {
			slow, record := v.cache.read(text)
			v.fresh[i] = record
			vec = meaning.Blend(vec, slow)
		}
		v.vectors[i] = vec
		return nil
	})
	if err != nil {
		return err
	}
	for i := range v.texts {
		if v.vectors[i] != (meaning.Vector{}) {
			out.Set(int(v.done)+i, v.vectors[i])
		}
	}
	if err := v.cache.add(v.fresh); err != nil {
		return err
	}
	v.done += int64(len(v.texts))
	v.texts = v.texts[:0]
	if v.progress != nil && v.total > 0 {
		v.progress(v.done, v.total)
	}
	return nil
}
