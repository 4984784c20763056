package oracle

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite", in Go

	"grantgraph/internal/snapshot"
)

type Finder interface {
	Name() string
	// Find returns the EINs of at most ten organizations, best first.
	Find(ctx context.Context, name string) ([]string, error)
	Size() int64 // bytes of the names and their index on disk, 0 if it is not known
	Close() error
}

type sqlFinder struct {
	name  string
	db    *sql.DB
	query string
	args  func(name string) []string // each asked for if the one before finds nothing
	size  int64
	close func() error
}

func (f *sqlFinder) Name() string { return f.name }
func (f *sqlFinder) Size() int64  { return f.size }
func (f *sqlFinder) Close() error { return f.close() }

func (f *sqlFinder) Find(ctx context.Context, name string) (list []string, err error) {
	for _, arg := range f.args(name) {
		list, err = collect(ctx, f.db, func(rows *sql.Rows) (id string, err error) {
			err = rows.Scan(&id)
			return id, err
		}, f.query, arg)
		if err != nil || len(list) > 0 {
			break
		}
	}
	return list, err
}

// OpenLike is DuckDB that finds the names which contain what is asked for, shortest first. It finds no misspelled name.
func OpenLike(ctx context.Context, s *snapshot.Snapshot) (Finder, error) {
	db, err := openDuck(ctx, "CREATE TABLE organization AS SELECT ein, name FROM "+parquet(s.Path(snapshot.Organizations)))
	if err != nil {
		return nil, err
	}
	escape := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	return &sqlFinder{name: "DuckDB ILIKE", db: db.DB, close: db.Close,
		query: `SELECT ein FROM organization WHERE name ILIKE ? ESCAPE '\' ORDER BY length(name), ein LIMIT 10`,
		args:  func(name string) []string { return []string{"%" + escape.Replace(name) + "%"} }}, nil
}

// OpenTrigrams is PostgreSQL that finds the names with the most trigrams in
// common with what is asked for, through an index made for that.
func OpenTrigrams(ctx context.Context, s *snapshot.Snapshot, p *Postgres) (Finder, error) {
	for _, statement := range []string{"CREATE EXTENSION pg_trgm", "CREATE TABLE organization (ein text, name text)"} {
		if _, err := p.pool.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	if err := p.copyOrganizations(ctx, s); err != nil {
		return nil, err
	}
	for _, statement := range []string{"CREATE INDEX ON organization USING gin (name gin_trgm_ops)", "VACUUM ANALYZE organization"} {
		if _, err := p.pool.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	var size int64
	if err := p.pool.QueryRow(ctx, "SELECT pg_total_relation_size('organization')").Scan(&size); err != nil {
		return nil, err
	}
	return &sqlFinder{name: "PostgreSQL pg_trgm", db: p.codebook.db, size: size, close: func() error { return nil },
		query: "SELECT ein FROM organization WHERE name % $1 ORDER BY similarity(name, $1) DESC, ein LIMIT 10",
		args:  func(name string) []string { return []string{name} }}, nil
}

// OpenFTS is SQLite with an FTS5 index of trigrams. It looks for the name as a whole and, if there is none, for the names
// with the most of its trigrams.
func OpenFTS(ctx context.Context, s *snapshot.Snapshot) (Finder, error) {
	dir, err := os.MkdirTemp("", "grantgraph-fts-")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "names")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	db.SetMaxOpenConns(1)
	f := &sqlFinder{name: "SQLite FTS5", db: db, args: ftsQueries, close: func() error { return errors.Join(db.Close(), os.RemoveAll(dir)) },
		query: "SELECT ein FROM named JOIN organization ON id = named.rowid WHERE named MATCH ? ORDER BY rank LIMIT 10"}
	if err := fillFTS(ctx, db, s); err != nil {
		return nil, errors.Join(fmt.Errorf("loading SQLite: %w", err), f.Close())
	}
	if info, err := os.Stat(path); err == nil {
		f.size = info.Size()
	}
	return f, nil
}

func fillFTS(ctx context.Context, db *sql.DB, s *snapshot.Snapshot) error {
	_, err := db.ExecContext(ctx, `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA mmap_size = 8000000000;
		CREATE TABLE organization (id INTEGER PRIMARY KEY, ein TEXT, name TEXT);
		CREATE VIRTUAL TABLE named USING fts5(name, content = 'organization', content_rowid = 'id', tokenize = 'trigram'); BEGIN`)
	if err != nil {
		return err
	}
	for o, err := range snapshot.Rows[snapshot.Organization](s, snapshot.Organizations) {
		if err == nil {
			_, err = db.ExecContext(ctx, "INSERT INTO organization (ein, name) VALUES (?, ?)", o.EIN, o.Name)
		}
		if err != nil {
			return err
		}
	}
	_, err = db.ExecContext(ctx, "INSERT INTO named (named) VALUES ('rebuild'); INSERT INTO named (named) VALUES ('optimize'); COMMIT")
	return err
}

func ftsQueries(name string) []string {
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	var trigrams []string
	for letters := []rune(name); len(letters) >= 3; letters = letters[1:] {
		trigrams = append(trigrams, quoted(string(letters[:3])))
	}
	return []string{quoted(name), strings.Join(trigrams, " OR ")}
}
