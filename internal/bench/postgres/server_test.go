package postgres_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"grantgraph/internal/bench/postgres"
)

func TestStart(t *testing.T) {
	t.Parallel()
	s, err := postgres.Start(t.Context(), "work_mem=7MB")
	if errors.Is(err, postgres.ErrNone) {
		t.Skipf("%v; on Debian: apt-get install postgresql", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dsn, err := s.Create(t.Context(), "another")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	var name, memory string
	if err := conn.QueryRow(t.Context(), "SELECT current_database(), current_setting('work_mem')").Scan(&name, &memory); err != nil || name != "another" || memory != "7MB" {
		t.Errorf("database %q, work_mem %q, %v", name, memory, err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
	s.Halt()
	if _, err := pgx.Connect(t.Context(), dsn); err == nil {
		t.Error("a server that was halted answers")
	}
	if err := s.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if conn, err := pgx.Connect(t.Context(), dsn); err != nil {
		t.Error("what was there before is gone:", err)
	} else if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	dir := strings.TrimPrefix(strings.Fields(s.DSN)[0], "host=")
	if _, err := os.Stat(filepath.Join(dir, "data")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data stays: %v", err)
	}
	if _, err := postgres.Start(t.Context(), "no_such_setting=1"); err == nil || !strings.Contains(err.Error(), "no_such_setting") {
		t.Errorf("a setting that does not exist: %v", err)
	}
}
