package site

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"

	unicode16 "golang.org/x/text/encoding/unicode"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/screen/sheet"
)

// mostEINs is how many EINs are screened at a time, as in the API.
const mostEINs = 100

// einList is a list of EINs that somebody pasted or uploaded: each EIN once, in
// order, and the lines that could not be read. It stops counting at a length that
// is refused anyway.
type einList struct {
	eins     []ein.EIN
	repeated int // repeated EINs
	unread   []unreadLine
	more     int // unreadable lines beyond those kept
	over     int // EINs beyond those kept
	seen     map[ein.EIN]bool
}

type unreadLine struct {
	Where string
	Text  string
}

const mostUnread = 50 // shown to the visitor who sent them

func (l *einList) add(e ein.EIN) {
	switch {
	case l.seen[e]:
		l.repeated++
	case len(l.eins) == mostEINs:
		l.over++
	default:
		if l.seen == nil {
			l.seen = map[ein.EIN]bool{}
		}
		l.seen[e] = true
		l.eins = append(l.eins, e)
	}
}

func (l *einList) refuse(where, text string) {
	if len(l.unread) == mostUnread {
		l.more++
		return
	}
	l.unread = append(l.unread, unreadLine{where, fault.Clip(strings.Join(strings.Fields(text), " "), 60)})
}

// readText reads EINs that were typed or pasted. A line may hold several EINs,
// separated by commas, semicolons or tabs. Words beside them, such as names, are
// skipped.
func (l *einList) readText(text string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
		if line == "" || n == 1 && sheet.IsEINHeader(line) {
			continue
		}
		where := "line " + strconv.Itoa(n)
		found, odd := 0, ""
		for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(",;\t|", r) }) {
			part = strings.Trim(part, "\"' ")
			eins, ok := einsIn(part)
			for _, e := range eins {
				found++
				l.add(e)
			}
			if !ok && strings.ContainsAny(part, "0123456789") {
				odd = part
			}
		}
		if odd != "" {
			l.refuse(where, odd)
		} else if found == 0 {
			l.refuse(where, line)
		}
	}
}

// einsIn reads one EIN in any form, or several separated by spaces.
func einsIn(s string) (list []ein.EIN, ok bool) {
	if e, err := ein.Parse(s); err == nil {
		return []ein.EIN{e}, true
	}
	for _, part := range strings.Fields(s) {
		e, err := ein.Parse(part)
		if err != nil {
			return nil, false
		}
		list = append(list, e)
	}
	return list, len(list) > 0
}

// readCSV reads the EINs of a file from a spreadsheet, with any usual delimiter,
// with or without a header, in UTF-8 or UTF-16. The column of EINs is found by its
// name, or else by its content.
func (l *einList) readCSV(file []byte) error {
	if bytes.HasPrefix(file, []byte("\xff\xfe")) || bytes.HasPrefix(file, []byte("\xfe\xff")) {
		var err error
		if file, err = unicode16.UTF16(unicode16.BigEndian, unicode16.UseBOM).NewDecoder().Bytes(file); err != nil {
			return badTable(err)
		}
	}
	s, err := sheet.Survey(bytes.NewReader(file), "")
	switch slug(err) {
	case "":
		if err != nil {
			return badTable(err)
		}
	case "no_ein_column", "sheet_empty":
		return fault.New("no_ein_column", "The file has no column of EINs that we could find.").Try("name the column EIN")
	case "which_column":
		return fault.New("no_ein_column", "Several columns of the file may have the EINs.").Try("name the column EIN")
	default:
		return badTable(err)
	}
	rows, err := s.Rows(bytes.NewReader(file))
	for err == nil {
		var row sheet.Row
		if row, err = rows.Next(); err == nil && strings.Trim(row.Text(), " \t,;|\"") != "" {
			l.addCell(&row)
		}
	}
	if !errors.Is(err, io.EOF) {
		return badTable(err)
	}
	return nil
}

func (l *einList) addCell(row *sheet.Row) {
	where, cell := "line "+strconv.Itoa(row.Line), sheet.Clean(row.EIN)
	e, err := sheet.Parse(cell)
	switch {
	case err == nil:
		l.add(e)
	case cell == "":
		l.refuse(where, "no EIN: "+row.Text())
	default:
		l.refuse(where, cell)
	}
}

func badTable(err error) error {
	return fault.New("bad_table", "The file is no table that we can read: %w", err).Try("save it as CSV")
}
