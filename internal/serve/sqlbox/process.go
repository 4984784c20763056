package sqlbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// process is the server's end of one worker. It serves one statement at a
// time; once anything goes wrong with it, it is ended and never used again.
type process struct {
	cmd         *exec.Cmd
	in          *os.File
	out         *os.File
	gone        chan struct{} // closed when it has ended
	errorOutput *errorOutput  // what it wrote to its error output
	notes       []string
	fresh       int64 // bytes of memory of its own when it was new
	statements  int
	dead        bool
	once        sync.Once
}

var (
	// startTimeout is how long a worker may take to open its files. Tests have more
	// time: they may run on a machine that is busy with everything else.
	startTimeout = 30 * time.Second

	// errDied is returned when a worker ends while it serves a statement.
	errDied = errors.New("the worker died")
	// errGone is returned when a worker has ended before it was asked.
	errGone = errors.New("the worker is gone")
)

// spawn starts a worker and waits until it is ready.
func spawn(command []string, h hello) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	// Nothing of the server's surroundings is the worker's business.
	cmd.Env = []string{"GOTRACEBACK=none", "GOMEMLIMIT=256MiB"}
	cmd.Dir = "/"
	p := &process{cmd: cmd, errorOutput: &errorOutput{}, gone: make(chan struct{})}
	cmd.Stderr = p.errorOutput
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		stdin.Close()
		in.Close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, p.in, p.out = stdin, stdout, in, out
	err = cmd.Start()
	stdin.Close()
	stdout.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("starting a SQL worker: %w", err)
	}
	go func() {
		_ = cmd.Wait()
		close(p.gone)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	order, err := encode(h)
	if err != nil {
		p.end()
		return nil, err
	}
	var r ready
	if err := p.exchange(ctx, order, func(from io.Reader) error { return readFrame(from, maxHead, &r) }); err != nil {
		p.end()
		return nil, fmt.Errorf("a SQL worker did not start: %w: %s", err, p.errorOutput)
	}
	if r.Err != "" {
		p.end()
		return nil, fmt.Errorf("a SQL worker did not start: %s", r.Err)
	}
	p.notes, p.fresh = r.Notes, p.memory()
	return p, nil
}

// exchange sends a frame and reads the answer. When the context ends first, or
// the worker does, the worker is done for.
func (p *process) exchange(ctx context.Context, send []byte, read func(io.Reader) error) error {
	done := make(chan error, 1)
	go func() {
		if err := writeFrame(p.in, send); err != nil {
			// Nobody holds the other end: the worker has not seen it.
			done <- fmt.Errorf("%w: %w", errGone, err)
			return
		}
		if err := read(p.out); err != nil {
			done <- fmt.Errorf("%w: %w", errDied, err)
			return
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			p.end()
		}
		return err
	case <-ctx.Done():
		p.end()
		<-done // the pipes are closed, so this does not wait long
		return ctx.Err()
	}
}

// end kills the worker and reaps it.
func (p *process) end() {
	p.once.Do(func() {
		p.dead = true
		_ = p.cmd.Process.Kill()
		<-p.gone
		p.in.Close()
		p.out.Close()
	})
}

// alive says whether the worker has not ended on its own.
func (p *process) alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// memory is what the worker holds of its own, in bytes: what it has in memory
// without the files that it has mapped. It is 0 where the system does not say.
func (p *process) memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}

// grown is how many bytes more the worker holds than when it was new.
func (p *process) grown() int64 { return p.memory() - p.fresh }

// ranOutOfMemory says whether a worker that has ended did so for want of memory.
func (p *process) ranOutOfMemory() bool {
	said := p.errorOutput.String()
	return slices.ContainsFunc([]string{"bad_alloc", "cannot allocate memory", "out of memory"}, func(s string) bool { return strings.Contains(said, s) })
}

// crashed says whether a worker that has ended did so by a fault of the program
// or of the engine, and not because there was no more memory.
func (p *process) crashed() bool {
	said := p.errorOutput.String()
	return !p.ranOutOfMemory() && slices.ContainsFunc([]string{"panic:", "SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE"}, func(s string) bool { return strings.Contains(said, s) })
}

// errorOutput keeps the beginning of what is written to it: a program that dies
// gives the cause first, and then much else.
type errorOutput struct {
	mu sync.Mutex
	b  []byte
}

func (w *errorOutput) Write(p []byte) (int, error) {
	const most = 4 << 10
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b = append(w.b, p[:min(len(p), most-len(w.b))]...)
	return len(p), nil
}

func (w *errorOutput) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.b)
}
