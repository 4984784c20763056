package account

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	_ "modernc.org/sqlite" // the driver "sqlite", in Go

	"grantgraph/internal/fault"
)

// sqliteEngine is the engine of a store in one file: one connection writes, others read.
type sqliteEngine struct{}

// OpenSQLite opens or makes the store in the file at path, and migrates an older layout.
func OpenSQLite(path string, opt Options) (*Store, error) {
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
	// The file holds addresses and signing keys, so only its owner may read it. Its side files are the same.
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
		return nil, fault.New("accounts_open", "%s is readable by other users; it holds the keys that sign reports", path).Try("chmod 600 %s", path)
	}
	if err := s.openSQLite(path); err != nil {
		s.Close()
		return nil, refuse(nil, "unreadable_store", path, err)
	}
	return s, nil
}

// BlankSQLite reports whether the file at path is a database without tables. A file that cannot be read is not blank.
func BlankSQLite(path string) bool {
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: "mode=ro"}).String())
	if err != nil {
		return false
	}
	defer db.Close()
	var tables int
	return db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables) == nil && tables == 0
}

func (s *Store) openSQLite(path string) (err error) {
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

// connect opens a pool. A commit is on the disk when it returns; writers wait for each other.
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

func (sqliteEngine) transact(ctx context.Context, s *Store, work func(*tx)) error {
	w := &sqliteWire{pool: s.write}
	err := func() (err error) {
		if w.raw, err = s.write.db.BeginTx(ctx, nil); err != nil {
			return unavailable(err)
		}
		defer w.raw.Rollback()
		t := &tx{ctx: ctx, engineTx: w, now: s.clock()}
		if work(t); t.err != nil || !t.wrote {
			return t.err
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
		// A statement that cannot be prepared here is parsed again each time.
		_, _ = s.write.prepare(ctx, text)
	}
	return err
}

// sqliteWire runs each statement immediately, since the database is in this process.
type sqliteWire struct {
	raw    *sql.Tx
	pool   *pool
	missed []string // statements to prepare after the transaction
}

// stmt returns the prepared form of a statement, or nil. It only notes a missing one: the transaction has the only connection.
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

func (w *sqliteWire) each(ctx context.Context, text string, args []any, fn func(scanner) error) error {
	if stmt := w.stmt(ctx, text); stmt != nil {
		rows, err := stmt.QueryContext(ctx, args...)
		return eachRow(rows, err, fn)
	}
	rows, err := w.raw.QueryContext(ctx, text, args...)
	return eachRow(rows, err, fn)
}

func (sqliteEngine) again(error) bool { return false }

func (sqliteEngine) size() string {
	return "SELECT p.page_count * s.page_size FROM pragma_page_count() p, pragma_page_size() s"
}

func (sqliteEngine) sweep(*tx) {}

// scrubAnyTime is the size of a file that is written anew at any time, in about a second. A larger one waits for 3 AM UTC.
const scrubAnyTime = 256 << 20

func (sqliteEngine) scrub(ctx context.Context, s *Store) (bool, error) {
	size, err := s.Size(ctx)
	if err != nil {
		return false, err
	}
	if size > scrubAnyTime && s.clock().UTC().Hour() != 3 {
		return false, nil
	}
	if _, err := s.write.db.ExecContext(ctx, "VACUUM"); err != nil {
		return false, unavailable(err)
	}
	// The log beside the file still holds earlier pages. It cannot be cut while somebody reads from it.
	var busy, pages, copied int
	err = s.write.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &copied)
	if err != nil {
		return false, unavailable(err)
	}
	return busy == 0, nil
}

// Charges in one file go row by row, since a statement needs no network round trip.

func (sqliteEngine) readPayers(t *tx, keys, accounts []string) map[string]record {
	found := make(map[string]record, len(keys)+len(accounts))
	for _, id := range slices.Concat(keys, accounts) {
		find := findKeyByID
		if isID(accPrefix, id) {
			find = findPayingAccount
		}
		if r, ok := find(t, id); ok {
			found[id] = r
		}
	}
	return found
}

func (sqliteEngine) readMeters(t *tx, ms []*meter) {
	for _, m := range ms {
		t.get(spentCalls, []any{m.owner, string(m.period), m.start}, &m.calls)
	}
}

func (sqliteEngine) writeMeters(t *tx, ms []*meter) {
	for _, m := range ms {
		t.later("INSERT INTO spent (owner, period, start, calls) VALUES ($1, $2, $3, $4)"+
			" ON CONFLICT (owner, period, start) DO UPDATE SET calls = excluded.calls", m.owner, string(m.period), m.start, m.calls)
	}
}

func (sqliteEngine) readAgentBalances(t *tx, ps []*agentBalance) {
	for _, p := range ps {
		const text = "SELECT status, expires, allowance, remaining FROM agents WHERE key = $1"
		t.get(text, []any{p.key}, &p.status, &p.expires, &p.allowance, &p.remaining)
	}
}

func (sqliteEngine) writeAgentBalances(t *tx, ps []*agentBalance) {
	for _, p := range ps {
		t.later("UPDATE agents SET remaining = $1, status = $2 WHERE key = $3", p.remaining, string(p.status), p.key)
	}
}

func (sqliteEngine) addUsage(t *tx, of usageTable, hour int64, us []usage) {
	for _, u := range us {
		t.later(of.insert("VALUES ($1, $2, $3)"), u.of, hour, u.calls)
	}
}
