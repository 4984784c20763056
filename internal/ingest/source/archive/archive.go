// Package archive opens the published zips of returns. A zip may be a gigabyte or more, have members packed
// with Deflate64, and be cut off in the middle. The package lists the documents and opens them one by one. It
// never writes files, so the names in an archive are harmless.
//
// If the directory of a zip is missing or damaged, the package reads the local headers instead. Intact
// members can then be read. Problems lists the other members, with the reason.
package archive

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"

	"grantgraph/internal/disk"
	"grantgraph/internal/ingest/source/archive/deflate64"
)

// Limits on a member. The return of a large sponsor can be hundreds of
// megabytes and compress 20 to 1. A ratio of 1,000 to 1 suggests a zip bomb.
const (
	MaxSize  = 4 << 30 // unpacked bytes of one member
	maxRatio = 1100    // unpacked to packed, above a first MiB
	slack    = 1 << 20
)

// The compression methods that are read.
const (
	stored        = 0
	deflated      = 8
	deflated64    = 9
	encryptedFlag = 1
)

// Archive is an open zip, or a single document that stands for one.
type Archive struct {
	Path     string
	Members  []Member  // the documents, in the order of the archive
	Problems []Problem // members that cannot be read
	Skipped  int       // folders, and files that are not .xml
	Repaired bool      // the directory was unusable and local headers were read

	in      *witness
	size    int64
	file    io.Closer // nil if the caller owns the file
	listing hash.Hash // of what is known of the members before they are read
	lone    bool      // a document, not a zip
}

// witness is the file under an archive. It remembers read errors, so that a
// failing disk or network is not mistaken for a damaged document.
type witness struct {
	in  io.ReaderAt
	err atomic.Pointer[error]
}

func (w *witness) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.in.ReadAt(p, off)
	if err != nil && err != io.EOF {
		w.err.CompareAndSwap(nil, &err)
	}
	return n, err
}

type Problem struct {
	Name   string
	Reason string
}

func (p Problem) String() string { return p.Name + ": " + p.Reason }

// Member is one document. Different members may be opened and read at the same time.
type Member struct {
	Name string // as in the archive, forward slashes
	Size uint64 // unpacked, as the directory states it; 0 if it does not

	open func() (io.ReadCloser, error)
}

// Open opens the document for reading. Its checksum is compared when the end is reached, and the last Read fails if it differs.
func (m *Member) Open() (io.ReadCloser, error) {
	r, err := m.open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return r, nil
}

// Open opens a zip, an .xml file or an .xml.gz file. The first bytes decide the
// format, not the name. Only errors of the operating system name the file.
func Open(name string) (*Archive, error) { return OpenContext(context.Background(), name) }

