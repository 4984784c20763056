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
	Bench benchCmd `cmd:"" help:"Measure the engine against DuckDB and PostgreSQL on the same questions."`
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
