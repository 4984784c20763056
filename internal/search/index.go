package search

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"syscall"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/ntee"
	"grantgraph/internal/parallel"
	"grantgraph/internal/snapshot"
)

// Index finds organizations. It is safe for concurrent use. What it returns are
// copies, so results outlive it.
type Index struct {
	mu     sync.RWMutex // held for reading by every question, for writing by Close
	closed bool
	data   []byte
	parts  [sections][]byte

	orgs, forms, words int
	rarity             []float32 // of each word: the logarithm of how few names have it
	scratches          sync.Pool
}

// Damaged is the slug of the error for an index that is not as it was written.
const Damaged = "search_damaged"

// errVersion is the error of an index of another version, or of no index.
var errVersion = errors.New("it is of another version")

// Open maps the index of a snapshot. All of it is read once, to verify it.
func Open(s *snapshot.Snapshot) (*Index, error) {
	path := filepath.Join(s.Dir, filepath.FromSlash(fileName))
	data, err := mapFile(path)
	if err != nil {
		return nil, fault.New("search_unreadable", "cannot open the name index %s: %w", path, err).
			Try("build the snapshot again")
	}
	x, err := newIndex(data)
	if err != nil {
		_ = syscall.Munmap(data)
		slug := Damaged
		if errors.Is(err, errVersion) {
			slug = "search_version"
		}
		return nil, fault.New(slug, "the name index %s cannot be used: %w", path, err).
			Try("build the snapshot again; the sources are untouched")
	}
	return x, nil
}

// mapFile maps a file into memory, to be read only.
func mapFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 || int64(int(info.Size())) != info.Size() {
		return nil, errors.New("it is empty or too large to be mapped")
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
}

// newIndex reads the table of sections, verifies their checksums and checks
// that they fit together. Numbers inside lists are checked where they are used,
// for a checksum only says that they are as they were written.
func newIndex(data []byte) (*Index, error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return nil, errVersion
	}
	if size := binary.LittleEndian.Uint64(data[8:]); size != uint64(len(data)) {
		return nil, fmt.Errorf("it has %d bytes, %d were written", len(data), size)
	}
	if headSum(data) != binary.LittleEndian.Uint32(data[16:]) {
		return nil, errors.New("the checksum of its header is wrong")
	}
	x := &Index{data: data}
	err := parallel.Each(context.Background(), 0, sections, func(_ context.Context, i int) error {
		e := data[headSize+i*entrySize:]
		at, n := binary.LittleEndian.Uint64(e), binary.LittleEndian.Uint64(e[8:])
		end := at + n + uint64(len(padding(int(n%8))))
		if at > uint64(len(data)) || n > uint64(len(data))-at || end > uint64(len(data)) {
			return fmt.Errorf("section %d lies outside of the file", i)
		}
		x.parts[i] = data[at : at+n : at+n]
		if crc32.Checksum(data[at:end], castagnoli) != binary.LittleEndian.Uint32(e[16:]) {
			return fmt.Errorf("the checksum of section %d is wrong", i)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	size := func(i int) int { return len(x.parts[i]) }
	x.orgs, x.forms, x.words = size(secOrgs)/orgSize, size(secForms)/formSize, size(secListCount)/4
	switch {
	case size(secFormStart) != 4*(x.forms+1), size(secWordStart) != 4*(x.words+1), size(secListStart) != 4*(x.words+1),
		size(secReverse) != 4*x.words, size(secKeyHash) != 2*size(secKeyForm), size(secInitHash) != 2*size(secInitForm):
		return nil, fmt.Errorf("its sections do not fit together")
	}
	for _, s := range []struct{ starts, of, unit int }{
		{secFormStart, secFormWords, 4}, {secWordStart, secWordText, 1}, {secListStart, secLists, 1},
	} {
		last := uint32(0)
		for i := range len(x.parts[s.starts]) / 4 {
			at := x.u32(s.starts, i)
			if at < last || at == last && i > 0 && s.starts == secWordStart { // no word is empty
				return nil, fmt.Errorf("section %d is out of order", s.starts)
			}
			last = at
		}
		if int(last)*s.unit != size(s.of) {
			return nil, fmt.Errorf("section %d does not fit section %d", s.starts, s.of)
		}
	}
	x.rarity = make([]float32, x.words)
	for i := range x.rarity {
		if !legal[string(x.word(uint32(i)))] {
			x.rarity[i] = x.rarityOf(x.count(uint32(i)))
		}
	}
	x.scratches.New = func() any { return newScratch(x) }
	return x, nil
}

// rarityOf is the weight of a word that n names have.
func (x *Index) rarityOf(n int) float32 {
	return float32(math.Log(1 + float64(x.forms+1)/float64(n+1)))
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
	return syscall.Munmap(x.data)
}

// u32 is number i of a section of 32-bit numbers.
func (x *Index) u32(section, i int) uint32 {
	return binary.LittleEndian.Uint32(x.parts[section][4*i:])
}

// word is the text of a word of the vocabulary.
func (x *Index) word(w uint32) []byte {
	return x.parts[secWordText][x.u32(secWordStart, int(w)):x.u32(secWordStart, int(w)+1)]
}

// count is how many forms have the word.
func (x *Index) count(w uint32) int { return int(x.u32(secListCount, int(w))) }

// list is the coded list of the forms that have the word.
func (x *Index) list(w uint32) []byte {
	return x.parts[secLists][x.u32(secListStart, int(w)):x.u32(secListStart, int(w)+1)]
}

// formWords is the words of a form, four bytes each.
func (x *Index) formWords(f uint32) []byte {
	return x.parts[secFormWords][4*x.u32(secFormStart, int(f)) : 4*x.u32(secFormStart, int(f)+1)]
}

// form reads the head of a form. ok is false when the file is damaged there.
func (x *Index) form(f uint32) (org uint32, kind uint8, ok bool) {
	b := x.parts[secForms][int(f)*formSize:]
	org = binary.LittleEndian.Uint32(b)
	return org, b[4], int(org) < x.orgs
}

// formState is the state of the organization of a form, in two bytes.
func (x *Index) formState(f uint32) uint16 {
	return binary.LittleEndian.Uint16(x.parts[secForms][int(f)*formSize+6:])
}

func (x *Index) orgBytes(org uint32) []byte {
	return x.parts[secOrgs][int(org)*orgSize:][:orgSize]
}

func (x *Index) prominence(org uint32) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(x.orgBytes(org)[12:]))
}

