package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// listening is the log of a program that says where it serves.
type listening struct {
	mu   sync.Mutex
	said bytes.Buffer
	url  chan string // once
}

var servingAt = regexp.MustCompile(`msg=serving url=(\S+)`)

func (l *listening) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.Write(p)
	if m := servingAt.FindSubmatch(l.said.Bytes()); m != nil && l.url != nil {
		l.url <- string(m[1])
		l.url = nil
	}
	return len(p), nil
}

func (l *listening) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.String()
}

// startServing starts a program that serves, at a port of its own choice, which
// nobody can take from it in the meantime, unless it is given an address, and
// waits until it says where. The program must be one that is this test. ended
// tells how it ended, once.
func startServing(t *testing.T, program *exec.Cmd) (url string, log *listening, ended <-chan error) {
	t.Helper()
	at := make(chan string, 1)
	log = &listening{url: at}
	if !slices.Contains(program.Args, "--addr") {
		program.Args = append(program.Args, "--addr", "127.0.0.1:0")
	}
	program.Args = append(program.Args, "--log", "text")
	program.Env = append(append(os.Environ(), program.Env...), "GRANTGRAPH_TEST_AS_PROGRAM=1")
	program.Stderr = log
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- program.Wait() }()
	select {
	case url = <-at:
	case err := <-over:
		t.Fatalf("the server does not come up: %v\n%s", err, log)
	}
	return url, log, over
}

// seed is where random tests begin, the same each time unless GRANTGRAPH_SEED
// sets another.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("GRANTGRAPH_SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("GRANTGRAPH_SEED is %q", text)
	}
	return n
}
