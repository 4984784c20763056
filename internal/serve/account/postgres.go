package account

import (
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

// postgresEngine is the engine of a store that many servers share. What one of
// them is about to change it locks, in an order that all keep to. Each
// transaction writes a mark of its own, so that one whose commit went unanswered
// is found out about and never done twice.
type postgresEngine struct {
	lastLost atomic.Int64 // when a connection was last lost, in Unix nanoseconds
}

// distrust is for how long after a loss a connection that was at rest is asked
// for a sign of life before it is used: where one was cut, more may have been.
const distrust = 10 * time.Second

// postgresSchema is where the tables are when the address names no search_path.
const postgresSchema = "grantgraph"

// postgresConns is how many connections one server holds at most.
const postgresConns = 16

// OpenPostgres opens the store in the database at url (a postgres:// address,
// or words like host=… dbname=…). Its tables are made when they are not there
// and brought up to the present layout when they are older. They are in the
// schema grantgraph, or in the one that search_path in the address names.
func OpenPostgres(ctx context.Context, url string, opt Options) (Store, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's words may repeat the address, and with it a password.
		return nil, badStoreAddress()
	}
	return openPostgres(ctx, config, opt)
}

func openPostgres(ctx context.Context, config *pgx.ConnConfig, opt Options) (Store, error) {
	e := new(postgresEngine)
	s, err := newStore(opt, e)
	if err != nil {
		return nil, err
	}
	schema := config.RuntimeParams["search_path"]
	if schema == "" {
		schema = postgresSchema
	}
	config.RuntimeParams["search_path"] = pgx.Identifier{schema}.Sanitize()
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	for name, value := range map[string]string{
		"application_name": "grantgraph",
		// A server that lost its way must not hold the others up for long.
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
			return nil, unreachableStore(config.Host, err)
		}
		return nil, unreadableStore("at "+config.Host, err, "check that the database is meant for this program and that the user may make tables in it")
	}
	return s, nil
}

// migrationLock is the number under which servers that start together take
// turns.
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

// again says whether the failure is one of those that pass: of the connection,
// of the server, or of two transactions in each other's way.
func (e *postgresEngine) again(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		// The server had no part in it, unless it is ours; then trying again
		// does no harm.
		e.lastLost.Store(time.Now().UnixNano())
		return true
	}
	switch code := refused.Code; {
	case strings.HasPrefix(code, "08"), strings.HasPrefix(code, "53"), strings.HasPrefix(code, "57"), // connection, resources, operator
		code == "40001", code == "40P01", code == "55P03", // others in the way
		code == "25P03": // idle for too long
		e.lastLost.Store(time.Now().UnixNano())
		return true
	}
	return false
}

