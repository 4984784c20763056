package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"grantgraph/internal/bench/world"
)

// TestProgramReplaced puts another program in the place of one that serves, as
// an upgrade does: SQL workers that it starts from then on are still its own.
func TestProgramReplaced(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can name a running program whose file is gone; run the test there")
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	world.Small.Publish(t, data)
	var keys [2]string
	for i := range keys {
		_, out, errs := command(t, "keys", "create", "--plan", "pro", "--data", data)
		if keys[i] = strings.TrimSpace(out); keys[i] == "" {
			t.Fatal(errs)
		}
	}
	program := filepath.Join(dir, "grantgraph")
	if err := os.Link(os.Args[0], program); err != nil {
		// Another file system: a copy will do.
		body, err := os.ReadFile(os.Args[0])
		if err == nil {
			err = os.WriteFile(program, body, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	serve := exec.CommandContext(ctx, program, "serve", "--data", data)
	serve.Cancel = func() error { return serve.Process.Signal(syscall.SIGTERM) }
	url, log, ended := startServing(t, serve)
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}

	// As many at once as there are never workers to begin with.
	question, err := json.Marshal(map[string]string{"sql": "SELECT count(*) AS n FROM grants a, grants b, range(20) WHERE a.amount > b.amount + range"})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 2 * len(keys) {
		wg.Go(func() {
			r, err := http.NewRequestWithContext(ctx, "POST", url+"/api/v1/sql", bytes.NewReader(question))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("X-API-Key", keys[i/2])
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			if text, err := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK {
				t.Errorf("%s: %s %v", answer.Status, text, err)
			}
		})
	}
	wg.Wait()
	stop()
	<-ended
	if strings.Contains(log.String(), "ERROR") || t.Failed() {
		t.Errorf("the server says:\n%s", log.String())
	}
}
