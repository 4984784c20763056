package synth

import "time"

// jsonObject is one row of a table under construction. Columns stand in the order
// in which they are put.
type jsonObject struct{ b []byte }

var extracted = today

func (o *jsonObject) key(name string) {
	o.b = append(o.b, ',', '"')
	o.b = append(o.b, name...)
	o.b = append(o.b, '"', ':')
}

func (o *jsonObject) text(name string, v []byte) {
	o.key(name)
	if len(v) == 0 {
		o.b = append(o.b, "null"...)
		return
	}
	o.b = append(o.b, '"')
	for _, c := range v {
		if c == '"' || c == '\\' {
			o.b = append(o.b, '\\')
		}
		o.b = append(o.b, c)
	}
	o.b = append(o.b, '"')
}

func (o *jsonObject) word(name, v string) { o.text(name, []byte(v)) }

func (o *jsonObject) number(name string, n int64) {
	o.key(name)
	o.b = appendInt(o.b, n)
}

// money writes an amount in pounds, which has a fraction upstream.
func (o *jsonObject) money(name string, n int64) {
	o.number(name, n)
	o.b = append(o.b, ".00"...)
}

func (o *jsonObject) flag(name string, v bool) {
	o.key(name)
	if v {
		o.b = append(o.b, "true"...)
	} else {
		o.b = append(o.b, "false"...)
	}
}

func (o *jsonObject) null(names ...string) {
	for _, n := range names {
		o.key(n)
		o.b = append(o.b, "null"...)
	}
}

func (o *jsonObject) date(name string, t time.Time) {
	if t.IsZero() {
		o.null(name)
		return
	}
	o.key(name)
	o.b = t.AppendFormat(o.b, `"2006-01-02T00:00:00"`)
}
