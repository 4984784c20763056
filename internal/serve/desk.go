package serve

import (
	"context"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/serve/oversight"
	"grantgraph/internal/serve/site"
	"grantgraph/internal/serve/site/frame"
)

// desk is the service as its operators see it.
type desk struct {
	*oversight.Source
	opt *Options
}

func (s *Server) desk() desk {
	return desk{&oversight.Source{
		Data: s.opt.Data, Backups: s.opt.Backups, Store: oversight.StoreName(Accounts(s.opt.Data), s.opt.Database), Accounts: s.accounts,
		Returns: s.opt.Returns, Refreshed: func() time.Time { return time.Unix(0, s.refreshed.Load()) }, Recent: s.recent, Clock: s.opt.Clock,
	}, &s.opt}
}

func (d desk) Deliver(ctx context.Context, email, token string, send bool) (link string, err error) {
	if link = site.Link(d.opt.BaseURL, "/reset", token); !send {
		return link, nil
	}
	if d.opt.Mail == nil {
		return "", fault.New("no_mail", "This service has no mail server.").Try("leave out send, and send the link yourself")
	}
	whose, err := frame.NewOperator(d.opt.Name, d.opt.Contact)
	if err != nil {
		return "", err
	}
	e, err := site.Email(d.opt.BaseURL, whose, email, "invitation", link)
	if err == nil {
		err = d.opt.Mail.Send(ctx, e)
	}
	if err != nil {
		return "", fault.New("not_sent", "The mail server did not take the invitation.").Try("leave out send, and send the link yourself")
	}
	return "", nil
}
