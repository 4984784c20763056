package account

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"grantgraph/internal/bench/postgres"
)

// place is where a store is, so that a second one can be opened beside it.
type place struct {
	dsn string // of PostgreSQL, or
	dir string // the folder of the SQLite file
}

// one reads the first row of a statement.
func one(v *view, text string, args []any, into ...any) error {
	v.get(text, args, into...)
	return v.err
}

// all reads every row of a statement.
func all(v *view, text string, args []any, fn func(scanner) error) error {
	v.each(text, args, fn)
	return v.err
}

func (p place) open(ctx context.Context, opt Options) (*Store, error) {
	var s *Store
	var err error
	if p.dsn != "" {
		s, err = OpenPostgres(ctx, p.dsn, opt)
	} else {
		s, err = OpenSQLite(filepath.Join(p.dir, "accounts.db"), opt)
	}
	if err == nil {
		// Passwords cost what they must, but not in tests.
		s.hashing = hashing{memory: 64, passes: 1, lanes: 1}
	}
	return s, err
}

// openAt opens one more store at the place; it is closed with the test.
func openAt(t testing.TB, p place, opt Options) *Store {
	t.Helper()
	s, err := p.open(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The one PostgreSQL server of the tests; every test has a schema of its own.
var cluster struct {
	sync.Mutex
	server *postgres.Server
	err    error
	next   atomic.Int64
}

// newSchema is the address of an empty schema. Where there is no PostgreSQL
// the test is skipped.
func newSchema(t testing.TB) string {
	t.Helper()
	cluster.Lock()
	defer cluster.Unlock()
	if cluster.server == nil && cluster.err == nil {
		cluster.server, cluster.err = postgres.Start(context.Background(), "max_connections=600", "shared_buffers=64MB")
	}
	if errors.Is(cluster.err, postgres.ErrNone) {
		t.Skipf("the PostgreSQL store is not tested: %v; install it (Debian: apt-get install postgresql)", cluster.err)
	}
	if cluster.err != nil {
		t.Fatal(cluster.err)
	}
	return fmt.Sprintf("%s search_path=t%d", cluster.server.DSN, cluster.next.Add(1))
}

func stopCluster() {
	if cluster.server == nil {
		return
	}
	if err := cluster.server.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// stores runs the same test on every kind of store, empty.
func stores(t *testing.T, test func(t *testing.T, p place)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, place{dir: filepath.Join(t.TempDir(), "a b%20?c#")})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, place{dsn: newSchema(t)})
	})
}

func create(t testing.TB, s *Store, plan Plan) (string, KeyInfo) {
	t.Helper()
	secret, k, err := s.Create(t.Context(), plan, "ann@example.org", "test")
	if err != nil {
		t.Fatal(err)
	}
	return secret, k
}

// holdsNo fails when any of the secrets is in the store as it is on the disk.
func holdsNo(t *testing.T, s *Store, p place, secrets ...string) {
	t.Helper()
	if p.dsn == "" {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(p.dir), "*", "*"))
		if err != nil || len(files) == 0 {
			t.Fatal("no files", err)
		}
		for _, f := range files {
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range secrets {
				if strings.Contains(string(body), secret) {
					t.Errorf("%s holds a secret", f)
				}
			}
			if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s can be read by others: %v", f, info.Mode())
			}
		}
		return
	}
	for _, table := range []string{"keys", "accounts", "sessions", "tokens", "events", "agents", "tries", "nonces", "questions", "signing_keys", "watches", "watch_channels"} {
		err := all(s.view(t.Context()), "SELECT row_to_json(x)::text FROM "+table+" x", nil, func(scan func(...any) error) error {
			var row string
			if err := scan(&row); err != nil {
				return err
			}
			for _, secret := range secrets {
				if strings.Contains(row, secret) {
					t.Errorf("table %s holds a secret", table)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
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
