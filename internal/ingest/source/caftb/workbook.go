package caftb

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"grantgraph/internal/ingest/source/rows"
)

// Bounds of a workbook. A list of a hundred thousand organizations is a few megabytes packed and some thirty unpacked.
const (
	maxPacked  = 32 << 20
	maxMember  = 256 << 20
	maxMarkup  = 1 << 20 // between two tags
	maxStrings = 2_000_000
	maxSheets  = 16
	maxCells   = 256 // of a row
)

// readZip reads a workbook, or a zip that holds a text. It reads all of the zip
// into memory, because the directory is at the end.
func readZip(r io.Reader, fn func(*Record) error) (tally rows.Tally, err error) {
	packed, err := io.ReadAll(io.LimitReader(r, maxPacked+1))
	if err != nil {
		return tally, fmt.Errorf("reading the Franchise Tax Board's list: %w", err)
	}
	if len(packed) > maxPacked {
		return tally, fmt.Errorf("%w: the workbook is larger than %d MB; save it as CSV", ErrLayout, maxPacked>>20)
	}
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return tally, fmt.Errorf("%w: the zip is damaged or cut short (%w); fetch it again", ErrLayout, err)
	}
	w := workbook{zip: z}
	if w.find("xl/workbook.xml") != nil {
		return w.read(fn)
	}
	files := slices.DeleteFunc(slices.Clone(z.File), func(f *zip.File) bool { return f.FileInfo().IsDir() })
	if len(files) != 1 {
		return tally, fmt.Errorf("%w: the zip is not a workbook and holds %d files where one was expected", ErrLayout, len(files))
	}
	text, err := files[0].Open()
	if err != nil {
		return tally, fmt.Errorf("%w: the zip cannot be unpacked (%w)", ErrLayout, err)
	}
	defer text.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(text, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return tally, fmt.Errorf("%w: the zip cannot be unpacked (%w); fetch it again", ErrLayout, err)
	}
	return readText(io.MultiReader(bytes.NewReader(head[:n]), text), head[:n], fn)
}

// workbook is the part of an .xlsx file that has the values of cells. Styles, formulas and everything else are skipped.
type workbook struct {
	zip      *zip.Reader
	strings  []string // texts that cells refer to by number
	sheets   []string // members, in the order of the tabs
	from1904 bool
}

// read reads the rows of the first sheet that has a header. A workbook often opens with a sheet of notes.
func (w *workbook) read(fn func(*Record) error) (tally rows.Tally, err error) {
	if err := w.readIndex(); err != nil {
		return tally, err
	}
	if err := w.readStrings(); err != nil {
		return tally, err
	}
	var best headerSearch
	for _, member := range w.sheets {
		var s headerSearch
		if err := w.sheet(member, func(t rows.Table) error { _, err := s.run(t); return err }); err != nil && !errors.Is(err, rows.ErrEmpty) {
			return tally, err
		}
		if s.found {
			err := w.sheet(member, func(t rows.Table) (err error) {
				tally, err = readTable(t, true, w.from1904, fn)
				return err
			})
			return tally, err
		}
		if s.better(&best) {
			best = s
		}
	}
	if best.seen == nil {
		return tally, fmt.Errorf("%w: %w", ErrLayout, rows.ErrEmpty)
	}
	return tally, best.failure()
}

func (w *workbook) find(member string) *zip.File {
	i := slices.IndexFunc(w.zip.File, func(f *zip.File) bool { return strings.EqualFold(f.Name, member) })
	if i < 0 {
		return nil
	}
	return w.zip.File[i]
}

// open calls fn with the XML of a member, within bounds. Tokens are read raw,
// so that the decoder keeps no stack, which a hostile file could make grow.
func (w *workbook) open(member string, fn func(*xml.Decoder) error) error {
	f := w.find(member)
	if f == nil {
		return fmt.Errorf("%w: the workbook has no %s", ErrLayout, member)
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("%w: the workbook's %s cannot be unpacked (%w)", ErrLayout, member, err)
	}
	defer r.Close()
	return fn(xml.NewDecoder(&bounded{r: r, left: maxMember}))
}

func (w *workbook) scan(member string, fn func(xml.Token) error) error {
	return w.open(member, func(d *xml.Decoder) error {
		for {
			t, err := d.RawToken()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return damaged(member, err)
			}
			if err := fn(t); err != nil {
				return err
			}
		}
	})
}

func damaged(member string, err error) error {
	return fmt.Errorf("%w: the workbook's %s cannot be read (%w); fetch it again", ErrLayout, member, err)
}

