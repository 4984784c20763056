package main

import (
	"fmt"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/agent/httpsig"
	"grantgraph/internal/terminal"
)

type agentMintCmd struct {
	agentServiceFlags `embed:""`
	agentDialogFlags  `embed:""`
	Purpose           string `help:"What the key is for; recorded, not verified." required:"" placeholder:"TEXT"`
	Source            string `help:"How you learned of the service; recorded, not verified." required:"" placeholder:"TEXT"`
	JWK               string `name:"jwk" help:"Sign the request with this key, made by agent-key keygen." placeholder:"FILE"`
	Agent             string `help:"Address of the agent whose directory publishes the key, for --jwk." placeholder:"https://HOST"`
	Bare              bool   `help:"Send Signature-Agent in its older form, as a bare string."`
}

func (c *agentMintCmd) Run(a *terminal.App) error { return c.run(a, sleep) }

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
	// The key is alone on the first line, for scripts, and is printed before
	// anything can go wrong.
	fmt.Fprintf(a.Out, "%s\n\n", printable(got.APIKey))
	if service, err = newAgentClient(a.Err, c.URL, got.APIKey, pause); err != nil {
		return err
	}
	return printKeyAndAsk(a, service, got, talk, pause)
}

// signer is nil when the request is to be anonymous.
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
