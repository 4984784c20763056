// Package archive opens the zips in which returns are published, as they come:
// of a gigabyte and more, with members packed by Deflate64, sometimes cut off
// in the middle. It lists the documents inside and opens them one by one; it
// never writes anything, so the names in an archive are only names.
//
// A zip whose directory is missing or damaged is read from its local headers
// instead. What is whole can then be read; what is not is listed in Problems,
// with the reason.
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

// Bounds on a member. A return of a large sponsor reaches hundreds of
// megabytes and packs at 20 to 1; a thousand to one is what a bomb looks like.
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
	Problems []Problem // what is in the archive but cannot be read
	Skipped  int       // folders and files that are no .xml
	Repaired bool      // the directory was unusable and local headers were read

	in      *witness
	size    int64
	file    io.Closer // nil if it is not ours
	listing hash.Hash // of what is known of the members before they are read
	lone    bool      // a document, not a zip
}

// witness is the file beneath an archive. It remembers that reading failed, so
// that a disk or a network that fails is not taken for a damaged document.
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

// Problem is a member that cannot be read, and why.
type Problem struct {
	Name   string
	Reason string
}

func (p Problem) String() string { return p.Name + ": " + p.Reason }

// Member is one document. Different members may be opened and read at the
// same time.
type Member struct {
	Name string // as in the archive, forward slashes
	Size uint64 // unpacked, as the directory states it; 0 if it does not

	open func() (io.ReadCloser, error)
}

// Open opens the document for reading. Its checksum is compared when the end
// is reached, and the last Read fails if it differs.
func (m *Member) Open() (io.ReadCloser, error) {
	r, err := m.open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return r, nil
}

// Open opens a zip, an .xml file or an .xml.gz file. What the file is, its
// first bytes say, not its name. Errors do not name the file, but for those of
// the system.
func Open(name string) (*Archive, error) { return OpenContext(context.Background(), name) }

// OpenContext is Open, but nothing is read of the file or of its members after
// the context has ended: to list a zip that has lost its directory is to read
// all of it.
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

// New is OpenContext for a file that is read by other means, such as by ranges
// of an object in a store. Who calls it closes the file.
func New(ctx context.Context, name string, in io.ReaderAt, size int64) (*Archive, error) {
	a := &Archive{Path: name, in: &witness{in: disk.UntilAt(ctx, in)}, size: size, listing: sha256.New()}
	err := a.list()
	if failed := a.Err(); failed != nil {
		err = failed // what was seen until then says nothing of the file
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Err is the first failure to read the file: of the disk, of the network, or
// that the context has ended. What members gave after it says nothing of them.
func (a *Archive) Err() error {
	if err := a.in.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Listing is a checksum of the names, sizes and checksums of all members, by
// which somebody who reads some of them knows that the archive is the one that
// somebody else has listed. That of a single document is its SHA-256.
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

// Close releases the file. Readers of members end with it.
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

// entry is what is known of a member before it is read.
type entry struct {
	name         string
	method       uint16
	flags        uint16
	crc          uint32
	packed, size uint64
}

// add takes a member into the list it belongs to.
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

// packers keeps what it takes to inflate a member: a buffer for the packed
// bytes and the tables and window of the decompressor. A batch has a hundred
// thousand small members, and making these anew costs more than using them.
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