// transact runs work under a mark, the same for every try. A try whose mark is
// there already knows that one before it was committed though nobody said so,
// and lets its results stand. The mark comes first: while one with the same
// mark is still being committed somewhere, it has to wait for the end of that,
// and when it gets the mark that other one cannot be committed any more.
func (e *postgresEngine) transact(ctx context.Context, s *store, work func(*tx) error) error {
	mark := make([]byte, 16)
	if _, err := rand.Read(mark); err != nil {
		return fmt.Errorf("drawing a mark: %w", err)
	}
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

func (*postgresEngine) once(ctx context.Context, s *store, mark []byte, try int, work func(*tx) error) error {
	conn, err := s.write.db.Conn(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer conn.Close()
	// What work returns goes past database/sql, which would take some of it for
	// its own.
	var answer error
	err = conn.Raw(func(driver any) error {
		w := &postgresWire{conn: driver.(*stdlib.Conn).Conn(), batch: new(pgx.Batch)}
		defer w.end()
		// A lock that had to be waited for is worth nothing when what is read
		// after it is older: hence the isolation.
		_ = w.later(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED", nil)
		const claim = "INSERT INTO commits (id) VALUES ($1) ON CONFLICT (id) DO NOTHING"
		if try == 0 {
			// Nobody else has this mark: it travels with the first statement.
			_ = w.later(ctx, claim, []any{mark})
		} else if n, err := w.exec(ctx, claim, []any{mark}); err != nil || n == 0 {
			answer = err
			return nil
		}
		t := &tx{ctx: ctx, engineTx: w, lock: " FOR UPDATE", now: s.clock()}
		if answer = work(t); answer == nil && t.wrote {
			_, answer = w.exec(ctx, "COMMIT", nil)
		}
		return nil
	})
	if err != nil {
		return unavailable(err)
	}
	return answer
}

// postgresWire gathers what nobody waits for and sends it with the next
// statement that somebody does, so that a transaction of charges makes three
// journeys instead of seven.
type postgresWire struct {
	conn  *pgx.Conn
	batch *pgx.Batch
}

func (w *postgresWire) later(_ context.Context, text string, args []any) error {
	w.batch.Queue(text, args...)
	return nil
}

// send sends what was gathered, and gives the result of the last statement to
// read.
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

func (w *postgresWire) each(ctx context.Context, text string, args []any, fn func(func(...any) error) error) error {
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

// end leaves the connection as it was found, or closes it.
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

func (*postgresEngine) sweep(t *tx) error {
	// No try comes so long after the one before it.
	return t.later("DELETE FROM commits WHERE at < now() - interval '15 minutes'")
}

// Charges in a database that is a journey away are read and written many rows at
// a time.

// readPayers keeps the keys from being deleted before what they used is written.
func (*postgresEngine) readPayers(t *tx, keys, accounts []string) (map[string]record, error) {
	found := make(map[string]record, len(keys)+len(accounts))
	if len(keys) > 0 {
		err := t.each(keyColumns+"WHERE k.id = ANY($1) ORDER BY k.seq FOR KEY SHARE OF k", []any{keys}, func(scan func(...any) error) error {
			r, err := scanKey(scan)
			found[r.ID] = r
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(accounts) > 0 {
		err := t.each(payingAccountColumns+"WHERE a.id = ANY($1)", []any{accounts}, func(scan func(...any) error) error {
			r, err := scanPayingAccount(scan)
			found[r.Account] = r
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// columns lays meters out as arrays.
func columns(ms []*meter) (owners, periods []string, starts, calls []int64) {
	for _, m := range ms {
		owners, periods = append(owners, m.owner), append(periods, string(m.period))
		starts, calls = append(starts, m.start), append(calls, m.calls)
	}
	return owners, periods, starts, calls
}

// readMeters writes each row as it is, which locks it and, where there is none,
// makes one to lock.
func (*postgresEngine) readMeters(t *tx, ms []*meter) error {
	owners, periods, starts, _ := columns(ms)
	type place struct {
		owner  string
		period Window
		start  int64
	}
	found := make(map[place]int64, len(ms))
	err := t.each("INSERT INTO spent (owner, period, start, calls)"+
		" SELECT o, p, s, 0 FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS v (o, p, s, n) ORDER BY n"+
		" ON CONFLICT (owner, period, start) DO UPDATE SET calls = spent.calls RETURNING owner, period, start, calls",
		[]any{owners, periods, starts}, func(scan func(...any) error) error {
			var p place
			var calls int64
			err := scan(&p.owner, &p.period, &p.start, &calls)
			found[p] = calls
			return err
		})
	if err != nil {
		return err
	}
	for _, m := range ms {
		m.calls = found[place{m.owner, m.period, m.start}]
	}
	return nil
}

func (*postgresEngine) writeMeters(t *tx, ms []*meter) error {
	owners, periods, starts, calls := columns(ms)
	return t.later("UPDATE spent SET calls = v.c FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS v (o, p, s, c)"+
		" WHERE spent.owner = v.o AND spent.period = v.p AND spent.start = v.s", owners, periods, starts, calls)
}

func (*postgresEngine) readAgentBalances(t *tx, ps []*agentBalance) error {
	keys, byKey := []int64{}, map[int64]*agentBalance{}
	for _, p := range ps {
		keys = append(keys, p.key)
		byKey[p.key] = p
	}
	return t.each("SELECT key, status, expires, allowance, remaining FROM agents WHERE key = ANY($1) ORDER BY key FOR UPDATE", []any{keys}, func(scan func(...any) error) error {
		var p agentBalance
		err := scan(&p.key, &p.status, &p.expires, &p.allowance, &p.remaining)
		if err == nil {
			*byKey[p.key] = p
		}
		return err
	})
}

func (*postgresEngine) writeAgentBalances(t *tx, ps []*agentBalance) error {
	var keys, remaining []int64
	var status []string
	for _, p := range ps {
		keys, remaining, status = append(keys, p.key), append(remaining, p.remaining), append(status, string(p.status))
	}
	return t.later("UPDATE agents SET remaining = v.r, status = v.s FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS v (k, r, s) WHERE agents.key = v.k", keys, remaining, status)
}

func (*postgresEngine) addUsage(t *tx, of usageTable, hour int64, us []usage) error {
	var whose, calls []int64
	for _, u := range us {
		whose, calls = append(whose, u.of), append(calls, u.calls)
	}
	return t.later("INSERT INTO "+of.name+" ("+of.column+", hour, calls) SELECT k, $2, c FROM unnest($1::bigint[], $3::bigint[]) WITH ORDINALITY AS v (k, c, n) ORDER BY n"+
		" ON CONFLICT ("+of.column+", hour) DO UPDATE SET calls = "+of.name+".calls + excluded.calls", whose, hour, calls)
}
