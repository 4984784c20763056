package sheet

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
)

// Output is the sheet with results while it is written. Beside it is a journal. The first line of the journal says what the
// output is made from. Each further line says how much of the output is complete and on the disk. A run that finds the journal
// of the same work continues from its last line, and writes later rows again.
//
//	results.csv.partial            the rows so far
//	results.csv.partial.journal    what they are
type Output struct {
	Resumed int64  // lines of the sheet that an earlier run has written, including blank lines
	Anew    string // why this run does not continue an earlier one; empty when there was none
	Tally   Tally

	path    string
	sheet   *Sheet
	file    *os.File
	journal *os.File
	w       *bufio.Writer
	sum     hash.Hash
	done    checkpoint
}

// Work identifies what an output is made from. A run continues an earlier run only if all of it is the same.
type Work struct {
	Input    string `json:"input"`    // hash of the sheet
	Column   int    `json:"column"`   // of the EINs
	Source   string `json:"source"`   // what is screened against
	Settings string `json:"settings"` // everything else that changes the rows
	Format   int    `json:"format"`   // of the output; changes with its columns
}

// outputFormat is raised when the columns or their words change.
const outputFormat = 1

type checkpoint struct {
	Lines  int64  `json:"lines"` // of the sheet
	Bytes  int64  `json:"bytes"` // of the output
	SHA256 string `json:"sha256"`
	Tally  Tally  `json:"tally"`
}

func partialPath(path string) string { return path + ".partial" }
func journalPath(path string) string { return partialPath(path) + ".journal" }

// Create begins an output at path, or continues the output of an earlier run.
func (s *Sheet) Create(path string, work Work) (*Output, error) {
	work.Input, work.Column, work.Format = s.SHA256, s.Column, outputFormat
	o := &Output{path: path, sheet: s, sum: sha256.New()}
	var err error
	if o.journal, err = os.OpenFile(journalPath(path), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, fault.Disk(journalPath(path), err)
	}
	if err := disk.Lock(o.journal); err != nil {
		_ = o.journal.Close()
		if errors.Is(err, disk.ErrLocked) {
			return nil, fault.New("locked", "another run is writing %s", path).Try("wait for it, or choose another --out")
		}
		return nil, fault.Disk(journalPath(path), err)
	}
	if err := o.open(work); err != nil {
		o.Abandon()
		return nil, fault.Disk(partialPath(path), err)
	}
	return o, nil
}

// open continues from the journal, or begins anew.
func (o *Output) open(work Work) (err error) {
	if o.file, err = os.OpenFile(partialPath(o.path), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return err
	}
	o.w = bufio.NewWriterSize(o.file, 256<<10)
	resumed, err := o.resume(work)
	if err != nil || resumed {
		return err
	}
	o.sum.Reset()
	for _, f := range []*os.File{o.file, o.journal} {
		if err := cut(f, 0); err != nil {
			return err
		}
	}
	if err := o.note(work); err != nil {
		return err
	}
	return o.writeHeader()
}

