package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
)

// Bounds of a request.
const (
	maxURI    = 64 << 10
	maxHeader = 64 << 10
	timeout   = 30 * time.Second // of an operation that does not ask for more
)

// baseWeight is the bytes that a request takes until the size of its answer is known.
const baseWeight = 64 << 10

// reply collects one answer before any of it is written.
type reply struct {
	header http.Header
	status int
	body   []byte
	buf    *bytes.Buffer // behind body, when it is ours
	id     string
	hold   *budget.Hold // on the memory of the answer
}

// ServeHTTP answers one request, whatever happens.
func (s *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &reply{header: http.Header{}, id: RequestID(r)}
	out.header.Set("X-Request-Id", out.id)
	out.header.Set("X-Content-Type-Options", "nosniff")
	out.header.Set("Link", fmt.Sprintf(`<%[1]s%[2]s>; rel="api-catalog", <%[1]s/openapi.json>; rel="service-desc"; type="%[3]s", `+
		`<%[1]s/llms.txt>; rel="service-doc"; type="text/plain"`, s.config.BaseURL, catalogPath, openapiType))
	// One dataset from the first read to the last byte.
	data, release := s.config.Acquire()
	if release != nil {
		defer release()
	}
	out.stamp(data)
	defer out.release()
	began := s.config.Clock()
	s.guarded(r, out, data)
	out.hold.Resize(out.size())
	out.header.Set("Server-Timing", fmt.Sprintf("app;dur=%.2f", float64(s.config.Clock().Sub(began))/1e6))
	out.write(w, r, s.config.Patience)
}

func (r *reply) stamp(d Dataset) {
	if d != nil {
		r.header.Set("X-Dataset-Version", d.Snapshot().Version)
	}
}

// guarded runs the request and answers an error, and a panic with a 500.
func (s *Handler) guarded(r *http.Request, out *reply, data Dataset) {
	defer func() {
		if p := recover(); p != nil {
			s.config.Log.Error("a request panicked", slog.String("request_id", out.id), slog.String("path", s.Route(r.URL.Path)),
				slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			s.fail(out, &Call{}, errors.New("panic"), true)
			s.config.Panicked()
		}
	}()
	c := &Call{table: s.table, Data: data, warn: &Warnings{}, Base: s.config.BaseURL, format: "json", ID: out.id, Caller: Caller{Address: s.config.Address(r)}}
	if s.config.Local {
		out.header.Set("X-Local-Directories", "allowed")
		c.warn.Caveat("_local_directories", "This is a demonstration: it accepts signatures by keys that are published on its own machine, at localhost.")
	}
	if err := s.dispatch(r, out, c); err != nil {
		s.note(r.Context(), c, err)
		s.fail(out, c, err, false)
	}
	s.showBalance(r.Context(), out, c)
}

func (s *Handler) dispatch(r *http.Request, out *reply, c *Call) error {
	if err := oversize(r); err != nil {
		return err
	}
	if handled, err := s.describe(r, out); handled {
		return err
	}
	at := r.URL.EscapedPath()
	ops, path := s.table.routes.find(at)
	ops = slices.DeleteFunc(slices.Clone(ops), func(op *Operation) bool { return op.Off })
	if w, ok := s.table.withholds(at); ok {
		return fault.New(refusedNotPublic.Slug, "%s serves a page of this site, and only when the page itself asks.", Versioned+w.Path).
			Try("ask on the page %s/ask, or use the other endpoints", s.config.BaseURL)
	}
	if len(ops) == 0 {
		return fault.New(refusedNotFound.Slug, "There is nothing at %s.", shown(account.MaskKeys(at))).Try("%s%s lists the endpoints", s.config.BaseURL, Versioned)
	}
	if c.op = choose(ops, r.Method); c.op == nil {
		return out.otherMethod(r, allowed(ops))
	}
	ctx, cancel := context.WithTimeout(r.Context(), max(timeout, c.op.Timeout))
	defer cancel()
	c.Request = r.WithContext(ctx)
	return s.operate(ctx, r, out, c, path)
}

func (r *reply) otherMethod(req *http.Request, allowed string) error {
	r.header.Set("Allow", allowed)
	at := shown(account.MaskKeys(req.URL.EscapedPath()))
	return fault.New(client.SlugMethodNotAllowed, "%s does not answer %s.", at, shown(req.Method)).Try("use %s", allowed)
}

func oversize(r *http.Request) error {
	if len(r.URL.RawQuery)+len(r.URL.Path) > maxURI {
		return fault.New(client.SlugURITooLong, "The address is longer than %d bytes.", maxURI).
			Try("send fewer values at a time")
	}
	n := 0
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v)
		}
	}
	if n > maxHeader {
		return fault.New(client.SlugHeadersTooLarge, "The headers are longer than %d bytes in all.", maxHeader).
			Try("send fewer or smaller headers")
	}
	return nil
}

