package api

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/table"
)

// Refusal is a way to fail. Slugs are part of the contract: a client may branch on them.
type Refusal struct {
	Slug   string
	Status int
	Means  string // what it means in general
	Do     string // what to do about it, in general
	Audit  bool   // the audit trail notes it, because it may be a sign of abuse
}

// refusalTable has every refusal of the service, so that a slug has one status and one meaning. The column "of" says which
// operations can answer it: "every" one, "keyed" for those that need a key, and none for those that name it themselves.
//
//go:embed refusals.tsv
var refusalTable string

var allRefusals = func() (list []tabledRefusal) {
	for _, r := range table.Read("refusals.tsv", refusalTable, "slug", "status", "of", "audit", "means", "do") {
		f := Refusal{Slug: r.Text("slug"), Status: r.Int("status"), Means: r.Text("means"), Do: r.Text("do"), Audit: r.Text("audit") == "yes"}
		list = append(list, tabledRefusal{f, r.Text("of")})
	}
	return list
}()

type tabledRefusal struct {
	Refusal
	of string
}

// refusalOf finds a refusal. A slug that the table does not have is a mistake in the program.
func refusalOf(slug string) Refusal {
	if i := slices.IndexFunc(allRefusals, func(r tabledRefusal) bool { return r.Slug == slug }); i >= 0 {
		return allRefusals[i].Refusal
	}
	panic("api: refusals.tsv has no " + slug)
}

func refusalsOf(kind string) (list []Refusal) {
	for _, r := range allRefusals {
		if r.of == kind {
			list = append(list, r.Refusal)
		}
	}
	return list
}

// The refusals that the engine answers itself.
var (
	everywhere      = refusalsOf("every")
	refusedInternal = refusalOf("internal_error")
	refusedStalled  = refusalOf("request_timeout")

	keyed            = refusalsOf("keyed")
	refusedSpent     = refusalOf("quota_exhausted")
	refusedLocked    = refusalOf("key_locked")
	planRequired     = refusalOf("plan_required")
	storeUnavailable = refusalOf("store_unavailable")
	refusedNotAgent  = refusalOf("not_an_agent_key")
	refusedAdmin     = refusalOf("bad_admin_token")
	refusedNotPublic = refusalOf("not_public")
	refusedNotFound  = refusalOf("not_found")
)

type invalid struct{ problems []client.Problem }

func (e *invalid) Error() string {
	if len(e.problems) == 0 {
		return "the request is not valid"
	}
	p := e.problems[0]
	var path []string // to the field, in the parameters or in the body
	for _, part := range p.Loc[min(1, len(p.Loc)):] {
		if s, ok := part.(string); ok {
			path = append(path, s)
		}
	}
	if len(path) == 0 {
		return p.Msg
	}
	return strings.Join(path, ".") + ": " + p.Msg
}

// InvalidBody refuses a field of a body, or all of it when the field is empty.
func InvalidBody(field, kind string, ctx any, message string) error {
	loc := []any{"body"}
	if field != "" {
		loc = append(loc, field)
	}
	return &invalid{[]client.Problem{{Loc: loc, Type: kind, Ctx: ctx, Msg: message}}}
}

// Detailed is an error with data: the members of its detail are written beside those of the Failure.
type Detailed interface {
	error
	Detail() any
}

type detailed struct {
	client.Failure
	detail any
}

// MarshalJSON writes both as one object, with x_service at the end.
func (d *detailed) MarshalJSON() ([]byte, error) {
	plain := d.Failure
	plain.Service = nil
	var out []byte
	for _, part := range []any{plain, d.detail, struct {
		Service *client.Service `json:"x_service,omitempty"`
	}{d.Service}} {
		var b bytes.Buffer
		if err := encoder(&b).Encode(part); err != nil {
			return nil, err
		}
		if members := bytes.TrimSpace(b.Bytes()); len(members) > len("{}") {
			members = members[1 : len(members)-1]
			out = append(append(out, ','), members...)
		}
	}
	out[0] = '{'
	return append(out, '}'), nil
}

