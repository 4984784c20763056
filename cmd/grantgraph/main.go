// Command grantgraph turns public US tax filings into a queryable graph of
// who funded whom. Each subcommand has a file of its own; this one parses the
// command line and turns an error into an exit code.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"grantgraph/internal/fault"
)

// app is what a subcommand may touch of the outside world.
type app struct {
	Ctx context.Context
	In  io.Reader
	Out io.Writer
	Err io.Writer

	settings []setting // of the command that runs
}

type cli struct {
	Demo    demoCmd    `cmd:"" help:"Make an invented world, build it and serve it."`
	Synth   synthCmd   `cmd:"" help:"Write an invented world of filings in the real upstream formats."`
	Fetch   fetchCmd   `cmd:"" help:"Download the upstream files into a folder and keep them up to date."`
	Build   buildCmd   `cmd:"" help:"Turn a folder of upstream files into a snapshot."`
	Ingest  ingestCmd  `cmd:"" help:"Read the returns on several machines, by a queue."`
	Serve   serveCmd   `cmd:"" help:"Serve the current snapshot: the API and the site."`
	Publish publishCmd `cmd:"" help:"Send the snapshot and the lists to a store that several servers share."`
	Keys    keysCmd    `cmd:"" help:"Make and manage API keys."`
	Signing signingCmd `cmd:"" help:"Manage the keys that sign screening reports."`
	Agent   agentCmd   `cmd:"" name:"agent-key" help:"Get and use a key as an automated agent."`
	Get     getCmd     `cmd:"" help:"Run one API request in this process and print the response."`
	Ask     askCmd     `cmd:"" help:"Answer a question in plain English from local data."`
	MCP     mcpCmd     `cmd:"" name:"mcp" help:"Give a language model the tools of this service, over standard input and output."`
	Screen  screenCmd  `cmd:"" help:"Screen a spreadsheet of EINs against the compliance lists."`
	Inspect inspectCmd `cmd:"" help:"Show what the reader finds in a filing or a zip of filings."`
	OpenAPI openapiCmd `cmd:"" name:"openapi" help:"Print the OpenAPI document."`
	Eval    evalCmd    `cmd:"" help:"Measure how well recipients are resolved, and names screened."`
	Bench   benchCmd   `cmd:"" help:"Measure the engine against DuckDB and PostgreSQL on the same questions."`
	Export  exportCmd  `cmd:"" help:"Write the warehouse as Parquet for other engines."`
	Check   checkCmd   `cmd:"" help:"Verify every file of the snapshot and of the lists."`
	Verify  verifyCmd  `cmd:"" help:"Verify signed screening reports, offline."`
	Version versionCmd `cmd:"" help:"Print the version, as --version does."`
	Help    helpCmd    `cmd:"" help:"Show the help of a command, as --help after it does."`

	SQLWorker sqlWorkerCmd `cmd:"" name:"sql-worker" hidden:""`
}

const description = `Grantgraph turns public US tax filings (Forms 990, 990-EZ and 990-PF, e-filed)
into a graph of funders and grantees.

    grantgraph demo                              a first look, with invented data
    grantgraph build --sources DIR --data DIR    with real data

Every flag can also be set by an environment variable, GRANTGRAPH_ and its name
in capitals (GRANTGRAPH_DATA for --data), or in a file grantgraph.toml.`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt does not wait for anything to be finished
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exitCode carries an exit code out of kong, which would otherwise end the process
// itself after printing help. As an error it is the exit code of a command that
// has said all there is to say.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) (code int) {
	defer func() {
		if r := recover(); r != nil {
			c, ok := r.(exitCode)
			if !ok {
				panic(r)
			}
			code = int(c)
		}
	}()
	config, err := readConfig()
	if err != nil {
		return printError(errw, err)
	}
	var c cli
	parser, err := kong.New(&c,
		kong.Name("grantgraph"),
		kong.Description(description),
		kong.Writers(out, errw),
		kong.Exit(func(code int) { panic(exitCode(code)) }),
		kong.DefaultEnvars("GRANTGRAPH"),
		kong.Resolvers(config),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.ValueFormatter(flagHelp),
	)
	if err != nil {
		panic(err) // a mistake in the struct tags above, caught by any test
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "--version":
		args = append([]string{"version"}, args[1:]...)
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		if _, ok := fault.Of(err); ok {
			return printError(errw, err)
		}
		help := "grantgraph"
		if wrong := (*kong.ParseError)(nil); errors.As(err, &wrong) && wrong.Context.Selected() != nil {
			help = wrong.Context.Selected().FullPath()
		}
		fmt.Fprintf(errw, "grantgraph: %v\nTry: %s --help\n", err, help)
		return 2
	}
	if err := kctx.Run(&app{Ctx: ctx, In: in, Out: out, Err: errw, settings: config.settings(kctx)}); err != nil {
		if stoppedBy(ctx, err) {
			// Where the work was when it was stopped is no fault of that place.
			if f, ok := errw.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
				fmt.Fprintln(errw) // half a bar may stand there, or ^C
			}
			fmt.Fprintln(errw, "grantgraph: stopped before it was finished")
			if f, ok := fault.Of(err); ok && f.Slug == resumable {
				fmt.Fprintf(errw, "To resume: %s\n", f.Hint)
			}
			return interrupted
		}
		if code := exitCode(0); errors.As(err, &code) {
			return int(code)
		}
		return printError(errw, err)
	}
	return 0
}

// stoppedBy says whether a command ended because it was told to.
func stoppedBy(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.Cause(ctx)))
}

// resumable is the slug of a stop after which the work can be resumed; its hint
// says how.
const resumable = "stopped"

// resumeWith says how to resume work that ended because it was told to stop.
func (a *app) resumeWith(err error, hint string, args ...any) error {
	if !stoppedBy(a.Ctx, err) {
		return err
	}
	return fault.New(resumable, "%w", err).Try(hint, args...)
}

// interrupted is the exit code of a command that was told to stop and had not
// finished, as shells have it.
const interrupted = 130

// flagHelp adds its default to the help of a flag, which kong leaves out where
// a placeholder stands for the value.
func flagHelp(value *kong.Value) string {
	v := *value
	if v.Tag.PlaceHolder != "" && v.Default != "" {
		v.Help = strings.TrimSuffix(v.Help, ".") + "; default " + v.Default + "."
	}
	return kong.DefaultHelpValueFormatter(&v)
}

// printError says what went wrong and what to do about it.
func printError(w io.Writer, err error) int {
	fmt.Fprintf(w, "grantgraph: %v\n", err)
	if f, ok := fault.Of(err); ok && f.Hint != "" {
		fmt.Fprintf(w, "Try: %s\n", f.Hint)
	}
	return 1
}
