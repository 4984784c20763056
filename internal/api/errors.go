package api

import (
	"context"
	"errors"
	"net/http"

	"grantgraph/internal/budget"
	"grantgraph/internal/fault"
	"grantgraph/internal/sqlbox"
)

// Slugs name the ways in which a request can fail. They are part of the
// contract: a client may branch on them.
const (
	slugStrict        = "unsupported_parameter"
	slugProprietary   = "proprietary_subject"
	slugIDType        = "unsupported_id_type"
	slugQuery         = "malformed_query"
	slugTooMany       = "too_many_parameters"
	slugCursorStale   = "cursor_stale"
	slugCursorOther   = "cursor_mismatch"
	slugNoKey         = "no_key"
	slugUnknownKey    = "unknown_key"
	slugSpent         = "quota_exhausted"
	slugPlan          = "plan_required"
	slugInactive      = "account_inactive"
	slugNotFound      = "not_found"
	slugMethod        = "method_not_allowed"
	slugStalled       = "request_timeout"
	slugBodyTooLarge  = "body_too_large"
	slugURITooLong    = "uri_too_long"
	slugInvalid       = "invalid_request"
	slugHeaderTooLong = "headers_too_large"
	slugInternal      = "internal_error"
	slugNoDataset     = "no_dataset"
	slugDamaged       = "dataset_damaged"
	slugTimeout       = "timed_out"
	slugStore         = "store_unavailable"
	slugBusy          = budget.Busy

	// Those of agent keys.
	slugWrong       = "wrong_answer"
	slugExpired     = "key_expired"
	slugSignature   = "bad_signature"
	slugLocked      = "key_locked"
	slugNotDue      = "challenge_not_due"
	slugReplaced    = "challenge_replaced"
	slugNotAgent    = "not_an_agent_key"
	slugTooSoon     = "answer_too_soon"
	slugMints       = "too_many_mints"
	slugAttempts    = "too_many_attempts"
	slugNoChallenge = "no_challenge"

	// Those of SQL.
	slugSQLRejected    = sqlbox.Rejected
	slugSQLTooComplex  = sqlbox.TooComplex
	slugSQLTimeout     = sqlbox.TimedOut
	slugSQLFailed      = sqlbox.Failed
	slugSQLMemory      = sqlbox.OutOfMemory
	slugSQLTooLarge    = sqlbox.TooLarge
	slugSQLPro         = sqlbox.ProTable
	slugSQLConcurrent  = sqlbox.Concurrent
	slugSQLBusy        = sqlbox.Busy
	slugSQLUnavailable = sqlbox.Unavailable

	// Those of the admin endpoints.
	slugAdmin         = "bad_admin_token"
	slugNoSuchKey     = "no_such_key"
	slugNoSuchAccount = "no_such_account"
	slugPlanless      = "bad_plan"
)

