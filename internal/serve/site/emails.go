package site

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/site/mail"
)

// outbox sends emails apart from the requests that cause them. So the time of an
// answer does not reveal whether an email was written.
type outbox struct {
	slots chan struct{}
	wg    sync.WaitGroup
}

// Bounds of the outbox.
const (
	emailsAtOnce = 32
	emailTimeout = 45 * time.Second
)

// sendLater runs write in the background. It waits for a slot as long as the
// request lasts.
func (s *Site) sendLater(ctx context.Context, write func(context.Context) error) error {
	select {
	case s.outbox.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.outbox.wg.Go(func() {
		defer func() { <-s.outbox.slots }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), emailTimeout)
		defer cancel()
		err := write(ctx)
		var wait *account.WaitError
		switch {
		case err == nil:
		case errors.As(err, &wait), errors.Is(err, account.ErrUnknownAccount):
			// The visitor is not told: that would reveal who has an account.
		default:
			s.Log.Error("an email was not sent", "error", err)
		}
	})
	return nil
}

// sendConfirm asks the owner of a new account to confirm the address.
func (s *Site) sendConfirm(ctx context.Context, a account.Account) error {
	token, err := s.Accounts.VerifyToken(ctx, a.ID)
	if err != nil {
		return err
	}
	return s.Mail.Send(ctx, mail.Email{To: a.Email, Subject: "Confirm your email address", Text: `Hello,

Someone, most likely you, signed up for Grantgraph with this email address.
Confirm it here:

` + s.link("/confirm", token) + `

The link works once, for three days. If it was not you, do nothing: without
the link the account cannot be used.
` + s.signature()})
}

// sendAccountExists answers a sign-up with an address that already has an account.
// Its link sets a new password, so a stranger who signed up first with that address
// loses access.
func (s *Site) sendAccountExists(ctx context.Context, email string) error {
	a, err := s.Accounts.AccountOf(ctx, email)
	if err != nil {
		return err
	}
	token, err := s.Accounts.ResetToken(ctx, a.ID)
	if err != nil {
		return err
	}
	e := mail.Email{To: a.Email, Subject: "You already have an account", Text: `Hello,

Someone, most likely you, signed up for Grantgraph with this email address,
which already has an account. Sign in with its password:

` + s.BaseURL + `/signin

Or choose a new password here:

` + s.link("/reset", token) + `

The link works once, for an hour. If it was not you, do nothing: your account
has not changed.
` + s.signature()}
	if !a.Verified {
		e.Subject, e.Text = "Finish signing up", `Hello,

Someone, most likely you, signed up for Grantgraph with this email address, and
not for the first time; it was never confirmed. Choose a password here, which
confirms the address as well:

`+s.link("/reset", token)+`

The link works once, for an hour. If it was not you, do nothing: without the
link the account cannot be used.
`+s.signature()
	}
	return s.Mail.Send(ctx, e)
}

// sendReset sends a person who forgot the password a link to set a new one.
func (s *Site) sendReset(ctx context.Context, email string) error {
	a, err := s.Accounts.AccountOf(ctx, email)
	if err != nil {
		return err
	}
	token, err := s.Accounts.ResetToken(ctx, a.ID)
	if err != nil {
		return err
	}
	return s.Mail.Send(ctx, mail.Email{To: a.Email, Subject: "Choose a new password", Text: `Hello,

Someone, most likely you, asked for a new password for your Grantgraph account. Choose it here:

` + s.link("/reset", token) + `

The link works once, for an hour. If it was not you, do nothing: your password
has not changed.
` + s.signature()})
}

func (s *Site) link(path, token string) string {
	return s.BaseURL + path + "?token=" + url.QueryEscape(token)
}

func (s *Site) signature() string { return "\nGrantgraph\n" + s.BaseURL + "\n" }
