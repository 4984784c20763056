package sqlbox

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// appendValue writes a value of the engine as JSON. Numbers keep every digit,
// days and times are ISO 8601, bytes are base64, lists and structs are arrays
// and objects. What JSON has no number for (NaN, infinity) is text. typ is the
// column's type, which tells a day from a time.
func appendValue(b []byte, v any, typ string) []byte {
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
		return appendText(b, v)
	case []byte:
		if strings.HasPrefix(typ, "UUID") && len(v) == 16 {
			var u duckdb.UUID
			copy(u[:], v)
			return appendText(b, u.String())
		}
		return appendText(b, base64.StdEncoding.EncodeToString(v))
	case duckdb.UUID:
		return appendText(b, v.String())
	case time.Time:
		return appendText(b, moment(v, typ))
	case duckdb.Interval:
		return appendText(b, span(v))
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, x, typ)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for i, k := range sortedKeys(v) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendText(b, k), ':')
			b = appendValue(b, v[k], typ)
		}
		return append(b, '}')
	case duckdb.OrderedMap:
		return appendMap(b, &v, typ)
	case *duckdb.OrderedMap:
		return appendMap(b, v, typ)
	case duckdb.Union:
		return appendValue(b, v.Value, typ)
	case fmt.Stringer:
		return appendText(b, v.String())
	}
	return appendText(b, fmt.Sprint(v))
}

func appendMap(b []byte, m *duckdb.OrderedMap, typ string) []byte {
	b = append(b, '{')
	values := m.Values()
	for i, k := range m.Keys() {
		if i > 0 {
			b = append(b, ',')
		}
		key := string(appendValue(nil, k, typ))
		if !strings.HasPrefix(key, `"`) {
			key = string(appendText(nil, key))
		}
		b = append(append(b, key...), ':')
		b = appendValue(b, values[i], typ)
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

// moment is a day, a time of day or both. In a nested type the first word of
// the kind decides.
func moment(t time.Time, typ string) string {
	stamp, day, clock := strings.Index(typ, "TIMESTAMP"), strings.Index(typ, "DATE"), strings.Index(typ, "TIME")
	switch {
	case day >= 0 && (clock < 0 || day < clock):
		return t.UTC().Format("2006-01-02")
	case stamp >= 0 && strings.Contains(typ, "TIMESTAMP WITH TIME ZONE"), strings.Contains(typ, "TIMESTAMPTZ"):
		return t.UTC().Format("2006-01-02T15:04:05.999999999Z")
	case stamp < 0 && clock >= 0:
		return t.UTC().Format("15:04:05.999999")
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999999")
}

// span is an interval in ISO 8601.
func span(i duckdb.Interval) string {
	s := strconv.FormatFloat(float64(i.Micros)/1e6, 'f', -1, 64)
	return fmt.Sprintf("P%dM%dDT%sS", i.Months, i.Days, s)
}
