package search

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/meaning"
	"grantgraph/internal/snapshot"
)

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
