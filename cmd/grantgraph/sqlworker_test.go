package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	var keys [4]string
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
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	serve := exec.CommandContext(ctx, program, "serve", "--data", data, "--addr", "127.0.0.1:0")
	serve.Env = append(os.Environ(), "GRANTGRAPH_TEST_AS_PROGRAM=1")
	serve.Cancel = func() error { return serve.Process.Signal(syscall.SIGTERM) }
	said, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	// It says where it serves, and perhaps what goes wrong later.
	var log strings.Builder
	url, lines := "", bufio.NewScanner(said)
	for url == "" && lines.Scan() {
		fmt.Fprintln(&log, lines.Text())
		if _, rest, ok := strings.Cut(lines.Text(), "url="); ok {
			url, _, _ = strings.Cut(rest, " ")
		}
	}
	if url == "" {
		t.Fatalf("the server did not start:\n%s", log.String())
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
			fmt.Fprintln(&log, lines.Text())
		}
	}()
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
	<-read
	_ = serve.Wait()
	if strings.Contains(log.String(), "ERROR") || t.Failed() {
		t.Errorf("the server says:\n%s", log.String())
	}
}
