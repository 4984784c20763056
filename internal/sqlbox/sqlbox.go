// Package sqlbox runs other people's SQL. Nothing in it trusts the engine: a
// statement is first read by a gate, which lets through one query over the
// tables of the caller's plan and nothing else, and is then run by a process
// that was given only the files of that plan, read-only, and that has no
// further rights, limited memory and a time after which it is killed.
//
// The gate and the runners are both processes of their own: this program,
// started again as a worker. Whatever a statement does to the engine, it does
// not do it to the server.
package sqlbox

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"grantgraph/internal/fault"
	"grantgraph/internal/warehouse"
)

const (
	maxRows  = 2000     // of an answer
	maxBytes = 16 << 20 // of the rows of an answer

	// RetryAfter is how many seconds a caller who met Busy should wait.
	RetryAfter = 2
)

// Options set the limits of a Box. The zero value of a field is its default.
type Options struct {
	Workers int           // queries at a time; as many as there are processors, but more than one key may have, and at most 8
	Queue   int           // queries that may wait for a worker; 4 for each
	Wait    time.Duration // that a query waits for a worker at most; 10 s
	PerKey  int           // queries of one key at a time, those waiting included; 2
	Timeout time.Duration // of a query; 30 s
	Memory  int64         // of a query, bytes; a share of the machine's, from 256 MiB to 1 GiB
	Threads int           // of a query; as many as there are processors, at most 4
	Command []string      // that starts a worker; this program with sql-worker
	Log     *slog.Logger
}

func (o *Options) defaults() error {
	or := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	or(&o.PerKey, 2)
	or(&o.Workers, max(min(8, runtime.NumCPU()), o.PerKey+1)) // so that no key can shut out the others
	or(&o.Queue, 4*o.Workers)
	or(&o.Threads, min(4, runtime.NumCPU()))
	if o.Wait == 0 {
		o.Wait = 10 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Memory == 0 {
		// Of each set of files there can be as many workers as run at a time.
		o.Memory = min(1<<30, max(256<<20, physical()/int64(4*o.Workers)))
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if len(o.Command) == 0 {
		self, err := program()
		if err != nil {
			return err
		}
		o.Command = []string{self, "sql-worker"}
	}
	return nil
}

// program names this very program. Where the system can, it is named by what
// it is and not by where it lay when it was started: when a newer one has been
// put in its place, that one's workers would not speak this one's protocol.
func program() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}

// Request is one statement of one caller.
type Request struct {
	SQL    string
	Params Params
	Pro    bool   // the caller's plan reads the Pro tables
	Key    string // of the caller; empty is nobody's, and not limited
	Place  *Place // that Check takes for Run; nil when Run is to find one
}

// Place is a worker's time kept for a statement from when Check has let it pass
// until Run has run it, or the context of Check has ended. Who comes to Run with
// it is not told there that the house is full. The zero value is none.
type Place struct{ leave func() }

// Result is what a query found.
type Result struct {
	Columns   []Column          `json:"columns"`
	Rows      []json.RawMessage `json:"rows"` // objects, in the order of the query
	Truncated bool              `json:"truncated"`
	Elapsed   time.Duration     `json:"elapsed"` // in the worker
}

// Column is one column of a Result.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // in DuckDB's words
}

// Box has what all queries share, whichever warehouse they ask: the gate, the
// places, and the count of who has how many of them.
type Box struct {
	opt   Options
	gates *pool
	reads *line // at the gate
	runs  *line

	mu   sync.Mutex
	keys map[string]int
	told bool // what confinement lacks
}

// Warehouse runs queries on the files of one snapshot, with workers that have
// opened those and no others.
type Warehouse struct {
	box       *Box
	open, pro *pool // by the set of files they opened
}

// New makes a Box.
func New(opt Options) (*Box, error) {
	if err := opt.defaults(); err != nil {
		return nil, err
	}
	newLine := func() *line {
		return &line{places: make(chan struct{}, opt.Workers), most: opt.Queue, longest: opt.Wait}
	}
	b := &Box{opt: opt, reads: newLine(), runs: newLine(), keys: map[string]int{}}
	b.gates = b.pool(hello{Role: roleGate, Memory: 256 << 20, Threads: 1})
	return b, nil
}

func (b *Box) pool(h hello) *pool {
	return &pool{keep: b.opt.Workers, spawn: func() (*process, error) {
		p, err := spawn(b.opt.Command, h)
		if err != nil {
			b.opt.Log.Error("sql worker", "err", err)
			return nil, err
		}
		b.tell(p.notes)
		return p, nil
	}}
}

// tell logs once what the machine could not offer.
func (b *Box) tell(notes []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.told || len(notes) == 0 {
		return
	}
	b.told = true
	b.opt.Log.Warn("SQL workers are confined less than they could be", "missing", notes)
}

// Open starts workers on the warehouse of the snapshot in a folder.
func (b *Box) Open(dir string) (*Warehouse, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range []string{warehouse.OpenFile, warehouse.ProFile} {
		if _, err := os.Stat(filepath.Join(dir, f)); err != nil {
			return nil, fault.New("no_warehouse", "snapshot %s has no %s: %w", filepath.Base(dir), f, err).Try("build it again with this program")
		}
	}
	runner := func(pro bool) *pool {
		return b.pool(hello{Role: roleRunner, Dir: dir, Pro: pro, Memory: b.opt.Memory, Threads: b.opt.Threads})
	}
	w := &Warehouse{box: b, open: runner(false), pro: runner(true)}
	for _, l := range []*pool{w.open, w.pro, b.gates} {
		if err := l.warm(); err != nil {
			w.Close()
			return nil, err
		}
	}
	w.open.more(b.opt.Workers / 2)
	w.pro.more(b.opt.Workers / 2)
	return w, nil
}

