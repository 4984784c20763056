package synth

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"

	"grantgraph/internal/disk"
	"grantgraph/internal/ingest/source"
	"grantgraph/internal/ingest/source/fetch"
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

// The fetcher leaves a state beside the files it has downloaded: where each file came from, when, and how old it is. All times are
// those of the world.

// checkedAt is the time of the last request to every publisher.
var checkedAt = today.Add(12 * time.Hour)

func (p *worldWriter) writeFetchStates() error {
	d := &listWriter{dir: p.dir}
	for _, s := range source.All() {
		st := fetch.State{Source: s.Name, CheckedAt: checkedAt, Files: []fetch.File{}, Refused: []fetch.Refusal{}}
		for i := range p.files {
			f := &p.files[i]
			if !strings.HasPrefix(f.Path, s.Folder+"/") {
				continue
			}
			revised := revisedOn(f.Path)
			st.Files = append(st.Files, fetch.File{
				Path: f.Path, URL: address(&s, f.Path), Bytes: f.Bytes, SHA256: f.SHA256, ETag: `"` + f.SHA256[:16] + `"`,
				LastModified: revised.Add(9 * time.Hour).Format(http.TimeFormat), FetchedAt: today.Add(time.Duration(i) * time.Minute),
				Rows: f.Rows, Revised: revised.Format(time.DateOnly),
			})
			st.UpstreamRevised = max(st.UpstreamRevised, revised.Format(time.DateOnly))
		}
		if len(st.Files) == 0 {
			continue
		}
		slices.SortFunc(st.Files, func(a, b fetch.File) int { return strings.Compare(a.Path, b.Path) })
		text, err := json.MarshalIndent(&st, "", "  ")
		if err != nil {
			return err
		}
		if err := d.write(".fetch/"+s.Name+".json", string(text)+"\n", func(*listFile) error { return nil }); err != nil {
			return err
		}
	}
	p.files = append(p.files, d.files...)
	return nil
}

func revisedOn(file string) time.Time {
	folder, name := path.Split(file)
	switch path.Clean(folder) {
	case "990":
		var year, month int
		if n, _ := fmt.Sscanf(name, "%d_TEOS_XML_%d", &year, &month); n == 2 {
			if m := year*12 + month - 1; m < lastMonth {
				return time.Date(year, time.Month(month), 20, 0, 0, 0, 0, time.UTC)
			}
		} else if n, _ := fmt.Sscanf(name, "index_%d.csv", &year); n == 1 && year < lastMonth/12 {
			return time.Date(year, time.December, 20, 0, 0, 0, 0, time.UTC)
		}
		return today.AddDate(0, 0, -2)
	case "bmf", "pub78", "revocation":
		return today.AddDate(0, 0, -2)
	case "ofac":
		return today.AddDate(0, 0, -1)
	case "irb":
		for k := range bulletins {
			if is := issueAt(k); strings.HasPrefix(name, is.String()) {
				return is.day
			}
		}
	case "careg":
		return registryDay
	case "usaspending":
		return posted
	case "uk":
		return extracted
	}
	return today.AddDate(0, 0, -9)
}

func address(s *source.Source, file string) string {
	name := path.Base(file)
	switch s.Name {
	case "irs990":
		year := strings.TrimPrefix(name, "index_")[:4]
		return s.Base + "/" + year + "/" + name
	case "ofac":
		return s.Base + "/" + strings.ToUpper(name)
	case "irb":
		return s.Base + "/" + strings.TrimSuffix(name, ".html")
	case "caftb":
		return s.Base
	case "usaspending":
		return "https://files.usaspending.gov/award_data_archive/" + name
	case "stateaward":
		return s.Page
	}
	return s.Base + "/" + name
}
