package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/bench/world"
	"grantgraph/internal/secret"
	"grantgraph/internal/serve"
	"grantgraph/internal/serve/account"
)

// times is how often a test does something: as often as the setting says, which
// make soak sets, or else a few times.
func times(t *testing.T, setting string, few int) int {
	text := os.Getenv(setting)
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q", setting, text)
	}
	return n
}

// TestServerKilled kills the program itself, at random moments while clients
// ask it, again and again. Whatever was answered is in the ledger afterwards,
// and no more than that and what was under way.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	world.Small.Publish(t, data)
	t.Run("sqlite", func(t *testing.T) { killServer(t, data, "") })
	t.Run("postgres", func(t *testing.T) {
		pg, err := postgres.Start(t.Context())
		if errors.Is(err, postgres.ErrNone) {
			t.Skipf("no PostgreSQL to keep the ledger in: %v; scripts/require installs it", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer pg.Stop()
		killServer(t, data, pg.DSN)
	})
}

func killServer(t *testing.T, data, database string) {
	store := func(work func(*account.Store)) {
		t.Helper()
		s, err := serve.OpenAccounts(data, secret.NewURL(database), account.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		work(s)
	}
	var key, id string
	store(func(s *account.Store) {
		secret, k, err := s.Create(t.Context(), account.Pro, "", "")
		if err != nil {
			t.Fatal(err)
		}
		key, id = secret, k.ID
	})
	moments := rand.New(rand.NewPCG(seed(t), 1))
	const clients = 8
	var answered, all, uncharged int64
	var wrong atomic.Int64
	most := int64(0) // of those whose answer nobody saw
	rounds := times(t, "GRANTGRAPH_KILLS", 4)
	if os.Getenv("GRANTGRAPH_KILLS") != "" {
		slowDown(t, data)
	}
	for round := range rounds {
		program := exec.Command(os.Args[0], "serve", "--data", data, "--database", database)
		url, log, ended := startServing(t, program)
		var (
			wg   sync.WaitGroup
			seen atomic.Int64
			dead = make(chan struct{})
			// It is killed after some number of answers, whatever is under way.
			after  = 1 + moments.Int64N(150)
			enough = make(chan struct{})
			gone   = make(chan struct{})
		)
		for client := range clients {
			wg.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-dead:
						return
					default:
					}
					req, err := http.NewRequest("GET", fmt.Sprintf("%s/api/v1/grants/summary?min_amt=%d", url, 1+client+clients*n), nil)
					if err != nil {
						t.Error(err)
						return
					}
					req.Header.Set("X-API-Key", key)
					r, err := http.DefaultClient.Do(req)
					if err != nil {
						return
					}
					_, err = io.Copy(io.Discard, r.Body)
					r.Body.Close()
					if r.StatusCode == http.StatusOK && err == nil {
						if seen.Add(1) == after {
							close(enough)
						}
					} else if err == nil {
						wrong.Add(1)
						t.Errorf("status %d", r.StatusCode)
						return
					}
				}
			})
		}
		go func() {
			wg.Wait()
			close(gone)
		}()
		select {
		case <-enough:
		case <-gone:
			t.Fatalf("the server stopped answering before it was killed\n%s", log)
		}
		if err := program.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		close(dead)
		<-gone
		<-ended
		answered += seen.Load()
		all += seen.Load()
		most += clients
		store(func(s *account.Store) {
			b, err := s.Balance(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			spent := int64(b.Limit - b.Remaining)
			uncharged += max(0, answered-spent)
			if spent < answered || spent > answered+most {
				t.Errorf("after kill %d: %d answers were received, %d are in the ledger, at most %d were under way", round+1, answered, spent, most)
			}
			if b.Remaining < 2000 {
				// Room for the rounds to come.
				secret, k, err := s.Create(t.Context(), account.Pro, "", "")
				if err != nil {
					t.Fatal(err)
				}
				key, id, answered, most = secret, k.ID, 0, 0
			}
		})
	}
	t.Logf("soak: | Server killed while billing, on a slow disk, %s | %d | %d answers | 0 | %d | %d |",
		path.Base(t.Name()), rounds, all, wrong.Load(), uncharged)
}

// slowDown keeps the disk of a directory busy until the test ends: it writes a
// megabyte at a time and waits until the disk has it.
func slowDown(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "busy"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for block := make([]byte, 1<<20); ctx.Err() == nil; {
			if _, err := f.WriteAt(block, 0); err != nil || f.Sync() != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
		_ = f.Close()
	})
}
