package main

import (
	"fmt"

	"grantgraph/internal/serve/sqlbox/worker"
	"grantgraph/internal/terminal"
)

// sqlWorkerCmd is the process that the server starts to run users' SQL. It speaks a
// protocol of frames and is not for people.
type sqlWorkerCmd struct{}

func (sqlWorkerCmd) Run(a *terminal.App) error {
	if code := worker.Run(a.In, a.Out); code != 0 {
		return fmt.Errorf("the SQL worker ended with code %d", code)
	}
	return nil
}
