package sqlbox_test

import (
	"os"
	"testing"

	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/sqlbox/worker"
)

func TestMain(m *testing.M) { os.Exit(sqlbox.RunTests(m, worker.Driver{})) }
