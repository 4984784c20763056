package oracle

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"grantgraph/internal/snapshot"
)

type Finder interface {
	Name() string
	// Find returns the EINs of at most ten organizations, best first.
	Find(ctx context.Context, name string) ([]string, error)
	Close() error
}

type sqlFinder struct {
	name  string
	db    *sql.DB
	query string
	arg   func(name string) string
	close func() error
}

func (f *sqlFinder) Name() string { return f.name }
func (f *sqlFinder) Close() error { return f.close() }

func (f *sqlFinder) Find(ctx context.Context, name string) ([]string, error) {
	return collect(ctx, f.db, func(rows *sql.Rows) (id string, err error) {
		err = rows.Scan(&id)
		return id, err
	}, f.query, f.arg(name))
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
		arg:   func(name string) string { return "%" + escape.Replace(name) + "%" }}, nil
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
	return &sqlFinder{name: "PostgreSQL pg_trgm", db: p.codebook.db, close: func() error { return nil },
		query: "SELECT ein FROM organization WHERE name % $1 ORDER BY similarity(name, $1) DESC, ein LIMIT 10",
		arg:   func(name string) string { return name }}, nil
}
