// Package deflate64 unpacks Deflate64, compression method 9 of the zip format. It is Deflate with a window of 64 KiB: distances
// have two more codes, and the last length code, which means 258 in Deflate, has sixteen extra bits and starts at 3. Some of
// the published archives use it, and the standard library does not read it.
package deflate64

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	windowSize  = 1 << 16
	windowMask  = windowSize - 1
	maxLiterals = 288
	maxDists    = 32
	endOfBlock  = 256
)

// CorruptError reports damage, with the offset in the packed stream where we noticed the damage.
type CorruptError struct {
	Offset int64
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("deflate64: damaged before byte %d: %s", e.Offset, e.Reason)
}

// NewReader unpacks the stream r, in the memory of one window. If r is an io.ByteReader, the reader takes
// nothing beyond the end of the stream, so the caller can read on from there. Otherwise r is buffered.
func NewReader(r io.Reader) io.ReadCloser {
	d := &reader{}
	if b, ok := r.(io.ByteReader); ok {
		d.exact = b
	} else {
		d.src = bufio.NewReaderSize(r, 64<<10)
		d.exact = d.src
	}
	return d
}

// reader is the state of an unpacking. Bytes go into the window first and are
// handed out from there when the window is full or the stream ends.
type reader struct {
	exact io.ByteReader
	src   *bufio.Reader // the same, if it may be read ahead
	taken int64         // bytes taken from the source

	bits  uint64 // unread bits, lowest first
	nbits uint

	window [windowSize]byte
	write  int  // where the next byte goes
	read   int  // end of the bytes already handed out
	filled bool // the window went round at least once

	step   func(*reader) // the next step
	last   bool          // the block being read is the final one
	length int           // bytes still to come of a stored block, or of a copy that did not fit into the window
	dist   int
	err    error

	literals, distances table
	lengths             [maxLiterals + maxDists]uint8
}

func (d *reader) Close() error {
	if d.err == nil {
		d.err = errors.New("deflate64: read after close")
	}
	return nil
}

func (d *reader) Read(p []byte) (int, error) {
	if d.step == nil && d.err == nil {
		d.step = (*reader).block
	}
	for {
		if d.read < d.write {
			n := copy(p, d.window[d.read:d.write])
			d.read += n
			return n, nil
		}
		if d.err != nil {
			return 0, d.err
		}
		if len(p) == 0 {
			return 0, nil
		}
		if d.write == windowSize {
			d.write, d.read, d.filled = 0, 0, true
		}
		// Every step either fills the window or ends its part of the stream.
		for d.err == nil && d.write < windowSize {
			d.step(d)
		}
	}
}

func (d *reader) block() {
	if d.last {
		d.err = io.EOF
		return
	}
	head := d.take(3)
	d.last = head&1 != 0
	d.step = (*reader).symbols
	switch head >> 1 {
	case 0:
		d.storedHead()
	case 1:
		d.literals, d.distances = fixedLiterals, fixedDistances
	case 2:
		d.dynamicHead()
	default:
		d.corrupt("unknown block type")
	}
}

func (d *reader) storedHead() {
	d.bits >>= d.nbits % 8
	d.nbits -= d.nbits % 8
	v := d.take(32)
	if uint16(v) != ^uint16(v>>16) {
		d.corrupt("the length of a stored block does not check")
	}
	d.length = int(uint16(v))
	d.step = (*reader).stored
}

func (d *reader) stored() {
	for d.length > 0 && d.write < windowSize {
		n := 1
		if d.nbits == 0 && d.src != nil {
			var err error
			n, err = d.src.Read(d.window[d.write:min(windowSize, d.write+d.length)])
			if d.taken += int64(n); n == 0 && err != nil {
				d.fail(unexpected(err))
			}
		} else {
			d.window[d.write] = byte(d.take(8))
		}
		if d.err != nil {
			return
		}
		d.write += n
		d.length -= n
	}
	if d.length == 0 {
		d.step = (*reader).block
	}
}

// lengthOrder is the order in which the lengths of the length code are given.
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

