package site

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/site/mail"
)

// outbox sends letters beside the requests that cause them, so that how long
// an answer takes tells nobody whether a letter was written.
type outbox struct {
	slots chan struct{}
	wg    sync.WaitGroup
}

// Bounds of the outbox.
const (
	lettersAtOnce = 32
	letterTimeout = 45 * time.Second
)

// post runs write beside the request. It waits for a slot as long as the
// request lasts.
func (s *Site) post(ctx context.Context, write func(context.Context) error) error {
	select {
	case s.outbox.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.outbox.wg.Go(func() {
		defer func() { <-s.outbox.slots }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), letterTimeout)
		defer cancel()
		err := write(ctx)
		var wait *account.WaitError
		switch {
		case err == nil:
		case errors.As(err, &wait), errors.Is(err, account.ErrUnknownAccount):
			// Nobody is told: it would say who has an account.
		default:
			s.Log.Error("a letter was not sent", "error", err)
		}
	})
	return nil
}

// writeVerify asks the person behind a new account to confirm the address.
func (s *Site) writeVerify(ctx context.Context, a account.Account) error {
	token, err := s.Accounts.VerifyToken(ctx, a.ID)
	if err != nil {
		return err
	}
	return s.Mail.Send(ctx, mail.Letter{To: a.Email, Subject: "Confirm your e-mail address", Text: `Hello,

somebody, most likely you, signed up at Grantgraph with this address.
Confirm it here:

` + s.link("/verify", token) + `

The link works once, for three days. If it was not you, do nothing: without
the link the account cannot be used.
` + s.signature()})
}

// writeKnown answers a sign-up with an address that has an account. The link
// sets the password, so whoever signed up first with an address that is not
// theirs is left with nothing.
func (s *Site) writeKnown(ctx context.Context, email string) error {
	a, err := s.Accounts.AccountOf(ctx, email)
	if err != nil {
		return err
	}
	token, err := s.Accounts.ResetToken(ctx, a.ID)
	if err != nil {
		return err
	}
	l := mail.Letter{To: a.Email, Subject: "You have an account already", Text: `Hello,

somebody, most likely you, signed up at Grantgraph with this address, which
has an account already. Sign in with its password:

` + s.BaseURL + `/signin

Or choose a new password here:

` + s.link("/reset", token) + `

The link works once, for an hour. If it was not you, do nothing: the account
is as it was.
` + s.signature()}
	if !a.Verified {
		l.Subject, l.Text = "Finish signing up", `Hello,

somebody, most likely you, signed up at Grantgraph with this address, and not
for the first time; it was never confirmed. Choose the password of the account
here, which confirms the address as well:

`+s.link("/reset", token)+`

The link works once, for an hour. If it was not you, do nothing: without the
link the account cannot be used.
`+s.signature()
	}
	return s.Mail.Send(ctx, l)
}

// writeReset lets a person who forgot the password choose another.
func (s *Site) writeReset(ctx context.Context, email string) error {
	a, err := s.Accounts.AccountOf(ctx, email)
	if err != nil {
		return err
	}
	token, err := s.Accounts.ResetToken(ctx, a.ID)
	if err != nil {
		return err
	}
	return s.Mail.Send(ctx, mail.Letter{To: a.Email, Subject: "Choose a new password", Text: `Hello,

somebody, most likely you, asked for a new password of your account at
Grantgraph. Choose it here:

` + s.link("/reset", token) + `

The link works once, for an hour. If it was not you, do nothing: the password
is as it was.
` + s.signature()})
}

func (s *Site) link(path, token string) string {
	return s.BaseURL + path + "?token=" + url.QueryEscape(token)
}

func (s *Site) signature() string { return "\nGrantgraph\n" + s.BaseURL + "\n" }
