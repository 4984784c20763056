package queue

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

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
