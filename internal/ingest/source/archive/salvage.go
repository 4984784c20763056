package archive

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"unicode/utf8"

	"grantgraph/internal/ingest/source/archive/deflate64"
)

// Signatures of the records of a zip, and the flag that says a member's sizes follow its data instead of preceding it.
var (
	localHeader = []byte("PK\x03\x04")
	descriptor  = []byte("PK\x07\x08")
	directory   = []byte("PK\x01\x02")
)

const (
	localSize      = 30
	sizesFollow    = 8
	zip64Extra     = 1
	zip64Sentinel  = 1<<32 - 1
	longestName    = 4 << 10
	salvageAtMost  = 1 << 20 // members listed from local headers
	searchInPieces = 64 << 10
)

// salvage lists the members of a zip that has no usable directory, from the header in front of each member.
func (a *Archive) salvage(size int64) error {
	found := 0
	for at := int64(0); at >= 0 && at < size; {
		e, data, err := a.localEntry(at, size)
		if err != nil {
			return err
		}
		if data == 0 {
			var head [4]byte
			if _, err := a.in.ReadAt(head[:], at); err == nil && bytes.Equal(head[:], directory) {
				break
			}
			at = a.search(localHeader, at+1, size)
			continue
		}
		if found++; found > salvageAtMost {
			return fmt.Errorf("has no directory and more than %d members", salvageAtMost)
		}
		next, reason := a.measure(&e, data, size)
		if reason != "" {
			fmt.Fprintf(a.listing, "%q %d %s\n", e.name, e.crc, reason)
			a.Problems = append(a.Problems, Problem{toSlash(e.name), reason})
			at = a.search(localHeader, data, size)
			continue
		}
		start, packed := data, int64(e.packed)
		a.add(e, func() (io.Reader, error) { return io.NewSectionReader(a.in, start, packed), nil })
		at = next
	}
	if found == 0 {
		return errors.New("is not a readable zip: it has neither a directory nor a member; fetch it again")
	}
	return nil
}

// search returns the offset of the next signature at or after the given offset, or -1 if there is none.
func (a *Archive) search(signature []byte, from, size int64) int64 {
	buf := make([]byte, searchInPieces)
	for from < size {
		n, err := a.in.ReadAt(buf, from)
		if i := bytes.Index(buf[:n], signature); i >= 0 {
			return from + int64(i)
		}
		if err != nil {
			return -1
		}
		from += int64(n - len(signature) + 1)
	}
	return -1
}

// localEntry reads the header at an offset. data is where the member's bytes begin, or 0 if there is no valid header.
func (a *Archive) localEntry(at, size int64) (e entry, data int64, err error) {
	var h [localSize]byte
	if _, err := a.in.ReadAt(h[:], at); err != nil {
		if errors.Is(err, io.EOF) {
			return e, 0, nil
		}
		return e, 0, err
	}
	le := binary.LittleEndian
	nameLen, extraLen := int64(le.Uint16(h[26:])), int64(le.Uint16(h[28:]))
	data = at + localSize + nameLen + extraLen
	if !bytes.Equal(h[:4], localHeader) || nameLen == 0 || nameLen > longestName || data > size {
		return e, 0, nil
	}
	rest := make([]byte, nameLen+extraLen)
	if _, err := a.in.ReadAt(rest, at+localSize); err != nil && !errors.Is(err, io.EOF) {
		return e, 0, err
	}
	if !utf8.Valid(rest[:nameLen]) || bytes.IndexByte(rest[:nameLen], 0) >= 0 {
		return e, 0, nil
	}
	e = entry{
		name: string(rest[:nameLen]), flags: le.Uint16(h[6:]), method: le.Uint16(h[8:]),
		crc: le.Uint32(h[14:]), packed: uint64(le.Uint32(h[18:])), size: uint64(le.Uint32(h[22:])),
	}
	for extra := rest[nameLen:]; len(extra) >= 4; {
		id, n := le.Uint16(extra), int(le.Uint16(extra[2:]))
		extra = extra[4:]
		if n > len(extra) {
			break
		}
		// The long sizes are in a fixed order. Each is present only if the short field could not hold the size.
		if field := extra[:n]; id == zip64Extra {
			for _, p := range [...]*uint64{&e.size, &e.packed} {
				if *p == zip64Sentinel && len(field) >= 8 {
					*p, field = le.Uint64(field), field[8:]
				}
			}
		}
		extra = extra[n:]
	}
	return e, data, nil
}

// measure finds where a member ends and completes its entry. If the member cannot be used, reason says why.
func (a *Archive) measure(e *entry, data, size int64) (next int64, reason string) {
	if e.flags&sizesFollow == 0 || e.packed != 0 {
		if e.packed > uint64(size-data) {
			return 0, fmt.Sprintf("is cut off: %d of %d packed bytes are there", size-data, e.packed)
		}
		return data + int64(e.packed), ""
	}
	if e.flags&encryptedFlag != 0 {
		return 0, "is encrypted"
	}
	src := &counter{r: bufio.NewReaderSize(io.NewSectionReader(a.in, data, size-data), searchInPieces)}
	var r io.Reader
	switch e.method {
	case deflated:
		r = flate.NewReader(src)
	case deflated64:
		r = deflate64.NewReader(src)
	default:
		return 0, "does not say how long it is"
	}
	// Some writers state the unpacked size in advance; we measure it anyway.
	e.size = 0
	sum := crc32.NewIEEE()
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		sum.Write(buf[:n])
		e.size += uint64(n)
		if e.size > MaxSize || e.size > slack && e.size/maxRatio > uint64(src.n) {
			return 0, fmt.Sprintf("unpacks from %d bytes to more than %d, which no real document does", src.n, e.size)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, "is cut off or damaged: " + err.Error()
		}
	}
	e.packed, e.crc = uint64(src.n), sum.Sum32()
	return a.afterDescriptor(e, data+src.n, size)
}

// afterDescriptor reads the checksum and sizes that follow a member. Their signature is optional and their
// width depends on the writer, so we compare every form with the measured values.
func (a *Archive) afterDescriptor(e *entry, at, size int64) (next int64, reason string) {
	var raw [24]byte
	n, err := a.in.ReadAt(raw[:], at)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err.Error()
	}
	d, signed := raw[:n], int64(0)
	if bytes.HasPrefix(d, descriptor) {
		d, signed = d[4:], 4
	}
	if len(d) < 12 {
		return 0, "is cut off before its checksum"
	}
	le := binary.LittleEndian
	if crc := le.Uint32(d); crc != e.crc {
		return 0, fmt.Sprintf("is damaged: its checksum is %08x, not %08x", e.crc, crc)
	}
	if len(d) >= 20 && le.Uint64(d[4:]) == e.packed && le.Uint64(d[12:]) == e.size {
		return at + signed + 20, ""
	}
	return at + signed + 12, ""
}

// counter counts the bytes taken from a reader one by one. It is an io.ByteReader, so that a decompressor
// reads nothing beyond the end of its stream.
type counter struct {
	r *bufio.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}
