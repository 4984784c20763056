package main

import (
	"io"
	"log/slog"

	"grantgraph/internal/account"
	"grantgraph/internal/fault"
	"grantgraph/internal/server"
)

type serveCmd struct {
	Data    string `help:"Data directory with snapshots and accounts." default:"data" placeholder:"DIR"`
	Addr    string `help:"Address to serve on; port 0 picks a free one." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Admin   string `help:"Address for metrics and health checks; empty for none." default:"" placeholder:"HOST:PORT"`
	BaseURL string `name:"base-url" help:"How clients reach the service, when it stands behind a proxy." placeholder:"URL"`
	Window  string `name:"free-window" help:"Window of the free allowance of 50 calls." enum:"day,month" default:"day"`
	Log     string `help:"Log as text or json." enum:"text,json" default:"text"`
	Print   bool   `name:"print-config" help:"Print the effective settings and where each comes from, then stop."`
}

// Help is shown by serve --help.
func (serveCmd) Help() string {
	return `Serves the current snapshot of the data directory: the API under /api/v1, its
description at /openapi.json, and the site at /. A snapshot that a build publishes
meanwhile is taken up without dropping a request. Stop it with an interrupt; requests
under way are finished.`
}

func (c *serveCmd) Run(a *app) error {
	if c.Print {
		t := newTable("setting", "value", "from")
		for _, s := range a.settings {
			t.add(s.name, s.value, s.origin)
		}
		t.print(a.Out)
		return nil
	}
	if c.Addr == "" {
		return fault.New("bad_flag", "--addr is empty").Try("--addr 127.0.0.1:8080")
	}
	s, err := server.Open(server.Options{Data: c.Data, Addr: c.Addr, Admin: c.Admin, BaseURL: c.BaseURL, Window: account.Window(c.Window), Log: logger(a.Err, c.Log)})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Run(a.Ctx)
}

func logger(w io.Writer, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, nil))
}
