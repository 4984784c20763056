// Package model asks a language model to turn a question that the reader does
// not understand into a plan. The model only fills the plan. We parse its
// output strictly, and every organization, place, year and amount must be in
// the words of the question. Our own search finds the organizations, and the
// figures come from the API, which the model never sees.
//
// We do not trust the endpoint. It may hang, lie, send without end or redirect.
// Whatever it does wrong, the question counts as not understood. We never log a
// question.
package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/ask"
)

// Limits on the use of a model.
const (
	longest    = 10 * time.Second // total time to wait for a plan
	mostAnswer = 64 << 10         // bytes of a response from the endpoint
	mostTokens = 1000             // length of the plan in tokens
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
	wait    time.Duration // total time to wait for a plan
	slots   chan struct{}
	breaker breaker
}

// Open checks the options. It does not contact the endpoint until the first
// question.
func Open(o Options) (*Model, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New("bad_flag", "--ask-model is not the address of an API").Try("--ask-model https://models.example.org/v1, with the key in a file " +
			"that --ask-model-key-file names")
	}
	if !o.Key.Empty() && u.Scheme == "http" && !local(u.Hostname()) {
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
	// Do not follow redirects: the question and the key are meant for this
	// address only.
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

// local reports whether a host is this machine.
func local(host string) bool {
	at, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && at.IsLoopback()
}

// Name is the model's name for people to read.
func (m *Model) Name() string {
	if m.options.Name != "" {
		return m.options.Name
	}
	return "of the operator"
}

// failure is why there is no plan. Its text contains nothing of the question or
// of the answer. A failure of the endpoint counts for the breaker.
type failure struct {
	why      string
	endpoint bool
}

func (f *failure) Error() string { return f.why }

func broken(format string, args ...any) error { return &failure{fmt.Sprintf(format, args...), true} }

func refused(why string) error { return &failure{why, false} }

// Fill turns a question into a plan that can be run, or says why it cannot.
// Resolve finds the organization that words name.
func (m *Model) Fill(ctx context.Context, question string, resolve func(words string) (ask.Party, bool)) (*ask.Plan, error) {
	plan, err := m.fill(ctx, question, resolve)
	if err != nil && ctx.Err() == nil {
		m.options.Log.Warn("the language model gave no plan that can be run", "reason", err.Error())
	}
	return plan, err
}

func (m *Model) fill(ctx context.Context, question string, resolve func(words string) (ask.Party, bool)) (*ask.Plan, error) {
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	default:
		return nil, refused("as many questions are with the model as it may have at once")
	}
	if !m.breaker.enter(m.options.Clock()) {
		return nil, refused("the endpoint failed several times in a row and is left alone for a while")
	}
	content, err := m.complete(ctx, question)
	var f *failure
	m.breaker.leave(m.options.Clock(), errors.As(err, &f) && f.endpoint && ctx.Err() == nil)
	if err != nil {
		return nil, err
	}
	plan, err := parse(content)
	if err != nil {
		return nil, err
	}
	if err := ground(plan, question, resolve); err != nil {
		return nil, err
	}
	if err := plan.Validate(); err != nil {
		return nil, refused("the plan is not of the vocabulary")
	}
	return plan, nil
}

// complete asks the endpoint and returns the model's text. It asks a second
// time if the first failure may be temporary.
func (m *Model) complete(ctx context.Context, question string) (content string, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.wait)
	defer cancel()
	format := &responseFormat{"json_object"}
	for try := 0; ; try++ {
		var status int
		content, status, err = m.once(ctx, question, format)
		if err == nil || try > 0 || ctx.Err() != nil {
			return content, err
		}
		switch {
		case status == http.StatusBadRequest:
			format = nil // some endpoints do not support this parameter
		case status == 0 || status == http.StatusTooManyRequests || status >= 500:
		default:
			return "", err
		}
	}
}

type responseFormat struct {
	Type string `json:"type"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// once sends one request. The status is 0 if there was no response.
func (m *Model) once(ctx context.Context, question string, format *responseFormat) (content string, status int, err error) {
	asked, err := json.Marshal(map[string]string{"question": question})
	if err != nil {
		return "", 0, err
	}
	body, err := json.Marshal(struct {
		Model       string          `json:"model,omitempty"`
		Messages    []message       `json:"messages"`
		Temperature float64         `json:"temperature"`
		MaxTokens   int             `json:"max_tokens"`
		Stream      bool            `json:"stream"`
		Format      *responseFormat `json:"response_format,omitempty"`
	}{m.options.Name, []message{{"system", instructions()}, {"user", string(asked)}}, 0, mostTokens, false, format})
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
	if err != nil {
		if ctx.Err() != nil {
			return "", 0, broken("the endpoint did not answer in time")
		}
		return "", 0, broken("the endpoint cannot be reached")
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", answer.StatusCode, broken("the endpoint answers %d", answer.StatusCode)
	}
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return "", answer.StatusCode, broken("the endpoint does not answer JSON")
	}
	content, err = read(ctx, answer.Body)
	return content, answer.StatusCode, err
}

// read reads the answer of the endpoint.
func read(ctx context.Context, body io.Reader) (content string, err error) {
	text, err := io.ReadAll(io.LimitReader(body, mostAnswer+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return "", broken("the endpoint did not answer in time")
	case err != nil:
		return "", broken("the answer of the endpoint broke off")
	case len(text) > mostAnswer:
		return "", broken("the answer of the endpoint is longer than %d bytes", mostAnswer)
	}
	var said struct {
		Choices []struct {
			Finish  string `json:"finish_reason"`
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(text, &said); err != nil || len(said.Choices) == 0 || said.Choices[0].Message.Content == "" {
		return "", broken("the answer of the endpoint is not one of a model")
	}
	if said.Choices[0].Finish == "length" {
		return "", refused("the plan was cut off")
	}
	return said.Choices[0].Message.Content, nil
}
