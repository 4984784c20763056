package queue

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"grantgraph/internal/fault"
	"grantgraph/internal/ingest/stage"
)

type PlanOptions struct {
	Sources  string
	Stage    *stage.Shared
	Workers  int
	Prune    bool // remove staged shards that the plan does not use
	Progress func(done, total int64)
	// ShardBytes is how much XML a shard holds; 0 is what a build takes.
	ShardBytes int64
}

type Planned struct {
	Plan     string          `json:"plan"`
	Sources  string          `json:"sources"`
	Stage    string          `json:"stage"`
	Archives int             `json:"archives"`
	Returns  int64           `json:"returns"`
	Bytes    int64           `json:"xml_bytes"`
	Shards   int             `json:"shards"`
	Staged   int             `json:"staged"` // are in the stage already
	Queued   int             `json:"queued"` // are new in the queue
	Removed  int             `json:"removed,omitempty"`
	Refused  []stage.Refused `json:"refused"`
}

// planLock is the number under which planners take turns.
const planLock = 0x6772616e747331 // "grants1"

// Plan lists the archives and queues a job for each shard that is not staged yet. A
// shard in quarantine is tried again. The earlier plan counts until Plan is done.
func (q *Queue) Plan(ctx context.Context, opt PlanOptions) (*Planned, error) {
	conn, err := q.pool.Acquire(ctx)
	if err != nil {
		return nil, q.explain(err)
	}
	defer conn.Release()
	var free bool
	if err := conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(planLock)).Scan(&free); err != nil {
		return nil, q.explain(err)
	}
	if !free {
		return nil, fault.New("plan_running", "somebody else is planning into this database").Try("wait until that is done; grantgraph ingest status shows the plan")
	}
	// A connection that is lost has lost its lock as well.
	defer conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(planLock))
	if err := q.setUp(ctx); err != nil {
		return nil, err
	}
	before, tag, err := opt.Stage.Current(ctx)
	if err != nil {
		return nil, err
	}
	var known *stage.Plan
	if before != "" {
		// A plan that cannot be read is not needed: all archives are hashed again.
		if known, err = opt.Stage.Plan(ctx, before); ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			known = nil
		}
	}
	p, err := stage.MakePlan(ctx, stage.PlanOptions{Sources: opt.Sources, Workers: opt.Workers, Known: known, Progress: opt.Progress, ShardBytes: opt.ShardBytes})
	if err != nil {
		return nil, err
	}
	out := &Planned{Sources: p.Sources(), Stage: opt.Stage.String(), Archives: p.Archives(), Refused: p.Refused()}
	if out.Plan, err = opt.Stage.PutPlan(ctx, p); err != nil {
		return nil, err
	}
	staged, err := opt.Stage.Shards(ctx)
	if err != nil {
		return nil, err
	}
	var rows [][]any
	for s := range p.Shards() {
		state := "waiting"
		if staged[s.Key] {
			state = "staged"
			out.Staged++
		}
		rows = append(rows, []any{s.Key, s.Archive, s.Members, s.Bytes, state})
		out.Shards++
		out.Returns += s.Members
		out.Bytes += s.Bytes
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if err := record(ctx, tx, out, rows); err != nil {
			return err
		}
		if out.Queued, err = q.enqueue(ctx, tx); err != nil {
			return err
		}
		if err := opt.Stage.ReleaseAll(ctx); err != nil {
			return err
		}
		if out.Plan == before {
			return nil
		}
		return opt.Stage.PointTo(ctx, out.Plan, tag)
	})
	if err != nil {
		return nil, q.explain(err)
	}
	if opt.Prune {
		out.Removed, err = opt.Stage.Prune(ctx, out.Plan, p)
	}
	return out, err
}

// record writes the plan and its shards. It keeps what is known of shards that the earlier plan had too.
func record(ctx context.Context, tx pgx.Tx, out *Planned, rows [][]any) error {
	if _, err := tx.Exec(ctx, "CREATE TEMPORARY TABLE incoming (key TEXT, archive TEXT, members BIGINT, bytes BIGINT, state TEXT) ON COMMIT DROP"); err != nil {
		return err
	}
	if _, err := tx.CopyFrom(ctx, pgx.Identifier{"incoming"}, []string{"key", "archive", "members", "bytes", "state"}, pgx.CopyFromRows(rows)); err != nil {
		return err
	}
	var b pgx.Batch
	b.Queue("DELETE FROM shard WHERE key NOT IN (SELECT key FROM incoming)")
	b.Queue(`INSERT INTO shard (key, archive, members, bytes, state) SELECT key, archive, members, bytes, state FROM incoming
		ON CONFLICT (key) DO UPDATE SET archive = excluded.archive, state = excluded.state, reason = '',
		done_at = CASE excluded.state WHEN 'staged' THEN shard.done_at END`)
	b.Queue("DELETE FROM refused")
	for _, r := range out.Refused {
		b.Queue("INSERT INTO refused VALUES ($1, $2)", r.Archive, clean(r.Reason))
	}
	b.Queue(`INSERT INTO plan (id, sources, stage, archives) VALUES ($1, $2, $3, $4)
		ON CONFLICT (one) DO UPDATE SET id = excluded.id, made_at = now(), sources = excluded.sources, stage = excluded.stage, archives = excluded.archives`,
		out.Plan, out.Sources, out.Stage, out.Archives)
	return tx.SendBatch(ctx, &b).Close()
}

func (q *Queue) enqueue(ctx context.Context, tx pgx.Tx) (n int, err error) {
	client, err := river.NewClient(riverpgxv5.New(q.pool), &river.Config{Schema: schema, Logger: quiet})
	if err != nil {
		return 0, err
	}
	found, _ := tx.Query(ctx, `SELECT key FROM shard WHERE state = 'waiting' AND key NOT IN (
			SELECT args->>'key' FROM river_job WHERE kind = $1 AND state NOT IN ('completed', 'cancelled', 'discarded'))
		ORDER BY archive, key`, jobKind) // its error is that of the rows
	keys, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		return 0, err
	}
	const batch = 1000
	for from := 0; from < len(keys); from += batch {
		var jobs []river.InsertManyParams
		for _, key := range keys[from:min(len(keys), from+batch)] {
			jobs = append(jobs, river.InsertManyParams{Args: stageArgs{key}, InsertOpts: &river.InsertOpts{Queue: jobQueue, MaxAttempts: maxDeaths + 1}})
		}
		if _, err := client.InsertManyFastTx(ctx, tx, jobs); err != nil {
			return 0, fmt.Errorf("queueing: %w", err)
		}
	}
	return len(keys), nil
}
