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

	"grantgraph/internal/disk"
	"grantgraph/internal/ingest/source/stateaward"
)

// listTask writes one upstream list, from beginning to end, without keeping its rows in memory.
type listTask func(*listWriter) error

// listTasks returns the tasks of all lists, in the order in which world.json names their files. Workers do
// them before the returns: the many small tasks at the end keep all workers busy.
func (w *world) listTasks() []listTask {
	out := []listTask{(*listWriter).pub78, (*listWriter).revocation, (*listWriter).sanctions, (*listWriter).bulletins,
		(*listWriter).californiaRegistry, (*listWriter).franchiseTaxBoard}
	for i := range tables {
		out = append(out, func(d *listWriter) error { return d.ukTable(i) })
	}
	for year := firstAward; year <= lastAward; year++ {
		for _, contracts := range []bool{false, true} {
			out = append(out, func(d *listWriter) error { return d.usaspendingArchive(year, contracts) })
		}
	}
	out = append(out, (*listWriter).audits, (*listWriter).overrides)
	for _, m := range stateaward.Mappings() {
		out = append(out, func(d *listWriter) error { return d.stateAwards(m) })
	}
	return out
}

type listWriter struct {
	*gen
	ctx        context.Context
	compressor *flate.Writer
	dir        string
	files      []File
	counts     map[string]int64

	namesakes []Namesake
	granted   []award // of the recipient at hand
}

func newListWriter(ctx context.Context, g *gen, p *flate.Writer, dir string) *listWriter {
	return &listWriter{gen: g, ctx: ctx, compressor: p, dir: dir, counts: map[string]int64{}}
}

type listFile struct {
	*bufio.Writer
	h    *outputFile
	zip  *zip.Writer
	rows int64 // rows that a reader accepts
}

func (l *listFile) row(b []byte) {
	l.Write(b)
	l.rows++
}

// write writes one plain file that begins with the given text.
func (d *listWriter) write(path, head string, fill func(*listFile) error) error {
	return d.writeAll([]string{path}, head, func(files []*listFile) error { return fill(files[0]) })
}

// writeZip writes one zip with a single member that begins with the given text. A writer
// has one compressor, so only one zip is open at a time.
func (d *listWriter) writeZip(path, member string, when time.Time, head string, fill func(*listFile) error) error {
	return d.write(path, "", func(l *listFile) error {
		l.zip = newZip(l.h.w, d.compressor)
		m, err := l.zip.CreateHeader(&zip.FileHeader{Name: member, Method: zip.Deflate, Modified: when})
		if err != nil {
			return err
		}
		l.Writer = bufio.NewWriterSize(m, 64<<10)
		l.WriteString(head)
		return fill(l)
	})
}

// writeAll writes several plain files at once, which begin with the same text.
func (d *listWriter) writeAll(paths []string, head string, fill func([]*listFile) error) error {
	files := make([]*listFile, len(paths))
	for i, path := range paths {
		l, err := d.create(path)
		if err != nil {
			return err
		}
		defer l.h.abandon()
		l.WriteString(head)
		files[i] = l
	}
	if err := fill(files); err != nil {
		return err
	}
	for _, l := range files {
		if err := d.finish(l); err != nil {
			return err
		}
	}
	return nil
}

func (d *listWriter) create(path string) (*listFile, error) {
	if err := os.MkdirAll(filepath.Join(d.dir, filepath.Dir(filepath.FromSlash(path))), 0o755); err != nil {
		return nil, err
	}
	h, err := createFile(d.dir, path, 32<<10)
	if err != nil {
		return nil, err
	}
	return &listFile{Writer: h.w, h: h}, nil
}

func (d *listWriter) finish(l *listFile) error {
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

// each calls do for the numbers below n, until the context ends.
func (d *listWriter) each(n int, do func(i int)) error {
	for i := range n {
		if i&0xfff == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		do(i)
	}
	return nil
}

// eachEntity puts all domestic entities together in turn, the unlisted included.
func (d *listWriter) eachEntity(do func(e *entity)) error {
	return d.each(d.w.domestic(), func(i int) {
		d.w.at(i, &d.f)
		do(&d.f)
	})
}

// eachEntityEver does the same for all domestic entities and the former organizations.
func (d *listWriter) eachEntityEver(do func(e *entity)) error {
	if err := d.eachEntity(do); err != nil {
		return err
	}
	for k := range d.w.formerOrgs() {
		d.w.formerOrg(k, &d.f)
		do(&d.f)
	}
	return nil
}

func newZip(out io.Writer, c *flate.Writer) *zip.Writer {
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		c.Reset(w)
		return c, nil
	})
	return z
}

// outputFile is a file of the world, or a fragment of one, while it is written.
type outputFile struct {
	f    *os.File
	sum  *disk.Summed // nil for a fragment
	w    *bufio.Writer
	path string
}

// createFile creates a file whose digest is taken while it is written, through a buffer of the given size.
func createFile(dir, path string, buffer int) (*outputFile, error) {
	h, err := createPlain(dir, path, buffer)
	if err == nil {
		h.sum = new(disk.NewSummed(h.f))
		h.w.Reset(h.sum)
	}
	return h, err
}

func createPlain(dir, path string, buffer int) (*outputFile, error) {
	f, err := os.Create(filepath.Join(dir, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	return &outputFile{f: f, w: bufio.NewWriterSize(f, buffer), path: path}, nil
}

func (h *outputFile) finish() (File, error) {
	err := errors.Join(h.w.Flush(), h.f.Close())
	h.f = nil
	f := File{Path: h.path}
	if h.sum != nil {
		f.Bytes, f.SHA256 = h.sum.Size(), h.sum.Sum()
	}
	return f, err
}

func (h *outputFile) abandon() {
	if h.f != nil {
		h.f.Close()
	}
}
