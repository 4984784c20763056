// Package api is the HTTP interface of the service. One table of operations says what can be called, by whom, at what cost,
// with which parameters and with which answers. The router, the metering, the OpenAPI document, the catalogue and llms.txt all
// follow from that table.
//
// A request goes through fixed steps: authenticate, read and validate the parameters, compare the ETag, take memory, charge,
// run, and hold the memory until the last byte is written. A request that is refused before any data is read therefore costs
// nothing.
//
// The package is the engine: table, call, parameters, envelope, errors, rendering, OpenAPI. It contains no operations.
// Operations are in the packages below it, each with an operations.json that describes them. The service passes them to New.
package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/budget"
	"grantgraph/internal/snapshot"
)

// Accounts knows keys and meters them; every *account.Store is one.
type Accounts interface {
	Authenticate(ctx context.Context, secret string) (account.KeyInfo, error)
	Balance(ctx context.Context, id string) (account.Balance, error)
	Charge(ctx context.Context, id string, cost int) (account.Balance, error)
	// TakeScreen takes the one screening of the owner of a key, if it is the first. ReturnScreen gives it back.
	TakeScreen(ctx context.Context, id string) (first bool, err error)
	ReturnScreen(ctx context.Context, id string) error
}

// Dataset is the data that one request is answered from. The engine asks for its description; operations read its data.
type Dataset interface {
	// Snapshot describes the snapshot behind it.
	Snapshot() *snapshot.Manifest
	// Lists names the editions of the compliance lists in it.
	Lists() string
}

type Config struct {
	// BaseURL is the address that clients see, without a trailing slash.
	BaseURL string
	// Groups are the operations.
	Groups []Group
	// Examples answer example=.
	Examples Examples

	Accounts Accounts
	// Acquire returns the dataset to answer from, nil for none, and what gives it back after the last byte.
	Acquire func() (Dataset, func())
	Clock   func() time.Time // nil means time.Now
	Log     *slog.Logger     // nil means no log

	// Budget holds the memory of all requests together; nil means no limit.
	Budget *budget.Budget
	// Patience is how long an answer may stay unread before it is cut off; 0 means ten seconds.
	Patience time.Duration

	// Admit sees a request with a key before its parameters are read, and may refuse or limit it. Nil admits all.
	Admit func(ctx context.Context, c *Call, query url.Values) error
	// Address is the network address of a client; nil means that of the connection.
	Address func(*http.Request) string
	// Panicked is called when a request panicked, as with a damaged mapped file; nil does nothing.
	Panicked func()
	// Local has every answer say that agents may sign with keys at localhost.
	Local bool
	// AdminToken opens the operations for billing systems; if empty, nobody has access.
	AdminToken secret.Text
}

// Examples are the same operations over invented parts, so that an example is answered by the same code as a real request.
type Examples struct {
	Groups []Group
	Data   Dataset
	Key    string // that the caller has
}

// Handler answers the API routes, the OpenAPI documents, /llms.txt and the API catalogue. Every other path gets the 404 envelope.
type Handler struct {
	config       Config
	table        *operationTable
	examples     *operationTable
	openapi      func() ([]byte, error)
	openapiAdmin func() ([]byte, error)
	overview     []byte // llms.txt
	audit        audit  // nil when the store keeps no audit trail
	limiter      limiter
}

func New(c Config) (*Handler, error) {
	base, err := CheckBase(c.BaseURL)
	if err != nil {
		return nil, err
	}
	c.BaseURL = base
	if c.Accounts == nil || c.Acquire == nil {
		return nil, errors.New("api: Accounts and Acquire are needed")
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Panicked == nil {
		c.Panicked = func() {}
	}
	c.Patience = cmp.Or(c.Patience, 10*time.Second)
	if c.Address == nil {
		c.Address = func(r *http.Request) string { return r.RemoteAddr }
	}
	if n := len(c.AdminToken.Reveal()); n > 0 && n < minAdminToken {
		return nil, fault.New("short_admin_token", "the admin token has %d characters, at least %d are needed", n, minAdminToken).
			Try("use 32 random characters, or none to have no admin endpoints")
	}
	s := &Handler{config: c}
	if s.table, err = newTable(c.Groups); err != nil {
		return nil, err
	}
	if s.examples, err = newTable(c.Examples.Groups); err != nil {
		return nil, err
	}
	for i := range s.table.ops {
		if id := s.table.ops[i].ID; s.examples.op(id) == nil {
			return nil, fmt.Errorf("api: the examples do not have %s", id)
		}
	}
	s.audit, _ = c.Accounts.(audit)
	s.openapi = sync.OnceValues(func() ([]byte, error) { return OpenAPI(base, c.Examples, false) })
	s.openapiAdmin = sync.OnceValues(func() ([]byte, error) { return OpenAPI(base, c.Examples, true) })
	s.overview = s.llms()
	return s, nil
}

const minAdminToken = 16

// Route is the path of the operation that a request is for, with nothing that the client sent, or empty.
func (s *Handler) Route(path string) string {
	if ops, _ := s.table.routes.find(path); ops != nil {
		return ops[0].Path
	}
	if w, ok := s.table.withholds(path); ok {
		return w.Path
	}
	return ""
}

// CheckBase reads the address of a service, and gives it without a slash at its end.
func CheckBase(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.RawQuery != "" || u.Fragment != "" {
		return "", fault.New("bad_base_url", "%q is not the address of a site", base).Try("--base-url https://grants.example.org")
	}
	return strings.TrimRight(base, "/"), nil
}
