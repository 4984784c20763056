package words

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"grantgraph/internal/place"
	"grantgraph/internal/serve/search/document"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/stem"
)

// Kind is the file of the index. Its version changes with the columns, with what
// their numbers mean, and with the stems.
var Kind = &mapped.Kind{
	Magic: "GGwords1", Name: "word index",
	Missing: "search_unreadable", Version: "search_version", Damaged: Damaged,
}

// Damaged is the slug of the error for an index that is not as it was written.
const Damaged = "words_damaged"

// How much a word counts by where it stands.
const (
	weightName    = 3
	weightOther   = 2
	weightText    = 1
	weightPlace   = 0.5
	maxDocument   = 600 // words read of one organization
	typicalLength = 40  // words of a document, weighed
)

// The saturation of repeated words and the weight of the length, as in BM25.
const (
	k1 = 1.2
	b  = 0.75
)

// columns are the sections of the index.
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

// blockSize is how many entries are passed over at once.
const blockSize = 128

// Builder makes the index of organizations that come in the order of their
// numbers.
type Builder struct {
	lists      map[string]*list
	nameLength []uint8
	counted    map[string]counted // of the organization under way
}

// list is the coded list of one stem.
type list struct {
	bytes []byte
	last  uint32
	count uint32
	skips []skip
}

type skip struct{ org, at uint32 }

// counted is a stem in one organization.
type counted struct {
	weight float32
	name   bool
}

// NewBuilder begins an index.
func NewBuilder() *Builder {
	return &Builder{lists: map[string]*list{}, counted: map[string]counted{}}
}

// Add adds the next organization.
func (w *Builder) Add(d *document.Document) {
	clear(w.counted)
	left, length := maxDocument, float32(0)
	add := func(text string, weight float32, name bool) (n int) {
		for word := range stem.Words(text) {
			if left--; left < 0 {
				return n
			}
			if small[word] {
				continue
			}
			s := stem.Of(word)
			c := w.counted[s]
			w.counted[s] = counted{c.weight + weight, c.name || name}
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
	for s, c := range w.counted {
		l := w.lists[s]
		if l == nil {
			l = new(list)
			w.lists[s] = l
		}
		l.add(org, impact(c.weight, length), c.name)
	}
}

// impact is how much a stem counts in a document, from 0 to 1.
func impact(weight, length float32) float32 {
	return weight / (weight + k1*(1-b+b*length/typicalLength))
}

// add adds the next organization that has the stem.
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
	for _, s := range slices.Sorted(maps.Keys(w.lists)) {
		l := w.lists[s]
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
