package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"grantgraph/client"
	"grantgraph/internal/serve/api/query"
	"grantgraph/internal/serve/site/sheet"
	"grantgraph/internal/serve/sqlbox"
)

// CSV writes the whole result as the API does, with a byte order mark, so that spreadsheets read it as UTF-8.
func CSV(w io.Writer, found *sqlbox.Result) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	a := &query.SQLAnswer{}
	a.Rows = found.Rows
	for _, c := range found.Columns {
		a.Columns = append(a.Columns, client.SQLResultColumn{Name: c.Name, Type: c.Type})
	}
	return a.WriteCSV(w)
}

// Workbook writes the whole result as a workbook. Numbers that a spreadsheet can
// hold exactly are numbers, and everything else is text.
func Workbook(w io.Writer, found *sqlbox.Result, foreign bool) error {
	b := sheet.New(w)
	columns := make([]Column, len(found.Columns))
	heads := make([]sheet.Column, len(columns))
	for i, c := range found.Columns {
		columns[i] = newColumn(c, foreign)
		heads[i] = sheet.Column{Name: c.Name, Dollars: columns[i].kind == dollars}
	}
	_ = b.Sheet("Result", heads) // Close returns the first error
	written, err := names(found.Columns)
	if err != nil {
		return err
	}
	values, cells := make([]json.RawMessage, len(columns)), make([]any, len(columns))
	for _, row := range found.Rows {
		if err := split(row, found.Columns, written, values); err != nil {
			return err
		}
		for i, raw := range values {
			cells[i] = inSheet(raw)
		}
		if err := b.Row(cells); err != nil {
			return err
		}
	}
	return b.Close()
}

// exactInSheet is the largest whole number that a spreadsheet does not round.
const exactInSheet = 1e15

func inSheet(raw json.RawMessage) any {
	if isNull(raw) {
		return nil
	}
	if s, ok := textOf(raw, len(raw)); ok {
		return s
	}
	switch s := string(raw); {
	case s == "true" || s == "false":
		return s == "true"
	case isNumber(raw):
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			if n > -exactInSheet && n < exactInSheet {
				return n
			}
		} else if f, err := strconv.ParseFloat(s, 64); err == nil && f > -exactInSheet && f < exactInSheet {
			return f
		}
	}
	return string(raw)
}

// carried is the result as CSV, if it is short enough to be put into the page.
func carried(found *sqlbox.Result) ([]byte, bool) {
	whole := 0
	for _, row := range found.Rows {
		whole += len(row)
	}
	if whole > 8*mostFile { // JSON is rarely that much longer than CSV
		return nil, false
	}
	short := &bounded{most: mostFile}
	if err := CSV(short, found); err != nil {
		return nil, false
	}
	return short.Bytes(), true
}

// bounded is a buffer with a size limit.
type bounded struct {
	bytes.Buffer
	most int
}

var errLong = errors.New("more than there is room for")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		return 0, errLong
	}
	return b.Buffer.Write(p)
}