// Close ends the workers. Queries that run finish first: theirs end when they
// are done.
func (w *Warehouse) Close() {
	w.open.close()
	w.pro.close()
}

// Close ends the gate. The warehouses must have been closed before.
func (b *Box) Close() { b.gates.close() }

// Query checks a statement and runs it. Every error that a caller may see is a
// fault with one of the slugs of this package.
func (w *Warehouse) Query(ctx context.Context, r Request) (*Result, error) {
	if err := w.Check(ctx, r); err != nil {
		return nil, err
	}
	return w.Run(ctx, r)
}

// Check asks the gate, as Box.Check does.
func (w *Warehouse) Check(ctx context.Context, r Request) error { return w.box.Check(ctx, r) }

// gateTime is how long the gate may take to read a statement: far longer than
// any takes, because a machine under load must not refuse a simple one.
const gateTime = 10 * time.Second

// Check asks the gate whether a statement may run, and takes a place for it if
// the request wants one. It reads no data.
func (b *Box) Check(ctx context.Context, r Request) error {
	if f := first(r.SQL); f != nil { // a megabyte is refused before it is sent anywhere
		return f
	}
	done, err := b.count(r.Key)
	if err != nil {
		return err
	}
	if err = b.read(ctx, r); err == nil && r.Place != nil {
		var leave func()
		if leave, err = b.runs.enter(ctx); err == nil {
			r.Place.leave = sync.OnceFunc(func() { leave(); done() })
			context.AfterFunc(ctx, r.Place.leave)
			return nil
		}
	}
	done()
	return err
}

// read has the gate read a statement.
func (b *Box) read(ctx context.Context, r Request) error {
	leave, err := b.reads.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	_, err = b.serve(ctx, b.gates, ask{SQL: r.SQL, Params: r.Params, Pro: r.Pro, Timeout: min(gateTime, 2*b.opt.Timeout)})
	if f, ok := fault.Of(err); ok && (f.Slug == TimedOut || f.Slug == OutOfMemory || f.Slug == Failed) {
		return reject("the statement is too complex to be read").Try("split it into smaller queries, or ask again in a moment if it is short")
	}
	return err
}

// enter finds a place for a statement that has none.
func (b *Box) enter(ctx context.Context, r Request) (func(), error) {
	if r.Place != nil && r.Place.leave != nil {
		return r.Place.leave, nil
	}
	done, err := b.count(r.Key)
	if err != nil {
		return nil, err
	}
	leave, err := b.runs.enter(ctx)
	if err != nil {
		done()
		return nil, err
	}
	return func() { leave(); done() }, nil
}

// Run runs a statement that Check has let pass. It must not be called with any
// other: what protects the server then is the worker's confinement alone.
func (w *Warehouse) Run(ctx context.Context, r Request) (*Result, error) {
	leave, err := w.box.enter(ctx, r)
	if err != nil {
		return nil, err
	}
	defer leave()
	l := w.open
	if r.Pro {
		l = w.pro
	}
	return w.box.serve(ctx, l, ask{SQL: r.SQL, Params: r.Params, Pro: r.Pro, Timeout: w.box.opt.Timeout})
}

// count admits one more query of a key.
func (b *Box) count(key string) (done func(), err error) {
	if key == "" {
		return func() {}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.keys[key] >= b.opt.PerKey {
		return nil, fault.New(Concurrent, "this key has %d queries running already", b.keys[key]).Try("wait for one of them to end")
	}
	b.keys[key]++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.keys[key]--; b.keys[key] == 0 {
			delete(b.keys, key)
		}
	}, nil
}

// grace is how long after its time a worker may take to stop a query itself,
// which spares it; then it is killed.
const grace = 250 * time.Millisecond

// soon is the time within which the death of a worker is taken for one that
// had happened before it was asked.
const soon = 50 * time.Millisecond

// serve has a worker of the pool answer. A worker that does not answer in time
// is killed, and one that dies is replaced; if it seems to have been dead
// already, another is asked.
func (b *Box) serve(ctx context.Context, l *pool, a ask) (*Result, error) {
	start := time.Now()
	res, err := b.try(ctx, l, a)
	if errors.Is(err, errDied) && time.Since(start) < soon {
		res, err = b.try(ctx, l, a)
	}
	if errors.Is(err, errDied) {
		return nil, memory()
	}
	return res, err
}

func (b *Box) try(ctx context.Context, l *pool, a ask) (*Result, error) {
	p, err := l.get()
	if err != nil {
		f := fault.New(Unavailable, "no worker could be started").Try("retry in a minute")
		f.Err = err
		return nil, f
	}
	defer func() { l.put(p) }()
	p.asked++
	limited, cancel := context.WithTimeout(ctx, a.Timeout+grace)
	defer cancel()
	var got answer
	err = p.exchange(limited, a, &got)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err() // the caller is gone
	case errors.Is(err, context.DeadlineExceeded):
		return nil, timeout()
	default:
		b.opt.Log.Warn("a SQL worker died", "err", err, "state", p.cmd.ProcessState, "said", p.said.String())
		if p.crashed() {
			return nil, unfit()
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
