package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"grantgraph/internal/account"
)

// secret is the key a request carries, empty when it carries none.
func secret(h http.Header) string {
	if key := strings.TrimSpace(h.Get("X-API-Key")); key != "" {
		return key
	}
	scheme, token, _ := strings.Cut(strings.TrimSpace(h.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return ""
}

// authenticate finds the key of a request and checks that it may call the
// operation. Once the key is known its balance goes into the headers, whatever
// becomes of the request.
func (s *server) authenticate(ctx context.Context, h http.Header, reply *reply, op *Operation) (account.KeyInfo, error) {
	given := secret(h)
	if given == "" {
		return account.KeyInfo{}, account.NoKey()
	}
	key, err := s.Accounts.Authenticate(ctx, given)
	if err != nil {
		return key, err
	}
	balance, err := s.Accounts.Balance(ctx, key.ID)
	if err != nil {
		return key, err
	}
	reply.balance(balance)
	return key, key.Require(op.Access.scope())
}

// balance writes what is left of an allowance into the headers.
func (r *reply) balance(b account.Balance) {
	r.header.Set("X-Calls-Limit", strconv.Itoa(b.Limit))
	r.header.Set("X-Calls-Remaining", strconv.Itoa(b.Remaining))
	if !b.Reset.IsZero() {
		r.header.Set("X-Calls-Reset", b.Reset.UTC().Format("2006-01-02T15:04:05Z"))
	}
}
