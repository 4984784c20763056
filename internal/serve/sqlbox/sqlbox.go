// Package sqlbox runs SQL from outside. It does not trust the engine. A gate reads each statement first, and lets pass only a
// single query over the tables of the caller's plan. Then a runner runs the query: a process that has opened only the files of
// that plan, read-only, without further rights, with limited memory, and with a time limit after which it is killed.
//
// Gates and runners are processes of their own: this program, started again as a
// worker. So a statement that harms the engine does not harm the server.
package sqlbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/parallel"
	"grantgraph/internal/serve/warehouse"
)

const (
	maxRows  = 2000     // of an answer
	maxBytes = 16 << 20 // of the rows of an answer

	// RetryAfter is how many seconds a caller should wait after a Busy fault.
	RetryAfter = 2
)

type Request struct {
	SQL    string
	Params Params
	Pro    bool   // the caller's plan reads the Pro tables
	Owner  string // an account with all its keys, or a key without an account; empty for a caller without a limit
	Place  *Place // Check reserves a worker here for Run; nil when Run is to find a worker itself
}

type Result struct {
	Columns   []Column          `json:"columns"`
	Rows      []json.RawMessage `json:"-"` // objects, in the order of the query
	Truncated bool              `json:"truncated"`
	Elapsed   time.Duration     `json:"elapsed"` // in the worker
	Warnings  []string          `json:"warnings,omitempty"`
}

type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // in DuckDB's words
}

// Box holds what queries on all warehouses share: gates, places, and counts of owners.
type Box struct {
	opt   Options
	gates *pool
	reads *fairQueue // at the gate
	runs  *fairQueue

	gateTime time.Duration

	mu                sync.Mutex
	owners            map[string]int // how many queries each owner has
	loggedConfinement bool
}

// Warehouse runs queries on the files of one snapshot, with workers that opened only those.
type Warehouse struct {
	box       *Box
	open, pro *pool // workers without and with the files of the Pro plan
}

func New(opt Options) (*Box, error) {
	if err := opt.defaults(); err != nil {
		return nil, err
	}
	b := &Box{opt: opt, gateTime: max(gateTime, opt.Timeout/3), owners: map[string]int{}}
	b.reads = newFairQueue(opt.Gates, opt.Queue, opt.Wait)
	b.runs = newFairQueue(opt.Workers, opt.Queue, opt.Wait)
	b.gates = b.newPool(hello{Role: roleGate, Memory: 256 << 20, Threads: 1})
	return b, nil
}

func (b *Box) newPool(h hello) *pool {
	return &pool{keep: min(b.opt.Workers, b.opt.Gates), spare: b.opt.Spare, spawn: func() (*process, error) {
		p, err := spawn(b.opt.Command, h, b.opt.Timeout)
		if err != nil {
			b.opt.Log.Error("sql worker", "err", err)
			return nil, err
		}
		b.logConfinement(p.notes)
		return p, nil
	}}
}

// logConfinement logs once which limits the machine could not set.
func (b *Box) logConfinement(notes []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.loggedConfinement || len(notes) == 0 {
		return
	}
	b.loggedConfinement = true
	b.opt.Log.Warn("SQL workers are confined less than they could be", "missing", notes)
}

// Open starts a worker for each plan on the warehouse of the snapshot in a folder.
func (b *Box) Open(dir string) (*Warehouse, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range []string{warehouse.OpenFile, warehouse.ProFile} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			return nil, fault.New("no_warehouse", "snapshot %s has no %s: %w", filepath.Base(dir), f, err).
				Try("build it again with this program")
		}
	}
	runner := func(pro bool) *pool {
		return b.newPool(hello{Role: roleRunner, Dir: dir, Pro: pro, Memory: b.opt.Memory, Threads: b.opt.Threads})
	}
	w := &Warehouse{box: b, open: runner(false), pro: runner(true)}
	pools := []*pool{w.open, w.pro, b.gates}
	err = parallel.Each(context.Background(), len(pools), len(pools), func(_ context.Context, i int) error { return pools[i].startFirst() })
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// StartMore starts further workers, for callers that come together, and does not wait.
func (w *Warehouse) StartMore() {
	w.open.startMore(w.box.opt.Workers / 2)
	w.pro.startMore(w.box.opt.Workers / 2)
}

// Close ends the idle workers. A worker that runs a query ends after the query.
func (w *Warehouse) Close() {
	w.open.close()
	w.pro.close()
}

// Close ends the gates. The warehouses must be closed before.
func (b *Box) Close() { b.gates.close() }

// Check is Box.Check, and reserves a worker in the place of the request.
func (w *Warehouse) Check(ctx context.Context, r Request) error {
	if err := w.box.Check(ctx, r); err != nil || r.Place == nil {
		return err
	}
	l := w.workers(r)
	worker, err := l.get()
	if err != nil {
		r.Place.leave()
		return noWorker(err)
	}
	r.Place.keep(worker, l)
	return nil
}

// workers returns the pool that has opened the files of the caller's plan.
func (w *Warehouse) workers(r Request) *pool {
	if r.Pro {
		return w.pro
	}
	return w.open
}

// gateTime is how long the gate may take to read a statement in wall-clock time. The processor time of a statement has a
// tighter limit. This one is generous, so that a busy machine does not refuse a simple statement.
const gateTime = 10 * time.Second

