package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/mcp"
	"grantgraph/internal/serve/sqlbox"
)

type mcpCmd struct {
	Data    string `help:"Data directory to answer from." default:"data" placeholder:"DIR"`
	URL     string `name:"url" help:"Answer from the service at this address instead." placeholder:"URL"`
	KeyFile string `name:"key-file" help:"File with the API key for --url. Default: the key in the environment variable GRANTGRAPH_KEY, or none." placeholder:"FILE"`
}

// Help is shown by mcp --help.
func (mcpCmd) Help() string {
	return `Speaks the Model Context Protocol over standard input and output, so that a program
with a language model can use the tools of this service. It is started by that program:

    {"mcpServers": {"grantgraph": {"command": "grantgraph", "args": ["mcp", "--data", "DIR"]}}}

With --data it answers from a data directory on this machine, without a key, and nothing
is counted. With --url it passes calls on to a service, which counts them on the key.`
}

func (c *mcpCmd) Run(a *app) error {
	tools, done, err := c.tools(a.Ctx)
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

// unclosed is an output that stays open for whoever has it next.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// tools are those over local data, or over a service.
func (c *mcpCmd) tools(ctx context.Context) (tools *mcp.Service, done func(), err error) {
	if c.URL != "" {
		tools, err = c.remote(ctx)
		return tools, func() {}, err
	}
	if c.KeyFile != "" {
		return nil, nil, fault.New("bad_flag", "--key-file is for --url; local data needs no key").Try("grantgraph mcp --data DIR")
	}
	s, err := serve.Open(serve.Options{Data: c.Data, BaseURL: "http://localhost", SQL: &sqlbox.Options{Workers: 1}, Version: programVersion(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, nil, err
	}
	if tools, err = s.Tools(); err != nil {
		s.Close()
		return nil, nil, err
	}
	return tools, s.Close, nil
}

// remote are the tools over a service: those of its operations that this program
// knows.
func (c *mcpCmd) remote(ctx context.Context) (*mcp.Service, error) {
	key, err := readKey(c.KeyFile)
	if err != nil {
		return nil, err
	}
	client, err := newAgentClient(c.URL, key)
	if err != nil {
		return nil, err
	}
	client.http.Timeout = toolTimeout
	offered, err := client.operations(ctx)
	if err != nil {
		return nil, err
	}
	base := client.base.String()
	examples, err := serve.Examples(base)
	if err != nil {
		return nil, err
	}
	for i := range examples.Groups {
		g := &examples.Groups[i]
		g.Operations = slices.DeleteFunc(g.Operations, func(op api.Operation) bool { return !slices.Contains(offered, op.ID) })
	}
	reference, err := api.Describe(base, examples)
	if err != nil {
		return nil, err
	}
	return mcp.New(mcp.Config{
		Reference: reference, API: passing{client}, Version: programVersion(),
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

// passing sends requests to a service. Like every client here it follows no
// redirect, so that the key goes nowhere else.
type passing struct{ *agentClient }

func (p passing) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := p.http.Do(r)
	if err != nil {
		return nil, p.unreachable(r.Context(), err)
	}
	return resp, nil
}

// operations asks a service what it offers.
func (c *agentClient) operations(ctx context.Context) (ids []string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.String()+api.Versioned, nil)
	if err != nil {
		return nil, err
	}
	raw, err := c.do(r)
	if err != nil {
		return nil, err
	}
	var listing api.Listing
	if err := json.Unmarshal(raw, &listing); err != nil || len(listing.Operations) == 0 {
		return nil, c.unexpected("is not a list of operations")
	}
	for _, op := range listing.Operations {
		ids = append(ids, op.ID)
	}
	return ids, nil
}
