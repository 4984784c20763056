package serve

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/sqlbox/hostile"
)

// neighbours are four who send hostile SQL to a server, and one who asks its
// grant graph.
type neighbours struct {
	*Server
	tb        testing.TB
	strangers []string // their keys
	key       string   // of the one who asks
	asked     int
}

func newNeighbours(tb testing.TB) *neighbours {
	data := tb.TempDir()
	publish(tb, data, world.Small)
	n := &neighbours{tb: tb, Server: startWith(tb, Options{Data: data, Log: slog.New(slog.DiscardHandler), SQL: &sqlbox.Options{Timeout: 500 * time.Millisecond, PerOwner: 1}})}
	for range 4 {
		n.strangers = append(n.strangers, n.newKey())
	}
	return n
}

func (n *neighbours) newKey() string {
	secret, _, err := n.Store().Create(n.tb.Context(), account.Pro, "", "")
	if err != nil {
		n.tb.Fatal(err)
	}
	return secret
}

// ask asks the grant graph what it was not asked before.
func (n *neighbours) ask() {
	if n.asked%9000 == 0 { // before its allowance is spent
		n.key = n.newKey()
	}
	n.asked++
	status, body, err := get(fmt.Sprintf("%s/api/v1/grants/funders?min_amt=%d&limit=5", n.URL(), n.asked), n.key)
	if err != nil || status != 200 {
		n.tb.Fatalf("%d %s %v", status, body, err)
	}
}

// attack sends everything in the collection of hostile statements, until it is
// told to stop. over is closed when all are answered; ends, by status, may be
// read then.
func (n *neighbours) attack(stop <-chan struct{}) (sent int, over <-chan struct{}, ends map[int]int) {
	statements := slices.Concat(hostile.Heavy, hostile.ProTries, hostile.Oversized())
	for _, list := range slices.Collect(maps.Values(hostile.Refused)) {
		statements = append(statements, list...)
	}
	left := make(chan string)
	go func() {
		defer close(left)
		for _, q := range statements {
			select {
			case left <- q:
			case <-stop:
				return
			}
		}
	}()
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	ends = map[int]int{}
	for _, key := range n.strangers {
		wg.Go(func() {
			for q := range left {
				status, body, err := askSQL(n.URL(), key, q)
				if err != nil {
					n.tb.Error(err)
				} else if status != 200 && status != 400 && status != 413 && status != 503 {
					n.tb.Errorf("%.200s: %d %s", q, status, body)
				}
				mu.Lock()
				ends[status]++
				mu.Unlock()
			}
		})
	}
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	return len(statements), done, ends
}

// Whoever asks the grant graph does not notice what strangers do to SQL: while
// everything in the collection of hostile statements is sent, every call
// succeeds. BenchmarkSQLNeighbour shows what it costs.
func TestSQLNeighbour(t *testing.T) {
	n := newNeighbours(t)
	sent, over, ends := n.attack(nil)
	for busy := true; busy || n.asked < 100; {
		n.ask()
		select {
		case <-over:
			busy = false
		default:
		}
	}
	answered := 0
	for _, times := range ends {
		answered += times
	}
	if answered != sent || ends[400] == 0 {
		t.Errorf("%d of %d statements were answered, with %v, beside %d calls", answered, sent, ends, n.asked)
	}
	t.Logf("%d calls answered beside %d statements, which ended with %v", n.asked, sent, ends)
}

// BenchmarkSQLNeighbour is a call of the grant graph on a quiet server, and on
// one that strangers send hostile SQL to.
func BenchmarkSQLNeighbour(b *testing.B) {
	for _, busy := range []bool{false, true} {
		b.Run(map[bool]string{false: "quiet", true: "busy"}[busy], func(b *testing.B) {
			n := newNeighbours(b)
			stop := make(chan struct{})
			var over <-chan struct{}
			if busy {
				_, over, _ = n.attack(stop)
			}
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				n.ask()
				took = append(took, time.Since(begun))
			}
			close(stop)
			if busy {
				<-over
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
