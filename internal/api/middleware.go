package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/budget"
	"grantgraph/internal/fault"
	"grantgraph/internal/sqlbox"
)

// Bounds of a request.
const (
	maxURI    = 64 << 10
	maxHeader = 64 << 10
	timeout   = 30 * time.Second // of an operation that does not ask for more
)

// What answers take of the memory that all requests share, in bytes, until
// their size is known.
const (
	baseWeight = 64 << 10 // any
	rowWeight  = 6 << 10  // a row of the graph on its way to the wire

	// The result of a query, and while it is rendered a buffer that has grown to
	// twice its size beside the one it has outgrown.
	sqlWeight  = 4 * sqlbox.Held
	bodyCopies = 3 // of the bytes of a body, while it is read
)

// call is one request on its way through an operation.
type call struct {
	op     *Operation
	params *reader
	warn   *warnings
	data   *Dataset
	base   string
	key    string // ID of the key, empty for none
	owner  string // whose key it is: the account, or the key itself when it has none
	body   []byte
	format string
	fields []string
	shown  *Shown // set on examples
	weight int64  // bytes that the answer takes while it is made, beside baseWeight

	id       string        // of the request
	request  *http.Request // nil on examples
	address  string        // of the client
	secret   string        // the key itself, where the answer repeats it
	tier     account.Tier  // of the key of an agent
	pro      bool          // the plan of the key is Pro
	worked   bool          // the plan used what a call pays for, though it refused
	paid     bool          // the call was charged
	named    string        // the call of its challenge that a locked key makes
	desk     *desk
	registry Registry
}

// service is the extension block of the answer.
func (c *call) service() Service {
	return Service{Unsupported: c.warn.unsupported(), Warnings: c.warn.all(), Dataset: stamp(&c.data.Manifest), Example: c.shown}
}

// readFormat reads the format of the answer.
func (c *call) readFormat() {
	value, given := c.params.text("format")
	if !given {
		if c.request != nil {
			c.format = accepted(c.request.Header, c.op.Formats)
		}
		return
	}
	for _, f := range c.op.Formats {
		if strings.EqualFold(f, value) {
			c.format = f
			return
		}
	}
	p := c.params.param("format")
	c.params.problem(p, -1, "enum", value, limit{"expected": c.op.Formats}, "%q is not one of %s", fault.Clip(value, maxQuoted), strings.Join(c.op.Formats, ", "))
}

// reply collects one answer before any of it is written.
type reply struct {
	header http.Header
	status int
	body   []byte
	buf    *bytes.Buffer // behind body, when it is ours
	id     string
	hold   *budget.Hold // on the memory of the answer
}

// serve answers one request, whatever happens.
func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	out := &reply{header: http.Header{}, id: RequestID(r)}
	out.header.Set("X-Request-Id", out.id)
	out.header.Set("X-Content-Type-Options", "nosniff")
	out.header.Set("Link", fmt.Sprintf(`<%s%s>; rel="api-catalog", <%s/openapi.json>; rel="service-desc"; type="%s", <%s/llms.txt>; rel="service-doc"; type="text/plain"`,
		s.BaseURL, catalogPath, s.BaseURL, openapiType, s.BaseURL))
	// One dataset from the first read to the last byte.
	data, release := s.Acquire()
	if release != nil {
		defer release()
	}
	out.stamp(data)
	defer out.release()
	began := s.Clock()
	s.guarded(r, out, data)
	out.hold.Resize(out.size())
	out.header.Set("Server-Timing", fmt.Sprintf("app;dur=%.2f", float64(s.Clock().Sub(began))/1e6))
	out.write(w, r, s.Patience)
}

// stamp names the dataset that the answer is from.
func (r *reply) stamp(d *Dataset) {
	if d != nil {
		r.header.Set("X-Dataset-Version", d.Manifest.Version)
	}
}

// guarded runs the request and turns an error into its answer, and a panic into
// a 500.
func (s *server) guarded(r *http.Request, out *reply, data *Dataset) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("a request panicked", slog.String("request_id", out.id), slog.String("path", Route(r.URL.Path)),
				slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			s.fail(out, &call{}, errors.New("panic"), true)
		}
	}()
	c := &call{data: data, warn: &warnings{}, base: s.BaseURL, format: "json", id: out.id, desk: s.desk, registry: s.Registry, address: s.Address(r)}
	if err := s.dispatch(r, out, c); err != nil {
		s.note(r.Context(), c, err)
		s.fail(out, c, err, false)
	}
	s.tell(r.Context(), out, c)
}

