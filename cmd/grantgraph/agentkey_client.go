package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/terminal"
)

// Bounds on the answers of a service, which may be hostile. The largest honest answer is a page of ten rows.
const (
	agentTimeout = 30 * time.Second
	maxReply     = 1 << 20
	maxAsked     = 16 // questions, and calls, of a challenge
)

// newClient makes a client for the service at an address. If the connection is not
// encrypted, it prints a warning and goes on, as commands have always done.
func newClient(errs io.Writer, address string, o client.Options) (*client.Client, error) {
	o.UserAgent = "grantgraph/" + programVersion()
	c, err := client.New(address, o)
	if client.SlugOf(err) == client.SlugPlainHTTP {
		fmt.Fprintf(errs, "warning: the connection to %s is not encrypted; others on the way can read the key\n", printable(address))
		o.PlainHTTP = true
		c, err = client.New(address, o)
	}
	return c, explained(err)
}

// explained puts an error of the client into the words of this program, whose users have flags.
func explained(err error) error {
	var e *client.Error
	if !errors.As(err, &e) {
		return err
	}
	f := fault.New(e.Slug, "%s", printable(e.Message)).Try("%s", printable(e.Hint))
	f.Err = err
	switch e.Slug {
	case client.SlugBadAddress:
		f.Slug, f.Message = "bad_flag", "--url: "+f.Message
		f.Try("--url https://grants.example.org")
	case client.SlugRedirect:
		f.Try("that address for --url, if you trust it")
	case client.SlugUnreachable:
		f.Try("check --url, and that the service is running")
	case client.SlugUnexpected:
		f.Slug = "answer"
		f.Try("check --url: it should be the address of a Grantgraph service, and a proxy in front of it may be the cause")
	}
	return f
}

// agentClient speaks to a service with the key of an agent. Of the calls that a challenge names it takes the
// path and the query alone, so that the key goes to the address it was given and nowhere else.
type agentClient struct{ *client.Client }

// newAgentClient makes a client for the service at an address, with or without the path of its API.
func newAgentClient(errs io.Writer, address, key string, pause pauseFunc) (*agentClient, error) {
	c, err := newClient(errs, address, client.Options{Key: key, Timeout: agentTimeout, MaxAnswer: maxReply, Pause: pause})
	return &agentClient{c}, err
}

type agentReply struct {
	client.AgentKeyAnswer
	raw []byte
}

// agentRefusal is an answer of a service that is an error, with its words as the fault.
type agentRefusal struct {
	*fault.Fault
	failure client.AgentAttempt
	raw     []byte
}

func (r *agentRefusal) Unwrap() error { return r.Fault }

// post sends a request to one of the addresses of agent keys. Without a signer the request is not signed. It
// is never sent twice, because a request whose answer was lost has counted.
func (c *agentClient) post(ctx context.Context, path string, body any, signer *httpsig.Signer) (*agentReply, error) {
	r := client.Request{Method: http.MethodPost, Path: "/agent-key" + path, Body: body, Once: true}
	if signer != nil {
		r.Sign = signer.Sign
	}
	resp, err := c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	got := &agentReply{raw: resp.Body}
	if err := json.Unmarshal(resp.Body, &got.AgentKeyAnswer); err != nil || !plausible(&got.AgentKeyAnswer) {
		return nil, unexpected(c.Client, "is not about the key of an agent")
	}
	return got, nil
}

// plausible checks an answer for everything that later code relies on.
func plausible(a *client.AgentKeyAnswer) bool {
	if a.APIKey == "" || !slices.Contains([]string{"locked", "unlocked", "spent"}, a.Status) {
		return false
	}
	if a.Status == "locked" {
		return a.Challenge != nil && answerable(a.Challenge)
	}
	return a.Challenge == nil
}

func answerable(c *client.AgentChallenge) bool {
	return len(c.Questions) > 0 && len(c.Questions) <= maxAsked && len(c.Calls) <= maxAsked
}

func (c *agentClient) sendAnswers(ctx context.Context, answers []string) (*agentReply, error) {
	return c.post(ctx, "/answer", client.AnswerRequest{Answers: answers}, nil)
}

// rows makes a call of a challenge and gives the rows of its page.
func (c *agentClient) rows(ctx context.Context, call client.AgentCall) ([]agentRow, error) {
	named, err := url.Parse(call.URL)
	path, ours := "", false
	if err == nil && call.Method == http.MethodGet {
		_, path, ours = strings.Cut(named.EscapedPath(), api.Versioned+"/")
	}
	if !ours {
		return nil, unexpected(c.Client, "names a call that cannot be made: "+printable(call.Method+" "+call.URL))
	}
	resp, err := c.do(ctx, client.Request{Path: "/" + path, Query: named.Query()})
	if err != nil {
		return nil, err
	}
	var page struct {
		Results []agentRow `json:"results"`
	}
	d := json.NewDecoder(bytes.NewReader(resp.Body))
	d.UseNumber()
	if err := d.Decode(&page); err != nil {
		return nil, unexpected(c.Client, "to "+printable(named.Path)+" is not a page of rows")
	}
	return page.Results, nil
}

func (c *agentClient) do(ctx context.Context, r client.Request) (*client.Response, error) {
	resp, err := c.Do(ctx, r)
	var e *client.Error
	if err == nil || !errors.As(err, &e) || e.Body == nil {
		return resp, explained(err)
	}
	no := &agentRefusal{raw: e.Body}
	if err := json.Unmarshal(e.Body, &no.failure); err != nil || no.failure.Challenge != nil && !answerable(no.failure.Challenge) {
		return nil, unexpected(c.Client, "has a challenge that cannot be answered")
	}
	no.Fault, _ = fault.Of(explained(err))
	if no.Hint == "" && e.Status == http.StatusNotFound {
		no.Try("check --url; not every service issues keys to agents")
	}
	return nil, no
}

// unexpected is the error of an answer that no service of ours would give.
func unexpected(c *client.Client, what string) error {
	return fault.New("answer", "the response of %s %s", c.Address(), what).Try("check --url: it should be the address of a Grantgraph service")
}

type agentRow map[string]any

// cell is a field as the table shows it: a dash if the field is null or missing.
func (r agentRow) cell(field string) string {
	s := ""
	switch v := r[field].(type) {
	case string:
		s = strings.Join(strings.Fields(printable(v)), " ")
	case json.Number:
		s = v.String()
		if n, err := v.Int64(); err == nil && strings.HasSuffix(field, "amount") {
			s = terminal.Count(n)
		}
	}
	if s == "" {
		return "–"
	}
	return shorten(s, maxCell)
}

// maxCell is how many characters of a field are shown. Questions are only about shorter texts.
const maxCell = 90

// printable makes a text from a service safe for a terminal. Of control characters it keeps only line breaks.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || unicode.IsGraphic(r) && r != unicode.ReplacementChar:
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return '?'
	}, s)
}
