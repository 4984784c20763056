package sqlbox

import (
	"slices"
	"strings"
)

// columnType is a parsed type, by whose parts appendValue writes the parts of a value.
type columnType struct {
	name   string
	fields []string      // of a struct or union
	inside []*columnType // fields, the items of a list, or the keys and values of a map
	count  string        // of a list: [], or [3] for a list of fixed length
}

func (t *columnType) is(name string) bool { return t != nil && t.name == name }

func (t *columnType) names() []string {
	if t == nil {
		return nil
	}
	return t.fields
}

// typeOf returns the type of a part, or nil where it is not known.
func (t *columnType) typeOf(i int) *columnType {
	if t == nil || i < 0 || i >= len(t.inside) {
		return nil
	}
	return t.inside[i]
}

// has reports whether the type or a part of it has this name.
func (t *columnType) has(name string) bool {
	return t.is(name) || t != nil && slices.ContainsFunc(t.inside, func(p *columnType) bool { return p.has(name) })
}

// write returns the type as the driver writes it, with the type of replaced by with.
func (t *columnType) write(of, with string) string {
	switch {
	case t.name == of:
		return with
	case t.name == "LIST" && len(t.inside) == 1:
		return t.inside[0].write(of, with) + t.count
	case t.inside == nil:
		return t.name
	}
	var parts []string
	for i, p := range t.inside {
		part := p.write(of, with)
		if t.fields != nil {
			part = `"` + strings.ReplaceAll(t.fields[i], `"`, `""`) + `" ` + part
		}
		parts = append(parts, part)
	}
	separator := ", "
	if t.name == "DECIMAL" {
		separator = ","
	}
	return t.name + "(" + strings.Join(parts, separator) + ")"
}

// parseColumnType reads a type as the driver writes it, such as DATE, DECIMAL(9,2) or STRUCT("a" DATE, "b" MAP(VARCHAR,
// TIME)[]), or as the engine does, which quotes a name only where it must. It returns the text after the type.
func parseColumnType(s string) (*columnType, string) {
	end := strings.IndexAny(s, "([,)")
	if end < 0 {
		end = len(s)
	}
	t := &columnType{name: s[:end]}
	switch t.name {
	case "TIMESTAMP WITH TIME ZONE":
		t.name = "TIMESTAMPTZ"
	case "TIME WITH TIME ZONE":
		t.name = "TIMETZ"
	}
	s = s[end:]
	if strings.HasPrefix(s, "(") {
		s = t.parseInside(s)
	}
	for strings.HasPrefix(s, "[") {
		count, rest, _ := strings.Cut(s, "]")
		s = rest
		t = &columnType{name: "LIST", inside: []*columnType{t}, count: count + "]"}
	}
	return t, s
}

func (t *columnType) parseInside(s string) string {
	for s != "" && s[0] != ')' {
		s = strings.TrimPrefix(s[1:], " ") // a bracket or a comma
		if strings.HasPrefix(s, `"`) {
			quoted := len(s)
			for i := 1; i < len(s); i++ {
				if s[i] != '"' {
					continue
				}
				if i+1 < len(s) && s[i+1] == '"' {
					i++
					continue
				}
				quoted = i
				break
			}
			t.fields = append(t.fields, strings.ReplaceAll(s[1:quoted], `""`, `"`))
			s = strings.TrimPrefix(s[min(quoted+1, len(s)):], " ")
		} else if t.name == "STRUCT" || t.name == "UNION" {
			var name string
			name, s, _ = strings.Cut(s, " ")
			t.fields = append(t.fields, name)
		}
		var part *columnType
		part, s = parseColumnType(s)
		t.inside = append(t.inside, part)
	}
	return strings.TrimPrefix(s, ")")
}
