package ingest

import (
	"fmt"
	"sync"
)

// progress reports how far a build is, and problems with this machine. Several
// goroutines may use it.
type progress struct {
	show     func(phase string, done, total int64) // may be nil
	showNote func(text string)                     // may be nil

	mu          sync.Mutex
	name        string
	done, total int64
	notes       []string
}

// phase begins a step of total units.
func (p *progress) phase(name string, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name, p.done, p.total = name, 0, total
	p.showPhase()
}

func (p *progress) step(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.showPhase()
}

// follow returns a function to report a phase with. A call with done 0 begins
// the phase; every other call counts one unit.
func (p *progress) follow(name string) func(done, total int64) {
	return func(done, total int64) {
		if done == 0 {
			p.phase(name, total)
		} else {
			p.step(1)
		}
	}
}

func (p *progress) showPhase() {
	if p.show != nil {
		p.show(p.name, p.done, p.total)
	}
}

// note reports a problem with this machine. Notes go into the displayed report
// and not into the manifest, which depends on the sources alone.
func (p *progress) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	p.notes = append(p.notes, text)
	if p.showNote != nil {
		p.showNote(text)
	}
}
