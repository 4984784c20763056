package account

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"
)

type Options struct {
	Clock      func() time.Time // nil for the clock of the machine
	FreeWindow Window           // window of the free allowance; empty for Day
	Calls      map[Plan]int     // allowances that differ from those of the plans
	Mints      int              // agent keys that an address may mint in an hour; 0 for 600
	Anonymous  int              // anonymous keys that the store keeps of each kind; 0 for MostAnonymous
	AuditKept  time.Duration    // how long events stay in the audit trail; 0 for AuditKept, at least LeastAuditKept
}

// Store keeps keys and meters them. It is safe for concurrent use, also by several processes. If the database does not answer,
// its methods return a fault with the slug store_unavailable.
//
// Of its methods, those with a payer take the ID of a key, or that of an account whose owner uses the service without a key: an
// account and its keys share one allowance and one trial screening. Those about people name an account by its ID or its email
// address; from is the network address of the request, or empty.
//
// Both databases understand its statements ($1 for a parameter, 0 and 1 for false and true). The engine holds what differs.
type Store struct {
	clock      func() time.Time
	freeWindow Window
	calls      map[Plan]int
	mints      int
	anonymous  int
	auditKept  time.Duration
	hashing    hashing
	hashes     *hashQueue
	pepper     []byte
	engine     engine
	read       *pool
	write      *pool
	ledger     *ledger
	quit       chan struct{} // closed when Close begins
	swept      chan struct{} // closed when the sweeper has ended
	closing    sync.Once
	closed     error
}

type engine interface {
	// transact runs work in a transaction and returns when its writes are on the disk. Work may run more than once: then only
	// its last run counts. When work fails, the transaction writes nothing.
	transact(ctx context.Context, s *Store, work func(*tx)) error
	// again reports whether reading may be tried again after this failure.
	again(err error) bool
	// sweep removes expired rows of tables that only this engine has.
	sweep(t *tx)
	// scrub writes the files of the store anew, without deleted rows; done is false when this has to wait.
	scrub(ctx context.Context, s *Store) (done bool, err error)
	size() string // a statement that returns the bytes of the store
	copyRules() copyRules
	chargeTables
}

func newStore(opt Options, e engine) (*Store, error) {
	s := &Store{
		clock: opt.Clock, freeWindow: cmp.Or(opt.FreeWindow, Day), calls: opt.Calls, mints: cmp.Or(opt.Mints, MintsAnHour),
		anonymous: cmp.Or(opt.Anonymous, MostAnonymous), auditKept: max(cmp.Or(opt.AuditKept, AuditKept), LeastAuditKept), engine: e,
		hashing: presentHashing, hashes: &hashQueue{free: hashesAtOnce, begun: map[string]int{}},
		quit: make(chan struct{}), swept: make(chan struct{}),
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	_, err := ParseWindow(string(s.freeWindow))
	return s, err
}

func (s *Store) begin(ctx context.Context) error {
	v := s.view(ctx)
	if v.get("SELECT value FROM pepper", nil, &s.pepper); v.err != nil {
		return v.err
	}
	s.ledger = &ledger{store: s, jobs: make(chan *charge, mostCharges), quit: make(chan struct{}), ended: make(chan struct{})}
	go s.ledger.run()
	go s.sweepRegularly()
	return nil
}

// Ping checks once that the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	if err := s.read.db.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return unavailable(err)
	}
	return nil
}

// Size is how many bytes the store takes on its disk.
func (s *Store) Size(ctx context.Context) (bytes int64, err error) {
	v := s.view(ctx)
	v.get(s.engine.size(), nil, &bytes)
	return bytes, v.err
}

// Close waits for charges and sweeps that have begun, and closes the database.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.quit)
		if s.ledger != nil {
			s.ledger.close()
			<-s.swept
		}
		for _, p := range []*pool{s.read, s.write} {
			if p != nil {
				s.closed = errors.Join(s.closed, p.db.Close())
			}
		}
	})
	return s.closed
}

func (s *Store) update(ctx context.Context, work func(*tx)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-s.quit:
		return errClosed
	default:
		return s.engine.transact(ctx, s, work)
	}
}

// updated is update for work with a result.
func updated[T any](ctx context.Context, s *Store, work func(*tx) T) (result T, err error) {
	err = s.update(ctx, func(t *tx) { result = work(t) })
	if err != nil {
		return *new(T), err
	}
	return result, nil
}

