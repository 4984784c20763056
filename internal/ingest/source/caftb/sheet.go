package caftb

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"grantgraph/internal/ingest/source/rows"
)

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
