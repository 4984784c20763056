package sqlbox

import "sync"

// Place is a worker kept for a statement from when Check has let it pass until
// Run has run it, or the context of Check has ended. Who comes to Run with it is
// not told there that all places are taken, or that no worker can be started. The
// zero value is none.
type Place struct {
	leave func()

	mu     sync.Mutex
	left   bool
	worker *process // nil once it is taken or given back
	of     *pool
}

// keep puts a worker aside.
func (p *Place) keep(worker *process, of *pool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left {
		of.put(worker)
		return
	}
	p.worker, p.of = worker, of
}

// take is the worker put aside, if there is one.
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

// giveBack gives back a worker that nobody has taken.
func (p *Place) giveBack() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = true
	if p.worker != nil {
		p.of.put(p.worker)
		p.worker = nil
	}
}
