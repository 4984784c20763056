package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/serve/api/agentkeys"
)

// The bounds of what is believed of a service. Its largest answer here is a
// page of ten rows.
const (
	agentTimeout = 30 * time.Second
	maxReply     = 1 << 20
	maxAsked     = 16 // questions, and calls, of a challenge
)

// agentClient speaks to a service with the key of an agent. It sends the key
// to the address it was given and nowhere else: it follows no redirect, and of
// the calls that a challenge names it takes the path and the query alone.
type agentClient struct {
	base *url.URL
	key  string
	http *http.Client
}

// newAgentClient makes a client for the service at an address, with or without
// the path of its API.
func newAgentClient(address, key string) (*agentClient, error) {
	u, err := url.Parse(strings.TrimSuffix(strings.TrimRight(address, "/"), "/api/v1"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New("bad_flag", "--url %q is not the address of a service", address).Try("--url https://grants.example.org")
	}
	return &agentClient{base: u, key: key, http: &http.Client{
		Timeout:       agentTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// agentReply is the state of a key, and the bytes it was read from.
type agentReply struct {
	agentkeys.AgentKeyAnswer
	raw []byte
}

// agentRefusal is an answer of a service that is an error, with its words as
// the fault.
type agentRefusal struct {
	*fault.Fault
	failure struct {
		api.Failure
		agentkeys.Attempt
	}
	raw []byte
}

func (r *agentRefusal) Unwrap() error { return r.Fault }

// post sends a request to one of the addresses of agent keys. A body that is
// nil is none, a signer that is nil signs nothing.
func (c *agentClient) post(ctx context.Context, path string, body any, signer *httpsig.Signer) (*agentReply, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.String()+"/api/v1/agent-key"+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if signer != nil {
		if err := signer.Sign(r); err != nil {
			return nil, err
		}
	}
	raw, err := c.do(r)
	if err != nil {
		return nil, err
	}
	got := &agentReply{raw: raw}
	if err := json.Unmarshal(raw, &got.AgentKeyAnswer); err != nil || !plausible(&got.AgentKeyAnswer) {
		return nil, c.unexpected("is not about the key of an agent")
	}
	return got, nil
}

// plausible holds an answer against what is relied on later.
func plausible(a *agentkeys.AgentKeyAnswer) bool {
	if a.APIKey == "" || !slices.Contains([]string{"locked", "unlocked", "spent"}, a.Status) {
		return false
	}
	if a.Status == "locked" {
		return a.Challenge != nil && answerable(a.Challenge)
	}
	return a.Challenge == nil
}

func answerable(c *agentkeys.AgentChallenge) bool {
	return len(c.Questions) > 0 && len(c.Questions) <= maxAsked && len(c.Calls) <= maxAsked
}

// sendAnswers sends answers to the challenge of the key.
func (c *agentClient) sendAnswers(ctx context.Context, answers []string) (*agentReply, error) {
	return c.post(ctx, "/answer", agentkeys.AnswerRequest{Answers: answers}, nil)
}

// rows makes a call of a challenge and gives the rows of its page.
func (c *agentClient) rows(ctx context.Context, call agentkeys.AgentCall) ([]agentRow, error) {
	named, err := url.Parse(call.URL)
	if err != nil || call.Method != http.MethodGet || !strings.HasPrefix(named.Path, "/") {
		return nil, c.unexpected("names a call that cannot be made: " + printable(call.Method+" "+call.URL))
	}
	address := *c.base
	address.Path, address.RawPath, address.RawQuery = named.Path, named.RawPath, named.RawQuery
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	raw, err := c.do(r)
	if err != nil {
		return nil, err
	}
	var page struct {
		Results []agentRow `json:"results"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&page); err != nil {
		return nil, c.unexpected("to " + address.Path + " is not a page of rows")
	}
	return page.Results, nil
}

// do sends a request and gives the content of a success.
func (c *agentClient) do(r *http.Request) ([]byte, error) {
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "grantgraph/"+programVersion())
	if c.key != "" {
		r.Header.Set("X-API-Key", c.key)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.unreachable(r.Context(), err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, c.unreachable(r.Context(), err)
	case len(raw) > maxReply:
		return nil, c.unexpected("has more than " + bytesize(maxReply))
	case resp.StatusCode == http.StatusOK:
		return raw, nil
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, fault.New("redirect", "%s redirects to another address, %s, and keys are not sent there", c.base, printable(resp.Header.Get("Location"))).
			Try("that address for --url, if you trust it")
	}
	no := &agentRefusal{raw: raw}
	if err := json.Unmarshal(raw, &no.failure); err != nil || no.failure.Message == "" {
		return nil, fault.New("answer", "%s responded with %s, and not in the format of this service", c.base, printable(resp.Status)).
			Try("check --url; a proxy in front of the service may be the cause")
	}
	if ch := no.failure.Challenge; ch != nil && !answerable(ch) {
		return nil, c.unexpected("has a challenge that cannot be answered")
	}
	no.Fault = fault.New(no.failure.Error, "%s", printable(no.failure.Message)).Try("%s", printable(no.failure.Hint))
	if no.Hint == "" && resp.StatusCode == http.StatusNotFound {
		no.Try("check --url; not every service issues keys to agents")
	}
	return nil, no
}

// unreachable explains a request that had no answer.
func (c *agentClient) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		f := fault.New("stopped", "stopped before %s responded", c.base)
		f.Err = ctx.Err()
		return f
	}
	// What failed is said by the cause; the request is named already.
	if u := (*url.Error)(nil); errors.As(err, &u) {
		err = u.Err
	}
	return fault.New("unreachable", "%s does not respond: %w", c.base, err).Try("check --url, and that the service is running")
}

// unexpected is the error of an answer that no service of ours would give.
func (c *agentClient) unexpected(what string) error {
	return fault.New("answer", "the response of %s %s", c.base, what).Try("check --url: it should be the address of a Grantgraph service")
}

// agentRow is a row of any of the calls.
type agentRow map[string]any

// cell is a field as it is shown. A field that is null or not there is a dash,
// so that columns stay columns.
func (r agentRow) cell(field string) string {
	s := ""
	switch v := r[field].(type) {
	case string:
		s = strings.Join(strings.Fields(printable(v)), " ")
	case json.Number:
		s = v.String()
		if n, err := v.Int64(); err == nil && strings.HasSuffix(field, "amount") {
			s = count(n)
		}
	}
	if s == "" {
		return "–"
	}
	return shorten(s, maxCell)
}

// maxCell is how much of a field is shown, in characters. The texts that
// questions are about are shorter.
const maxCell = 90

// printable makes a text from elsewhere fit for a terminal: it may break lines and
// nothing else.
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
