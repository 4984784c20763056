package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestExportCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		err  string
	}{
		{[]string{"export"}, 2, "--out"},
		{[]string{"export", "--out", t.TempDir(), "--data", t.TempDir()}, 1, "Try: grantgraph build"},
	} {
		var out, errw bytes.Buffer
		if code := run(context.Background(), c.args, strings.NewReader(""), &out, &errw); code != c.code || !strings.Contains(errw.String(), c.err) {
			t.Errorf("%v: %d %s%s", c.args, code, out.String(), errw.String())
		}
	}
}

func TestSQLWorkerCommand(t *testing.T) {
	t.Parallel()
	var out, errw bytes.Buffer
	if code := run(context.Background(), []string{"sql-worker"}, strings.NewReader("nonsense"), &out, &errw); code != 1 || out.Len() > 0 {
		t.Errorf("%d %s%s", code, out.String(), errw.String())
	}
	if code := run(context.Background(), []string{"--help"}, strings.NewReader(""), &out, &errw); code != 0 || strings.Contains(out.String(), "sql-worker") {
		t.Errorf("the worker is shown to people: %s", out.String())
	}
}