type scanner = func(into ...any) error

// reader runs statements that only read: a transaction, or a view of the store. It keeps the first error, of a statement or a
// refusal. After it, statements do nothing and find nothing, and the caller of the store gets this error.
type reader interface {
	// get reads the first row into the variables, and reports whether there is one.
	get(text string, args []any, into ...any) bool
	each(text string, args []any, fn func(scanner) error)
	fail(err error)
}

// engineTx is an engine's transaction. Its errors are those of unavailable and of fn.
type engineTx interface {
	// exec runs a statement that writes and returns how many rows it changed.
	exec(ctx context.Context, text string, args []any) (int64, error)
	// later is exec without the number of rows, which the engine may put off to the next statement.
	later(ctx context.Context, text string, args []any) error
	each(ctx context.Context, text string, args []any, fn func(scanner) error) error
}

// tx is a transaction. If it has an error, it writes nothing.
type tx struct {
	ctx      context.Context
	engineTx engineTx
	lock     string // added to a SELECT whose rows are about to be changed
	now      time.Time
	wrote    bool
	firstError
}

// firstError is the first error of a reader.
type firstError struct{ err error }

func (f *firstError) fail(err error) { f.err = cmp.Or(f.err, err) }

func (t *tx) exec(text string, args ...any) (changed int64) {
	if t.wrote = true; t.err == nil {
		changed, t.err = t.engineTx.exec(t.ctx, text, args)
	}
	return changed
}

// later is exec for a statement whose number of rows does not matter.
func (t *tx) later(text string, args ...any) {
	if t.wrote = true; t.err == nil {
		t.err = t.engineTx.later(t.ctx, text, args)
	}
}

func (t *tx) returning(text string, args []any, into ...any) bool {
	t.wrote = true
	return t.get(text, args, into...)
}

func (t *tx) get(text string, args []any, into ...any) bool { return firstRow(t, text, args, into) }

func (t *tx) each(text string, args []any, fn func(scanner) error) {
	if t.err == nil {
		t.err = t.engineTx.each(t.ctx, text, args, fn)
	}
}

// view reads without a transaction.
type view struct {
	ctx context.Context
	s   *Store
	firstError
}

// resultOf is what a method returns that has read a result: the result, or the error of the view.
func resultOf[T any](v *view, result T) (T, error) {
	if v.err != nil {
		return *new(T), v.err
	}
	return result, nil
}

func (s *Store) view(ctx context.Context) *view { return &view{ctx: ctx, s: s} }

func (v *view) get(text string, args []any, into ...any) bool { return firstRow(v, text, args, into) }

func (v *view) each(text string, args []any, fn func(scanner) error) {
	for try := 0; v.err == nil; try++ {
		started := false
		rows, err := v.rows(text, args)
		err = eachRow(rows, err, func(scan scanner) error {
			started = true
			return fn(scan)
		})
		if err == nil || v.ctx.Err() != nil {
			v.err = cmp.Or(v.ctx.Err(), err)
			return
		}
		// After fn has seen a row, another try would show the row again.
		if started || !isDatabaseError(err) || !v.s.engine.again(err) || !pause(v.ctx, try) {
			v.err = err
		}
	}
}

func (v *view) rows(text string, args []any) (*sql.Rows, error) {
	p := v.s.read
	if !p.prepares {
		return p.db.QueryContext(v.ctx, text, args...)
	}
	stmt := p.kept(text)
	if stmt == nil {
		var err error
		if stmt, err = p.prepare(v.ctx, text); err != nil {
			return nil, err
		}
	}
	return stmt.QueryContext(v.ctx, args...)
}

func collect[T any](from reader, text string, args []any, read func(scanner) (T, error)) []T {
	list := []T{}
	from.each(text, args, func(scan scanner) error {
		row, err := read(scan)
		if err == nil {
			list = append(list, row)
		}
		return err
	})
	return list
}

func firstRow(r reader, text string, args []any, into []any) (found bool) {
	r.each(text, args, func(scan scanner) error {
		if found {
			return nil
		}
		err := scan(into...)
		found = err == nil
		return err
	})
	return found
}

func eachRow(rows *sql.Rows, err error, fn func(scanner) error) error {
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
}

