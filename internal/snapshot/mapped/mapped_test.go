package mapped_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"grantgraph/internal/fault"
	"grantgraph/internal/snapshot/mapped"
	"grantgraph/internal/snapshot/mapped/mappedtest"
)

var kind = &mapped.Kind{Magic: "GGtests1", Name: "test file", Missing: "test_missing", Version: "test_version", Damaged: "test_damaged"}

type pair struct {
	Big   uint64
	Small uint32
	Pair  [2]uint16
}

// sample is a file of a few sections, an empty one among them.
func sample(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w := mapped.NewWriter(&out, kind)
	mapped.Add(w, "numbers", []uint32{1, 2, 3})
	mapped.Add(w, "none", []uint64(nil))
	mapped.Add(w, "pairs", []pair{{1 << 60, 7, [2]uint16{8, 9}}})
	mapped.Add(w, "just full", make([]byte, 64))
	w.Begin("text")
	for range 100 {
		_, _ = io.WriteString(w, "a part of it ")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open wants every section as it was written.
func open(data []byte) error {
	f, err := mapped.Read("sample", data, kind)
	if err != nil {
		return err
	}
	numbers := mapped.Column[uint32](f, "numbers", 3)
	none := mapped.Column[uint64](f, "none", 0)
	pairs := mapped.Column[pair](f, "pairs", 1)
	mapped.Column[byte](f, "just full", 64)
	text := mapped.Column[byte](f, "text", 1300)
	if f.Err() == nil && (!slices.Equal(numbers, []uint32{1, 2, 3}) || len(none) != 0 ||
		pairs[0] != (pair{1 << 60, 7, [2]uint16{8, 9}}) || string(text) != strings.Repeat("a part of it ", 100)) {
		return errors.New("it is not what was written")
	}
	return f.Err()
}

func TestDamage(t *testing.T) {
	t.Parallel()
	mappedtest.Damage(t, kind, sample(t), open)
}

func TestFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sample")
	if err := os.WriteFile(path, sample(t), 0o644); err != nil {
		t.Fatal(err)
	}
	mappedtest.Files(t, kind, path, func() error {
		f, err := mapped.Open(path, kind)
		if err != nil {
			return err
		}
		if f.Size() != int64(len(sample(t))) {
			t.Errorf("%d bytes", f.Size())
		}
		return errors.Join(f.Close(), f.Close())
	})
	if _, err := mapped.Open(filepath.Dir(path), kind); err == nil {
		t.Error("a folder is opened")
	}
}

// TestLayout holds a file against the layout that the package comment draws.
func TestLayout(t *testing.T) {
	t.Parallel()
	data := sample(t)
	le := binary.LittleEndian
	tail := data[len(data)-64:]
	at, count := int(le.Uint64(tail[8:])), int(le.Uint32(tail[16:]))
	if string(data[:8]) != kind.Magic || int(le.Uint64(tail)) != len(data) || count != 5 || at+count*64+64 != len(data) {
		t.Fatalf("the tail is %x", tail)
	}
	numbers := data[at:][:64]
	if string(bytes.TrimRight(numbers[:40], "\x00")) != "numbers" || le.Uint64(numbers[40:]) != 64 || le.Uint64(numbers[48:]) != 12 ||
		le.Uint32(numbers[56:]) != crc32.Checksum(data[64:128], crc32.MakeTable(crc32.Castagnoli)) {
		t.Errorf("the first entry is %x", numbers)
	}
	if !bytes.Equal(data[64:76], []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}) {
		t.Errorf("numbers are written as %x", data[64:76])
	}
	for i := range count {
		if begin := le.Uint64(data[at+i*64+40:]); begin%64 != 0 {
			t.Errorf("section %d begins at %d", i, begin)
		}
	}
}