// dispatch finds the page or the operation that a request is for.
func (s *server) dispatch(r *http.Request, out *reply, c *call) error {
	if err := oversize(r); err != nil {
		return err
	}
	if handled, err := s.page(r, out); handled {
		return err
	}
	at := r.URL.EscapedPath()
	ops, path := s.routes.find(at)
	ops = slices.DeleteFunc(slices.Clone(ops), func(op *Operation) bool { return !s.has(op) })
	if len(ops) == 0 {
		return fault.New(slugNotFound, "There is nothing at %s.", shown(account.MaskKeys(at))).Try("%s%s lists the endpoints", s.BaseURL, versioned)
	}
	if c.op = choose(ops, r.Method); c.op == nil {
		return out.otherMethod(r, allowed(ops))
	}
	ctx, cancel := context.WithTimeout(r.Context(), max(timeout, c.op.Timeout))
	defer cancel()
	c.request = r.WithContext(ctx)
	return s.operate(ctx, r, out, c, path)
}

// otherMethod refuses a method, and says which are answered.
func (r *reply) otherMethod(req *http.Request, allowed string) error {
	r.header.Set("Allow", allowed)
	return fault.New(slugMethod, "%s does not answer %s.", shown(account.MaskKeys(req.URL.EscapedPath())), shown(req.Method)).Try("use %s", allowed)
}

// oversize refuses requests that are larger than any sensible one.
func oversize(r *http.Request) error {
	if len(r.URL.RawQuery)+len(r.URL.Path) > maxURI {
		return fault.New(slugURITooLong, "The address is longer than %d bytes.", maxURI).
			Try("send fewer values at a time")
	}
	n := 0
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v)
		}
	}
	if n > maxHeader {
		return fault.New(slugHeaderTooLong, "The headers are longer than %d bytes in all.", maxHeader).
			Try("send fewer or smaller headers")
	}
	return nil
}

// operate takes a request through its steps. The order is the contract: what
// is refused before the charge costs nothing.
func (s *server) operate(ctx context.Context, r *http.Request, out *reply, c *call, path map[string]string) error {
	op := c.op
	values, malformed := parseQuery(r.URL.RawQuery)
	// An error before the parameters are read is answered in the format asked
	// for as well.
	if slices.Contains(op.Formats, "xml") && (strings.EqualFold(values.Get("format"), "xml") || !values.Has("format") && accepted(r.Header, op.Formats) == "xml") {
		c.format = "xml"
	}
	if len(op.Formats) > 1 {
		out.header.Add("Vary", "Accept")
	}
	// The key comes before what is wrong with the query, because every answer to
	// a key tells its balance.
	example := values.Has("example")
	if op.Access != Open && !example {
		if err := s.authenticate(ctx, r.Header, c, values); err != nil {
			return err
		}
	}
	if malformed != nil {
		return malformed
	}
	if example {
		if err := s.example(ctx, out, c, values); err != nil {
			return err
		}
		if out.known(r, c, values, path) {
			out.status = http.StatusNotModified
		}
		return nil
	}
	if c.op.Body != nil {
		var err error
		if out.hold, err = s.Budget.Take(ctx, baseWeight+bodyCopies*c.expected(r)); err != nil {
			return err
		}
	}
	if err := c.readBody(r); err != nil {
		return err
	}
	if c.data == nil {
		out.header.Set("Retry-After", "30")
		return fault.New(slugNoDataset, "No dataset is being served yet.").Try("ask again in a moment")
	}
	if err := c.data.lacks(op.needs); err != nil {
		out.header.Set("Retry-After", "60")
		return err
	}
	if err := s.solvent(ctx, out, c); err != nil {
		return err
	}
	run, err := c.prepare(values, path)
	if err != nil && c.worked {
		// Also when the caller has left.
		if unpaid := s.meter(context.WithoutCancel(ctx), out, c); unpaid != nil {
			return unpaid
		}
	}
	if err != nil {
		return err
	}
	if out.known(r, c, values, path) {
		out.cache(op)
		out.status = http.StatusNotModified
		return nil
	}
	out.hold.Release() // of the body, which the next one counts
	if out.hold, err = s.Budget.Take(ctx, baseWeight+int64(len(c.body))+c.weight); err != nil {
		return err
	}
	if err := s.meter(ctx, out, c); err != nil {
		return err
	}
	result, err := run(ctx)
	if err != nil {
		return err
	}
	out.cache(op)
	return out.answer(c, result)
}

// prepare reads the parameters of a request, all of them.
func (c *call) prepare(values url.Values, path map[string]string) (run, error) {
	c.params = &reader{op: c.op, values: values, path: path, read: map[string]bool{"example": true}, warn: c.warn}
	strict := c.params.boolean("strict")
	run, err := c.op.plan(c)
	if err != nil {
		return nil, err
	}
	return run, c.params.finish(strict)
}

// expected is the most bytes that will be read of a body.
func (c *call) expected(r *http.Request) int64 {
	if r.ContentLength >= 0 {
		return min(r.ContentLength, c.op.MaxBody)
	}
	return c.op.MaxBody
}

// readBody reads the body of a request, which only some operations have.
func (c *call) readBody(r *http.Request) error {
	most := c.op.MaxBody
	if c.op.Body == nil {
		// A body nobody reads does no harm, unless it keeps the connection busy.
		if r.ContentLength > 1<<20 {
			return tooLarge(0)
		}
		return nil
	}
	if r.ContentLength > most {
		return tooLarge(most)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fault.New(slugStalled, "The request body did not arrive in time.").Try("send it again without pausing")
	}
	if err != nil {
		return fault.New(slugQuery, "The request body could not be read.").Try("send it again")
	}
	if int64(len(body)) > most {
		return tooLarge(most)
	}
	c.body = body
	return nil
}