// OpenContext is Open, but it stops reading the file and its members when the
// context ends. Listing a zip without a directory means reading all of it.
func OpenContext(ctx context.Context, name string) (*Archive, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	var a *Archive
	info, err := f.Stat()
	switch {
	case err == nil && info.IsDir():
		err = errors.New("is a folder; name a .zip or .xml file")
	case err == nil:
		a, err = New(ctx, name, f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	a.file = f
	return a, nil
}

// New is OpenContext for a file that is read in another way, such as by ranges
// of an object in a store. The caller closes the file.
func New(ctx context.Context, name string, in io.ReaderAt, size int64) (*Archive, error) {
	a := &Archive{Path: name, in: &witness{in: disk.UntilAt(ctx, in)}, size: size, listing: sha256.New()}
	err := a.list()
	if failed := a.Err(); failed != nil {
		err = failed // a problem noticed before the error may not be the file's fault
	}
	return a, err
}

// Err is the first error of reading the file: from the disk, from the network, or because the context ended.
// Results of members after this error say nothing about the members.
func (a *Archive) Err() error {
	if err := a.in.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Listing is a checksum of the names, sizes and checksums of all members. It shows that two readers have the
// same archive. For a single document, it is the SHA-256.
func (a *Archive) Listing() (string, error) {
	if !a.lone {
		return hex.EncodeToString(a.listing.Sum(nil)), nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(a.in, 0, a.size)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Close closes the file. Open readers of members stop working.
func (a *Archive) Close() error {
	if a.file == nil {
		return nil
	}
	return a.file.Close()
}

func (a *Archive) list() error {
	var head [4]byte
	n, err := a.in.ReadAt(head[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch magic := string(head[:n]); {
	case strings.HasPrefix(magic, "\x1f\x8b"):
		a.single(strings.TrimSuffix(path.Base(toSlash(a.Path)), ".gz"), 0, func() (io.ReadCloser, error) {
			return gzip.NewReader(io.NewSectionReader(a.in, 0, a.size))
		})
		return nil
	case strings.HasPrefix(magic, "PK"):
		return a.zip(a.size)
	case n == 0:
		return errors.New("is empty")
	case strings.HasSuffix(strings.ToLower(a.Path), ".zip"):
		return errors.New("is named .zip but is not a zip file; fetch it again")
	}
	a.single(path.Base(toSlash(a.Path)), uint64(a.size), func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(a.in, 0, a.size)), nil
	})
	return nil
}

func (a *Archive) single(name string, size uint64, open func() (io.ReadCloser, error)) {
	a.lone = true
	a.Members = []Member{{Name: name, Size: size, open: func() (io.ReadCloser, error) {
		r, err := open()
		if err != nil {
			return nil, err
		}
		return &bounded{r: r, close: r.Close, left: MaxSize}, nil
	}}}
}

// zip lists a zip by its directory, or by its local headers if that fails.
func (a *Archive) zip(size int64) error {
	z, err := zip.NewReader(a.in, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		a.Repaired = true
		return a.salvage(size)
	}
	for _, f := range z.File {
		a.add(entry{
			name: f.Name, method: f.Method, flags: f.Flags, crc: f.CRC32,
			packed: f.CompressedSize64, size: f.UncompressedSize64,
		}, func() (io.Reader, error) { return f.OpenRaw() })
	}
	return nil
}

// entry is what we know about a member before reading it.
type entry struct {
	name         string
	method       uint16
	flags        uint16
	crc          uint32
	packed, size uint64
}

func (a *Archive) add(e entry, raw func() (io.Reader, error)) {
	name := toSlash(e.name)
	fmt.Fprintf(a.listing, "%q %d %d %d %d %d\n", e.name, e.method, e.flags, e.crc, e.packed, e.size)
	reason := ""
	switch {
	case strings.HasSuffix(name, "/"), !strings.HasSuffix(strings.ToLower(name), ".xml"):
		a.Skipped++
		return
	case e.flags&encryptedFlag != 0:
		reason = "is encrypted"
	case e.method != stored && e.method != deflated && e.method != deflated64:
		reason = fmt.Sprintf("is packed by method %d, which is not known here", e.method)
	case e.size > MaxSize:
		reason = fmt.Sprintf("would unpack to %d bytes, over the limit of %d", e.size, uint64(MaxSize))
	case e.size > slack && e.size/maxRatio > e.packed:
		reason = fmt.Sprintf("would unpack from %d bytes to %d, which no real document does", e.packed, e.size)
	}
	if reason != "" {
		a.Problems = append(a.Problems, Problem{name, reason})
		return
	}
	a.Members = append(a.Members, Member{Name: name, Size: e.size, open: func() (io.ReadCloser, error) {
		r, err := raw()
		if err != nil {
			return nil, err
		}
		return unpack(r, e)
	}})
}

// packers reuses the memory for unpacking a member: a buffer for the packed bytes, and the tables and window
// of the decompressor. A batch has 100,000 small members, and allocating these costs more than using them.
var packers = sync.Pool{New: func() any {
	p := &packer{in: bufio.NewReaderSize(nil, 64<<10)}
	p.out = flate.NewReader(p.in)
	return p
}}

type packer struct {
	in  *bufio.Reader
	out io.ReadCloser
}

// unpack is the document in the packed stream, checked against its entry.
func unpack(packed io.Reader, e entry) (io.ReadCloser, error) {
	b := &bounded{left: int64(e.size), exact: true, crc: e.crc, check: true}
	switch e.method {
	case deflated:
		p := packers.Get().(*packer)
		p.in.Reset(packed)
		if err := p.out.(flate.Resetter).Reset(p.in, nil); err != nil {
			return nil, err
		}
		b.r, b.close = p.out, func() error {
			p.in.Reset(nil)
			packers.Put(p)
			return nil
		}
	case deflated64:
		r := deflate64.NewReader(packed)
		b.r, b.close = r, r.Close
	default:
		b.r, b.close = packed, func() error { return nil }
	}
	return b, nil
}

func toSlash(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// bounded reads a document up to its maximum length and compares its checksum at the end.
type bounded struct {
	r     io.Reader
	close func() error
	left  int64
	exact bool // the document is exactly that long
	check bool
	crc   uint32
	sum   uint32
	err   error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	// Reading one byte beyond the bound shows whether the document goes on.
	n, err := b.r.Read(p[:min(int64(len(p)), b.left+1)])
	if int64(n) > b.left {
		n, b.err = int(b.left), errors.New("is longer than it is said to be")
		if !b.exact {
			b.err = fmt.Errorf("is longer than the limit of %d bytes", int64(MaxSize))
		}
	}
	b.left -= int64(n)
	if b.check {
		b.sum = crc32.Update(b.sum, crc32.IEEETable, p[:n])
	}
	if b.err != nil {
		return n, b.err
	}
	switch {
	case errors.Is(err, io.EOF):
		b.err = io.EOF
		if b.exact && b.left > 0 {
			b.err = fmt.Errorf("ends %d bytes early: %w", b.left, io.ErrUnexpectedEOF)
		} else if b.check && b.sum != b.crc {
			b.err = fmt.Errorf("is damaged: its checksum is %08x, not %08x", b.sum, b.crc)
		}
	case err != nil:
		b.err = fmt.Errorf("is damaged: %w", err)
	}
	return n, b.err
}

func (b *bounded) Close() error {
	if b.err == nil {
		b.err = errors.New("was closed")
	}
	if b.close == nil {
		return nil
	}
	err := b.close()
	b.close = nil
	return err
}
