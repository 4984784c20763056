package election

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
)

// TestOneAtATime has three candidates: one works, and whenever it is taken away,
// by a stop or because its connection is cut, another one does, and never two.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	pg, err := postgres.Start(t.Context(), "shared_buffers=16MB")
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("no PostgreSQL to compete in: %v; scripts/require installs it", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Stop()
	var atWork, most atomic.Int64
	began := make(chan int)
	stop := make([]context.CancelFunc, 3)
	var all sync.WaitGroup
	candidates := make([]*Candidate, 3)
	for i := range candidates {
		c, err := New(Options{Database: secret.NewURL(pg.DSN), Name: "lists", Poll: 10 * time.Millisecond, Patience: 5 * time.Minute, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		candidates[i] = c
		var ctx context.Context
		ctx, stop[i] = context.WithCancel(t.Context())
		all.Go(func() {
			c.Run(ctx, func(ctx context.Context) {
				now := atWork.Add(1)
				defer atWork.Add(-1)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				if !c.Leading() {
					t.Error("one works that does not lead")
				}
				select {
				case began <- i:
				case <-ctx.Done():
					return
				}
				<-ctx.Done()
			})
		})
	}
	defer all.Wait()
	defer func() {
		for _, s := range stop {
			s()
		}
	}()
	first := <-began
	for i, c := range candidates {
		if c.Leading() != (i == first) {
			t.Errorf("%d leads: %v; %d works", i, c.Leading(), first)
		}
	}

	alone := func(when string) {
		t.Helper()
		if most.Load() != 1 {
			t.Errorf("%d were at it at the same time %s", most.Load(), when)
		}
	}
	alone("before the first was cut off")

	// Its connection is cut; it may win again. The database lets go of the lock before
	// it notices, so another may begin before it has ended.
	conn, err := pgx.Connect(t.Context(), pg.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var n int
	const cut = "SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid WHERE l.locktype = 'advisory' AND a.application_name = 'grantgraph lists'"
	if err := conn.QueryRow(t.Context(), cut).Scan(&n); err != nil || n != 1 {
		t.Fatalf("%d connections were cut, %v", n, err)
	}
	second := <-began
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for atWork.Load() != 1 {
		<-tick.C
	}
	most.Store(1)

	// It is stopped: one of the others goes on.
	stop[second]()
	third := <-began
	if third == second {
		t.Error("one that was stopped works")
	}
	stop[third]()
	if last := <-began; last == second || last == third {
		t.Error("one that was stopped works")
	}
	alone("when one after the other was stopped")
}

// TestSchemas are those of two services in one database, which do not compete.
func TestSchemas(t *testing.T) {
	t.Parallel()
	keys := map[int64]bool{}
	for _, c := range []struct{ url, name string }{
		{"postgres://a@h/db", "lists"}, {"postgres://a@h/db?search_path=other", "lists"}, {"postgres://a@h/db", "other"},
	} {
		one, err := New(Options{Database: secret.NewURL(c.url), Name: c.name})
		if err != nil {
			t.Fatal(err)
		}
		keys[one.key] = true
	}
	if len(keys) != 3 {
		t.Errorf("%d locks for 3 services", len(keys))
	}
	_, err := New(Options{Database: secret.NewURL("postgres://a:hunter2@h:x/db")})
	if f, ok := fault.Of(err); !ok || f.Slug != "bad_store_address" || f.Hint == "" || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}
