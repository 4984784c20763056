package main

import (
	"fmt"
	"os"

	"grantgraph/internal/sqlbox"
)

// running names the program that runs by what it is rather than by where it
// lay when it was started, on systems that have such a name.
const running = "/proc/self/exe"

// sqlOptions start the workers of a server from the very program that it runs:
// when a newer one has been put in its place, that one's workers would neither
// speak its protocol nor read its indexes.
func sqlOptions() *sqlbox.Options {
	if _, err := os.Stat(running); err != nil {
		return &sqlbox.Options{}
	}
	return &sqlbox.Options{Command: []string{running, "sql-worker"}}
}

// sqlWorkerCmd is what the server starts itself as to run other people's SQL.
// It speaks a protocol of frames and is of no use to a person.
type sqlWorkerCmd struct{}

func (sqlWorkerCmd) Run(a *app) error {
	if code := sqlbox.Work(a.In, a.Out); code != 0 {
		return fmt.Errorf("the SQL worker ended with code %d", code)
	}
	return nil
}
