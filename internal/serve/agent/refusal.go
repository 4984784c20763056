package agent

import (
	"fmt"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/account"
)

const (
	WrongAnswer  = "wrong_answer"
	BadSignature = "bad_signature"
	Replaced     = "challenge_replaced"
	TooSoon      = "answer_too_soon"
	TooManyMints = "too_many_mints"
	NoChallenge  = "no_challenge"
)

type NotAccepted struct {
	*fault.Fault
	Left int           // attempts left
	Wait time.Duration // before the next attempt
	Next *State        // the key with its new challenge, if it has one
}

func (n *NotAccepted) Unwrap() error { return n.Fault }

// notAccepted makes a refusal after which the same challenge stands.
func notAccepted(f *fault.Fault, o account.Outcome) error {
	if o.Wait > 0 {
		f.Err = &account.WaitError{Wait: o.Wait}
	}
	return &NotAccepted{Fault: f, Left: o.Left, Wait: o.Wait}
}

func tooSoon(o account.Outcome) error {
	return notAccepted(fault.New(TooSoon, "This answer came too soon after a wrong one. We did not look at it, and it does not count.").
		Try("send it again in %d seconds", account.Seconds(o.Wait)), o)
}

func wrong(o account.Outcome) error {
	return notAccepted(fault.New(WrongAnswer, "Not every answer is right.").
		Try("read the rows of the calls again and answer in %d seconds; attempts left: %d", account.Seconds(o.Wait), o.Left), o)
}

func usedUp() *fault.Fault {
	return fault.New(WrongAnswer, "Not every answer is right, and all attempts are used up.").Try("answer the new challenge")
}

func replaced() *fault.Fault {
	return fault.New(Replaced, "There is a new challenge: the dataset has changed since the one you answered was drawn, "+
		"or its attempts are used up. Your answer is not counted.").Try("answer the new challenge")
}

// notNamed is the refusal of a request that the challenge of a locked key does not name.
func (k *Keys) notNamed() error {
	return account.KeyLocked().
		Try("make those calls exactly as given, then POST %s/answer; POST /agent-key/challenge returns the current challenge", k.o.URL)
}

func tooManyMints(wait time.Duration) error {
	f := fault.New(TooManyMints, "Too many keys were requested from this address: at most %d an hour are made.", account.MintsAnHour).
		Try("ask again in %d seconds, or use the keys you have", account.Seconds(wait))
	f.Err = &account.WaitError{Wait: wait}
	return f
}

type Miscounted struct{ Given, Asked int }

func (m *Miscounted) Error() string {
	return fmt.Sprintf("the challenge has %d questions and %d answers were sent; it is not counted", m.Asked, m.Given)
}