// result reads an organization.
func (x *Index) result(org uint32) Result {
	r := x.orgBytes(org)
	res := Result{
		EIN:   ein.EIN(binary.LittleEndian.Uint32(r)),
		State: trimmed(r[4:6]),
		NTEE:  ntee.Code(trimmed(r[8:12])),
	}
	if t := int(r[6]); t < len(types) {
		res.Kind, res.Type = types[t].kind, types[t].words
	}
	res.Cause = res.NTEE.Label()
	if r[7] != 0 {
		v := int64(binary.LittleEndian.Uint64(r[16:]))
		res.Revenue = &v
	}
	name, city := x.texts(r)
	res.Name, res.City = string(name), string(city)
	return res
}

// texts is the name and the city of an organization.
func (x *Index) texts(r []byte) (name, city []byte) {
	at, n, c := int(binary.LittleEndian.Uint32(r[24:])), int(binary.LittleEndian.Uint16(r[28:])), int(r[30])
	if text := x.parts[secText]; at+n+c <= len(text) {
		name, city = text[at:at+n], text[at+n:at+n+c]
	}
	return name, city
}

// name is the name of an organization.
func (x *Index) name(org uint32) []byte {
	name, _ := x.texts(x.orgBytes(org))
	return name
}

// trimmed is a field padded with zero bytes, as a string.
func trimmed(b []byte) string {
	for i, c := range b {
		if c == 0 {
			return string(b[:i])
		}
	}
	return string(b)
}

// Lookup finds an organization by its EIN.
func (x *Index) Lookup(e ein.EIN) (Result, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return Result{}, false
	}
	return x.lookup(e)
}

func (x *Index) lookup(e ein.EIN) (Result, bool) {
	org, ok := x.position(e)
	if !ok {
		return Result{}, false
	}
	r := x.result(org)
	r.Score = 1
	return r, true
}

// position is where an organization stands among all.
func (x *Index) position(e ein.EIN) (uint32, bool) {
	at := func(i int) uint32 { return binary.LittleEndian.Uint32(x.orgBytes(uint32(i))) }
	i := sort.Search(x.orgs, func(i int) bool { return at(i) >= uint32(e) })
	return uint32(i), i < x.orgs && at(i) == uint32(e)
}

// lower is the first word of the vocabulary that is not less than w.
func (x *Index) lower(w string) uint32 {
	return uint32(sort.Search(x.words, func(i int) bool { return string(x.word(uint32(i))) >= w }))
}

// find finds a word of the vocabulary.
func (x *Index) find(w string) (uint32, bool) {
	i := x.lower(w)
	return i, int(i) < x.words && string(x.word(i)) == w
}

// prefixed is the range of the words that begin with w.
func (x *Index) prefixed(w string) (from, to uint32) {
	from = x.lower(w)
	n := sort.Search(x.words-int(from), func(i int) bool {
		t := x.word(from + uint32(i))
		return len(t) < len(w) || string(t[:len(w)]) != w
	})
	return from, from + uint32(n)
}
