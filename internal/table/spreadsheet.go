package table

import "strings"

// Harmless returns a cell of a CSV file that no spreadsheet runs as a formula: names and
// purposes come from filings and lists, which anybody may write. A cell that begins like a
// formula gets an apostrophe in front. So does text after a semicolon, a tab or a line break,
// which some spreadsheets take for the end of a cell.
func Harmless(cell string) string {
	var out []byte
	from := 0
	for i := range len(cell) {
		switch c := cell[i]; {
		case strings.IndexByte("=+-@", c) >= 0 && (i == 0 || strings.IndexByte(";\t\r\n", cell[i-1]) >= 0), i == 0 && strings.IndexByte("\t\r\n", c) >= 0:
			out = append(append(out, cell[from:i]...), '\'')
			from = i
		}
	}
	if out == nil {
		return cell
	}
	return string(append(out, cell[from:]...))
}
