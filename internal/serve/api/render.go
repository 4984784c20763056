package api

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// contentTypes of the formats.
var contentTypes = map[string]string{
	"json":   "application/json; charset=utf-8",
	"xml":    "application/xml; charset=utf-8",
	"csv":    "text/csv; charset=utf-8",
	"ndjson": "application/x-ndjson; charset=utf-8",
}

// answer writes a success into the reply, in the format of the call.
func (r *reply) answer(c *Call, a Answer) error {
	if names := a.service().Unsupported; len(names) > 0 {
		r.header.Set("X-Service-Unsupported", headerNames(names))
	}
	r.status = http.StatusOK
	if c.format == "json" || c.format == "xml" {
		return r.encode(c.format, a)
	}
	rows, hits, next := a.(Tabular).Table()
	if list := a.service().Warnings; len(list) > 0 {
		r.header.Set("X-Service-Warnings", headerWarnings(list))
	}
	if hits != nil {
		r.header.Set("X-Service-Hits", strconv.FormatInt(*hits, 10))
	}
	if next != nil {
		r.header.Set("X-Next-Cursor", *next)
	}
	r.header.Set("Content-Type", contentTypes[c.format])
	b := r.buffer()
	var err error
	if c.format == "csv" {
		r.header.Set("Content-Disposition", `attachment; filename="`+fileName(c.op, a.service().Unsupported)+`"`)
		if own, ok := a.(ownCSV); ok {
			err = own.WriteCSV(b)
		} else {
			err = writeCSV(b, rows, c.Fields, reflect.TypeOf(c.op.Response))
		}
	} else {
		err = writeNDJSON(b, rows)
	}
	r.body = b.Bytes()
	return err
}

// encoder writes JSON as it is meant to be read: < and & need no escape outside
// of a page.
func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// encode writes a body as JSON or XML.
func (r *reply) encode(format string, body any) error {
	b := r.buffer()
	if err := encoder(b).Encode(body); err != nil {
		return err
	}
	r.body = b.Bytes()
	if format == "xml" {
		x := buffers.Get().(*bytes.Buffer)
		x.Reset()
		if err := writeXML(x, r.body); err != nil {
			return err
		}
		r.replace(x)
	} else {
		format = "json"
	}
	r.header.Set("Content-Type", contentTypes[format])
	return nil
}

// buffers are reused between answers. Very large ones are left to the garbage
// collector.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const mostKept = 4 << 20

// buffer is an empty buffer for the body, which release gives back.
func (r *reply) buffer() *bytes.Buffer {
	if r.buf == nil {
		r.buf = buffers.Get().(*bytes.Buffer)
	}
	r.buf.Reset()
	return r.buf
}

// replace makes another buffer the body, and gives the one before back.
func (r *reply) replace(b *bytes.Buffer) {
	if r.buf != nil && r.buf.Cap() <= mostKept {
		buffers.Put(r.buf)
	}
	r.buf, r.body = b, nil
	if b != nil {
		r.body = b.Bytes()
	}
}

// size is how many bytes the answer keeps while it is written.
func (r *reply) size() int64 {
	if r.buf != nil {
		return baseWeight + int64(r.buf.Cap())
	}
	return baseWeight
}

// release gives the buffer and the memory back; the body is gone after it.
func (r *reply) release() {
	r.replace(nil)
	r.hold.Release()
}

// write sends the reply, for as long as the client reads it.
func (r *reply) write(w http.ResponseWriter, req *http.Request, patience time.Duration) {
	h := w.Header()
	for name, values := range r.header {
		h[name] = values
	}
	if r.status == http.StatusNotModified {
		w.WriteHeader(r.status)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(r.body)))
	if req.Method == http.MethodHead {
		w.WriteHeader(r.status)
		return
	}
	began, connection := time.Now(), http.NewResponseController(w)
	for at := 0; ; at += piece {
		_ = connection.SetWriteDeadline(deadline(began, time.Now(), at, patience)) // a recorder has none
		if at == 0 {
			w.WriteHeader(r.status)
		}
		if at >= len(r.body) {
			return
		}
		if _, err := w.Write(r.body[at:min(at+piece, len(r.body))]); err != nil {
			return
		}
	}
}

// An answer is written in pieces of so many bytes, and a client is expected to
// read so many in a second.
const (
	piece = 64 << 10
	pace  = 64 << 10
)

