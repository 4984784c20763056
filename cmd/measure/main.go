// Command measure is for people who work on Grantgraph. bench measures how fast the
// program is, and eval how often it is right. Each mode has a file of its own.
package main

import (
	"context"
	"embed"
	"io"

	"grantgraph/internal/terminal"
)

type cli struct {
	Eval  evalCmd  `cmd:"" help:"Measure how well recipients are resolved, and names screened."`
	Bench benchCmd `cmd:"" help:"Measure the engine against DuckDB, PostgreSQL and ClickHouse on the same questions."`
}

const description = `Measures how fast Grantgraph is and how often it is right.

Every flag can also be set by an environment variable, GRANTGRAPH_ and its name
in capitals (GRANTGRAPH_DATA for --data).`

//go:embed help
var help embed.FS

func main() { terminal.Main(run) }

func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	program := &terminal.Program{Name: "measure", Description: description, Commands: new(cli), Help: help}
	return program.Run(ctx, args, in, out, errw)
}

// A measurement is a script: it opens, reads and asks one thing after the other, and none of it is worth anything
// without the rest. So the first error ends it. Inside a mode check and must raise the error, and the command returns it.

// failure is an error on its way to the command.
type failure struct{ error }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func must2[T, U any](v T, w U, err error) (T, U) {
	check(err)
	return v, w
}

// caught sets the error that a command returns to the one that check raised. It is deferred.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case failure:
		*err = f.error
	default:
		panic(f)
	}
}
