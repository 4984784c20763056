package asking

import (
	"context"
	"errors"
	"strconv"

	"grantgraph/internal/plural"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/ask"
	"grantgraph/internal/serve/network"
)

// bill charges a visitor for one question: a free question if one is left, else a call of a key or an account of a paid plan.
// The same question is charged once, so that a visitor who lost the answer can ask again.
type bill struct {
	store   *account.Store
	a       *asker
	receipt string
	measure string
}

func (s *room) bill(a *asker, p *ask.Plan) *bill {
	return &bill{s.Accounts, a, a.who.Visitor + " " + p.String(), p.Measure}
}

// pays reports whether the visitor can pay for more than the free questions.
func (a *asker) pays() bool { return a.key != "" || paid(a.member.Plan) }

func paid(p account.Plan) bool { return p.Terms().Scopes&account.Paid != 0 }

// could reports whether the visitor could pay for an answer, before any work.
func (s *room) could(ctx context.Context, a *asker) bool {
	left, err := s.Accounts.QuestionsLeft(ctx, a.who)
	return err == nil && (left > 0 || a.pays())
}

// due reports whether there is anything to pay. A question about compliance or
// about people is free, because its answer is only a link.
func (b *bill) due() bool { return b.measure != "screen" && b.measure != "people" }

// check returns why the visitor cannot pay, before any work is done.
func (b *bill) check(ctx context.Context) error {
	if !b.due() {
		return nil
	}
	left, err := b.store.QuestionsLeft(ctx, b.a.who)
	if err != nil || left > 0 {
		return err
	}
	if b.a.pays() {
		_, err := b.payer(ctx)
		return err
	}
	_, err = b.store.TakeQuestion(ctx, b.a.who, b.receipt) // the question may be paid already
	return err
}

// payer is the key or the account whose calls are used.
func (b *bill) payer(ctx context.Context) (id string, err error) {
	if b.a.key == "" {
		return b.a.member.ID, nil
	}
	k, err := b.store.Authenticate(ctx, b.a.key)
	if err != nil {
		return "", err
	}
	return k.ID, k.Require(account.Paid)
}

// pay charges the visitor, and returns a sentence about the charge.
func (b *bill) pay(ctx context.Context) (how string, err error) {
	if !b.due() {
		return "", nil
	}
	left, err := b.store.TakeQuestion(ctx, b.a.who, b.receipt)
	if err == nil {
		return freeWords(left), nil
	}
	if !errors.Is(err, account.ErrSpent) || !b.a.pays() {
		return "", err
	}
	id, err := b.payer(ctx)
	if err != nil {
		return "", err
	}
	balance, err := b.store.ChargeOnce(ctx, id, 1, b.receipt)
	if err != nil {
		return "", err
	}
	what := "your account"
	if b.a.key != "" {
		what = "this key"
	}
	return "This question cost one call of " + what + "; " + remaining(balance.Remaining, "call is", "calls are") + " left.", nil
}

// freeWords says how many free questions are left.
func freeWords(left int) string {
	if left == 0 {
		return "That was the last of today’s free questions."
	}
	return remaining(left, "free question is", "free questions are") + " left today."
}

func remaining(n int, one, many string) string {
	if n == 0 {
		return "no " + many
	}
	return strconv.Itoa(n) + " " + plural.Word(n, one, many)
}

// counted is the address by which free questions are counted. It is empty for the address of this machine: that is a proxy that
// is not configured, and all of its visitors would count as one.
func counted(address string) string {
	if network.Local(address) {
		return ""
	}
	return address
}
