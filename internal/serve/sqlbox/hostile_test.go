package sqlbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"grantgraph/internal/bench/world"
	"grantgraph/internal/fault"
	"grantgraph/internal/serve/sqlbox/hostile"
	"grantgraph/internal/serve/warehouse"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	b := box(t, Options{Reading: 5 * time.Second})
	n := 0
	for kind, list := range hostile.Refused {
		n += len(list)
		for _, sql := range list {
			err := b.Check(t.Context(), Request{SQL: sql, Pro: true})
			if slug(err) != Rejected {
				t.Errorf("%s: %q: %v", kind, sql, err)
				continue
			}
			f, _ := fault.Of(err)
			if f.Message == "" || strings.Contains(f.Message, world.Small.Snapshot(t).Dir) || strings.Contains(f.Message, ".duckdb") && !strings.Contains(sql, ".duckdb") {
				t.Errorf("%s: %q is refused with %q", kind, sql, f.Message)
			}
		}
	}
	for _, v := range warehouse.Views() {
		if !v.Pro {
			continue
		}
		for _, try := range hostile.ProTries {
			n++
			sql := fmt.Sprintf(try, v.Name)
			err := b.Check(t.Context(), Request{SQL: sql})
			if slug(err) != ProTable || !strings.Contains(err.Error(), v.Name) {
				t.Errorf("%s on a lesser plan: %v", sql, err)
			}
			// The engine itself has no queries in lambdas.
			if err := b.Check(t.Context(), Request{SQL: sql, Pro: true}); err != nil && !strings.Contains(sql, "lambda") {
				t.Errorf("%s on the Pro plan: %v", sql, err)
			}
		}
	}
	// What is refused for its size or its depth is refused before it takes long:
	// otherwise it would be by the budget, with another slug.
	for _, sql := range hostile.Oversized() {
		n++
		if err := b.Check(t.Context(), Request{SQL: sql}); slug(err) != Rejected {
			t.Errorf("%.60q…: %v", sql, err)
		}
	}
	if n < 300 {
		t.Errorf("the corpus has only %d statements", n)
	}
	t.Logf("%d statements refused", n)
	if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1"}); err != nil {
		t.Errorf("after all of it: %v", err)
	}
}

// TestHeavy sends what tries to use up the machine: each ends in one of the ways
// that are foreseen, and the box answers on.
func TestHeavy(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes most of a minute; run without -short")
	}
	b := box(t, Options{Workers: 2, Threads: 2, Timeout: 500 * time.Millisecond, Memory: 128 << 20, Wait: time.Minute, Queue: 1000})
	var wg sync.WaitGroup
	list := make(chan string)
	for range 2 {
		wg.Go(func() {
			for sql := range list {
				_, err := b.Query(t.Context(), Request{SQL: sql})
				switch s := slug(err); s {
				case "", Rejected, TooComplex, TimedOut, OutOfMemory, TooLarge, Failed:
					t.Logf("%-14s %.70s", s, sql)
				default:
					t.Errorf("%.80s: %v", sql, err)
				}
				// The limit by the clock is short here, and the machine may be
				// busy with other tests.
				if _, err := b.Query(t.Context(), Request{SQL: "SELECT 1"}); err != nil && slug(err) != TimedOut {
					t.Errorf("after %.80s: %v", sql, err)
				}
			}
		})
	}
	for _, sql := range hostile.Heavy {
		list <- sql
	}
	close(list)
	wg.Wait()
}

// TestWithoutGate gives a worker what the gate would refuse: what the gate
// misses must fail all the same.
func TestWithoutGate(t *testing.T) {
	t.Parallel()
	b := box(t, Options{})
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("word\nxyzzy\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	pro, open := filepath.Join(world.Small.Snapshot(t).Dir, warehouse.ProFile), filepath.Join(world.Small.Snapshot(t).Dir, warehouse.OpenFile)
	for _, sql := range []string{
		"SELECT * FROM read_csv('" + secret + "')",
		"SELECT * FROM read_text('" + secret + "')",
		"SELECT * FROM read_blob('" + secret + "')",
		"SELECT * FROM '" + secret + "'",
		"SELECT * FROM sniff_csv('" + secret + "')",
		"SELECT * FROM glob('" + filepath.Dir(secret) + "/*')",
		"SELECT * FROM read_blob('" + open + "')",
		"SELECT * FROM read_blob('" + pro + "')",
		"SELECT * FROM read_blob('/proc/self/fd/5')",
		"SELECT * FROM read_text('/proc/self/environ')",
		"SELECT * FROM read_text('/proc/self/maps')",
		"SELECT * FROM read_duckdb('" + pro + "', table_name='board_link')",
		"SELECT * FROM board_link",
		"SELECT * FROM warehouse_pro.main.board_link",
		"SELECT * FROM query('SELECT * FROM board_link')",
		"SELECT * FROM query_table('board_link')",
		"SELECT 1); ATTACH '" + pro + "' AS p; SELECT * FROM (SELECT * FROM p.main.board_link",
		"SELECT 1); COPY (SELECT 1) TO '" + secret + "'; SELECT * FROM (SELECT 1",
		"SELECT 1); SET lock_configuration = false; SELECT * FROM (SELECT 1",
		"SELECT 1); SET enable_external_access = true; SELECT * FROM (SELECT 1",
		"SELECT 1); SET memory_limit = '100GB'; SELECT * FROM (SELECT 1",
		"SELECT 1); INSERT INTO pub78 VALUES ('1', 'PC'); SELECT * FROM (SELECT 1",
		"SELECT 1); DROP TABLE grants; SELECT * FROM (SELECT 1",
		"SELECT 1); INSTALL httpfs; SELECT * FROM (SELECT 1",
		"SELECT 1); LOAD '/tmp/x.duckdb_extension'; SELECT * FROM (SELECT 1",
		"SELECT 1); EXPORT DATABASE '" + filepath.Dir(secret) + "/out'; SELECT * FROM (SELECT 1",
		"SELECT * FROM 'http://127.0.0.1:9/x.csv'",
	} {
		r, err := b.Run(t.Context(), Request{SQL: sql})
		if err == nil {
			t.Errorf("%s gave %.200s", sql, rows(r))
		} else if f, ok := fault.Of(err); !ok || strings.Contains(f.Message, world.Small.Snapshot(t).Dir) && !strings.Contains(sql, world.Small.Snapshot(t).Dir) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	body, err := os.ReadFile(secret)
	if err != nil || string(body) != "word\nxyzzy\n" {
		t.Errorf("the file was changed: %q %v", body, err)
	}
	if _, err := os.Stat(filepath.Dir(secret) + "/out"); err == nil {
		t.Error("something was exported")
	}
	for _, sql := range []string{"SELECT path FROM duckdb_databases()", "SELECT * FROM duckdb_settings()"} {
		// These are harmless without the gate, and show that it is needed.
		if _, err := b.Run(t.Context(), Request{SQL: sql}); err != nil {
			t.Logf("%s: %v", sql, err)
		}
	}
	if _, err := b.Query(t.Context(), Request{SQL: "SELECT count(*) FROM grants"}); err != nil {
		t.Errorf("after all of it: %v", err)
	}
}
