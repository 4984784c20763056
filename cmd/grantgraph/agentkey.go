package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"grantgraph/internal/agent/httpsig"
	"grantgraph/internal/api/agentkeys"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
)

// agentCmd is the side of an automated agent: it gets keys from a service,
// answers their challenges, and makes what a signing agent needs. It knows the
// service only by its address.
type agentCmd struct {
	Mint      agentMintCmd      `cmd:"" help:"Ask a service for a key, anonymously or signed."`
	Answer    agentAnswerCmd    `cmd:"" help:"Answer the challenge of a locked key."`
	Challenge agentChallengeCmd `cmd:"" help:"Show the challenge of a locked key, or get the next one of a spent key."`
	Keygen    agentKeygenCmd    `cmd:"" help:"Make the keypair of an agent that signs."`
	Directory agentDirectoryCmd `cmd:"" help:"Print or serve the key directory of an agent."`
	Sign      agentSignCmd      `cmd:"" help:"Print the headers of a signed request."`
}

// Help is shown by agent-key --help.
func (agentCmd) Help() string {
	return `An agent gets a key without an account. An anonymous key arrives locked, with two or
three questions about the rows of three calls; answering them unlocks it. A signed request
gets a key with more calls and no questions.

    grantgraph agent-key mint --url URL --purpose TEXT --source TEXT --interactive

    grantgraph agent-key keygen --out agent.jwk
    grantgraph agent-key mint --jwk agent.jwk --agent https://HOST --url URL --purpose TEXT --source TEXT

A key can also be given as GRANTGRAPH_KEY, which other users of the machine do not see.`
}

// agentService is the part of the flags that says which service is meant.
type agentService struct {
	URL  string `name:"url" help:"Address of the service." required:"" placeholder:"URL"`
	JSON bool   `name:"json" help:"Print the answer as the service gave it, as JSON."`
}

// printed is done when there is nothing to say in words: the answer was an
// error, or JSON is wanted. Programs get what the service said of either, all
// of it, in a form that people can read too.
func (c *agentService) printed(a *app, got *agentReply, err error) (done bool, _ error) {
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
	var b bytes.Buffer
	if bad := json.Indent(&b, bytes.TrimSpace(raw), "", "  "); bad != nil {
		return true, bad
	}
	b.WriteByte('\n')
	if _, bad := b.WriteTo(a.Out); bad != nil {
		return true, bad
	}
	return true, err
}

// agentTalk is the part of the flags that says whether there is somebody to
// ask.
type agentTalk struct {
	Interactive *bool `negatable:"" help:"Make the calls, show their rows and ask the questions here; done on a terminal unless --json or --no-interactive is given."`
}

// wanted decides whether to ask.
func (c *agentTalk) wanted(a *app, asJSON bool) (bool, error) {
	if c.Interactive != nil {
		if *c.Interactive && asJSON {
			return false, fault.New("bad_flag", "--json and --interactive do not go together").Try("leave one of them out")
		}
		return *c.Interactive, nil
	}
	f, ok := a.In.(*os.File)
	return ok && !asJSON && term.IsTerminal(int(f.Fd())), nil
}

// rest waits between two answers. Tests have one that takes no time.
type rest func(context.Context, time.Duration) error