// Check asks the gate about a statement without reading data, and reserves a place if asked to.
func (b *Box) Check(ctx context.Context, r Request) error {
	if f := precheck(r.SQL); f != nil { // refuses a megabyte before it is sent to a gate
		return f
	}
	if sent, err := encode(workerRequest{SQL: r.SQL, Params: r.Params}); err != nil || len(sent) > maxRequest-1<<10 {
		return reject("the values of the parameters are too long: at most %d MiB of them can be bound", maxRequest>>20).
			Try("shorten the texts among them")
	}
	done, err := b.countOwner(r.Owner)
	if err != nil {
		return err
	}
	if err = b.readAtGate(ctx, r); err == nil && r.Place != nil {
		var leave func()
		if leave, err = b.runs.enter(ctx, r.Owner); err == nil {
			r.Place.leave = sync.OnceFunc(func() { r.Place.giveBack(); leave(); done() })
			context.AfterFunc(ctx, r.Place.leave)
			return nil
		}
	}
	done()
	return err
}

// readAtGate has the gate read a statement. It continues when the caller has gone:
// a caller who leaves before a costly statement is refused still pays for it.
func (b *Box) readAtGate(ctx context.Context, r Request) error {
	leave, err := b.reads.enter(ctx, r.Owner)
	if err != nil {
		return err
	}
	defer leave()
	request := workerRequest{SQL: r.SQL, Params: r.Params.withoutValues(), Pro: r.Pro, Timeout: b.gateTime, Budget: b.opt.Reading}
	_, err = b.ask(context.WithoutCancel(ctx), b.gates, nil, request)
	f, ok := fault.Of(err)
	switch {
	case !ok:
	case f.Slug == TimedOut, errors.Is(err, errDied):
		return busy() // the machine had no time for the statement, or killed the worker
	case f.Slug == OutOfMemory, f.Slug == Failed:
		return tooComplex()
	}
	return err
}

// enter finds a place for a statement that has none, and returns what gives it back.
func (b *Box) enter(ctx context.Context, r Request) (func(), error) {
	if r.Place != nil && r.Place.leave != nil {
		return r.Place.leave, nil
	}
	done, err := b.countOwner(r.Owner)
	if err != nil {
		return nil, err
	}
	leave, err := b.runs.enter(ctx, r.Owner)
	if err != nil {
		done()
		return nil, err
	}
	return func() { leave(); done() }, nil
}

// Run runs a statement that Check has let pass. Callers must not pass any other
// statement: then only the worker's confinement would protect the server.
func (w *Warehouse) Run(ctx context.Context, r Request) (*Result, error) {
	leave, err := w.box.enter(ctx, r)
	if err != nil {
		return nil, err
	}
	defer leave()
	return w.box.ask(ctx, w.workers(r), r.Place.take(), workerRequest{SQL: r.SQL, Params: r.Params, Pro: r.Pro, Timeout: w.box.opt.Timeout})
}

func (b *Box) countOwner(owner string) (done func(), err error) {
	if owner == "" {
		return func() {}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.owners[owner]; n >= b.opt.PerOwner {
		return nil, fault.New(Concurrent, "%d queries of this account are running already", n).
			Try("wait until one of them ends; all keys of an account share this limit")
	}
	b.owners[owner]++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.owners[owner]--; b.owners[owner] == 0 {
			delete(b.owners, owner)
		}
	}, nil
}

// grace is how long after the time limit a worker may take to stop a query itself.
// A worker that stops in that time is used again; otherwise it is killed.
const grace = 250 * time.Millisecond

// ask has a worker of the pool answer: the reserved worker if there is one. It kills a worker that does not
// answer in time. When a worker was dead before it received the request, ask tries another one.
func (b *Box) ask(ctx context.Context, l *pool, reserved *process, a workerRequest) (*Result, error) {
	sent, err := encode(a)
	if err != nil {
		if reserved != nil {
			l.put(reserved)
		}
		return nil, err
	}
	var res *Result
	for range 3 {
		if res, err = b.askOnce(ctx, l, reserved, a.Timeout, sent); !errors.Is(err, errGone) {
			break
		}
		reserved = nil
	}
	if errors.Is(err, errDied) || errors.Is(err, errGone) {
		f := outOfMemory()
		f.Err = err
		return nil, f
	}
	return res, err
}

func (b *Box) askOnce(ctx context.Context, l *pool, p *process, timeLimit time.Duration, sent []byte) (*Result, error) {
	var err error
	if p == nil {
		if p, err = l.get(); err != nil {
			return nil, noWorker(err)
		}
	}
	defer func() { l.put(p) }()
	p.statements++
	limited, cancel := context.WithTimeout(ctx, timeLimit+grace)
	defer cancel()
	var got workerReply
	err = p.exchange(limited, sent, func(from io.Reader) error { return readReply(from, &got) })
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err() // the caller is gone
	case errors.Is(err, context.DeadlineExceeded):
		return nil, timedOut()
	default:
		b.opt.Log.Warn("a SQL worker died", "err", err, "state", p.cmd.ProcessState, "said", p.errorOutput.String())
		switch {
		case p.crashed():
			return nil, engineFailed()
		case p.ranOutOfMemory():
			return nil, outOfMemory()
		}
		return nil, err
	}
	if got.Broken {
		p.end()
	}
	switch {
	case got.Fault != nil:
		return nil, got.Fault
	case got.Err != "":
		p.end()
		b.opt.Log.Error("a SQL worker failed", "err", got.Err)
		return nil, fault.New(Failed, "the query failed").Try("retry, and report it if it fails again")
	}
	return got.Result, nil
}
