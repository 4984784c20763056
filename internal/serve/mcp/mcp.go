// Package mcp serves language models: it speaks the Model Context Protocol over
// HTTP, and over pipes with a program on the same machine.
//
// Each operation of the API is a tool with the same parameters, descriptions and price. A call becomes a request to the API and
// takes all of its steps: keys, plans, metering, refusals and the pinned dataset. This package turns the answer into a result
// that a model can read: totals first, rows as tables, within bounds.
//
// The service keeps no state between requests.
package mcp

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/budget"
)

const Path = "/mcp"

//go:embed instructions.txt
var instructions string

type Config struct {
	// Reference is the table of operations.
	Reference *api.Reference
	// API answers the requests that calls become. It is the API in this process (see InProcess) or that of another server.
	API http.RoundTripper
	// Authorize adds credentials to a request. asked is the header of the call, whose key a nil Authorize passes on.
	Authorize func(r *http.Request, asked http.Header) *http.Request

	Version string // of the program
	// Address returns the network address of a client; nil uses the connection's.
	Address func(*http.Request) string
	// Payer returns the account that pays for a client, who then has places of its own, or "". Nil knows nobody.
	Payer func(*http.Request) string
	// Budget bounds the memory of all requests together; nil is unbounded.
	Budget *budget.Budget
	Log    *slog.Logger // nil means no log
}

// Service serves the tools, the resources and the prompts.
type Service struct {
	Config
	tools  []*tool
	named  map[string]string // tools by the path of their operation, with its method and without
	server *mcp.Server
	stream http.Handler
	places budget.Places
	cards  map[string]document // by path
}

// Bounds on concurrent calls of strangers and of paying callers, in all and of one.
const (
	callsAtOnce = 64
	callsOfOne  = 8
)

func New(c Config) (*Service, error) {
	if c.Reference == nil || c.API == nil {
		return nil, errors.New("mcp: Reference and API are needed")
	}
	if c.Authorize == nil {
		c.Authorize = withKey
	}
	if c.Address == nil {
		c.Address = func(r *http.Request) string { return r.RemoteAddr }
	}
	if c.Payer == nil {
		c.Payer = func(*http.Request) string { return "" }
	}
	c.Version = cmp.Or(c.Version, "devel")
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	s := &Service{Config: c, places: budget.NewPlaces(callsAtOnce, callsOfOne)}
	s.makeTools()
	s.server = mcp.NewServer(&mcp.Implementation{Name: "grantgraph", Title: "Grantgraph", Version: c.Version, WebsiteURL: c.Reference.Base()}, &mcp.ServerOptions{
		Instructions: strings.TrimSpace(instructions),
		Logger:       slog.New(slog.DiscardHandler), // the SDK would log what strangers send
		PageSize:     200,                           // all lists are short
		// The lists do not change while the program runs, so clients get no change notices.
		Capabilities:      &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{}},
		CompletionHandler: s.complete,
		SetCacheable: func(_ context.Context, r mcp.Request, c *mcp.Cacheable) {
			if _, read := r.(*mcp.ReadResourceRequest); !read { // a resource says itself whether it changes
				*c = listsKept
			}
		},
	})
	s.server.AddReceivingMiddleware(s.guarded)
	for _, t := range s.tools {
		s.server.AddTool(t.described(), s.calling(t))
	}
	if err := s.addResources(); err != nil {
		return nil, err
	}
	s.addTemplates()
	s.addPrompts()
	s.stream = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		// ServeHTTP checks Origin. Behind a proxy on the same machine, Host is public.
		DisableLocalhostProtection: true,
	})
	s.cards = s.documents()
	return s, nil
}

// listsKept is how long a client may cache what changes only with a new version of the program.
var listsKept = mcp.Cacheable{TTLMs: int(time.Hour.Milliseconds())}

// guarded refuses methods that would keep a connection open, since nothing changes, and turns a panic into an error: messages
// run in goroutines of the SDK, where it would end the process. Reading a damaged mapped file counts as a panic.
func (s *Service) guarded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (_ mcp.Result, err error) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			if p := recover(); p != nil {
				s.Log.Error("a message panicked", slog.String("method", method), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
				err = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Something broke on our side; it has been recorded."}
			}
		}()
		if method == methodListen || method == "resources/subscribe" {
			return nil, notOffered(method)
		}
		// The SDK would write an unknown name with such characters as no JSON.
		if read, ok := r.(*mcp.ReadResourceRequest); ok && strings.ContainsFunc(read.Params.URI, func(c rune) bool { return !strconv.IsPrint(c) }) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found"}
		}
		return next(ctx, method, r)
	}
}

// Serve answers one client over pipes until the client hangs up.
func (s *Service) Serve(ctx context.Context, t mcp.Transport) error { return s.server.Run(ctx, t) }