// deadline is when the next piece must be taken by the client, after so many
// bytes. What it leaves unread is held in memory for it, so it may pause for as
// long as patience lasts, and fall as far behind the pace; no further.
func deadline(began, now time.Time, written int, patience time.Duration) time.Time {
	late := began.Add(patience + time.Duration(written)*time.Second/pace)
	if pause := now.Add(patience); pause.Before(late) {
		return pause
	}
	return late
}

// mediaTypes are the names under which clients ask for a format.
var mediaTypes = map[string][]string{
	"json":   {"application/json", "text/json"},
	"xml":    {"application/xml", "text/xml"},
	"csv":    {"text/csv", "application/csv"},
	"ndjson": {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"},
}

// accepted reads the header Accept: the format that it prefers among those an
// operation has, and the first of them, JSON, where it prefers none or accepts
// none, because an answer in another format is worth more than a refusal. A
// header that asks for HTML is a browser's, which would get XML without anybody
// having asked for it.
func accepted(h http.Header, formats []string) string {
	best, bestQ, bestFit := formats[0], 0.0, 0
	ranges := items(h, "Accept")
	for i := range ranges {
		name, _, _ := strings.Cut(ranges[i], ";")
		if strings.EqualFold(strings.TrimSpace(name), "text/html") {
			return formats[0]
		}
	}
	// Between formats that are as welcome, one that was named goes before one
	// that is merely included, and then the one that was named first.
	for at, item := range ranges {
		name, rest, _ := strings.Cut(item, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		for _, f := range formats {
			fit := fits(name, f)
			if fit == 0 || fit < closest(ranges, f) {
				continue // another member says more exactly what holds for this format
			}
			if q := quality(rest); q > bestQ || q == bestQ && q > 0 && fit > bestFit {
				best, bestQ, bestFit = f, q, fit
			}
		}
		if at >= 50 {
			break
		}
	}
	return best
}

// fits says how exactly a media range names a format: 3 by its name, 2 by its
// type, 1 as anything, 0 not at all.
func fits(name, format string) int {
	switch {
	case slices.Contains(mediaTypes[format], name):
		return 3
	case name == "*/*" || name == "*":
		return 1
	}
	if kind, ok := strings.CutSuffix(name, "/*"); ok && strings.HasPrefix(mediaTypes[format][0], kind+"/") {
		return 2
	}
	return 0
}

// closest is the best fit of a format among the members of a header.
func closest(ranges []string, format string) (fit int) {
	for _, item := range ranges[:min(len(ranges), 50)] {
		name, _, _ := strings.Cut(item, ";")
		fit = max(fit, fits(strings.ToLower(strings.TrimSpace(name)), format))
	}
	return fit
}

// quality is the weight among the parameters of a member of a header.
func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		if q, ok := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(p, " ", "")), "q="); ok {
			if v, err := strconv.ParseFloat(q, 64); err == nil && v >= 0 && v <= 1 {
				return v
			}
		}
	}
	return 1
}

// fileName is the name under which rows are saved. In a file nothing else says
// that a filter did not run, so its name does.
func fileName(op *Operation, notApplied []string) string {
	const most = 3 // names that are told
	name := safeName(strings.ReplaceAll(strings.Trim(op.Path, "/"), "/", "-"))
	if len(notApplied) > 0 {
		name += "-not-applied"
	}
	for i, n := range notApplied {
		if i == most {
			name += "-and-more"
			break
		}
		name += "-" + safeName(n)
	}
	return name + ".csv"
}

// safeName is a name, which a client may have made up, fit for that of a file.
func safeName(s string) string {
	const most = 40
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return -1
	}, s)
	if s = strings.Trim(s[:min(len(s), most)], "-_"); s == "" {
		return "parameter"
	}
	return s
}

// column is one field of a row type.
type column struct {
	name  string
	index []int
	nest  []column // of a nested object
}

// columnsOf lists the fields of a struct in the order of the wire.
func columnsOf(t reflect.Type) []column {
	if c, ok := columnCache.Load(t); ok {
		return c.([]column)
	}
	var list []column
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		c := column{name: name, index: f.Index}
		if f.Type.Kind() == reflect.Struct {
			c.nest = columnsOf(f.Type)
		}
		list = append(list, c)
	}
	columnCache.Store(t, list)
	return list
}

var columnCache sync.Map

// ColumnNames lists the names of the columns of a row.
func ColumnNames(row any) []string {
	var names []string
	for _, c := range columnsOf(reflect.TypeOf(row)) {
		names = append(names, c.name)
	}
	return names
}

