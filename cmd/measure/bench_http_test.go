package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"grantgraph/internal/terminal"
)

// TestBenchHTTP asks a small service, and the same over PostgreSQL where that is
// installed: all answers must be equal. How long they took is not looked at.
func TestBenchHTTP(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	a := &terminal.App{Ctx: t.Context(), In: strings.NewReader(""), Out: &out, Err: &errs}
	c := benchCmd{Grants: "2k", Seed: 1, Data: filepath.Join(t.TempDir(), "bench"), Seconds: 60, Quiet: true}
	b := &httpBench{benchCmd: &c, app: a, connections: []int{1, 3}, most: 24, checked: 48}
	_, runs, err := b.run()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if len(runs) != 2 || runs[0].connections != 1 || runs[1].connections != 3 {
		t.Errorf("the runs are %+v", runs)
	}
	servers := []string{"service"}
	if b.rivals != nil {
		servers = append(servers, "PostgreSQL")
	}
	for _, want := range append(servers, "first answer", "p99", "24") {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
}
