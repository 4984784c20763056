package account

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ledger is the one writer of a store. Jobs that arrive while a transaction is
// being written to the disk are gathered into the next one, so the number of
// charges a second is not bound by the number of times a second the disk can
// promise that something is on it.
type ledger struct {
	store *store
	jobs  chan *job
	quit  chan struct{} // closed when no more jobs are taken
	ended chan struct{} // closed when the writer is gone
	once  sync.Once

	byID, calls, spend *sql.Stmt
}

// mostJobs bounds how many jobs share a transaction, so that the first of them
// does not wait for long.
const mostJobs = 512

// job is one piece of work in a transaction. Its result is good only when the
// transaction was committed; then done gets nil or the job's own refusal.
type job struct {
	ctx  context.Context
	work func(*batch) error
	done chan error
}

// batch is a transaction that several jobs share.
type batch struct {
	tx                 *sql.Tx
	byID, calls, spend *sql.Stmt
	now                time.Time
	wrote              bool
}

func (b *batch) exec(text string, args ...any) (sql.Result, error) {
	b.wrote = true
	r, err := b.tx.Exec(text, args...)
	if err != nil {
		err = &broken{err}
	}
	return r, err
}

// broken marks a failure of the store itself, which spoils the transaction for
// every job in it.
type broken struct{ err error }

func (e *broken) Error() string { return "key store: " + e.err.Error() }
func (e *broken) Unwrap() error { return e.err }

var errClosed = errors.New("the key store is closed")

func openLedger(s *store) (l *ledger, err error) {
	l = &ledger{store: s, jobs: make(chan *job, mostJobs), quit: make(chan struct{}), ended: make(chan struct{})}
	if l.byID, err = s.write.Prepare(keyColumns + "WHERE id = ?"); err != nil {
		return nil, err
	}
	if l.calls, err = s.write.Prepare("SELECT calls FROM spent WHERE key = ? AND window = ? AND start = ?"); err != nil {
		return nil, err
	}
	if l.spend, err = s.write.Prepare("INSERT INTO spent (key, window, start, calls) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET calls = calls + ?4"); err != nil {
		return nil, err
	}
	go l.run()
	return l, nil
}

// close lets the jobs that were accepted finish and ends the writer.
func (l *ledger) close() {
	l.once.Do(func() { close(l.quit) })
	<-l.ended
}

// do runs work in a transaction and returns when that is on the disk.
func (l *ledger) do(ctx context.Context, work func(*batch) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{ctx: ctx, work: work, done: make(chan error, 1)}
	select {
	case l.jobs <- j:
	case <-l.quit:
		return errClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-l.ended:
		// The writer may have answered on its way out.
		select {
		case err := <-j.done:
			return err
		default:
			return errClosed
		}
	}
}

func (l *ledger) run() {
	defer close(l.ended)
	gathered := make([]*job, 0, mostJobs)
	for {
		gathered = gathered[:0]
		select {
		case j := <-l.jobs:
			gathered = append(gathered, j)
		case <-l.quit:
			// What was accepted before is still done.
			select {
			case j := <-l.jobs:
				gathered = append(gathered, j)
			default:
				return
			}
		}
	gather:
		for len(gathered) < mostJobs {
			select {
			case j := <-l.jobs:
				gathered = append(gathered, j)
			default:
				break gather
			}
		}
		l.commit(gathered)
	}
}

// commit runs the jobs in one transaction and answers them. No job hears of
// success before the transaction is on the disk.
func (l *ledger) commit(jobs []*job) {
	answers := make([]error, len(jobs))
	err := func() error {
		tx, err := l.store.write.Begin()
		if err != nil {
			return &broken{err}
		}
		defer tx.Rollback()
		b := &batch{tx: tx, byID: tx.Stmt(l.byID), calls: tx.Stmt(l.calls), spend: tx.Stmt(l.spend), now: l.store.clock()}
		for i, j := range jobs {
			if answers[i] = j.ctx.Err(); answers[i] != nil {
				continue
			}
			answers[i] = j.work(b)
			var bad *broken
			if errors.As(answers[i], &bad) {
				return answers[i]
			}
		}
		if !b.wrote {
			return nil
		}
		if err := tx.Commit(); err != nil {
			return &broken{err}
		}
		return nil
	}()
	for i, j := range jobs {
		if err != nil {
			j.done <- err
		} else {
			j.done <- answers[i]
		}
	}
}

func (s *store) Charge(ctx context.Context, id string, cost int) (Balance, error) {
	if cost < 0 {
		return Balance{}, fmt.Errorf("a charge of %d calls", cost)
	}
	// The balance is read only after the answer, never while the job may still
	// be running for a caller that has left.
	got := new(Balance)
	err := s.ledger.do(ctx, func(b *batch) error {
		r, err := scanKey(b.byID.QueryRow(id))
		if err != nil {
			return err
		}
		if !r.Active {
			return inactive()
		}
		w := s.window(r.Plan)
		start := w.Start(b.now).Unix()
		var calls int64
		if err := b.calls.QueryRow(r.seq, string(w), start).Scan(&calls); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return &broken{err}
		}
		*got = s.balance(r.Plan, b.now, calls)
		if cost > got.Remaining {
			return spent(r.Plan, w, *got)
		}
		if cost == 0 {
			return nil
		}
		b.wrote = true
		if _, err := b.spend.Exec(r.seq, string(w), start, cost); err != nil {
			return &broken{err}
		}
		*got = s.balance(r.Plan, b.now, calls+int64(cost))
		return nil
	})
	if err != nil && !errors.Is(err, ErrSpent) {
		return Balance{}, err
	}
	return *got, err
}
