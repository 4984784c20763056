package httpsig

import (
	"errors"

	"grantgraph/internal/fault"
)

// The causes for which a signature is refused, for errors.Is. The Fault around them has the words.
var (
	// ErrNone means that the request has no signature, which is allowed.
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

// hints say what to do about a cause. A refusal may have a better hint.
var hints = map[error]string{
	ErrMalformed: "write Signature-Input, Signature and Signature-Agent as structured fields, as in RFC 9421, section 4",
	ErrTag:       "make one signature with the parameter tag=" + Tag,
	ErrCoverage:  "cover at least what the rules for signing name",
	ErrComponent: "cover what the request has, each once, named as in RFC 9421, section 2",
	ErrParameter: "give the signature the parameters that the rules for signing name",
	ErrAlgorithm: "sign with Ed25519",
	ErrTime:      "set the clock and sign each request again",
	ErrAgent:     "name an https address with a public host in lower case",
	ErrDirectory: "serve the key directory over https, as the rules for signing say",
	ErrKey:       "publish the key in the directory and name it by its thumbprint",
	ErrMismatch:  "sign exactly what is sent, with the key that keyid names",
	ErrReplay:    "sign each request again, with another nonce",
}

func refuse(cause error, format string, args ...any) *fault.Fault {
	f := fault.New("bad_signature", format, args...)
	f.Err, f.Hint = cause, hints[cause]
	return f
}

const maxQuoted = 64
