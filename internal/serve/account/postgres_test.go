package account

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestPostgresStart opens an empty schema from many servers at once.
func TestPostgresStart(t *testing.T) {
	t.Parallel()
	p := place{dsn: newSchema(t)}
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s, err := p.open(context.Background(), Options{})
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		}()
	}
	wg.Wait()
	s := openAt(t, p, Options{})
	var rows int
	if err := one(s.view(t.Context()), "SELECT COUNT(*) FROM layout", nil, &rows); err != nil || rows != 1 {
		t.Errorf("the layout was made %d times, %v", rows, err)
	}
	// A database of a later version is left alone.
	if err := s.update(t.Context(), func(t *tx) { t.exec("INSERT INTO layout VALUES (999)") }); err != nil {
		t.Fatal(err)
	}
	if _, err := p.open(t.Context(), Options{}); err == nil || slugOf(err) != "accounts_unreadable" || !strings.Contains(err.Error(), "later version") {
		t.Errorf("a later layout: %v", err)
	}
}

func TestPostgresUnreachable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, slug string }{
		{"postgres://user:hunter2@127.0.0.1:port/db", "bad_store_address"},
		{"postgres://user:hunter2@127.0.0.1:1/db?connect_timeout=1", "store_unavailable"},
		{"host=" + t.TempDir() + " dbname=x user=x password=hunter2", "store_unavailable"},
	} {
		_, err := OpenPostgres(t.Context(), c.url, Options{})
		if slugOf(err) != c.slug || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.url, err)
		}
	}
}

// TestUpgrade brings a file of the first layout to the present one.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	p := place{dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(p.dir, "accounts.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(p.dir, "accounts.db"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := migrations.ReadFile("migrations/sqlite/0001_keys.sql")
	if err != nil {
		t.Fatal(err)
	}
	secret, k, err := (&Store{clock: fixed}).newKey(Free, "ann@example.org", "old")
	if err != nil {
		t.Fatal(err)
	}
	day := Day.Start(fixed()).Unix()
	for _, do := range []struct {
		text string
		args []any
	}{
		{string(text), nil}, {"PRAGMA user_version = 1", nil},
		{"INSERT INTO keys VALUES (7, ?, ?, 'free', 'ann@example.org', 'old', 1, ?, ?)", []any{k.ID, hashSecret(secret), k.Created.Unix(), k.Rotated.Unix()}},
		{"INSERT INTO spent VALUES (7, 'day', ?, 20)", []any{day}},
	} {
		if _, err := db.Exec(do.text, do.args...); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	s := openAt(t, p, Options{Clock: fixed})
	if got, err := s.Authenticate(t.Context(), secret); err != nil || got != k {
		t.Errorf("%+v, %v", got, err)
	}
	if b, err := s.Charge(t.Context(), k.ID, 1); err != nil || b.Remaining != 29 {
		t.Errorf("%+v, %v", b, err)
	}
}

// severed is a connection that fails around a commit, in one of three ways.
type severed struct {
	net.Conn
	plan  *severance
	dead  atomic.Bool
	heard chan struct{} // an answer after it was severed
}

// severance is how the next commit fails.
type severance struct {
	way     atomic.Value // string: "question", "answer", "late" or ""
	name    atomic.Value // []byte: how the statement COMMIT is called
	hit     atomic.Int64
	release chan func() // late commits, to be sent when their time has come
}

