package main

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/mcp"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/terminal"
)

type mcpCmd struct {
	Data    string `help:"Data directory to answer from." default:"data" placeholder:"DIR"`
	URL     string `name:"url" help:"Answer from the service at this address instead." placeholder:"URL"`
	KeyFile string `name:"key-file" placeholder:"FILE"`
}

func (c *mcpCmd) Run(a *terminal.App) error {
	tools, done, err := c.tools(a)
	if err != nil {
		return err
	}
	defer done()
	err = tools.Serve(a.Ctx, &sdk.IOTransport{Reader: io.NopCloser(a.In), Writer: unclosed{a.Out}})
	if errors.Is(err, io.EOF) || a.Ctx.Err() != nil {
		return nil // the program that started this one is done
	}
	return err
}

// unclosed is an output that Close leaves open.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

func (c *mcpCmd) tools(a *terminal.App) (tools *mcp.Service, done func(), err error) {
	if c.URL != "" {
		tools, err = c.remote(a)
		return tools, func() {}, err
	}
	if c.KeyFile != "" {
		return nil, nil, fault.New("bad_flag", "--key-file is for --url; local data needs no key").Try("grantgraph mcp --data DIR")
	}
	s, err := serve.Open(serve.Options{
		Data: c.Data, BaseURL: "http://localhost", SQL: &sqlbox.Options{Workers: 1},
		Version: programVersion(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, nil, err
	}
	if tools, err = s.Tools(); err != nil {
		s.Close()
		return nil, nil, err
	}
	return tools, s.Close, nil
}

// remote returns tools for those operations of a service that this program knows.
func (c *mcpCmd) remote(a *terminal.App) (*mcp.Service, error) {
	key, err := readKey(c.KeyFile)
	if err != nil {
		return nil, err
	}
	service, err := newClient(a.Err, c.URL, client.Options{Key: key, Timeout: toolTimeout, MaxAnswer: maxReply})
	if err != nil {
		return nil, err
	}
	offered, err := service.Operations(a.Ctx)
	if err != nil {
		return nil, explained(err)
	}
	if len(offered.Operations) == 0 {
		return nil, unexpected(service, "is not a list of operations")
	}
	base := service.Address()
	examples, err := serve.Examples(base)
	if err != nil {
		return nil, err
	}
	for i := range examples.Groups {
		g := &examples.Groups[i]
		g.Operations = slices.DeleteFunc(g.Operations, func(op api.Operation) bool {
			return !slices.ContainsFunc(offered.Operations, func(e client.Entry) bool { return e.ID == op.ID })
		})
	}
	reference, err := api.Describe(base, examples)
	if err != nil {
		return nil, err
	}
	return mcp.New(mcp.Config{
		Reference: reference, API: newPassing(base), Version: programVersion(),
		Authorize: func(r *http.Request, _ http.Header) *http.Request {
			r.Header.Set("User-Agent", "grantgraph/"+programVersion())
			if key != "" {
				r.Header.Set("X-API-Key", key)
			}
			return r
		},
	})
}

// toolTimeout is longer than any operation may take.
const toolTimeout = time.Minute

// passing sends the requests of tools to the service at an address, without change, and returns the answers,
// refusals included. Like the client it follows no redirect, so that the key is sent to that address only.
type passing struct {
	base string
	http *http.Client
}

func newPassing(base string) passing {
	return passing{base, &http.Client{
		Timeout:       toolTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (p passing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := p.http.Do(r)
	if err != nil && r.Context().Err() != nil {
		return nil, r.Context().Err() // nobody waits for it any more
	}
	if u := (*url.Error)(nil); errors.As(err, &u) {
		return nil, fault.New("unreachable", "%s does not respond: %w", p.base, u.Err).Try("check --url, and that the service is running")
	}
	return resp, err
}