// mostTries is how often the store tries while the database fails, for a little more than a second together.
const mostTries = 7

// pause waits before the next try and reports whether there is one.
func pause(ctx context.Context, try int) bool {
	if try >= mostTries-1 {
		return false
	}
	timer := time.NewTimer(20 * time.Millisecond << try)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

type pool struct {
	db         *sql.DB
	prepares   bool // prepare each statement once and keep it; the package has a bounded number of statements
	mu         sync.RWMutex
	statements map[string]*sql.Stmt
}

func (p *pool) kept(text string) *sql.Stmt {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.statements[text]
}

func (p *pool) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	stmt, err := p.db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if other := p.statements[text]; other != nil {
		stmt.Close()
		return other, nil
	}
	if p.statements == nil {
		p.statements = map[string]*sql.Stmt{}
	}
	p.statements[text] = stmt
	return stmt, nil
}

//go:embed migrations
var migrations embed.FS

var errLater = errors.New("it was written by a later version of the program")

// migrationsFrom returns the texts that bring a database from layout have to the present one, and its number.
func migrationsFrom(engine string, have int) (texts []string, want int, err error) {
	dir := "migrations/" + engine
	entries, err := fs.ReadDir(migrations, dir)
	if err != nil {
		return nil, 0, err
	}
	if have > len(entries) {
		return nil, 0, fmt.Errorf("%w (layout %d, this one knows %d)", errLater, have, len(entries))
	}
	for _, e := range entries[have:] {
		text, err := migrations.ReadFile(dir + "/" + e.Name())
		if err != nil {
			return nil, 0, err
		}
		texts = append(texts, string(text))
	}
	return texts, len(entries), nil
}

// How often the marks of transactions, which are many, and all other expired rows go.
const (
	sweepMarks = 5 * time.Minute
	sweepAll   = time.Hour
)

func (s *Store) sweepRegularly() {
	defer close(s.swept)
	tick := time.NewTicker(sweepMarks)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-tick.C:
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			// Rows that could not be removed now are removed the next time.
			_ = s.update(ctx, s.engine.sweep)
			_ = s.Scrub(ctx)
			if n%int(sweepAll/sweepMarks) == 1 {
				_ = s.sweep(ctx)
			}
			cancel()
		case <-s.quit:
			return
		}
	}
}

func (s *Store) sweep(ctx context.Context) error {
	now := s.clock()
	for _, d := range []struct {
		text string
		arg  int64
	}{
		{"DELETE FROM usage WHERE hour < $1", now.Add(-UsageKept).Unix()},
		{"DELETE FROM account_usage WHERE hour < $1", now.Add(-UsageKept).Unix()},
		{"DELETE FROM spent WHERE start < $1", now.Add(-UsageKept).Unix()},
		{"DELETE FROM sessions WHERE expires < $1", now.UnixNano()},
		{"DELETE FROM tokens WHERE expires < $1", now.UnixNano()},
		{"DELETE FROM nonces WHERE until <= $1", now.UnixNano()},
		{"DELETE FROM tries WHERE start < $1", now.Add(-24 * time.Hour).UnixNano()},
		{"DELETE FROM questions WHERE day < $1", now.Add(-48 * time.Hour).Unix()},
		{"DELETE FROM list_runs WHERE expires < $1", now.UnixNano()},
		{"DELETE FROM alerts WHERE at < $1", now.Add(-AlertsKept).UnixNano()},
		{"DELETE FROM corrections WHERE decided > 0 AND decided < $1 AND (state = 'rejected' OR written > 0)", now.Add(-s.auditKept).UnixNano()},
		{"DELETE FROM events WHERE at < $1", now.Add(-s.auditKept).UnixNano()},
		// Rows of the future are from a clock that has been set back: nobody began these windows yet.
		{"DELETE FROM tries WHERE start > $1", now.Add(skew).UnixNano()},
		{"DELETE FROM spent WHERE start > $1", now.Add(skew).Unix()},
		{"DELETE FROM questions WHERE day > $1", now.Add(skew).Unix()},
	} {
		// Each statement has its own transaction, so that charges do not wait long.
		if err := s.update(ctx, func(t *tx) { t.exec(d.text, d.arg) }); err != nil {
			return err
		}
	}
	return s.sweepAnonymous(ctx)
}