func (d *reader) dynamicHead() {
	v := d.take(14)
	literals, distances, given := int(v&31)+257, int(v>>5&31)+1, int(v>>10)+4
	if literals > maxLiterals-2 {
		d.corrupt("too many literal codes")
		return
	}
	var code [19]uint8
	for _, at := range lengthOrder[:given] {
		code[at] = uint8(d.take(3))
	}
	if !d.literals.build(code[:]) {
		d.corrupt("the code of code lengths is no prefix code")
	}
	all := d.lengths[:literals+distances]
	for i := 0; i < len(all) && d.err == nil; {
		symbol := d.symbol(&d.literals)
		if symbol < 16 {
			all[i] = uint8(symbol)
			i++
			continue
		}
		var value uint8
		base, extra := 3, uint(3)
		switch symbol {
		case 16:
			if i == 0 {
				d.corrupt("a code length repeats nothing")
				return
			}
			value, extra = all[i-1], 2
		case 18:
			base, extra = 11, 7
		}
		n := base + int(d.take(extra))
		if i+n > len(all) {
			d.corrupt("more code lengths than codes")
			return
		}
		for range n {
			all[i] = value
			i++
		}
	}
	if d.err == nil && (!d.literals.build(all[:literals]) || !d.distances.build(all[literals:])) {
		d.corrupt("the codes of a block are no prefix codes")
	}
}

// The base and the extra bits of each length code from 257 on and of each distance code.
var lengthBase = [...]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31,
	35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 3}
var lengthExtra = [...]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2,
	3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 16}

func distance(code int) (base int, extra uint) {
	if code < 2 {
		return code + 1, 0
	}
	extra = uint(code/2 - 1)
	return (2+code%2)<<extra + 1, extra
}

// symbols unpacks a compressed block until it ends or the window is full.
func (d *reader) symbols() {
	for d.write < windowSize {
		if d.length > 0 {
			d.copy()
			continue
		}
		symbol := d.symbol(&d.literals)
		switch {
		case d.err != nil:
			return
		case symbol < endOfBlock:
			d.window[d.write] = byte(symbol)
			d.write++
		case symbol == endOfBlock:
			d.step = (*reader).block
			return
		default:
			d.match(symbol - endOfBlock - 1)
		}
	}
}

// match reads what follows a length code: how much is to be copied, and from where.
func (d *reader) match(code int) {
	if code >= len(lengthBase) {
		d.corrupt("unknown length code")
		return
	}
	length := int(lengthBase[code]) + int(d.take(uint(lengthExtra[code])))
	base, extra := distance(d.symbol(&d.distances))
	if d.dist = base + int(d.take(extra)); d.dist > d.write && !d.filled {
		d.corrupt("a copy from before the beginning")
	}
	if d.err == nil {
		d.length = length
	}
}

// copy repeats the bytes written d.dist bytes ago, up to the end of the window.
func (d *reader) copy() {
	from := (d.write - d.dist) & windowMask
	n := min(d.length, windowSize-d.write, windowSize-from)
	d.length -= n
	if from+n <= d.write || from >= d.write {
		copy(d.window[d.write:d.write+n], d.window[from:from+n])
		d.write += n
		return
	}
	// The copy overlaps its own output, which makes a run. Each round doubles the run.
	for n > 0 {
		k := copy(d.window[d.write:d.write+n], d.window[from:d.write])
		d.write += k
		n -= k
	}
}

// refill makes at least want bits available, unless the stream ends before them.
func (d *reader) refill(want uint) {
	if d.src != nil {
		// Read eight bytes at once if they are buffered. The next refill reads the bits that did not fit again.
		if p, err := d.src.Peek(8); err == nil {
			d.bits |= binary.LittleEndian.Uint64(p) << d.nbits
			n := (63 - d.nbits) / 8
			d.nbits += n * 8
			d.bits &= 1<<d.nbits - 1
			d.taken += int64(n)
			_, err = d.src.Discard(int(n))
			d.fail(err)
			return
		}
	}
	for d.nbits < want {
		b, err := d.exact.ReadByte()
		if err != nil {
			d.fail(unexpected(err))
			return
		}
		d.taken++
		d.bits |= uint64(b) << d.nbits
		d.nbits += 8
	}
}

// take reads n bits, at most 32. If the stream ends before them, they are 0.
func (d *reader) take(n uint) uint32 {
	if d.nbits < n {
		if d.refill(n); d.err != nil {
			return 0
		}
	}
	v := uint32(d.bits & (1<<n - 1))
	d.bits >>= n
	d.nbits -= n
	return v
}

// symbol reads one code, 0 after an error. It asks for no more bits than the code has, so that the last code does
// not read beyond the stream.
func (d *reader) symbol(t *table) int {
	for d.err == nil {
		e := t.find(d.bits)
		if n := uint(e & 15); n != 0 && n <= d.nbits {
			d.bits >>= n
			d.nbits -= n
			return int(e >> 4)
		} else if n == 0 && d.nbits >= t.longest {
			d.corrupt("a code that was not defined")
		} else {
			d.refill(d.nbits + 1)
		}
	}
	return 0
}

// fail keeps the first error. Nothing is unpacked after it.
func (d *reader) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *reader) corrupt(reason string) { d.fail(&CorruptError{d.taken, reason}) }

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
