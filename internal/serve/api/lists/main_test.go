package lists_test

import (
	"os"
	"testing"

	"grantgraph/internal/bench/apitest"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }
