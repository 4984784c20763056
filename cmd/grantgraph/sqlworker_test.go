package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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
	if code, _, errs := command(t, "build", "--sources", world(), "--data", data, "--quiet"); code != 0 {
		t.Fatal(errs)
	}
	var keys [2]string
	for i := range keys {
		_, out, errs := command(t, "keys", "create", "--plan", "pro", "--data", data)
		if keys[i] = strings.TrimSpace(out); keys[i] == "" {
			t.Fatal(errs)
		}
	}
	program := filepath.Join(dir, "grantgraph")
	if err := os.Link(os.Args[0], program); err != nil {
		t.Skipf("this program cannot be given a second name: %v; set TMPDIR to a folder on the file system that go test builds on", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var log bytes.Buffer
	serve := exec.CommandContext(ctx, program, "serve", "--data", data, "--addr", addr)
	serve.Env = append(os.Environ(), "GRANTGRAPH_TEST_AS_PROGRAM=1")
	serve.Stderr = &log
	serve.Cancel = func() error { return serve.Process.Signal(syscall.SIGTERM) }
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	for ctx.Err() == nil {
		if r, err := http.Get("http://" + addr + "/healthz"); err == nil {
			r.Body.Close()
			break
		}
	}
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
			r, err := http.NewRequestWithContext(ctx, "POST", "http://"+addr+"/api/v1/sql", bytes.NewReader(question))
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
	_ = serve.Wait()
	if strings.Contains(log.String(), "ERROR") || t.Failed() {
		t.Errorf("the server says:\n%s", log.String())
	}
}