func (c *severed) Write(b []byte) (int, error) {
	way, _ := c.plan.way.Load().(string)
	if c.dead.Load() {
		return 0, io.ErrClosedPipe
	}
	// The commit is a prepared statement; its name is learned when it is made.
	if before, _, found := bytes.Cut(b, []byte("\x00COMMIT\x00")); found {
		c.plan.name.Store(bytes.Clone(before[bytes.LastIndex(before, []byte("stmtcache_")):]))
	}
	name, _ := c.plan.name.Load().([]byte)
	parse := bytes.Contains(b, []byte("\x00COMMIT\x00"))
	if way == "" || name == nil || parse || !bytes.Contains(b, name) || !c.plan.way.CompareAndSwap(way, "") {
		return c.Conn.Write(b)
	}
	c.plan.hit.Add(1)
	c.dead.Store(true)
	sent := bytes.Clone(b)
	send := func() {
		// The server has done it when it answers, whoever hears it: after a
		// slow write the driver may be listening already.
		if _, err := c.Conn.Write(sent); err == nil {
			go func() {
				_, _ = c.Conn.Read(make([]byte, 4096))
				c.hear()
			}()
			<-c.heard
		}
		c.Conn.Close()
	}
	switch way {
	case "answer":
		send()
	case "late":
		c.plan.release <- send
	default:
		c.Conn.Close()
	}
	return 0, io.ErrClosedPipe
}

func (c *severed) Read(b []byte) (int, error) {
	if c.dead.Load() {
		return 0, io.EOF
	}
	n, err := c.Conn.Read(b)
	if c.dead.Load() {
		c.hear()
		return 0, io.EOF
	}
	return n, err
}

// hear notes that the server has answered.
func (c *severed) hear() {
	select {
	case c.heard <- struct{}{}:
	default:
	}
}

func (c *severed) Close() error {
	if c.dead.Load() {
		return nil // whoever severed it closes it
	}
	return c.Conn.Close()
}

// TestPostgresLostCommit loses a commit before the server has it, loses the
// answer to it, and lets it come late, when the next try is under way already:
// each charge is there once.
func TestPostgresLostCommit(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	plan := &severance{release: make(chan func(), 1)}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &severed{Conn: c, plan: plan, heard: make(chan struct{}, 1)}, nil
	}
	config.RuntimeParams["application_name"] = "lost"
	opened, err := openPostgres(t.Context(), config, Options{Clock: fixed})
	if err != nil {
		t.Fatal(err)
	}
	s := opened
	defer s.Close()
	watch := openAt(t, place{dsn: dsn}, Options{Clock: fixed})
	_, k := create(t, s, Plus)
	spent := 0
	for round, way := range []string{"question", "answer", "late", "answer", "late", "question"} {
		plan.way.Store(way)
		done := make(chan error, 1)
		go func() {
			_, err := s.Charge(context.Background(), k.ID, 2)
			done <- err
		}()
		if way == "late" {
			send := <-plan.release
			for waiting := 0; waiting == 0; {
				err := one(watch.view(t.Context()), "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'lost' AND wait_event_type = 'Lock'", nil, &waiting)
				if err != nil {
					t.Fatal(err)
				}
			}
			send()
		}
		if err := <-done; err != nil {
			t.Errorf("%s: %v", way, err)
		}
		spent += 2
		if b, err := watch.Balance(t.Context(), k.ID); err != nil || b.Limit-b.Remaining != spent {
			t.Errorf("round %d, %s: %+v, want %d spent, %v", round, way, b, spent, err)
		}
		if plan.hit.Load() != int64(round+1) {
			t.Fatalf("%s: nothing was lost", way)
		}
	}
	// The same for what is not a charge: one key is made, not two.
	for _, way := range []string{"answer", "question"} {
		plan.way.Store(way)
		before, _ := watch.List(t.Context())
		secret, made, err := s.Create(t.Context(), Free, "", "")
		if err != nil {
			t.Fatal(err)
		}
		after, _ := watch.List(t.Context())
		if got, err := watch.Authenticate(t.Context(), secret); err != nil || got != made || len(after) != len(before)+1 {
			t.Errorf("%s: %+v, %v, %d keys", way, got, err, len(after)-len(before))
		}
	}
}

