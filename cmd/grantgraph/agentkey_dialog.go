package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"grantgraph/client"
	"grantgraph/internal/fault"
	"grantgraph/internal/plural"
	"grantgraph/internal/terminal"
)

func (c *agentClient) printKey(w io.Writer, a *agentReply) error {
	return pages.Print(w, "agent_key", struct {
		Key     *agentReply
		Address string
	}{a, c.Address()})
}

func answerForm(kind string) string {
	switch kind {
	case "integer":
		return "whole dollars"
	case "organization":
		return "a name or an EIN"
	case "text":
		return "the wording"
	}
	return printable(kind)
}

func duration(seconds int) string { return plural.Count(seconds, "second", "seconds") }

// challengeDialog goes through a challenge with the person at the keyboard.
type challengeDialog struct {
	client *agentClient
	in     *bufio.Scanner
	out    io.Writer
	pause  pauseFunc
}

const (
	// longestWait bounds the wait that a service may ask for.
	longestWait = 10 * time.Minute
	// mostEarly is how many times an answer that came too soon is sent again.
	mostEarly = 5
)

// run asks until the key is unlocked.
func (v *challengeDialog) run(ctx context.Context, ch *client.AgentChallenge) (*agentReply, error) {
	for {
		if err := v.showRows(ctx, ch); err != nil {
			return nil, err
		}
		if ch.RetryAfterS > 0 {
			fmt.Fprintln(v.out) // the tables end here
		}
		if err := v.wait(ctx, ch.RetryAfterS); err != nil {
			return nil, err
		}
		got, next, err := v.answerChallenge(ctx, ch)
		if err != nil || next == nil {
			return got, err
		}
		fmt.Fprintln(v.out, "\nThere is a new challenge.")
		ch = next
	}
}

// answerChallenge asks the questions of one challenge until all answers are right or the service sends another challenge.
func (v *challengeDialog) answerChallenge(ctx context.Context, ch *client.AgentChallenge) (*agentReply, *client.AgentChallenge, error) {
	var answers []string // nil until they are asked for, and after wrong ones
	for early := 1; ; early++ {
		if answers == nil {
			var err error
			if answers, err = v.ask(ctx, ch.Questions); err != nil {
				return nil, nil, err
			}
			early = 1
		}
		got, err := v.client.sendAnswers(ctx, answers)
		if err == nil {
			fmt.Fprintln(v.out, "\nAll answers are right.")
			return got, nil, nil
		}
		var no *agentRefusal
		if !errors.As(err, &no) {
			return nil, nil, err
		}
		soon := no.Slug == "answer_too_soon" && early < mostEarly
		if no.failure.Challenge == nil && no.Slug != "wrong_answer" && !soon {
			return nil, nil, err
		}
		fmt.Fprintf(v.out, "\n%s\n", no.Message)
		if no.failure.Challenge != nil {
			return nil, no.failure.Challenge, nil
		}
		if left := no.failure.AttemptsLeft; left != nil {
			fmt.Fprintf(v.out, "Attempts left: %d.\n", *left)
		}
		seconds := 0
		if no.failure.RetryAfterS != nil {
			seconds = *no.failure.RetryAfterS
		}
		if soon {
			seconds = max(1, seconds)
		} else {
			answers = nil
		}
		if err := v.wait(ctx, seconds); err != nil {
			return nil, nil, err
		}
	}
}

func (v *challengeDialog) wait(ctx context.Context, seconds int) error {
	if seconds <= 0 {
		return nil
	}
	if seconds > int(longestWait/time.Second) {
		return fault.New("long_wait", "the next answer cannot be sent for another %s", duration(seconds)).Try("%s", v.resumeHint())
	}
	fmt.Fprintf(v.out, "Waiting %s before the next answer.\n", duration(seconds))
	if err := v.pause(ctx, time.Duration(seconds)*time.Second); err != nil {
		return v.interrupted(err)
	}
	return nil
}

