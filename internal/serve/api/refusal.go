package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/budget"
)

// Refusal is a way in which a request can fail. Slugs are part of the contract:
// a client may branch on them. An operation brings those it adds to the ones
// that every operation has.
type Refusal struct {
	Slug   string
	Status int
	Means  string // what it means in general
	Do     string // what to do about it, in general
	Audit  bool   // it says something about who tries what, and goes into the audit trail
}

// Those of every operation.
var (
	refusedStrict    = Refusal{Slug: "unsupported_parameter", Status: 400, Means: "strict=1 was given and a parameter is unsupported or unrecognized", Do: "Correct or remove the parameters that the message names, or leave out strict to get an answer with warnings."}
	refusedQuery     = Refusal{Slug: "malformed_query", Status: 400, Means: "the query string cannot be decoded", Do: "Percent-encode the values: % must be followed by two hexadecimal digits, and ; is written %3B."}
	refusedTooMany   = Refusal{Slug: "too_many_parameters", Status: 400, Means: "the query string has too many parameters", Do: "Send lists comma-separated in one parameter; at most 100 parameters are read."}
	refusedMethod    = Refusal{Slug: "method_not_allowed", Status: 405, Means: "the endpoint does not answer this method; see the Allow header", Do: "Use one of the methods in the Allow header."}
	refusedBody      = Refusal{Slug: "body_too_large", Status: 413, Means: "the request body is too large", Do: "Send it in parts; the message says how many bytes are read."}
	refusedURI       = Refusal{Slug: "uri_too_long", Status: 414, Means: "the address is too long", Do: "Send fewer values at a time."}
	refusedInvalid   = Refusal{Slug: "invalid_request", Status: 422, Means: "a value cannot be read; detail says which", Do: "Look at detail: loc says which value, msg what is wrong with it, ctx which limits apply. Nothing was counted."}
	refusedHeaders   = Refusal{Slug: "headers_too_large", Status: 431, Means: "the request headers are too large", Do: "Send fewer or smaller headers."}
	refusedInternal  = Refusal{Slug: "internal_error", Status: 500, Means: "something broke on our side; quote the request_id", Do: "Ask again once. If it stays, tell whoever runs the service the request_id."}
	refusedNoDataset = Refusal{Slug: "no_dataset", Status: 503, Means: "no dataset is being served yet", Do: "Ask again in half a minute; the server has just started."}
	refusedDamaged   = Refusal{Slug: "dataset_damaged", Status: 503, Means: "a file that the answer needs is damaged, and out of service until another build is served", Do: "Ask again when another build of the dataset is served; other endpoints may work meanwhile."}
	refusedTimeout   = Refusal{Slug: "timed_out", Status: 503, Means: "the request took too long and was stopped", Do: "Narrow the filter, for example to fewer years, or ask again in a moment."}
	refusedBusy      = Refusal{Slug: budget.Busy, Status: 503, Means: "as many large requests are running as memory allows; nothing was counted; see Retry-After", Do: "Wait as many seconds as Retry-After says, then ask again; or ask for fewer rows."}
	everywhere       = []Refusal{refusedStrict, refusedQuery, refusedTooMany, refusedMethod, refusedBody, refusedURI, refusedInvalid, refusedHeaders, refusedInternal, refusedNoDataset, refusedDamaged, refusedTimeout, refusedBusy}
)

