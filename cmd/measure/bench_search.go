package main

import (
	"errors"
	"fmt"

	"grantgraph/internal/bench/oracle"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/terminal"
)

// benchSearch times the search by name against other engines, among invented organizations.
func (c *benchCmd) benchSearch(a *terminal.App) error {
	check(c.crowd(a).Close())
	b := &bench{benchCmd: c, app: a, snapshot: must(snapshot.Open(c.crowdDir()))}
	defer b.close()
	server, err := oracle.StartPostgres(a.Ctx)
	if errors.Is(err, oracle.ErrNoPostgres) {
		fmt.Fprintf(a.Err, "PostgreSQL is skipped: %v. To include it: apt-get install postgresql\n", err)
	} else {
		check(err)
		b.server, b.postgres = server, must(oracle.ConnectPostgres(a.Ctx, server.DSN))
		defer b.postgres.Close()
	}
	if !c.JSON {
		fmt.Fprintln(a.Out, machine()+"; medians in milliseconds")
	}
	b.benchNames()
	return nil
}
