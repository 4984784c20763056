package sqlbox

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// appendValue writes a value of the engine as JSON. Numbers keep every digit,
// days and times are ISO 8601, bytes are base64, lists and structs are arrays
// and objects. What JSON has no number for (NaN, infinity) is text. The type
// tells a day from a time; it is nil where the engine has none, as inside JSON.
func appendValue(b []byte, v any, t *shape) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int8:
		return strconv.AppendInt(b, int64(v), 10)
	case int16:
		return strconv.AppendInt(b, int64(v), 10)
	case int32:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case uint8:
		return strconv.AppendUint(b, uint64(v), 10)
	case uint16:
		return strconv.AppendUint(b, uint64(v), 10)
	case uint32:
		return strconv.AppendUint(b, uint64(v), 10)
	case uint64:
		return strconv.AppendUint(b, v, 10)
	case float32:
		return appendFloat(b, float64(v), 32)
	case float64:
		return appendFloat(b, v, 64)
	case *big.Int:
		return v.Append(b, 10)
	case duckdb.Decimal:
		return append(b, v.String()...)
	case string:
		if t.is("JSON") {
			return appendJSON(b, v)
		}
		return appendText(b, v)
	case []byte:
		if t.is("UUID") && len(v) == 16 {
			var u duckdb.UUID
			copy(u[:], v)
			return appendText(b, u.String())
		}
		return appendText(b, base64.StdEncoding.EncodeToString(v))
	case duckdb.UUID:
		return appendText(b, v.String())
	case time.Time:
		return appendText(b, moment(v, t))
	case duckdb.Interval:
		return appendText(b, span(v))
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, x, t.inner(0))
		}
		return append(b, ']')
	case map[string]any:
		return appendStruct(b, v, t)
	case duckdb.OrderedMap:
		return appendMap(b, &v, t)
	case *duckdb.OrderedMap:
		return appendMap(b, v, t)
	case duckdb.Union:
		return appendValue(b, v.Value, t.inner(slices.Index(t.names(), v.Tag)))
	case fmt.Stringer:
		return appendText(b, v.String())
	}
	return appendText(b, fmt.Sprint(v))
}

// appendJSON writes a text of JSON as it is, so that its numbers keep their
// digits and its members their order.
func appendJSON(b []byte, text string) []byte {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil { // as with a NaN, which the engine lets in
		return appendText(b, text)
	}
	return append(b, compact.Bytes()...)
}

// appendStruct keeps the order of the fields.
func appendStruct(b []byte, fields map[string]any, t *shape) []byte {
	names := t.names()
	if names == nil {
		names = sortedKeys(fields)
	}
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = appendValue(b, fields[name], t.inner(i))
	}
	return append(b, '}')
}

func appendMap(b []byte, m *duckdb.OrderedMap, t *shape) []byte {
	b = append(b, '{')
	values := m.Values()
	for i, k := range m.Keys() {
		if i > 0 {
			b = append(b, ',')
		}
		key := string(appendValue(nil, k, t.inner(0)))
		if !strings.HasPrefix(key, `"`) {
			key = string(appendText(nil, key))
		}
		b = append(append(b, key...), ':')
		b = appendValue(b, values[i], t.inner(1))
	}
	return append(b, '}')
}

func appendText(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil { // a string always can be
		return append(b, `""`...)
	}
	return append(b, quoted...)
}

func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 0):
		return append(b, map[bool]string{true: `"Infinity"`, false: `"-Infinity"`}[f > 0]...)
	case f == math.Trunc(f) && math.Abs(f) < 1e15:
		return strconv.AppendFloat(b, f, 'f', -1, bits)
	}
	return strconv.AppendFloat(b, f, 'g', -1, bits)
}

