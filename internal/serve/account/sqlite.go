package account

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite", in Go

	"grantgraph/internal/fault"
)

// sqliteEngine is the engine of a store in one file. One connection writes, so a
// transaction is alone; reading has connections of its own.
type sqliteEngine struct{}

// OpenSQLite opens the store in the file at path, which is made when it is not
// there and brought up to the present layout when it is older.
func OpenSQLite(path string, opt Options) (Store, error) {
	s, err := newStore(opt, sqliteEngine{})
	if err != nil {
		return nil, err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fault.Disk(filepath.Dir(path), err)
	}
	// The file holds email addresses and signing keys, so it is its owner's alone;
	// SQLite gives its side files the same permissions.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	info, err := f.Stat()
	f.Close()
	if err != nil {
		return nil, fault.Disk(path, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, openStore(path)
	}
	if err := s.openSQLite(path); err != nil {
		s.Close()
		return nil, unreadableStore(path, err, "check that it is the key store of this program and that the disk has space")
	}
	return s, nil
}

func (s *store) openSQLite(path string) (err error) {
	if s.write, err = connect(path, 1); err != nil {
		return err
	}
	if s.read, err = connect(path, 4); err != nil {
		return err
	}
	if err := migrateSQLite(s.write.db); err != nil {
		return err
	}
	return s.begin(context.Background())
}

// connect opens a pool of connections. A commit is on the disk when it
// returns; a second process that writes is waited for.
func connect(path string, conns int) (*pool, error) {
	q := url.Values{"_txlock": {"immediate"}}
	for _, p := range []string{"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"} {
		q.Add("_pragma", p)
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return &pool{db: db, prepares: true}, nil
}

// migrateSQLite applies the steps that the file has not seen, in one
// transaction.
func migrateSQLite(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var have int
	if err := tx.QueryRow("PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	texts, want, err := migrationsFrom("sqlite", have)
	if err != nil || len(texts) == 0 {
		return err
	}
	for i, text := range texts {
		if _, err := tx.Exec(text); err != nil {
			return fmt.Errorf("step %d of its layout: %w", have+i+1, err)
		}
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", want)); err != nil {
		return err
	}
	return tx.Commit()
}

func (sqliteEngine) transact(ctx context.Context, s *store, work func(*tx) error) error {
	w := &sqliteWire{pool: s.write}
	err := func() (err error) {
		if w.raw, err = s.write.db.BeginTx(ctx, nil); err != nil {
			return unavailable(err)
		}
		defer w.raw.Rollback()
		t := &tx{ctx: ctx, engineTx: w, now: s.clock()}
		if err := work(t); err != nil || !t.wrote {
			return err
		}
		if err := w.raw.Commit(); err != nil {
			return unavailable(err)
		}
		return nil
	}()
	if err != nil && isDatabaseError(err) && ctx.Err() != nil {
		return ctx.Err()
	}
	for _, text := range w.missed {
		// One that cannot be prepared goes on being read each time.
		_, _ = s.write.prepare(ctx, text)
	}
	return err
}

// sqliteWire runs statements at once: there is no journey to be saved.
type sqliteWire struct {
	raw    *sql.Tx
	pool   *pool
	missed []string // statements to be prepared when it is over
}

// stmt is the kept form of a statement. One that is not kept yet is noted: it
// cannot be prepared here, because the transaction has the only connection.
func (w *sqliteWire) stmt(ctx context.Context, text string) *sql.Stmt {
	stmt := w.pool.kept(text)
	if stmt == nil {
		w.missed = append(w.missed, text)
		return nil
	}
	return w.raw.StmtContext(ctx, stmt)
}

func (w *sqliteWire) exec(ctx context.Context, text string, args []any) (n int64, err error) {
	var r sql.Result
	if stmt := w.stmt(ctx, text); stmt != nil {
		r, err = stmt.ExecContext(ctx, args...)
	} else {
		r, err = w.raw.ExecContext(ctx, text, args...)
	}
	if err == nil {
		n, err = r.RowsAffected()
	}
	if err != nil {
		return 0, unavailable(err)
	}
	return n, nil
}

func (w *sqliteWire) later(ctx context.Context, text string, args []any) error {
	_, err := w.exec(ctx, text, args)
	return err
}

func (w *sqliteWire) each(ctx context.Context, text string, args []any, fn func(func(...any) error) error) error {
	if stmt := w.stmt(ctx, text); stmt != nil {
		rows, err := stmt.QueryContext(ctx, args...)
		return eachRow(rows, err, fn)
	}
	rows, err := w.raw.QueryContext(ctx, text, args...)
	return eachRow(rows, err, fn)
}

func (sqliteEngine) again(error) bool { return false }

func (sqliteEngine) sweep(*tx) error { return nil }

// Charges in one file are read and written row by row: asking costs no journey.

func (sqliteEngine) readPayers(t *tx, keys, accounts []string) (map[string]record, error) {
	found := make(map[string]record, len(keys)+len(accounts))
	for _, id := range keys {
		r, ok, err := findKeyBy(t, "k.id = $1", id)
		if err != nil {
			return nil, err
		}
		if ok {
			found[id] = r
		}
	}
	for _, id := range accounts {
		r, ok, err := findPayingAccount(t, id)
		if err != nil {
			return nil, err
		}
		if ok {
			found[id] = r
		}
	}
	return found, nil
}

func (sqliteEngine) readMeters(t *tx, ms []*meter) error {
	for _, m := range ms {
		_, err := t.get("SELECT calls FROM spent WHERE owner = $1 AND period = $2 AND start = $3", []any{m.owner, string(m.period), m.start}, &m.calls)
		if err != nil {
			return err
		}
	}
	return nil
}

func (sqliteEngine) writeMeters(t *tx, ms []*meter) error {
	for _, m := range ms {
		err := t.later("INSERT INTO spent (owner, period, start, calls) VALUES ($1, $2, $3, $4) ON CONFLICT (owner, period, start) DO UPDATE SET calls = excluded.calls",
			m.owner, string(m.period), m.start, m.calls)
		if err != nil {
			return err
		}
	}
	return nil
}

func (sqliteEngine) readAgentBalances(t *tx, ps []*agentBalance) error {
	for _, p := range ps {
		_, err := t.get("SELECT status, expires, allowance, remaining FROM agents WHERE key = $1", []any{p.key}, &p.status, &p.expires, &p.allowance, &p.remaining)
		if err != nil {
			return err
		}
	}
	return nil
}

func (sqliteEngine) writeAgentBalances(t *tx, ps []*agentBalance) error {
	for _, p := range ps {
		if err := t.later("UPDATE agents SET remaining = $1, status = $2 WHERE key = $3", p.remaining, string(p.status), p.key); err != nil {
			return err
		}
	}
	return nil
}

func (sqliteEngine) addUsage(t *tx, of usageTable, hour int64, us []usage) error {
	text := "INSERT INTO " + of.name + " (" + of.column + ", hour, calls) VALUES ($1, $2, $3)" +
		" ON CONFLICT (" + of.column + ", hour) DO UPDATE SET calls = " + of.name + ".calls + excluded.calls"
	for _, u := range us {
		if err := t.later(text, u.of, hour, u.calls); err != nil {
			return err
		}
	}
	return nil
}