// explain turns an error into a Fault that may leave the process. hidden means that it was not written for users.
func (t *operationTable) explain(err error) (f *fault.Fault, hidden bool) {
	if meant, ok := fault.Of(err); ok && t.refusal(meant.Slug).Status != http.StatusInternalServerError {
		return meant, false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fault.New(client.SlugTimedOut, "The request took too long and was stopped.").
			Try("narrow the filter, or ask again in a moment"), false
	}
	return fault.New(refusedInternal.Slug, "Something broke on our side. It has been recorded under the request_id."), true
}

// fail writes an error into the reply. logged says that the log has the cause.
func (s *Handler) fail(out *reply, c *Call, err error, logged bool) {
	out.header.Set("Cache-Control", "no-store")
	out.header.Del("ETag")
	var bad *invalid
	var service *client.Service
	if f, ok := fault.Of(err); c.shown != nil || ok && f.Slug == client.SlugUnsupportedParameter {
		block := c.Service()
		service = &block
		if len(block.Unsupported) > 0 {
			out.header.Set("X-Service-Unsupported", headerNames(block.Unsupported))
		}
	}
	if errors.As(err, &bad) {
		out.status = http.StatusUnprocessableEntity
		out.encode(c.format, &client.Invalid{
			Detail: bad.problems, Code: out.status, Message: bad.Error(), Error: client.SlugInvalidRequest,
			Docs: s.described(client.SlugInvalidRequest), RequestID: out.id, Service: service,
		})
		return
	}
	f, hidden := s.table.explain(err)
	out.status = s.table.refusal(f.Slug).Status
	// The client is told what to do; the cause is for the operator.
	cause := f.Err
	if hidden {
		cause = err
	}
	if out.setRetryAfter(err) {
		cause = nil // only a wait, which the caller is told
	}
	if cause != nil && out.status >= http.StatusInternalServerError && !logged {
		operation := ""
		if c.op != nil {
			operation = c.op.ID
		}
		s.config.Log.Error("a request failed", slog.String("request_id", out.id), slog.String("operation", operation),
			slog.String("slug", f.Slug), slog.Any("error", cause))
	}
	if out.status == http.StatusUnauthorized {
		out.header.Set("WWW-Authenticate", `Bearer realm="grantgraph"`)
	}
	failure := client.Failure{Code: out.status, Message: f.Message, Error: f.Slug, Hint: f.Hint, Docs: s.described(f.Slug), RequestID: out.id, Service: service}
	if more, ok := errors.AsType[Detailed](err); ok {
		out.encode(c.format, &detailed{failure, more.Detail()})
		return
	}
	out.encode(c.format, &failure)
}

// Refuse answers a request that is answered outside of the table of operations with an error, as the API would.
func (s *Handler) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	out := &reply{header: http.Header{}, id: RequestID(r)}
	out.header.Set("X-Request-Id", out.id)
	s.fail(out, &Call{format: "json"}, err, false)
	out.write(w, r, s.config.Patience)
	out.release()
}

func (s *Handler) described(slug string) string { return s.config.BaseURL + Errors + "#" + slug }

// Seconds after which a client may ask again, where the error does not say.
const (
	retryNoDataset = 30 // the server is opening its first dataset
	retryLacking   = 60 // a part of the dataset is out of service
	retryBusy      = 5  // any other 503
)

func (r *reply) askAgain(seconds int) { r.header.Set("Retry-After", strconv.Itoa(seconds)) }

// setRetryAfter tells the client when to ask again, and reports whether the error said so. A 402 or 429 without a wait has no
// Retry-After, because waiting alone does not help; a 503 always has one.
func (r *reply) setRetryAfter(err error) bool {
	if wait, ok := errors.AsType[*account.WaitError](err); ok {
		r.askAgain(account.Seconds(wait.Wait))
		return true
	}
	if r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") == "" {
		r.askAgain(retryBusy)
	}
	return false
}
