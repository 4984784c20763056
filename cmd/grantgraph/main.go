// Command grantgraph turns public US tax filings into a queryable graph of who funded whom. Each subcommand
// has a file of its own; this one parses the command line.
package main

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/alecthomas/kong"

	"grantgraph/internal/fault"
	"grantgraph/internal/release"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/sqlbox/worker"
	"grantgraph/internal/terminal"
)

type cli struct {
	Demo     demoCmd     `cmd:"" help:"Make an invented world, build it and serve it."`
	Synth    synthCmd    `cmd:"" help:"Write an invented world of filings in the real upstream formats."`
	Fetch    fetchCmd    `cmd:"" help:"Download the upstream files into a folder and keep them up to date."`
	Build    buildCmd    `cmd:"" help:"Turn a folder of upstream files into a snapshot."`
	Ingest   ingestCmd   `cmd:"" help:"Read the returns on several machines, by a queue."`
	Serve    serveCmd    `cmd:"" help:"Serve the current snapshot: the API and the site."`
	Publish  publishCmd  `cmd:"" help:"Send the snapshot and the lists to a store that several servers share."`
	Keys     keysCmd     `cmd:"" help:"Make and manage API keys."`
	Accounts accountsCmd `cmd:"" help:"Export, erase or copy accounts."`
	Admin    adminCmd    `cmd:"" help:"Find and change accounts, keys, invitations and datasets, as the admin endpoints of the API do."`
	Signing  signingCmd  `cmd:"" help:"Manage the keys that sign screening reports."`
	Agent    agentCmd    `cmd:"" name:"agent-key" help:"Get and use a key as an automated agent."`
	Get      getCmd      `cmd:"" help:"Run one API request in this process and print the response."`
	Ask      askCmd      `cmd:"" help:"Answer a question in plain English from local data."`
	Find     findCmd     `cmd:"" help:"Say which organization a name means."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Give a language model the tools of this service, over standard input and output."`
	Screen   screenCmd   `cmd:"" help:"Screen a spreadsheet of EINs against the compliance lists."`
	Inspect  inspectCmd  `cmd:"" help:"Show what the reader finds in a filing or a zip of filings."`
	OpenAPI  openapiCmd  `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Export   exportCmd   `cmd:"" help:"Write the warehouse as Parquet for other engines."`
	Status   statusCmd   `cmd:"" help:"Show at a glance what runs, how old the data is and what needs attention."`
	Setup    setupCmd    `cmd:"" help:"Write the settings of a server."`
	Check    checkCmd    `cmd:"" help:"Verify every file of the snapshot and of the lists."`
	Verify   verifyCmd   `cmd:"" help:"Verify signed screening reports, offline."`
	Version  versionCmd  `cmd:"" help:"Print the version, as --version does."`
	Help     helpCmd     `cmd:"" help:"Show the help of a command, as --help after it does."`

	Completion completionCmd `cmd:"" help:"Print a script that completes commands and flags in a shell."`
	Man        manCmd        `cmd:"" help:"Print the manual page."`

	SQLWorker sqlWorkerCmd `cmd:"" name:"sql-worker" hidden:""`
}

const description = `Grantgraph turns public US tax filings (Forms 990, 990-EZ and 990-PF, e-filed)
into a graph of funders and grantees.

    grantgraph demo                              a first look, with invented data
    grantgraph build --sources DIR --data DIR    with real data

Every flag can also be set by an environment variable, GRANTGRAPH_ and its name
in capitals (GRANTGRAPH_DATA for --data), or in a file grantgraph.toml.`

//go:embed help
var help embed.FS

func main() { terminal.Main(run) }

func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	program := &terminal.Program{Name: "grantgraph", Description: description, Commands: new(cli), Help: help}
	if len(args) > 0 {
		switch first := args[0]; {
		case first == "--version":
			args = append([]string{"version"}, args[1:]...)
		case slices.Contains(movedToMeasure, first):
			return program.Fail(errw, fault.New("moved", "%s is a command of another program, measure", first).
				Try("use measure %s with the same flags; make build makes it", first))
		}
	}
	config, err := readConfig()
	if err != nil {
		return program.Fail(errw, err)
	}
	program.Options = []kong.Option{kong.Resolvers(config), kong.Bind(config)}
	return program.Run(ctx, args, in, out, errw)
}

var movedToMeasure = []string{"bench", "eval"}

// helpCmd is for those who look for the help of a command before its name.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command, such as build or keys create."`
}

func (c *helpCmd) Run(a *terminal.App) error {
	return terminal.ExitCode(run(a.Ctx, append(c.Command, "--help"), a.In, a.Out, a.Err))
}

type openapiCmd struct {
	BaseURL string `name:"base-url" help:"Address of the server in the document." default:"http://127.0.0.1:8080" placeholder:"URL"`
}

func (c *openapiCmd) Run(a *terminal.App) error {
	doc, err := serve.OpenAPI(c.BaseURL)
	if err != nil {
		return err
	}
	_, err = a.Out.Write(doc)
	return err
}

// sqlWorkerCmd is the process that the server starts to run users' SQL. It speaks a protocol of frames and is not for people.
type sqlWorkerCmd struct{}

func (sqlWorkerCmd) Run(a *terminal.App) error {
	if code := worker.Run(a.In, a.Out); code != 0 {
		return fmt.Errorf("the SQL worker ended with code %d", code)
	}
	return nil
}

type versionCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *versionCmd) Run(a *terminal.App) error {
	r := release.Current()
	if c.JSON {
		return a.PrintJSON(r)
	}
	fmt.Fprintln(a.Out, "grantgraph", r.Version)
	fmt.Fprintf(a.Out, "commit %s, %s\n", cmp.Or(r.Commit, "unknown"), cmp.Or(r.Date, "date unknown"))
	fmt.Fprintf(a.Out, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

func programVersion() string { return release.Current().Version }