// operate takes a request through its steps. The order is the contract: a request
// that is refused before the charge costs nothing.
//
// Kept whole: the steps of every request stand here one below the other, and a reader checks their order by reading down.
func (s *Handler) operate(ctx context.Context, r *http.Request, out *reply, c *Call, path map[string]string) error {
	op := c.op
	values, malformed := parseQuery(r.URL.RawQuery)
	// Errors before the parameters are read use the format that was asked for, too.
	if slices.Contains(op.Formats, "xml") && (strings.EqualFold(values.Get("format"), "xml") || !values.Has("format") && accepted(r.Header, op.Formats) == "xml") {
		c.format = "xml"
	}
	if len(op.Formats) > 1 {
		out.header.Add("Vary", "Accept")
	}
	// The key is checked before the query: every answer to a key, even a refusal, has its balance.
	example := strings.TrimSpace(values.Get("example")) != ""
	if op.Access != Open && !example {
		if err := s.authenticate(ctx, r.Header, c, values); err != nil {
			return err
		}
	}
	if malformed != nil {
		return malformed
	}
	if example {
		if err := s.example(ctx, out, c, path, values); err != nil {
			return err
		}
		if out.unchanged(r, c, values, path) {
			out.status = http.StatusNotModified
		}
		return nil
	}
	if err := s.readBody(r, out, c); err != nil {
		return err
	}
	if op.AtOnce != nil { // after the body: who sends slowly has no place
		end, err := op.AtOnce.Begin(c.Caller.Address)
		if err != nil {
			return err
		}
		defer end()
	}
	if c.Data == nil {
		out.askAgain(retryNoDataset)
		return fault.New(client.SlugNoDataset, "No dataset is being served yet.").Try("ask again in a moment")
	}
	if err := op.lacks(c.Data); err != nil {
		out.askAgain(retryLacking)
		return err
	}
	if err := s.solvent(ctx, out, c); err != nil {
		return err
	}
	run, err := c.prepare(values, path)
	if err != nil && c.Worked {
		// The charge is made even when the caller has left.
		if unpaid := s.meter(context.WithoutCancel(ctx), out, c); unpaid != nil {
			return unpaid
		}
	}
	if err != nil {
		return err
	}
	if out.unchanged(r, c, values, path) {
		out.cache(op)
		out.status = http.StatusNotModified
		return nil
	}
	out.hold.Release() // the hold of the body; the next hold includes the body
	if out.hold, err = s.config.Budget.Take(ctx, baseWeight+int64(len(c.body))+c.Weight); err != nil {
		return err
	}
	answered := false
	if c.Claim != nil {
		claim, err := c.Claim(ctx)
		if err != nil {
			return err
		}
		defer func() { // also when the run panics
			if !answered {
				s.giveBack(ctx, c, claim)
			}
		}()
	}
	if err := s.meter(ctx, out, c); err != nil {
		return err
	}
	result, err := run(ctx)
	if err != nil {
		return err
	}
	out.cache(op)
	if err := out.render(c, result); err != nil {
		return err
	}
	answered = true
	return nil
}

func (c *Call) prepare(values url.Values, path map[string]string) (Run, error) {
	c.Params = &Reader{table: c.table, op: c.op, values: values, path: path, read: map[string]bool{}, Warn: c.warn}
	c.Params.Text("example") // empty: an example is answered elsewhere
	strict := c.Params.Boolean("strict")
	run, err := c.op.Plan(c)
	if err != nil {
		return nil, err
	}
	return run, c.Params.finish(strict)
}

func (s *Handler) readBody(r *http.Request, out *reply, c *Call) (err error) {
	most := c.op.MaxBody
	if c.op.Body == nil {
		// An unread body does no harm, unless it keeps the connection busy, or has parameters of something that is paid for.
		// A body sent in pieces has no length, -1.
		if r.ContentLength > 1<<20 || c.op.Writes && c.op.Cost > 0 && (r.ContentLength < 0 || r.ContentLength > int64(len("{}"))) {
			return tooLarge(0)
		}
		return nil
	}
	if r.ContentLength > most {
		return tooLarge(most)
	}
	from := budget.Sender{Address: c.Caller.Address}
	switch {
	case c.op.Access == Admin:
		from.Account = "admin"
	case c.Caller.Paid:
		from.Account = c.Caller.Owner
	}
	c.body, out.hold, err = s.config.Budget.ReadBody(r, from, most)
	var large *http.MaxBytesError
	if _, refused := fault.Of(err); err == nil || refused {
		return err
	}
	switch {
	case errors.As(err, &large):
		return tooLarge(most)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fault.New(refusedStalled.Slug, "The request body did not arrive in time.").Try("send it again without pausing")
	}
	return fault.New(client.SlugMalformedQuery, "The request body could not be read.").Try("send it again")
}

func tooLarge(most int64) error {
	if most == 0 {
		return fault.New(client.SlugBodyTooLarge, "This endpoint takes no request body.").Try("send the parameters in the address")
	}
	return fault.New(client.SlugBodyTooLarge, "The request body is larger than %d bytes.", most).Try("send it in parts")
}

func (op *Operation) lacks(d Dataset) error {
	if op.Needs == nil {
		return nil
	}
	return op.Needs(d)
}

// RequestID is the identifier of a request: the one from a proxy when it has only harmless characters, else a new one.
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
