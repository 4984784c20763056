package api

import (
	"errors"
	"net/http"
	"strconv"

	"grantgraph/internal/serve/account"
)

// Seconds after which a client may ask again, where the error does not say.
const (
	retryNoDataset = 30 // the server is opening its first dataset
	retryLacking   = 60 // a part of the dataset is out of service
	retryBusy      = 5  // any other 503
)

func (r *reply) askAgain(seconds int) { r.header.Set("Retry-After", strconv.Itoa(seconds)) }

// setRetryAfter tells the client when to ask again, and reports whether the error
// said so. An error that carries a wait decides: an allowance that resets (402), a
// limit on how often something may be done (429), or a store that is busy (503).
// A 402 or 429 without a wait has no Retry-After, because waiting alone does not
// help; a 503 always has one.
func (r *reply) setRetryAfter(err error) bool {
	var wait *account.WaitError
	if errors.As(err, &wait) {
		r.askAgain(account.Seconds(wait.Wait))
		return true
	}
	if r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") == "" {
		r.askAgain(retryBusy)
	}
	return false
}