func (w *workbook) readIndex() error {
	var ids []string
	err := w.scan("xl/workbook.xml", func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		switch {
		case !ok:
		case e.Name.Local == "workbookPr":
			v := attr(e, "date1904")
			w.from1904 = v == "1" || v == "true"
		case e.Name.Local == "sheet" && len(ids) < maxSheets:
			// The attribute r:id points to the member; sheetId does not.
			ids = append(ids, attr(e, "id"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	target := make(map[string]string, len(ids))
	if w.find("xl/_rels/workbook.xml.rels") != nil {
		err = w.scan("xl/_rels/workbook.xml.rels", func(t xml.Token) error {
			if e, ok := t.(xml.StartElement); ok && e.Name.Local == "Relationship" && slices.Contains(ids, attr(e, "Id")) {
				target[attr(e, "Id")] = attr(e, "Target")
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for i, id := range ids {
		member := target[id]
		switch {
		case member == "":
			member = fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)
		case strings.HasPrefix(member, "/"):
			member = member[1:]
		default:
			member = path.Join("xl", member)
		}
		if w.find(member) != nil {
			w.sheets = append(w.sheets, member)
		}
	}
	return nil
}

// readStrings reads the texts of the cells. A text may consist of pieces of different style. Phonetic guides are left out.
func (w *workbook) readStrings() error {
	const member = "xl/sharedStrings.xml"
	if w.find(member) == nil {
		return nil
	}
	var (
		text             strings.Builder
		inText, spelling bool
	)
	return w.scan(member, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "si":
				text.Reset()
			case "t":
				inText = true
			case "rPh":
				spelling = true
			}
		case xml.CharData:
			if inText && !spelling {
				text.Write(t)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "si":
				if len(w.strings) == maxStrings {
					return fmt.Errorf("%w: the workbook holds more than %d texts; save it as CSV", ErrLayout, maxStrings)
				}
				w.strings = append(w.strings, text.String())
			case "t":
				inText = false
			case "rPh":
				spelling = false
			}
		}
		return nil
	})
}

func attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// bounded limits the size of XML, in total and between two < characters. A tag
// cannot contain an unescaped <, so tags are limited, too.
type bounded struct {
	r    io.Reader
	left int64
	run  int // bytes since the last <
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("it unpacks to more than %d MB", maxMember>>20)
	}
	if i := bytes.LastIndexByte(p[:n], '<'); i >= 0 {
		b.run = n - i - 1
	} else if b.run += n; b.run > maxMarkup {
		return 0, errors.New("it holds a tag or a text without end")
	}
	return n, err
}

func (w *workbook) sheet(member string, fn func(rows.Table) error) error {
	return w.open(member, func(d *xml.Decoder) error {
		return fn(&sheet{xml: d, member: member, strings: w.strings})
	})
}

type sheet struct {
	xml     *xml.Decoder
	member  string
	strings []string
	fields  []string
	text    strings.Builder // of the current cell
}

// Fields returns the cells of the next row that is not blank. Missing cells are empty. The list is reused by the next call.
func (s *sheet) Fields() ([]string, error) {
	var (
		at     = -1   // column of the current cell
		kind   string // of the current cell
		inText bool
	)
	s.fields = s.fields[:0]
	for {
		t, err := s.xml.RawToken()
		if err == io.EOF {
			return nil, io.EOF
		}
		if err != nil {
			return nil, damaged(s.member, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				s.fields, at = s.fields[:0], -1
			case "c":
				at, kind = place(attr(t, "r"), at+1), attr(t, "t")
				s.text.Reset()
			case "v", "t":
				inText = true
			}
		case xml.CharData:
			if inText {
				s.text.Write(t)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "v", "t":
				inText = false
			case "c":
				s.put(at, s.value(kind))
			case "row":
				if len(s.fields) > 0 {
					return s.fields, nil
				}
			}
		}
	}
}

func (s *sheet) put(at int, value string) {
	if value = strings.TrimSpace(value); value == "" || at < 0 || at >= maxCells {
		return
	}
	for len(s.fields) <= at {
		s.fields = append(s.fields, "")
	}
	s.fields[at] = value
}

// value returns the text that a cell shows, by the kind of the cell: s refers to a shared text, e is an
// error, b is a Boolean, n or no kind is a number, and all others are text.
func (s *sheet) value(kind string) string {
	text := s.text.String()
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || i < 0 || i >= len(s.strings) {
			return ""
		}
		return s.strings[i]
	case "e", "b":
		return ""
	case "n", "":
		return plain(text)
	}
	return text
}

// plain writes a whole number without the exponent that large ones have.
func plain(number string) string {
	if strings.ContainsAny(number, "eE") {
		if f, err := strconv.ParseFloat(number, 64); err == nil && f > -1e15 && f < 1e15 && f == float64(int64(f)) {
			return strconv.FormatInt(int64(f), 10)
		}
	}
	return number
}

// place returns the column in a cell's name, counted from 0, or next if the cell has no name.
func place(ref string, next int) int {
	n := 0
	for i := range len(ref) {
		c := ref[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		if n = n*26 + int(c-'A') + 1; n > maxCells {
			return maxCells
		}
	}
	if n == 0 {
		return next
	}
	return n - 1
}
