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

type Status struct {
	Plan        string    `json:"plan"`
	Made        time.Time `json:"made_at"`
	Sources     string    `json:"sources"`
	Stage       string    `json:"stage"`
	Archives    int       `json:"archives"`
	Staged      Amount    `json:"staged"`
	Running     Amount    `json:"running"`
	Waiting     Amount    `json:"waiting"` // for a worker
	Quarantined Amount    `json:"quarantined"`
	Packed      int64     `json:"packed_bytes"` // of what is staged, in the store
	// Rate is over the last minute, or the time since the first shard of the plan if that is shorter.
	Rate       float64        `json:"xml_bytes_per_second"`
	Left       float64        `json:"seconds_left,omitempty"` // at this rate
	Workers    []WorkerStatus `json:"workers"`
	Quarantine []Set          `json:"quarantine"`
}

type Amount struct {
	Shards  int64 `json:"shards"`
	Returns int64 `json:"returns"`
	Bytes   int64 `json:"xml_bytes"`
}

type WorkerStatus struct {
	ID      string  `json:"id"`
	Alive   bool    `json:"alive"`
	Slots   int     `json:"slots"`
	Running int64   `json:"running"`
	Shards  int64   `json:"shards"`
	Bytes   int64   `json:"xml_bytes"`
	Rate    float64 `json:"xml_bytes_per_second_and_slot"` // while it read
	Silent  float64 `json:"silent_seconds"`
}

// Set is something that was set aside, and why.
type Set struct {
	Archive string `json:"archive"`
	Shard   string `json:"shard,omitempty"` // empty for a whole archive
	Returns int64  `json:"returns"`
	Reason  string `json:"reason"`
}

const maxSet = 1000

// Waiting is how many shards wait for a worker, and when they were planned, nil if none waits.
func (q *Queue) Waiting(ctx context.Context) (shards int, since *time.Time, err error) {
	if _, err = q.currentPlan(ctx); err == nil {
		err = q.pool.QueryRow(ctx, `SELECT count(shard), min(CASE WHEN shard IS NOT NULL THEN made_at END)
			FROM plan LEFT JOIN shard ON state = 'waiting'`).Scan(&shards, &since)
	}
	return shards, since, q.explain(err)
}

func (q *Queue) Status(ctx context.Context) (*Status, error) {
	s := &Status{Workers: []WorkerStatus{}, Quarantine: []Set{}}
	if _, err := q.currentPlan(ctx); err != nil {
		return nil, err
	}
	// One moment for all questions.
	err := pgx.BeginTxFunc(ctx, q.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		return s.read(ctx, tx)
	})
	if err != nil {
		return nil, q.explain(err)
	}
	return s, nil
}

// read asks for all figures. An error of a query is that of its rows.
func (s *Status) read(ctx context.Context, tx pgx.Tx) error {
	if err := tx.QueryRow(ctx, "SELECT id, made_at, sources, stage, archives FROM plan").Scan(&s.Plan, &s.Made, &s.Sources, &s.Stage, &s.Archives); err != nil {
		return err
	}
	found, _ := tx.Query(ctx, `SELECT CASE WHEN shard.state = 'waiting' AND job.key IS NOT NULL THEN 'running' ELSE shard.state END AS now,
			count(*), sum(members)::BIGINT, sum(bytes)::BIGINT, sum(packed)::BIGINT
		FROM shard LEFT JOIN (SELECT DISTINCT args->>'key' AS key FROM river_job WHERE kind = $1 AND state = 'running') job ON job.key = shard.key
		GROUP BY now`, jobKind)
	var state string
	var a Amount
	var packed int64
	amounts := map[string]*Amount{"staged": &s.Staged, "running": &s.Running, "waiting": &s.Waiting, "quarantined": &s.Quarantined}
	_, err := pgx.ForEachRow(found, []any{&state, &a.Shards, &a.Returns, &a.Bytes, &packed}, func() error {
		if to := amounts[state]; to != nil {
			*to = a
		}
		if state == "staged" {
			s.Packed = packed
		}
		return nil
	})
	if err != nil {
		return err
	}
	const window = 60.0
	err = tx.QueryRow(ctx, `SELECT coalesce(sum(bytes) FILTER (WHERE done_at > now() - make_interval(secs => $1)), 0)::FLOAT8 /
			greatest(1, least($1, extract(epoch FROM now() - min(done_at - make_interval(secs => took)))::FLOAT8))
		FROM shard WHERE worker <> ''`, window).Scan(&s.Rate)
	if err != nil {
		return err
	}
	if left := s.Running.Bytes + s.Waiting.Bytes; left > 0 && s.Rate > 0 {
		s.Left = float64(left) / s.Rate
	}
	found, _ = tx.Query(ctx, `WITH did AS (
			SELECT worker AS id, count(*) AS shards, sum(bytes)::BIGINT AS bytes, sum(took) AS took FROM shard WHERE worker <> '' AND state = 'staged' GROUP BY worker),
		doing AS (SELECT attempted_by[array_upper(attempted_by, 1)] AS id, count(*) AS running FROM river_job WHERE kind = $1 AND state = 'running' GROUP BY 1)
		SELECT id, coalesce(seen_at + lease >= now(), FALSE), coalesce(slots, 0), coalesce(running, 0), coalesce(shards, 0), coalesce(bytes, 0),
			coalesce(bytes / nullif(took, 0), 0)::FLOAT8, coalesce(extract(epoch FROM now() - seen_at), 0)::FLOAT8
		FROM worker FULL JOIN did USING (id) LEFT JOIN doing USING (id) ORDER BY 2 DESC, 1`, jobKind)
	if s.Workers, err = pgx.CollectRows(found, pgx.RowToStructByPos[WorkerStatus]); err != nil {
		return err
	}
	found, _ = tx.Query(ctx, `SELECT archive, key, members, reason FROM shard WHERE state = 'quarantined'
		UNION ALL SELECT archive, '', 0, reason FROM refused ORDER BY 1, 2 LIMIT $1`, maxSet)
	s.Quarantine, err = pgx.CollectRows(found, pgx.RowToStructByPos[Set])
	return err
}