// chosen lists the columns of a row type that were asked for, in the order
// asked; no fields means all.
func chosen(t reflect.Type, fields []string) []column {
	all := columnsOf(t)
	if len(fields) == 0 {
		return all
	}
	list := make([]column, 0, len(fields))
	for _, name := range fields {
		if i := slices.IndexFunc(all, func(c column) bool { return c.name == name }); i >= 0 {
			list = append(list, all[i])
		}
	}
	return list
}

// picked is a row of which only some columns are written.
type picked struct {
	row    any // pointer to a struct
	fields []string
}

// MarshalJSON writes the chosen columns in the order asked, each as it is
// written in a whole row.
func (p picked) MarshalJSON() ([]byte, error) {
	v := reflect.ValueOf(p.row).Elem()
	var b bytes.Buffer
	enc := encoder(&b)
	b.WriteByte('{')
	for i, c := range chosen(v.Type(), p.fields) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(c.name) + ":")
		if err := enc.Encode(v.FieldByIndex(c.index).Interface()); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// writeNDJSON writes one JSON object per line.
func writeNDJSON(w io.Writer, rows any) error {
	enc := encoder(w)
	v := reflect.ValueOf(rows)
	for i := range v.Len() {
		if err := enc.Encode(v.Index(i).Interface()); err != nil {
			return err
		}
	}
	return nil
}

// writeCSV writes a header and one record per row. Nested objects become
// columns with a dot in their name, lists are joined by semicolons, null is
// empty. The type of the rows comes from the answer's type where there are no
// rows to look at.
func writeCSV(w io.Writer, rows any, fields []string, answerType reflect.Type) error {
	list := reflect.ValueOf(rows)
	t := list.Type().Elem()
	if t == reflect.TypeFor[picked]() {
		f, ok := answerType.FieldByName("Results")
		if !ok {
			return fmt.Errorf("%s has no rows", answerType)
		}
		t = f.Type.Elem()
	}
	columns := chosen(t, fields)
	out := csv.NewWriter(w)
	record := headings(nil, columns, "")
	if err := out.Write(record); err != nil {
		return err
	}
	for i := range list.Len() {
		v := list.Index(i)
		if p, ok := v.Interface().(picked); ok {
			v = reflect.ValueOf(p.row).Elem()
		}
		record = cells(record[:0], v, columns)
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func headings(names []string, columns []column, prefix string) []string {
	for _, c := range columns {
		if c.nest != nil {
			names = headings(names, c.nest, prefix+c.name+".")
		} else {
			names = append(names, prefix+c.name)
		}
	}
	return names
}

func cells(record []string, row reflect.Value, columns []column) []string {
	for _, c := range columns {
		v := row.FieldByIndex(c.index)
		if c.nest != nil {
			record = cells(record, v, c.nest)
		} else {
			record = append(record, cell(v))
		}
	}
	return record
}

// Harmless is a text as CSV has it. One that a spreadsheet would take for a
// formula gets an apostrophe in front: purposes and names come from filings,
// and nobody should be made to run one.
func Harmless(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r\n", s[0]) >= 0 {
		return "'" + s
	}
	return s
}

// cell is a value as CSV has it.
func cell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return cell(v.Elem())
	case reflect.String:
		return Harmless(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = cell(v.Index(i))
		}
		return strings.Join(parts, ";")
	}
	return fmt.Sprint(v.Interface())
}

// writeXML writes a JSON document as XML: an element per member in the same
// order, item elements in lists, and nil="true" for null.
func writeXML(w *bytes.Buffer, doc []byte) error {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	w.WriteString(xml.Header)
	if err := element(w, dec, "response"); err != nil {
		return err
	}
	w.WriteByte('\n')
	return nil
}

func element(w *bytes.Buffer, dec *json.Decoder, name string) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	if token == nil {
		w.WriteString("<" + name + ` nil="true"/>`)
		return nil
	}
	w.WriteString("<" + name + ">")
	switch t := token.(type) {
	case json.Delim:
		for dec.More() {
			child := "item"
			if t == '{' {
				key, err := dec.Token()
				if err != nil {
					return err
				}
				child = fmt.Sprint(key)
			}
			if err := element(w, dec, child); err != nil {
				return err
			}
		}
		if _, err := dec.Token(); err != nil {
			return err
		}
	case string:
		if err := xml.EscapeText(w, []byte(t)); err != nil {
			return err
		}
	default:
		fmt.Fprint(w, t)
	}
	w.WriteString("</" + name + ">")
	return nil
}
