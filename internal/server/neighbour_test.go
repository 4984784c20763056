package server

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/account"
	"grantgraph/internal/sqlbox"
	"grantgraph/internal/sqlbox/hostile"
)

// Whoever asks the grant graph does not notice what strangers do to SQL: while
// everything in the collection of hostile statements is sent, every call
// succeeds, and the slow ones among them are not much slower than on a quiet
// machine.
func TestSQLNeighbour(t *testing.T) {
	data := t.TempDir()
	publishSQL(t, data, 0)
	s := startWith(t, Options{Data: data, Log: slog.New(slog.DiscardHandler), SQL: &sqlbox.Options{Timeout: 500 * time.Millisecond, PerOwner: 1}})
	newKey := func() string {
		secret, _, err := s.Store().Create(t.Context(), account.Pro, "", "")
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	keys := []string{newKey(), newKey(), newKey(), newKey()}
	question, neighbour := 0, ""
	ask := func(n int, more func() bool) (median, p99 time.Duration) {
		var took []time.Duration
		for len(took) < n || more() {
			if question%9000 == 0 { // before its allowance is spent
				neighbour = newKey()
			}
			question++
			begun := time.Now()
			status, body, err := get(fmt.Sprintf("%s/api/v1/grants/funders?min_amt=%d&limit=5", s.URL(), question), neighbour)
			if err != nil || status != 200 {
				t.Fatalf("%d %s %v", status, body, err)
			}
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		return took[len(took)/2], took[len(took)*99/100]
	}
	quiet, idle := ask(400, func() bool { return false })

	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		ends = map[int]int{} // by status
		left = make(chan string)
	)
	go func() {
		defer close(left)
		for _, list := range slices.Concat([][]string{hostile.Heavy, hostile.ProTries, hostile.Oversized()}, slices.Collect(maps.Values(hostile.Refused))) {
			for _, q := range list {
				left <- q
			}
		}
	}()
	for i := range 4 {
		wg.Go(func() {
			for q := range left {
				status, body, err := query(s.URL(), keys[i], q)
				if err != nil {
					t.Error(err)
					return
				}
				if status != 200 && status != 400 && status != 413 && status != 503 {
					t.Errorf("%.200s: %d %s", q, status, body)
				}
				mu.Lock()
				ends[status]++
				mu.Unlock()
			}
		})
	}
	over := make(chan struct{})
	go func() {
		wg.Wait()
		close(over)
	}()
	usual, busy := ask(200, func() bool {
		select {
		case <-over:
			return false
		default:
			return true
		}
	})
	t.Logf("median %v and p99 %v when quiet, %v and %v beside heavy SQL; queries ended with %v", quiet, idle, usual, busy, ends)
	if ends[400] < 400 {
		t.Errorf("so few were refused or stopped: %v", ends)
	}
	// Three times as slow is the bound. Other packages are tested beside this
	// one and may begin at any moment, which the slowest calls feel most: hence
	// the allowances. A call that waited for a query would fail by the median.
	if most := max(3*quiet, 50*time.Millisecond); usual > most {
		t.Errorf("median %v beside heavy SQL, %v when quiet", usual, quiet)
	}
	if most := max(3*idle, time.Second); busy > most {
		t.Errorf("p99 %v beside heavy SQL, %v when quiet", busy, idle)
	}
}
