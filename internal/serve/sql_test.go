package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/serve/account"
	"grantgraph/internal/serve/sqlbox"
	"grantgraph/internal/serve/warehouse"
)

// askSQL asks a query.
func askSQL(url, key, sql string) (status int, body string, err error) {
	b, err := json.Marshal(map[string]string{"sql": sql})
	if err != nil {
		return 0, "", err
	}
	return send(http.MethodPost, url+"/api/v1/sql", key, bytes.NewReader(b))
}

// TestSQLSwap publishes snapshots, one of them without a warehouse, while
// clients ask for grants and in SQL: no request for grants fails, no query
// does but for want of a warehouse, and SQL moves on to the new rows.
func TestSQLSwap(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	publish(t, data, world.Small)
	log := &lines{}
	s := startWith(t, Options{Data: data, SQL: &sqlbox.Options{Workers: 2, PerOwner: 10, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.NewTextHandler(log, nil))})
	key, _, err := s.Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	var (
		stop, absent atomic.Bool
		asked        atomic.Int64
		wg           sync.WaitGroup
	)
	for range 2 {
		wg.Go(func() {
			for n := 0; !stop.Load() && n < 2000; n++ {
				if status, body, err := get(s.URL()+"/api/v1/grants/summary", key); err != nil || status != 200 {
					t.Errorf("%d, %v, %.200s", status, err, body)
					return
				}
			}
		})
		wg.Go(func() {
			for n := 0; !stop.Load() && n < 2000; n++ {
				status, body, err := askSQL(s.URL(), key, "SELECT count(*) AS n FROM grants")
				if missing := status == 503 && strings.Contains(body, "sql_unavailable") && absent.Load(); err != nil || status != 200 && !missing {
					t.Errorf("%d, %v, %.300s", status, err, body)
					return
				}
				asked.Add(1)
			}
		})
	}
	// until asks in SQL until the answer is as wanted.
	until := func(want string) {
		t.Helper()
		deadline := time.Now().Add(5 * time.Minute)
		for last := ""; ; {
			_, body, err := askSQL(s.URL(), key, "SELECT count(*) AS n, sum(amount) AS total FROM grants")
			if err == nil && strings.Contains(body, want) {
				return
			}
			if last = body; time.Now().After(deadline) {
				t.Fatalf("%v, %s, want %s", err, last, want)
			}
		}
	}
	// rows is what SQL must say of the snapshot being served.
	rows := func() string {
		set, release := s.holder.Acquire()
		defer release()
		c := set.Snapshot.Manifest.Counts
		return fmt.Sprintf(`"rows":[{"n":%d,"total":%d}]`, c.Grants, c.TotalAmount)
	}
	took := func(version string) {
		t.Helper()
		for deadline := time.Now().Add(5 * time.Minute); ; {
			if _, body, err := get(s.URL()+"/readyz", ""); err == nil && strings.Contains(body, version) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("snapshot %s was not taken up", version)
			}
		}
	}
	until(rows())
	first := rows()
	took(publish(t, data, world.Other))
	if rows() == first {
		t.Fatal("the worlds do not differ")
	}
	until(rows())
	absent.Store(true)
	took(world.Small.Publish(t, data, "warehouse").Manifest.Version)
	until(`"error":"sql_unavailable"`)
	took(publish(t, data, world.Other))
	until(rows())
	absent.Store(false)
	stop.Store(true)
	wg.Wait()
	if asked.Load() == 0 || !strings.Contains(log.String(), "serving without SQL") {
		t.Errorf("%d queries; %s", asked.Load(), log)
	}
	t.Logf("%d queries", asked.Load())
}

// TestSQLDamaged serves a snapshot whose warehouse cannot be opened: all but
// SQL is answered, nobody is told where it lies, and nothing is charged.
func TestSQLDamaged(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	version := publish(t, data, world.Small)
	if err := os.WriteFile(filepath.Join(data, "builds", version, warehouse.ProFile), []byte("no database"), 0o644); err != nil {
		t.Fatal(err)
	}
	log := &lines{}
	s := startWith(t, Options{Data: data, SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.NewTextHandler(log, nil))})
	key, info, err := s.Store().Create(t.Context(), account.Plus, "", "")
	if err != nil {
		t.Fatal(err)
	}
	status, body, err := askSQL(s.URL(), key, "SELECT 1")
	if err != nil || status != 503 || !strings.Contains(body, "sql_unavailable") || strings.Contains(body, data) || !strings.Contains(log.String(), "serving without SQL") {
		t.Errorf("%d %v %s\n%s", status, err, body, log)
	}
	if b, err := s.Store().Balance(t.Context(), info.ID); err != nil || b.Remaining != b.Limit {
		t.Errorf("%+v, %v", b, err)
	}
	if status, body, err := get(s.URL()+"/api/v1/grants/summary", key); err != nil || status != 200 {
		t.Errorf("%d %v %s", status, err, body)
	}
}

// TestSQLFoundDamaged serves a warehouse one of whose bits is wrong, where no
// query need ever meet it: the check beside the requests finds it, SQL is out of
// service from then on, and nothing else is.
func TestSQLFoundDamaged(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	path := filepath.Join(data, "builds", publish(t, data, world.Small), warehouse.OpenFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 4 // rows; what the end of the file holds is read when it is opened
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	log := &lines{}
	s := startWith(t, Options{Data: data, SQL: &sqlbox.Options{Workers: 1, Wait: time.Hour, Timeout: time.Hour}, Log: slog.New(slog.NewTextHandler(log, nil))})
	key, _, err := s.Store().Create(t.Context(), account.Pro, "", "")
	if err != nil {
		t.Fatal(err)
	}
	for {
		status, body, err := askSQL(s.URL(), key, "SELECT 1")
		if err != nil || status != 200 && status != 503 {
			t.Fatalf("%d %v %s", status, err, body)
		}
		if status == 503 {
			if !strings.Contains(body, "sql_unavailable") || strings.Contains(body, data) || !strings.Contains(log.String(), "part=sql") {
				t.Errorf("%s\n%s", body, log)
			}
			break
		}
	}
	if status, body, err := get(s.URL()+"/api/v1/grants/summary", key); err != nil || status != 200 {
		t.Errorf("%d %v %s", status, err, body)
	}
}

// lines is a log that a test reads while it is written.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