// TestForged changes the numbers of the table and the tail and makes the
// checksum right: what does not fit is refused all the same.
func TestForged(t *testing.T) {
	t.Parallel()
	sound := sample(t)
	at := int(binary.LittleEndian.Uint64(sound[len(sound)-56:]))
	refused := 0
	for i := at; i+4 <= len(sound); i += 4 {
		if i == len(sound)-64+20 {
			continue // the checksum itself
		}
		was := binary.LittleEndian.Uint32(sound[i:])
		for _, v := range []uint32{0, 1, 64, was - 1, was + 1, was + 64, was << 1, 1 << 31, 0xffffffff, 0xffffffc0} {
			data := bytes.Clone(sound)
			binary.LittleEndian.PutUint32(data[i:], v)
			reseal(data, at)
			err := open(data)
			if f, ok := fault.Of(err); err != nil && (!ok || f.Slug != kind.Damaged) {
				t.Fatalf("number %d at %d: %v", v, i, err)
			} else if err != nil {
				refused++
			}
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	twice := bytes.Clone(sound)
	copy(twice[at+64:at+104], twice[at:at+40])
	reseal(twice, at)
	if err := open(twice); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("two sections of one name: %v", err)
	}
}

// reseal makes the checksum of the table right again.
func reseal(data []byte, table int) {
	tail := len(data) - 64
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, b := range [][]byte{data[:64], data[table:tail], data[tail : tail+20], data[tail+24:]} {
		_, _ = sum.Write(b)
	}
	binary.LittleEndian.PutUint32(data[tail+20:], sum.Sum32())
}

func TestColumns(t *testing.T) {
	t.Parallel()
	read := func() *mapped.File {
		f, err := mapped.Read("sample", sample(t), kind)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if got := read().Names(); !slices.Equal(got, []string{"numbers", "none", "pairs", "just full", "text"}) {
		t.Errorf("sections %v", got)
	}
	for what, take := range map[string]func(*mapped.File){
		"missing":         func(f *mapped.File) { mapped.Column[uint32](f, "others", mapped.AnyLength) },
		"too short":       func(f *mapped.File) { mapped.Column[uint32](f, "numbers", 4) },
		"too long":        func(f *mapped.File) { mapped.Column[uint32](f, "numbers", 2) },
		"of another size": func(f *mapped.File) { mapped.Column[uint64](f, "numbers", mapped.AnyLength) },
		"without sense":   func(f *mapped.File) { f.Fail("it makes no sense") },
	} {
		f := read()
		take(f)
		first := f.Err()
		f.Fail("another thing")
		if fa, ok := fault.Of(first); !ok || fa.Slug != kind.Damaged || f.Err() != first {
			t.Errorf("a column that is %s: %v, then %v", what, first, f.Err())
		}
	}
	for what, take := range map[string]func(*mapped.File){
		"pointers": func(f *mapped.File) { mapped.Column[*int32](f, "none", 0) },
		"strings":  func(f *mapped.File) { mapped.Column[string](f, "none", 0) },
		"ints":     func(f *mapped.File) { mapped.Column[int](f, "none", 0) },
		"nothing":  func(f *mapped.File) { mapped.Column[struct{}](f, "none", 0) },
		"gaps": func(f *mapped.File) {
			mapped.Column[struct {
				A uint64
				B uint8
			}](f, "none", 0)
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a column of %s is taken", what)
				}
			}()
			take(read())
		}()
	}
}

func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]func(*mapped.Writer){
		"a name twice":       func(w *mapped.Writer) { w.Begin("a"); w.Begin("a") },
		"no name":            func(w *mapped.Writer) { w.Begin("") },
		"a name with a zero": func(w *mapped.Writer) { w.Begin("a\x00") },
		"a long name":        func(w *mapped.Writer) { w.Begin(strings.Repeat("n", 41)) },
		"no section":         func(w *mapped.Writer) { _, _ = w.Write([]byte{1}) },
		"what is given up":   func(w *mapped.Writer) { w.Fail(errors.New("no")) },
		"a closed file":      func(w *mapped.Writer) { _ = w.Close() },
	} {
		w := mapped.NewWriter(io.Discard, kind)
		if spoil(w); w.Close() == nil {
			t.Errorf("%s is written", what)
		}
	}
	if mapped.NewWriter(io.Discard, &mapped.Kind{Magic: "short"}).Close() == nil {
		t.Error("a short magic is written")
	}
	for room := range 64 + 128 + 64 + 64 {
		w := mapped.NewWriter(&narrow{room}, kind)
		mapped.Add(w, "numbers", make([]uint32, 17))
		if err := w.Close(); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("a disk with room for %d bytes: %v", room, err)
		}
	}
}

// narrow takes so many bytes.
type narrow struct{ room int }

func (n *narrow) Write(b []byte) (int, error) {
	if len(b) > n.room {
		return n.room, io.ErrShortWrite
	}
	n.room -= len(b)
	return len(b), nil
}

// TestBigEndian refuses to write and to open on a machine of the other kind.
func TestBigEndian(t *testing.T) {
	data := sample(t)
	defer mapped.PretendBigEndian()()
	_, opened := mapped.Open("nowhere", kind)
	for what, err := range map[string]error{"read": open(data), "opened": opened, "written": mapped.NewWriter(io.Discard, kind).Close()} {
		if f, ok := fault.Of(err); !ok || f.Slug != "byte_order" || f.Hint == "" {
			t.Errorf("a file is %s: %v", what, err)
		}
	}
}

// FuzzRead reads whatever it is given. What is accepted is exactly what the
// writer writes.
func FuzzRead(f *testing.F) {
	data := sample(f)
	f.Add(data, 0)
	f.Add(data[:128], 0)
	f.Add([]byte(kind.Magic), 8)
	for i := range 16 {
		b := bytes.Clone(data)
		b[len(b)-1-i*7] ^= 1 << (i % 8)
		f.Add(b, i)
	}
	f.Fuzz(func(t *testing.T, data []byte, sealed int) {
		data = bytes.Clone(data)
		if sealed > 0 && len(data) >= 128 { // let the checksum of the table be right
			copy(data, kind.Magic)
			tail := data[len(data)-64:]
			count := sealed % (1 + (len(data)-128)/64)
			binary.LittleEndian.PutUint64(tail, uint64(len(data)))
			binary.LittleEndian.PutUint64(tail[8:], uint64(len(data)-64-64*count))
			binary.LittleEndian.PutUint32(tail[16:], uint32(count))
			reseal(data, len(data)-64-64*count)
		}
		if _, err := mapped.Read("fuzz", data, kind); err != nil {
			if fa, ok := fault.Of(err); !ok || fa.Hint == "" {
				t.Fatalf("%v is no fault with a hint", err)
			}
			return
		}
		again := mappedtest.Rewrite(t, kind, data, func(_ string, body []byte) ([]byte, bool) { return body, true })
		if !bytes.Equal(data, again) {
			t.Fatalf("%x is read as %x", data, again)
		}
	})
}
