package site

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"grantgraph/internal/ein"
	"grantgraph/internal/fault"
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

// unreadLine is a line without a readable EIN.
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
		if line == "" || n == 1 && isEINHeader(line) {
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
	text, err := plainText(file)
	if err != nil {
		return err
	}
	guess := &columnGuess{counts: map[int]int{}}
	if err := eachRow(text, func(_ int, row []string) { guess.add(row) }); err != nil {
		return err
	}
	column, header := guess.column()
	if column < 0 {
		return fault.New("no_ein_column", "The file has no column of EINs that we could find.").Try("name the column EIN")
	}
	return eachRow(text, func(line int, row []string) {
		if header {
			header = false
			return
		}
		if !slices.ContainsFunc(row, func(s string) bool { return strings.TrimSpace(s) != "" }) {
			return
		}
		cell := ""
		if column < len(row) {
			cell = bareCell(row[column])
		}
		if e, err := ein.Parse(cell); err == nil {
			l.add(e)
		} else if cell == "" {
			l.refuse("line "+strconv.Itoa(line), "no EIN: "+strings.Join(row, ", "))
		} else {
			l.refuse("line "+strconv.Itoa(line), cell)
		}
	})
}

// eachRow calls f for each row of a table with the line where the row begins. f
// must not keep the row.
func eachRow(text string, f func(line int, row []string)) error {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = delimiterOf(text), true, -1, true
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return badTable(err)
		}
		line, _ := r.FieldPos(0)
		f(line, row)
	}
}

// bareCell removes what spreadsheets put around a number: ="012345678" keeps the
// leading zero of an EIN.
func bareCell(cell string) string { return strings.Trim(cell, " '=\"\u00a0") }

func badTable(err error) error {
	return fault.New("bad_table", "The file is no table that we can read: %w", err).Try("save it as CSV")
}

// plainText decodes the text of a file and removes a byte order mark.
func plainText(file []byte) (string, error) {
	for _, order := range []struct {
		mark []byte
		from binary.ByteOrder
	}{{[]byte{0xff, 0xfe}, binary.LittleEndian}, {[]byte{0xfe, 0xff}, binary.BigEndian}} {
		if rest, ok := bytes.CutPrefix(file, order.mark); ok {
			units := make([]uint16, len(rest)/2)
			for i := range units {
				units[i] = order.from.Uint16(rest[2*i:])
			}
			return string(utf16.Decode(units)), nil
		}
	}
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	if bytes.IndexByte(file, 0) >= 0 {
		return "", badTable(errors.New("it is not text"))
	}
	if !utf8.Valid(file) {
		// Not UTF-8, from an old spreadsheet: names lose their accents, EINs have none.
		file = bytes.ToValidUTF8(file, []byte("?"))
	}
	return string(file), nil
}

// delimiterOf is the delimiter that occurs most often in the first line, outside
// quotes.
func delimiterOf(text string) rune {
	best, most := ',', 0
	for _, d := range []rune{',', ';', '\t', '|'} {
		n, quoted := 0, false
		for _, c := range text {
			if c == '"' {
				quoted = !quoted
			}
			if c == '\n' && !quoted {
				break
			}
			if c == d && !quoted {
				n++
			}
		}
		if n > most {
			best, most = d, n
		}
	}
	return best
}

// isEINHeader reports whether a cell is the name of a column of EINs.
func isEINHeader(cell string) bool {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, cell)
	switch name {
	case "ein", "eins", "fein", "feid", "feinnumber", "einnumber", "einno", "orgein", "organizationein", "recipientein", "granteeein", "taxid",
		"taxidnumber", "taxidno", "taxnumber",
		"federaltaxid", "federalein", "federalid", "taxidein", "eintaxid", "tin", "employerid", "employeridentificationnumber",
		"employeridentificationnumberein", "irsein":
		return true
	}
	return false
}

// columnGuess finds the column of EINs in a table by its name. Without such a name,
// it takes the column in which most cells look like EINs. A ZIP+4 code does not
// look like an EIN.
type columnGuess struct {
	first  []string
	rows   int
	counts map[int]int // cells that look like EINs, by column
}

func (g *columnGuess) add(row []string) {
	if g.rows++; g.rows == 1 {
		g.first = slices.Clone(row)
	}
	for i, cell := range row {
		if looksLikeEIN(cell) {
			g.counts[i]++
		}
	}
}

// column returns the column, or -1, and whether the first row is a header.
func (g *columnGuess) column() (column int, header bool) {
	if at := slices.IndexFunc(g.first, isEINHeader); at >= 0 {
		return at, true
	}
	column = -1
	for i, n := range g.counts {
		if column < 0 || n > g.counts[column] || n == g.counts[column] && i < column {
			column = i
		}
	}
	if column < 0 {
		return -1, false
	}
	// A first row without a digit in that column is a header.
	return column, g.rows > 1 && (column >= len(g.first) || !strings.ContainsAny(g.first[column], "0123456789"))
}

// looksLikeEIN reports whether a cell is written as an EIN: 12-3456789, or nine
// digits, of which a spreadsheet may have dropped a leading zero.
func looksLikeEIN(cell string) bool {
	cell = bareCell(cell)
	digits := strings.ReplaceAll(cell, "-", "")
	if strings.Trim(digits, "0123456789") != "" || len(digits) < 8 || len(digits) > 9 {
		return false
	}
	at := strings.IndexByte(cell, '-')
	if at < 0 {
		return true
	}
	return strings.Count(cell, "-") == 1 && len(cell)-at-1 == 7
}
