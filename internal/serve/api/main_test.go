package api_test

import (
	"os"
	"testing"

	"grantgraph/internal/bench/apitest"
	"grantgraph/internal/serve/sqlbox/worker"
)

// TestMain is the worker when it is started as one, as the program itself is.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "sql-worker" {
		os.Exit(worker.Run(os.Stdin, os.Stdout))
	}
	os.Exit(apitest.Main(m))
}
