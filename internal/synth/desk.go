package synth

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/flate"

	"grantgraph/internal/source/stateaward"
)

// roll is one upstream list beside the returns and the master file. Each is
// written by one task from beginning to end, which needs no memory of what it
// has written.
type roll func(*desk) error

// rolls are all of them, in the order in which world.json names their files.
// Workers take them up before the returns, of which there are many small ones
// to share out at the end.
func (w *world) rolls() []roll {
	out := []roll{(*desk).pub78, (*desk).revocation, (*desk).sanctions, (*desk).bulletin, (*desk).registry, (*desk).taxBoard}
	for i := range tables {
		out = append(out, func(d *desk) error { return d.table(i) })
	}
	for year := firstAward; year <= lastAward; year++ {
		out = append(out, func(d *desk) error { return d.archive(year, false) }, func(d *desk) error { return d.archive(year, true) })
	}
	out = append(out, (*desk).audits, (*desk).rulings)
	for _, m := range stateaward.Mappings() {
		out = append(out, func(d *desk) error { return d.state(m) })
	}
	return out
}

// desk is where a list is written.
type desk struct {
	*gen
	ctx    context.Context
	press  *press
	dir    string
	files  []File
	counts map[string]int64

	namesakes []Namesake
	granted   []award // of the recipient at hand
	row       []byte
}

func newDesk(ctx context.Context, g *gen, p *press, dir string) *desk {
	return &desk{gen: g, ctx: ctx, press: p, dir: dir, counts: map[string]int64{}}
}

// leaf is one file of a list while it is being written.
type leaf struct {
	*bufio.Writer
	h    *hashed
	zip  *zip.Writer
	rows int64 // that a reader hands on
}

// row writes one row and counts it.
func (l *leaf) row(b []byte) {
	l.Write(b)
	l.rows++
}

// open begins a plain file.
func (d *desk) open(path string) (*leaf, error) {
	if err := os.MkdirAll(filepath.Join(d.dir, filepath.Dir(filepath.FromSlash(path))), 0o755); err != nil {
		return nil, err
	}
	h, err := newHashed(d.dir, path, 32<<10)
	if err != nil {
		return nil, err
	}
	return &leaf{Writer: h.w, h: h}, nil
}

// zipped begins a zip with a single member. A desk has one press, so only one
// zip is open at a time.
func (d *desk) zipped(path, member string, when time.Time) (*leaf, error) {
	l, err := d.open(path)
	if err != nil {
		return nil, err
	}
	l.zip = zip.NewWriter(l.h.w)
	l.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		d.press.Reset(w)
		return d.press, nil
	})
	m, err := l.zip.CreateHeader(&zip.FileHeader{Name: member, Method: zip.Deflate, Modified: when})
	if err != nil {
		l.h.abandon()
		return nil, err
	}
	l.Writer = bufio.NewWriterSize(m, 64<<10)
	return l, nil
}

// done finishes a file. What was wrong with any write before comes out here.
func (d *desk) done(l *leaf) error {
	defer l.h.abandon()
	if l.zip != nil {
		if err := errors.Join(l.Flush(), l.zip.Close()); err != nil {
			return err
		}
	}
	f, err := l.h.finish()
	f.Rows = l.rows
	d.files = append(d.files, f)
	return err
}

// each puts all domestic entities together in turn, the unlisted included.
func (d *desk) each(do func(e *entity)) error {
	for i := range d.w.domestic() {
		if i&0xfff == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		d.w.at(i, &d.f)
		do(&d.f)
	}
	return nil
}

// past is each, and then those that were gone before.
func (d *desk) past(do func(e *entity)) error {
	if err := d.each(do); err != nil {
		return err
	}
	for k := range d.w.departed() {
		d.w.depart(k, &d.f)
		do(&d.f)
	}
	return nil
}

// newPress makes a compressor for one worker.
func newPress() (*press, error) {
	fw, err := flate.NewWriter(io.Discard, flate.BestSpeed)
	return &press{fw}, err
}

// appendDay writes a date the way a list does.
func appendDay(dst []byte, t time.Time, layout string) []byte {
	if t.IsZero() {
		return dst
	}
	return t.AppendFormat(dst, layout)
}

// bar separates the fields of a pipe-delimited row.
func bar(dst []byte, field string) []byte { return append(append(dst, field...), '|') }
