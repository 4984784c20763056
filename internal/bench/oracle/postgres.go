package oracle

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

	"grantgraph/internal/bench/postgres"
	"grantgraph/internal/snapshot"
	"grantgraph/internal/table"
)

// Postgres is PostgreSQL over the coded tables, with an index for every kind of condition and texts indexed by their words.
type Postgres struct {
	*codebook
	pool *pgxpool.Pool
}

// OpenPostgres loads a snapshot into an empty database whose collation is C.
func OpenPostgres(ctx context.Context, s *snapshot.Snapshot, dsn string) (*Postgres, error) {
	p, err := ConnectPostgres(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if err := p.load(ctx, s); err != nil {
		return nil, errors.Join(fmt.Errorf("loading the snapshot into PostgreSQL: %w", err), p.Close())
	}
	if err := p.read(ctx, p.db, s); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.contains = func(table, words string, stems []string) string {
		where := "lexemes @@ '" + strings.Join(stems, " & ") + "'::tsquery"
		if len(stems) > 1 {
			where += " AND words LIKE '%" + words + "%'"
		}
		return "SELECT id FROM " + table + " WHERE " + where
	}
	return p, nil
}

// ConnectPostgres is PostgreSQL without the grants, for the searches that are timed alone.
func ConnectPostgres(ctx context.Context, dsn string) (*Postgres, error) {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, err
	}
	return &Postgres{pool: pool, codebook: &codebook{db: stdlib.OpenDBFromPool(pool)}}, nil
}

func (*Postgres) Name() string { return "PostgreSQL" }

func (p *Postgres) Close() error {
	defer p.pool.Close()
	return p.db.Close()
}

//go:embed postgres_tables.tsv
var postgresTableList string

// postgresTables are the coded tables in PostgreSQL's terms, with their columns in
// the order of the query of DuckDB that fills them.
var postgresTables = table.Read("postgres_tables.tsv", postgresTableList, "name", "columns", "from")

//go:embed postgres_indexes.sql
var postgresIndexes string

// load carries the coded tables over as CSV, which both engines write and read at speed.
func (p *Postgres) load(ctx context.Context, s *snapshot.Snapshot) error {
	db, err := openDuck(ctx, slices.Concat(staged(s), codedSQL)...)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, t := range postgresTables {
		name := t.Text("name")
		if _, err := p.pool.Exec(ctx, "CREATE TABLE "+name+" ("+t.Text("columns")+")"); err != nil {
			return err
		}
		if err := p.copy(ctx, db, name, "FROM "+t.Text("from")); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	for _, statement := range statements(postgresIndexes) {
		if _, err := p.pool.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// copy fills a table with the answer of DuckDB to a query, by way of a file.
func (p *Postgres) copy(ctx context.Context, db *database, table, query string) error {
	path := filepath.Join(db.dir, table+".csv")
	if err := db.run(ctx, "COPY ("+query+") TO "+quote(path)+" (FORMAT csv, HEADER false)"); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var columns string
	err = p.pool.QueryRow(ctx, `SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND attgenerated = ''`, table).Scan(&columns)
	if err != nil {
		return err
	}
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	_, err = conn.Conn().PgConn().CopyFrom(ctx, f, `COPY `+table+` (`+columns+`) FROM STDIN (FORMAT csv, NULL '\N')`)
	return err
}

// copyOrganizations fills the table that names are looked up in.
func (p *Postgres) copyOrganizations(ctx context.Context, s *snapshot.Snapshot) error {
	db, err := openDuck(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	return p.copy(ctx, db, "organization", "SELECT ein, name FROM "+parquet(s.Path(snapshot.Organizations)))
}

// ErrNoPostgres is wrapped when the machine has no PostgreSQL server to start.
var ErrNoPostgres = postgres.ErrNone

// Server is a private PostgreSQL server that can be reached through a socket only and is gone, with its data, after Stop.
type Server = postgres.Server

// StartPostgres starts a server with an empty database, set up for reading.
func StartPostgres(ctx context.Context) (*Server, error) {
	// What a careful owner of the machine would choose: a quarter of the memory for pages, room for sorts and
	// hashes, every core for a query, and no compilation, which costs more than it brings here.
	total, cores := memory(), runtime.NumCPU()
	return postgres.Start(ctx,
		"fsync=off", "synchronous_commit=off", "max_wal_size=8GB", "wal_level=minimal", "max_wal_senders=0",
		fmt.Sprintf("shared_buffers=%dMB", min(total/4, 16384)), fmt.Sprintf("effective_cache_size=%dMB", total/2),
		"work_mem=256MB", fmt.Sprintf("maintenance_work_mem=%dMB", min(total/16, 2047)),
		"random_page_cost=1.1", "jit=off",
		fmt.Sprintf("max_parallel_workers_per_gather=%d", cores), fmt.Sprintf("max_worker_processes=%d", cores+4), fmt.Sprintf("max_parallel_workers=%d", cores),
		fmt.Sprintf("max_parallel_maintenance_workers=%d", cores))
}

// memory is the memory of the machine in megabytes, or a small guess where the system does not say.
func memory() int {
	text, err := os.ReadFile("/proc/meminfo")
	var kilobytes int
	if _, scan := fmt.Sscanf(string(text), "MemTotal: %d kB", &kilobytes); err != nil || scan != nil {
		return 4096
	}
	return kilobytes >> 10
}
