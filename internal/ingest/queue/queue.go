// Package queue lets many machines read the returns of one build. A planner cuts the archives into shards, as
// a build on one machine does, and puts a job for each into a queue; workers anywhere take jobs, make the
// shards, and store them where the build finds them.
//
// The queue is River, in a PostgreSQL database, in a schema of its own; beside River's tables there is one
// row for each shard, which says what became of it. A job is completed in the transaction that writes this
// row, so there is no shard that was made and is not known, and none that is known and was not made.
//
// Workers say every few seconds that they live. The jobs of one that has been silent for longer than its
// lease are given to others; if it was only slow, two make the same shard under the same name with the same
// bytes, and nothing is lost but time. Every time is that of the database, so no machine's clock matters.
package queue

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"grantgraph/internal/fault"
	"grantgraph/internal/secret"
)

const schema = "grantgraph_ingest"

//go:embed tables.sql
var tables string

const layout = 1

type Queue struct {
	pool *pgxpool.Pool
	host string
}

type stageArgs struct {
	Key string `json:"key"`
}

func (stageArgs) Kind() string { return jobKind }

const (
	jobKind  = "stage_shard"
	jobQueue = "stage"
	// maxDeaths is how many workers may die over a shard before the shard goes into quarantine.
	maxDeaths = 10
)

// Open connects to a database. conns is how many connections are needed at most.
func Open(ctx context.Context, url secret.URL, conns int) (*Queue, error) {
	config, err := pgxpool.ParseConfig(url.Reveal())
	if url.Empty() || err != nil {
		// The driver's words may repeat the address, and with it a password.
		return nil, fault.New("bad_database", "the address of the database cannot be read").
			Try("--database postgres://user:password@host:5432/name")
	}
	config.MaxConns = int32(conns)
	config.ConnConfig.ConnectTimeout = cmp.Or(config.ConnConfig.ConnectTimeout, 5*time.Second)
	maps.Copy(config.ConnConfig.RuntimeParams, map[string]string{"application_name": "grantgraph ingest", "search_path": schema})
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	q := &Queue{pool: pool, host: config.ConnConfig.Host}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, q.explain(err)
	}
	return q, nil
}

func (q *Queue) Close() { q.pool.Close() }

// setUp makes the tables, or brings them up to date. The caller holds the lock of planners.
func (q *Queue) setUp(ctx context.Context) error {
	if _, err := q.pool.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+schema); err != nil {
		return q.explain(err)
	}
	m, err := rivermigrate.New(riverpgxv5.New(q.pool), &rivermigrate.Config{Schema: schema, Logger: quiet})
	if err != nil {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return q.explain(err)
	}
	if _, err := q.pool.Exec(ctx, tables, pgx.QueryExecModeSimpleProtocol); err != nil {
		return q.explain(err)
	}
	return q.version(ctx)
}

// version is an error if the tables are of a later version of the program.
func (q *Queue) version(ctx context.Context) error {
	var have int
	if err := q.pool.QueryRow(ctx, "SELECT max(version) FROM layout").Scan(&have); err != nil {
		return q.explain(err)
	}
	if have > layout {
		return fault.New("queue_version", "the tables of the queue are of a later version of this program (%d, here %d)", have, layout).
			Try("run the same version of grantgraph on all machines")
	}
	return nil
}

// quiet keeps the library from writing into the output of a command. Failures come back as errors.
var quiet = slog.New(slog.DiscardHandler)

// explain puts an error of the database into a person's terms.
func (q *Queue) explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	if _, ok := fault.Of(err); ok {
		return err
	}
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		// The driver's words name the user and the database, never the password.
		return fault.New("database_unreachable", "the database at %s does not answer: %w", q.host, err).
			Try("check that PostgreSQL runs and that --database names it; what was there before is untouched")
	}
	switch code := refused.Code; {
	case strings.HasPrefix(code, "28"):
		return fault.New("database_credentials", "the database at %s does not accept the user or the password: %w", q.host, err).
			Try("correct them in --database or GRANTGRAPH_DATABASE")
	case code == "3D000":
		return fault.New("database_missing", "there is no such database at %s: %w", q.host, err).Try("make it with createdb, or check its name")
	case code == "42501":
		return fault.New("database_permission", "the user of the database at %s may not do this: %w", q.host, err).
			Try("GRANT CREATE ON DATABASE to the user who plans, and USAGE on the schema %s with its tables to those who work", schema)
	case code == "3F000", code == "42P01":
		return noPlan()
	}
	return fault.New("database_failing", "the database at %s fails: %w", q.host, err).
		Try("see the log of PostgreSQL, and run it again; what was there before is untouched")
}

func noPlan() error {
	return fault.New("no_plan", "there is no plan in this database").Try("grantgraph ingest plan --sources DIR --stage STORE, with the same --database")
}
