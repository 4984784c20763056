package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"grantgraph/internal/serve/sqlbox"
)

// names are the column names as rows of JSON have them.
func names(columns []sqlbox.Column) ([][]byte, error) {
	list := make([][]byte, len(columns))
	for i, c := range columns {
		var err error
		if list[i], err = json.Marshal(c.Name); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// split splits a row into its values, in the order of the columns. A row may be megabytes long, so the values are slices of the
// row. A row in another form than the worker's is parsed as JSON.
func split(row json.RawMessage, columns []sqlbox.Column, names [][]byte, into []json.RawMessage) error {
	if inPlace(row, names, into) {
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(row, &members); err != nil {
		return fmt.Errorf("a row of a result: %w", err)
	}
	for i, c := range columns {
		into[i] = members[c.Name]
	}
	return nil
}

// inPlace splits a row that has no blanks and has the named members in order.
func inPlace(row []byte, names [][]byte, into []json.RawMessage) bool {
	if len(row) == 0 || row[0] != '{' {
		return false
	}
	at := 1
	for i, name := range names {
		if i > 0 {
			if at >= len(row) || row[at] != ',' {
				return false
			}
			at++
		}
		if !bytes.HasPrefix(row[at:], name) {
			return false
		}
		if at += len(name); at >= len(row) || row[at] != ':' {
			return false
		}
		at++
		n := valueLength(row[at:])
		if n == 0 || !json.Valid(row[at:at+n]) {
			return false
		}
		into[i] = row[at : at+n]
		at += n
	}
	return at == len(row)-1 && row[at] == '}'
}

// valueLength is the length of the first value, up to the comma or bracket.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// textOf is the text of a JSON string, or at least its first most characters.
func textOf(raw json.RawMessage, most int) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if len(raw) <= most {
		return s, json.Unmarshal(raw, &s) == nil
	}
	// Take two more characters than needed, so that surrogate pairs stay together.
	end := 1
	for n := 0; n < most+2 && end < len(raw)-1; n++ {
		switch {
		case raw[end] == '\\' && raw[end+1] == 'u':
			end += 6
		case raw[end] == '\\':
			end += 2
		default:
			_, size := utf8.DecodeRune(raw[end:])
			end += size
		}
	}
	short := append(append(make([]byte, 0, end+1), raw[:min(end, len(raw)-1)]...), '"')
	return s, json.Unmarshal(short, &s) == nil
}
