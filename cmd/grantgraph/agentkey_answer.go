package main

import (
	"errors"

	"grantgraph/internal/secret"
	"grantgraph/internal/terminal"
)

type agentAnswerCmd struct {
	agentServiceFlags `embed:""`
	Key               secret.Text `help:"The locked key." required:"" placeholder:"KEY"`
	Answers           []string    `arg:"" name:"answer" help:"One answer for each question, in order."`
}

func (c *agentAnswerCmd) Run(a *terminal.App) error {
	client, err := newAgentClient(a.Err, c.URL, c.Key.Reveal(), sleep)
	if err != nil {
		return err
	}
	got, err := client.sendAnswers(a.Ctx, c.Answers)
	if done, err := c.printReply(a, got, err); done {
		var no *agentRefusal
		if errors.As(err, &no) && no.failure.Challenge != nil && !c.JSON {
			client.printChallenge(a.Out, no.failure.Challenge)
		}
		return err
	}
	client.printKey(a.Out, got)
	return nil
}