func tooLarge(most int64) error {
	if most == 0 {
		return fault.New(slugBodyTooLarge, "This endpoint takes no request body.").Try("send the parameters in the address")
	}
	return fault.New(slugBodyTooLarge, "The request body is larger than %d bytes.", most).Try("send it in parts")
}

// has says whether this service has an operation of the table.
func (s *server) has(op *Operation) bool { return op.offered == nil || op.offered(s) }

// fail writes an error into the reply. logged says that the cause is already
// in the log.
func (s *server) fail(out *reply, c *call, err error, logged bool) {
	out.header.Set("Cache-Control", "no-store")
	out.header.Del("ETag")
	var bad *invalid
	var service *Service
	if f, ok := fault.Of(err); c.shown != nil || ok && f.Slug == slugStrict {
		block := c.service()
		service = &block
		if len(block.Unsupported) > 0 {
			out.header.Set("X-Service-Unsupported", headerNames(block.Unsupported))
		}
	}
	if errors.As(err, &bad) {
		out.status = http.StatusUnprocessableEntity
		out.encode(c.format, &Invalid{bad.problems, out.status, bad.Error(), slugInvalid, out.id, service})
		return
	}
	var wait *account.WaitError
	if errors.As(err, &wait) {
		out.header.Set("Retry-After", strconv.Itoa(seconds(wait.Wait)))
	}
	var attempt Attempt
	var answered *refused
	if errors.As(err, &answered) {
		attempt = answered.attempt
	}
	f, hidden := explain(err)
	out.status = statusOf(f.Slug)
	// The client is told what it can do; why is for the operator.
	cause := f.Err
	if hidden {
		cause = err
	}
	if wait != nil {
		cause = nil // that is no cause, and the caller is told
	}
	if cause != nil && out.status >= http.StatusInternalServerError && !logged {
		operation := ""
		if c.op != nil {
			operation = c.op.ID
		}
		s.Log.Error("a request failed", slog.String("request_id", out.id), slog.String("operation", operation), slog.String("slug", f.Slug), slog.Any("error", cause))
	}
	switch out.status {
	case http.StatusUnauthorized:
		out.header.Set("WWW-Authenticate", `Bearer realm="grantgraph"`)
	case http.StatusServiceUnavailable:
		if out.header.Get("Retry-After") == "" {
			out.header.Set("Retry-After", "5")
		}
	}
	out.encode(c.format, &Failure{out.status, f.Message, f.Slug, f.Hint, out.id, attempt, service})
}

// RequestID is the identifier of a request: the one a proxy gave it, when it
// is harmless, else a new one.
func RequestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	harmless := len(id) >= 8 && len(id) <= 64 && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == ""
	if harmless {
		return id
	}
	var b [10]byte
	rand.Read(b[:])
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

// known names the answer and reports whether the client already has it.
func (r *reply) known(req *http.Request, c *call, values url.Values, path map[string]string) bool {
	if !c.op.cacheable() {
		return false
	}
	tag := etag(c, values, path)
	r.header.Set("ETag", tag)
	return unchanged(req.Header, tag)
}

// etag names the answer to a request from one build of the dataset. It is
// weak because compression changes the bytes.
func etag(c *call, values url.Values, path map[string]string) string {
	parts := []string{answerFormat, c.data.Manifest.Version, c.data.Manifest.Content, c.base, c.op.ID, c.format, values.Encode(), string(c.tier) + c.named}
	for _, p := range c.op.Params {
		if p.In == "path" {
			parts = append(parts, path[p.Name])
		}
	}
	if c.op.Lists {
		parts = append(parts, c.data.Lists.Stamp())
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`
}

// answerFormat changes when the same request to the same dataset gets another
// answer because the code has changed.
const answerFormat = "5"

// unchanged reports whether a client already has the answer.
func unchanged(h http.Header, tag string) bool {
	weak := func(t string) string { return strings.TrimPrefix(t, "W/") }
	return slices.ContainsFunc(items(h, "If-None-Match"), func(t string) bool { return t == "*" || weak(t) == weak(tag) })
}

// items are the members of a header that holds a list, which may be sent in
// several lines.
func items(h http.Header, name string) []string {
	list := strings.Split(strings.Join(h.Values(name), ","), ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// cache says how long an answer may be kept. Answers to a key are private; a
// repeated request with If-None-Match costs nothing.
func (r *reply) cache(op *Operation) {
	if !op.cacheable() {
		r.header.Set("Cache-Control", "no-store")
		return
	}
	if op.Access == Open {
		r.header.Set("Cache-Control", "public, max-age=300")
		return
	}
	r.header.Set("Cache-Control", "private, max-age=300")
	r.header.Add("Vary", "X-API-Key, Authorization")
}
