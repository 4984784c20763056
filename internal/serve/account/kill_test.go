package account

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// The test binary, started with this variable, is a process that charges until
// it is killed.
const childEnv = "GRANTGRAPH_TEST_CHARGE"

const childCallers = 8

// fixed keeps the end of a month out of the test.
func fixed() time.Time { return time.Date(2026, 5, 5, 5, 5, 5, 0, time.UTC) }

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		chargeForever(path, os.Getenv(childEnv+"_ID"))
		return
	}
	if path := os.Getenv(watchEnv); path != "" {
		compareForever(place{dir: path, dsn: os.Getenv(watchDSN)})
		return
	}
	code := m.Run()
	stopCluster()
	os.Exit(code)
}

// chargeForever writes one byte for every charge that was granted, after it
// was.
func chargeForever(path, id string) {
	s, err := OpenSQLite(path, Options{Clock: fixed})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var wg sync.WaitGroup
	for range childCallers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				if _, err := s.Charge(context.Background(), id, 1); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				os.Stdout.Write([]byte{'+'})
			}
		}()
	}
	wg.Wait()
}

// TestKill kills a process that charges, twenty times at random moments. What
// the ledger holds is what was answered and at most what was under way.
func TestKill(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "accounts.db")
	s, err := OpenSQLite(path, Options{Clock: fixed})
	if err != nil {
		t.Fatal(err)
	}
	_, k := create(t, s, Pro)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed(t), 1))
	before, answeredInAll := 0, 0
	for round := range 20 {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), childEnv+"="+path, childEnv+"_ID="+k.ID)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The moment is counted in answers, so that it is as random on a slow
		// machine as on a fast one; what was written before the kill is read to
		// its end.
		answered, until := 0, 1+r.IntN(200)
		in := bufio.NewReader(out)
		for {
			if _, err := in.ReadByte(); err != nil {
				break
			}
			if answered++; answered == until {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		cmd.Wait()
		if answered < until {
			t.Fatalf("round %d: the process ended by itself after %d charges", round, answered)
		}
		s, err := OpenSQLite(path, Options{Clock: fixed})
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Balance(t.Context(), k.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		spent := b.Limit - b.Remaining
		if spent < before+answered || spent > before+answered+childCallers {
			t.Fatalf("round %d: %d answered, the ledger has %d", round, answered, spent-before)
		}
		before, answeredInAll = spent, answeredInAll+answered
	}
	t.Logf("%d charges answered, %d in the ledger", answeredInAll, before)
}