func (v *challengeDialog) resumeHint() string {
	return fmt.Sprintf("continue later with:  grantgraph agent-key challenge --interactive --url %s --key KEY", v.client.Address())
}

func (v *challengeDialog) interrupted(err error) error {
	f := fault.New("stopped", "stopped; the key stays locked").Try("%s", v.resumeHint())
	f.Err = err
	return f
}

// columnsByCall are the fields of a row that questions are about, by the last word of the path of the call.
var columnsByCall = map[string][]string{
	"transactions": {"recip_name", "recip_ein", "amount", "purpose"},
	"recipients":   {"recip_name", "recip_ein", "total_amount", "first_fiscal_year", "last_fiscal_year"},
	"funders":      {"funder_name", "funder_ein", "total_amount", "first_fiscal_year", "last_fiscal_year"},
}

// showRows makes the calls of a challenge and prints their rows. Rows are numbered from 1, as the questions do.
func (v *challengeDialog) showRows(ctx context.Context, ch *client.AgentChallenge) error {
	for i, call := range ch.Calls {
		rows, err := v.client.rows(ctx, call)
		if err != nil {
			return err
		}
		fmt.Fprintf(v.out, "\nCall %d: %s %s\n\n", i+1, printable(call.Method), printable(call.URL))
		fields := fieldsOf(call, rows)
		header := []string{">row"}
		for _, f := range fields {
			if strings.HasSuffix(f, "amount") {
				f = ">" + f
			}
			header = append(header, printable(f))
		}
		t := terminal.NewTable(header...)
		for n, row := range rows {
			cells := []any{terminal.Count(n + 1)}
			for _, f := range fields {
				cells = append(cells, row.cell(f))
			}
			t.Add(cells...)
		}
		t.Print(v.out)
	}
	return nil
}

// fieldsOf picks the fields to show. For a call that this version does not know it picks all fields that have a simple value.
func fieldsOf(call client.AgentCall, rows []agentRow) []string {
	if u, err := url.Parse(call.URL); err == nil {
		if known, ok := columnsByCall[path.Base(u.Path)]; ok {
			return known
		}
	}
	var fields []string
	for _, row := range rows {
		for f := range row {
			if row.cell(f) != "–" && !slices.Contains(fields, f) {
				fields = append(fields, f)
			}
		}
	}
	slices.Sort(fields)
	return fields
}

// ask asks the questions and returns the answers. It repeats a question until the answer is not empty.
func (v *challengeDialog) ask(ctx context.Context, questions []client.AgentQuestion) ([]string, error) {
	answers := make([]string, len(questions))
	for i, q := range questions {
		fmt.Fprintf(v.out, "\nQuestion %d of %d: %s\n", i+1, len(questions), printable(q.Text))
		for answers[i] == "" {
			fmt.Fprintf(v.out, "[%s] > ", answerForm(q.AnswerType))
			line, err := v.readLine(ctx)
			if err != nil {
				fmt.Fprintln(v.out)
				return nil, err
			}
			answers[i] = strings.TrimSpace(line)
		}
	}
	return answers, nil
}

// readLine reads a line in a goroutine of its own, because a read from a keyboard
// cannot be canceled and an interrupt must not wait for it.
func (v *challengeDialog) readLine(ctx context.Context) (string, error) {
	read := make(chan bool, 1)
	go func() { read <- v.in.Scan() }()
	select {
	case <-ctx.Done():
		return "", v.interrupted(ctx.Err())
	case ok := <-read:
		if ok {
			return v.in.Text(), nil
		}
	}
	if err := v.in.Err(); err != nil {
		return "", fault.New("no_answer", "the input cannot be read; the key stays locked: %w", err).Try("%s", v.resumeHint())
	}
	return "", fault.New("no_answer", "the input ended before the challenge was answered; the key stays locked").Try("%s", v.resumeHint())
}
