package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// text writes a result for clients that show a model only text: a line for each
// figure, then each table with a line for each row.
func text(o object) string {
	var b strings.Builder
	lines(&b, "", o)
	return strings.TrimRight(b.String(), "\n")
}

func lines(b *strings.Builder, prefix string, o object) {
	for _, m := range o {
		name := prefix + m.name
		switch v := m.value.(type) {
		case object:
			lines(b, name+".", v)
		case *table:
			fmt.Fprintf(b, "\n%s (%d rows", name, len(v.rows))
			if v.left > 0 {
				fmt.Fprintf(b, ", %d left out", v.left)
			}
			b.WriteString(")\n")
			if len(v.rows) == 0 {
				continue
			}
			b.WriteString(strings.Join(v.columns, " | ") + "\n")
			for _, row := range v.rows {
				cells := make([]string, len(row))
				for i, c := range row {
					cells[i] = strings.ReplaceAll(cell(c), "|", "/")
				}
				b.WriteString(strings.Join(cells, " | ") + "\n")
			}
			b.WriteByte('\n')
		case []any:
			if m.name == "notes" {
				for _, note := range v {
					b.WriteString("Note: " + cell(note) + "\n")
				}
				continue
			}
			b.WriteString(name + ": " + cell(v) + "\n")
		default:
			b.WriteString(name + ": " + cell(v) + "\n")
		}
	}
}

// cell writes a value on one line. An unknown value is null, as in the structured
// form.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return oneLine(v)
	case json.Number:
		return v.String()
	case []any:
		scalar := true
		parts := make([]string, len(v))
		for i := range v {
			switch v[i].(type) {
			case object, []any:
				scalar = false
			}
			parts[i] = cell(v[i])
		}
		if scalar {
			return strings.Join(parts, "; ")
		}
	}
	return oneLine(string(encoded(v)))
}

// oneLine removes line breaks and invisible characters from a text that strangers
// wrote.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsGraphic(r):
			return r
		}
		return -1
	}, s)), " ")
}
