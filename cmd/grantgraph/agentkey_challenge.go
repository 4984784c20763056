package main

import (
	"grantgraph/internal/secret"
	"grantgraph/internal/terminal"
)

type agentChallengeCmd struct {
	agentServiceFlags `embed:""`
	agentDialogFlags  `embed:""`
	Key               secret.Text `help:"The key, locked or with no calls left." required:"" placeholder:"KEY"`
}

func (c *agentChallengeCmd) Run(a *terminal.App) error { return c.run(a, sleep) }

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
