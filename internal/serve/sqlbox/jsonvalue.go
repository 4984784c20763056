package sqlbox

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

type jsonWriter struct {
	plain func(v any) any // Driver.Plain
}

// appendValue writes a value of the engine as JSON. Numbers keep every digit, times are ISO 8601, bytes base64, NaN and
// infinity text. The type tells a day from a time; it is nil where the engine gives none.
func (w jsonWriter) appendValue(b []byte, v any, t *columnType) []byte {
	switch v := w.plain(v).(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int8, int16, int32, int64:
		return strconv.AppendInt(b, reflect.ValueOf(v).Int(), 10)
	case uint8, uint16, uint32, uint64:
		return strconv.AppendUint(b, reflect.ValueOf(v).Uint(), 10)
	case float32:
		return appendFloat(b, float64(v), 32)
	case float64:
		return appendFloat(b, v, 64)
	case *big.Int:
		return v.Append(b, 10)
	case Decimal:
		return append(b, v...)
	case string:
		if t.is("JSON") {
			return appendJSON(b, v)
		}
		return appendText(b, v)
	case []byte:
		if t.is("UUID") && len(v) == 16 {
			return appendText(b, fmt.Sprintf("%x-%x-%x-%x-%x", v[:4], v[4:6], v[6:8], v[8:10], v[10:]))
		}
		return appendText(b, base64.StdEncoding.EncodeToString(v))
	case time.Time:
		return appendText(b, timeText(v, t))
	case Interval:
		return appendText(b, intervalText(v))
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = w.appendValue(b, x, t.typeOf(0))
		}
		return append(b, ']')
	case map[string]any:
		return w.appendStruct(b, v, t)
	case Map:
		return w.appendMap(b, v, t)
	case Union:
		return w.appendValue(b, v.Value, t.typeOf(slices.Index(t.names(), v.Tag)))
	case fmt.Stringer:
		return appendText(b, v.String())
	}
	return appendText(b, fmt.Sprint(v))
}

// appendJSON writes JSON without parsing it: numbers keep their digits, members their order.
func appendJSON(b []byte, text string) []byte {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil { // such as NaN, which the engine accepts
		return appendText(b, text)
	}
	return append(b, compact.Bytes()...)
}

// appendStruct keeps the order of the fields.
func (w jsonWriter) appendStruct(b []byte, fields map[string]any, t *columnType) []byte {
	names := t.names()
	if names == nil {
		names = slices.Sorted(maps.Keys(fields))
	}
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = w.appendValue(b, fields[name], t.typeOf(i))
	}
	return append(b, '}')
}

func (w jsonWriter) appendMap(b []byte, m Map, t *columnType) []byte {
	b = append(b, '{')
	for i, k := range m.Keys {
		if i > 0 {
			b = append(b, ',')
		}
		key := string(w.appendValue(nil, k, t.typeOf(0)))
		if !strings.HasPrefix(key, `"`) {
			key = string(appendText(nil, key))
		}
		b = append(append(b, key...), ':')
		b = w.appendValue(b, m.Values[i], t.typeOf(1))
	}
	return append(b, '}')
}

func appendText(b []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil { // never happens for a string
		return append(b, `""`...)
	}
	return append(b, quoted...)
}

func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	case f == math.Trunc(f) && math.Abs(f) < 1e15:
		return strconv.AppendFloat(b, f, 'f', -1, bits)
	}
	return strconv.AppendFloat(b, f, 'g', -1, bits)
}

// timeText writes a day, a time of day, or both. The engine stores an infinite day or time as its largest or smallest number.
func timeText(v time.Time, t *columnType) string {
	v = v.UTC()
	layout := "2006-01-02T15:04:05.999999999"
	var stored, infinite int64 // infinite is zero for a type that has no infinity
	switch {
	case t.is("DATE"):
		layout, stored, infinite = "2006-01-02", v.Unix()/86400, math.MaxInt32
	case t.is("TIME"):
		layout = "15:04:05.999999"
	case t.is("TIMETZ"):
		layout = "15:04:05.999999Z"
	case t.is("TIMESTAMP"):
		stored, infinite = v.UnixMicro(), math.MaxInt64
	case t.is("TIMESTAMP_S"):
		stored, infinite = v.Unix(), math.MaxInt64
	case t.is("TIMESTAMP_MS"):
		stored, infinite = v.UnixMilli(), math.MaxInt64
	case t.is("TIMESTAMP_NS"):
		stored, infinite = v.UnixNano(), math.MaxInt64
	case t.is("TIMESTAMPTZ"):
		layout, stored, infinite = layout+"Z", v.UnixMicro(), math.MaxInt64
	}
	switch {
	case infinite != 0 && stored == infinite:
		return "infinity"
	case infinite != 0 && stored == -infinite:
		return "-infinity"
	}
	return v.Format(layout)
}

func intervalText(i Interval) string {
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
