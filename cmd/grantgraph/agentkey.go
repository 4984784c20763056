package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/agent/httpsig"
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
