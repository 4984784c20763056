package sqlbox

import "sync"

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
