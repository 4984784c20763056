package table

import (
	"strings"
	"unicode"
)

// Harmless returns a cell of a CSV file that no spreadsheet runs as a formula: names and purposes come from filings and lists,
// which anybody may write. A cell that begins like a formula, after any spaces and quotes, gets an apostrophe in front. So does
// text after a semicolon, a tab or a line break, which some spreadsheets take for the end of a cell.
func Harmless(cell string) string {
	var out strings.Builder
	begin, blank, from := 0, true, 0 // of the cell; nothing visible so far; what out has
	for i, r := range cell {
		switch r {
		case '\t', '\r', '\n':
			if i == 0 {
				out.WriteByte('\'')
			}
			begin, blank = i+1, true
		case ';':
			begin, blank = i+1, true
		case '=', '+', '-', '@', '＝', '＋', '－', '＠':
			if blank {
				out.WriteString(cell[from:begin] + "'")
				from, blank = begin, false
			}
		default:
			blank = blank && (r == '"' || unicode.IsSpace(r) || !unicode.IsGraphic(r))
		}
	}
	return out.String() + cell[from:]
}
