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
func appendValue(b []byte, v any, t *columnType) []byte {
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
		return appendText(b, timeText(v, t))
	case duckdb.Interval:
		return appendText(b, intervalText(v))
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, x, t.typeOf(0))
		}
		return append(b, ']')
	case map[string]any:
		return appendStruct(b, v, t)
	case duckdb.OrderedMap:
		return appendMap(b, &v, t)
	case *duckdb.OrderedMap:
		return appendMap(b, v, t)
	case duckdb.Union:
		return appendValue(b, v.Value, t.typeOf(slices.Index(t.names(), v.Tag)))
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
func appendStruct(b []byte, fields map[string]any, t *columnType) []byte {
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
		b = appendValue(b, fields[name], t.typeOf(i))
	}
	return append(b, '}')
}

func appendMap(b []byte, m *duckdb.OrderedMap, t *columnType) []byte {
	b = append(b, '{')
	values := m.Values()
	for i, k := range m.Keys() {
		if i > 0 {
			b = append(b, ',')
		}
		key := string(appendValue(nil, k, t.typeOf(0)))
		if !strings.HasPrefix(key, `"`) {
			key = string(appendText(nil, key))
		}
		b = append(append(b, key...), ':')
		b = appendValue(b, values[i], t.typeOf(1))
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

// timeText is a day, a time of day or both. The engine's days and times without
// end are its largest and smallest numbers.
func timeText(v time.Time, t *columnType) string {
	v = v.UTC()
	endless := 0
	layout := "2006-01-02T15:04:05.999999999"
	switch {
	case t.is("DATE"):
		layout, endless = "2006-01-02", endlessness(v.Unix()/86400, math.MaxInt32)
	case t.is("TIME"):
		layout = "15:04:05.999999"
	case t.is("TIMETZ"):
		layout = "15:04:05.999999Z"
	case t.is("TIMESTAMP"):
		endless = endlessness(v.UnixMicro(), math.MaxInt64)
	case t.is("TIMESTAMP_S"):
		endless = endlessness(v.Unix(), math.MaxInt64)
	case t.is("TIMESTAMP_MS"):
		endless = endlessness(v.UnixMilli(), math.MaxInt64)
	case t.is("TIMESTAMP_NS"):
		endless = endlessness(v.UnixNano(), math.MaxInt64)
	case t.is("TIMESTAMPTZ"):
		layout, endless = layout+"Z", endlessness(v.UnixMicro(), math.MaxInt64)
	}
	switch endless {
	case 1:
		return "infinity"
	case -1:
		return "-infinity"
	}
	return v.Format(layout)
}

// endlessness is 1 at the largest number, -1 at the smallest and otherwise 0.
func endlessness(n, most int64) int {
	switch n {
	case most:
		return 1
	case -most:
		return -1
	}
	return 0
}

// intervalText is an interval in ISO 8601.
func intervalText(i duckdb.Interval) string {
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
