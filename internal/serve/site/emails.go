package site

import (
	"context"
	_ "embed"
	"errors"
	"net/url"
	"strings"
	"sync"
	"text/template"
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

// sendLater runs write in the background, on behalf of the visitor. It waits for a slot
// as long as the request lasts.
func (s *Site) sendLater(v *visit, write func(context.Context) error) error {
	ctx := account.As(v.r.Context(), account.Actor{Name: "visitor", Address: v.from})
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

//go:embed emails.tmpl
var emailFile string

var emails = template.Must(template.New("").Parse(emailFile))

// sendLink sends one of the emails, with a link to a page that takes a token.
func (s *Site) sendLink(ctx context.Context, to, name, page, token string) error {
	var b strings.Builder
	err := emails.ExecuteTemplate(&b, name, map[string]string{"Base": s.BaseURL, "Link": s.BaseURL + page + "?token=" + url.QueryEscape(token)})
	if err != nil {
		return err
	}
	subject, text, _ := strings.Cut(b.String(), "\n")
	return s.Mail.Send(ctx, mail.Email{To: to, Subject: subject, Text: text})
}

func (s *Site) sendConfirm(ctx context.Context, a account.Account) error {
	token, err := s.Accounts.VerifyToken(ctx, a.ID)
	if err != nil {
		return err
	}
	return s.sendLink(ctx, a.Email, "confirm", "/confirm", token)
}

// sendAccountExists answers a sign-up with an address that already has an account.
// Its link sets a new password, so a stranger who signed up first with that address
// loses access.
func (s *Site) sendAccountExists(ctx context.Context, email string) error {
	return s.sendReset(ctx, email, func(a account.Account) string {
		if a.Verified {
			return "exists"
		}
		return "unfinished"
	})
}

func (s *Site) sendReset(ctx context.Context, email string, name func(account.Account) string) error {
	a, err := s.Accounts.AccountOf(ctx, email)
	if err != nil {
		return err
	}
	token, err := s.Accounts.ResetToken(ctx, a.ID)
	if err != nil {
		return err
	}
	return s.sendLink(ctx, a.Email, name(a), "/reset", token)
}
