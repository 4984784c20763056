package words

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"grantgraph/internal/place"
	"grantgraph/internal/serve/search/document"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/stem"
)

// Kind is the file. Its version changes with columns, meanings of numbers, and stems.
var Kind = &mapped.Kind{
	Magic: "GGwords1", Name: "word index",
	Missing: "search_unreadable", Version: "search_version", Damaged: Damaged,
}

// Damaged is the slug of the error for a damaged index.
const Damaged = "words_damaged"

const (
	weightName    = 3
	weightOther   = 2
	weightText    = 1
	weightPlace   = 0.5
	maxDocument   = 600 // words read of one organization
	typicalLength = 40  // words of a document, weighted
)

// BM25 parameters: the saturation of repeated words and the weight of the length.
const (
	k1 = 1.2
	b  = 0.75
)

type columns struct {
	nameLength []uint8  // of each organization, the stems of its name
	stemStart  []uint32 // where each stem begins, and where the last ends
	stemText   []byte   // the stems, in byte order
	listStart  []uint32 // where the list of each stem begins, and where the last ends
	listCount  []uint32 // how many organizations have the stem
	lists      []byte   // organizations in rising order as differences, each with a byte: how much the stem counts there, and whether it is in the name
	skipStart  []uint32 // where the skips of each stem begin, and where the last ends
	skipOrg    []uint32 // the organization before each block but the first
	skipAt     []uint32 // where that block begins in its list
}

// blockSize is how many entries a skip passes over.
const blockSize = 128

// Builder makes the index. Organizations come in the order of their numbers.
type Builder struct {
	stemOf     map[string]int32  // the stem of each word seen, noStem for small words
	ids        map[string]uint32 // the stems
	stems      []string
	lists      []list // of each stem
	nameLength []uint8

	// The current organization.
	counted []counted // by stem
	met     []uint32  // the stems it has
}

const noStem = -1

type list struct {
	bytes []byte
	last  uint32
	count uint32
	skips []skip
}

type skip struct{ org, at uint32 }

type counted struct {
	weight float32 // 0 for none
	name   bool
}

// NewBuilder begins an index.
func NewBuilder() *Builder { return &Builder{stemOf: map[string]int32{}, ids: map[string]uint32{}} }

// stem is the number of the stem of a word. ok is false for a small word.
func (w *Builder) stem(word string) (id int32, ok bool) {
	id, known := w.stemOf[word]
	if !known {
		id = noStem
		if !small[word] {
			id = w.number(stem.Of(word))
		}
		w.stemOf[strings.Clone(word)] = id
	}
	return id, id != noStem
}

func (w *Builder) number(stem string) int32 {
	id, known := w.ids[stem]
	if !known {
		id = uint32(len(w.stems))
		w.stems = append(w.stems, strings.Clone(stem))
		w.ids[w.stems[id]] = id
		w.lists, w.counted = append(w.lists, list{}), append(w.counted, counted{})
	}
	return int32(id)
}

// Add adds the next organization.
func (w *Builder) Add(d *document.Document) {
	left, length := maxDocument, float32(0)
	add := func(text string, weight float32, name bool) (n int) {
		for word := range stem.Words(text) {
			if left--; left < 0 {
				return n
			}
			id, ok := w.stem(word)
			if !ok {
				continue
			}
			c := &w.counted[id]
			if c.weight == 0 {
				w.met = append(w.met, uint32(id))
			}
			c.weight += weight
			c.name = c.name || name
			length += weight
			n++
		}
		return n
	}
	w.nameLength = append(w.nameLength, uint8(min(math.MaxUint8, add(d.Name, weightName, true))))
	for _, s := range d.Others {
		add(s, weightOther, true)
	}
	add(d.City, weightPlace, false)
	if r, ok := place.RegionOf(d.State); ok {
		add(r.Name, weightPlace, false)
	}
	for _, list := range [][]string{d.Mission, d.Programs, {d.Cause}, d.Purposes} {
		for _, s := range list {
			add(s, weightText, false)
		}
	}
	org := uint32(len(w.nameLength) - 1)
	for _, id := range w.met {
		c := &w.counted[id]
		w.lists[id].add(org, impact(c.weight, length), c.name)
		*c = counted{}
	}
	w.met = w.met[:0]
}

// impact is how much a stem counts in a document, from 0 to 1.
func impact(weight, length float32) float32 {
	return weight / (weight + k1*(1-b+b*length/typicalLength))
}

func (l *list) add(org uint32, impact float32, name bool) {
	if l.count > 0 && l.count%blockSize == 0 {
		l.skips = append(l.skips, skip{l.last, uint32(len(l.bytes))})
	}
	l.bytes = binary.AppendUvarint(l.bytes, uint64(org-l.last))
	c := byte(max(1, min(127, impact*127+0.5))) << 1
	if name {
		c |= 1
	}
	l.bytes = append(l.bytes, c)
	l.last = org
	l.count++
}

// Write writes the file.
func (w *Builder) Write(out io.Writer) error {
	c := columns{nameLength: w.nameLength}
	size := 0
	for _, s := range slices.Sorted(slices.Values(w.stems)) {
		l := &w.lists[w.ids[s]]
		c.stemStart = append(c.stemStart, uint32(len(c.stemText)))
		c.stemText = append(c.stemText, s...)
		c.listStart = append(c.listStart, uint32(len(c.lists)))
		c.listCount = append(c.listCount, l.count)
		c.lists = append(c.lists, l.bytes...)
		size += len(l.bytes) + len(s)
		c.skipStart = append(c.skipStart, uint32(len(c.skipOrg)))
		for _, k := range l.skips {
			c.skipOrg, c.skipAt = append(c.skipOrg, k.org), append(c.skipAt, k.at)
		}
	}
	c.stemStart = append(c.stemStart, uint32(len(c.stemText)))
	c.listStart = append(c.listStart, uint32(len(c.lists)))
	c.skipStart = append(c.skipStart, uint32(len(c.skipOrg)))
	f := mapped.NewWriter(out, Kind)
	if size > math.MaxUint32 {
		f.Fail(fmt.Errorf("the word index takes more than 4 GiB, which its numbers cannot tell"))
	}
	mapped.Add(f, "names.length", c.nameLength)
	mapped.Add(f, "stems.start", c.stemStart)
	mapped.Add(f, "stems.text", c.stemText)
	mapped.Add(f, "lists.start", c.listStart)
	mapped.Add(f, "lists.count", c.listCount)
	mapped.Add(f, "lists", c.lists)
	mapped.Add(f, "skips.start", c.skipStart)
	mapped.Add(f, "skips.org", c.skipOrg)
	mapped.Add(f, "skips.at", c.skipAt)
	return f.Close()
}