// TestPostgresKill ends the connections of a server that charges, at random
// moments. What the ledger holds is what was answered, and at most what was
// answered with a failure.
func TestPostgresKill(t *testing.T) {
	t.Parallel()
	dsn := newSchema(t)
	name := fmt.Sprintf("kill%d", os.Getpid())
	s := openAt(t, place{dsn: dsn + " application_name=" + name}, Options{Clock: fixed})
	watch := openAt(t, place{dsn: dsn}, Options{Clock: fixed})
	_, k := create(t, s, Pro)
	var answered, failed atomic.Int64
	left := make([]atomic.Bool, 10_001)
	moments := make(chan struct{}, 1)
	quit := make(chan struct{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-quit:
					return
				default:
				}
				b, err := s.Charge(context.Background(), k.ID, 1)
				switch {
				case err == nil:
					answered.Add(1)
					if left[b.Remaining].Swap(true) {
						t.Errorf("two charges left %d", b.Remaining)
					}
				case slugOf(err) == "store_unavailable":
					failed.Add(1)
				default:
					t.Error(err)
					return
				}
				select {
				case moments <- struct{}{}:
				default:
				}
			}
		}()
	}
	// Readers keep many connections in use.
	var blind atomic.Int64
	for range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-quit:
					return
				default:
				}
				if _, err := s.Balance(context.Background(), k.ID); slugOf(err) == "store_unavailable" {
					blind.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	r := rand.New(rand.NewPCG(seed(t), 2))
	killed := 0
	for range 60 {
		for range 1 + r.IntN(6) {
			<-moments
		}
		var n int
		err := one(watch.view(t.Context()), "SELECT COUNT(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1) x", []any{name}, &n)
		if err != nil {
			t.Fatal(err)
		}
		killed += n
	}
	close(quit)
	wg.Wait()
	b, err := watch.Balance(t.Context(), k.ID)
	if err != nil {
		t.Fatal(err)
	}
	spent := int64(b.Limit - b.Remaining)
	if spent < answered.Load() || spent > answered.Load()+failed.Load() {
		t.Errorf("%d answered, %d failed, the ledger has %d", answered.Load(), failed.Load(), spent)
	}
	if killed == 0 || answered.Load() < 60 {
		t.Errorf("%d connections killed, %d charges answered", killed, answered.Load())
	}
	t.Logf("%d connections killed, %d charges answered, %d failed, %d in the ledger; %d readings failed", killed, answered.Load(), failed.Load(), spent, blind.Load())
}

// TestPostgresAway lets the server be away: reading and charging fail with
// words that say so, and go on when it is back.
func TestPostgresAway(t *testing.T) {
	t.Parallel()
	config, err := pgx.ParseConfig(newSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	var away atomic.Bool
	var open sync.Map
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if away.Load() {
			return nil, errors.New("no route to host")
		}
		c, err := dial(ctx, network, addr)
		if err == nil {
			open.Store(c, true)
		}
		return c, err
	}
	opened, err := openPostgres(t.Context(), config, Options{Clock: fixed})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	secret, k := create(t, opened, Free)
	away.Store(true)
	open.Range(func(c, _ any) bool { c.(net.Conn).Close(); return true })
	ctx := t.Context()
	var wg sync.WaitGroup
	for _, ask := range []func() error{
		func() error { return second(opened.Charge(ctx, k.ID, 1)) },
		func() error { return second(opened.Authenticate(ctx, secret)) },
		func() error { return second(opened.Balance(ctx, k.ID)) },
		func() error { return second(opened.Deactivate(ctx, k.ID)) },
		func() error { return second(opened.Session(ctx, "x")) },
	} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := ask(); slugOf(err) != "store_unavailable" {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	short, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := opened.Authenticate(short, secret); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	away.Store(false)
	if b, err := opened.Charge(ctx, k.ID, 1); err != nil || b.Remaining != 49 {
		t.Errorf("%+v, %v", b, err)
	}
	if got, err := opened.Authenticate(ctx, secret); err != nil || got != k {
		t.Errorf("%+v, %v", got, err)
	}
}
