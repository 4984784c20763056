package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"grantgraph/internal/bench/world"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// command runs the program in process.
func command(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}
