package api

import (
	"bytes"
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

	"grantgraph/client"
	"grantgraph/internal/serve/compress"
)

var contentTypes = map[string]string{
	"json":      "application/json; charset=utf-8",
	"xml":       "application/xml; charset=utf-8",
	"csv":       "text/csv; charset=utf-8",
	"ndjson":    "application/x-ndjson; charset=utf-8",
	"pdf":       "application/pdf",
	"360giving": "application/vnd.360giving+json",
	"zip":       "application/zip",
}

func (r *reply) render(c *Call, a client.Answer) error {
	if names := a.Extension().Unsupported; len(names) > 0 {
		r.header.Set("X-Service-Unsupported", headerNames(names))
	}
	r.status = http.StatusOK
	r.linkNext(c, a)
	if c.format == "json" || c.format == "xml" {
		return r.encode(c.format, a)
	}
	if list := a.Extension().Warnings; len(list) > 0 {
		r.header.Set("X-Service-Warnings", headerWarnings(list))
	}
	if file, ok := a.(Document); ok {
		name, body := file.File()
		r.header.Set("Content-Type", contentTypes[c.format])
		r.header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
		b := r.buffer()
		b.Write(body)
		r.body = b.Bytes()
		return nil
	}
	rows, hits, next := a.(Tabular).Table()
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
		r.header.Set("Content-Disposition", `attachment; filename="`+fileName(c.op, a.Extension().Unsupported)+`"`)
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

// longestLinked is the query that the address of the next page may have: proxies refuse long headers.
const longestLinked = 2 << 10

// linkNext names the next page in a header, for clients that follow links (RFC 8288).
func (r *reply) linkNext(c *Call, a client.Answer) {
	list, ok := a.(interface{ Next() *string })
	if !ok || c.Request == nil || c.Request.Method != http.MethodGet {
		return
	}
	if next := list.Next(); next != nil && len(c.Request.URL.RawQuery) < longestLinked {
		values := c.Request.URL.Query()
		values.Del("page")
		values.Set("cursor", *next)
		r.header.Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next", %s`, c.Base, c.Request.URL.EscapedPath(), values.Encode(), r.header.Get("Link")))
	}
}

// encoder writes JSON in which < and & need no escape outside of a page.
func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

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

// buffers are reused between answers, except very large ones.
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

// replace makes another buffer the body, and gives the previous buffer back.
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
		if name == "Vary" {
			values = append(h.Values(name), values...)
		}
		h[name] = values
	}
	if !slices.Contains(h.Values("Vary"), "Accept-Encoding") { // an outer handler may have set it
		h.Add("Vary", "Accept-Encoding")
	}
	if r.status == http.StatusNotModified {
		w.WriteHeader(r.status)
		return
	}
	r.compress(h, req)
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

// compress replaces the body by its compressed form, so that the plain form is not kept in memory while the answer is written.
func (r *reply) compress(h http.Header, req *http.Request) {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	if !compress.Body(req, h.Get("Content-Type"), r.body, b) {
		buffers.Put(b)
		return
	}
	r.replace(b)
	r.hold.Resize(r.size())
	h.Set("Content-Encoding", "gzip")
}

// An answer is written in pieces of this many bytes, and a client is expected to read this many bytes per second.
const (
	piece = 64 << 10
	pace  = 64 << 10
)

// deadline is when the client must have read the next piece: it may fall behind the pace only as long as patience lasts.
func deadline(began, now time.Time, written int, patience time.Duration) time.Time {
	late, pause := began.Add(patience+time.Duration(written)*time.Second/pace), now.Add(patience)
	return slices.MinFunc([]time.Time{late, pause}, time.Time.Compare)
}

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

// writeXML writes a JSON document as XML: an element per member, item elements in lists, and nil="true" for null.
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

var mediaTypes = map[string][]string{
	"json":      {"application/json", "text/json"},
	"xml":       {"application/xml", "text/xml"},
	"csv":       {"text/csv", "application/csv"},
	"ndjson":    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"},
	"360giving": {"application/vnd.360giving+json"},
	"pdf":       {"application/pdf", "application/x-pdf"},
}

// accepted chooses a format by the Accept header, and the first, JSON, without a match. A header that asks for HTML comes from
// a browser, which lists XML without its user's wish, and gets JSON.
func accepted(h http.Header, formats []string) string {
	best, bestQ, bestFit := formats[0], 0.0, 0
	ranges := items(h, "Accept")
	for i := range ranges {
		name, _, _ := strings.Cut(ranges[i], ";")
		if strings.EqualFold(strings.TrimSpace(name), "text/html") {
			return formats[0]
		}
	}
	// Of formats with the same quality, the header's exact match wins over a wildcard, and then the format that is named first.
	for at, item := range ranges {
		name, rest, _ := strings.Cut(item, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		for _, f := range formats {
			fit := fits(name, f)
			if fit == 0 || fit < closest(ranges, f) {
				continue // another member names this format more exactly
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

// fits says how exactly a media range names a format: 3 by its name, 2 by its type, 1 as anything, 0 not at all.
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

func closest(ranges []string, format string) (fit int) {
	for _, item := range ranges[:min(len(ranges), 50)] {
		name, _, _ := strings.Cut(item, ";")
		fit = max(fit, fits(strings.ToLower(strings.TrimSpace(name)), format))
	}
	return fit
}

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
