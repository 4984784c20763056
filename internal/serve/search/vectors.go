package search

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
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

// cacheName is the file of slow vectors in the data directory, which only saves time.
const cacheName = "vectors" + snapshot.ScratchSuffix

// A record is the hash of a text and of the model, the vector, and a checksum.
const (
	hashSize   = 16
	recordSize = hashSize + 4*meaning.Dim + 4
)

// cache holds the slow vectors of earlier builds. A stopped build keeps its work.
type cache struct {
	path  string
	model *meaning.Model
	salt  [sha256.Size]byte // hash of the model

	file    *os.File
	size    int64 // of the intact records
	records map[[hashSize]byte]int64

	mu   sync.Mutex
	used map[[hashSize]byte]bool
}

func openCache(path string, m *meaning.Model) (*cache, error) {
	c := &cache{path: path, model: m, records: map[[hashSize]byte]int64{}, used: map[[hashSize]byte]bool{}}
	probe := m.Read("what a model says of this text tells it from others")
	c.salt = sha256.Sum256(encodeVector(nil, &probe))
	if err := disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fault.Disk(path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	c.file = f
	in := bufio.NewReaderSize(f, 1<<20)
	record := make([]byte, recordSize)
	for {
		if _, err := io.ReadFull(in, record); err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				_ = f.Close()
				return nil, fault.Disk(path, err)
			}
			break
		}
		if !whole(record) {
			break // later records are made again
		}
		c.records[[hashSize]byte(record)] = c.size
		c.size += recordSize
	}
	return c, nil
}

func whole(record []byte) bool {
	at := len(record) - 4
	return crc32.ChecksumIEEE(record[:at]) == binary.LittleEndian.Uint32(record[at:])
}

func encodeVector(to []byte, v *meaning.Vector) []byte {
	for _, x := range v {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
	}
	return to
}

// read is the slow vector of a text, and the new record if it is not in the cache.
func (c *cache) read(text string) (v meaning.Vector, fresh []byte) {
	sum := sha256.Sum256(append(c.salt[:], text...))
	key := [hashSize]byte(sum[:])
	c.mu.Lock()
	c.used[key] = true
	c.mu.Unlock()
	if at, ok := c.records[key]; ok {
		record := make([]byte, recordSize)
		if _, err := c.file.ReadAt(record, at); err == nil && whole(record) && bytes.Equal(record[:hashSize], key[:]) {
			for i := range v {
				v[i] = math.Float32frombits(binary.LittleEndian.Uint32(record[hashSize+4*i:]))
			}
			return v, nil
		}
	}
	v = c.model.Read(text)
	fresh = encodeVector(append(make([]byte, 0, recordSize), key[:]...), &v)
	return v, binary.LittleEndian.AppendUint32(fresh, crc32.ChecksumIEEE(fresh))
}

// add stores new records. No other goroutine may be reading.
func (c *cache) add(fresh [][]byte) error {
	for _, record := range fresh {
		if record == nil {
			continue
		}
		if _, err := c.file.WriteAt(record, c.size); err != nil {
			return fault.Disk(c.path, err)
		}
		c.records[[hashSize]byte(record)] = c.size
		c.size += recordSize
	}
	return nil
}

// compact rewrites the cache if this build used less than half of it.
func (c *cache) compact() error {
	if c == nil || len(c.records) <= 2*len(c.used)+1000 {
		return nil
	}
	return fault.Disk(c.path, disk.WriteFile(c.path, 0o644, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<20)
		record := make([]byte, recordSize)
		for at := int64(0); at < c.size; at += recordSize {
			if _, err := c.file.ReadAt(record, at); err != nil {
				return err
			}
			if c.used[[hashSize]byte(record)] {
				out.Write(record) // an error stays with the writer until it is flushed
			}
		}
		return out.Flush()
	}))
}

func (c *cache) close() { _ = c.file.Close() } // an error costs only time
