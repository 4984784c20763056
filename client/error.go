package client

import (
	"errors"
	"strconv"
	"time"
)

// Error says why there is no answer. Slug names the cause and never changes; some slugs are of this package alone.
type Error struct {
	Slug       string        // stable identifier of the cause
	Message    string        // what went wrong
	Hint       string        // what to do about it; may be empty
	Docs       string        // where the cause is described; may be empty
	Status     int           // of HTTP; 0 without an answer
	RequestID  string        // to quote when asking for help; may be empty
	RetryAfter time.Duration // how long the service asks to wait; 0 when it does not say
	Problems   []Problem     // what could not be read of the request, on a 422
	Attempts   int           // how often it was tried
	Body       []byte        // the answer as it came; nil when it does not come from the service
	Err        error         // the cause, for errors.Is; may be nil

	again bool // another attempt may succeed
}

// Slugs of what does not come from the service.
const (
	SlugBadAddress  = "bad_address"       // the address is not that of a service
	SlugBadKey      = "bad_key"           // the key cannot be sent
	SlugBadRequest  = "bad_request"       // the request cannot be made
	SlugPlainHTTP   = "plain_http"        // the key would travel unencrypted
	SlugRedirect    = "redirect"          // the service is somewhere else, and the key is not sent there
	SlugUnreachable = "unreachable"       // nothing answered, or the connection broke
	SlugStopped     = "stopped"           // the context ended
	SlugUnexpected  = "unexpected_answer" // the answer does not come from such a service
)

func (e *Error) Error() string {
	s := e.Slug + ": " + e.Message
	if e.Status != 0 {
		s = strconv.Itoa(e.Status) + " " + s
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// SlugOf returns the slug of an error of this package, and an empty text for any other error.
func SlugOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Slug
	}
	return ""
}
