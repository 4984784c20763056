package httpsig

import (
	"errors"

	"grantgraph/internal/fault"
)

// The causes for which a signature is refused. Test for them with errors.Is;
// the Fault around them says in words what was wrong and what to do.
var (
	// ErrNone says that the request carries no signature at all, which is no
	// offence.
	ErrNone = errors.New("the request is not signed")

	ErrMalformed = errors.New("a signature header cannot be read")
	ErrTag       = errors.New("no signature, or more than one, is made for this purpose")
	ErrCoverage  = errors.New("the signature does not cover what it must")
	ErrComponent = errors.New("a covered component cannot be evaluated")
	ErrParameter = errors.New("a signature parameter is missing or out of bounds")
	ErrAlgorithm = errors.New("the algorithm is not Ed25519")
	ErrTime      = errors.New("the signature is not valid at this time")
	ErrAgent     = errors.New("the Signature-Agent cannot be used")
	ErrDirectory = errors.New("the key directory cannot be read")
	ErrKey       = errors.New("the directory does not hold a usable key of that name")
	ErrMismatch  = errors.New("the signature does not match")
	ErrReplay    = errors.New("the signature was used before")
)

// refuse makes the Fault for a cause.
func refuse(cause error, format string, args ...any) *fault.Fault {
	f := fault.New("bad_signature", format, args...)
	f.Err = cause
	return f
}

// clip shortens what a stranger wrote for use in a message.
func clip(s string) string {
	if len(s) > 64 {
		return s[:64] + "…"
	}
	return s
}
