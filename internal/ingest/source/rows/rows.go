// Package rows reads delimited text, the format of most upstream lists: one row per line, with or without
// quotes. It is strict about structure and tolerant of bad rows. Rows have a maximum length and nothing is
// kept, so memory stays bounded for any file.
//
// The packages that each read one kind of list keep this promise, which package rowstest tests. Their Read calls fn with the
// record of every usable row. It counts unusable rows by their reason and leaves them out. A file of another kind is an error
// that wraps the package's ErrFormat, and a file that is cut off is an error too. An error from fn ends the reading and is
// returned unchanged. The record is reused from row to row, and its strings share one copy of the row: a caller that keeps a
// string must clone it, or the whole row stays in memory.
package rows

import (
	"archive/zip"
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"grantgraph/internal/each"
	"grantgraph/internal/fault"
)

// Layout describes how a kind of file separates and quotes its fields.
type Layout struct {
	Separator byte // between fields
	Quotes    bool // fields may be quoted as in RFC 4180; if false, a quote is text and every line is a row
	MaxRow    int  // longest row in bytes; 0 means 16 KB
}

// The layouts upstream uses.
var (
	CSV      = Layout{Separator: ',', Quotes: true}
	BareCSV  = Layout{Separator: ','}
	Pipes    = Layout{Separator: '|'}
	TabTable = Layout{Separator: '\t'}
)

// Reasons to leave out any row. Readers add their own reasons.
const (
	ReasonColumns  = "wrong number of columns"
	ReasonOverlong = "row too long"
	ReasonQuote    = "unclosed quote"
)

// Errors for a file of another kind.
var (
	ErrPage  = errors.New("it is a web page, so the server answered with an error or a notice; fetch it again")
	ErrEmpty = errors.New("it is empty; fetch it again")
)

// Tally counts the rows of a file that were used and left out.
type Tally struct {
	Rows     int64       `json:"rows"`     // handed on
	Rejected []Rejection `json:"rejected"` // left out, in order of reason
}

type Rejection struct {
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

func (t *Tally) Reject(reason string) { t.reject(reason, 1) }

func (t *Tally) reject(reason string, n int64) {
	i, ok := slices.BinarySearchFunc(t.Rejected, reason, func(r Rejection, s string) int { return strings.Compare(r.Reason, s) })
	if !ok {
		t.Rejected = slices.Insert(t.Rejected, i, Rejection{Reason: reason})
	}
	t.Rejected[i].Count += n
}

func (t *Tally) Add(o Tally) {
	t.Rows += o.Rows
	for _, r := range o.Rejected {
		t.reject(r.Reason, r.Count)
	}
}

func (t *Tally) Lost() (n int64) {
	for _, r := range t.Rejected {
		n += r.Count
	}
	return n
}

// Open opens a file of rows: plain text, gzip, or a zip with one text file. The first bytes decide the format, not the name.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	if isZip(f) {
		return openZip(f)
	}
	r, err := Inflate(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return stacked{r, f}, nil
}

func isZip(f *os.File) bool {
	var magic [2]byte
	_, err := f.ReadAt(magic[:], 0)
	return err == nil && magic == [2]byte{'P', 'K'}
}

func openZip(f *os.File) (io.ReadCloser, error) {
	fail := func(err error) (io.ReadCloser, error) {
		f.Close()
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		return fail(fault.Disk(f.Name(), err))
	}
	z, err := zip.NewReader(f, st.Size())
	if err != nil {
		return fail(fmt.Errorf("the zip is damaged or cut short (%w); fetch it again", err))
	}
	members := slices.DeleteFunc(z.File, func(m *zip.File) bool { return m.FileInfo().IsDir() })
	switch len(members) {
	case 0:
		return fail(fmt.Errorf("the zip holds no file: %w", ErrEmpty))
	case 1:
	default:
		return fail(fmt.Errorf("the zip holds %s and %s where one file was expected", members[0].Name, members[1].Name))
	}
	r, err := members[0].Open()
	if err != nil {
		return fail(fmt.Errorf("the zip cannot be unpacked (%w)", err))
	}
	return stacked{r, f}, nil
}

// stacked reads from the top reader and closes the bottom one.
type stacked struct {
	io.Reader
	bottom io.Closer
}

func (s stacked) Close() error {
	if top, ok := s.Reader.(io.Closer); ok {
		return errors.Join(top.Close(), s.bottom.Close())
	}
	return s.bottom.Close()
}

// Inflate undoes gzip when the stream starts with its magic bytes.
func Inflate(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	head, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("it starts like gzip but is damaged (%w); fetch it again", err)
	}
	return z, nil
}

// Clean trims a field and makes it valid UTF-8. The lists are ASCII or UTF-8,
// but a stray byte of another encoding would make a name that databases refuse.
func Clean(field string) string {
	if field = strings.TrimSpace(field); utf8.ValidString(field) {
		return field
	}
	return strings.ToValidUTF8(field, "\ufffd")
}

// Date reads a date in the first layout that fits it. A date outside of the years is a typing error, or is in another layout.
func Date(s string, first, last int, layouts ...string) (t time.Time, ok bool) {
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil && t.Year() >= first && t.Year() <= last {
			return t, true
		}
	}
	return t, false
}

// Find returns the position of each wanted column in a header, or -1 if the
// column is missing. Case, surrounding space and a byte order mark are ignored.
func Find(header []string, want ...string) []int {
	return each.Of(want, func(w string) int {
		return slices.IndexFunc(header, func(have string) bool {
			return strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(have, "\ufeff")), w)
		})
	})
}

// Place is Find for columns that must all be there. The error for a header that lacks some wraps format.
func Place(header []string, format error, expected string, want ...string) ([]int, error) {
	places := Find(header, want...)
	missing := slices.DeleteFunc(slices.Clone(want), func(w string) bool { return places[slices.Index(want, w)] >= 0 })
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w: the header lacks %s; expected %s", format, strings.Join(missing, ", "), expected)
	}
	return places, nil
}

// ByHand reads CSV that people keep, with as many fields in every row as in its header. It refuses more rows than most. Fields
// are valid until the function returns; its error is put after the number of the line.
func ByHand(r io.Reader, most int, header func(fields []string) error, row func(line int, fields []string) error) error {
	text := bufio.NewReader(r)
	// Spreadsheets write a byte order mark before the first cell. Remove it, because that cell may be quoted.
	if mark, err := text.Peek(3); err == nil && string(mark) == "\ufeff" {
		text.Discard(3)
	}
	c := csv.NewReader(text)
	c.ReuseRecord = true
	fields, err := c.Read()
	if err == io.EOF {
		return errors.New("it is empty; it needs at least the header")
	}
	if err == nil {
		err = header(fields)
	}
	for n := 0; err == nil; n++ {
		if fields, err = c.Read(); err == io.EOF {
			return nil
		} else if err != nil {
			break
		}
		if n == most {
			return fmt.Errorf("it has more than %d rows", most)
		}
		line, _ := c.FieldPos(0)
		if err := row(line, fields); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	return err
}