// idle is the rest of real life.
func idle(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type agentMintCmd struct {
	agentService `embed:""`
	agentTalk    `embed:""`
	Purpose      string `help:"What the key is for; recorded, not verified." required:"" placeholder:"TEXT"`
	Source       string `help:"How you learned of the service; recorded, not verified." required:"" placeholder:"TEXT"`
	JWK          string `name:"jwk" help:"Sign the request with this key, made by agent-key keygen." placeholder:"FILE"`
	Agent        string `help:"Address of the agent whose directory publishes the key, for --jwk." placeholder:"https://HOST"`
	Bare         bool   `help:"Send Signature-Agent in its older form, a bare string."`
}

// Help is shown by agent-key mint --help.
func (agentMintCmd) Help() string {
	return `Prints the key on the first line, then what it may do. The key is shown this once.
Without --jwk the key is anonymous and locked until its questions are answered, here with
--interactive or later with agent-key answer. With --jwk and --agent the request is signed
and the key works at once; the public key has to be in the directory of the agent by then.`
}

func (c *agentMintCmd) Run(a *app) error { return c.run(a, idle) }

func (c *agentMintCmd) run(a *app, pause rest) error {
	talk, err := c.wanted(a, c.JSON)
	if err != nil {
		return err
	}
	client, err := newAgentClient(c.URL, "")
	if err != nil {
		return err
	}
	signer, err := c.signer(a)
	if err != nil {
		return err
	}
	got, err := client.post(a.Ctx, "", agentkeys.MintRequest{Purpose: c.Purpose, Source: c.Source}, signer)
	if done, err := c.printed(a, got, err); done {
		return err
	}
	// The key stands alone on the first line, for scripts, and is out before
	// anything can go wrong.
	client.key = got.APIKey
	fmt.Fprintf(a.Out, "%s\n\n", clean(got.APIKey))
	return talkOver(a, client, got, talk, pause)
}

// signer is nil when the request is to be anonymous.
func (c *agentMintCmd) signer(a *app) (*httpsig.Signer, error) {
	switch {
	case c.JWK == "" && c.Agent == "" && !c.Bare:
		return nil, nil
	case c.JWK == "" || c.Agent == "":
		return nil, fault.New("bad_flag", "a signed request needs both --jwk and --agent").
			Try("--jwk agent.jwk --agent https://agent.example; grantgraph agent-key keygen makes the file")
	}
	key, err := readPair(a, c.JWK)
	return &httpsig.Signer{Key: key, Agent: c.Agent, Bare: c.Bare}, err
}

// talkOver prints the state of a key and, where somebody is there to ask, goes
// through its challenge.
func talkOver(a *app, client *agentClient, got *agentReply, talk bool, pause rest) error {
	client.describe(a.Out, got)
	if got.Challenge == nil {
		return nil
	}
	if !talk {
		client.printChallenge(a.Out, got.Challenge)
		fmt.Fprintf(a.Out, "\nAnswer:  grantgraph agent-key answer --url %s --key KEY%s\n", client.base, strings.Repeat(" 'ANSWER'", len(got.Challenge.Questions)))
		return nil
	}
	done, err := newInterview(a, client, pause).run(a.Ctx, got.Challenge)
	if err != nil {
		return err
	}
	client.describe(a.Out, done)
	return nil
}

type agentAnswerCmd struct {
	agentService `embed:""`
	Key          secret.Text `help:"The locked key." required:"" placeholder:"KEY"`
	Answers      []string    `arg:"" name:"answer" help:"One answer for each question, in their order."`
}

// Help is shown by agent-key answer --help.
func (agentAnswerCmd) Help() string {
	return `Amounts may have a dollar sign and commas; organizations are a name or an EIN. Put each
answer in single quotes, and -- before the first if one begins with a hyphen.

    grantgraph agent-key answer --url URL --key KEY '$120,000' '00-0000004'

The exit code is 1 when not every answer is right.`
}

func (c *agentAnswerCmd) Run(a *app) error {
	client, err := newAgentClient(c.URL, c.Key.Reveal())
	if err != nil {
		return err
	}
	got, err := client.answer(a.Ctx, c.Answers)
	if done, err := c.printed(a, got, err); done {
		var no *agentRefusal
		if errors.As(err, &no) && no.said.Challenge != nil && !c.JSON {
			client.printChallenge(a.Out, no.said.Challenge)
		}
		return err
	}
	client.describe(a.Out, got)
	return nil
}

type agentChallengeCmd struct {
	agentService `embed:""`
	agentTalk    `embed:""`
	Key          secret.Text `help:"The locked or spent key." required:"" placeholder:"KEY"`
}

// Help is shown by agent-key challenge --help.
func (agentChallengeCmd) Help() string {
	return `A key whose calls are spent gets a new challenge; answering it gives another ten calls,
as often as you like until the key ends. A locked key is told its present challenge again.`
}

func (c *agentChallengeCmd) Run(a *app) error { return c.run(a, idle) }

func (c *agentChallengeCmd) run(a *app, pause rest) error {
	talk, err := c.wanted(a, c.JSON)
	if err != nil {
		return err
	}
	client, err := newAgentClient(c.URL, c.Key.Reveal())
	if err != nil {
		return err
	}
	got, err := client.post(a.Ctx, "/challenge", nil, nil)
	if done, err := c.printed(a, got, err); done {
		return err
	}
	return talkOver(a, client, got, talk, pause)
}