// Those of some kinds of operations.
var (
	refusedStalled = Refusal{Slug: "request_timeout", Status: 408, Means: "the request body did not arrive in time", Do: "Send the body again without pausing."}

	refusedNoKey     = Refusal{Slug: "no_key", Status: 401, Means: "no key was sent", Do: "Send a key in the header X-API-Key. Make one on your account page; it is free. example=1 needs none."}
	refusedUnknown   = Refusal{Slug: "unknown_key", Status: 401, Means: "the key is not recognized", Do: "Check that the whole key was sent, with nothing around it. A key that was rotated or deleted no longer works; make another on your account page."}
	refusedExpired   = Refusal{Slug: "key_expired", Status: 401, Means: "the key of an agent has expired", Do: "Mint a new key with POST /agent-key.", Audit: true}
	Inactive         = Refusal{Slug: "account_inactive", Status: 402, Means: "the account is inactive", Do: "Ask whoever runs the service why the key or its account was turned off."}
	StoreUnavailable = Refusal{Slug: "store_unavailable", Status: 503, Means: "the store of keys does not answer; see Retry-After", Do: "Wait as many seconds as Retry-After says, then ask again. Nothing was counted."}
	keyed            = []Refusal{refusedNoKey, refusedUnknown, refusedExpired, Inactive, StoreUnavailable}

	refusedSpent     = Refusal{Slug: "quota_exhausted", Status: 402, Means: "the daily or monthly limit of the key is reached; Retry-After says in how many seconds it resets, and is absent where time alone does not refill it", Do: "Wait until the allowance resets, which is what Retry-After and X-Calls-Reset say, or move to a higher plan. Repeated requests with If-None-Match cost nothing when nothing has changed."}
	refusedLocked    = Refusal{Slug: "key_locked", Status: 402, Means: "the key of an agent is locked and this call is not part of its challenge", Do: "Make the three calls of the challenge and send the answers to challenge.answer_to.", Audit: true}
	PlanRequired     = Refusal{Slug: "plan_required", Status: 402, Means: "the endpoint needs a higher plan", Do: "The message names the plan. Move to it on your account page, or use an endpoint of your plan."}
	refusedNotAgent  = Refusal{Slug: "not_an_agent_key", Status: 409, Means: "the key is not one of an agent", Do: "Use the key that POST /agent-key gave."}
	refusedAdmin     = Refusal{Slug: "bad_admin_token", Status: 401, Means: "the admin token is missing or wrong", Do: "Send the admin token as Authorization: Bearer; keys of the service do not work here.", Audit: true}
	refusedNotPublic = Refusal{Slug: "not_public", Status: 403, Means: "the endpoint serves a page of the site and is no part of the public API", Do: "Ask on the page, at /ask, or use the endpoint that the answer there names."}
	refusedNotFound  = Refusal{Slug: "not_found", Status: 404, Means: "there is no such endpoint", Do: "Check the path. /api/v1 lists the endpoints."}
)

// Those of answers in pages.
var (
	CursorStale = Refusal{Slug: "cursor_stale", Status: 400, Means: "the cursor belongs to an earlier build of the dataset", Do: "Start again from the first page; the dataset was rebuilt since the cursor was given."}
	CursorOther = Refusal{Slug: "cursor_mismatch", Status: 400, Means: "the cursor belongs to another request", Do: "Send a cursor with the filters and the endpoint that it came from."}
)

// invalid is the error of a request that failed validation.
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

// InvalidBody is the refusal of a field of a request body, or of all of it when
// the field is empty.
func InvalidBody(field, kind string, ctx any, message string) error {
	loc := []any{"body"}
	if field != "" {
		loc = append(loc, field)
	}
	return &invalid{[]client.Problem{{Loc: loc, Type: kind, Ctx: ctx, Msg: message}}}
}

// Detailed is an error that says more than words: the members of its detail, a
// struct, stand beside those of the Failure. An operation lists the types of
// its details.
type Detailed interface {
	error
	Detail() any
}

// detailed is a failure with the members of a detail.
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

// explain turns an error into a Fault that may leave the process. Anything
// that was not written for a reader becomes an internal error, and the second
// result tells the caller to log it.
func (t *table) explain(err error) (f *fault.Fault, hidden bool) {
	if meant, ok := fault.Of(err); ok && t.status(meant.Slug) != http.StatusInternalServerError {
		return meant, false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fault.New(refusedTimeout.Slug, "The request took too long and was stopped.").
			Try("narrow the filter, or ask again in a moment"), false
	}
	return fault.New(refusedInternal.Slug, "Something broke on our side. It has been recorded under the request_id."), true
}
