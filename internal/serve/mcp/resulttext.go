package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"grantgraph/internal/each"
	"grantgraph/internal/serve/api"
)

// text writes a result as text: a line for each figure, then each table.
func text(o api.Ordered) string {
	var b strings.Builder
	lines(&b, "", o)
	return strings.TrimRight(b.String(), "\n")
}

func lines(b *strings.Builder, prefix string, o api.Ordered) {
	for _, m := range o {
		name := prefix + m.Name
		switch v := m.Value.(type) {
		case api.Ordered:
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
				cells := each.Of(row, func(c any) string { return strings.ReplaceAll(cell(c), "|", "/") })
				b.WriteString(strings.Join(cells, " | ") + "\n")
			}
			b.WriteByte('\n')
		default:
			notes, ok := v.([]any)
			if !ok || m.Name != "notes" {
				b.WriteString(name + ": " + cell(v) + "\n")
				continue
			}
			for _, note := range notes {
				b.WriteString("Note: " + cell(note) + "\n")
			}
		}
	}
}

// cell writes a value on one line; an unknown one is null, as in the structured form.
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
			case api.Ordered, []any:
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

// oneLine removes line breaks and invisible characters from a text of strangers.
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
