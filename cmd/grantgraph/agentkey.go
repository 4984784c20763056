package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/serve/api"
	"grantgraph/internal/terminal"
)

// agentCmd is for an automated agent that uses a service: it gets keys, answers their challenges, and makes
// key pairs and signatures. It knows the service only by its address.
type agentCmd struct {
	Mint      agentMintCmd      `cmd:"" help:"Ask a service for a key, anonymously or signed."`
	Answer    agentAnswerCmd    `cmd:"" help:"Answer the challenge of a locked key."`
	Challenge agentChallengeCmd `cmd:"" help:"Show the challenge of a locked key, or get a new one for a key with no calls left."`
	Keygen    agentKeygenCmd    `cmd:"" help:"Create a key pair for an agent that signs its requests."`
	Directory agentDirectoryCmd `cmd:"" help:"Print or serve the key directory of an agent."`
	Sign      agentSignCmd      `cmd:"" help:"Print the headers of a signed request."`
}

type agentServiceFlags struct {
	URL  string `name:"url" help:"Address of the service." required:"" placeholder:"URL"`
	JSON bool   `name:"json" help:"Print the service's response as JSON."`
}

// printReply handles an answer that is not put into words: an error, or any answer when the user wants JSON.
// It reports whether it did. JSON holds the whole answer of the service, indented.
func (c *agentServiceFlags) printReply(a *terminal.App, got *agentReply, err error) (done bool, _ error) {
	if !c.JSON {
		return err != nil, err
	}
	var raw []byte
	var no *agentRefusal
	switch {
	case err == nil:
		raw = got.raw
	case errors.As(err, &no):
		raw = no.raw
	default:
		return true, err
	}
	return true, cmp.Or(a.PrintJSON(json.RawMessage(raw)), err)
}

// agentDialogFlags are the flags that say whether a person can be asked.
type agentDialogFlags struct {
	Interactive *bool `negatable:""`
}

func (c *agentDialogFlags) interactive(a *terminal.App, asJSON bool) (bool, error) {
	if c.Interactive != nil {
		if *c.Interactive && asJSON {
			return false, fault.New("bad_flag", "--json and --interactive cannot be combined").Try("leave one of them out")
		}
		return *c.Interactive, nil
	}
	f, ok := a.In.(*os.File)
	return ok && !asJSON && term.IsTerminal(int(f.Fd())), nil
}

// pauseFunc waits between two answers. Tests have one that takes no time.
type pauseFunc func(context.Context, time.Duration) error

// printKeyAndAsk prints the state of a key. If a person can be asked, it goes through the challenge of the key.
func printKeyAndAsk(a *terminal.App, client *agentClient, got *agentReply, talk bool, pause pauseFunc) error {
	if err := client.printKey(a.Out, got); err != nil || got.Challenge == nil {
		return err
	}
	if !talk {
		if err := pages.Print(a.Out, "agent_challenge", got.Challenge); err != nil {
			return err
		}
		answers := strings.Repeat(" 'ANSWER'", len(got.Challenge.Questions))
		fmt.Fprintf(a.Out, "\nAnswer:  grantgraph agent-key answer --url %s --key KEY%s\n", client.Address(), answers)
		return nil
	}
	dialog := &challengeDialog{client: client, in: bufio.NewScanner(a.In), out: a.Out, pause: pause}
	done, err := dialog.run(a.Ctx, got.Challenge)
	if err != nil {
		return err
	}
	return client.printKey(a.Out, done)
}

type agentMintCmd struct {
	agentServiceFlags `embed:""`
	agentDialogFlags  `embed:""`
	Purpose           string `help:"What the key is for; recorded, not verified." required:"" placeholder:"TEXT"`
	Source            string `help:"How you learned of the service; recorded, not verified." required:"" placeholder:"TEXT"`
	JWK               string `name:"jwk" help:"Sign the request with this key, made by agent-key keygen." placeholder:"FILE"`
	Agent             string `help:"Address of the agent whose directory publishes the key, for --jwk." placeholder:"https://HOST"`
	Bare              bool   `help:"Send Signature-Agent in its older form, as a bare string."`
}

func (c *agentMintCmd) Run(a *terminal.App) error { return c.run(a, parallel.Pause) }

func (c *agentMintCmd) run(a *terminal.App, pause pauseFunc) error {
	talk, err := c.interactive(a, c.JSON)
	if err != nil {
		return err
	}
	service, err := newAgentClient(a.Err, c.URL, "", pause)
	if err != nil {
		return err
	}
	signer, err := c.signer(a)
	if err != nil {
		return err
	}
	got, err := service.post(a.Ctx, "", client.MintRequest{Purpose: c.Purpose, Source: c.Source}, signer)
	if done, err := c.printReply(a, got, err); done {
		return err
	}
	// The key is alone on the first line, for scripts, and is printed before anything can go wrong.
	fmt.Fprintf(a.Out, "%s\n\n", printable(got.APIKey))
	if service, err = newAgentClient(a.Err, c.URL, got.APIKey, pause); err != nil {
		return err
	}
	return printKeyAndAsk(a, service, got, talk, pause)
}

func (c *agentMintCmd) signer(a *terminal.App) (*httpsig.Signer, error) {
	switch {
	case c.JWK == "" && c.Agent == "" && !c.Bare:
		return nil, nil
	case c.JWK == "" || c.Agent == "":
		return nil, fault.New("bad_flag", "a signed request needs both --jwk and --agent").
			Try("--jwk agent.jwk --agent https://agent.example; create the file with grantgraph agent-key keygen")
	}
	key, err := readKeyPair(a, c.JWK)
	return &httpsig.Signer{Key: key, Agent: c.Agent, Bare: c.Bare}, err
}

type agentAnswerCmd struct {
	agentServiceFlags `embed:""`
	Key               secret.Text `help:"The locked key." required:"" placeholder:"KEY"`
	Answers           []string    `arg:"" name:"answer" help:"One answer for each question, in order."`
}

func (c *agentAnswerCmd) Run(a *terminal.App) error {
	client, err := newAgentClient(a.Err, c.URL, c.Key.Reveal(), parallel.Pause)
	if err != nil {
		return err
	}
	got, err := client.sendAnswers(a.Ctx, c.Answers)
	if done, err := c.printReply(a, got, err); done {
		if no, ok := errors.AsType[*agentRefusal](err); ok && no.failure.Challenge != nil && !c.JSON {
			err = cmp.Or(pages.Print(a.Out, "agent_challenge", no.failure.Challenge), err)
		}
		return err
	}
	return client.printKey(a.Out, got)
}

type agentChallengeCmd struct {
	agentServiceFlags `embed:""`
	agentDialogFlags  `embed:""`
	Key               secret.Text `help:"The key, locked or with no calls left." required:"" placeholder:"KEY"`
}

func (c *agentChallengeCmd) Run(a *terminal.App) error { return c.run(a, parallel.Pause) }

func (c *agentChallengeCmd) run(a *terminal.App, pause pauseFunc) error {
	talk, err := c.interactive(a, c.JSON)
	if err != nil {
		return err
	}
	client, err := newAgentClient(a.Err, c.URL, c.Key.Reveal(), pause)
	if err != nil {
		return err
	}
	got, err := client.post(a.Ctx, "/challenge", nil, nil)
	if done, err := c.printReply(a, got, err); done {
		return err
	}
	return printKeyAndAsk(a, client, got, talk, pause)
}

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