// failures is the one place that gives a slug its status and says in general
// what it means.
var failures = []struct {
	slug   string
	status int
	means  string
}{
	{slugStrict, 400, "strict=1 was given and a parameter is unsupported or unrecognized"},
	{slugProprietary, 400, "subject has the shape of a code from a proprietary taxonomy"},
	{slugIDType, 400, "id_type is not ein"},
	{slugQuery, 400, "the query string cannot be decoded"},
	{slugTooMany, 400, "the query string has too many parameters"},
	{slugCursorStale, 400, "the cursor belongs to an earlier build of the dataset"},
	{slugCursorOther, 400, "the cursor belongs to another request"},
	{slugWrong, 400, "not every answer to the challenge is right"},
	{slugSQLRejected, 400, "the SQL is not one query that only reads the tables; it cost nothing if it was refused before it ran"},
	{slugSQLTooComplex, 400, "the SQL takes more to be read than a statement may, about a second of processor time; it cost a call"},
	{slugSQLTimeout, 400, "the query was stopped after 30 seconds; narrow it with a tax_year or funder_ein filter"},
	{slugSQLFailed, 400, "the query went wrong while it ran"},
	{slugSQLMemory, 400, "the query needs more memory than a query may use"},
	{slugSQLTooLarge, 400, "the rows of the answer have too many bytes"},
	{slugNoKey, 401, "no key was sent"},
	{slugUnknownKey, 401, "the key is not recognized"},
	{slugExpired, 401, "the key of an agent is over"},
	{slugSignature, 401, "the request is signed and its signature does not hold"},
	{slugAdmin, 401, "the admin token is missing or wrong"},
	{slugSpent, 402, "the allowance of the key is spent; Retry-After says in how many seconds it is whole again, and is absent where time alone does not refill it"},
	{slugPlan, 402, "the endpoint needs a higher plan"},
	{slugInactive, 402, "the account is inactive"},
	{slugLocked, 402, "the key of an agent is locked and this is none of the calls its challenge names"},
	{slugSQLPro, 403, "the SQL names a table of the Pro plan; there is no partial answer"},
	{slugNotFound, 404, "there is no such endpoint"},
	{slugNoSuchKey, 404, "there is no such key"},
	{slugNoSuchAccount, 404, "there is no such account"},
	{slugMethod, 405, "the endpoint does not answer this method; see the Allow header"},
	{slugStalled, 408, "the request body did not arrive in time"},
	{slugNotDue, 409, "no challenge is due: calls remain, or the tier has none"},
	{slugReplaced, 409, "the dataset changed since the challenge was drawn, or its attempts were used up; a new one is in the answer, and nothing was counted"},
	{slugNotAgent, 409, "the key is not one of an agent"},
	{slugPlanless, 409, "the key of an agent has a tier and cannot be moved to a plan"},
	{slugBodyTooLarge, 413, "the request body is too large"},
	{slugURITooLong, 414, "the address is too long"},
	{slugInvalid, 422, "a value cannot be read; detail says which"},
	{slugTooSoon, 429, "the answer came before its time and is not counted; see Retry-After"},
	{slugMints, 429, "too many keys were minted from the address; see Retry-After"},
	{slugAttempts, 429, "there were too many signed requests of one keypair; see Retry-After"},
	{slugSQLConcurrent, 429, "the owner of the key has as many queries running as may be; see Retry-After"},
	{slugHeaderTooLong, 431, "the request headers are too large"},
	{slugInternal, 500, "something broke on our side; quote the request_id"},
	{slugNoDataset, 503, "no dataset is being served yet"},
	{slugDamaged, 503, "a file that the answer needs is damaged, and out of service until another build is served"},
	{slugTimeout, 503, "the request took too long and was stopped"},
	{slugBusy, 503, "as many large requests are under way as memory allows; nothing was counted; see Retry-After"},
	{slugStore, 503, "the store of keys does not answer; see Retry-After"},
	{slugNoChallenge, 503, "the dataset is too small to draw a challenge from"},
	{slugSQLBusy, 503, "too many queries are waiting; see Retry-After"},
	{slugSQLUnavailable, 503, "the dataset being served has no warehouse, or no query can be run just now"},
}

// statusOf is the status of a slug. A slug that nobody listed is a mistake of
// ours, so it is a 500.
func statusOf(slug string) int {
	for _, f := range failures {
		if f.slug == slug {
			return f.status
		}
	}
	return http.StatusInternalServerError
}

// Problem is one reason why a request could not be validated.
type Problem struct {
	Loc   []any  `json:"loc" doc:"Where: query, path or body, then the name, then the position in a list." items:"string|integer"`
	Msg   string `json:"msg" doc:"What is wrong."`
	Type  string `json:"type" doc:"Stable identifier of the kind of problem."`
	Input any    `json:"input,omitempty" doc:"The value as sent, shortened."`
	Ctx   any    `json:"ctx,omitempty" doc:"The limits that apply."`
}

// invalid is the error of a request that failed validation.
type invalid struct{ problems []Problem }

func (e *invalid) Error() string {
	if len(e.problems) == 0 {
		return "the request is not valid"
	}
	p := e.problems[0]
	where := ""
	if len(p.Loc) > 1 {
		if s, ok := p.Loc[1].(string); ok {
			where = s + ": "
		}
	}
	return where + p.Msg
}

// Failure is the body of every error but a 422.
type Failure struct {
	Code      int    `json:"code" doc:"The HTTP status."`
	Message   string `json:"message" doc:"What went wrong, safe to show a user."`
	Error     string `json:"error" doc:"Stable identifier of the cause."`
	Hint      string `json:"hint,omitempty" doc:"What to do about it."`
	RequestID string `json:"request_id" doc:"Quote this when asking for help; also in X-Request-Id."`

	Attempt
	Service *Service `json:"x_service,omitempty"`
}

// Invalid is the body of a 422.
type Invalid struct {
	Detail    []Problem `json:"detail" doc:"The problems found, at most 50."`
	Code      int       `json:"code" doc:"The HTTP status."`
	Message   string    `json:"message" doc:"The first problem in words."`
	Error     string    `json:"error" doc:"Stable identifier of the cause."`
	RequestID string    `json:"request_id" doc:"Quote this when asking for help; also in X-Request-Id."`

	Service *Service `json:"x_service,omitempty"`
}

// explain turns an error into a Fault that may leave the process. Anything
// that was not written for a reader becomes an internal error, and the second
// result tells the caller to log it.
func explain(err error) (f *fault.Fault, hidden bool) {
	if known, ok := fault.Of(err); ok && statusOf(known.Slug) != http.StatusInternalServerError {
		return known, false
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fault.New(slugTimeout, "The request took too long and was stopped.").
			Try("narrow the filter, or ask again in a moment"), false
	}
	return fault.New(slugInternal, "Something broke on our side. It has been recorded under the request_id."), true
}
