package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/site"
	"grantgraph/internal/serve/site/frame"
	"grantgraph/internal/serve/site/mail"
	"grantgraph/internal/terminal"
)

type accountsCmd struct {
	Export accountsExportCmd `cmd:"" help:"Print everything that is kept about an account, as JSON."`
	Erase  accountsEraseCmd  `cmd:"" help:"Erase an account with its keys, usage and sessions, for good."`
	Invite accountsInviteCmd `cmd:"" help:"Invite a person to an account, by a link that works once, for two weeks."`
	Copy   accountsCopyCmd   `cmd:"" help:"Copy accounts, keys, balances, signing keys and history into another store."`
}

type accountsExportCmd struct {
	keyStore `embed:""`
	Account  string `arg:"" help:"Email address of the account, or its ID."`
}

func (c *accountsExportCmd) Run(a *terminal.App) error {
	return c.withStore(func(s *account.Store) error {
		export, err := s.ExportAccount(a.Ctx, c.Account)
		if err != nil {
			return err
		}
		return a.PrintJSON(export)
	})
}

type accountsEraseCmd struct {
	accountsExportCmd `embed:""`
	Yes               bool `help:"Erase without being asked again." required:""`
}

func (c *accountsEraseCmd) Run(a *terminal.App) error {
	return c.withStore(func(s *account.Store) error {
		gone, err := s.EraseAccount(a.Ctx, c.Account)
		if err != nil {
			return err
		}
		if c.JSON {
			err = a.PrintJSON(map[string]any{"id": gone.ID, "erased": true})
		} else {
			fmt.Fprintf(a.Out, "%s is erased: %s, its keys, usage and sessions\n", gone.Email, gone.ID)
		}
		return errors.Join(err, s.Scrub(a.Ctx))
	})
}

type accountsInviteCmd struct {
	keyStore `embed:""`
	Email    string     `arg:"" help:"Email address of the person."`
	BaseURL  string     `name:"base-url" required:"" help:"Address of the site, the same as the server's." placeholder:"URL"`
	Mail     secret.URL `help:"Mail server to send the invitation with; without one the link is printed, for you to send." placeholder:"URL"`
	MailFrom string     `help:"Sender of the invitation." placeholder:"ADDRESS"`
	Operator string     `name:"operator-name" help:"Who invites." placeholder:"NAME"`
}

func (c *accountsInviteCmd) Run(a *terminal.App) error {
	return c.withStore(func(s *account.Store) error {
		token, invited, err := s.Invite(account.As(a.Ctx, account.Actor{Name: "operator"}), c.Email)
		if err != nil {
			return err
		}
		link := site.Link(strings.TrimRight(c.BaseURL, "/"), "/reset", token)
		if !c.Mail.Empty() {
			post, err := mail.Open(c.Mail.Reveal(), c.MailFrom)
			if err != nil {
				return err
			}
			e, err := site.Email(c.BaseURL, frame.Operator{Name: c.Operator}, invited.Email, "invitation", link)
			if err == nil {
				err = post.Send(a.Ctx, e)
			}
			if err != nil {
				return fault.New("not_sent", "the invitation was not sent: %w", err).Try("the same without --mail: it prints the link")
			}
			link = ""
		}
		if c.JSON {
			return a.PrintJSON(map[string]any{"account": invited.ID, "email": invited.Email, "link": link})
		}
		if link == "" {
			fmt.Fprintf(a.Out, "%s is invited by email.\n", invited.Email)
			return nil
		}
		fmt.Fprintf(a.Out, "Send this link to %s. It works once, for two weeks:\n%s\n", invited.Email, link)
		return nil
	})
}

type accountsCopyCmd struct {
	From secret.URL `required:"" env:"GRANTGRAPH_COPY_FROM" help:"What to copy: a file accounts.db, or a PostgreSQL address." placeholder:"FILE|URL"`
	To   secret.URL `required:"" env:"GRANTGRAPH_COPY_TO" help:"Where to: a new file, or an empty PostgreSQL schema." placeholder:"FILE|URL"`
	JSON bool       `name:"json" help:"Print JSON."`
}

func (c *accountsCopyCmd) Run(a *terminal.App) error {
	if c.From.Reveal() == c.To.Reveal() {
		return fault.New("bad_flag", "--from and --to are the same store").Try("--to with a new file, or with a PostgreSQL address")
	}
	from, err := c.open(a, c.From, false)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := c.open(a, c.To, true)
	if err != nil {
		return err
	}
	defer to.Close()
	tables, again, err := account.Copy(a.Ctx, from, to)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"tables": tables, "already_there": again})
	}
	t := terminal.NewTable("table", ">rows", "digest")
	for _, copied := range tables {
		t.Add(copied.Name, copied.Rows, copied.Digest[:16])
	}
	t.Print(a.Out)
	if again {
		fmt.Fprintln(a.Out, "\nThe target already holds exactly these rows. Nothing was copied.")
		return nil
	}
	fmt.Fprintln(a.Out, "\nCopied. Every table was read back from the target and has the same rows.")
	return nil
}

// open opens a store by its address or its file. Only the target may be new.
func (c *accountsCopyCmd) open(a *terminal.App, at secret.URL, create bool) (*account.Store, error) {
	where := at.Reveal()
	if strings.Contains(where, "://") || strings.Contains(where, "dbname=") || strings.HasPrefix(where, "host=") {
		return account.OpenPostgres(a.Ctx, where, account.Options{})
	}
	if _, err := os.Stat(where); err != nil && !create {
		return nil, fault.Disk(where, err)
	}
	return account.OpenSQLite(where, account.Options{})
}
