package account

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// Options of a store.
type Options struct {
	Clock      func() time.Time // nil is the clock of the machine
	FreeWindow Window           // window of the free allowance; empty is Day
	Mints      int              // agent keys an address may mint in an hour; 0 is 600
	Anonymous  int              // anonymous keys that are kept of each kind; 0 is MostAnonymous
}

// store is a Store on either database. The statements are written in the
// words that both understand ($1 for a parameter, 0 and 1 for truth); what
// they do not share is in engine.
type store struct {
	clock      func() time.Time
	freeWindow Window
	mints      int
	anonymous  int
	hashing    hashing
	slots      chan struct{} // one for each password that may be hashed at a time
	pepper     []byte
	engine     engine
	read       *pool
	write      *pool
	ledger     *ledger
	quit       chan struct{} // closed when the store is being closed
	swept      chan struct{} // closed when the sweeper is gone
	closing    sync.Once
	closed     error
}

// engine is what differs between the databases.
type engine interface {
	// transact runs work in a transaction and returns when what it wrote is on
	// the disk. Work may run more than once; only what its last run returned
	// and wrote counts. When work fails, nothing is written.
	transact(ctx context.Context, s *store, work func(*tx) error) error
	// again says whether reading may be tried again after this failure.
	again(err error) bool
	// sweep removes what only this engine keeps and nobody asks for any more.
	sweep(t *tx) error
	chargeTables
}

func newStore(opt Options, e engine) (*store, error) {
	s := &store{
		clock: opt.Clock, freeWindow: opt.FreeWindow, mints: opt.Mints, anonymous: opt.Anonymous, engine: e,
		hashing: presentHashing, slots: make(chan struct{}, hashesAtOnce),
		quit: make(chan struct{}), swept: make(chan struct{}),
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.mints == 0 {
		s.mints = MintsAnHour
	}
	if s.anonymous == 0 {
		s.anonymous = MostAnonymous
	}
	if s.freeWindow == "" {
		s.freeWindow = Day
	}
	_, err := ParseWindow(string(s.freeWindow))
	return s, err
}

// begin starts what runs beside the callers, once the pools are open.
func (s *store) begin(ctx context.Context) error {
	if _, err := s.view(ctx).get("SELECT value FROM pepper", nil, &s.pepper); err != nil {
		return err
	}
	s.ledger = openLedger(s)
	go s.sweepRegularly()
	return nil
}

func (s *store) Ping(ctx context.Context) error {
	var one int
	if err := s.read.db.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return unavailable(err)
	}
	return nil
}

// Close waits for what was begun and closes the database.
func (s *store) Close() error {
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

// update runs work in a transaction.
func (s *store) update(ctx context.Context, work func(*tx) error) error {
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

// reader is where a statement that only reads is put to: a transaction, or the
// store as it is.
type reader interface {
	// get reads the first row into the variables, and says whether there is one.
	get(text string, args []any, into ...any) (bool, error)
	// each calls fn for each row, with the function that reads it.
	each(text string, args []any, fn func(scan func(...any) error) error) error
}

// engineTx is a transaction as an engine speaks it. Its errors are those of
// unavailable, and what fn returns.
type engineTx interface {
	// exec runs a statement that writes and returns how many rows it changed.
	exec(ctx context.Context, text string, args []any) (int64, error)
	// later is exec for a statement that nobody waits for: it is run with the
	// next one, or with the commit.
	later(ctx context.Context, text string, args []any) error
	each(ctx context.Context, text string, args []any, fn func(scan func(...any) error) error) error
}

// tx is a transaction.
type tx struct {
	ctx      context.Context
	engineTx engineTx
	lock     string // added to a SELECT whose rows are about to be changed
	now      time.Time
	wrote    bool
}

// exec runs a statement that writes and returns how many rows it changed.
func (t *tx) exec(text string, args ...any) (int64, error) {
	t.wrote = true
	return t.engineTx.exec(t.ctx, text, args)
}

// later is exec for a statement that nobody waits for.
func (t *tx) later(text string, args ...any) error {
	t.wrote = true
	return t.engineTx.later(t.ctx, text, args)
}

func (t *tx) get(text string, args []any, into ...any) (bool, error) {
	return firstRow(t, text, args, into)
}

func (t *tx) each(text string, args []any, fn func(func(...any) error) error) error {
	return t.engineTx.each(t.ctx, text, args, fn)
}

// view reads the store as it is, outside a transaction.
type view struct {
	ctx context.Context
	s   *store
}

func (s *store) view(ctx context.Context) view { return view{ctx, s} }

func (v view) get(text string, args []any, into ...any) (bool, error) {
	return firstRow(v, text, args, into)
}

func (v view) each(text string, args []any, fn func(func(...any) error) error) error {
	for try := 0; ; try++ {
		started := false
		rows, err := v.rows(text, args)
		err = eachRow(rows, err, func(scan func(...any) error) error {
			started = true
			return fn(scan)
		})
		if err == nil || v.ctx.Err() != nil {
			return firstError(v.ctx.Err(), err)
		}
		// A row that was given away cannot be taken back.
		if started || !isDatabaseError(err) || !v.s.engine.again(err) || !pause(v.ctx, try) {
			return err
		}
	}
}

func (v view) rows(text string, args []any) (*sql.Rows, error) {
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

// firstError is the first error that is one.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func firstRow(r reader, text string, args []any, into []any) (found bool, err error) {
	err = r.each(text, args, func(scan func(...any) error) error {
		if found {
			return nil
		}
		found = true
		return scan(into...)
	})
	return found && err == nil, err
}

func eachRow(rows *sql.Rows, err error, fn func(func(...any) error) error) error {
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

// mostTries is how often something that a failing database spoiled is tried
// in all; the pauses between come to a little more than a second.
const mostTries = 7

// pause waits before the next try and says whether there is to be one.
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

// pool is a set of connections. Where keep is set, each statement is prepared
// once and kept; there are only as many as this package has.
type pool struct {
	db         *sql.DB
	prepares   bool
	mu         sync.RWMutex
	statements map[string]*sql.Stmt
}

// kept is the kept form of a statement, nil when there is none.
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