func (o *Output) resume(work Work) (bool, error) {
	text, err := io.ReadAll(o.journal)
	if err != nil {
		return false, err
	}
	if len(text) == 0 {
		return false, nil
	}
	// The last line may be incomplete.
	lines := bytes.Split(text, []byte("\n"))
	lines = lines[:len(lines)-1]
	var before Work
	if len(lines) == 0 || json.Unmarshal(lines[0], &before) != nil {
		o.Anew = "its journal cannot be read"
		return false, nil
	}
	if o.Anew = differs(before, work); o.Anew != "" || len(lines) == 1 {
		return false, nil
	}
	var last checkpoint
	if json.Unmarshal(lines[len(lines)-1], &last) != nil {
		o.Anew = "its journal cannot be read"
		return false, nil
	}
	n, err := io.CopyN(o.sum, o.file, last.Bytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if n != last.Bytes || hex.EncodeToString(o.sum.Sum(nil)) != last.SHA256 {
		o.Anew = "its rows were changed since"
		return false, nil
	}
	if err := errors.Join(cut(o.file, last.Bytes), cut(o.journal, int64(bytes.LastIndexByte(text, '\n')+1))); err != nil {
		return false, err
	}
	o.done, o.Tally, o.Resumed = last, last.Tally, last.Lines
	return true, nil
}

// cut ends a file, and continues it, after so many bytes.
func cut(f *os.File, bytes int64) error {
	_, err := f.Seek(bytes, io.SeekStart)
	return cmp.Or(err, f.Truncate(bytes))
}

// differs says how two works differ, or returns "".
func differs(before, now Work) string {
	switch {
	case before.Format != now.Format:
		return "it was made by another version of this program"
	case before.Input != now.Input:
		return "the input has changed"
	case before.Column != now.Column:
		return "the EINs are taken from another column"
	case before.Source != now.Source:
		return "it was screened against other lists"
	case before.Settings != now.Settings:
		return "it is asked for differently"
	}
	return ""
}

func (o *Output) note(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := o.journal.Write(append(text, '\n')); err != nil {
		return err
	}
	return o.journal.Sync()
}

func (o *Output) writeHeader() error {
	s := o.sheet
	var b strings.Builder
	if s.bom || s.foreign {
		b.WriteString(byteOrderMark) // so that Excel takes it for UTF-8
	}
	b.WriteString(s.preamble)
	b.WriteString(s.header.text)
	for i, name := range s.Columns[s.header.cells:] {
		if s.header.cells+i > 0 {
			b.WriteByte(s.delimiter)
		}
		b.WriteString(s.quote(name))
	}
	for _, name := range s.names() {
		b.WriteByte(s.delimiter)
		b.WriteString(s.quote(name))
	}
	b.WriteString(s.newline)
	return o.write(b.String())
}

// names returns the names of the added columns. A name that the sheet already has gets a prefix.
func (s *Sheet) names() (list []string) {
	has := map[string]bool{}
	for _, name := range s.Columns {
		has[strings.ToLower(strings.TrimSpace(name))] = true
	}
	list = Headers()
	for i := range list {
		for has[list[i]] {
			list[i] = "gg_" + list[i]
		}
	}
	return list
}

func (s *Sheet) quote(cell string) string {
	if strings.IndexByte(cell, s.delimiter) < 0 && !strings.ContainsAny(cell, "\"\r\n") {
		return cell
	}
	return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
}

func (o *Output) write(s string) error {
	_, _ = o.sum.Write([]byte(s)) // never fails
	o.done.Bytes += int64(len(s))
	_, err := o.w.WriteString(s)
	return fault.Disk(partialPath(o.path), err)
}

// Write adds a row with its result. A blank line stays blank.
func (o *Output) Write(row Row, result *Result) error {
	newline := cmp.Or(row.newline, o.sheet.newline)
	o.done.Lines++
	if row.Blank {
		return o.write(newline)
	}
	o.Tally.Add(result)
	var b strings.Builder
	b.WriteString(row.text)
	for range o.sheet.width - row.cells {
		b.WriteByte(o.sheet.delimiter)
	}
	for _, c := range result.Cells() {
		b.WriteByte(o.sheet.delimiter)
		b.WriteString(o.sheet.quote(c))
	}
	b.WriteString(newline)
	return o.write(b.String())
}

// Checkpoint makes the rows so far durable: a run that is killed later continues from here.
func (o *Output) Checkpoint() error {
	if err := o.w.Flush(); err != nil {
		return fault.Disk(partialPath(o.path), err)
	}
	if err := o.file.Sync(); err != nil {
		return fault.Disk(partialPath(o.path), err)
	}
	o.done.SHA256, o.done.Tally = hex.EncodeToString(o.sum.Sum(nil)), o.Tally
	return fault.Disk(journalPath(o.path), o.note(&o.done))
}

// Publish gives the finished output its name, and replaces a file of that name.
func (o *Output) Publish() error {
	if err := o.Checkpoint(); err != nil {
		return err
	}
	if err := disk.Publish(partialPath(o.path), o.path); err != nil {
		return fault.Disk(o.path, err)
	}
	// The journal is useless without its rows. It is removed while it is locked.
	if err := os.Remove(journalPath(o.path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Disk(journalPath(o.path), err)
	}
	o.Abandon()
	return nil
}

// Abandon closes the output and leaves it for a later run.
func (o *Output) Abandon() {
	for _, f := range []*os.File{o.file, o.journal} {
		if f != nil {
			_ = f.Close() // everything that must be durable was synced
		}
	}
}

// Beside reports whether a path is one that an output at out would write to.
func Beside(path, out string) bool {
	for _, ours := range []string{out, partialPath(out), journalPath(out)} {
		a, errA := os.Stat(path)
		b, errB := os.Stat(ours)
		if errA == nil && errB == nil && os.SameFile(a, b) || filepath.Clean(path) == filepath.Clean(ours) {
			return true
		}
	}
	return false
}
