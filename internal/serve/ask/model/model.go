// Package model asks a language model to put a question that the reader does not understand into words that the reader
// understands. The model names nothing that the question does not name, and leaves out no number (ask.Faithful). The reader
// finds the organizations, and the figures come from the API, which the model never sees.
//
// We do not trust the endpoint. It may hang, lie, send without end or redirect. Whatever it does wrong, the question counts as
// not understood. We never log a question.
package model

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/network"
)

// Limits on the use of a model.
const (
	longest    = 10 * time.Second // total time to wait for a wording
	mostAnswer = 64 << 10         // bytes of a response from the endpoint
	mostTokens = 300              // length of the wording in tokens
	atOnce     = 4                // questions at the same time
)

// Options say where the model is.
type Options struct {
	URL  string      // address of an OpenAI-compatible API, such as https://models.example.org/v1
	Name string      // the endpoint's name for the model; empty lets the endpoint choose
	Key  secret.Text // sent as a bearer token; empty for none

	Client *http.Client     // nil creates a client
	Clock  func() time.Time // nil uses the machine's clock
	Log    *slog.Logger     // nil means no log
}

// Model is a language model behind an endpoint. It is safe for concurrent use.
type Model struct {
	options Options
	url     string
	wait    time.Duration // total time to wait for a wording
	slots   chan struct{}
	breaker breaker
}

// Open checks the options. It does not contact the endpoint until the first question.
func Open(o Options) (*Model, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New("bad_flag", "--ask-model is not the address of an API").Try("--ask-model https://models.example.org/v1, with the key in a file " +
			"that --ask-model-key-file names")
	}
	if !o.Key.Empty() && u.Scheme == "http" && !network.LocalHost(u.Hostname()) {
		return nil, fault.New("bad_flag", "--ask-model would send its key to %s without encryption", u.Host).Try("an https address, or no key")
	}
	if !strings.HasSuffix(u.Path, "/chat/completions") {
		u = u.JoinPath("chat", "completions")
	}
	if o.Client == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxResponseHeaderBytes = 16 << 10
		transport.DisableCompression = true // so that the size limit applies to unpacked bytes
		o.Client = &http.Client{Transport: transport}
	}
	client := *o.Client
	// Do not follow redirects: the question and the key are meant for this address only.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.Client = &client
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Model{options: o, url: u.String(), wait: longest, slots: make(chan struct{}, atOnce)}, nil
}

// Name is the model's name for people to read.
func (m *Model) Name() string { return cmp.Or(m.options.Name, "of the operator") }

// broken is a failure of the endpoint, which counts for the breaker. Like every
// error here it contains nothing of the question or of the answer.
type broken string

func (b broken) Error() string { return string(b) }

// late is the failure of an endpoint that takes too long.
const late = broken("the endpoint did not answer in time")

//go:embed instructions.txt
var instructions string // sent to the model before the question

// Fill finds a wording of a question that read understands, or says why it cannot.
func (m *Model) Fill(ctx context.Context, question string, read func(wording string) (*ask.Plan, error)) (*ask.Plan, error) {
	plan, err := m.fill(ctx, question, read)
	if err != nil && ctx.Err() == nil {
		m.options.Log.Warn("the language model gave no question that can be answered", "reason", err.Error())
	}
	return plan, err
}

func (m *Model) fill(ctx context.Context, question string, read func(wording string) (*ask.Plan, error)) (*ask.Plan, error) {
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	default:
		return nil, errors.New("as many questions are with the model as it may have at once")
	}
	if !m.breaker.enter(m.options.Clock()) {
		return nil, errors.New("the endpoint failed several times in a row and is left alone for a while")
	}
	content, err := m.complete(ctx, question)
	var b broken
	m.breaker.leave(m.options.Clock(), errors.As(err, &b) && ctx.Err() == nil)
	if err != nil {
		return nil, err
	}
	var said struct{ Question string }
	switch err := ask.Decode(content, &said); {
	case err != nil:
		return nil, errors.New("the model did not answer with a question")
	case said.Question == "":
		return nil, errors.New("the model has no other words for the question")
	}
	return read(said.Question)
}

func (m *Model) complete(ctx context.Context, question string) (content string, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.wait)
	defer cancel()
	asked, err := json.Marshal(map[string]string{"question": question})
	if err != nil {
		return "", err
	}
	body := map[string]any{"messages": []message{{"system", instructions}, {"user", string(asked)}}, "temperature": 0, "max_tokens": mostTokens,
		"stream": false, "response_format": map[string]string{"type": "json_object"}}
	if m.options.Name != "" {
		body["model"] = m.options.Name
	}
	content, status, err := m.once(ctx, body)
	if status == http.StatusBadRequest {
		delete(body, "response_format") // some endpoints do not support this parameter
	}
	again := status == 0 || status == http.StatusBadRequest || status == http.StatusTooManyRequests || status >= 500
	if err != nil && again && ctx.Err() == nil {
		content, _, err = m.once(ctx, body)
	}
	return content, err
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// once sends one request. The status is 0 if there was no response.
func (m *Model) once(ctx context.Context, question map[string]any) (content string, status int, err error) {
	body, err := json.Marshal(question)
	if err != nil {
		return "", 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if !m.options.Key.Empty() {
		r.Header.Set("Authorization", "Bearer "+m.options.Key.Reveal())
	}
	answer, err := m.options.Client.Do(r)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", 0, late
	case err != nil:
		return "", 0, broken("the endpoint cannot be reached")
	}
	defer answer.Body.Close()
	status = answer.StatusCode
	if status != http.StatusOK {
		return "", status, broken(fmt.Sprint("the endpoint answers ", status))
	}
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return "", status, broken("the endpoint does not answer JSON")
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return "", status, late
	case err != nil:
		return "", status, broken("the answer of the endpoint broke off")
	case len(text) > mostAnswer:
		return "", status, broken(fmt.Sprintf("the answer of the endpoint is longer than %d bytes", mostAnswer))
	}
	content, err = choice(text)
	return content, status, err
}

// choice reads the answer of the endpoint.
func choice(text []byte) (content string, err error) {
	var said struct {
		Choices []struct {
			Finish  string `json:"finish_reason"`
			Message message
		}
	}
	if err := json.Unmarshal(text, &said); err != nil || len(said.Choices) == 0 || said.Choices[0].Message.Content == "" {
		return "", broken("the answer of the endpoint is not one of a model")
	}
	if said.Choices[0].Finish == "length" {
		return "", errors.New("the wording was cut off")
	}
	return said.Choices[0].Message.Content, nil
}

// After this many failures in a row, we stop asking the endpoint for a while.
const (
	mostFailures = 3
	rest         = time.Minute
)

// breaker keeps visitors from waiting for an endpoint that does not answer.
// After a pause, one question tests whether the endpoint answers again.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time // of the pause
}

// enter reports whether the endpoint may be asked. If so, the caller must call leave.
func (b *breaker) enter(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < mostFailures {
		return true
	}
	if now.Before(b.until) {
		return false
	}
	b.until = now.Add(rest) // for everybody but this question
	return true
}

// leave records whether the request succeeded.
func (b *breaker) leave(now time.Time, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !failed {
		b.failures = 0
		return
	}
	b.failures++
	b.until = now.Add(rest)
}
