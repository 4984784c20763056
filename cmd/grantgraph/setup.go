package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"grantgraph/internal/disk"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/site"
	"grantgraph/internal/serve/site/frame"
	postbox "grantgraph/internal/serve/site/mail"
	"grantgraph/internal/serve/site/operator"
	"grantgraph/internal/terminal"
)

type setupCmd struct {
	Config   string     `help:"Where to write the settings; secrets go into environment beside it." default:"/etc/grantgraph/grantgraph.toml" placeholder:"FILE"`
	BaseURL  string     `name:"base-url" help:"Address that people use, such as https://grants.example.org." placeholder:"URL"`
	Operator string     `name:"operator-name" help:"Who runs the service, shown on the site and in emails." placeholder:"NAME"`
	Contact  string     `help:"Email or https address where people reach you, shown on the site." placeholder:"ADDRESS"`
	Private  bool       `help:"Show pages only to people who are signed in, and answer programs only with an API key."`
	SignUp   string     `name:"sign-up" help:"Who may sign up: open, invited, closed, or domains=example.org,example.net." placeholder:"MODE"`
	Calls    []string   `help:"Calls of plans that differ from their usual ones, such as free=100,plus=500." placeholder:"PLAN=N,..."`
	Texts    string     `help:"Folder with your own texts: about.md, contact.md, plans.md, privacy.md, terms.md." placeholder:"DIR"`
	Mail     secret.URL `help:"Mail server for emails to users; - for none." placeholder:"URL"`
	MailFrom string     `help:"Sender of these emails." placeholder:"ADDRESS"`
	Data     string     `help:"Data directory." default:"/var/lib/grantgraph" placeholder:"DIR"`
	Sources  string     `help:"Folder of upstream files." default:"/var/lib/grantgraph/sources" placeholder:"DIR"`
	Backups  string     `help:"Folder of the backups." default:"/var/lib/grantgraph/backups" placeholder:"DIR"`
	Replace  bool       `help:"Write over settings that are there."`
}

func (c *setupCmd) Run(a *terminal.App) error {
	if _, err := os.Stat(c.Config); err == nil && !c.Replace {
		return fault.New("settings_exist", "%s already exists", c.Config).Try("edit it, or replace it with --replace")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Disk(c.Config, err)
	}
	if err := c.ask(a); err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	serve := map[string]any{
		"addr": "127.0.0.1:8080", "admin": "127.0.0.1:9090", "contact": c.Contact, "proxy": []string{"127.0.0.1/32", "::1/128"}, "log": "json",
	}
	if c.Private {
		serve["private"] = true
	}
	if c.Mail.Empty() {
		c.MailFrom = ""
	}
	for flag, said := range map[string]string{"sign-up": c.SignUp, "operator-name": c.Operator, "texts": c.Texts, "mail-from": c.MailFrom} {
		if said != "" {
			serve[flag] = said
		}
	}
	settings := map[string]any{"data": c.Data, "sources": c.Sources, "base-url": c.BaseURL, "backups": c.Backups, "serve": serve}
	if len(c.Calls) > 0 {
		settings["calls"] = c.Calls
	}
	if err := disk.MkdirAll(filepath.Dir(c.Config), 0o755); err != nil {
		return err
	}
	err := disk.WriteFile(c.Config, 0o644, func(w io.Writer) error {
		fmt.Fprintln(w, "# Settings of grantgraph, written by grantgraph setup. Every flag of a command can be set here.")
		return toml.NewEncoder(w).Encode(settings)
	})
	if err != nil {
		return err
	}
	if c.Mail.Empty() {
		fmt.Fprintf(a.Out, "%s is written. Without a mail server, emails go to the log: people cannot sign up by themselves.\n", c.Config)
		return nil
	}
	// systemd reads this file as root; the service user cannot.
	environment := filepath.Join(filepath.Dir(c.Config), "environment")
	err = disk.WriteFile(environment, 0o600, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "GRANTGRAPH_MAIL=%s\n", c.Mail.Reveal())
		return err
	})
	if err == nil {
		fmt.Fprintf(a.Out, "%s and %s are written.\n", c.Config, environment)
	}
	return err
}

// ask asks for what no flag says. Without an answer it ends.
func (c *setupCmd) ask(a *terminal.App) error {
	lines := bufio.NewScanner(a.In)
	server, calls := c.Mail.Reveal(), strings.Join(c.Calls, ",")
	for _, q := range []struct {
		into         *string
		flag, prompt string
		needed       func() bool // nil for what may stay empty
	}{
		{&c.BaseURL, "base-url", "Address that people use, such as https://grants.example.org", func() bool { return true }},
		{&c.Operator, "operator-name", "Your name, or that of your organization, shown on the site; nothing for none", nil},
		{&c.Contact, "contact", "Email or https address where people reach you, shown on the site", func() bool { return true }},
		{&c.SignUp, "sign-up", "Who may sign up: open, invited, closed, or domains=example.org; nothing for open", nil},
		{&calls, "calls", "Calls of plans, such as free=100,plus=500; nothing for the usual ones", nil},
		{&server, "mail", "Mail server, such as smtp://USER:PASSWORD@HOST:587, or - for none", func() bool { return true }},
		{&c.MailFrom, "mail-from", "Sender of emails", func() bool { return server != "-" }},
	} {
		if *q.into != "" || q.needed != nil && !q.needed() {
			continue
		}
		fmt.Fprintf(a.Err, "%s: ", q.prompt)
		if !lines.Scan() || strings.TrimSpace(lines.Text()) == "" {
			if q.needed == nil {
				continue
			}
			return fault.New("bad_flag", "nothing was said for --%s", q.flag).Try("run grantgraph setup again, and answer or set --%s", q.flag)
		}
		*q.into = strings.TrimSpace(lines.Text())
	}
	if calls != "" {
		c.Calls = strings.Split(calls, ",")
	}
	if c.Mail = secret.NewURL(server); server == "-" {
		c.Mail = secret.URL{}
	}
	return nil
}

func (c *setupCmd) check() error {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Hostname() != "localhost" && base.Hostname() != "127.0.0.1" {
		return fault.New("bad_flag", "--base-url %q is not an https address", fault.Clip(c.BaseURL, 100)).Try("--base-url https://grants.example.org")
	}
	if _, err := frame.NewOperator(c.Operator, c.Contact); err != nil {
		return err
	}
	if _, err := operator.ReadTexts(c.Texts); err != nil {
		return err
	}
	if _, err := site.ParseAdmission(cmp.Or(c.SignUp, "open")); err != nil {
		return err
	}
	if _, err := account.ParseCalls(c.Calls); err != nil {
		return err
	}
	if strings.ContainsAny(c.Mail.Reveal(), " \r\n\t'\"") {
		return fault.New("bad_flag", "the address of the mail server has spaces or quotation marks").Try("write them as %%20, %%22 and %%27")
	}
	if c.Mail.Empty() {
		return nil
	}
	_, err = postbox.Open(c.Mail.Reveal(), c.MailFrom)
	return err
}
