package sqlbox

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"grantgraph/internal/serve/budget"
)

// maxStatements is how many statements a worker serves, so that no state accumulates in it.
const maxStatements = 500

// pool keeps started workers of one kind ready.
type pool struct {
	spawn func() (*process, error)
	keep  int   // most idle workers
	spare int64 // bytes that an idle worker may hold beyond its size when it was new

	mu     sync.Mutex
	idle   []*process
	closed bool
	tasks  sync.WaitGroup // replacements on their way
}

// startFirst starts a worker if none is idle, and returns why it could not.
func (l *pool) startFirst() error {
	p, err := l.get()
	if err == nil {
		l.put(p)
	}
	return err
}

// startMore starts workers until n of them, but at most keep, are idle, and does not wait.
func (l *pool) startMore(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.idle); i < min(n, l.keep) && !l.closed; i++ {
		l.tasks.Go(func() {
			// A failure appears again when the next query asks for a worker.
			if p, err := l.spawn(); err == nil {
				l.put(p)
			}
		})
	}
}

func (l *pool) get() (*process, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, errors.New("the pool is closed")
	}
	for n := len(l.idle); n > 0; n = len(l.idle) {
		p := l.idle[n-1]
		l.idle = l.idle[:n-1]
		if p.alive() {
			l.mu.Unlock()
			return p, nil
		}
		p.end()
	}
	l.mu.Unlock()
	return l.spawn()
}

// put gives a worker back, or replaces one that died, served many statements or holds much
// memory, which a process does not return in any other way.
func (l *pool) put(p *process) {
	fit := !p.dead && p.statements < maxStatements && p.grown() <= l.spare
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed { // close may be waiting for the tasks, so put must not add one
		go p.end()
		return
	}
	if fit && len(l.idle) < l.keep {
		l.idle = append(l.idle, p)
		return
	}
	replace := len(l.idle) < l.keep
	l.tasks.Go(func() {
		p.end()
		if replace {
			if fresh, err := l.spawn(); err == nil {
				l.put(fresh)
			}
		}
	})
}

// close ends the idle workers. A busy worker ends when it is given back.
func (l *pool) close() {
	l.mu.Lock()
	idle := l.idle
	l.idle, l.closed = nil, true
	l.mu.Unlock()
	for _, p := range idle {
		p.end()
	}
	l.tasks.Wait()
}

// Place reserves a worker for a statement from Check, which lets it pass, until Run has run it or
// the context of Check ends, so that Run finds a worker. The zero value reserves nothing.
type Place struct {
	leave func()

	mu     sync.Mutex
	left   bool
	worker *process // nil once Run has taken it or it was given back
	of     *pool
}

func (p *Place) keep(worker *process, of *pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left {
		of.put(worker)
		return
	}
	p.worker, p.of = worker, of
}

func (p *Place) take() *process {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	worker := p.worker
	p.worker = nil
	return worker
}

// giveBack returns a worker that Run has not taken to its pool.
func (p *Place) giveBack() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = true
	if p.worker != nil {
		p.of.put(p.worker)
		p.worker = nil
	}
}

// Options set the limits of a Box. The zero value of a field is its default.
type Options struct {
	Workers  int           // queries at a time; default: one more than four owners may run together
	Gates    int           // statements that gates read at a time; default: one more than processors, at most 8
	Queue    int           // statements that may wait for a gate, and queries that may wait for a worker; default 12
	Wait     time.Duration // longest wait for a gate, and then for a worker; default 7 s each
	PerOwner int           // queries of one owner at a time, including those that wait; default 2
	Timeout  time.Duration // of a query; default 30 s
	Reading  time.Duration // processor time that the gate may spend on a statement; default 1 s
	Memory   int64         // bytes of a query; default: a share of the machine's, from 128 MiB to 1 GiB
	Spare    int64         // bytes that an idle worker may hold beyond its size when it was new; default 192 MiB
	Threads  int           // of a query; default: as many as processors, at most 4
	Command  []string      // starts a worker; default: this program with sql-worker
	Log      *slog.Logger
}

func (o *Options) defaults() error {
	o.PerOwner = cmp.Or(o.PerOwner, 2)
	// There are more workers than a few owners can occupy. They share processors and memory.
	o.Workers = cmp.Or(o.Workers, 4*o.PerOwner+1)
	o.Gates = cmp.Or(o.Gates, min(8, runtime.NumCPU()+1))
	o.Queue = cmp.Or(o.Queue, 12)
	o.Threads = cmp.Or(o.Threads, min(4, runtime.NumCPU()))
	o.Reading = cmp.Or(o.Reading, time.Second)
	o.Spare = cmp.Or(o.Spare, 192<<20)
	o.Wait = cmp.Or(o.Wait, 7*time.Second)
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	// All workers together use at most half of the machine's memory.
	o.Memory = cmp.Or(o.Memory, min(1<<30, max(128<<20, budget.Machine()/int64(2*o.Workers))))
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if len(o.Command) == 0 {
		self, err := program()
		if err != nil {
			return err
		}
		o.Command = []string{self, "sql-worker"}
	}
	return nil
}

// program returns the path of the program that is running. Where the system has /proc, the path stays valid when a newer
// program replaces the file: a worker of the newer program might not speak this program's protocol.
func program() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}