// moment is a day, a time of day or both. The engine's days and times without
// end are its largest and smallest numbers.
func moment(v time.Time, t *shape) string {
	v = v.UTC()
	endless := 0
	layout := "2006-01-02T15:04:05.999999999"
	switch {
	case t.is("DATE"):
		layout, endless = "2006-01-02", edge(v.Unix()/86400, math.MaxInt32)
	case t.is("TIME"):
		layout = "15:04:05.999999"
	case t.is("TIMETZ"):
		layout = "15:04:05.999999Z"
	case t.is("TIMESTAMP"):
		endless = edge(v.UnixMicro(), math.MaxInt64)
	case t.is("TIMESTAMP_S"):
		endless = edge(v.Unix(), math.MaxInt64)
	case t.is("TIMESTAMP_MS"):
		endless = edge(v.UnixMilli(), math.MaxInt64)
	case t.is("TIMESTAMP_NS"):
		endless = edge(v.UnixNano(), math.MaxInt64)
	case t.is("TIMESTAMPTZ"):
		layout, endless = layout+"Z", edge(v.UnixMicro(), math.MaxInt64)
	}
	switch endless {
	case 1:
		return "infinity"
	case -1:
		return "-infinity"
	}
	return v.Format(layout)
}

// edge is 1 at the largest number, -1 at the smallest and otherwise 0.
func edge(n, most int64) int {
	switch n {
	case most:
		return 1
	case -most:
		return -1
	}
	return 0
}

// span is an interval in ISO 8601.
func span(i duckdb.Interval) string {
	sign, micros := "", uint64(i.Micros)
	if i.Micros < 0 {
		sign, micros = "-", -micros
	}
	s := fmt.Sprintf("%s%d", sign, micros/1e6)
	if part := micros % 1e6; part > 0 {
		s += strings.TrimRight(fmt.Sprintf(".%06d", part), "0")
	}
	return fmt.Sprintf("P%dM%dDT%sS", i.Months, i.Days, s)
}

// shape is a type of the engine taken apart, so that what lies inside a value
// is written by its own type.
type shape struct {
	name   string
	fields []string // of a struct or union
	parts  []*shape // fields, the items of a list, or the keys and values of a map
	count  string   // of a list: [], or [3] when there are always as many
}

func (t *shape) is(name string) bool { return t != nil && t.name == name }

func (t *shape) names() []string {
	if t == nil {
		return nil
	}
	return t.fields
}

// inner is the type of a part, or nil where it is not known.
func (t *shape) inner(i int) *shape {
	if t == nil || i < 0 || i >= len(t.parts) {
		return nil
	}
	return t.parts[i]
}

// has says whether a type of this name is in it.
func (t *shape) has(name string) bool {
	return t.is(name) || t != nil && slices.ContainsFunc(t.parts, func(p *shape) bool { return p.has(name) })
}

// write is the type as the driver writes it, with another in the place of one
// of its parts.
func (t *shape) write(of, with string) string {
	switch {
	case t.name == of:
		return with
	case t.name == "LIST" && len(t.parts) == 1:
		return t.parts[0].write(of, with) + t.count
	case t.parts == nil:
		return t.name
	}
	var parts []string
	for i, p := range t.parts {
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

// readShape reads a type as the driver writes it: DATE, DECIMAL(9,2),
// STRUCT("a" DATE, "b" MAP(VARCHAR, TIME)[]); and as the engine does, which
// quotes a name only where it must. It returns what follows the type.
func readShape(s string) (*shape, string) {
	end := strings.IndexAny(s, "([,)")
	if end < 0 {
		end = len(s)
	}
	t := &shape{name: s[:end]}
	switch t.name {
	case "TIMESTAMP WITH TIME ZONE":
		t.name = "TIMESTAMPTZ"
	case "TIME WITH TIME ZONE":
		t.name = "TIMETZ"
	}
	s = s[end:]
	if strings.HasPrefix(s, "(") {
		s = t.readParts(s)
	}
	for strings.HasPrefix(s, "[") {
		count, rest, _ := strings.Cut(s, "]")
		s = rest
		t = &shape{name: "LIST", parts: []*shape{t}, count: count + "]"}
	}
	return t, s
}

func (t *shape) readParts(s string) string {
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
		var part *shape
		part, s = readShape(s)
		t.parts = append(t.parts, part)
	}
	return strings.TrimPrefix(s, ")")
}
