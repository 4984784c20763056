package account

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresEngine is the engine of a store that many servers share. All lock rows in the same order. By the mark of each
// transaction the engine finds out whether a commit without an answer took place, and never repeats it.
type postgresEngine struct {
	lastLost atomic.Int64 // when a connection was last lost, in Unix nanoseconds
}

// distrust is for how long after a lost connection idle connections are pinged before they are used.
const distrust = 10 * time.Second

// postgresSchema holds the tables when the address names no search_path.
const postgresSchema = "grantgraph"

const postgresConns = 16

// OpenPostgres opens the store at url (a postgres:// address, or words like host=…), and migrates an older layout. The tables
// are in the schema grantgraph, or in that of search_path.
func OpenPostgres(ctx context.Context, url string, opt Options) (*Store, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's message may repeat the address and its password.
		return nil, refuse(nil, "bad_store_address")
	}
	return openPostgres(ctx, config, opt)
}

func openPostgres(ctx context.Context, config *pgx.ConnConfig, opt Options) (*Store, error) {
	e := new(postgresEngine)
	s, err := newStore(opt, e)
	if err != nil {
		return nil, err
	}
	schema := cmp.Or(config.RuntimeParams["search_path"], postgresSchema)
	config.RuntimeParams["search_path"] = pgx.Identifier{schema}.Sanitize()
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, 5*time.Second)
	for name, value := range map[string]string{
		"application_name": "grantgraph",
		// A server that hangs must not hold up the others for long.
		"lock_timeout": "5s", "statement_timeout": "15s", "idle_in_transaction_session_timeout": "15s",
	} {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	db := stdlib.OpenDB(*config, stdlib.OptionShouldPing(func(_ context.Context, p stdlib.ShouldPingParams) bool {
		return p.IdleDuration > time.Second || time.Now().UnixNano()-e.lastLost.Load() < int64(distrust)
	}))
	db.SetMaxOpenConns(postgresConns)
	db.SetMaxIdleConns(postgresConns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	s.read = &pool{db: db}
	s.write = s.read
	if err = migratePostgres(ctx, db, schema); err == nil {
		err = s.begin(ctx)
	}
	if err != nil {
		s.Close()
		if !errors.Is(err, errLater) && s.engine.again(err) {
			return nil, refuse(nil, "unreachable_store", config.Host, err)
		}
		return nil, refuse(nil, "unreadable_store", "at "+config.Host, err).
			Try("check that the database is meant for this program and that the user may make tables in it")
	}
	return s, nil
}

// migrationLock is the number of the lock by which servers that start together take turns.
const migrationLock = 0x6772616e74 // "grant"

func migratePostgres(ctx context.Context, db *sql.DB, schema string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, text := range []string{
		"SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '120s'",
		fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", migrationLock),
		"CREATE SCHEMA IF NOT EXISTS " + pgx.Identifier{schema}.Sanitize(),
		"CREATE TABLE IF NOT EXISTS layout (version BIGINT NOT NULL)",
	} {
		if _, err := tx.ExecContext(ctx, text, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	var have int
	if err := tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(version), 0) FROM layout").Scan(&have); err != nil {
		return err
	}
	texts, want, err := migrationsFrom("postgres", have)
	if err != nil {
		return err
	}
	for i, text := range texts {
		if _, err := tx.ExecContext(ctx, text, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("step %d of its layout: %w", have+i+1, err)
		}
	}
	if have != want {
		if _, err := tx.ExecContext(ctx, "INSERT INTO layout VALUES ($1)", want); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// again reports whether a failure of the connection, the server or a conflict may be temporary.
func (e *postgresEngine) again(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		// The connection failed, or this is a mistake of ours; another try does no harm.
		e.lastLost.Store(time.Now().UnixNano())
		return true
	}
	switch code := refused.Code; {
	case strings.HasPrefix(code, "08"), strings.HasPrefix(code, "53"), strings.HasPrefix(code, "57"), // connection, resources, operator
		code == "40001", code == "40P01", code == "55P03", // conflicts with other transactions
		code == "25P03": // idle for too long
		e.lastLost.Store(time.Now().UnixNano())
		return true
	}
	return false
}

// transact runs work under a mark, the same for every try. A try that finds its mark lets the result of the earlier one stand;
// inserting the mark waits for an earlier try that is still being committed.
func (e *postgresEngine) transact(ctx context.Context, s *Store, work func(*tx)) error {
	mark := make([]byte, 16)
	rand.Read(mark) // never fails
	for try := 0; ; try++ {
		err := e.once(ctx, s, mark, try, work)
		if err == nil || !isDatabaseError(err) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !e.again(err) || !pause(ctx, try) {
			return err
		}
	}
}

func (*postgresEngine) once(ctx context.Context, s *Store, mark []byte, try int, work func(*tx)) error {
	conn, err := s.write.db.Conn(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer conn.Close()
	// The error of work bypasses database/sql, which treats some errors specially.
	var answer error
	err = conn.Raw(func(driver any) error {
		w := &postgresWire{conn: driver.(*stdlib.Conn).Conn(), batch: new(pgx.Batch)}
		defer w.end()
		// After the wait for a lock, rows must be read as they are then: hence this isolation level.
		_ = w.later(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED", nil)
		const claim = "INSERT INTO commits (id) VALUES ($1) ON CONFLICT (id) DO NOTHING"
		if try == 0 {
			// No other try has this mark, so it travels with the first statement.
			_ = w.later(ctx, claim, []any{mark})
		} else if n, err := w.exec(ctx, claim, []any{mark}); err != nil || n == 0 {
			answer = err
			return nil
		}
		t := &tx{ctx: ctx, engineTx: w, lock: " FOR UPDATE", now: s.clock()}
		work(t)
		if answer = t.err; answer == nil && t.wrote {
			_, answer = w.exec(ctx, "COMMIT", nil)
		}
		return nil
	})
	if err != nil {
		return unavailable(err)
	}
	return answer
}

// postgresWire sends statements without results with the next one that has one, to save round trips.
type postgresWire struct {
	conn  *pgx.Conn
	batch *pgx.Batch
}

func (w *postgresWire) later(_ context.Context, text string, args []any) error {
	w.batch.Queue(text, args...)
	return nil
}

// send sends the gathered statements and then this one, whose result read gets.
func (w *postgresWire) send(ctx context.Context, text string, args []any, read func(pgx.BatchResults) error) (err error) {
	batch := w.batch
	w.batch = new(pgx.Batch)
	batch.Queue(text, args...)
	results := w.conn.SendBatch(ctx, batch)
	for range batch.Len() - 1 {
		if _, err := results.Exec(); err != nil {
			_ = results.Close()
			return unavailable(err)
		}
	}
	err = read(results)
	if closed := results.Close(); err == nil && closed != nil {
		err = unavailable(closed)
	}
	return err
}

func (w *postgresWire) exec(ctx context.Context, text string, args []any) (n int64, err error) {
	err = w.send(ctx, text, args, func(r pgx.BatchResults) error {
		tag, err := r.Exec()
		if err == nil && text == "COMMIT" && tag.String() != "COMMIT" {
			err = errors.New("the server rolled back what it was to commit")
		}
		if err != nil {
			return unavailable(err)
		}
		n = tag.RowsAffected()
		return nil
	})
	return n, err
}

func (w *postgresWire) each(ctx context.Context, text string, args []any, fn func(scanner) error) error {
	return w.send(ctx, text, args, func(r pgx.BatchResults) error {
		rows, err := r.Query()
		if err != nil {
			return unavailable(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := fn(rows.Scan); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return unavailable(err)
		}
		return nil
	})
}

func (w *postgresWire) end() {
	if w.conn.IsClosed() || w.conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := w.conn.Exec(ctx, "ROLLBACK"); err != nil {
		_ = w.conn.Close(ctx)
	}
}

func (*postgresEngine) sweep(t *tx) {
	// All tries of a transaction end long before.
	t.later("DELETE FROM commits WHERE at < now() - interval '15 minutes'")
}

// scrub leaves the work to PostgreSQL, which vacuums its tables by itself.
func (*postgresEngine) size() string {
	return "SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0)::BIGINT FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
}

func (*postgresEngine) scrub(context.Context, *Store) (bool, error) { return true, nil }

// Charges in a database across the network are read and written many rows at a time.

// readPayers locks the keys and accounts: nobody deletes them before their usage is written.
func (*postgresEngine) readPayers(t *tx, keys, accounts []string) map[string]record {
	found := make(map[string]record, len(keys)+len(accounts))
	if len(keys) > 0 {
		for _, r := range collect(t, keyColumns+"WHERE k.id = ANY($1) ORDER BY k.seq FOR KEY SHARE OF k", []any{keys}, scanKey) {
			found[r.ID] = r
		}
	}
	if len(accounts) > 0 {
		for _, r := range collect(t, payingAccountColumns+"WHERE a.id = ANY($1) ORDER BY a.seq FOR KEY SHARE", []any{accounts}, scanPayingAccount) {
			found[r.Account] = r
		}
	}
	return found
}

func columns(ms []*meter) (owners, periods []string, starts, calls []int64) {
	for _, m := range ms {
		owners, periods = append(owners, m.owner), append(periods, string(m.period))
		starts, calls = append(starts, m.start), append(calls, m.calls)
	}
	return owners, periods, starts, calls
}

// readMeters updates each row without a change, which locks it, or inserts a missing row.
func (*postgresEngine) readMeters(t *tx, ms []*meter) {
	owners, periods, starts, _ := columns(ms)
	found := make(map[meterPlace]int64, len(ms))
	t.each("INSERT INTO spent (owner, period, start, calls)"+
		" SELECT o, p, s, 0 FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS v (o, p, s, n) ORDER BY n"+
		" ON CONFLICT (owner, period, start) DO UPDATE SET calls = spent.calls RETURNING owner, period, start, calls",
		[]any{owners, periods, starts}, func(scan scanner) error {
			var p meterPlace
			var calls int64
			err := scan(&p.owner, &p.period, &p.start, &calls)
			found[p] = calls
			return err
		})
	for _, m := range ms {
		m.calls = found[m.meterPlace]
	}
}

func (*postgresEngine) writeMeters(t *tx, ms []*meter) {
	owners, periods, starts, calls := columns(ms)
	t.later("UPDATE spent SET calls = v.c FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS v (o, p, s, c)"+
		" WHERE spent.owner = v.o AND spent.period = v.p AND spent.start = v.s", owners, periods, starts, calls)
}

func (*postgresEngine) readAgentBalances(t *tx, ps []*agentBalance) {
	keys, byKey := []int64{}, map[int64]*agentBalance{}
	for _, p := range ps {
		keys = append(keys, p.key)
		byKey[p.key] = p
	}
	const text = "SELECT key, status, expires, allowance, remaining FROM agents WHERE key = ANY($1) ORDER BY key FOR UPDATE"
	t.each(text, []any{keys}, func(scan scanner) error {
		var p agentBalance
		err := scan(&p.key, &p.status, &p.expires, &p.allowance, &p.remaining)
		if err == nil {
			*byKey[p.key] = p
		}
		return err
	})
}

func (*postgresEngine) writeAgentBalances(t *tx, ps []*agentBalance) {
	var keys, remaining []int64
	var status []string
	for _, p := range ps {
		keys, remaining, status = append(keys, p.key), append(remaining, p.remaining), append(status, string(p.status))
	}
	t.later("UPDATE agents SET remaining = v.r, status = v.s FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS v (k, r, s)"+
		" WHERE agents.key = v.k", keys, remaining, status)
}

func (*postgresEngine) addUsage(t *tx, of usageTable, hour int64, us []usage) {
	var whose, calls []int64
	for _, u := range us {
		whose, calls = append(whose, u.of), append(calls, u.calls)
	}
	t.later(of.insert("SELECT k, $2, c FROM unnest($1::bigint[], $3::bigint[]) WITH ORDINALITY AS v (k, c, n) ORDER BY n"), whose, hour, calls)
}
